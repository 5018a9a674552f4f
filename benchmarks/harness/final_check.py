"""What must hold at the end of a run before its speed counts: it simulated what MuJoCo C simulates.

Trajectories part after some hundred steps, so means over environments are compared: they may differ by a fixed tolerance, and by
four standard errors, from MuJoCo C's over 64 environments with the same starts and controls.
"""
import functools

import numpy

from harness.engine import RunRefused
from harness.mujoco_c import LOOKED_AT, MujocoC
from harness.solver_residual import worst_residual

HEIGHT_TOLERANCE = 0.02  # metres
CONTACTS_TOLERANCE = 0.05  # relative
CONTACTS_FLOOR = 0.05  # contacts
RESIDUAL_LIMIT = 1e-2  # solver_residual.py says why
STANDARD_ERRORS = 4


@functools.lru_cache(maxsize=None)
def reference(scene, steps):
    """MuJoCo C with the model's own tolerance: contacts of 64 environments, and their qpos at the end."""
    engine = MujocoC(threads=1, tolerance=0.0)
    engine.open(scene, LOOKED_AT)
    counts, qpos, _ = engine.count(steps, LOOKED_AT)
    return counts[:, 0] / steps, qpos


def final_check(name, scene, steps, run):
    """Raises if the run of engine `name` is not sound; returns what it found, as columns of the table."""
    contacts, qpos = reference(scene, steps)
    spread = numpy.sqrt(1 / len(run.qpos) + 1 / LOOKED_AT) * STANDARD_ERRORS
    allowed = CONTACTS_FLOOR + CONTACTS_TOLERANCE * contacts.mean() + spread * contacts.std()
    if not abs(run.contacts - contacts.mean()) <= allowed:
        raise RunRefused(f"{name}: {run.contacts:.3f} contacts a step, MuJoCo C {contacts.mean():.3f}, {allowed:.3f} may lie between")
    residual = worst_residual(scene.model, run.sample)
    if not residual <= RESIDUAL_LIMIT:
        raise RunRefused(f"{name}: the solver's residual is {residual:.2e} at the end, more than {RESIDUAL_LIMIT}")
    heights = scene.heights(run.qpos)
    if heights is None:
        return {"residual": residual}
    low, high = scene.check["range"]
    if not (low <= heights.min() and heights.max() <= high):
        raise RunRefused(f"{name}: heights at the end are {heights.min():.3f} to {heights.max():.3f} m, not in {low} to {high}")
    expected = scene.heights(qpos)
    allowed = HEIGHT_TOLERANCE + spread * expected.std()
    if not abs(heights.mean() - expected.mean()) <= allowed:
        found = f"{heights.mean():.3f} m at the end, MuJoCo C {expected.mean():.3f}"
        raise RunRefused(f"{name}: mean height {found}, {allowed:.3f} may lie between")
    return {"residual": residual, "height": float(heights.mean()), "mujoco_c_height": float(expected.mean())}
