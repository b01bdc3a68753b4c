"""A slow fitness on the workers of a Dask cluster; DASK_SCHEDULER_ADDRESS says where it is."""

import sys
import time

import cloudpickle
from distributed import Client
from runner import Bits, Integer, Real

# Workers get the functions of this file by value: they need not have the file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


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
        self.client = None

    def describe(self):
        return Bits(self.length, ideal=0)

    def evaluate(self, genomes):
        self.client = self.client or Client(set_as_default=False)
        # In the order of the genomes, whatever comes back first. What a lost worker had to do, another
        # one does.
        seconds = self.seconds
        tasks = self.client.map(lambda genome: simulate(genome, seconds), genomes, pure=False, retries=3)
        return self.client.gather(tasks)
