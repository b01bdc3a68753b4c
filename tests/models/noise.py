"""Expected runtimes of the (1+1) evolutionary algorithm on noisy OneMax, exactly, from the definitions alone. Needs no library.

    python noise.py > noise.txt

Fitness is the number of zeros, to be minimised. Noise is that of Droste (2004), doi:10.1007/978-3-540-24854-5_107: with probability
p an evaluation sees the string with one bit flipped, drawn uniformly. A genome is evaluated k times, and the search sees their mean
or median. A child flips each bit of its parent with probability 1/n and replaces it if what is seen of it is at most what is seen of
the parent. The parent is evaluated anew in each generation ("anew": the number of zeros is the state of a Markov chain), or keeps
what was seen of it ("once": zeros and what was seen are the state). A run ends when the string of ones is evaluated for the first
time, whatever is seen of it. The first string is uniform. The expected numbers of generations solve (I - P) t = 1.

Each line: n, p, k, statistic, parent, expected generations, their standard deviation in one run.
"""

from fractions import Fraction
from itertools import product
from math import comb


def mean(values):
    return sum(values) / len(values)


def median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else mean(ordered[half - 1 : half + 1])


def seen(n, p, k, statistic, zeros):
    """Chances of what is seen of a string with this number of zeros."""
    once = {zeros: 1 - p, zeros - 1: p * zeros / n, zeros + 1: p * (n - zeros) / n}
    chances = {}
    for draws in product(once, repeat=k):
        value = statistic([Fraction(draw) for draw in draws])
        chance = 1.0
        for draw in draws:
            chance *= once[draw]
        if chance > 0:
            chances[value] = chances.get(value, 0.0) + chance
    return chances


def mutant(n, zeros, to):
    """Chance that a child has `to` zeros."""
    rate, total = 1 / n, 0.0
    for repaired in range(zeros + 1):
        broken = to - zeros + repaired
        if 0 <= broken <= n - zeros:
            flips = repaired + broken
            total += comb(zeros, repaired) * comb(n - zeros, broken) * rate**flips * (1 - rate) ** (n - flips)
    return total


def solve(matrix, right):
    """Gauss's elimination with the greatest pivots."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            if factor:
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    found = [0.0] * size
    for at in reversed(range(size)):
        rest = sum(rows[at][other] * found[other] for other in range(at + 1, size))
        found[at] = (rows[at][size] - rest) / rows[at][at]
    return found


def runtime(n, p, k, statistic, parent):
    views = [seen(n, p, k, statistic, zeros) for zeros in range(n + 1)]
    anew = parent == "anew"
    # What is kept of a parent: nothing (None), or what was seen.
    kept = [{None: 1.0} if anew else views[zeros] for zeros in range(n + 1)]
    states = [(zeros, value) for zeros in range(1, n + 1) for value in kept[zeros]]
    place = {state: at for at, state in enumerate(states)}
    system = []
    for zeros, value in states:
        row = [0.0] * len(states)
        stay = 1.0
        for to in range(n + 1):
            chance = mutant(n, zeros, to)
            if to == 0:
                stay -= chance
                continue
            for view, of_view in views[to].items():
                against = views[zeros] if anew else {value: 1.0}
                wins = sum(share for other, share in against.items() if view <= other)
                moved = chance * of_view * wins
                row[place[to, None if anew else view]] += moved
                stay -= moved
        row[place[zeros, value]] += stay
        system.append([float(at == place[zeros, value]) - share for at, share in enumerate(row)])
    first = solve(system, [1.0] * len(states))
    # Second moments: (I - P) s = 2 t - 1.
    second = solve(system, [2 * time - 1 for time in first])
    start = [comb(n, zeros) / 2**n * kept[zeros][value] for zeros, value in states]
    expected = sum(a * b for a, b in zip(start, first))
    square = sum(a * b for a, b in zip(start, second))
    return expected, (square - expected**2) ** 0.5


if __name__ == "__main__":
    for n, p, k, name, parent in [
        (9, 0.1, 1, "mean", "anew"),
        (9, 0.5, 1, "mean", "anew"),
        (9, 0.5, 1, "mean", "once"),
        (9, 0.5, 3, "mean", "anew"),
        (9, 0.5, 3, "median", "anew"),
        (9, 0.5, 3, "mean", "once"),
        (9, 1.0, 4, "median", "anew"),
        (9, 1.0, 2, "median", "once"),
    ]:
        expected, deviation = runtime(n, p, k, {"mean": mean, "median": median}[name], parent)
        print(f"{n} {p} {k} {name} {parent} {expected:.4f} {deviation:.4f}")
