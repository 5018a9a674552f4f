"""Random start states of a model: exact in f32, near its poses, with limits passed and feet in the ground.

A state is a dict of the fields of a state file: qpos, qvel, ctrl, qfrc_applied, xfrc_applied, qacc_warmstart, mocap_pos,
mocap_quat. Same model and index, same state: the generator is seeded by both.
"""

import zlib

import mujoco
import numpy as np

FREE, BALL, SLIDE, HINGE = range(4)
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6
# Deeper than this, limbs are folded into each other as no simulation would have them.
DEEPEST = 0.03
DRAWS = 12


def start_states(name, model, count):
    """`count` states of the model."""
    return [start_state(name, model, index) for index in range(count)]


def start_state(name, model, index):
    """The first of a few draws that is not entangled and, three times in four, has active constraint rows."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), index])
    data = mujoco.MjData(model)
    best, best_rank = None, (np.inf, np.inf)
    for _ in range(DRAWS):
        state = draw(model, data, rng, index)
        apply(model, data, state)
        mujoco.mj_forward(model, data)
        depth = -min([c.dist for c in data.contact], default=0)
        idle = data.nefc == 0 and index % 4 != 3
        rank = (max(depth, DEEPEST), idle)
        if rank < best_rank:
            best, best_rank = state, rank
        if rank == (DEEPEST, False):
            break
    return best


def apply(model, data, state):
    """Puts a state into MuJoCo's data, everything else as after a reset."""
    mujoco.mj_resetData(model, data)
    for field, value in state.items():
        getattr(data, field)[:] = np.reshape(value, getattr(data, field).shape)


def moved(state, size, rng):
    """The state with positions and velocities moved by about `size`."""
    other = dict(state)
    for field in ("qpos", "qvel"):
        other[field] = state[field] + size * rng.standard_normal(state[field].shape)
    return other


def draw(model, data, rng, index):
    """One state. Even indices stay near the base pose, odd ones roam the joints' ranges; every third one is at rest."""
    wide = index % 2 == 1
    poses = [model.qpos0] + [model.key_qpos[k] for k in range(model.nkey)]
    base = poses[index % len(poses)]
    qpos = joint_positions(model, base, rng, wide)
    qvel = np.zeros(model.nv) if index % 3 == 2 else velocities(model, rng, wide)
    if model.nkey and index % len(poses) and np.any(model.key_qvel[index % len(poses) - 1]):
        qvel += model.key_qvel[index % len(poses) - 1]
    state = {"qpos": exact(qpos), "qvel": exact(qvel), "ctrl": exact(controls(model, rng, 1, 1.2)[0])}
    pushed = index % 4 in (1, 2)
    weight = model.body_mass[1:].sum() * 9.81
    state["qfrc_applied"] = exact(rng.standard_normal(model.nv) * 0.05 * dof_scale(model) if pushed else np.zeros(model.nv))
    push = np.zeros((model.nbody, 6))
    if pushed:
        body = rng.integers(1, model.nbody)
        share = model.body_subtreemass[body] * 9.81 if model.body_subtreemass[body] else weight
        push[body] = rng.standard_normal(6) * share * np.array([0.3, 0.3, 0.3, 0.03, 0.03, 0.03])
    state["xfrc_applied"] = exact(push.ravel())
    state["qacc_warmstart"] = exact(rng.standard_normal(model.nv) if index % 5 == 4 else np.zeros(model.nv))
    if model.nmocap:
        place_mocap(model, state, rng)
    touch_the_ground(model, data, state, rng)
    return state


def exact(values):
    """Rounded to f32, so that both precisions start alike."""
    return np.asarray(values, np.float32).astype(np.float64)


def joint_positions(model, base, rng, wide):
    """Joint angles around `base`, or anywhere in their range and a little past it."""
    qpos = base.copy()
    for joint in range(model.njnt):
        adr, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
        low, high = model.jnt_range[joint]
        limited = model.jnt_limited[joint]
        if kind == FREE:
            qpos[adr : adr + 3] += rng.standard_normal(3) * (0.01 if not wide else 0.02)
            turn(qpos[adr + 3 : adr + 7], rng, 0.02 if not wide else 0.3)
        elif kind == BALL:
            widest = (high * 1.05 if limited else 1.5) * (1 if wide else 0.3)
            if limited and rng.random() < 0.4:
                qpos[adr : adr + 4] = model.qpos0[adr : adr + 4]
                turn_by(qpos[adr : adr + 4], rng, high * rng.uniform(0.97, 1.05))
            else:
                turn(qpos[adr : adr + 4], rng, widest / 2)
        elif limited:
            span = high - low
            chance = rng.random()
            if chance < 0.15:
                qpos[adr] = low - span * rng.uniform(-0.01, 0.02)
            elif chance < 0.3:
                qpos[adr] = high + span * rng.uniform(-0.01, 0.02)
            elif wide:
                qpos[adr] = rng.uniform(low, high)
            else:
                qpos[adr] = inside(qpos[adr] + span * 0.05 * rng.standard_normal(), low, high)
        elif kind == HINGE:
            qpos[adr] += rng.standard_normal() * (1.0 if wide else 0.05)
        else:
            qpos[adr] += rng.standard_normal() * (0.05 if wide else 0.01)
    return qpos


def inside(angle, low, high):
    """Reflected at the limits: exactly on a limit, rounding would decide whether it acts."""
    angle = low + abs(angle - low)
    return high - abs(high - angle)


def turn(quaternion, rng, size):
    turn_by(quaternion, rng, size * abs(rng.standard_normal()))


def turn_by(quaternion, rng, angle):
    """Turns a quaternion by `angle` about a random axis."""
    axis = rng.standard_normal(3)
    by, result = np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(by, axis / np.linalg.norm(axis), min(angle, 3.0))
    mujoco.mju_mulQuat(result, quaternion, by)
    quaternion[:] = result / np.linalg.norm(result)


def velocities(model, rng, wide):
    size = 1.0 if wide else 0.2
    return rng.standard_normal(model.nv) * size * np.where(linear_dofs(model), 0.5, 1.0)


def linear_dofs(model):
    """True for dofs in metres."""
    linear = np.zeros(model.nv, bool)
    for joint in range(model.njnt):
        adr = model.jnt_dofadr[joint]
        if model.jnt_type[joint] == FREE:
            linear[adr : adr + 3] = True
        elif model.jnt_type[joint] == SLIDE:
            linear[adr] = True
    return linear


def dof_scale(model):
    """The force that accelerates each dof by about 10 m/s2 or rad/s2."""
    return 10 / np.maximum(model.dof_invweight0, 1e-6)


def controls(model, rng, count, past):
    """Uniform in the control range, up to `past` times as wide; [-1, 1] where there is none."""
    limited = model.actuator_ctrllimited.astype(bool)
    low = np.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
    middle, half = (low + high) / 2, (high - low) / 2 * past
    return exact(middle + half * rng.uniform(-1, 1, (count, model.nu)))


def place_mocap(model, state, rng):
    bodies = np.flatnonzero(model.body_mocapid >= 0)
    order = model.body_mocapid[bodies]
    pos, quat = np.zeros((model.nmocap, 3)), np.zeros((model.nmocap, 4))
    pos[order] = model.body_pos[bodies] + 0.01 * rng.standard_normal((model.nmocap, 3))
    quat[order] = model.body_quat[bodies]
    for one in quat:
        turn(one, rng, 0.05)
    state["mocap_pos"], state["mocap_quat"] = exact(pos.ravel()), exact(quat.ravel())


def touch_the_ground(model, data, state, rng):
    """Moves what stands on nothing but may touch a plane up or down: most draws penetrate a little, some hover."""
    planes = [g for g in range(model.ngeom) if model.geom_type[g] == PLANE and model.body_weldid[model.geom_bodyid[g]] == 0]
    lifts = [j for j in range(model.njnt) if lifts_a_tree(model, j)]
    if not planes or not lifts:
        return
    apply(model, data, state)
    mujoco.mj_forward(model, data)
    plane = planes[0]
    normal = data.geom_xmat[plane].reshape(3, 3)[:, 2]
    for joint in lifts:
        root = model.jnt_bodyid[joint]
        geoms = [
            g
            for g in range(model.ngeom)
            if model.body_rootid[model.geom_bodyid[g]] == root
            and (model.geom_contype[g] & model.geom_conaffinity[plane] or model.geom_contype[plane] & model.geom_conaffinity[g])
        ]
        heights = [height_above(model, data, g, data.geom_xpos[plane], normal) for g in geoms]
        if not heights or min(heights) > 1.5:
            continue  # hangs in the air on purpose
        above_others = any(plane not in c.geom and root in model.body_rootid[model.geom_bodyid[c.geom]] for c in data.contact)
        if above_others or rng.random() < 0.15 or (min(heights) > 0.1 and model.jnt_type[joint] == FREE and several_trees(model)):
            continue  # stands on something else, or stays as drawn
        up = rng.uniform(-0.008, 0.002) - min(heights)
        adr = model.jnt_qposadr[joint]
        if model.jnt_type[joint] == FREE:
            state["qpos"][adr : adr + 3] += up * normal
        else:
            state["qpos"][adr] += up / data.xaxis[joint][2]
    state["qpos"] = exact(state["qpos"])


def lifts_a_tree(model, joint):
    """True for free joints and vertical sliders without limits under the world."""
    body = model.jnt_bodyid[joint]
    if model.body_parentid[body] != 0:
        return False
    vertical = model.jnt_type[joint] == SLIDE and not model.jnt_limited[joint] and abs(model.jnt_axis[joint][2]) > 0.9
    return model.jnt_type[joint] == FREE or vertical


def several_trees(model):
    return np.count_nonzero(model.body_parentid[1:] == 0) > 3


def height_above(model, data, geom, origin, normal):
    """Distance of a geom's lowest point from a plane."""
    size = model.geom_size[geom]
    direction = data.geom_xmat[geom].reshape(3, 3).T @ normal
    reach = {
        SPHERE: lambda: size[0],
        CAPSULE: lambda: size[0] + size[1] * abs(direction[2]),
        ELLIPSOID: lambda: np.linalg.norm(size * direction),
        CYLINDER: lambda: size[0] * np.hypot(*direction[:2]) + size[1] * abs(direction[2]),
        BOX: lambda: size @ np.abs(direction),
    }.get(model.geom_type[geom], lambda: 0.0)()
    return normal @ (data.geom_xpos[geom] - origin) - reach
