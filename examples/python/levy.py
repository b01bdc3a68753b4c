"""Lévy flights: a mutation of real numbers, with mostly small steps and now and then a very long one.

The steps follow Mantegna (1994), "Fast, accurate algorithm for numerical simulation of Lévy stable
stochastic processes", doi:10.1103/PhysRevE.49.4677.
"""

from math import gamma, pi, sin

from runner import Mutation, Real

version = "1"


class Levy(Mutation):
    """Adds a step of a Lévy flight to each gene; the result is reflected into the bounds."""

    encodings = ["real"]
    source = "Mantegna (1994), doi:10.1103/PhysRevE.49.4677"
    parameters = {
        "alpha": Real(1.5, low=0.3, high=1.99, doc="Stability: the smaller, the more large steps."),
        "scale": Real(0.01, low=0.0, high=1.0, doc="Scale of a step, as a multiple of the gene's range."),
    }

    def __init__(self, domain, alpha, scale):
        self.domain, self.alpha, self.scale = domain, alpha, scale
        over = gamma(1 + alpha) * sin(pi * alpha / 2)
        under = gamma((1 + alpha) / 2) * alpha * 2 ** ((alpha - 1) / 2)
        self.sigma = (over / under) ** (1 / alpha)

    def mutate(self, genome, rng):
        for locus, gene in enumerate(genome):
            low, high = self.domain.bounds(locus)
            step = rng.gauss(0, self.sigma) / max(abs(rng.gauss(0, 1)), 1e-12) ** (1 / self.alpha)
            genome[locus] = reflected(gene + self.scale * (high - low) * step, low, high)


def reflected(number, low, high):
    """The number, back from beyond the bounds as a mirror shows it."""
    width = high - low
    if width == 0:
        return low
    # A step can be longer than the whole range.
    beyond = (number - low) % (2 * width)
    return min(max(low + min(beyond, 2 * width - beyond), low), high)
