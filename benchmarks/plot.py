#!/usr/bin/env python3
"""Draws a benchmark's table: environment steps per second against the number of environments, a panel for each scene.

    python3 benchmarks/plot.py RESULTS.csv [MORE.csv ...] OUT.svg

Both axes are logarithmic. Solid is Phalanx, dashed the peer. Nothing is needed but Python; lines of a table that begin with # are
comments.
"""
import csv
import math
import sys

WIDTH, HEIGHT, COLUMNS = 320, 240, 3  # of a panel, and panels side by side
LEFT, RIGHT, TOP, BOTTOM = 52, 20, 30, 40  # room around a plot
OURS, PEER, GRID, TEXT = "#1a56b0", "#c2571a", "#dddddd", "#333333"


def main():
    *tables, out = sys.argv[1:]
    if not tables:
        sys.exit(__doc__)
    rows = [row for table in tables for row in read(table)]
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    peer = next((row["peer"] for row in rows if row.get("peer")), "")
    xs = [float(row["envs"]) for row in rows]
    ys = [float(row[key]) for row in rows for key in ("steps_per_second", "peer_steps_per_second") if row.get(key)]
    axes = Axes(decades(xs), decades(ys))
    columns = min(COLUMNS, len(scenes))
    width, height = columns * WIDTH, math.ceil(len(scenes) / columns) * HEIGHT + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             f'font-family="sans-serif" font-size="11" fill="{TEXT}">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for index, scene in enumerate(scenes):
        x, y = index % columns * WIDTH, index // columns * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">{panel(scene, [row for row in rows if row["scene"] == scene], axes)}</g>')
    parts.append(legend(rows[0], peer, height - 12))
    with open(out, "w") as file:
        file.write("\n".join(parts) + "\n</svg>\n")


class Axes:
    """Maps numbers to places in a panel; both axes go from a power of ten to another."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def across(self, value):
        low, high = self.x
        return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def up(self, value):
        low, high = self.y
        return HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def panel(scene, rows, axes):
    parts = [f'<text x="{LEFT}" y="20" font-weight="bold">{scene.replace("_", " ")}</text>']
    for power in range(axes.x[0], axes.x[1] + 1):
        x = axes.across(10**power)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{with_unit(10**power)}</text>')
    for power in range(axes.y[0], axes.y[1] + 1):
        y = axes.up(10**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{with_unit(10**power)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">environments</text>')
    parts.append(curve(rows, "peer_steps_per_second", axes, PEER, ' stroke-dasharray="5 3"'))
    parts.append(curve(rows, "steps_per_second", axes, OURS, ""))
    return "".join(parts)


def curve(rows, key, axes, colour, dashes):
    points = sorted((float(row["envs"]), float(row[key])) for row in rows if row.get(key))
    places = [(axes.across(x), axes.up(y)) for x, y in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"><title>{envs:.0f}: {with_unit(speed)}</title></circle>'
                   for (x, y), (envs, speed) in zip(places, points))
    return f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{dashes}/>{dots}'


def legend(row, peer, y):
    known = [row[key] for key in ("device", "commit") if row.get(key)]
    text = ", ".join(["environment steps per second", *known])
    peer = f'<tspan fill="{PEER}" dx="12">- - {peer}</tspan>' if peer else ""
    return f'<text x="{LEFT}" y="{y}">{text}<tspan fill="{OURS}" dx="12">— Phalanx</tspan>{peer}</text>'


def decades(values):
    """Whole powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def with_unit(value):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def read(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


if __name__ == "__main__":
    main()
