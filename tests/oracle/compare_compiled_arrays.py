#!/usr/bin/env python3
"""Compares every compiled array that physics reads with MuJoCo's own compiler.

    tests/oracle/compare_compiled_arrays.py [MODEL.xml ...]

Without arguments: the MJCF models of gymnasium, the models in ../shared/models (skipped with a message when absent), and
the small models in crates/model/tests/models. Exits with 1 if an array differs, a model fails to load, or MuJoCo has an
array that is neither compared nor listed below as left out.

Tolerances: relative 1e-10 of the largest number of the array (both sides compute in f64 from the same decimals); inertia
and its frame are compared as one 3x3 tensor, since equal moments leave the axes free; single-precision fields to 1e-6.
"""

import json
import pathlib
import subprocess
import sys

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELATIVE = 1e-10
SINGLE = 1e-6

# Arrays that Phalanx does not have, and why physics of the supported models does not read them.
LEFT_OUT = {
    "bvh_": "bounding volume tree: a search structure",
    "oct_": "octrees of meshes",
    "mesh_": "meshes do not collide",
    "hfield_": "height fields are refused",
    "flex": "flexes are refused",
    "skin_": "drawing",
    "tex_": "drawing",
    "mat_": "drawing",
    "eq_": "equality constraints are refused",
    "tendon_": "tendons that act are refused",
    "ten_": "tendons that act are refused",
    "wrap_": "tendons that act are refused",
    "sensor_": "set aside",
    "numeric_": "custom data",
    "text_": "custom data",
    "tuple_": "custom data",
    "plugin": "plugins are refused",
    "name": "names are compared as strings",
    "paths": "names of asset files",
    "efm": "refused solvers' structures",
    "tree_": "follows from body_treeid and dof_treeid",
    "B_": "sparsity, follows from the tree",
    "M_": "sparsity, follows from the tree",
    "D_": "sparsity, follows from the tree",
    "map": "sparsity, follows from the tree",
    "dof_Madr": "sparsity, follows from the tree",
    "dof_length": "sleeping is refused",
    "body_plugin": "plugins are refused",
    "body_bvh": "bounding volume tree: a search structure",
    "geom_plugin": "plugins are refused",
    "geom_dataid": "meshes do not collide",
    "geom_matid": "drawing",
    "geom_castshadow": "drawing",
    "geom_surfacevel": "refused unless 0",
    "geom_adhesion": "refused unless 0",
    "pair_adhesion": "refused unless 0",
    "site_dataid": "drawing",
    "site_matid": "drawing",
    "cam_": "drawing (those that Phalanx has are compared)",
    "light_": "drawing (those that Phalanx has are compared)",
    "jnt_actuatorid": "actuator damping and armature are refused",
    "jnt_plasticadr": "plastic springs are refused",
    "key_plastic": "plastic springs are refused",
    "actuator_plugin": "plugins are refused",
    "actuator_cranklength": "slider-cranks are refused",
    "actuator_act": "activation dynamics are refused",
    "actuator_history": "delays are refused",
    "actuator_delay": "delays are refused",
    "actuator_dampingpoly": "refused unless 0",
}
# The sign of a quaternion means nothing where it is not a coordinate.
SIGN_FREE = {"body_quat", "geom_quat", "site_quat", "cam_quat"}
TENSORS = {"body_inertia", "body_iquat"}
# Follow from body_iquat, whose axes are free when moments are equal; they only allow shortcuts.
FROM_AXES = {"body_sameframe", "geom_sameframe", "site_sameframe"}


def tensors(inertia, quat):
    out = np.zeros((len(inertia), 3, 3))
    for i in range(len(inertia)):
        mat = np.zeros(9)
        mujoco.mju_quat2Mat(mat, quat[i])
        mat = mat.reshape(3, 3)
        out[i] = mat @ np.diag(inertia[i]) @ mat.T
    return out


def error(ours, theirs):
    """Largest difference relative to the largest number; absolute where that is below 1e-6."""
    if ours.shape != theirs.shape:
        return np.inf
    if theirs.size == 0:
        return 0.0
    return np.max(np.abs(ours - theirs)) / max(np.max(np.abs(theirs)), 1e-6)


def row_error(ours, theirs):
    """Largest `error` over the rows: a small body is not hidden by a large one."""
    if ours.shape != theirs.shape:
        return np.inf
    return max((error(np.atleast_1d(a), np.atleast_1d(b)) for a, b in zip(ours, theirs)), default=0.0)


def dump(path):
    command = ["cargo", "run", "-q", "-p", "phalanx-model", "--example", "dump_arrays", "--", str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip().splitlines()[-1])
    return json.loads(run.stdout)


def compare(path):
    """Returns the number of compared arrays, the worst error with its array, and a list of failures."""
    m = mujoco.MjModel.from_xml_path(str(path))
    ours = dump(path)
    failures, worst, count = [], (0.0, "-"), 0

    def judge(name, err, tolerance):
        nonlocal worst, count
        count += 1
        if err > worst[0]:
            worst = (err, name)
        if not err <= tolerance:
            failures.append(f"{name}: error {err:.3g} above {tolerance:g}")

    for name, value in ours.items():
        if isinstance(value, dict):
            theirs = np.asarray(getattr(m, name))
            mine = np.array(value["data"], dtype=float).reshape(value["shape"])
            single = theirs.dtype == np.float32
            if single:
                mine = mine.astype(np.float32).astype(float)
            theirs = theirs.astype(float)
            if name in TENSORS:
                continue
            if name in FROM_AXES and not np.allclose(np.abs(np.array(ours["body_iquat"]["data"])), np.abs(m.body_iquat.ravel()), atol=1e-6):
                continue
            if name in SIGN_FREE and mine.shape == theirs.shape:
                mine = mine * np.where(np.sum(mine * theirs, axis=1, keepdims=True) < 0, -1, 1)
            judge(name, row_error(mine, theirs), SINGLE if single else RELATIVE)
        elif name.startswith("names_"):
            kind = name.removeprefix("names_")
            ids = {"jnt": "joint", "cam": "camera"}.get(kind, kind)
            total = m.nactuator if kind == "actuator" else getattr(m, "n" + kind)
            theirs = [getattr(m, ids)(i).name for i in range(total)]
            judge(name, 0.0 if theirs == value else np.inf, 0.0)
        elif name.startswith(("opt_", "stat_")):
            group, field = name.split("_", 1)
            theirs = np.atleast_1d(np.asarray(getattr(getattr(m, group), field), dtype=float))
            judge(name, error(np.array(value, dtype=float), theirs), RELATIVE)
        else:
            judge(name, 0.0 if getattr(m, name) == value else np.inf, 0.0)

    shape = ours["body_inertia"]["shape"]
    mine = tensors(
        np.array(ours["body_inertia"]["data"], dtype=float).reshape(shape),
        np.array(ours["body_iquat"]["data"], dtype=float).reshape(shape[0], 4),
    )
    judge("body_inertia in body axes", row_error(mine, tensors(m.body_inertia, m.body_iquat)), RELATIVE)

    for name in dir(m):
        if isinstance(getattr(m, name), np.ndarray) and name not in ours and not name.endswith("_user") and name[0] != "_":
            if not any(name.startswith(prefix) for prefix in LEFT_OUT):
                failures.append(f"{name}: MuJoCo has it, Phalanx neither has it nor lists it as left out")
    return count, worst, failures


def models():
    import gymnasium

    found = sorted((pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets").glob("*.xml"))
    shared = ROOT.parent / "shared/models"
    if shared.is_dir():
        found += [p for p in sorted(shared.glob("*.xml")) if p.name != "g1_hfield.xml"]
    else:
        print(f"skipped: {shared} is not there")
    return found + sorted((ROOT / "crates/model/tests/models").glob("*.xml"))


def main():
    paths = [pathlib.Path(p) for p in sys.argv[1:]] or models()
    print(f"MuJoCo {mujoco.__version__}, tolerance {RELATIVE:g} ({SINGLE:g} in single precision)")
    print(f"{'model':32} {'arrays':>6} {'worst error':>12}  in")
    failed = 0
    for path in paths:
        try:
            count, (err, where), failures = compare(path)
            print(f"{path.name:32} {count:6} {err:12.3g}  {where}")
        except Exception as problem:  # the table goes on with the next model
            failures = [str(problem)]
            print(f"{path.name:32} failed")
        for failure in failures:
            print(f"    {failure}")
        failed += bool(failures)
    print(f"{len(paths) - failed} of {len(paths)} models agree")
    print("left out:", "; ".join(sorted({f"{k}* ({v})" for k, v in LEFT_OUT.items()})))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
