"""What the benchmark asks of every engine, and what it gets back."""
import dataclasses

import numpy

SAMPLE = 16  # environments whose solver is judged


class RunRefused(Exception):
    """A run that must not be reported: faults, a failed check, or an engine that gave up."""


@dataclasses.dataclass
class Sample:
    """States of the first environments at the end, and the accelerations that the engine finds there: rows of environments."""

    qpos: numpy.ndarray
    qvel: numpy.ndarray
    act: numpy.ndarray
    ctrl: numpy.ndarray
    qacc: numpy.ndarray
    contacts: list | None = None  # of each environment: geoms (n, 2), positions (n, 3), frames (n, 9); None where they are MuJoCo's


@dataclasses.dataclass
class Checked:
    """One whole run that was looked at. Contacts and rows are means over environments and steps, iterations over solves: a step
    without rows needs none."""

    contacts: float
    rows: float
    iterations: float
    qpos: numpy.ndarray  # of every environment at the end
    sample: Sample
    compile_seconds: float
    not_converged: int  # environment steps whose solver met its limit of iterations
    notes: dict = dataclasses.field(default_factory=dict)  # further columns
