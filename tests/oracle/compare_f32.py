"""Compares the acceleration in f32 with MuJoCo's in f64: |a-b| / |b| below 1e-3."""

import mujoco
import numpy as np

from answer import mujoco_forward
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
        error = norm_error(ours.fields.get("qacc", []), mujoco_forward(model, data, state).fields["qacc"])
        check.see(f"qacc of state {index}", error)
        if error > TOLERANCE:
            check.fail(index, f"qacc differs by {error:.2e}")
    return [check]
