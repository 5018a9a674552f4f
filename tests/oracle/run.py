#!/usr/bin/env python3
"""Compares Phalanx with MuJoCo 4.0.0 on every model and prints one table; exits with 1 if anything differs.

    python3 tests/oracle/run.py [--quick] [--models a,b] [--checks forward,f32,trajectory] [--states N] [--binary PATH]
    python3 tests/oracle/run.py --self-test      # does the comparison find planted errors?

`worst` is the largest error that had to meet `limit`; `ruled` counts the states where a tolerance was widened by MuJoCo's own
instability (forward, injected) or a start was skipped for it (trajectory).
"""

import argparse
import concurrent.futures
import os
import sys
import time

import mujoco

import models
import self_test
from compare_f32 import compare_f32
from compare_forward import compare_forward
from compare_refusal import compare_refusal
from compare_trajectories import compare_trajectories
from phalanx_binary import PhalanxBinary
from report import HEADER, print_failures
from states import start_states

VERSION = "4.0.0"
CHECKS = {"forward": compare_forward, "f32": compare_f32, "trajectory": compare_trajectories}
STATES, QUICK_STATES = 20, 8


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help=f"{QUICK_STATES} states a model instead of {STATES}")
    arguments.add_argument("--models", default="", help="names, folders (gym, shared, assets, single) or folder/name")
    arguments.add_argument("--checks", default=",".join(CHECKS))
    arguments.add_argument("--states", type=int)
    arguments.add_argument("--binary", default=models.ROOT / "target/release/phalanx")
    arguments.add_argument("--self-test", action="store_true")
    options = arguments.parse_args()
    if mujoco.__version__ != VERSION:
        raise SystemExit(f"the oracle is MuJoCo {VERSION}, this is {mujoco.__version__}: pip install mujoco=={VERSION}")
    # Warnings about models that gymnasium wrote for older versions would end up in MUJOCO_LOG.TXT.
    mujoco.set_mju_user_warning(lambda message: None)
    if options.self_test:
        sys.exit(self_test.self_test())
    count = options.states or (QUICK_STATES if options.quick else STATES)
    chosen = models.chosen([name for name in options.models.split(",") if name])
    checks = compare(chosen, options.checks.split(","), count, PhalanxBinary(options.binary))
    sys.exit(0 if all(check.ok for check in checks) else 1)


def compare(chosen, names, count, binary):
    """Runs the named checks on the chosen models; returns all of them."""
    started, checks = time.monotonic(), []
    print(HEADER)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, path in chosen.items():
            for result in compare_model(name, path, names, count, binary, pool):
                print(result.row(), flush=True)
                checks.append(result)
    print_failures(checks)
    ruled, states = sum(c.ruled for c in checks), sum(c.states for c in checks)
    failed = sum(not c.ok for c in checks)
    seconds = time.monotonic() - started
    print(
        f"{len(chosen)} models, {len(checks)} checks, {states} comparisons, {ruled} ruled by MuJoCo's own instability, "
        f"{failed} failed, {seconds:.0f} s"
    )
    return checks


def compare_model(name, path, names, count, binary, pool):
    """Yields the checks of one model."""
    model = models.load(path)
    if name in models.REFUSED:
        yield from compare_refusal(name, path, model, binary, models.REFUSED[name])
        return
    start = start_states(name, model, count)
    for check in names:
        yield from CHECKS[check](name, path, model, start, binary, pool)


if __name__ == "__main__":
    main()
