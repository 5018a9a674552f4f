"""Runs scenes with MuJoCo C: the reference of every check, and the peer where there is no GPU.

It is timed through `mujoco.rollout`, its own loop in C, in double, which also copies every state out.
"""
import time

import mujoco
import mujoco.rollout
import numpy

from harness.engine import SAMPLE, Checked, RunRefused, Sample

LOOKED_AT = 64  # environments whose contacts, rows and iterations are counted
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS


class MujocoC:
    """MuJoCo C on `threads` cores; its tolerance is at least what engines in float can reach."""

    name = f"MuJoCo C {mujoco.__version__}"

    def __init__(self, threads, tolerance=1e-6):
        self.threads, self.tolerance = threads, tolerance

    def open(self, scene, envs):
        """Compiles a model of its own."""
        self.scene, self.envs = scene, envs
        self.model = mujoco.MjModel.from_xml_path(str(scene.path))
        self.model.opt.tolerance = max(self.model.opt.tolerance, self.tolerance)

    def speed(self):
        """A first guess, steps a second."""
        return self.roll(10)[0]

    def check(self, steps):
        """Rolls all environments out, and steps the first ones again one by one to count."""
        states = self.roll(steps)[1]
        if not numpy.isfinite(states[:, -1]).all():
            raise RunRefused(f"{self.name}: environments are not finite")
        counts, qpos, sample = self.count(steps, min(LOOKED_AT, self.envs))
        if not numpy.array_equal(qpos, states[: len(qpos), -1, 1 : 1 + self.model.nq]):
            raise RunRefused(f"{self.name}: rollout and mj_step end in different states")
        contacts, rows, iterations, solves, limited = counts.sum(axis=0)
        taken = steps * len(counts)
        ends = states[:, -1, 1 : 1 + self.model.nq]
        return Checked(contacts / taken, rows / taken, iterations / max(1, solves), ends, sample, 0.0, int(limited))

    def time(self, steps):
        """Steps a second of all environments together."""
        return self.roll(steps)[0]

    def close(self):
        """Nothing stays open."""

    def roll(self, steps):
        """Speed, and the states after each step: (envs, steps, numbers), first the time, then qpos."""
        controls = numpy.ascontiguousarray(self.scene.controls(steps, self.envs).transpose(1, 0, 2), dtype=numpy.float64)
        initial = numpy.stack([self.state_of(data) for data in self.starts(self.envs)])
        data = [mujoco.MjData(self.model) for _ in range(self.threads)]
        with mujoco.rollout.Rollout(nthread=self.threads if self.threads > 1 else 0) as rollout:
            started = time.perf_counter()
            states, _ = rollout.rollout(self.model, data, initial, controls if self.model.nu else None, nstep=steps)
            return steps * self.envs / (time.perf_counter() - started), states

    def count(self, steps, envs):
        """Steps the first environments one by one. Returns each one's sums of contacts, rows, iterations, solves and solves
        at their limit, (envs, 5); all qpos at the end; the sample."""
        controls = self.scene.controls(steps, envs)
        counts, ends, sample = numpy.zeros((envs, 5)), [], []
        for env, data in enumerate(self.starts(envs)):
            for step in range(steps):
                data.ctrl[:] = controls[step, env]
                mujoco.mj_step(self.model, data)
                iterations = int(data.solver_niter.max()) if data.nefc else 0
                counts[env] += data.ncon, data.nefc, iterations, data.nefc > 0, iterations >= self.model.opt.iterations
            if any(warning.number for warning in data.warning):
                raise RunRefused(f"{self.name} warns in environment {env}: {[w.number for w in data.warning]}")
            ends.append(data.qpos.copy())
            if env < SAMPLE:
                mujoco.mj_forward(self.model, data)
                sample.append([array.copy() for array in (data.qpos, data.qvel, data.act, data.ctrl, data.qacc)])
        return counts, numpy.array(ends), Sample(*(numpy.array(column) for column in zip(*sample)))

    def starts(self, envs):
        """The start of one environment after the other, in the same MjData."""
        qpos, qvel, ctrl = self.scene.start(envs)
        data = mujoco.MjData(self.model)
        for env in range(envs):
            mujoco.mj_resetData(self.model, data)
            data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel[env], ctrl
            yield data

    def state_of(self, data):
        state = numpy.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, data, state, STATE)
        return state
