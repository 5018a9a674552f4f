"""Are these models fit for training? Runs each in MuJoCo and prints the tables of README.md.

    pip install mujoco==4.0.0
    python assets/check_models.py [MODEL.xml ...]

Fails if a model compiles with a warning, if a run has a warning or a non-finite value, or if a model gains energy at rest.
"""

import pathlib
import sys
from warnings import simplefilter

import mujoco
import numpy as np

STEPS = 2000
SEEDS = 16
ENERGY_GAIN = 1e-3  # relative; what a contact gives back when the start presses it in too far


def warning_count(data):
    return sum(int(warning.number) for warning in data.warning)


def deepest(data):
    """Penetration of the deepest contact [m]."""
    return max(0.0, -data.contact.dist.min()) if data.ncon else 0.0


def start(model, data, key):
    if key is None:
        mujoco.mj_resetData(model, data)
    else:
        mujoco.mj_resetDataKeyframe(model, data, key)


def at_rest(model, key):
    """Zero control, or the key's own: contacts and rows at the start, deepest contact at the end, gain of energy."""
    data = mujoco.MjData(model)
    start(model, data, key)
    mujoco.mj_forward(model, data)
    first = data.energy.sum()
    highest, contacts, rows = first, data.ncon, data.nefc
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        highest = max(highest, data.energy.sum())
    assert warning_count(data) == 0 and np.isfinite(data.qpos).all()
    assert highest - first <= ENERGY_GAIN * abs(first), f"gains {highest - first} J"
    return f"contacts {contacts}, rows {rows}, depth {1e3 * deepest(data):.2f} mm, speed {abs(data.qvel).max():.1e}"


def at_random(model):
    """Controls over the whole range, new at each step or every 20, from `home` and from qpos0: the largest of each."""
    data = mujoco.MjData(model)
    low, high = model.actuator_ctrlrange.T
    speed = depth = 0.0
    contacts = rows = iterations = 0
    for key in (0, None):
        for hold in (1, 20):
            for seed in range(SEEDS):
                rng = np.random.default_rng(seed)
                start(model, data, key)
                for step in range(STEPS):
                    if step % hold == 0:
                        data.ctrl[:] = rng.uniform(low, high)
                    mujoco.mj_step(model, data)
                    speed = max(speed, abs(data.qvel).max())
                    depth = max(depth, deepest(data))
                    contacts, rows = max(contacts, data.ncon), max(rows, data.nefc)
                    iterations = max(iterations, data.solver_niter[0])
                assert warning_count(data) == 0 and np.isfinite(data.qpos).all(), f"seed {seed}, hold {hold}, key {key}"
    return (
        f"speed {speed:.0f}, contacts {contacts}, rows {rows}, depth {1e3 * depth:.0f} mm, "
        f"solver iterations {iterations}"
    )


def humanoid_stands_on_servos(model):
    """Its motors as servos with the gear as torque limit."""
    data = mujoco.MjData(model)
    torque = model.actuator_gear[:, 0].copy()
    model.actuator_gear[:, 0] = 1
    model.actuator_gainprm[:, 0] = 5 * torque
    model.actuator_biastype[:] = mujoco.mjtBias.mjBIAS_AFFINE
    model.actuator_biasprm[:, 1] = -5 * torque
    model.actuator_biasprm[:, 2] = -0.08 * 5 * torque
    model.actuator_forcelimited[:] = True
    model.actuator_forcerange[:] = np.stack([-torque, torque], axis=1)
    model.actuator_ctrllimited[:] = False
    start(model, data, 0)
    data.ctrl[:] = data.qpos[model.jnt_qposadr[model.actuator_trnid[:, 0]]]
    share = 0.0
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        share = max(share, (abs(data.actuator_force) / torque).max())
    assert data.site("head").xpos[2] > 1.4, "fell"
    return f"stands with {data.ncon} contacts, {data.nefc} rows, {100 * share:.0f} % of its torque"


def arm_lifts_the_cube(model):
    """Down, close, up, hold 5 s."""
    data = mujoco.MjData(model)
    start(model, data, 0)
    home, low = data.ctrl[:6].copy(), np.array([0, 0.862, 1.447, 0, 0.833, 0])
    for begin, end, fingers, steps in ((home, low, 0.04, 300), (low, low, 0, 100), (low, home, 0, 300)):
        for step in range(steps):
            share = min(1, (step + 1) / (0.8 * steps))
            data.ctrl[:6] = (1 - share) * begin + share * end
            data.ctrl[6:] = fingers
            mujoco.mj_step(model, data)
    lifted = data.body("cube").xpos[2]
    for _ in range(1000):
        mujoco.mj_step(model, data)
    held = data.body("cube").xpos[2]
    assert held > 0.5, "dropped"
    return f"lifted to {lifted:.3f} m, {1e3 * (lifted - held):.1f} mm lower after 5 s"


def check(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    print(f"{path.name}: nq {model.nq}, nv {model.nv}, nu {model.nu}, geoms {model.ngeom}, step {model.opt.timestep} s")
    for key in range(model.nkey):
        print(f"    {model.key(key).name}: {at_rest(model, key)}")
    print(f"    random: {at_random(model)}")
    if path.name == "humanoid.xml":
        print(f"    servos: {humanoid_stands_on_servos(model)}")
    if path.name == "arm_cube.xml":
        print(f"    grasp: {arm_lifts_the_cube(model)}")


if __name__ == "__main__":
    simplefilter("error")
    for argument in sys.argv[1:] or sorted(pathlib.Path(__file__).parent.glob("*.xml")):
        check(pathlib.Path(argument))
