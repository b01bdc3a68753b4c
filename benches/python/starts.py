"""Evaluations that CMA-ES takes to 0.01 above the optimum of the BBOB sphere with 3 numbers, of runner and
of pycma: with each start, first step size and treatment of bounds. 400 runs each.

    cargo build --release
    python3 -m venv target/peers && target/peers/bin/pip install -r benches/python/requirements.txt
    target/peers/bin/python benches/python/starts.py target/release/runner
"""

import json
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import cma
import ioh
import numpy as np

RUNNER = str(Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/runner").resolve())
RUNS, TARGET, MOST, GENES = 400, 0.01, 5000, 3
CONFIG = f"""
repeats = {RUNS}
seed = 3
[problem]
plugin = "bbob"
n = {GENES}
[[operators]]
algorithm = {{ kind = "cma-es", sigma = SIGMA }}
[stop]
evaluations = {MOST}
fitness = {TARGET}
"""


def runner(sigma):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.toml").write_text(CONFIG.replace("SIGMA", str(sigma / 10)))
        call = lambda *words: subprocess.run(
            [RUNNER, *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        call("a.toml", "--out", "results", "--jobs", "1", "--progress", "none")
        trials = json.loads(call("show", "results/a", "--trials", "--json"))
    return [trial["evaluations_to_success"] for trial in trials]


def reflected(x):
    """As runner does: the function goes on beyond its bounds as in a mirror."""
    return -5 + 10 * (1 - np.abs(np.mod((x + 5) / 10, 2) - 1))


def pycma(sigma, start, bounds):
    return [one_of_pycma(sigma, start, bounds, seed) for seed in range(1, RUNS + 1)]


def one_of_pycma(sigma, start, bounds, seed):
    problem = ioh.get_problem(1, 1, GENES)
    random = np.random.default_rng(seed)
    first = np.zeros(GENES) if start == "centre" else random.uniform(-5, 5, GENES)
    options = {"seed": seed, "verbose": -9, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    if bounds == "pycma's":
        options["bounds"] = [-5, 5]
    search, count = cma.CMAEvolutionStrategy(first, sigma, options), 0
    while not search.stop() and count < MOST:
        rows, values = search.ask(), []
        for row in rows:
            values.append(problem(reflected(row) if bounds == "reflected" else row) - problem.optimum.y)
            count += 1
            if values[-1] <= TARGET:
                return count
        search.tell(rows, values)
    return None


def main():
    warnings.simplefilter("ignore")
    print("| program | first step | start | bounds | mean | median | greatest | without success |")
    print("|---|---:|---|---|---:|---:|---:|---:|")
    rows = [("pycma", 0.5, "centre", "none"), ("pycma", 2, "centre", "none")]
    for sigma in (2, 3):
        rows += [("pycma", sigma, "uniform", bounds) for bounds in ("none", "pycma's", "reflected")]
        rows.append(("runner", sigma, "uniform", "reflected"))
    for program, sigma, start, bounds in rows:
        times = runner(sigma) if program == "runner" else pycma(sigma, start, bounds)
        ends = sorted(time for time in times if time is not None)
        print(f"| {program} | {sigma} | {start} | {bounds} | {statistics.mean(ends):.0f} | "
              f"{statistics.median(ends):.0f} | {ends[-1]} | {len(times) - len(ends)} |", flush=True)


main()
