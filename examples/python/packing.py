"""Choose items of the greatest value; a knapsack that is too heavy violates a constraint."""

from runner import Bits, Integer


class Problem:
    parameters = {"n": Integer(20, low=1, high=10_000, doc="Items.")}

    def __init__(self, n):
        self.weights = [3 + 7 * i % 11 for i in range(n)]
        self.values = [5 + 5 * i % 13 for i in range(n)]
        self.room = sum(self.weights) // 2

    def describe(self):
        return Bits(len(self.values), worst=sum(self.values))

    def fitness(self, genome):
        return sum(v for v, gene in zip(self.values, genome) if not gene)

    def violation(self, genome):
        weight = sum(w for w, gene in zip(self.weights, genome) if gene)
        return max(0, weight - self.room)
