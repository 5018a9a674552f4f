"""A scene of the benchmark: its model's file, where environments start, what controls they get and what must hold at the end."""
import importlib.util
import pathlib
import tomllib

import mujoco
import numpy

from harness.random_controls import random_controls

FOLDER = pathlib.Path(__file__).resolve().parent.parent
INTEGRATORS = {"Euler": mujoco.mjtIntegrator.mjINT_EULER, "RK4": mujoco.mjtIntegrator.mjINT_RK4,
               "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}


class SceneError(Exception):
    """A scene cannot be used; the text says why and what to do."""


def scene_names():
    """Every folder beside compare.py that holds a scene.toml."""
    order = ["humanoid", "three_humanoids", "g1_flat", "go1", "ant", "half_cheetah", "tower_12", "boxes_30", "spheres_100"]
    found = sorted(path.parent.name for path in FOLDER.glob("*/scene.toml"))
    return [name for name in order if name in found] + [name for name in found if name not in order]


class Scene:
    """A scene with its model compiled by MuJoCo; `path` is the file that every engine reads."""

    def __init__(self, name, path, settings):
        self.name, self.path, self.settings = name, path, settings
        self.model = mujoco.MjModel.from_xml_path(str(path))
        option = self.model.opt
        if option.cone != mujoco.mjtCone.mjCONE_PYRAMIDAL or option.solver != mujoco.mjtSolver.mjSOL_NEWTON:
            raise SceneError(f"{path}: the engines are compared with pyramidal cones and the Newton solver only")

    @property
    def counts(self):
        return self.settings["run"]["counts"]

    @property
    def steps(self):
        return self.settings["run"]["steps"]

    @property
    def check(self):
        return self.settings["check"]

    @property
    def has_random_controls(self):
        return self.settings["controls"]["kind"] == "random"

    def start(self, envs):
        """Where environments start: qpos (nq), qvel (envs, nv), ctrl (nu). The first k are the same for any number of them."""
        data = mujoco.MjData(self.model)
        keyframe = self.settings["start"].get("keyframe")
        if keyframe is not None:
            mujoco.mj_resetDataKeyframe(self.model, data, keyframe)
        ctrl = data.ctrl.copy() if self.settings["controls"]["kind"] == "keyframe" else numpy.zeros(self.model.nu)
        noise = self.settings["start"]["velocity_noise"]
        drawn = numpy.random.default_rng(0).uniform(-noise, noise, (envs, self.model.nv))
        return data.qpos.astype(numpy.float32), (data.qvel + drawn).astype(numpy.float32), ctrl.astype(numpy.float32)

    def controls(self, steps, envs):
        """The controls of every step, (steps, envs, nu), which random ones replay exactly."""
        if self.has_random_controls:
            return random_controls(self.model, steps, envs)
        return numpy.broadcast_to(self.start(1)[2], (steps, envs, self.model.nu))

    def heights(self, qpos):
        """The height that is checked, of every environment of qpos (envs, nq); None if the scene names none."""
        index = self.check.get("height")
        return None if index is None else qpos[:, index]


def load_scene(name, models, work):
    """Reads benchmarks/<name>/scene.toml and finds its model: in the folder `models` (or None), beside the scene, in a package."""
    settings = tomllib.loads((FOLDER / name / "scene.toml").read_text())
    model = settings["model"]
    folders = ([models] if models else []) + [FOLDER / name]
    candidates = [pathlib.Path(folder, file) for folder in folders for file in model["files"]]
    candidates += package_file(model.get("package"))
    for path in candidates:
        if path.exists() and mujoco.MjSpec.from_file(str(path)).modelname in model["names"]:
            return checked(Scene(name, edited(path, model.get("replace", []), work), settings), model)
    where = f"{model['files'][0]} in a folder given by --models"
    if "package" in model:
        where += f", or pip install {model['package'][0].replace('_', '-')}"
    raise SceneError(f"{name}: its model is not here; it needs {where}")


def scene_of_file(path):
    """A scene of any model: random controls from its reference pose, no height to check."""
    path = pathlib.Path(path)
    settings = {"start": {"velocity_noise": 0.0}, "controls": {"kind": "random"}, "run": {"counts": [1, 1024, 8192], "steps": 500},
                "peer": {}, "check": {}}
    return Scene(path.stem, path, settings)


def package_file(package):
    """The file of a Python package, without importing it; none if it is not installed."""
    spec = importlib.util.find_spec(package[0]) if package else None
    return [pathlib.Path(spec.submodule_search_locations[0], package[1])] if spec else []


def edited(path, replacements, work):
    """The file itself, or a copy in the folder `work` with the replacements that apply."""
    text = new = path.read_text()
    for old, replacement in replacements:
        new = new.replace(old, replacement)
    if new == text:
        return path
    copy = pathlib.Path(work, path.parent.name + "_" + path.name)
    copy.write_text(new)
    return copy


def checked(scene, model):
    """The scene, if its model integrates as it should."""
    option = scene.model.opt
    if option.integrator != INTEGRATORS[model["integrator"]] or option.timestep != model["timestep"]:
        raise SceneError(f"{scene.path}: the scene wants {model['integrator']} and steps of {model['timestep']} s")
    return scene
