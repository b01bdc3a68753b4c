"""Expected runtimes of algorithms on bit strings, exactly, from the definitions alone. Needs no library.

    python bit_strings.py > bit_strings.txt

OneMax: the number of ones and the strength of mutation are the state of a Markov chain; the expected numbers of generations to
the string of ones solve (I - P) t = 1, and the first string is uniform. LeadingOnes: the state has the number of leading ones in
place of the number of ones. The bits after the first zero stay uniform, because no child is better or worse for them than it is
for any others; the children of a generation share them, so a step is the mean over all such bits. With one child, a level i is met
with probability 1/2 and left with probability p_i, so that the generations are a sum of geometric numbers (Böttcher, Doerr and
Neumann 2010), which must be what the chain says.

The laws of the number of bits that flip are those of Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), doi:10.1016/j.asoc.2019.106027;
of Doerr, Le, Makhmara and Nguyen (2017) for rates that follow a power law; of Doerr, Gießen, Witt and Yang (2019) for two rates; of
Ye, Doerr and Bäck (2019) for normal numbers.

Each line: function, n, lambda, algorithm, expected generations, their standard deviation in one run.
"""

from itertools import product
from math import comb, erf, sqrt


def at_least_one(n, rate):
    """Numbers of bits, each bit with this rate, given at least one."""
    law = [0.0] + [comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(1, n + 1)]
    return [chance / sum(law) for chance in law]


def power_law(n, beta=1.5):
    law = [0.0] + [k**-beta if 2 * k <= n else 0.0 for k in range(1, n + 1)]
    return [chance / sum(law) for chance in law]


def power_law_rate(n, beta=1.5):
    law = power_law(n, beta)
    return [sum(law[a] * comb(n, k) * (a / n) ** k * (1 - a / n) ** (n - k) for a in range(1, n + 1)) for k in range(n + 1)]


def truncated_normal(n, mean):
    """Normal numbers cut to whole ones, drawn again if below 1; n if above."""
    deviation = sqrt(mean * (1 - mean / n))
    below = lambda x: (1 + erf((x - mean) / deviation / sqrt(2))) / 2
    law = [0.0] + [below(k + 1) - below(k) for k in range(1, n)] + [1 - below(n)]
    return [chance / sum(law) for chance in law]


def after(n, ones, law):
    """Numbers of ones of a child."""
    chances = [0.0] * (n + 1)
    for flips, chance in enumerate(law):
        for lost in range(max(0, flips - (n - ones)), min(flips, ones) + 1):
            chances[ones + flips - 2 * lost] += chance * comb(ones, lost) * comb(n - ones, flips - lost) / comb(n, flips)
    return chances


def best_of(children):
    """Children, each a list of (tag, chances by ones). The tags and ones of the best, one of equals by lot."""
    totals = [[sum(part) for part in zip(*(chances for _, chances in child))] for child in children]
    found = {}
    for number, child in enumerate(children):
        for best in range(len(totals[0])):
            ties = [1.0]
            for other, total in enumerate(totals):
                if other != number:
                    worse, equal = sum(total[:best]), total[best]
                    longer = ties + [0.0]
                    ties = [worse * longer[i] + (equal * longer[i - 1] if i else 0.0) for i in range(len(longer))]
            share = sum(chance / (count + 1) for count, chance in enumerate(ties))
            for tag, chances in child:
                if chances[best]:
                    found[tag, best] = found.get((tag, best), 0.0) + share * chances[best]
    return found


def one_max(n):
    """Starts, and the parents of each number of ones with their children: (share, law to chances by ones)."""
    return [comb(n, ones) / 2**n for ones in range(n)], lambda ones: [(1.0, lambda law: after(n, ones, law))]


def leading_ones(n):
    """As `one_max`, by leading ones; a parent for each of the bits after its first zero."""

    def chances(level, bits, law):
        exactly = lambda fixed, flipped: sum(
            chance * comb(n - fixed, flips - flipped) / comb(n, flips)
            for flips, chance in enumerate(law) if flips >= flipped
        )
        worse = [exactly(lost + 1, 1) for lost in range(level)]
        reach = [exactly(level + 1 + more, 1 + bits[:more].count(0)) for more in range(len(bits) + 1)] + [0.0]
        better = [one - two for one, two in zip(reach, reach[1:])]
        return worse + [sum(law) - sum(worse) - sum(better)] + better

    def parents(level):
        rest = n - level - 1
        return [(0.5**rest, lambda law, bits=bits: chances(level, bits, law)) for bits in product((0, 1), repeat=rest)]

    return [0.5 ** (level + 1) for level in range(n)], parents


def chain(n, function, first, children, adjust):
    """`children` of a state are lists of (tag, law); `adjust` gives the next strengths with their chances."""
    starts, parents = function(n)
    rows, todo = {}, [(level, first) for level in range(n)]
    while todo:
        state = todo.pop()
        if state in rows:
            continue
        level, strength = state
        rows[state] = row = {}
        for part, chances in parents(level):
            made = [[(tag, chances(law)) for tag, law in child] for child in children(strength)]
            for (tag, best), chance in best_of(made).items():
                if best == n:
                    continue
                for next_strength, share in adjust(strength, tag):
                    next_state = (max(level, best), next_strength)
                    row[next_state] = row.get(next_state, 0.0) + part * chance * share
        todo += row
    order = sorted(rows)
    place = {state: at for at, state in enumerate(order)}
    matrix = [[float(one == other) for other in order] for one in order]
    for state, row in rows.items():
        for other, chance in row.items():
            matrix[place[state]][place[other]] -= chance
    mean = solve(matrix, [1.0] * len(order))
    square = solve(matrix, [2 * time - 1 for time in mean])
    chances = [(place[level, first], chance) for level, chance in enumerate(starts)]
    expected = sum(mean[at] * chance for at, chance in chances)
    return expected, sqrt(sum(square[at] * chance for at, chance in chances) - expected**2)


def solve(matrix, right):
    rows = [row + [value] for row, value in zip(matrix, right)]
    for at in range(len(rows)):
        pivot = max(range(at, len(rows)), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, len(rows)):
            factor = rows[below][at] / rows[at][at]
            if factor:
                rows[below] = [one - factor * other for one, other in zip(rows[below], rows[at])]
    found = [0.0] * len(rows)
    for at in reversed(range(len(rows))):
        known = sum(rows[at][place] * found[place] for place in range(at + 1, len(rows)))
        found[at] = (rows[at][-1] - known) / rows[at][at]
    return found


def geometric(n, law):
    leave = [sum(law[k] * comb(n - i - 1, k - 1) / comb(n, k) for k in range(1, n - i + 1)) for i in range(n)]
    mean = sum(1 / p for p in leave) / 2
    return mean, sqrt(sum((2 - p) / p**2 / 2 - 1 / (4 * p**2) for p in leave))


def two_rate(n, function, offspring):
    def children(r):
        return [[(tried, at_least_one(n, min(tried / n, 0.5)))] for tried in [r / 2] * (offspring // 2) + [2 * r] * (offspring - offspring // 2)]

    def adjust(r, best):
        within = lambda strength: min(max(strength, 2.0), max(2.0, n / 4))
        return [(within(best), 0.5), (within(r / 2), 0.25), (within(2 * r), 0.25)]

    return chain(n, function, 2.0, children, adjust)


def normalized(n, function, offspring):
    def children(r):
        law = truncated_normal(n, r)
        return [[(k, [chance if k == at else 0.0 for at in range(n + 1)]) for k, chance in enumerate(law) if chance]] * offspring

    return chain(n, function, 2, children, lambda r, best: [(min(best, n - 1), 1.0)])


if __name__ == "__main__":
    one = [0.0, 1.0] + [0.0] * 8
    laws = {
        "one": one,
        "at-least-one": at_least_one(9, 1 / 9),
        "power-law": power_law(9),
        "power-law-rate": power_law_rate(9),
    }
    write = lambda name, n, offspring, algorithm, found: print(name, n, offspring, algorithm, *(f"{number:.4f}" for number in found))
    functions = {"one-max": one_max, "leading-ones": leading_ones}
    for algorithm, law in laws.items():
        for name, function in functions.items():
            for offspring in (1, 5):
                found = chain(9, function, 0, lambda _, law=law: [[(0, law)]] * offspring, lambda *_: [(0, 1.0)])
                if (name, offspring) == ("leading-ones", 1):
                    assert all(abs(one - other) < 1e-9 for one, other in zip(found, geometric(9, law))), found
                write(name, 9, offspring, algorithm, found)
    write("one-max", 16, 4, "two-rate", two_rate(16, one_max, 4))
    write("leading-ones", 12, 4, "two-rate", two_rate(12, leading_ones, 4))
    for name, function in functions.items():
        write(name, 9, 4, "normalized", normalized(9, function, 4))
