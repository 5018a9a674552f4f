"""Which models are compared with MuJoCo: gymnasium's 14, ../shared/models, our assets, and the small ones of this folder."""

import os
import pathlib

import gymnasium
import mujoco

ROOT = pathlib.Path(__file__).resolve().parents[2]
GYMNASIUM = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"
SHARED = pathlib.Path(os.environ.get("PHALANX_MODELS", ROOT.parent / "shared/models"))
# What Phalanx does not read yet: it must say so, and once it reads them they are compared.
REFUSED = {
    "shared/g1_hfield": "height fields",
}
# Contact rows with regularizers 1e11 times apart: double precision holds accelerations to about 1e-4; trajectories and float
# must be finite.
ILL_CONDITIONED = {"single/zero_friction": 1e-4}

# The same on both sides, whatever the XML says: docs/comparison.md.
TOLERANCE = 1e-12
ITERATIONS = 100
LS_ITERATIONS = 50
# MuJoCo's general convex routine stops at 1e-6 m, which leaves 1e-3 in the normal of a round shape; further on it agrees with
# ours.
CCD_TOLERANCE = 1e-12
CCD_ITERATIONS = 500


def all_models():
    """Name -> path, in the order of the report. A missing folder is said and skipped."""
    folders = [
        ("gym", GYMNASIUM, True),
        ("shared", SHARED, False),
        ("assets", ROOT / "assets", True),
        ("single", pathlib.Path(__file__).parent / "single_models", True),
    ]
    found = {}
    for prefix, folder, required in folders:
        paths = sorted(folder.glob("*.xml"))
        if not paths and required:
            raise SystemExit(f"no models in {folder}")
        if not paths:
            print(f"skipped: no models in {folder} (set PHALANX_MODELS to the folder that has them)")
        for path in paths:
            name = f"{prefix}/{path.stem}"
            found[name] = path
    return found


def chosen(names):
    """The models whose name is one of `names` (with or without its folder), or all."""
    models = all_models()
    if not names:
        return models
    picked = {}
    for wanted in names:
        hits = {n: p for n, p in models.items() if wanted in (n, n.split("/")[1], n.split("/")[0])}
        if not hits:
            raise SystemExit(f"no model {wanted!r}; known: {', '.join(models)}")
        picked.update(hits)
    return picked


def load(path):
    """MuJoCo's model with the settings of an oracle run."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    model.opt.tolerance = TOLERANCE
    model.opt.iterations = ITERATIONS
    model.opt.ls_iterations = LS_ITERATIONS
    model.opt.ccd_tolerance = CCD_TOLERANCE
    model.opt.ccd_iterations = CCD_ITERATIONS
    # A NaN must be seen, not reset.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return model
