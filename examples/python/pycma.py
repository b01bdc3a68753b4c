"""CMA-ES of the package cma, as an algorithm."""

import pickle

import cma
import numpy

from runner import Algorithm, Real


class Pycma(Algorithm):
    """CMA-ES as the package cma has it."""

    encodings = ["real"]
    parameters = {"sigma": Real(0.3, low=1e-6, high=1, doc="First step, as a share of the box.")}
    source = "Hansen, Akimoto and Baudis (2019), doi:10.5281/zenodo.2559634"

    def begin(self, rng):
        bounds = [self.domain.bounds(locus) for locus in range(self.domain.length)]
        low, high = numpy.array(bounds).T
        options = {"bounds": [low, high], "CMA_stds": high - low, "verbose": -9}
        options["seed"] = int(rng.integers(1, 2**31))
        self.search = cma.CMAEvolutionStrategy(rng.uniform(low, high), self.sigma, options)

    def ask(self):
        return None if self.search.stop() else self.search.ask()

    def tell(self, genomes, fitness):
        self.search.tell(genomes, fitness)

    def state(self):
        # It draws from numpy's own generator.
        return pickle.dumps((self.search, numpy.random.get_state()))

    def restore(self, state):
        self.search, random = pickle.loads(state)
        numpy.random.set_state(random)
