#!/usr/bin/env python3
"""Times Phalanx against MuJoCo C on one core each, on the same models, starts and controls, in one run.

    python3 benchmarks/cpu_against_mujoco.py [--binary PATH] [--models a.xml,b.xml] [--steps N]

MuJoCo steps on one thread through `rollout` (its own loop in C, double, which also copies every state out); Phalanx steps on
one thread in float. Both get the same uniform random controls, drawn here, and 16 environments that start alike; the best of
three runs of each counts. Each solves to its own default tolerance: the model's, and in float no less than 1e-6.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import mujoco
import mujoco.rollout
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVS, REPEATS = 16, 3


def controls_for(model, steps, generator):
    limited = model.actuator_ctrllimited.astype(bool)
    low = numpy.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
    high = numpy.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
    return generator.uniform(low, high, (steps, ENVS, model.nu)).astype(numpy.float32)


def time_mujoco(model, controls):
    data = mujoco.MjData(model)
    initial = numpy.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, initial, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    control = numpy.ascontiguousarray(controls.transpose(1, 0, 2).astype(numpy.float64))
    best = 0.0
    with mujoco.rollout.Rollout(nthread=0) as rollout:
        for _ in range(REPEATS):
            started = time.perf_counter()
            rollout.rollout(model, data, numpy.tile(initial, (ENVS, 1)), control)
            best = max(best, controls.shape[0] * ENVS / (time.perf_counter() - started))
    return best


def time_phalanx(binary, path, controls, folder):
    file = os.path.join(folder, "controls.npy")
    numpy.save(file, controls)
    best = {}
    for _ in range(REPEATS):
        command = [binary, "run", path, "--envs", str(ENVS), "--steps", str(controls.shape[0]), "--controls", file, "--device", "cpu",
                   "--threads", "1", "--json"]
        result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        if result["env_steps_per_second"] > best.get("env_steps_per_second", 0):
            best = result
    return best


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=os.path.join(ROOT, "target/release/phalanx"))
    names = ["ant", "humanoid", "quadruped", "arm_cube", "cartpole"]
    arguments.add_argument("--models", default=",".join(os.path.join(ROOT, "assets", n + ".xml") for n in names))
    arguments.add_argument("--steps", type=int, default=500)
    options = arguments.parse_args()
    print(f"{'model':28} {'MuJoCo C':>12} {'Phalanx':>12} {'ratio':>7}  contacts  rows  iterations  faults")
    with tempfile.TemporaryDirectory() as folder:
        for path in options.models.split(","):
            model = mujoco.MjModel.from_xml_path(path)
            controls = controls_for(model, options.steps, numpy.random.default_rng(0))
            theirs, ours = time_mujoco(model, controls), time_phalanx(options.binary, path, controls, folder)
            speed = ours["env_steps_per_second"]
            print(f"{os.path.basename(path):28} {theirs:12.0f} {speed:12.0f} {speed / theirs:7.2f}  {ours['contacts_mean']:8.2f} "
                  f"{ours['rows_mean']:5.1f}  {ours['solver_iterations_mean']:10.2f}  {ours['faults']['not_finite']}", flush=True)


if __name__ == "__main__":
    main()
