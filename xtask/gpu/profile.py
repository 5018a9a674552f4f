#!/usr/bin/env python3
"""Profiles the step kernel with Nsight Compute on a machine with a GPU: headline metrics, and samples by instruction.

    python3 profile.py BUNDLE OUT [--scenes humanoid,ant] [--envs 8192]

BUNDLE is what `cargo xtask gpu` packs. OUT receives metrics.csv (a row a scene), SCENE.source.csv (samples and stalls by
instruction) and the cubins that were compiled, from which `nvdisasm -g -c` tells an instruction's line. Leaves the clocks
alone.
"""
import argparse
import csv
import os
import shutil
import subprocess

from check import SCENES

METRICS = {  # column: metric of Nsight Compute
    "nanoseconds": "gpu__time_duration.sum",
    "issue_slots_busy_pct": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "warps_active_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "instructions": "smsp__inst_executed.sum",
    "threads_per_instruction": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "shared_conflicts_load": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_conflicts_store": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "dram_bytes": "dram__bytes.sum",
    "registers": "launch__registers_per_thread",
    "occupancy_limit_shared": "launch__occupancy_limit_shared_mem",
}
STALLS = ["barrier", "branch_resolving", "dispatch_stall", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar",
          "mio_throttle", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait"]


def profile(bundle, out, scene, envs):
    model, options = SCENES[scene]
    report = os.path.join(out, scene + ".ncu-rep")
    stalls = [f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS]
    command = ["ncu", "--clock-control", "none", "-f", "-o", report, "-k", "regex:phalanx_step", "--launch-skip", "50", "--launch-count", "1",
               "--section", "SourceCounters", "--metrics", ",".join([*METRICS.values(), *stalls]),
               os.path.join(bundle, "phalanx"), "run", os.path.join(bundle, "models", model), "--envs", str(envs), "--steps", "60",
               "--device", "cuda:0", "--json", "--wait-compile", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    if not os.path.exists(report):
        print(scene, done.stdout[-1500:], done.stderr[-1500:], flush=True)
        return None
    page = lambda *more: subprocess.run(["ncu", "-i", report, "--csv", *more], capture_output=True, text=True).stdout
    with open(os.path.join(out, scene + ".source.csv"), "w") as file:
        file.write(page("--page", "source", "--print-source", "sass"))
    lines = [l for l in page("--page", "raw", "--print-units", "base").splitlines() if l.startswith('"')]
    names, _, values = list(csv.reader(lines))[:3]
    raw = dict(zip(names, values))
    row = {"scene": scene, "envs": envs, **{k: raw.get(m, "") for k, m in METRICS.items()}}
    row |= {f"stall_{s}": raw.get(m, "") for s, m in zip(STALLS, stalls)}
    print("  ".join(f"{k} {v}" for k, v in row.items()), flush=True)
    os.remove(report)
    return row


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bundle")
    arguments.add_argument("out")
    arguments.add_argument("--scenes", default=",".join(SCENES))
    arguments.add_argument("--envs", type=int, default=8192)
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    cache = os.environ.setdefault("PHALANX_CACHE_DIR", os.path.abspath(os.path.join(options.out, "cache")))
    rows = []
    for scene in options.scenes.split(","):
        before = set(os.listdir(cache)) if os.path.exists(cache) else set()
        row = profile(options.bundle, options.out, scene, options.envs)
        for entry in set(os.listdir(cache)) - before:
            shutil.copy(os.path.join(cache, entry), os.path.join(options.out, f"{scene}.{entry}"))
        if not row:
            continue
        rows.append(row)
        with open(os.path.join(options.out, "metrics.csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
