"""What the benchmark asks of every engine, and what it gets back."""
import dataclasses

import numpy

SAMPLE = 16  # environments whose solver is judged


class RunRefused(Exception):
    """A run that must not be reported: faults, a failed check, or an engine that gave up."""


@dataclasses.dataclass
class Rows:
    """The constraint rows of one environment, as an engine made them."""

    jacobian: numpy.ndarray  # (rows, nv)
    reference: numpy.ndarray  # aref
    stiffness: numpy.ndarray  # D
    bound: numpy.ndarray  # of the force: frictionloss of a dof's dry friction, infinite for an equality, 0 for what only pushes


@dataclasses.dataclass
class Sample:
    """States of the first environments at the end, and the accelerations that the engine finds there: rows of environments."""

    qpos: numpy.ndarray
    qvel: numpy.ndarray
    act: numpy.ndarray
    ctrl: numpy.ndarray
    qacc: numpy.ndarray
    rows: list | None = None  # Rows of each environment; None where they are MuJoCo C's


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
