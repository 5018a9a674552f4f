"""Runs scenes with MuJoCo Warp, stepped as its own benchmark steps it: one step captured in a CUDA graph, launched again and again.

Random controls are drawn on the device, inside the graph, by the generator of `phalanx run --controls random`. The host waits
once, at the end, and not after every step as `mjwarp-testspeed` does: that can only make it faster. Without a GPU the same code
runs on Warp's CPU device, uncaptured and slowly: enough to test it.
"""
import time

import mujoco
import mujoco_warp
import numpy
import warp

from harness.engine import SAMPLE, Checked, Rows, RunRefused, Sample
from harness.random_controls import control_ranges

STATE = ("qpos", "qvel", "act", "qacc_warmstart", "qacc", "ctrl", "time")
LIMITS = int(mujoco_warp.OverflowType.ITERATIONS)  # not a lack of room
IGNORED = LIMITS | int(mujoco_warp.OverflowType.LS_ITERATIONS)
KEY_STEP_LOW, KEY_STEP_HIGH = warp.constant(warp.uint32(0x9E3779B9)), warp.constant(warp.uint32(0xBB67AE85))
ROOM = (1.0, 1.5, 2.5, 4.0)  # times the scene's nconmax and njmax, until nothing overflows


@warp.kernel
def draw_controls(step: warp.array[int], low: warp.array[float], high: warp.array[float], ctrl: warp.array2d[float]):
    """Philox 4x32-10 with key 0: see harness/random_controls.py."""
    env, group = warp.tid()
    x, y, z, w = warp.uint32(env), warp.uint32(step[0]), warp.uint32(0), warp.uint32(group)
    key_low, key_high = warp.uint32(0), warp.uint32(0)
    for _ in range(10):
        a = warp.uint64(0xD2511F53) * warp.uint64(x)
        b = warp.uint64(0xCD9E8D57) * warp.uint64(z)
        new_x = warp.uint32(b >> warp.uint64(32)) ^ y ^ key_low
        new_z = warp.uint32(a >> warp.uint64(32)) ^ w ^ key_high
        x, y, z, w = new_x, warp.uint32(b & warp.uint64(0xFFFFFFFF)), new_z, warp.uint32(a & warp.uint64(0xFFFFFFFF))
        key_low = key_low + KEY_STEP_LOW
        key_high = key_high + KEY_STEP_HIGH
    for k in range(4):
        actuator = 4 * group + k
        if actuator < ctrl.shape[1]:
            word = x
            if k == 1:
                word = y
            if k == 2:
                word = z
            if k == 3:
                word = w
            unit = float(word >> warp.uint32(8)) * 5.9604644775390625e-8
            ctrl[env, actuator] = low[actuator] + unit * (high[actuator] - low[actuator])


@warp.kernel
def count_step(step: warp.array[int]):
    """The next draw is for the next step."""
    step[0] = step[0] + 1


class MujocoWarp:
    """MuJoCo Warp on one device."""

    def __init__(self, device):
        warp.config.log_level = warp.LOG_WARNING
        warp.init()
        self.device = warp.get_device(device)
        self.name = f"MuJoCo Warp {version()}"

    def open(self, scene, envs):
        """Makes the batch and compiles the step; the first room for contacts and rows is the scene's."""
        self.scene, self.envs, self.room = scene, envs, 0
        self.make_batch()

    def make_batch(self):
        self.close()
        scene, envs = self.scene, self.envs
        room = {name: int(ROOM[self.room] * value) for name, value in scene.settings["peer"].items()}
        self.notes = {"peer_" + name: value for name, value in room.items()}
        qpos, qvel, ctrl = scene.start(envs)
        with warp.ScopedDevice(self.device):
            self.model = mujoco_warp.put_model(scene.model)
            self.model.opt.warn_overflow = 0  # bits are set all the same; no kernel prints
            self.data = mujoco_warp.make_data(scene.model, nworld=envs, **room)
            for name, value in {"qpos": qpos, "qvel": qvel, "ctrl": ctrl}.items():
                array = getattr(self.data, name)
                array.assign(numpy.broadcast_to(value, array.shape))
            self.start = {name: warp.clone(getattr(self.data, name)) for name in STATE}
            self.step_number = warp.zeros(1, dtype=int)
            self.range = [warp.array(limit, dtype=float) for limit in control_ranges(scene.model)]
            started = time.perf_counter()
            if self.device.is_cuda:
                with warp.ScopedCapture() as capture:
                    self.enqueue()
                self.graph = capture.graph
            self.step()
            warp.synchronize()
            self.compile_seconds = time.perf_counter() - started
        self.restore()

    def enqueue(self):
        if self.scene.has_random_controls:
            shape = (self.envs, (self.scene.model.nu + 3) // 4)
            warp.launch(draw_controls, dim=shape, inputs=[self.step_number, *self.range], outputs=[self.data.ctrl])
            warp.launch(count_step, dim=1, inputs=[self.step_number])
        mujoco_warp.step(self.model, self.data)

    def step(self):
        if self.graph:
            warp.capture_launch(self.graph)
        else:
            self.enqueue()

    def restore(self):
        """Back to the start."""
        with warp.ScopedDevice(self.device):
            for name, array in self.start.items():
                warp.copy(getattr(self.data, name), array)
            self.step_number.zero_()
            self.data.overflow.zero_()
            warp.synchronize()

    def speed(self):
        """A first guess, steps a second."""
        return self.time(4)

    def check(self, steps):
        """Steps from the start and looks at every step; makes more room and starts again if contacts or rows overflow."""
        while True:
            self.restore()
            total, limited, overflow = numpy.zeros(4), 0, 0
            with warp.ScopedDevice(self.device):
                for _ in range(steps):
                    self.step()
                    bits = self.read("overflow")
                    self.data.overflow.zero_()
                    limited += int(numpy.count_nonzero(bits & LIMITS))
                    overflow |= int(numpy.bitwise_or.reduce(bits)) & ~IGNORED
                    rows = self.read("nefc")
                    iterations = self.read("solver_niter")[rows > 0]
                    total += self.read("nacon")[0], rows.sum(), iterations.sum(), iterations.size
                    if overflow:
                        break
            if not overflow:
                break
            self.room += 1
            if self.room == len(ROOM):
                raise RunRefused(f"{self.name} overflows (bits {overflow:#x}) with {self.notes}")
            self.make_batch()
        qpos = self.read("qpos")
        if not numpy.isfinite(qpos).all():
            raise RunRefused(f"{self.name}: environments are not finite")
        contacts, rows, iterations, solves = total
        taken = steps * self.envs
        sample = self.sample(steps)
        return Checked(contacts / taken, rows / taken, iterations / max(1, solves), qpos, sample, self.compile_seconds, limited, self.notes)

    def sample(self, steps):
        """The end of the first environments, and what one more forward pass finds there."""
        envs = min(SAMPLE, self.envs)
        expected = self.scene.controls(steps, envs)[-1]
        with warp.ScopedDevice(self.device):
            if not numpy.allclose(self.read("ctrl")[:envs], expected, rtol=0, atol=1e-6):
                raise RunRefused(f"{self.name}: its controls are not those of the scene")
            mujoco_warp.forward(self.model, self.data)
            arrays = [self.read(name)[:envs] for name in ("qpos", "qvel", "act", "ctrl", "qacc")]
        return Sample(*arrays, [self.rows(env) for env in range(envs)])

    def rows(self, env):
        """The constraint rows of an environment: its contacts are not always MuJoCo C's."""
        efc, count = self.data.efc, int(self.read("nefc")[env])
        jacobian = efc.J.numpy()[env]
        if self.model.is_sparse:
            jacobian, values = numpy.zeros((count, self.model.nv)), jacobian[0]
            first, length, columns = efc.J_rowadr.numpy()[env], efc.J_rownnz.numpy()[env], efc.J_colind.numpy()[env, 0]
            for row in range(count):
                entries = slice(first[row], first[row] + length[row])
                numpy.add.at(jacobian[row], columns[entries], values[entries])
        of_rows = [getattr(efc, name).numpy()[env, :count].astype(float) for name in ("aref", "D", "frictionloss", "type")]
        reference, stiffness, bound, kind = of_rows
        bound = numpy.where(kind == mujoco.mjtConstraint.mjCNSTR_EQUALITY, numpy.inf, bound)
        return Rows(jacobian[:count, : self.model.nv].astype(float), reference, stiffness, bound)

    def time(self, steps):
        """Steps a second of all environments together, from the start and without the first step."""
        self.restore()
        with warp.ScopedDevice(self.device):
            self.step()
            warp.synchronize()
            started = time.perf_counter()
            for _ in range(steps - 1):
                self.step()
            warp.synchronize()
            return (steps - 1) * self.envs / (time.perf_counter() - started)

    def read(self, name):
        """A copy of a field; on a CPU, numpy() alone is a view."""
        return getattr(self.data, name).numpy().copy()

    def close(self):
        """Frees the device's memory."""
        self.graph = self.model = self.data = self.start = None


def version():
    from importlib.metadata import PackageNotFoundError, version as of

    try:
        return of("mujoco_warp")
    except PackageNotFoundError:
        return "unknown"
