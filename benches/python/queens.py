"""Attacked pairs among 8 queens, one per row: one genome at a time, or a population as an array."""

import numpy as np

PAIRS = [(first, second) for first in range(8) for second in range(first + 1, 8)]
FIRST, SECOND = (np.array(side) for side in zip(*PAIRS))
DISTANCE = SECOND - FIRST


def attacks(genome):
    return sum(
        genome[a] == genome[b] or abs(genome[a] - genome[b]) == b - a for a, b in PAIRS
    )


def attacks_of_all(genomes):
    difference = np.abs(genomes[:, FIRST] - genomes[:, SECOND])
    return np.count_nonzero((difference == 0) | (difference == DISTANCE), axis=1)
