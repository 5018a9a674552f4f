"""The controls that `phalanx run --controls random` draws, computed by numpy, so that every engine gets the same.

Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011, section 3.3): key = seed,
counter = (environment, step, 0, actuator / 4); each number is uniform in the actuator's range, in float.
"""
import numpy

MULTIPLIERS = (numpy.uint64(0xD2511F53), numpy.uint64(0xCD9E8D57))
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
WORD = numpy.uint64(0xFFFFFFFF)
HALF = numpy.uint64(32)


def philox(counter, seed):
    """Four random words for every counter of the array, (..., 4) of uint64 that hold 32 bits each."""
    x, y, z, w = (counter[..., k].astype(numpy.uint64) for k in range(4))
    low, high = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        a, b = MULTIPLIERS[0] * x, MULTIPLIERS[1] * z
        x, y, z, w = (b >> HALF) ^ y ^ numpy.uint64(low), b & WORD, (a >> HALF) ^ w ^ numpy.uint64(high), a & WORD
        low, high = (low + KEY_STEPS[0]) & 0xFFFFFFFF, (high + KEY_STEPS[1]) & 0xFFFFFFFF
    return numpy.stack([x, y, z, w], axis=-1)


def control_ranges(model):
    """Where controls are drawn from: the actuator's range, else [-1, 1]; two arrays of nu floats."""
    limited = model.actuator_ctrllimited.astype(bool)
    low = numpy.where(limited, model.actuator_ctrlrange[:, 0], -1.0).astype(numpy.float32)
    high = numpy.where(limited, model.actuator_ctrlrange[:, 1], 1.0).astype(numpy.float32)
    return low, high


def random_controls(model, steps, envs, seed=0):
    """Controls of shape (steps, envs, nu) in float."""
    groups = (model.nu + 3) // 4
    grid = numpy.meshgrid(numpy.arange(steps), numpy.arange(envs), numpy.arange(groups), indexing="ij")
    step, env, group = grid
    words = philox(numpy.stack([env, step, numpy.zeros_like(env), group], axis=-1), seed)
    words = words.reshape(steps, envs, 4 * groups)[..., : model.nu]
    unit = (words >> numpy.uint64(8)).astype(numpy.float32) * numpy.float32(2.0**-24)
    low, high = control_ranges(model)
    drawn = low + unit * (high - low)
    return numpy.where(drawn < high, drawn, numpy.nextafter(high, low))
