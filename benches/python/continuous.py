"""Time per evaluation of searches on real numbers, of runner and of the Python libraries pycma, scipy
and pymoo, on one core: CMA-ES on a sphere of 20 numbers, and differential evolution (population 50,
rand/1/bin) on one of 10. runner is timed as a whole command, the libraries inside Python with a
fitness of one numpy call.

    cargo build --release
    python3 -m venv target/peers && target/peers/bin/pip install -r benches/python/requirements.txt
    target/peers/bin/python benches/python/continuous.py
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

RUNNER = Path(__file__).parent.parent.parent / "target/release/runner"
ROUNDS = 3
CONFIG = """
repeats = REPEATS
[problem]
plugin = "continuous"
function = "sphere"
n = GENES
[[operators]]
ALGORITHM
[stop]
evaluations = 6000
on-success = "continue"
"""


def sphere(x):
    return float(np.dot(x, x))


def runner(genes, algorithm, repeats):
    """Seconds per evaluation of a whole command."""
    text = CONFIG.replace("REPEATS", str(repeats)).replace("GENES", str(genes))
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.toml"
        config.write_text(text.replace("ALGORITHM", algorithm))
        words = [RUNNER, config, "--out", folder, "--jobs", "1", "--progress", "none"]
        start = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        shown = subprocess.run(
            [RUNNER, "show", f"{folder}/bench", "--json"], check=True, capture_output=True
        )
    return seconds / json.loads(shown.stdout)[0]["evaluations_total"]


def pycma():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import cma
    options = {"verbose": -9, "maxfevals": 6000, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    start, count = time.perf_counter(), 0
    for seed in range(1, 6):
        search = cma.CMAEvolutionStrategy(
            np.random.default_rng(seed).uniform(-5, 5, 20), 3.0, options | {"seed": seed}
        )
        while not search.stop():
            rows = search.ask()
            search.tell(rows, [sphere(row) for row in rows])
        count += search.result.evaluations
    return (time.perf_counter() - start) / count


def scipy():
    from scipy.optimize import differential_evolution

    start = time.perf_counter()
    found = differential_evolution(
        sphere, [(-5.12, 5.12)] * 10, strategy="rand1bin", popsize=5, mutation=0.5,
        recombination=0.9, maxiter=119, tol=0, polish=False, init="random", rng=1,
    )
    return (time.perf_counter() - start) / found.nfev


def pymoo():
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    class Sphere(Problem):
        def __init__(self):
            super().__init__(n_var=10, n_obj=1, xl=-5.12, xu=5.12)

        def _evaluate(self, x, out, *_, **__):
            out["F"] = np.square(x).sum(axis=1)

    search = DE(pop_size=50, variant="DE/rand/1/bin", CR=0.9, F=0.5)
    start = time.perf_counter()
    minimize(Sphere(), search, ("n_gen", 120), seed=1, verbose=False)
    return (time.perf_counter() - start) / 6000


def main():
    cma_es = 'algorithm = "cma-es"'
    evolution = 'algorithm = "differential-evolution"\npopulation = 50'
    cases = [
        ("CMA-ES, 20 numbers", lambda: runner(20, cma_es, 200), [("pycma", pycma)]),
        ("DE, 10 numbers", lambda: runner(10, evolution, 2000),
         [("scipy", scipy), ("pymoo", pymoo)]),
    ]
    for name, own, peers in cases:
        # In turns, because machines are noisy.
        rounds = [(own(), *(peer() for _, peer in peers)) for _ in range(ROUNDS)]
        ours, *theirs = (statistics.median(side) for side in zip(*rounds))
        print(f"{name}: runner {1e6 * ours:.3f} µs per evaluation")
        for (peer, _), seconds in zip(peers, theirs):
            print(f"  {peer:8} {1e6 * seconds:8.2f} µs; runner is {seconds / ours:.0f} times as fast")


main()
