"""`runner tune` beside irace and SMAC 3, on three problems, with the same number of trials.

Needs the packages smac and scipy, and R's irace. Each configurator tunes each problem several times.
What it finds is judged by fresh trials, their mean cost; a trial without success counts as ten budgets.

    python benches/python/tuning.py target/release/runner [REPETITIONS]
"""

import json
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scipy.stats import mannwhitneyu

RUNNER = str(Path(sys.argv[1]).resolve())
REPETITIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
#: Trials of `runner tune` in its iterations, and of each survivor at the end.
BUDGET, LAST = 600, 60
#: Fresh trials by which a setting is judged.
JUDGES = 400

SEARCH = """
[problem]
plugin = "{plugin}"
{problem}

[[operators]]
name        = "set"
population  = {population}
selection   = {selection}
{crossover}
mutation    = {{ kind = "{mutation}", rate = 1.0, gene-rate = 0.1 }}
replacement = "plus"

[stop]
evaluations = {evaluations}
"""
RATE = ("operators.mutation.gene-rate", "real", (0.001, 0.5))
POPULATION = ("operators.population", "integer", (10, 100))
CROSSOVER = ("operators.crossover.rate", "share", (0.0, 1.0))
SIZE = ("operators.selection.size", "integer", (2, 10))
GENETIC = dict(
    population=20,
    selection='{ kind = "tournament", size = 2 }',
    crossover='crossover   = { kind = "uniform", rate = 0.5 }',
)
ONE = dict(population=1, selection='"uniform"', crossover="")
#: Name: experiment, keys, and what is to be low.
PROBLEMS = {
    "OneMax, (1+1) EA": (
        SEARCH.format(
            plugin="onemax", problem="length = 50", mutation="bit-flip", evaluations=3000, **ONE
        ),
        [RATE],
        "evaluations",
    ),
    "queens, genetic algorithm": (
        SEARCH.format(
            plugin="nqueens", problem="n = 8", mutation="reset", evaluations=3000, **GENETIC
        ),
        [RATE, POPULATION, CROSSOVER, SIZE],
        "evaluations",
    ),
    "MAX-SAT, genetic algorithm": (
        SEARCH.format(
            plugin="maxsat", problem="variables = 60", mutation="bit-flip", evaluations=1000, **GENETIC
        ),
        [RATE, POPULATION, CROSSOVER, SIZE],
        "fitness",
    ),
}


def run(folder, *words):
    """Runs a command in a folder. Returns what it prints."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def script(folder, form, cost):
    """Writes the target program of a configurator."""
    path = folder / "target"
    path.write_text(f'#!/bin/sh\nexec {RUNNER} target set.toml --as {form} --cost {cost} "$@"\n')
    path.chmod(0o755)


def ours(folder, keys, cost, seed):
    """Returns the setting that `runner tune` finds, and its number of trials."""
    lines = []
    for name, kind, (low, high) in keys:
        course = "" if kind == "share" else ', course = "geometric"'
        lines.append(f'"{name}" = {{ from = {low}, to = {high}{course} }}')
    table = f'\n[tune]\nbudget = {BUDGET}\ntest-repeats = {LAST}\ncost = "{cost}"\n[tune.keys]\n'
    text = (folder / "set.toml").read_text() + table + "\n".join(lines) + "\n"
    (folder / "tuned.toml").write_text(text)
    told = run(folder, RUNNER, "tune", "tuned.toml", "--seed", str(seed), "--jobs", "1")
    trials = next(line for line in told.splitlines() if line.startswith("Tried: "))
    trials = int(trials.split(" iterations, ")[1].split(" ")[0].replace(",", ""))
    below = told.split("for [[operators]]:\n\n")
    if len(below) == 1:
        return [], trials
    found = below[1].split("\n\n")[0].splitlines()
    return ["operators." + line.replace(" = ", "=") for line in found], trials


def irace(folder, keys, cost, seed, trials):
    """Returns the setting that irace finds."""
    script(folder, "irace", cost)
    types = {"real": "r,log", "integer": "i,log", "share": "r"}
    lines = [
        f'p{number} "--{name}=" {types[kind]} ({low}, {high})\n'
        for number, (name, kind, (low, high)) in enumerate(keys)
    ]
    (folder / "parameters.txt").write_text("".join(lines))
    (folder / "instances.txt").write_text("-\n")
    (folder / "scenario.txt").write_text(
        'parameterFile = "parameters.txt"\ntargetRunner = "./target"\n'
        'trainInstancesFile = "instances.txt"\ntrainInstancesDir = ""\n'
        f"maxExperiments = {trials}\nseed = {seed}\ndigits = 6\n"
    )
    told = run(folder, "Rscript", "-e", "irace::irace.cmdline(c('--scenario', 'scenario.txt'))")
    best = told.split("Best configurations as commandlines")[1].splitlines()[1]
    return [word.removeprefix("--") for word in best.split()[1:]]


SMAC = """
import json, sys
from ConfigSpace import ConfigurationSpace, Float, Integer
from smac import AlgorithmConfigurationFacade, Scenario
keys, seed, trials = json.loads(sys.argv[1])
space = ConfigurationSpace(seed=seed)
for name, kind, (low, high) in keys:
    kinds = {"real": Float, "share": Float, "integer": Integer}
    space.add(kinds[kind](name, (low, high), log=kind != "share"))
scenario = Scenario(space, n_trials=trials, seed=seed)
found = AlgorithmConfigurationFacade(scenario, "./target", logging_level=40).optimize()
print("FOUND" + json.dumps({name: float(found[name]) for name in found}))
"""


def smac(folder, keys, cost, seed, trials):
    """Returns the setting that SMAC finds."""
    script(folder, "smac", cost)
    told = run(folder, sys.executable, "-c", SMAC, json.dumps([keys, seed, trials]))
    found = json.loads(told.split("FOUND")[1])
    kinds = {name: kind for name, kind, _ in keys}
    whole = {name: int(value) if kinds[name] == "integer" else value for name, value in found.items()}
    return [f"{name}={value}" for name, value in whole.items()]


def judged(folder, setting, cost, seed):
    """Returns the mean cost of a setting, by fresh trials."""
    words = [word for one in setting for word in ("--set", one)]
    run(folder, RUNNER, "set.toml", "--out", "judge", "--seed", str(seed), "--repeats", str(JUDGES),
        "--jobs", "1", "--progress", "none", *words)
    trials = json.loads(run(folder, RUNNER, "show", "judge/set", "--trials", "--json"))
    if cost == "fitness":
        return statistics.mean(trial["best_fitness"] for trial in trials)
    text = (folder / "set.toml").read_text()
    budget = int(text.split("evaluations = ")[1].split()[0])
    lengths = (trial["evaluations_to_success"] or 10 * budget for trial in trials)
    return statistics.mean(lengths)


def repetition(problem, number):
    """Tunes a problem by all configurators. Returns the mean cost of each one's setting."""
    text, keys, cost = PROBLEMS[problem]
    costs = {}
    trials = None
    for name in ["runner tune", "irace", "SMAC 3", "as it began"]:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "set.toml").write_text(text)
            seed = 100 + number
            if name == "runner tune":
                found, trials = ours(folder, keys, cost, seed)
            elif name == "irace":
                found = irace(folder, keys, cost, seed, trials)
            elif name == "SMAC 3":
                found = smac(folder, keys, cost, seed, trials)
            else:
                found = []
            costs[name] = judged(folder, found, cost, 10_000 + number)
    costs["trials"] = trials
    return costs


def main():
    for problem in PROBLEMS:
        with ThreadPoolExecutor(2) as pool:
            rows = list(pool.map(lambda number: repetition(problem, number), range(REPETITIONS)))
        trials = statistics.mean(row["trials"] for row in rows)
        print(f"{problem}: {REPETITIONS} tunings of {trials:.0f} trials")
        own = [row["runner tune"] for row in rows]
        for name in ["runner tune", "irace", "SMAC 3", "as it began"]:
            values = [row[name] for row in rows]
            test = ""
            if name in ("irace", "SMAC 3"):
                test = f"  p {mannwhitneyu(own, values).pvalue:.2f}"
            low, median, high = min(values), statistics.median(values), max(values)
            print(f"  {name:12} {median:9.4g} ({low:.4g} to {high:.4g}){test}", flush=True)


main()
