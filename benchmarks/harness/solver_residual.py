"""How far from the solution a solver stopped: the Newton gradient at its acceleration, by MuJoCo C in double.

The constrained acceleration a minimises 1/2 |a - a_smooth|_M^2 + s(J a - a_ref); the gradient there is
M a - (smooth forces) - J' f(J a - a_ref). It is scaled as MuJoCo scales what it compares with its tolerance, by
1 / (mean inertia * nv). Every engine is judged by this one function, at its own state and acceleration.

What to expect: a solver that stops one iteration early leaves 0.07 or more on the scenes here; rounding the state to float alone
leaves up to 4e-4, because a contact's reference acceleration is its distance times some 1e4; MuJoCo C with tolerance 1e-6 leaves
up to 4e-4 too, as it may stop on small improvement.

The rows (J, a_ref and what s is) are MuJoCo C's, or for an engine that makes other ones its own: MuJoCo Warp 4.0.0 finds other
points where two boxes touch, and other tangents where a capsule stands on a plane within 30 degrees of upright. That is another
problem, equally valid, and asks whether the engine solved it. Mass matrix and smooth forces are MuJoCo C's for all.
"""
import mujoco
import numpy


def solver_residual(model, qpos, qvel, act, ctrl, qacc, rows=None):
    """The scaled gradient's norm, at one state with these controls, of the acceleration `qacc`."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.act[:], data.ctrl[:] = qpos, qvel, act, ctrl
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)
    qacc = numpy.asarray(qacc, dtype=numpy.float64)
    gradient = numpy.zeros(model.nv)
    mujoco.mj_mulM(model, data, gradient, qacc)
    gradient -= data.qfrc_smooth
    if rows:
        gradient -= rows.jacobian.T @ forces(rows, rows.jacobian @ qacc - rows.reference)
    elif data.nefc:
        distance = numpy.zeros(data.nefc)
        mujoco.mj_mulJacVec(model, data, distance, qacc)
        distance -= data.efc_aref
        mujoco.mj_constraintUpdate(model, data, distance, None, 0)
        gradient -= data.qfrc_constraint
    return float(numpy.linalg.norm(gradient) / (model.stat.meaninertia * max(1, model.nv)))


def forces(rows, distance):
    """What the rows push with at these distances from their reference accelerations."""
    linear = -rows.stiffness * distance
    return numpy.where(rows.bound > 0, numpy.clip(linear, -rows.bound, rows.bound), numpy.maximum(linear, 0))


def worst_residual(model, sample):
    """The largest of a sample of environments."""
    rows = sample.rows or [None] * len(sample.qpos)
    states = zip(sample.qpos, sample.qvel, sample.act, sample.ctrl, sample.qacc, rows)
    return max(solver_residual(model, *state) for state in states)
