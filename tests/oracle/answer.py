"""What a forward pass says, from either side: fields by MuJoCo's names, contacts, constraint rows."""

import dataclasses

import mujoco
import numpy as np

import states

# MuJoCo's data arrays that are compared where Phalanx prints them. Those of REQUIRED must be there.
FIELDS = [
    "xpos", "xquat", "xipos", "ximat", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat", "subtree_com", "cinert", "crb",
    "cdof", "cvel", "cdof_dot", "qfrc_bias", "qfrc_passive", "actuator_force", "qfrc_actuator", "qfrc_smooth",
    "qacc_smooth", "qacc", "qfrc_constraint",
]  # fmt: skip
REQUIRED = {
    "xpos", "xquat", "subtree_com", "cdof", "M", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qacc_smooth", "qacc",
}  # fmt: skip
ROW_FIELDS = ["J", "pos", "aref", "D", "force"]
FRICTION, LIMIT, FRICTIONLESS, PYRAMIDAL = 1, 3, 5, 6


@dataclasses.dataclass
class Contact:
    dist: float
    pos: np.ndarray  # (3,)
    frame: np.ndarray  # (3, 3), its first row the normal
    geoms: tuple
    dim: int  # 0 without constraint rows: in the gap, or between bodies that cannot move


@dataclasses.dataclass
class Answer:
    fields: dict  # name -> array
    contacts: list
    rows: dict  # type, J (rows, nv), pos, aref, D, force
    # First row of each contact, -1 for none; None where the answer does not say.
    row_of_contact: list | None = None


def mujoco_forward(model, data, state):
    """MuJoCo's own answer."""
    states.apply(model, data, state)
    mujoco.mj_forward(model, data)
    return mujoco_answer(model, data)


def mujoco_answer(model, data):
    fields = {name: np.array(getattr(data, name)) for name in FIELDS}
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    fields["M"] = full
    contacts = [
        Contact(
            dist=float(c.dist),
            pos=c.pos.copy(),
            frame=c.frame.reshape(3, 3).copy(),
            geoms=tuple(int(g) for g in c.geom),
            dim=int(c.dim) if c.efc_address >= 0 else 0,
        )
        for c in data.contact
    ]
    rows = {"type": np.array(data.efc_type, int), "J": np.array(data.efc_J).reshape(data.nefc, model.nv)}
    for name in ROW_FIELDS[1:]:
        rows[name] = np.array(getattr(data, f"efc_{name}"))
    return Answer(fields, contacts, rows, [int(c.efc_address) for c in data.contact])


def rows_per_contact(dim):
    return dim if dim <= 1 else 2 * (dim - 1)
