"""n queens, one per row and column; a whole population at a time."""
import numpy as np

from runner import Integer, Integers


class Problem:
    parameters = {"n": Integer(8, low=4, high=200, doc="Queens.")}

    def __init__(self, n):
        self.n = n
        self.first, self.second = np.triu_indices(n, 1)
        self.distance = self.second - self.first

    def describe(self):
        return Integers(self.n, 0, self.n - 1, ideal=0, worst=self.n * (self.n - 1) // 2)

    def evaluate(self, genomes):
        difference = np.abs(genomes[:, self.first] - genomes[:, self.second])
        return ((difference == 0) | (difference == self.distance)).sum(axis=1)
