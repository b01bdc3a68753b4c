"""Tree-structured Parzen estimators of Optuna, as an algorithm."""

import pickle

import optuna

from runner import Algorithm

optuna.logging.set_verbosity(optuna.logging.WARNING)


class Tpe(Algorithm):
    """Tree-structured Parzen estimators as Optuna has them."""

    encodings = ["real", "integer", "bits"]
    source = "Bergstra, Bardenet, Bengio and Kégl (2011)"

    def begin(self, rng):
        sampler = optuna.samplers.TPESampler(seed=int(rng.integers(2**32)))
        self.study = optuna.create_study(sampler=sampler)

    def ask(self):
        self.trial = self.study.ask()
        return [[self.suggest(locus) for locus in range(self.domain.length)]]

    def suggest(self, locus):
        low, high = self.domain.bounds(locus)
        if self.domain.encoding == "real":
            return self.trial.suggest_float(f"x{locus}", low, high)
        return self.trial.suggest_int(f"x{locus}", int(low), int(high))

    def tell(self, genomes, fitness):
        self.study.tell(self.trial, float(fitness[0]))

    def state(self):
        return pickle.dumps(self.study)

    def restore(self, state):
        self.study = pickle.loads(state)
