"""Fits the polynomials of kernels/math: minimax by Remez' exchange, coefficients rounded to float one after the other.

    python3 tests/oracle/math/fit.py        prints every polynomial with its error

Rounding, on intervals that begin at 0: the lowest coefficient is rounded to float and held, the rest is fitted again, and
so on upwards, so each coefficient makes up for the rounding of those below it. Across 0 all are rounded at once.
"""
import struct
import mpmath as mp

mp.mp.prec = 160


def to_float(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def remez(target, weight, low, high, powers, rounds=12):
    """Coefficients c of sum c_k u^powers[k] that minimise the largest |weight (target - sum)| over [low, high]."""
    n = len(powers)
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / 601)) / 2 for i in range(602)]
    targets, weights = [target(u) for u in grid], [weight(u) for u in grid]
    chosen = [round(601 * k / n) for k in range(n + 1)]
    for _ in range(rounds):
        a, b = mp.matrix(n + 1), mp.matrix(n + 1, 1)
        for row, i in enumerate(chosen):
            for k, power in enumerate(powers):
                a[row, k] = grid[i] ** power * weights[i]
            a[row, n], b[row] = (-1) ** row, targets[i] * weights[i]
        c = list(mp.lu_solve(a, b))[:n]
        error = [w * (t - sum(ck * u**p for ck, p in zip(c, powers))) for u, t, w in zip(grid, targets, weights)]
        # One extreme point of each run of equal sign; the smallest at an end goes while there are too many.
        runs = [[0]]
        for i in range(1, len(grid)):
            if (error[i] > 0) == (error[i - 1] > 0):
                runs[-1].append(i)
            else:
                runs.append([i])
        peaks = [max(run, key=lambda i: abs(error[i])) for run in runs]
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) < n + 1:
            break
        if peaks == chosen:
            break
        chosen = peaks
    return c, max(abs(e) for e in error)


def fit(name, target, weight, low, high, count):
    fixed = []
    for k in range(count):
        rest = lambda u: target(u) - sum(mp.mpf(c) * u**j for j, c in enumerate(fixed))
        c, best = remez(rest, weight, low, high, list(range(k, count)))
        if k == 0:
            ideal = best
            if low < 0:
                fixed = [to_float(ck) for ck in c]
                break
        fixed.append(to_float(c[0]))
    grid = [low + (high - low) * (i + mp.mpf(0.5)) / 2000 for i in range(2000)]
    error = max(abs(weight(u) * (target(u) - sum(mp.mpf(c) * u**j for j, c in enumerate(fixed)))) for u in grid)
    print(f"{name}: largest relative error 2^{float(mp.log(error, 2)):.2f} (unrounded 2^{float(mp.log(ideal, 2)):.2f})")
    print("   ", ", ".join(f"{c:.9g}f" for c in fixed))


def main():
    tiny, root = mp.mpf(2) ** -40, mp.sqrt
    quarter = (mp.pi / 4 * (1 + mp.mpf(2) ** -18)) ** 2
    fit("sine: (sin r - r) / r^3 in r^2", lambda u: (mp.sin(root(u)) - root(u)) / root(u) ** 3,
        lambda u: root(u) ** 3 / mp.sin(root(u)), tiny, quarter, 3)
    fit("cosine: (cos r - 1) / r^2 in r^2", lambda u: (mp.cos(root(u)) - 1) / u, lambda u: u / mp.cos(root(u)),
        tiny, quarter, 4)
    fit("arc tangent: (atan t - t) / t^3 in t^2", lambda u: (mp.atan(root(u)) - root(u)) / root(u) ** 3,
        lambda u: root(u) ** 3 / mp.atan(root(u)), tiny, mp.mpf(1), 9)
    fit("exponential: (exp r - 1 - r) / r^2 in r", lambda r: (mp.expm1(r) - r) / r**2 if r else mp.mpf(0.5),
        lambda r: r**2 / mp.exp(r), -mp.log(2) / 2 * 1.0001, mp.log(2) / 2 * 1.0001, 5)
    fit("logarithm: (log(1 + f) - f + f^2 / 2) / f^3 in f",
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 if f else mp.mpf(1) / 3,
        lambda f: f**3 / mp.log1p(f) if f else mp.mpf(0), -mp.mpf(1) / 3, mp.mpf(1) / 3, 8)
    fit("power's logarithm: (2 atanh s - 2 s) / s^3 in s^2", lambda u: (2 * mp.atanh(root(u)) - 2 * root(u)) / root(u) ** 3,
        lambda u: root(u) ** 3 / (2 * mp.atanh(root(u))), tiny, ((root(2) - 1) / (root(2) + 1)) ** 2 * 1.0001, 4)
    for name, value, parts in (("pi / 2", mp.pi / 2, 3), ("pi / 2 times 2^-62", mp.pi * mp.mpf(2) ** -63, 2), ("pi", mp.pi, 2),
                               ("2 / pi", 2 / mp.pi, 1), ("1 / log 2", 1 / mp.log(2), 1), ("log 2", mp.log(2), 2)):
        split = []
        for _ in range(parts):
            split.append(to_float(value - sum(map(mp.mpf, split))))
        print(f"{name} in floats:", ", ".join(f"{c:.9g}f" for c in split))
    head = mp.floor(mp.log(2) * 2**15) / 2**15
    print(f"log 2, 15 bits and the rest: {float(head):.9g}f, {to_float(mp.log(2) - head):.9g}f")
    mp.mp.prec = 400
    words = [int(mp.floor(2 / mp.pi * mp.mpf(2) ** (32 * (i + 1)))) & 0xFFFFFFFF for i in range(7)]
    print("2 / pi in words:", ", ".join(f"0x{word:08x}" for word in words))


if __name__ == "__main__":
    main()
