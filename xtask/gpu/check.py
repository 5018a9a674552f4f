#!/usr/bin/env python3
"""Checks and times Phalanx on a machine with a GPU and no Rust, from binaries that were carried there.

    python3 check.py BUNDLE OUT [--quick] [--only hashes,first,counts,sanitizers,speed]

BUNDLE is what `cargo xtask gpu` packs: the stripped binary and the models. OUT receives speed.csv, log.txt and the sanitizers'
reports. Exits with 1 if any hash differs, a sanitizer finds anything, or a run has a fault.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

MODELS = ["cartpole", "ant", "humanoid", "quadruped", "arm_cube", "three_humanoids"]
HEAPS = ["tower_12", "boxes_30", "spheres_100"]  # matrices that contacts couple: so many environments as the CPU steps quickly
ODD_COUNTS = [1, 2, 31, 8169, 8170, 8181, 65536]
SCENES = {  # name in the table: model file, options
    "humanoid": ("humanoid_mujoco.xml", ["--keyframe", "0", "--controls", "zero"]),
    "three_humanoids": ("three_humanoids.xml", ["--controls", "zero"]),
    "g1_flat": ("g1_flat.xml", ["--keyframe", "0"]),
    "go1": ("go1.xml", ["--controls", "zero"]),
    "ant": ("ant_euler.xml", ["--controls", "random"]),
    "half_cheetah": ("gym_half_cheetah.xml", ["--controls", "random"]),
    "tower_12": ("tower_12.xml", []),
    "boxes_30": ("boxes_30.xml", []),
    "spheres_100": ("spheres_100.xml", []),
}
LARGEST = {"tower_12": 8192, "boxes_30": 2048, "spheres_100": 2048}  # more environments of these would take minutes
LONG_RUNS = "state_hashes_of_10000_steps.csv"  # beside the models: what every device must end in
COUNTS = [1, 1024, 8192, 65536]
STEPS = {1: 500, 1024: 500, 8192: 500, 65536: 100}


class Bundle:
    def __init__(self, folder, out):
        self.folder, self.out, self.failures = folder, out, 0
        self.log = open(os.path.join(out, "log.txt"), "w")

    def say(self, text):
        print(text, flush=True)
        print(text, file=self.log, flush=True)

    def fail(self, text):
        self.failures += 1
        self.say("FAIL " + text)

    def model(self, name):
        return os.path.join(self.folder, "models", name)

    def run(self, model, envs, steps, *options, wrap=(), timeout=240, wait=True, environment=None):
        command = [*wrap, os.path.join(self.folder, "phalanx"), "run", self.model(model), "--envs", str(envs), "--steps", str(steps),
                   "--json", *(["--wait-compile"] if wait else []), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
        if done.returncode != 0:
            self.say(f"  {' '.join(command)}\n  exit {done.returncode}: {done.stderr[-1500:]} {done.stdout[-500:]}")
            return None, done
        line = [l for l in done.stdout.splitlines() if l.startswith("{")]
        return json.loads(line[-1]), done


def hashes(bundle, model, envs, steps, *options):
    path = os.path.join(bundle.out, "hashes.tmp")
    result, _ = bundle.run(model, envs, steps, "--controls", "random", "--hashes", path, *options)
    return open(path).read() if result else None


def check_first_steps(bundle, models):
    """A model that is not in the cache: where the generic kernel is, it steps first, then the specialised one takes over; with an
    empty cache the batch waits for its own kernels."""
    with tempfile.TemporaryDirectory() as cache:
        empty = {**os.environ, "PHALANX_CACHE_DIR": cache}
        found, _ = bundle.run("cartpole.xml", 1, 1, "--device", "cuda:0", wait=False, environment=empty)
        if not found or found["generic_calls"]:
            bundle.fail("cartpole: the generic kernel was compiled before the model's own")
        else:
            bundle.say(f"first step of all: waited {found['compile_seconds']:.2f} s")
    with tempfile.TemporaryDirectory() as cache:
        fresh = {**os.environ, "PHALANX_CACHE_DIR": cache}
        bundle.run("cartpole.xml", 1, 1, "--device", "cuda:0", "--generic-only", environment=fresh)  # one for all models
        for name in (name for name in models if name != "cartpole" and os.path.exists(bundle.model(name + ".xml"))):
            # Long enough that the compiler is done before the run; once with more environments than are stepped at once.
            envs, steps = (10000, 3000) if name == "ant" else (64, 20000)
            options = ["--controls", "random", "--device"]
            found, _ = bundle.run(name + ".xml", envs, steps, *options, "cuda:0", wait=False, environment=fresh)
            expected, _ = bundle.run(name + ".xml", envs, steps, *options, "cpu")
            if not found or not expected or found["state_hash"] != expected["state_hash"]:
                bundle.fail(f"{name}: the first steps differ from the CPU's")
            elif not found["generic_calls"]:
                bundle.fail(f"{name}: no step was the generic kernel's")
            else:
                bundle.say(f"first steps {name}: {found['generic_calls']} calls generic, {found['specialised_calls']} specialised, "
                           f"waited {found['compile_seconds']:.2f} s")


def check_hashes(bundle, quick, models):
    for name in models:
        model = name + ".xml"
        if not os.path.exists(bundle.model(model)):
            bundle.say(f"hashes {name}: no such model in the bundle, skipped")
            continue
        runs = [(1, 200), (7, 200), (1000, 60)] + ([] if quick else [(8192, 30)])
        for envs, steps in [(7, 150), (64, 100)] if name in HEAPS else runs:
            expected = hashes(bundle, model, envs, steps, "--device", "cpu")
            variants = [("plan", []), ("learning", ["--fast-contacts", "1"]), ("retries", ["--fast-contacts", "1", "--no-learn"])]
            if envs == 7:
                lanes = (8, 32) if quick else (1, 2, 4, 8, 16, 32)
                variants += [(f"{t} lanes", ["--lanes", str(t)]) for t in lanes]
                variants += [("generic", ["--generic-only"]), ("8 lanes, retries", ["--lanes", "8", "--fast-contacts", "1", "--no-learn"])]
            for label, options in variants:
                found = hashes(bundle, model, envs, steps, "--device", "cuda:0", *options)
                if expected is None or found != expected:
                    bundle.fail(f"{name} {envs} environments, {label}: hashes differ from the CPU's")
            bundle.say(f"hashes {name} {envs}: {len(variants)} variants compared")


def check_long_runs(bundle, models):
    """The committed hashes of long runs, from the first keyframe under random controls; one process for each model."""
    with open(os.path.join(bundle.folder, LONG_RUNS), newline="") as file:
        rows = list(csv.DictReader(file))
    for name in dict.fromkeys(row["model"] for row in rows if row["model"] in models):
        expected = [row for row in rows if row["model"] == name]
        steps, seed = int(expected[0]["steps"]), expected[0]["seed"]
        options = ["--keyframe", "0", "--seed", seed, "--device", "cuda:0"]
        found = hashes(bundle, name + ".xml", len(expected), steps, *options)
        if found is None or found.split() != [row["hash"] for row in expected]:
            bundle.fail(f"{name}: {steps} steps end in other hashes than the committed ones")
        else:
            bundle.say(f"hashes {name} after {steps} steps: {len(expected)} as committed")


def check_counts(bundle):
    for name in ("ant", "humanoid"):
        for envs in ODD_COUNTS:
            result, _ = bundle.run(name + ".xml", envs, 5, "--controls", "random", "--device", "cuda:0")
            if result is None or result["faults"]["not_finite"]:
                bundle.fail(f"{name} with {envs} environments")
        bundle.say(f"counts {name}: {ODD_COUNTS}")


def check_sanitizers(bundle):
    for tool in ("memcheck", "racecheck"):
        for name, steps in (("ant", 3), ("humanoid", 3), ("tower_12", 12)):
            for options in ([], ["--fast-contacts", "1"]):
                wrap = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "77", "--print-limit", "20"]
                result, done = bundle.run(name + ".xml", 33, steps, "--controls", "random", "--device", "cuda:0", *options, wrap=wrap)
                tail = [l for l in (done.stdout + done.stderr).splitlines() if "SUMMARY" in l or "=====" in l][-1:]
                if done.returncode != 0:
                    bundle.fail(f"{tool} {name} {options}")
                    bundle.say((done.stdout + done.stderr)[-3000:])
                bundle.say(f"{tool} {name} {' '.join(options)}: {' '.join(tail)}")


def time_scenes(bundle, scenes, counts):
    rows = []
    for scene in scenes:
        model, options = SCENES[scene]
        for envs in (envs for envs in counts if envs <= LARGEST.get(scene, envs)):
            steps = STEPS.get(envs, 50)
            result, _ = bundle.run(model, envs, steps, "--device", "cuda:0", *options)
            if result is None:
                bundle.fail(f"{scene} at {envs}")
                continue
            if result["faults"]["not_finite"]:
                bundle.fail(f"{scene} at {envs}: {result['faults']['not_finite']} environments are not finite")
            row = {"scene": scene, "envs": envs, "steps": steps, "steps_per_second": round(result["env_steps_per_second"]),
                   "compile_seconds": round(result["compile_seconds"], 2), "contacts": round(result["contacts_mean"], 2),
                   "rows": round(result["rows_mean"], 2), "iterations": round(result["solver_iterations_mean"], 3),
                   "retried": result["faults"]["retried"], "not_converged": result["faults"]["not_converged"]}
            profile, _ = bundle.run(model, envs, min(steps, 50), "--device", "cuda:0", "--profile", *options)
            if profile and profile.get("stage_seconds"):
                total = sum(profile["stage_seconds"].values()) or 1
                row.update({f"{k}_share": round(v / total, 4) for k, v in profile["stage_seconds"].items()})
            rows.append(row)
            bundle.say("  ".join(f"{k} {v}" for k, v in row.items() if not k.endswith("_share")))
    if rows:
        keys = list(dict.fromkeys(k for row in rows for k in row))
        with open(os.path.join(bundle.out, "speed.csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, keys)
            writer.writeheader()
            writer.writerows(rows)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bundle")
    arguments.add_argument("out")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--only", default="hashes,first,counts,sanitizers,speed")
    arguments.add_argument("--models", default=",".join(MODELS + HEAPS))
    arguments.add_argument("--scenes", default=",".join(SCENES))
    arguments.add_argument("--counts", default=",".join(map(str, COUNTS)))
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    bundle = Bundle(options.bundle, options.out)
    started = time.time()
    for part in options.only.split(","):
        if part == "hashes":
            check_hashes(bundle, options.quick, options.models.split(","))
            check_long_runs(bundle, options.models.split(","))
        if part == "first":
            models = [name for name in options.models.split(",") if name not in HEAPS]
            check_first_steps(bundle, models[:2] if options.quick else models)
        if part == "counts":
            check_counts(bundle)
        if part == "sanitizers":
            check_sanitizers(bundle)
        if part == "speed":
            time_scenes(bundle, options.scenes.split(","), [int(n) for n in options.counts.split(",")])
        bundle.say(f"{part} done after {time.time() - started:.0f} s")
    bundle.say(f"{bundle.failures} failures")
    sys.exit(1 if bundle.failures else 0)


if __name__ == "__main__":
    main()
