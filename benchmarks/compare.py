#!/usr/bin/env python3
"""Checks and times Phalanx against MuJoCo Warp on a GPU, or against MuJoCo C on a CPU, side by side in one run.

    python3 benchmarks/compare.py [--models FOLDER] [--scenes ant,go1] [--counts 1,8192] [--budget-seconds 540]

Each row is one scene at one number of environments. Both engines get the same model, starts, controls and steps; both are run
once and looked at (harness/final_check.py), and then timed in turns, from the restored start, without the first step; the fastest
of the timed runs counts. A run with faults or a failed check is not reported, and the exit code is 1. docs/benchmarks.md has the rest.
"""
import argparse
import csv
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import time

import mujoco

from harness import machine
from harness.engine import RunRefused
from harness.final_check import final_check
from harness.mujoco_c import MujocoC
from harness.phalanx import Phalanx
from harness.scene import SceneError, load_scene, scene_names, scene_of_file

COLUMNS = ["device", "driver", "commit", "peer", "scene", "envs", "steps", "steps_per_second", "peer_steps_per_second", "ratio",
           "contacts", "peer_contacts", "rows", "peer_rows", "iterations", "peer_iterations", "residual", "peer_residual",
           "compile_seconds", "peer_compile_seconds", "spread", "peer_spread", "height", "peer_height", "mujoco_c_height",
           "retried", "not_converged", "peer_not_converged", "peer_nconmax", "peer_njmax"]
FEWEST_STEPS = 10
CPU_COUNTS = [16]


def main():
    options = read_options()
    mujoco.set_mju_user_warning(lambda message: None)  # MuJoCo's counters of warnings are looked at instead
    if not options.phalanx.exists():
        sys.exit(f"{options.phalanx} does not exist: cargo build --release, or give --phalanx")
    peer, device = choose_peer(options)
    names = machine.gpu() if device.startswith("cuda") else [machine.cpu(options.threads), ""]
    commit = options.commit or machine.commit(options.phalanx)
    common = {"device": names[0], "driver": names[1], "commit": commit, "peer": peer.name if peer else ""}
    print("  ".join(f"{key}: {value}" for key, value in common.items() if value), flush=True)
    with tempfile.TemporaryDirectory(prefix="phalanx-benchmark-") as work:
        ours = Phalanx(options.phalanx, device, options.threads, work)
        rows = Rows(options, common)
        for scene in scenes(options, work, rows):
            for envs in options.counts or (scene.counts if device.startswith("cuda") else CPU_COUNTS):
                rows.measure(ours, peer, scene, envs)
    rows.finish()


class Rows:
    """The table: measures, prints and writes one row after the other, as long as the budget lasts."""

    def __init__(self, options, common):
        self.options, self.common = options, common
        self.failures, self.left_out, self.started = 0, [], time.monotonic()
        self.longest, self.scene = {True: 0.0, False: 0.0}, None  # seconds of a scene's first row, which compiles, and of another
        name = "_against_".join(re.sub(r"\W+", "_", text).strip("_").lower() for text in (common["device"], common["peer"] or "nothing"))
        options.out.mkdir(parents=True, exist_ok=True)
        self.path = options.out / f"{name}.csv"
        self.file = open(self.path, "w", newline="")
        self.writer = csv.DictWriter(self.file, COLUMNS, restval="")
        self.writer.writeheader()
        print(f"{'scene':16} {'envs':>8} {'steps':>5} {'Phalanx':>11} {'peer':>11} {'ratio':>6}  {'contacts':>13} {'rows':>13} "
              f"{'iterations':>11} {'residual':>15} {'compile, s':>11}", flush=True)

    def measure(self, ours, peer, scene, envs):
        started, is_first = time.monotonic(), scene is not self.scene
        if started - self.started + self.longest[is_first] > self.options.budget_seconds:
            self.left_out.append(f"{scene.name} at {envs}")
            return
        try:
            row = measure(ours, peer, scene, envs, self.options, self.fail)
            self.add({**self.common, **row})
        except RunRefused as error:
            self.fail(scene, envs, error)
        self.longest[is_first], self.scene = max(self.longest[is_first], time.monotonic() - started), scene

    def fail(self, scene, envs, error):
        self.failures += 1
        print(f"REFUSED {f'{scene.name} at {envs}: ' if scene else ''}{error}", flush=True)

    def add(self, row):
        def both(key, form):
            theirs = row.get("peer_" + key)
            return f"{row[key]:{form}}/{'-' if theirs is None else format(theirs, form)}"

        peer = [f"{row[key]:{form}}" if key in row else "-" for key, form in (("peer_steps_per_second", ".0f"), ("ratio", ".2f"))]
        print(f"{row['scene']:16} {row['envs']:8} {row['steps']:5} {row['steps_per_second']:11.0f} {peer[0]:>11} {peer[1]:>6}  "
              f"{both('contacts', '.2f'):>13} {both('rows', '.1f'):>13} {both('iterations', '.2f'):>11} {both('residual', '.1e'):>15} "
              f"{both('compile_seconds', '.1f'):>11}", flush=True)
        self.writer.writerow({key: short(value) for key, value in row.items()})
        self.file.flush()
        os.fsync(self.file.fileno())

    def finish(self):
        print(f"{self.path}: written in {time.monotonic() - self.started:.0f} s, {self.failures} refused")
        if self.left_out:
            print("left out, the budget was used up: " + ", ".join(self.left_out))
        sys.exit(1 if self.failures else 0)


def measure(ours, peer, scene, envs, options, fail):
    """One row: opens both engines, checks both, times both in turns. Without a sound peer, ours alone."""
    ours.open(scene, envs)
    steps = options.steps or scene.steps
    if peer:
        try:
            peer.open(scene, envs)
            # One run that is looked at, the timed ones, and as much again for looking.
            steps = max(FEWEST_STEPS, min(steps, int(options.row_seconds * peer.speed() / envs / (options.repeats + 2))))
            theirs = peer.check(steps)
            their_end = final_check(peer.name, scene, steps, theirs)
        except Exception as error:  # whatever a peer raises: out of memory, a compiler's error, a refusal
            fail(scene, envs, f"{type(error).__name__}: {error}; the row has no peer")
            peer.close()
            peer = None
    run = ours.check(steps)
    end = final_check("phalanx", scene, steps, run)
    speeds, peer_speeds = [], []
    for _ in range(options.repeats):
        speeds.append(ours.time(steps))
        if peer:
            peer_speeds.append(peer.time(steps))
    row = {"scene": scene.name, "envs": envs, "steps": steps, "steps_per_second": max(speeds), "spread": spread(speeds), **run.notes,
           "contacts": run.contacts, "rows": run.rows, "iterations": run.iterations,
           "compile_seconds": run.compile_seconds, "not_converged": run.not_converged, **end}
    if peer:
        row |= {"peer_steps_per_second": max(peer_speeds), "peer_spread": spread(peer_speeds), "ratio": max(speeds) / max(peer_speeds),
                "peer_contacts": theirs.contacts, "peer_rows": theirs.rows, "peer_iterations": theirs.iterations,
                "peer_compile_seconds": theirs.compile_seconds, "peer_not_converged": theirs.not_converged, **theirs.notes,
                **{"peer_" + key: value for key, value in their_end.items() if "peer_" + key in COLUMNS}}
        peer.close()
    return row


def short(value):
    """A number as the table holds it: five digits, whole from ten thousand on."""
    if not isinstance(value, float):
        return value
    return round(value) if abs(value) >= 1e4 else f"{value:.5g}"


def spread(speeds):
    """How much slower the slowest run was than the fastest, as a share."""
    return 1 - min(speeds) / max(speeds)


def scenes(options, work, rows):
    """The scenes that were asked for; one that cannot be used counts as refused."""
    for name in options.files or options.scenes:
        try:
            yield scene_of_file(name) if options.files else load_scene(name, options.models, work)
        except (SceneError, ValueError) as error:
            rows.fail(None, None, error)


def choose_peer(options):
    """The peer, and the device of both: a GPU if there is one, else the CPU."""
    device = options.device or ("cuda:0" if machine.gpu() else "cpu")
    installed = importlib.util.find_spec("mujoco_warp") is not None
    kind = options.peer
    if kind == "auto":
        kind = ("mujoco_warp" if installed else "none") if device.startswith("cuda") else "mujoco_c"
        if kind == "none":
            print("mujoco_warp is not installed: Phalanx alone")
    if kind == "mujoco_warp":
        from harness.mujoco_warp import MujocoWarp

        return MujocoWarp(device), device
    return (MujocoC(options.threads) if kind == "mujoco_c" else None), device


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser.add_argument("--phalanx", type=pathlib.Path, default=machine.ROOT / "target/release/phalanx", help="the program")
    parser.add_argument("--models", type=pathlib.Path, help="folder with models, looked at before Python packages")
    parser.add_argument("--scenes", type=words, default=scene_names(), help="of " + ",".join(scene_names()))
    parser.add_argument("--files", type=words, help="any models instead of scenes, under random controls")
    parser.add_argument("--counts", type=numbers, help="numbers of environments; otherwise the scene's, on a CPU 16")
    parser.add_argument("--steps", type=int, help="steps of every run; otherwise the scene's, fewer where --row-seconds says so")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each engine")
    parser.add_argument("--device", help="cpu or cuda:0")
    parser.add_argument("--threads", type=int, default=1, help="threads of both engines on a CPU")
    parser.add_argument("--peer", choices=["auto", "mujoco_warp", "mujoco_c", "none"], default="auto")
    parser.add_argument("--row-seconds", type=float, default=20, help="about how long the peer may step for one row; caps the steps")
    parser.add_argument("--budget-seconds", type=float, default=float("inf"), help="no row begins that might end later")
    parser.add_argument("--commit", help="commit of the program, where git cannot tell")
    parser.add_argument("--out", type=pathlib.Path, default=machine.ROOT / "target/benchmarks", help="folder of the table")
    return parser.parse_args()


if __name__ == "__main__":
    main()
