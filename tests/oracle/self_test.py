"""Proves that the comparison works: MuJoCo, shuffled and moved by rounding, must pass; every planted error must be found.

The fake binary answers as Phalanx would: contacts and rows in another order, quaternions with the other sign.
"""

import concurrent.futures
import copy
import dataclasses

import mujoco
import numpy as np

import models
from answer import FRICTION, LIMIT, mujoco_forward, rows_per_contact
from compare_f32 import compare_f32
from compare_forward import compare_forward
from compare_trajectories import compare_trajectories, rollout
from states import start_states

NOISE = 1e-13
STATES = 4


class FakeBinary:
    """MuJoCo in Phalanx's clothes, with an error planted by `spoil(answer, model)` or `spoil_record(record)`."""

    def __init__(self, spoil=None, spoil_record=None):
        self.spoil, self.spoil_record = spoil, spoil_record

    def forward(self, path, state, precision="f64", contacts=None):
        model = models.load(path)
        answer = mujoco_forward(model, mujoco.MjData(model), state)
        rng = np.random.default_rng(7)
        answer = disguise(answer, rng, 1e-6 if precision == "f32" else NOISE)
        if self.spoil:
            self.spoil(answer, model)
        return answer

    def run(self, path, start, controls):
        model = models.load(path)
        record = rollout(model, start, controls)
        if self.spoil_record:
            self.spoil_record(record)
        return record


def disguise(answer, rng, noise):
    """Another order of contacts and of rows, other signs of quaternions, rounding."""
    fields = {name: value * (1 + noise * rng.standard_normal(value.shape)) for name, value in answer.fields.items()}
    fields["xquat"] = -fields["xquat"]
    order = rng.permutation(len(answer.contacts))
    contacts = [copy.deepcopy(answer.contacts[i]) for i in order]
    count = len(answer.rows["type"])
    of_contacts = np.isin(answer.rows["type"], (FRICTION, LIMIT))
    rows_order = list(rng.permutation(np.flatnonzero(of_contacts)))
    for i in order:
        first = answer.row_of_contact[i]
        rows_order += range(first, first + rows_per_contact(answer.contacts[i].dim))
    assert sorted(rows_order) == list(range(count))
    rows = {name: value[rows_order].copy() for name, value in answer.rows.items()}
    return dataclasses.replace(answer, fields=fields, contacts=contacts, rows=rows, row_of_contact=None)


def scale(name, factor):
    """One entry of a field, the largest, off by a factor."""

    def spoil(answer, model):
        value = answer.fields[name].reshape(-1)
        value[np.argmax(np.abs(value))] *= factor

    return spoil


def scale_row(name, factor):
    def spoil(answer, model):
        value = answer.rows[name].reshape(-1)
        if value.size:
            value[np.argmax(np.abs(value))] *= factor

    return spoil


def with_contact(change):
    def spoil(answer, model):
        if answer.contacts:
            change(answer.contacts)

    return spoil


def move_contact(contacts):
    contacts[0].pos[2] += 1e-6


def turn_frame(contacts):
    """Another, equally valid pair of tangents."""
    contacts[0].frame[1:] = np.array([contacts[0].frame[2], -contacts[0].frame[1]])


def swap_geoms(contacts):
    contacts[0].geoms = contacts[0].geoms[::-1]


def swap_edges(answer, model):
    """The first two edges of every pyramid exchanged."""
    rows = np.flatnonzero(answer.rows["type"] == 6)[::4]
    for values in answer.rows.values():
        for row in rows:
            values[[row, row + 1]] = values[[row + 1, row]]


def flip_limit(answer, model):
    """A limit pushes to the wrong side."""
    answer.rows["J"][answer.rows["type"] == LIMIT] *= -1


def drop_row(kind):
    def spoil(answer, model):
        hits = np.flatnonzero(answer.rows["type"] == kind)
        if hits.size:
            answer.rows = {name: np.delete(value, hits[0], axis=0) for name, value in answer.rows.items()}

    return spoil


def poison(answer, model):
    answer.fields["qfrc_bias"][0] = np.nan


def forget(answer, model):
    del answer.fields["cdof"]


def late_kick(record):
    record["qvel"][60:, 1] *= 1 + 3e-6


def not_finite(record):
    record["qpos"][-1, 0] = np.nan


# What is planted, on which model, and the check that must find it.
PLANTED = [
    ("xpos off by 1e-7", "assets/ant", compare_forward, scale("xpos", 1 + 1e-7), None),
    ("M off by 1e-7", "assets/humanoid", compare_forward, scale("M", 1 + 1e-7), None),
    ("cvel off by 1e-7", "assets/ant", compare_forward, scale("cvel", 1 + 1e-7), None),
    ("qacc off by 1e-7", "assets/ant", compare_forward, scale("qacc", 1 + 1e-7), None),
    ("qacc off by 1e-7, smooth model", "single/hinge", compare_forward, scale("qacc", 1 + 1e-7), None),
    ("efc_force off by 1e-7", "assets/ant", compare_forward, scale_row("force", 1 + 1e-7), None),
    ("efc_aref off by 1e-7", "single/ball_limit", compare_forward, scale_row("aref", 1 + 1e-7), None),
    ("efc_D off by 1e-7", "single/frictionloss", compare_forward, scale_row("D", 1 + 1e-7), None),
    ("a contact lost", "assets/ant", compare_forward, with_contact(lambda c: c.pop()), None),
    ("a contact twice", "assets/ant", compare_forward, with_contact(lambda c: c.append(copy.deepcopy(c[0]))), None),
    ("a contact moved", "assets/ant", compare_forward, with_contact(move_contact), None),
    ("tangents turned", "assets/ant", compare_forward, with_contact(turn_frame), None),
    ("geoms of a contact exchanged", "assets/ant", compare_forward, with_contact(swap_geoms), None),
    ("edges of a pyramid exchanged", "assets/ant", compare_forward, swap_edges, None),
    ("a limit on the wrong side", "single/slide", compare_forward, flip_limit, None),
    ("a friction row lost", "single/frictionloss", compare_forward, drop_row(FRICTION), None),
    ("a limit row lost", "single/limit_margin", compare_forward, drop_row(LIMIT), None),
    ("a NaN", "assets/ant", compare_forward, poison, None),
    ("a field not printed", "assets/ant", compare_forward, forget, None),
    ("f32 qacc off by 2e-3", "single/hinge", compare_f32, scale("qacc", 1 + 3e-3), None),
    ("velocity off by 3e-6 from step 60", "single/hinge", compare_trajectories, None, late_kick),
    ("a NaN at the end", "single/hinge", compare_trajectories, None, not_finite),
]
HONEST = [
    "assets/ant", "assets/arm_cube", "single/cubes_stacked", "single/frictionloss", "single/limit_margin", "single/convex_pairs",
]  # fmt: skip


def self_test():
    """Prints what was found; returns 0 if every planted error was and nothing else."""
    found = models.all_models()
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name in HONEST:
            for compare in (compare_forward, compare_f32, compare_trajectories):
                bad += not verdict(f"{name}, honest, {compare.__name__}", compare, found[name], name, FakeBinary(), pool, True)
        for title, name, compare, spoil, spoil_record in PLANTED:
            bad += not verdict(f"{name}: {title}", compare, found[name], name, FakeBinary(spoil, spoil_record), pool, False)
    print("self-test:", "ok" if not bad else f"{bad} FAILED")
    return 1 if bad else 0


def verdict(title, compare, path, name, binary, pool, want_ok):
    model = models.load(path)
    checks = compare(name, path, model, start_states(name, model, STATES), binary, pool)
    ok = all(check.ok for check in checks)
    sentence = next((f for check in checks for f in check.failures), "nothing found")
    print(f"{'ok  ' if ok == want_ok else 'FAIL'} {title}: {sentence}")
    return ok == want_ok
