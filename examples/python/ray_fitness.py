"""A slow fitness on the workers of a Ray cluster; RAY_ADDRESS says where it is."""

import sys
import time

import ray
from ray import cloudpickle
from runner import Bits, Integer, Real

# Workers get the functions of this file by value: they need not have the file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@ray.remote(max_retries=3)
def simulate(genome, seconds):
    """What takes long: it runs on a worker."""
    time.sleep(seconds)
    return len(genome) - sum(genome)


class Problem:
    parameters = {
        "length": Integer(40, low=1, doc="Bits per genome."),
        "seconds": Real(0.05, low=0, doc="How long a simulation takes."),
    }

    def __init__(self, length, seconds):
        self.length, self.seconds = length, seconds

    def describe(self):
        return Bits(self.length, ideal=0)

    def evaluate(self, genomes):
        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        # In the order of the genomes, whatever comes back first. What a lost worker had to do, another
        # one does.
        return ray.get([simulate.remote(genome, self.seconds) for genome in genomes])
