"""Compares 100 steps under recorded random controls with MuJoCo's, in f64, to 1e-6 of qpos and of qvel at every step.

A start that meets contacts of the general convex routine, which is compared to 1e-6 m and 1e-4 of the normal, is held to 1e-4.
A start may be skipped only if MuJoCo, moved by 1e-12, itself moves by more than 1e-8; the report says how many were.
"""

import mujoco
import numpy as np

import models
import states
from match_contacts import CYLINDER, ELLIPSOID, is_convex
from phalanx_binary import RunFailed
from relative_error import FLOOR
from report import Check

STEPS = 100
TOLERANCE = 1e-6
CONVEX_TOLERANCE = 1e-4
KICK = 1e-12
KICKS = 3
UNSTABLE = 1e-8


def compare_trajectories(name, path, model, start, binary, pool):
    check = Check(name, "trajectory", TOLERANCE)
    rng = np.random.default_rng(len(start))
    controls = np.stack([states.controls(model, rng, len(start), 1.1) for _ in range(STEPS)])
    future = pool.submit(binary.run, path, start, controls)
    theirs = rollout(model, start, controls)
    try:
        ours = future.result()
    except RunFailed as error:
        check.fail(None, str(error))
        check.see("", np.inf)
        return [check]
    for index in range(len(start)):
        check.states += 1
        if not np.isfinite(theirs["qpos"][:, index]).all():
            check.fail(index, "MuJoCo itself diverges: choose another start state")
            continue
        tolerance = tolerance_of(name, theirs["convex"][index])
        error, step, field = worst_step(ours, theirs, index, index)
        if error > tolerance and is_unstable(model, start[index], controls[:, index : index + 1], theirs, index):
            check.ruled += 1
            continue
        if tolerance == TOLERANCE or error > tolerance:
            check.see(f"{field} after step {step}", error)
        if error > tolerance:
            check.fail(index, f"{field} differs by {error:.2e} after step {step}")
    return [check]


def tolerance_of(name, convex):
    """How far a trajectory may be off: anything finite where the model is too ill conditioned to say more."""
    if name in models.ILL_CONDITIONED:
        return np.finfo(float).max
    return CONVEX_TOLERANCE if convex else TOLERANCE


def rollout(model, start, controls):
    """MuJoCo's trajectories: {"qpos": (steps + 1, starts, nq), "qvel": ..., "convex": whether each start met such contacts}."""
    data = mujoco.MjData(model)
    batch = (len(controls) + 1, len(start))
    record = {"qpos": np.zeros((*batch, model.nq)), "qvel": np.zeros((*batch, model.nv))}
    record["convex"] = np.zeros(len(start), bool)
    approximate = may_be_convex(model)
    for index, state in enumerate(start):
        states.apply(model, data, state)
        for step in range(len(controls) + 1):
            record["qpos"][step, index], record["qvel"][step, index] = data.qpos, data.qvel
            if step < len(controls):
                data.ctrl[:] = controls[step, index]
                mujoco.mj_step(model, data)
                if approximate:
                    record["convex"][index] |= any(is_convex(model, c.geom) for c in data.contact)
    return record


def may_be_convex(model):
    """False for models without the shapes of the general convex routine."""
    return any(t in (ELLIPSOID, CYLINDER) for t in model.geom_type)


def worst_step(ours, theirs, mine, other):
    """(largest relative error, after which step, of which field) of one start."""
    worst = (0.0, 0, "qpos")
    for field in ("qpos", "qvel"):
        if ours[field].shape[0] != theirs[field].shape[0]:
            return np.inf, ours[field].shape[0], field
        a, b = ours[field][1:, mine], theirs[field][1:, other]
        if b.size == 0:
            continue
        error = np.abs(a - b).max(axis=1) / np.maximum(np.abs(b).max(axis=1), FLOOR)
        error = np.where(np.isfinite(error), error, np.inf)
        step = int(np.argmax(error))
        if error[step] > worst[0]:
            worst = (float(error[step]), step + 1, field)
    return worst


def is_unstable(model, state, controls, theirs, index):
    """True if MuJoCo, moved by 1e-12, itself moves by more than 1e-8."""
    rng = np.random.default_rng(index)
    kicked = [states.moved(state, KICK, rng) for _ in range(KICKS)]
    record = rollout(model, kicked, np.repeat(controls, KICKS, axis=1))
    return any(worst_step(record, theirs, kick, index)[0] > UNSTABLE for kick in range(KICKS))
