"""Compares the acceleration in f32 with MuJoCo's in f64: |a-b| / |b| below 1e-3.

Where MuJoCo itself is not stable (moved by 1e-13, as in compare_forward), 10 times its own spread is added.
"""

import mujoco
import numpy as np
import numpy as np

import models
import states
from answer import mujoco_forward
from compare_forward import DRAW_SIZE, DRAWS, SPREAD_FACTOR
from phalanx_binary import RunFailed
from relative_error import norm_error
from report import Check

TOLERANCE = 1e-3


def compare_f32(name, path, model, start, binary, pool):
    check = Check(name, "f32 qacc", TOLERANCE)
    data = mujoco.MjData(model)
    futures = [pool.submit(binary.forward, path, state, precision="f32") for state in start]
    for index, (state, future) in enumerate(zip(start, futures)):
        check.states += 1
        try:
            ours = future.result()
        except RunFailed as error:
            check.fail(index, str(error))
            check.see("", np.inf)
            continue
        theirs = mujoco_forward(model, data, state).fields["qacc"]
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


def spread(model, data, state, theirs, seed):
    """How far MuJoCo's own acceleration moves when its state moves by 1e-13."""
    rng = np.random.default_rng(seed)
    draws = [mujoco_forward(model, data, states.moved(state, DRAW_SIZE, rng)).fields["qacc"] for _ in range(DRAWS)]
    return max(norm_error(draw, theirs) for draw in draws)
