"""Any optimizer of Nevergrad, as an algorithm."""

import pickle

import nevergrad
import numpy

from runner import Algorithm, Choice


class Nevergrad(Algorithm):
    """An optimizer as Nevergrad has it."""

    encodings = ["real"]
    parameters = {"optimizer": Choice("OnePlusOne", choices=["OnePlusOne", "DE", "PSO"], doc="Name in Nevergrad.")}
    source = "Rapin and Teytaud (2018), https://github.com/facebookresearch/nevergrad"

    def begin(self, rng):
        bounds = [self.domain.bounds(locus) for locus in range(self.domain.length)]
        low, high = numpy.array(bounds).T
        box = nevergrad.p.Array(shape=low.shape, lower=low, upper=high)
        box.random_state.seed(int(rng.integers(2**32)))
        self.search = nevergrad.optimizers.registry[self.optimizer](box, budget=None)

    def ask(self):
        self.asked = self.search.ask()
        return [self.asked.value]

    def tell(self, genomes, fitness):
        self.search.tell(self.asked, float(fitness[0]))

    def state(self):
        return pickle.dumps(self.search)

    def restore(self, state):
        self.search = pickle.loads(state)
