"""Runs scenes with the program `phalanx`: whole runs that are looked at, and the same runs timed."""
import json
import pathlib
import subprocess

import numpy

from harness.engine import SAMPLE, Checked, RunRefused, Sample

TIME_LIMIT_SECONDS = 600


class Phalanx:
    """The program; files of a run go to the folder `work`."""

    name = "phalanx"

    def __init__(self, binary, device, threads, work):
        self.binary, self.device, self.threads, self.work = pathlib.Path(binary).resolve(), device, threads, pathlib.Path(work)

    def open(self, scene, envs):
        """Writes the start of every environment."""
        self.scene, self.envs = scene, envs
        self.start_file = self.write_start(envs, "start.npz")

    def check(self, steps):
        """Runs from the start and looks at everything. Also runs the first environments alone, on the CPU, under controls
        from a file: they must end in the same bits."""
        whole = self.run(steps, "--record", str(self.work / "whole.npz"), "--record-every", str(steps))
        self.hash = whole["state_hash"]
        with numpy.load(self.work / "whole.npz") as record:
            qpos = record["qpos"][-1]
        sample, alone = self.sample(steps)
        if not numpy.array_equal(alone, qpos[: len(alone)]):
            raise RunRefused(f"{len(alone)} environments alone end in other states than the first of {self.envs}")
        return Checked(whole["contacts_mean"], whole["rows_mean"], whole["solver_iterations_mean"], qpos, sample,
                       whole["compile_seconds"], whole["faults"]["not_converged"], {"retried": whole["faults"]["retried"]})

    def time(self, steps):
        """Steps a second of all environments together, without the first step; the end must be the checked one."""
        result = self.run(steps)
        if result["state_hash"] != self.hash:
            raise RunRefused(f"the timed run ended in state {result['state_hash']}, the checked one in {self.hash}")
        return result["env_steps_per_second"]

    def run(self, steps, *options):
        options = ["--envs", str(self.envs), "--steps", str(steps), "--state", str(self.start_file), *options]
        if self.scene.has_random_controls:
            options += ["--controls", "random"]
        options += ["--device", self.device] + (["--threads", str(self.threads)] if self.device == "cpu" else [])
        return self.call("run", "--wait-compile", *options)

    def sample(self, steps):
        envs = min(SAMPLE, self.envs)
        start, record = self.write_start(envs, "start_sample.npz"), self.work / "sample.npz"
        controls = self.scene.controls(steps, envs)
        options = ["--envs", str(envs), "--steps", str(steps), "--state", str(start), "--device", "cpu", "--record", str(record)]
        if self.scene.model.nu:
            numpy.save(self.work / "controls.npy", controls)
            options += ["--controls", str(self.work / "controls.npy")]
        self.call("run", *options)
        with numpy.load(record) as states:
            qpos, qvel = states["qpos"], states["qvel"]
            act = states["act"][-1] if self.scene.model.na else numpy.zeros((envs, 0), numpy.float32)
        warm_start = (qvel[-1] - qvel[-2]) / self.scene.model.opt.timestep
        ctrl = controls[-1]
        qacc = [self.forward(*one) for one in zip(qpos[-1], qvel[-1], act, ctrl, warm_start)]
        return Sample(qpos[-1], qvel[-1], act, ctrl, numpy.array(qacc)), qpos[-1]

    def forward(self, qpos, qvel, act, ctrl, warm_start):
        """The acceleration at a state, solved in float from a warm start."""
        state = self.work / "forward.npz"
        numpy.savez(state, qpos=qpos, qvel=qvel, act=act, ctrl=ctrl, qacc_warmstart=warm_start)
        return self.call("forward", "--precision", "f32", "--state", str(state))["qacc"]

    def write_start(self, envs, name):
        qpos, qvel, ctrl = self.scene.start(envs)
        numpy.savez(self.work / name, qpos=qpos, qvel=qvel, ctrl=ctrl)
        return self.work / name

    def call(self, command, *options):
        words = [str(self.binary), command, str(self.scene.path), *options, "--log", "error", "--json"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise RunRefused(f"{' '.join(words)}: not done after {TIME_LIMIT_SECONDS} s") from error
        if done.returncode != 0:
            raise RunRefused(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-800:]}")
        result = json.loads(done.stdout)
        lost = result["faults"]["not_finite"] if "faults" in result else 0
        if lost:
            raise RunRefused(f"{lost} of {self.envs} environments are not finite")
        return result
