"""Expected runtimes of the (1+1) and the (1+lambda) evolutionary algorithm, exactly, from the definitions alone.

    pip install numpy==2.4.6
    python exact.py > exact.txt

Every string of n bits is a state. A child flips each bit of its parent with probability 1/n; the best of lambda children, one of
the best with equal chances, replaces the parent if it is better, and if it is as good, always ("children"; Droste, Jansen and
Wegener 2002, Jansen, De Jong and Wegener 2005), never ("parents") or with probability 1/2 (one child, "random"). The expected
numbers of generations to an optimum solve (I - P) t = 1; the first parent is uniform.

Each line: function, n, lambda, ties, expected generations, their standard deviation in one run.
"""

from functools import partial

import numpy as np


def one_max(bits):
    return bits.sum(axis=1)


def leading_ones(bits):
    return np.cumprod(bits, axis=1).sum(axis=1)


def jump(k, bits):
    """Droste, Jansen and Wegener (2002): a valley of k - 1 counts below the string of ones."""
    ones, n = bits.sum(axis=1), bits.shape[1]
    return np.where((ones <= n - k) | (ones == n), k + ones, n - ones)


def ising_ring(bits):
    """Neighbours on a ring that are equal."""
    return (bits == np.roll(bits, 1, axis=1)).sum(axis=1)


def neutrality(bits):
    """OneMax of the majorities of every three bits."""
    return (bits.reshape(len(bits), -1, 3).sum(axis=2) >= 2).sum(axis=1)


def runtime(function, n, offspring, ties):
    states = np.arange(2**n)
    bits = (states[:, None] >> np.arange(n)) & 1
    value = function(bits)
    distance = np.bitwise_count(states[:, None] ^ states)
    child = (1 / n) ** distance * (1 - 1 / n) ** (n - distance)
    # The best of several: at most so good all of them, less worse than that all of them; of the best any.
    best = np.zeros_like(child)
    below = np.zeros(len(states))
    for level in np.unique(value):
        at = value == level
        upto = below + child[:, at].sum(axis=1)
        share = np.divide(upto**offspring - below**offspring, upto - below, where=upto > below, out=np.zeros(len(states)))
        best[:, at] = child[:, at] * share[:, None]
        below = upto
    taken = {"children": 1.0, "parents": 0.0, "random": 0.5}[ties]
    better, equal = value[None, :] > value[:, None], value[None, :] == value[:, None]
    moves = best * (better + taken * equal)
    np.fill_diagonal(moves, 0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    way = value < value.max()
    system = np.eye(way.sum()) - moves[np.ix_(way, way)]
    mean = np.linalg.solve(system, np.ones(way.sum()))
    # Second moments: (I - P) s = 2 t - 1.
    square = np.linalg.solve(system, 2 * mean - 1)
    start = 1 / len(states)
    expected = mean.sum() * start
    return expected, (square.sum() * start - expected**2) ** 0.5


def one_max_by_count(n):
    """OneMax of many bits: how many ones there are tells all. Generations to the string of ones."""
    from math import comb

    p, q = 1 / n, 1 - 1 / n

    def up(ones, to):
        gains = range(max(to - ones, 0), n - ones + 1)
        return sum(
            comb(n - ones, gain) * comb(ones, gain - to + ones) * p ** (2 * gain - to + ones) * q ** (n - 2 * gain + to - ones)
            for gain in gains
            if gain - to + ones <= ones
        )

    time = [0.0] * (n + 1)
    for ones in range(n - 1, -1, -1):
        ups = [up(ones, to) for to in range(ones + 1, n + 1)]
        time[ones] = (1 + sum(chance * later for chance, later in zip(ups, time[ones + 1 :]))) / sum(ups)
    return sum(comb(n, ones) * later for ones, later in enumerate(time)) / 2**n


def leading_ones_by_formula(n):
    """Böttcher, Doerr and Neumann (2010): each level is met with probability 1/2 and left with probability (1 - p)^i p."""
    return n * n / 2 * ((1 - 1 / n) ** (1 - n) - (1 - 1 / n))


if __name__ == "__main__":
    functions = {
        "one-max": one_max,
        "leading-ones": leading_ones,
        "jump-2": partial(jump, 2),
        "jump-3": partial(jump, 3),
        "ising-ring": ising_ring,
        "one-max-neutrality": neutrality,
    }
    for name, function in functions.items():
        for offspring, ties in ((1, "children"), (1, "random"), (1, "parents"), (5, "children")):
            mean, deviation = runtime(function, 9, offspring, ties)
            print(name, 9, offspring, ties, f"{mean:.4f}", f"{deviation:.4f}", flush=True)
    print("one-max", 100, 1, "children", f"{one_max_by_count(100):.4f}", "-")
    print("leading-ones", 100, 1, "children", f"{leading_ones_by_formula(100):.4f}", "-")
    # The formulas against the matrix.
    assert abs(one_max_by_count(9) - runtime(one_max, 9, 1, "children")[0]) < 1e-9
    assert abs(leading_ones_by_formula(9) - runtime(leading_ones, 9, 1, "children")[0]) < 1e-9
