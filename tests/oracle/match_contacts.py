"""Pairs up the contacts of two answers: as sets per geom pair, each with the nearest position. Order means nothing."""

import numpy as np

# Pairs that MuJoCo leaves to its general convex routine (GJK/EPA, iterative).
SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 2, 3, 4, 5, 6
CLOSED_FORM = {(SPHERE, s) for s in (SPHERE, CAPSULE, CYLINDER, BOX)} | {(CAPSULE, CAPSULE), (CAPSULE, BOX), (BOX, BOX)}


def is_convex(model, geoms):
    """True if contacts of these two geoms come from the general convex routine."""
    first, second = sorted(int(model.geom_type[g]) for g in geoms)
    return first >= SPHERE and (first, second) not in CLOSED_FORM


def match(ours, theirs):
    """(pairs of indices, geom pairs whose counts differ). Contacts of such geom pairs are left out of the first."""
    groups = {}
    for side, contacts in enumerate((ours, theirs)):
        for index, contact in enumerate(contacts):
            groups.setdefault(contact.geoms, ([], []))[side].append(index)
    pairs, unequal = [], []
    for geoms, (mine, other) in groups.items():
        if len(mine) != len(other):
            unequal.append(geoms)
            continue
        pairs += nearest(ours, theirs, mine, other)
    return pairs, unequal


def nearest(ours, theirs, mine, other):
    """Greedy: the closest two first."""
    distance = np.array([[np.linalg.norm(ours[i].pos - theirs[j].pos) for j in other] for i in mine])
    distance = np.where(np.isfinite(distance), distance, np.inf)
    pairs = []
    for _ in mine:
        i, j = np.unravel_index(np.argmin(distance), distance.shape)
        if not np.isfinite(distance[i, j]):
            distance[i, j] = np.inf
            free_i = [k for k in range(len(mine)) if mine[k] not in [p[0] for p in pairs]]
            free_j = [k for k in range(len(other)) if other[k] not in [p[1] for p in pairs]]
            i, j = free_i[0], free_j[0]
        pairs.append((mine[i], other[j]))
        distance[i, :] = np.inf
        distance[:, j] = np.inf
    return pairs


def contact_fields(model, ours, theirs, pairs):
    """Name -> (our array, their array): closed-form contacts and those of the convex routine apart."""
    fields = {}
    for convex, suffix in ((False, ""), (True, " (convex)")):
        chosen = [(i, j) for i, j in pairs if is_convex(model, theirs[j].geoms) == convex]
        a, b = [ours[i] for i, _ in chosen], [theirs[j] for _, j in chosen]
        fields[f"contact dist{suffix}"] = [c.dist for c in a], [c.dist for c in b]
        fields[f"contact pos{suffix}"] = [c.pos for c in a], [c.pos for c in b]
        fields[f"contact normal{suffix}"] = [c.frame[0] for c in a], [c.frame[0] for c in b]
        if not convex:
            fields["contact frame"] = [c.frame for c in a], [c.frame for c in b]
            fields["contact dim"] = [c.dim for c in a], [c.dim for c in b]
    return {name: (np.asarray(a, float), np.asarray(b, float)) for name, (a, b) in fields.items()}
