"""A model of the normalized (1+10) on a ring of spins, written from its description alone. Needs no library.

    python ring_normal.py > ring_normal.txt

Ye, Doerr and Bäck (2019), doi:10.1109/CEC.2019.8790077: the number of bits that a mutant flips is normal with mean r and variance
r (1 - r / n), cut to a whole number and drawn again if below 1; r becomes that of the best mutant. The best mutant, one of equals by
lot, replaces its parent if no fewer neighbours on the ring are equal. r begins at 2.

Each line: n, trials, the mean number of evaluations until all bits are equal, the first string included, and its standard error.
"""

from math import floor, sqrt
from random import Random


def walls(string, n):
    return (string ^ (string << 1 & (1 << n) - 1 | string >> n - 1)).bit_count()


def run(n, random):
    parent = random.getrandbits(n)
    value, evaluations, r = walls(parent, n), 1, 2
    while value:
        mutants = []
        for _ in range(10):
            flips = 0
            while flips < 1:
                flips = floor(random.gauss(r, sqrt(r * (1 - r / n))))
            flips = min(flips, n)
            mutant = parent ^ sum(1 << place for place in random.sample(range(n), flips))
            mutants.append((walls(mutant, n), random.random(), flips, mutant))
            evaluations += 1
            if mutants[-1][0] == 0:
                return evaluations
        found, _, flips, mutant = min(mutants)
        r = min(flips, n - 1)
        if found <= value:
            parent, value = mutant, found
    return evaluations


if __name__ == "__main__":
    for n, trials in [(32, 2000), (100, 250)]:
        times = [run(n, Random(f"{n} {trial}")) for trial in range(trials)]
        mean = sum(times) / trials
        square = sum((time - mean) ** 2 for time in times) / (trials - 1)
        print(n, trials, f"{mean:.1f} {sqrt(square / trials):.1f}", flush=True)
