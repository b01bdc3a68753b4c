"""Writes vectors.txt: values of the functions with 50 digits, by mpmath (PyPI), at random points of their domains.

    pip install mpmath==1.4.1
    python vectors.py > vectors.txt

Each line: function, value, numbers. Written from the sources' formulas; minima are found here, not stated.
"""

import random

import mpmath as mp

mp.mp.dps = 50
rng = random.Random(9)

PEAK = mp.findroot(lambda x: mp.diff(lambda y: y * mp.sin(mp.sqrt(y)), x), 421)
PEAK = PEAK * mp.sin(mp.sqrt(PEAK))
WELL = min(mp.polyval([0.5, 0, -8, 2.5, 0], root) for root in mp.polyroots([2, 0, -16, 2.5], maxsteps=200, extraprec=200))


def levy(x):
    w = [1 + (t - 1) / 4 for t in x]
    inner = sum((t - 1) ** 2 * (1 + 10 * mp.sin(mp.pi * t + 1) ** 2) for t in w[:-1])
    return mp.sin(mp.pi * w[0]) ** 2 + inner + (w[-1] - 1) ** 2 * (1 + mp.sin(2 * mp.pi * w[-1]) ** 2)


def zakharov(x):
    s = sum(mp.mpf(i) / 2 * t for i, t in enumerate(x, 1))
    return sum(t * t for t in x) + s**2 + s**4


FUNCTIONS = {
    "sphere": (5.12, 5.12, lambda x: sum(t**2 for t in x)),
    "rosenbrock": (5, 10, lambda x: sum(100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))),
    "rastrigin": (5.12, 5.12, lambda x: 10 * len(x) + sum(t**2 - 10 * mp.cos(2 * mp.pi * t) for t in x)),
    "ackley": (
        32.768,
        32.768,
        lambda x: -20 * mp.exp(-mp.mpf("0.2") * mp.sqrt(sum(t**2 for t in x) / len(x)))
        - mp.exp(sum(mp.cos(2 * mp.pi * t) for t in x) / len(x)) + 20 + mp.e,
    ),
    "griewank": (
        600,
        600,
        lambda x: 1 + sum(t**2 for t in x) / 4000 - mp.fprod(mp.cos(t / mp.sqrt(i)) for i, t in enumerate(x, 1)),
    ),
    "schwefel": (500, 500, lambda x: sum(PEAK - t * mp.sin(mp.sqrt(abs(t))) for t in x)),
    "styblinski-tang": (5, 5, lambda x: sum((t**4 - 16 * t**2 + 5 * t) / 2 - WELL for t in x)),
    "levy": (10, 10, levy),
    "zakharov": (5, 10, zakharov),
}

for name, (below, above, function) in FUNCTIONS.items():
    for n in (2, 5, 10):
        for case in range(20):
            # Halves of the points lie near the middle, where values are small.
            scale = 1 if case < 10 else 0.01
            x = [rng.uniform(-below, above) * scale for _ in range(n)]
            print(name, mp.nstr(function([mp.mpf(t) for t in x]), 17), *(repr(t) for t in x))
