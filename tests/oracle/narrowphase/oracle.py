"""MuJoCo's and Phalanx's narrow phases as functions of the same arguments.

MuJoCo's is called through its public table mjCOLLISIONFUNC, on a model with two geoms of every type whose sizes and world
poses are overwritten for each call. `frames_of_scene` runs all of mj_collision, for the contact frames.
"""

import ctypes
import pathlib
import subprocess
import tempfile

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TYPES = ["plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"]
MUJOCO_TYPE = {t: int(getattr(mujoco.mjtGeom, "mjGEOM_" + t.upper())) for t in TYPES}
LIMIT = 50  # mjMAXCONPAIR


class PreContact(ctypes.Structure):
    _fields_ = [("dist", ctypes.c_double)] + [(n, ctypes.c_double * 3) for n in ("pos", "normal", "tangent")]


class Pose:
    """One placed shape: position, matrix (columns are its axes) and geom_size."""

    def __init__(self, pos, mat, size):
        self.pos, self.mat, self.size = (np.array(x, dtype=np.float64) for x in (pos, mat, size))

    def flat(self):
        return np.concatenate([self.pos, self.mat.ravel(), self.size])

    def moved(self, rng, amount):
        w = rng.normal(size=3) * amount
        turn = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return Pose(self.pos + rng.normal(size=3) * amount, self.mat + turn @ self.mat, self.size)


class MuJoCo:
    def __init__(self):
        size = {"plane": "5 5 1"}
        bodies = "".join(
            f'<body name="{t}{i}" mocap="true"><geom name="{t}{i}" type="{t}" size="{size.get(t, "1 1 1")}"/></body>'
            for t in TYPES
            for i in (1, 2)
        )
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        libraries = [str(p) for p in pathlib.Path(mujoco.__file__).parent.glob("libmujoco*")]
        lib = ctypes.CDLL(libraries[0])
        signature = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(PreContact), ctypes.c_int, ctypes.c_int, ctypes.c_double
        )
        count = int(mujoco.mjtGeom.mjGEOM_SDF) + 1
        table = (ctypes.c_void_p * (count * count)).in_dll(lib, "mjCOLLISIONFUNC")
        self.functions = {}
        for a in TYPES:
            for b in TYPES:
                address = table[MUJOCO_TYPE[a] * count + MUJOCO_TYPE[b]]
                if address:
                    self.functions[a, b] = signature(address)
        self.ids = {t + str(i): self.model.geom(t + str(i)).id for t in TYPES for i in (1, 2)}
        self.buffer = (PreContact * LIMIT)()
        self.xpos, self.xmat, self.size = self.data.geom_xpos, self.data.geom_xmat, self.model.geom_size
        self.addresses = self.model._address, self.data._address

    def accuracy(self, converged):
        """MuJoCo's default accuracy of convex pairs, or as good as it gets."""
        self.model.opt.ccd_tolerance = 1e-12 if converged else 1e-6
        self.model.opt.ccd_iterations = 400 if converged else 35

    def several(self, wanted):
        """Whether convex pairs may have several contacts (the default)."""
        self.model.opt.disableflags = 0 if wanted else int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)

    def collide(self, a, b, pose1, pose2, margin):
        """Rows of dist, pos, normal, tangent."""
        i, j = self.ids[a + "1"], self.ids[b + "2"]
        for k, pose in ((i, pose1), (j, pose2)):
            self.xpos[k], self.xmat[k], self.size[k] = pose.pos, pose.mat.ravel(), pose.size
        n = self.functions[a, b](*self.addresses, self.buffer, i, j, margin)
        return np.frombuffer(self.buffer, dtype=np.float64, count=n * 10).reshape(n, 10).copy()


def frames_of_scene(a, b, pose1, pose2, margin):
    """Rows of dist, pos and frame from a scene with two bodies, through the whole of mj_collision."""
    body = '<body pos="{}" quat="{}">{}<geom type="{}" size="{}" margin="{}"/></body>'
    parts = []
    for t, pose, gap, joint in ((a, pose1, margin, ""), (b, pose2, 0, "" if b == "plane" else "<freejoint/>")):
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, pose.mat.ravel())
        text = [" ".join(f"{x:.17g}" for x in v) for v in (pose.pos, quat, pose.size)]
        parts.append(body.format(text[0], text[1], joint, t, text[2], f"{gap:.17g}"))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{''.join(parts)}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    placed = [Pose(data.geom_xpos[i], data.geom_xmat[i].reshape(3, 3), model.geom_size[i]) for i in (0, 1)]
    rows = [np.concatenate([[c.dist], c.pos, c.frame]) for c in data.contact]
    return placed, np.array(rows).reshape(len(rows), 13)


class Phalanx:
    def __init__(self, precision="f64"):
        self.folder = tempfile.TemporaryDirectory()
        library = pathlib.Path(self.folder.name) / "narrowphase.so"
        flags = ["-DPHALANX_F64"] if precision == "f64" else []
        command = ["g++", "-O2", "-std=c++17", "-ffp-contract=off", "-mfma", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*command, *flags, "-I", ROOT / "kernels", HERE / "shim.cpp", "-o", library], check=True)
        self.function = ctypes.CDLL(str(library)).collide
        doubles = ctypes.POINTER(ctypes.c_double)
        self.function.argtypes = [ctypes.c_char_p, doubles, doubles, ctypes.c_double, doubles]
        self.out = np.zeros((LIMIT, 19))

    def collide(self, a, b, pose1, pose2, margin):
        """Rows of dist, pos, normal, tangent, frame."""
        doubles = ctypes.POINTER(ctypes.c_double)
        one, two = pose1.flat(), pose2.flat()
        pointers = (x.ctypes.data_as(doubles) for x in (one, two))
        n = self.function(f"{a}_{b}".encode(), *pointers, margin, self.out.ctypes.data_as(doubles))
        if n < 0:
            raise KeyError(f"{a}_{b}")
        return self.out[:n].copy()
