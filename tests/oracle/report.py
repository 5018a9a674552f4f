"""Collects what each check found and prints one table: model x check, with states, worst error, its field, verdict."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Check:
    """One check of one model."""

    model: str
    name: str
    limit: float
    states: int = 0
    worst: float = 0.0
    worst_field: str = ""
    failures: list = dataclasses.field(default_factory=list)
    ruled: int = 0  # states where MuJoCo's own instability widened a tolerance or excused a start
    notes: list = dataclasses.field(default_factory=list)

    def see(self, field, error):
        """Remembers the largest error that no instability excused."""
        if not error <= self.worst:
            self.worst, self.worst_field = error, field

    def fail(self, state, sentence):
        self.failures.append(f"state {state}: {sentence}" if state is not None else sentence)

    @property
    def ok(self):
        return not self.failures

    def row(self):
        worst = "inf" if not np.isfinite(self.worst) else f"{self.worst:.1e}"
        verdict = "ok" if self.ok else "FAIL"
        numbers = f"{self.states:6} {worst:>9} {self.limit:8.0e} {self.ruled:6}"
        return f"{self.model:34} {self.name:12} {numbers}  {verdict:5} {self.worst_field}"


HEADER = f"{'model':34} {'check':12} {'states':>6} {'worst':>9} {'limit':>8} {'ruled':>6}  {'':5} field"


def print_failures(checks, most=3):
    """The first failures of each failed check, equal ones once; then what was not compared."""
    for check in checks:
        sentences = {}
        for sentence in check.failures:
            state, _, text = sentence.rpartition(": ") if sentence.startswith("state") else ("", "", sentence)
            sentences.setdefault(text, []).append(state)
        for text, where in list(sentences.items())[:most]:
            others = f" (and in {len(where) - 1} more states)" if len(where) > 1 else ""
            print(f"FAIL {check.model} {check.name}: {where[0]} {text}{others}")
        if len(sentences) > most:
            print(f"     {check.model} {check.name}: and {len(sentences) - most} more")
    notes = {}
    for check in checks:
        for note in check.notes:
            notes.setdefault(note, []).append(check.model)
    for note, where in notes.items():
        print(f"note {note}: {len(set(where))} models")
