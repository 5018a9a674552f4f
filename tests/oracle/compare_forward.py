"""Compares one forward pass with MuJoCo's: positions, inertias, forces, contacts, constraint rows, accelerations.

Everything to 1e-8. Where MuJoCo itself is not stable it is run again on the state moved by 1e-13, five times, and 10 times
the field's own spread is added; a contact count or a set of rows is compared only where no draw changed it.

Contacts of the general convex routine (GJK/EPA) have tolerances of their own, and what follows from such contacts is
judged in the `injected` check, where Phalanx is given MuJoCo's contacts.
"""

import mujoco
import numpy as np

import models
import states
from answer import REQUIRED, ROW_FIELDS, mujoco_forward
from match_contacts import contact_fields, is_convex, match
from match_rows import UnknownRow, compare_keys, in_order, row_keys
from phalanx_binary import RunFailed
from relative_error import relative_error, same_sign
from report import Check

TOLERANCE = 1e-8
# The iterative routine's own accuracy, absolute (m, 1, m).
CONVEX = {"contact dist (convex)": 1e-6, "contact normal (convex)": 1e-4, "contact pos (convex)": 1e-5}
DRAWS = 5
DRAW_SIZE = 1e-13
SPREAD_FACTOR = 10
QUATERNIONS = {"xquat"}
AFTER_CONTACTS = {"qacc", "qfrc_constraint"}
AFTER_SOLVER = AFTER_CONTACTS | {"efc_force"}


def differences(model, ours, theirs, contacts_given=False):
    """(field -> error, sentences that explain infinite ones). The same function measures MuJoCo against itself."""
    errors, why = {}, {}
    pairs, unequal = match(ours.contacts, theirs.contacts)
    approximate = any(is_convex(model, c.geoms) for c in theirs.contacts) and not contacts_given
    for name, value in theirs.fields.items():
        if name not in ours.fields or (approximate and name in AFTER_CONTACTS):
            continue
        mine = same_sign(ours.fields[name], value) if name in QUATERNIONS else ours.fields[name]
        errors[name] = relative_error(mine, value)
    for geoms in unequal:
        name = f"contact count of geoms {geoms}"
        errors[name] = np.inf
        count = [sum(c.geoms == geoms for c in side.contacts) for side in (ours, theirs)]
        why[name] = f"{count[0]} in Phalanx, {count[1]} in MuJoCo"
    if not contacts_given:
        for name, (a, b) in contact_fields(model, ours.contacts, theirs.contacts, pairs).items():
            errors[name] = float(np.abs(a - b).max(initial=0)) if name in CONVEX else relative_error(a, b)
            if not np.isfinite(a).all():
                errors[name] = np.inf
    if not approximate:
        row_errors(model, ours, theirs, pairs, errors, why)
    return errors, why


def row_errors(model, ours, theirs, pairs, errors, why):
    """Adds the errors of the constraint rows."""
    partner = dict(pairs)
    names = [partner.get(i, ("unmatched", i)) for i in range(len(ours.contacts))]
    try:
        their_keys = row_keys(model, theirs, range(len(theirs.contacts)))
        our_keys = row_keys(model, ours, names)
        trouble = compare_keys(our_keys, their_keys)
    except UnknownRow as error:
        trouble = str(error)
    if trouble:
        errors["constraint rows"], why["constraint rows"] = np.inf, trouble
        return
    mine, other = in_order(ours.rows, our_keys, their_keys), in_order(theirs.rows, their_keys, their_keys)
    errors["efc_type"] = relative_error(mine["type"], other["type"])
    for name in ROW_FIELDS:
        errors[f"efc_{name}"] = relative_error(mine[name], other[name])


def spreads(model, data, state, theirs, contacts_given, seed):
    """Field -> how far MuJoCo's own answer moves when its state moves by 1e-13."""
    rng = np.random.default_rng(seed)
    worst = {}
    for _ in range(DRAWS):
        other = mujoco_forward(model, data, states.moved(state, DRAW_SIZE, rng))
        for name, error in differences(model, other, theirs, contacts_given)[0].items():
            worst[name] = max(worst.get(name, 0.0), error)
    return worst


def limit(model_name, field):
    """The tolerance of a field before MuJoCo's own instability is added."""
    if field in AFTER_SOLVER:
        return models.ILL_CONDITIONED.get(model_name, TOLERANCE)
    return CONVEX.get(field, TOLERANCE)


def judge(check, model, data, index, state, ours, theirs, contacts_given):
    """Writes into the check how the answer to one state compares."""
    check.states += 1
    missing = sorted(REQUIRED - set(ours.fields))
    if missing:
        check.fail(index, f"forward does not print {', '.join(missing)}")
    for name in sorted(set(theirs.fields) - set(ours.fields) - REQUIRED):
        note = f"not printed, not compared: {name}"
        if note not in check.notes:
            check.notes.append(note)
    errors, why = differences(model, ours, theirs, contacts_given)
    limits = {name: limit(check.model, name) for name in errors}
    over = {name for name, error in errors.items() if not error <= limits[name]}
    spread = spreads(model, data, state, theirs, contacts_given, index) if over else {}
    ruled = False
    for name, error in errors.items():
        tolerance = limits[name] + SPREAD_FACTOR * spread.get(name, 0.0)
        if name in over and error <= tolerance:
            ruled = True
        elif name in over:
            check.see(name, error)
            detail = f" ({why[name]})" if name in why else f" {error:.2e} exceeds {tolerance:.1e}"
            check.fail(index, name + detail)
        elif limits[name] == TOLERANCE:
            check.see(name, error)
    check.ruled += ruled


def compare_forward(name, path, model, start, binary, pool):
    """The checks `forward` and, for states with contacts, `injected`."""
    free, given = Check(name, "forward", TOLERANCE), Check(name, "injected", TOLERANCE)
    data = mujoco.MjData(model)
    theirs = [mujoco_forward(model, data, state) for state in start]
    inject = states_to_inject(model, theirs)
    futures = [pool.submit(binary.forward, path, state) for state in start]
    injected = {i: pool.submit(binary.forward, path, start[i], contacts=theirs[i].contacts) for i in inject}
    for check, answers, contacts_given in ((free, enumerate(futures), False), (given, injected.items(), True)):
        for index, future in answers:
            try:
                ours = future.result()
            except RunFailed as error:
                check.states += 1
                check.fail(index, str(error))
                check.see("", np.inf)
                continue
            judge(check, model, data, index, start[index], ours, theirs[index], contacts_given)
    return [free, given] if inject else [free]


def states_to_inject(model, theirs):
    """All states with contacts of the convex routine, and four others with contacts."""
    convex = [i for i, a in enumerate(theirs) if any(is_convex(model, c.geoms) for c in a.contacts)]
    others = [i for i, a in enumerate(theirs) if a.contacts and i not in convex]
    return sorted(convex + others[:4])
