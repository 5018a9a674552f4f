"""Drives the `phalanx` program: one forward pass of one state, or many steps of many environments.

The settings of an oracle run go on every command line. The parser takes a field as nested lists or as
{"shape": [...], "values": [...]}, at the top or under "fields"; null is NaN.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

import models
from answer import FIELDS, ROW_FIELDS, Answer, Contact

SETTINGS = [
    "--tolerance", str(models.TOLERANCE), "--iterations", str(models.ITERATIONS), "--ls-iterations", str(models.LS_ITERATIONS),
]  # fmt: skip
TIME_LIMIT_SECONDS = 300


class RunFailed(Exception):
    """The program failed, or printed what cannot be read. A refusal is an orderly failure with a message."""

    def __init__(self, sentence, is_refusal=False):
        super().__init__(sentence)
        self.is_refusal = is_refusal


class PhalanxBinary:
    """The real program. Files go to a folder of its own, so calls may run in parallel."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.exists():
            raise SystemExit(f"{self.path} does not exist: cargo build --release, or give --binary")

    def forward(self, model_path, state, precision="f64", contacts=None):
        """One forward pass; `contacts` replaces what the narrow phase would find."""
        with tempfile.TemporaryDirectory(prefix="phalanx-oracle-") as folder:
            arguments = ["forward", str(model_path), "--precision", precision, "--json"]
            arguments += ["--state", save(folder, "state.npz", state)]
            if contacts is not None:
                arguments += ["--contacts", save(folder, "contacts.npz", contact_arrays(contacts))]
            return parse_answer(self.call(arguments))

    def run(self, model_path, start, controls):
        """Steps len(controls) times in f64; returns {"qpos": (steps + 1, envs, nq), "qvel": ...}."""
        with tempfile.TemporaryDirectory(prefix="phalanx-oracle-") as folder:
            record = pathlib.Path(folder, "record.npz")
            batch = {name: np.stack([s[name] for s in start]) for name in start[0] if start[0][name].size}
            batch.pop("ctrl", None)
            arguments = ["run", str(model_path), "--envs", str(len(start)), "--steps", str(len(controls))]
            arguments += ["--precision", "f64", "--device", "cpu", "--json", "--record", str(record)]
            arguments += ["--state", save(folder, "state.npz", batch)]
            if controls.shape[2]:
                path = pathlib.Path(folder, "controls.npy")
                np.save(path, controls)
                arguments += ["--controls", str(path)]
            self.call(arguments)
            with np.load(record) as recorded:
                return {name: recorded[name].astype(float) for name in ("qpos", "qvel")}

    def call(self, arguments):
        command = [str(self.path), *arguments, *SETTINGS]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise RunFailed(f"{arguments[0]} took more than {TIME_LIMIT_SECONDS} s") from error
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            refused = done.returncode in (1, 2) and bool(done.stderr.strip())
            raise RunFailed(f"{arguments[0]} exits with {done.returncode}: {last}", refused)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError as error:
            raise RunFailed(f"{arguments[0]} does not print one JSON object: {error}") from error


def save(folder, name, arrays):
    path = pathlib.Path(folder, name)
    np.savez(path, **{key: value for key, value in arrays.items() if np.size(value) or key in ("dist", "geoms")})
    return str(path)


def contact_arrays(contacts):
    """The file that `--contacts` reads."""
    count = len(contacts)
    return {
        "dist": np.array([c.dist for c in contacts], float),
        "pos": np.array([c.pos for c in contacts], float).reshape(count, 3),
        "frame": np.array([c.frame for c in contacts], float).reshape(count, 9),
        "geoms": np.array([c.geoms for c in contacts], np.int32).reshape(count, 2),
        "dim": np.array([c.dim for c in contacts], np.int32),
    }


def parse_answer(printed):
    """The JSON of `forward` as an Answer; fields that it lacks stay away."""
    found = {**printed, **printed.get("fields", {})}
    fields = {name: array(found[name]) for name in [*FIELDS, "M"] if found.get(name) is not None}
    contacts = [parse_contact(c) for c in found.get("contacts", [])]
    rows = {}
    for name in ["type", *ROW_FIELDS]:
        if f"efc_{name}" not in found:
            raise RunFailed(f"forward does not print efc_{name}")
        rows[name] = array(found[f"efc_{name}"])
    count = rows["type"].size
    rows["type"] = rows["type"].astype(int).reshape(count)
    rows["J"] = rows["J"].reshape(count, -1) if count else np.zeros((0, 0))
    for name in ROW_FIELDS:
        if len(rows[name]) != count:
            raise RunFailed(f"efc_{name} has {len(rows[name])} rows, efc_type {count}")
    return Answer(fields, contacts, rows)


def parse_contact(c):
    geoms = c.get("geoms", c.get("geom"))
    return Contact(
        dist=float(array(c["dist"])),
        pos=array(c["pos"]).reshape(3),
        frame=array(c["frame"]).reshape(3, 3),
        geoms=tuple(int(g) for g in geoms),
        dim=int(c["dim"]),
    )


def array(value):
    """Nested lists, or shape and values; null becomes NaN."""
    if isinstance(value, dict):
        return np.array(value["values"], float).reshape(value["shape"])
    return np.array(value, float)
