"""Pairs up constraint rows: friction rows by dof, limit rows by joint and side, contact rows by their contact and edge.

Each row gets a key that both sides share; rows are then compared key by key.
"""

import numpy as np

from answer import FRICTION, FRICTIONLESS, LIMIT, PYRAMIDAL, rows_per_contact


class UnknownRow(ValueError):
    """A row that is neither friction, limit nor contact, or contact rows that do not add up."""


def row_keys(model, answer, contact_names):
    """The key of each row. `contact_names[i]` is what contact i is called on both sides. Where an answer does not say which
    rows a contact has, they follow in the contacts' order."""
    rows = answer.rows
    count = len(rows["type"])
    keys = [None] * count
    free = []
    for row in range(count):
        jacobian = rows["J"][row]
        dofs = np.flatnonzero(jacobian)
        kind = int(rows["type"][row])
        if kind == FRICTION:
            if len(dofs) != 1:
                raise UnknownRow(f"friction row {row} has {len(dofs)} dofs")
            keys[row] = ("friction", int(dofs[0]))
        elif kind == LIMIT:
            joints = {int(model.dof_jntid[d]) for d in dofs}
            if len(joints) != 1:
                raise UnknownRow(f"limit row {row} acts on joints {sorted(joints)}")
            joint = joints.pop()
            ball = model.jnt_type[joint] == 1
            keys[row] = ("limit", joint, 0 if ball else int(np.sign(jacobian[dofs[0]])))
        elif kind in (FRICTIONLESS, PYRAMIDAL):
            free.append(row)
        else:
            raise UnknownRow(f"row {row} has type {kind}")
    for contact, name in enumerate(contact_names):
        size = rows_per_contact(answer.contacts[contact].dim)
        if answer.row_of_contact is not None:
            first = answer.row_of_contact[contact]
            own = list(range(first, first + size)) if first >= 0 else []
        else:
            own, free = free[:size], free[size:]
            if len(own) != size:
                raise UnknownRow(f"contact {contact} lacks rows")
        for edge, row in enumerate(own):
            keys[row] = ("contact", name, edge)
    left = [row for row in range(count) if keys[row] is None]
    if left:
        raise UnknownRow(f"rows {left[:4]} belong to no contact")
    return keys


def compare_keys(ours, theirs):
    """A sentence about rows that only one side has, or None."""
    only_ours, only_theirs = set(ours) - set(theirs), set(theirs) - set(ours)
    if len(set(ours)) != len(ours):
        return "a row appears twice"
    if only_ours or only_theirs:
        return f"rows only in Phalanx: {sorted(only_ours, key=str)[:3]}, only in MuJoCo: {sorted(only_theirs, key=str)[:3]}"
    return None


def in_order(rows, keys, wanted):
    """The rows in the order of `wanted` keys."""
    place = {key: index for index, key in enumerate(keys)}
    order = [place[key] for key in wanted]
    return {name: np.asarray(values)[order] for name, values in rows.items()}
