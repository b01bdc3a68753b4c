"""Final values of differential evolution and of L-SHADE, of runner and of the Python packages scipy and
modde: 30 runs each on the same functions with the same parameters, budgets and seeds.

    cargo build --release
    python3 -m venv target/peers && target/peers/bin/pip install -r benches/python/requirements.txt
    target/peers/bin/python benches/python/differential.py target/release/runner

Each comparison is tested twice, by ranks (Mann-Whitney) and by distributions (Kolmogorov-Smirnov). All
p-values are adjusted together (Holm 1979): if no two sides differed, a repetition would tell any two
apart with a probability of at most 5 %.

modde departs from the sources of both algorithms; "modde, mended" follows them (see `Mended`). In
differential evolution, genes beyond a bound become random within the bounds in scipy and modde, and
random between the bound and the base in runner (Price, Storn and Lampinen 2005).
"""

import json
import math
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import ioh
import numpy as np
from modde import ModularDE
from scipy.optimize import differential_evolution
from scipy.stats import ks_2samp, mannwhitneyu

RUNNER = str(Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/runner").resolve())
RUNS = 30
LEVEL = 0.05
#: Differential evolution: population, differential weight F and crossover rate CR.
ROWS, WEIGHT, RATE = 50, 0.5, 0.9
#: L-SHADE: memory H, archive as a multiple of the population (modde knows no other), share p.
MEMORY, ARCHIVE, SHARE = 6, 2, 0.11


def sphere(x):
    return float(np.sum(x * x))


def rosenbrock(x):
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def rastrigin(x):
    return float(np.sum(x * x + 10 * (1 - np.cos(2 * np.pi * x))))


#: Functions of the plugin `continuous` with their bounds.
PLAIN = {"sphere": (sphere, -5.12, 5.12), "rosenbrock": (rosenbrock, -5, 10),
         "rastrigin": (rastrigin, -5.12, 5.12)}
#: Functions of the plugin `bbob`.
BBOB = {1: "sphere", 2: "ellipsoid", 8: "Rosenbrock", 10: "rotated ellipsoid", 15: "rotated Rastrigin",
        20: "Schwefel"}
FUNCTIONS = [*PLAIN, *BBOB]


class Budget(Exception):
    """The end of a function's evaluations."""


class Function:
    """A function to minimise that counts and ends at its budget, in the form that modde asks for."""

    def __init__(self, name, n, budget):
        if name in PLAIN:
            self.value, self.low, self.high = PLAIN[name]
        else:
            problem = ioh.get_problem(name, 1, n)
            least = problem.optimum.y
            self.value, self.low, self.high = lambda x: max(problem(x) - least, 0), -5, 5
        self.n, self.budget, self.evaluations, self.best = n, budget, 0, math.inf
        self.state, self.optimum_found = self, False
        self.meta_data, self.n_variables = self, n

    def __call__(self, x):
        if self.evaluations == self.budget:
            raise Budget
        self.evaluations += 1
        value = self.value(np.asarray(x, float))
        self.best = min(self.best, value)
        return value


def different(rows, count, random, more=0):
    """For each row, `count` other rows that differ; the last may be one of `more` further ones."""
    drawn = np.repeat(np.arange(rows)[:, None], count + 1, axis=1)
    high = np.array([rows] * (count - 1) + [rows + more])
    clash = np.ones(rows, bool)
    while clash.any():
        drawn[clash, 1:] = random.randint(high, size=(clash.sum(), count))
        ordered = np.sort(drawn, axis=1)
        clash = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return drawn[:, 1:]


class Mended(ModularDE):
    """modde by its sources: Storn and Price (1997), Tanabe and Fukunaga (2014).

    - The rows that make a mutant differ; modde may take one twice.
    - L-SHADE: the row that is subtracted is one of the population and the archive, which begins empty;
      in modde one of the archive, which begins as the population.
    - The best are a fixed share, at least two; in modde a share that is drawn below it.
    - The memory learns Lehmer means, and a rate of 0 stays; in modde arithmetic means.
    - F and CR of the first generation are drawn, and F is drawn again around the same entry.
    - The population shrinks to 4 over all evaluations; in modde to 3, and the first population is not
      counted.
    """

    def mutate(self):
        p = self.parameters
        x, rows = p.population.x, p.population.n
        if not p.use_archive:
            base, plus, minus = different(rows, 3, p.rng).T
            p.mutated = x[:, base] + p.F * (x[:, plus] - x[:, minus])
            return
        if p.generation_counter == 0:
            self.archive, self.memory, self.place = x[:, :0], np.full((2, MEMORY), 0.5), 0
        entries = self.memory[:, p.rng.randint(MEMORY, size=rows)]
        p.CR = np.where(np.isnan(entries[1]), 0, np.clip(p.rng.normal(entries[1], 0.1), 0, 1))
        p.F = np.zeros(rows)
        while (p.F <= 0).any():
            p.F = np.where(p.F > 0, p.F, entries[0] + 0.1 * p.rng.standard_cauchy(size=rows))
        p.F = np.minimum(p.F, 1)
        best = np.argsort(p.population.f, kind="stable")[: min(max(round(SHARE * rows), 2), rows)]
        toward = p.rng.choice(best, rows)
        plus, minus = different(rows, 2, p.rng, self.archive.shape[1]).T
        both = np.hstack([x, self.archive])
        p.mutated = x + p.F * (x[:, toward] - x) + p.F * (x[:, plus] - both[:, minus])

    def learn(self):
        """Takes the place of `Parameters.adapt`."""
        p = self.parameters
        p.generation_counter += 1
        if not p.use_archive:
            return
        better = p.improved_individuals_idx
        if len(better):
            self.archive = np.hstack([self.archive, p.old_population.x[:, better]])
            gains = (p.old_population.f[better] - p.population.f[better]).astype(float)
            lehmer = lambda values: np.sum(gains * values**2) / np.sum(gains * values)
            rates = p.CR[better]
            terminal = np.isnan(self.memory[1, self.place]) or rates.max() == 0
            self.memory[:, self.place] = lehmer(p.F[better]), np.nan if terminal else lehmer(rates)
            self.place = (self.place + 1) % MEMORY
        spent = self._fitness_func.evaluations / p.budget
        rows = round(p.initial_lambda_ - (p.initial_lambda_ - 4) * spent)
        if rows < p.population.n:
            kept = np.sort(np.argsort(p.population.f, kind="stable")[:rows])
            p.population = p.population[kept.tolist()]
        most = ARCHIVE * p.population.n
        if self.archive.shape[1] > most:
            self.archive = self.archive[:, p.rng.choice(self.archive.shape[1], most, replace=False)]


def modde(function, algorithm, seed, mended):
    bounds = {name: np.full((function.n, 1), float(value))
              for name, value in [("lb", function.low), ("ub", function.high)]}
    if algorithm == "DE":
        words = dict(lambda_=ROWS, F=np.array([WEIGHT]), CR=np.array([RATE]), bound_correction="unif_resample")
    else:
        words = dict(
            lambda_=18 * function.n, mutation_base="target", mutation_reference="pbest",
            pbest_value=SHARE, use_archive=True, adaptation_method_F="shade",
            adaptation_method_CR="shade", memory_size=MEMORY, lpsr=True, bound_correction="hvb",
        )
    search = (Mended if mended else ModularDE)(
        function, seed=seed, budget=function.budget, **words, **bounds
    )
    if mended:
        search.parameters.adapt = search.learn
    search.run()


def scipy(function, seed):
    differential_evolution(
        function, [(function.low, function.high)] * function.n, strategy="rand1bin",
        popsize=ROWS // function.n, mutation=WEIGHT, recombination=RATE, maxiter=10**6, tol=0,
        polish=False, init="random", updating="deferred", rng=seed,
    )


def peer(words):
    """Final value of one run of a peer."""
    name, algorithm, function, n, budget, seed = words
    function = Function(function, n, budget)
    try:
        if name == "scipy":
            scipy(function, seed)
        else:
            modde(function, algorithm, seed, name == "modde, mended")
    except Budget:
        pass
    return function.best


CONFIG = """
repeats = {runs}
seed = 1
[problem]
plugin = "{plugin}"
function = {function}
n = {n}
[[operators]]
{operators}
[stop]
evaluations = {budget}
on-success = "continue"
"""


def ours(algorithm, function, n, budget):
    """Final values of runner, whose genomes have the same values by the peers' functions."""
    if algorithm == "DE":
        operators = (f'population = {ROWS}\nalgorithm = {{ kind = "differential-evolution", '
                     f"weight = {WEIGHT}, crossover-rate = {RATE} }}")
    else:
        operators = (f'algorithm = {{ kind = "l-shade", memory = {MEMORY}, archive = {ARCHIVE}.0, '
                     f"p = {SHARE} }}")
    plugin = "continuous" if function in PLAIN else "bbob"
    text = CONFIG.format(runs=RUNS, plugin=plugin, function=json.dumps(function), n=n,
                         operators=operators, budget=budget)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.toml").write_text(text)
        call = lambda *words: subprocess.run(
            [RUNNER, *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        call("a.toml", "--out", "results", "--jobs", "1", "--progress", "none")
        trials = json.loads(call("show", "results/a", "--trials", "--json"))
    check = Function(function, n, RUNS)
    for trial in trials:
        assert math.isclose(check(trial["best"]), trial["best_fitness"], rel_tol=1e-6, abs_tol=1e-9)
    return [trial["best_fitness"] for trial in trials]


PEERS = {"DE": ["scipy", "modde", "modde, mended"], "L-SHADE": ["modde", "modde, mended"]}
BUDGETS = {5: 4000, 10: 10_000}


def holm(values):
    adjusted, least = {}, 0.0
    for rank, (key, p) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        adjusted[key] = least = max(least, min(p * (len(values) - rank), 1.0))
    return adjusted


def main():
    cases = [(algorithm, function, n) for algorithm in PEERS for function in FUNCTIONS for n in (5, 10)]
    found, tests = {}, {}
    with ProcessPoolExecutor() as pool:
        for algorithm, function, n in cases:
            budget = BUDGETS[n]
            own = found[algorithm, function, n, "runner"] = ours(algorithm, function, n, budget)
            for name in PEERS[algorithm]:
                seeds = [(name, algorithm, function, n, budget, seed) for seed in range(1, RUNS + 1)]
                values = found[algorithm, function, n, name] = list(pool.map(peer, seeds, chunksize=5))
                tests[algorithm, function, n, name, "U"] = mannwhitneyu(own, values).pvalue
                tests[algorithm, function, n, name, "D"] = ks_2samp(own, values).pvalue
    tests = holm(tests)
    for algorithm in PEERS:
        print(f"\n{algorithm}: median final value, and the smaller adjusted p; bold: told apart\n")
        names = PEERS[algorithm]
        print("| function | n | runner | " + " | ".join(names) + " |")
        print("|---|---:" + "|---:" * (1 + len(names)) + "|")
        for _, function, n in (case for case in cases if case[0] == algorithm):
            cells = [f"{statistics.median(found[algorithm, function, n, 'runner']):.2g}"]
            for name in names:
                p = min(tests[algorithm, function, n, name, test] for test in "UD")
                median = statistics.median(found[algorithm, function, n, name])
                cells.append(f"{median:.2g} ({f'**{p:.2g}**' if p < LEVEL else f'{p:.2g}'})")
            title = function if function in PLAIN else f"f{function} {BBOB[function]}"
            print(f"| {title} | {n} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
