"""Compares every pair of the narrow phase with MuJoCo 4.0.0, and its float build with its double build.

    python tests/oracle/narrowphase/compare.py [--cases 3000] [--pair box_box] [--seed 0]

Poses are random, parallel, turned by quarters, nearly so (1e-3, 1e-5 radians), on a grid, and stacked so that faces touch;
depths reach from far apart to one inside the other. Tolerances are those of docs/comparison.md: where MuJoCo disagrees with
itself after moves of 1e-13 and after a rigid motion of the whole scene, ten times its own spread. Exits 1 on a failure.
"""

import argparse
import itertools
import sys

import numpy as np

from oracle import TYPES, MuJoCo, Phalanx, Pose, frames_of_scene

ANALYTIC = {"dist": 1e-10, "pos": 1e-9, "normal": 1e-9}  # relative to a metre; near-parallel edges cost digits
CONVEX = {"dist": 1e-6, "pos": 1e-5, "normal": 1e-4}
DRAWS = 5
SPREAD_FLOOR, SPREAD_FACTOR = 1e-8, 10
# Float against double. An analytic pair loses digits to its coordinates (1 m, eps 6e-8, a few dozen operations); EPA stops
# at 40 corners, and its depth is then an upper bound.
FLOAT_DEPTH, FLOAT_CONVEX_DEPTH = 2e-5, 2e-2
FLOAT_DEEP = 1e-4
FRAME = 1e-8  # of contacts whose normals agree to 1e-9
# Contacts that MuJoCo lays on a face of a box that does not look along the normal (flat_contact.h says why we do not).
DEPARTURE_LIMIT = 0.05
# Cases where the rim or side of a cylinder meets an edge or a corner of a box, MuJoCo keeps its one contact, and we lay an
# edge on the face beside it, as MuJoCo does in most such cases: which, hangs on the last simplex of its GJK or EPA.
# Brute force over directions in double says that the one contact is exact; ours is off by up to 14 degrees.
LAID_LIMIT = 0.002
LAID_COSINE = 0.97
# Where directions far apart part the shapes alike (crossed cylinders, a cylinder's axis on a box's edge) EPA ends at its limit of
# corners, MuJoCo's as ours, with a depth that is up to this much too large.
EPA_EXCESS = 1e-4
TOUCHING = 5e-6  # MuJoCo's distance and its error where shapes just touch

CONVEX_PAIRS = {
    "sphere_ellipsoid", "capsule_ellipsoid", "capsule_cylinder", "ellipsoid_ellipsoid", "ellipsoid_cylinder",
    "ellipsoid_box", "cylinder_cylinder", "cylinder_box",
}
FLAT_PAIRS = {"capsule_cylinder", "cylinder_cylinder", "cylinder_box"}
MODES = ["random", "parallel", "quarter", "aligned", "near 1e-3", "near 1e-5", "grid", "stack", "stack", "lean"]


def rotation(rng, size=None):
    w = rng.normal(size=3)
    angle = np.linalg.norm(w) * size if size else rng.uniform(0, np.pi)
    x, y, z = w / np.linalg.norm(w)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def quarter_turn(rng):
    m = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1], 3)[:, None]
    return m if np.linalg.det(m) > 0 else m * np.array([[-1], [1], [1]])


def reach(shape, size, local):
    """How far a shape reaches along a direction of its own frame."""
    d = np.asarray(local)
    if shape == "sphere":
        return size[0]
    if shape == "capsule":
        return size[0] + size[1] * abs(d[2])
    if shape == "ellipsoid":
        return np.linalg.norm(size * d)
    if shape == "cylinder":
        return size[0] * np.hypot(d[0], d[1]) + size[1] * abs(d[2])
    return np.abs(size * d).sum() if shape == "box" else 0.0


def draw_case(rng, a, b, index):
    mode = MODES[index % len(MODES)]
    s1, s2 = rng.uniform(0.1, 1, 3), rng.uniform(0.1, 1, 3)
    r1, r2 = rotation(rng), rotation(rng)
    p1 = rng.normal(size=3) * 0.6
    p2 = p1 + rng.normal(size=3) * rng.choice([0.1, 0.8, 1.5])
    margin = rng.choice([0, 0.05, 0.3])
    if mode == "parallel":
        r2 = r1
    elif mode == "quarter":
        r2 = r1 @ quarter_turn(rng)
    elif mode == "aligned":
        r1, r2 = np.eye(3), quarter_turn(rng)
    elif mode.startswith("near"):
        r2 = r1 @ quarter_turn(rng) @ rotation(rng, float(mode.split()[1]))
    elif mode == "grid":
        r1, r2 = quarter_turn(rng), quarter_turn(rng)
        p1, p2 = rng.integers(-2, 3, 3) * 0.25, rng.integers(-2, 3, 3) * 0.25
        s1, s2 = rng.integers(1, 4, 3) * 0.25, rng.integers(1, 4, 3) * 0.25
    elif mode in ("stack", "lean"):
        axis = rng.integers(3)
        along = np.eye(3)[axis]
        turn = quarter_turn(rng)
        spin = rotation(rng, 0.02 if mode == "stack" else 0.2) if rng.random() < 0.5 else np.eye(3)
        local = spin @ turn
        aside = rng.normal(size=3) * 0.3 * (1 - along)
        height = reach(a, s1, along) + reach(b, s2, local.T @ along) - rng.choice([1e-4, 0.01, 0.1, -0.03])
        r2 = r1 @ local
        p2 = p1 + r1 @ (along * height + aside)
    return Pose(p1, r1, s1), Pose(p2, r2, s2), float(margin)


def match(ours, theirs):
    """The largest difference of dist, pos and normal between two sets of equal size, matched by position and normal."""
    if len(ours) != len(theirs):
        return None
    worst = np.zeros(3)
    free = list(range(len(theirs)))
    for row in ours:
        j = min(free, key=lambda k: np.abs(row[:7] - theirs[k, :7]).sum())
        free.remove(j)
        d = np.abs(row[:7] - theirs[j, :7])
        worst = np.maximum(worst, [d[0], d[1:4].max(), d[4:7].max()])
    return worst


def near_margin(mine, theirs, margin):
    """Whether the sets differ only by contacts at the very edge of the margin."""
    return abs(len(mine) - len(theirs)) > 0 and all(
        (np.abs(rows[:, 0] - margin) < 1e-9).all() for rows in (mine, theirs) if len(rows)
    )


def depth_along(a, b, pose1, pose2, normal):
    """How far the second shape must move along the normal to part from the first."""
    return reach(a, pose1.size, pose1.mat.T @ normal) + reach(b, pose2.size, pose2.mat.T @ normal) - normal @ (pose2.pos - pose1.pos)


def as_good(a, b, pose1, pose2, mine, theirs):
    """Whether our answer to a convex pair is no worse than MuJoCo's, where the answer is not unique or ill determined: apart,
    our points are no farther from each other; overlapping, our move that parts the shapes is no longer, and as we say."""
    if not len(mine) or not len(theirs):
        return False
    turned = np.abs(mine[0, 4:7] - theirs[0, 4:7]).max()
    if theirs[:, 0].min() >= 0:
        return len(mine) == len(theirs) == 1 and mine[0, 0] <= theirs[0, 0] + 1e-9 and turned < 1e-3
    ours, other = (depth_along(a, b, pose1, pose2, rows[0, 4:7]) for rows in (mine, theirs))
    unlike = turned > 0.4 or len(mine) == len(theirs) == 1
    return unlike and ours <= other + 1e-7 and abs(ours + mine[:, 0].min()) < 1e-6


def part_alike(a, b, pose1, pose2, mine, theirs):
    """Whether two directions far apart part overlapping shapes equally well, and our depth is that, or is measured across a face
    near one of them."""
    if not len(mine) or not len(theirs) or np.abs(mine[0, 4:7] - theirs[0, 4:7]).max() < 0.1:
        return False
    ours, other = (depth_along(a, b, pose1, pose2, rows[0, 4:7]) for rows in (mine, theirs))
    across = 1e-6 if len(mine) == 1 else 0.05 * max(pose1.size.max(), pose2.size.max())
    return ours > 0 and abs(ours - other) < EPA_EXCESS and abs(ours + mine[:, 0].min()) < across


def is_inside(shape, pose, point):
    """Whether the shape, grown by the tolerance of contact points, holds the point."""
    local, size, grown = pose.mat.T @ (point - pose.pos), pose.size, CONVEX["pos"]
    if shape == "box":
        return (np.abs(local) <= size + grown).all()
    over = np.abs(local[2]) - size[1]
    if shape == "capsule":
        return np.hypot(np.hypot(local[0], local[1]), max(over, 0)) <= size[0] + grown
    return np.hypot(local[0], local[1]) <= size[0] + grown and over <= grown


def same_distance(a, b, pose1, pose2, mine, theirs):
    """Whether every contact of both sets is a pair of points of the two shapes that are as near, or as deep, as any. How many
    of them a set has is a question of rounding: a line lies on the rim of a face, or what two faces share is a sliver."""
    rows = np.vstack([mine[:, :7], theirs[:, :7]])
    exact = [abs(row[0] + depth_along(a, b, pose1, pose2, row[4:7])) < TOUCHING for row in rows]
    held = [
        is_inside(shape, pose, row[1:4] + side * row[0] * row[4:7])
        for row in rows
        for shape, pose, side in ((a, pose1, -0.5), (b, pose2, 0.5))
    ]
    return len(mine) and len(theirs) and all(exact) and all(held) and np.ptp(rows[:, 0]) < TOUCHING


def is_laid(a, b, pose1, pose2, mine, theirs):
    """Whether MuJoCo's set is the one exact contact, and ours lies on a face beside its normal."""
    if len(theirs) != 1 or not len(mine):
        return False
    exact = abs(theirs[0, 0] + depth_along(a, b, pose1, pose2, theirs[0, 4:7])) < CONVEX["dist"]
    flats = np.vstack([pose.mat.T if shape == "box" else pose.mat.T[2:] for shape, pose in ((a, pose1), (b, pose2))])
    on_face = np.abs(flats @ mine[0, 4:7]).max() > 1 - 1e-9
    return exact and on_face and LAID_COSINE < mine[0, 4:7] @ theirs[0, 4:7] < 1 - 1e-6


def same_flat(mine, theirs):
    """Whether both are four corners of one flat contact, and ours span an area that is larger or of like size. Which four is
    a question of rounding where the cap of a cylinder makes the areas equal."""
    if len(mine) != 4 or len(theirs) != 4 or np.abs(mine[:, 4:7] - theirs[0, 4:7]).max() > 1e-4:
        return False
    points, normal = np.vstack([mine[:, :7], theirs[:, :7]]), theirs[0, 4:7]
    u = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    flat = np.c_[points[:, 1:4] @ u, points[:, 1:4] @ v, np.ones(8)]
    residual = points[:, 0] - flat @ np.linalg.lstsq(flat, points[:, 0], rcond=None)[0]

    def area(corners):
        middle = corners - corners.mean(0)
        x, y = middle[np.argsort(np.arctan2(middle[:, 1], middle[:, 0]))].T
        return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2

    return np.abs(residual).max() < 1e-6 and area(flat[:4, :2]) > 0.75 * area(flat[4:, :2])


def moved_scene(rng, pose1, pose2):
    """The scene after a rigid motion and a move of 1e-13, and the way back for rows of contacts."""
    r, p = rotation(rng), rng.normal(size=3)
    poses = [Pose(r @ q.pos + p, r @ q.mat, q.size).moved(rng, 1e-13) for q in (pose1, pose2)]

    def back(rows):
        rows = rows.copy()
        rows[:, 1:4] = (rows[:, 1:4] - p) @ r
        rows[:, 4:7] = rows[:, 4:7] @ r
        return rows

    return poses, back


class Report:
    def __init__(self):
        self.cases = self.contacts = self.counts = self.spread = self.departures = self.laid = self.failures = 0
        self.worst = np.zeros(3)
        self.examples = []


def compare_pair(mj, ours, a, b, cases, seed):
    pair, rng, report = f"{a}_{b}", np.random.default_rng(seed), Report()
    convex = pair in CONVEX_PAIRS
    limit = np.array([(CONVEX if convex else ANALYTIC)[k] for k in ("dist", "pos", "normal")])
    for index in range(cases):
        pose1, pose2, margin = draw_case(rng, a, b, index)
        mj.accuracy(converged=convex)
        theirs, mine = mj.collide(a, b, pose1, pose2, margin), ours.collide(a, b, pose1, pose2, margin)
        report.cases += 1
        report.contacts += len(theirs)
        error = match(mine, theirs)
        if error is not None and (error <= limit).all():
            report.worst = np.maximum(report.worst, error)
            continue
        # MuJoCo's own spread.
        draws, agree = [], 0
        for k in range(DRAWS):
            (q1, q2), back = moved_scene(rng, pose1, pose2)
            draws.append(back(mj.collide(a, b, q1, q2, margin)))
            here = match(back(ours.collide(a, b, q1, q2, margin)), draws[-1])
            agree += here is not None and (here <= limit).all()
        if convex:
            mj.accuracy(converged=False)
            draws.append(mj.collide(a, b, pose1, pose2, margin))
        own = [match(d, theirs) for d in draws]
        if agree == DRAWS or near_margin(mine, theirs, margin) or (
            convex and (as_good(a, b, pose1, pose2, mine, theirs) or same_flat(mine, theirs))
        ) or (
            pair in FLAT_PAIRS and same_distance(a, b, pose1, pose2, mine, theirs)
        ) or any(o is None for o in own) or any(
            (e := match(mine, d)) is not None and (e <= limit).all() for d in draws
        ):
            report.spread += 1
            continue
        tolerance = SPREAD_FLOOR + SPREAD_FACTOR * np.max(own, axis=0)
        if error is not None and (error <= np.maximum(tolerance, limit)).all():
            report.spread += 1
            continue
        if pair in FLAT_PAIRS and is_laid(a, b, pose1, pose2, mine, theirs):
            report.laid += 1
            continue
        if pair in FLAT_PAIRS:
            mj.accuracy(converged=True)
            mj.several(False)
            single = mj.collide(a, b, pose1, pose2, margin)
            mj.several(True)
            if len(single) and abs(single[0, 4:7] @ theirs[0, 4:7]) < 0.995:
                report.departures += 1
                continue
            if part_alike(a, b, pose1, pose2, mine, theirs):
                report.spread += 1
                continue
        report.failures += 1
        report.counts += error is None
        report.examples.append((MODES[index % len(MODES)], theirs[:, :7], mine[:, :7]))
    if report.departures > DEPARTURE_LIMIT * cases or report.laid > LAID_LIMIT * cases:
        report.failures += 1
    return report


def compare_float(double, single, a, b, cases, seed):
    """Worst and 99th percentile of the difference of the deepest dist; NaNs; deep contacts lost."""
    rng, errors, bad, lost = np.random.default_rng(seed), [], 0, 0
    for index in range(cases):
        pose1, pose2, margin = draw_case(rng, a, b, index)
        pose1, pose2 = (Pose(*(x.astype(np.float32) for x in (p.pos, p.mat, p.size))) for p in (pose1, pose2))
        margin = float(np.float32(margin))
        d, s = double.collide(a, b, pose1, pose2, margin), single.collide(a, b, pose1, pose2, margin)
        bad += not np.isfinite(s).all() or not np.isfinite(d).all()
        if len(d) and not len(s):
            lost += d[:, 0].min() < min(margin, 0) - FLOAT_DEEP
        elif len(d):
            errors.append(abs(d[:, 0].min() - s[:, 0].min()))
    return max(errors), np.quantile(errors, 0.99), bad, lost


def compare_frames(ours, a, b, cases, seed):
    """Contact frames and the margin through all of mj_collision."""
    rng, worst, counts = np.random.default_rng(seed), 0.0, 0
    for index in range(0, cases):
        pose1, pose2, margin = draw_case(rng, a, b, index * len(MODES))
        if a == "plane":
            pose1.mat, pose1.pos = np.eye(3), np.zeros(3)
        (q1, q2), theirs = frames_of_scene(a, b, pose1, pose2, margin)
        mine = ours.collide(a, b, q1, q2, margin)
        if len(mine) != len(theirs):
            counts += 1
            continue
        for row in theirs:
            close = [m for m in mine if np.abs(m[4:7] - row[4:7]).max() < 1e-9]
            worst = max([worst] + [np.abs(m[10:19] - row[4:13]).max() for m in close[:1]])
    return worst, counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pair")
    options = parser.parse_args()
    mj, double, single = MuJoCo(), Phalanx("f64"), Phalanx("f32")
    failed = False
    print("pair                  cases contacts |    dist      pos   normal | counts spread depart laid fail |   frame |"
          "  f32 max  f32 99% NaN lost")
    for a, b in itertools.combinations_with_replacement(TYPES, 2):
        pair = f"{a}_{b}"
        if pair == "plane_plane" or options.pair not in (None, pair):
            continue
        r = compare_pair(mj, double, a, b, options.cases, options.seed)
        frame, frame_counts = compare_frames(double, a, b, 40, options.seed)
        worst, most, bad, lost = compare_float(double, single, a, b, options.cases, options.seed)
        float_limit = FLOAT_CONVEX_DEPTH if pair in CONVEX_PAIRS else FLOAT_DEPTH
        fail = r.failures or bad or lost or most > float_limit or frame > FRAME or frame_counts
        failed |= bool(fail)
        print(f"{pair:21} {r.cases:5} {r.contacts:8} | {r.worst[0]:7.1e}  {r.worst[1]:7.1e}  {r.worst[2]:7.1e} | {r.counts:6}"
              f" {r.spread:6} {r.departures:6} {r.laid:4} {r.failures:4} | {frame:7.1e} | {worst:8.1e} {most:8.1e} {bad:3} {lost:4}"
              f"{'  FAILED' if fail else ''}", flush=True)
        for mode, theirs, mine in r.examples[:2]:
            print(f"    {mode}: MuJoCo\n{theirs}\n    Phalanx\n{mine}")
    return 1 if failed else 0


if __name__ == "__main__":
    np.set_printoptions(precision=8, linewidth=150, suppress=True)
    sys.exit(main())
