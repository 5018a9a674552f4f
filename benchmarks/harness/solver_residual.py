"""How far from the solution a solver stopped: the Newton gradient at its acceleration, by MuJoCo C in double.

The constrained acceleration a minimises 1/2 |a - a_smooth|_M^2 + s(J a - a_ref); the gradient there is
M a - (smooth forces) - J' f(J a - a_ref). It is scaled as MuJoCo scales what it compares with its tolerance, by
1 / (mean inertia * nv). Every engine is judged by this one function, at its own state and acceleration.

What to expect: a solver that stops one iteration early leaves 0.07 or more on the scenes here; rounding the state to float alone
leaves up to 4e-4, because a contact's reference acceleration is its distance times some 1e4; MuJoCo C with tolerance 1e-6 leaves
up to 4e-4 too, as it may stop on small improvement.

A friction pyramid depends on the tangents of its contact. MuJoCo Warp 4.0.0 takes fixed ones where a capsule stands on a plane
within 30 degrees of upright; MuJoCo C follows the capsule's axis. That is another problem, equally valid, so an engine whose
tangents may differ hands them over, and its acceleration is judged with them.
"""
import mujoco
import numpy


def solver_residual(model, qpos, qvel, act, ctrl, qacc, contacts=None):
    """The scaled gradient's norm, at one state with these controls, of the acceleration `qacc`."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.act[:], data.ctrl[:] = qpos, qvel, act, ctrl
    mujoco.mj_fwdPosition(model, data)
    if contacts:
        take_tangents(model, data, *contacts)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)
    qacc = numpy.asarray(qacc, dtype=numpy.float64)
    gradient = numpy.zeros(model.nv)
    mujoco.mj_mulM(model, data, gradient, qacc)
    gradient -= data.qfrc_smooth
    if data.nefc:
        distance = numpy.zeros(data.nefc)
        mujoco.mj_mulJacVec(model, data, distance, qacc)
        distance -= data.efc_aref
        mujoco.mj_constraintUpdate(model, data, distance, None, 0)
        gradient -= data.qfrc_constraint
    return float(numpy.linalg.norm(gradient) / (model.stat.meaninertia * max(1, model.nv)))


def take_tangents(model, data, geoms, positions, frames):
    """Gives each contact the tangents of the nearest one of the same geoms, and builds the rows again."""
    for contact in data.contact:
        same = numpy.flatnonzero((geoms == contact.geom).all(axis=1) | (geoms == contact.geom[::-1]).all(axis=1))
        if same.size:
            nearest = same[numpy.linalg.norm(positions[same] - contact.pos, axis=1).argmin()]
            if frames[nearest][:3] @ contact.frame[:3] > 0.999:
                contact.frame[3:] = frames[nearest][3:]
    mujoco.mj_makeConstraint(model, data)
    mujoco.mj_projectConstraint(model, data)


def worst_residual(model, sample):
    """The largest of a sample of environments."""
    contacts = sample.contacts or [None] * len(sample.qpos)
    states = zip(sample.qpos, sample.qvel, sample.act, sample.ctrl, sample.qacc, contacts)
    return max(solver_residual(model, *state) for state in states)
