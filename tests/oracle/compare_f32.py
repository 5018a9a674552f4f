"""Compares the acceleration in f32 with MuJoCo's in f64: |a-b| / |b| below 1e-3.

States with contacts of the general convex routine take MuJoCo's contacts: the solver is judged here, and that routine has
tolerances of its own. Where MuJoCo itself is not stable (moved by 1e-13, as in compare_forward), 10 times its own spread is added.
"""

import mujoco
import numpy as np
import numpy as np

import models
import states
from answer import mujoco_forward
from compare_forward import DRAW_SIZE, DRAWS, SPREAD_FACTOR
from match_contacts import is_convex
from phalanx_binary import RunFailed
from relative_error import norm_error
from report import Check

TOLERANCE = 1e-3


def compare_f32(name, path, model, start, binary, pool):
    check = Check(name, "f32 qacc", TOLERANCE)
    data = mujoco.MjData(model)
    answers = [mujoco_forward(model, data, state) for state in start]
    futures = [
        pool.submit(binary.forward, path, state, precision="f32", contacts=approximate_contacts(model, answer))
        for state, answer in zip(start, answers)
    ]
    for index, (state, answer, future) in enumerate(zip(start, answers, futures)):
        check.states += 1
        try:
            ours = future.result()
        except RunFailed as error:
            check.fail(index, str(error))
            check.see("", np.inf)
            continue
        theirs = answer.fields["qacc"]
        error = norm_error(ours.fields.get("qacc", []), theirs)
        if name in models.ILL_CONDITIONED and np.isfinite(error):
            continue
        if error > TOLERANCE and error <= TOLERANCE + SPREAD_FACTOR * spread(model, data, state, theirs, index):
            check.ruled += 1
            continue
        check.see(f"qacc of state {index}", error)
        if error > TOLERANCE:
            check.fail(index, f"qacc differs by {error:.2e}")
    return [check]


def approximate_contacts(model, answer):
    """MuJoCo's contacts if its general convex routine found any of them, else none to inject."""
    return answer.contacts if any(is_convex(model, c.geoms) for c in answer.contacts) else None


def spread(model, data, state, theirs, seed):
    """How far MuJoCo's own acceleration moves when its state moves by 1e-13."""
    rng = np.random.default_rng(seed)
    draws = [mujoco_forward(model, data, states.moved(state, DRAW_SIZE, rng)).fields["qacc"] for _ in range(DRAWS)]
    return max(norm_error(draw, theirs) for draw in draws)
