"""8 queens, a population at a time."""

from queens import attacks_of_all
from runner import Integers


class Problem:
    def describe(self):
        return Integers(8, 0, 7, ideal=0, worst=28)

    def evaluate(self, genomes):
        return attacks_of_all(genomes)
