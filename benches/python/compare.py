"""Evaluations per second of genetic algorithms on 8 queens, with the same fitness in Python: of
runner, and of the Python libraries DEAP, PyGAD and pymoo. Population 100, tournaments of 3, one-point
crossover, each gene reset with probability 1/8; one process. And what two workers gain (Linux).

    cargo build --release
    python3 -m venv target/peers && target/peers/bin/pip install -r benches/python/requirements.txt
    target/peers/bin/python benches/python/compare.py
"""

import contextlib
import io
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
RUNNER = HERE.parent.parent / "target/release/runner"
sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402

from queens import attacks, attacks_of_all  # noqa: E402

SIZE, GENERATIONS = 100, 300
CONFIG = """
repeats = REPEATS
[problem]
plugin = "FILE"
interpreter = "PYTHON"
MORE
[[operators]]
population = 100
selection = { kind = "tournament", size = 3 }
crossover = "one-point"
mutation = { kind = "reset", rate = 0.125 }
[stop]
generations = 300
on-success = "continue"
"""


def command(folder, file, repeats, jobs, more):
    """A config in the folder, and what runs it."""
    text = CONFIG.replace("REPEATS", str(repeats)).replace("FILE", str(HERE / file))
    config = Path(folder) / "bench.toml"
    config.write_text(text.replace("PYTHON", sys.executable).replace("MORE", more))
    return [RUNNER, config, "--out", folder, "--jobs", str(jobs), "--progress", "none"]


def runner(file, repeats, more=""):
    """Evaluations per second with one worker, and the share of time inside the fitness."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        words = command(folder, file, repeats, 1, more)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        seconds = time.perf_counter() - start
        spent = [float(path.read_text()) for path in Path(folder).glob("plain.seconds.*")]
    return repeats * SIZE * (GENERATIONS + 1) / seconds, sum(spent) / seconds


def on_cores(file, repeats, jobs, cores):
    """Seconds of runs at once, one on each of these sets of cores, which share the repeats."""
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in cores]
        start = time.perf_counter()
        runs = []
        for folder, own in zip(folders, cores):
            os.sched_setaffinity(0, own)
            words = command(folder, file, repeats // len(cores), jobs, "")
            runs.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=folder))
        os.sched_setaffinity(0, set().union(*cores))
        assert all(run.wait() == 0 for run in runs)
        return time.perf_counter() - start


def two_workers(file, repeats, rounds=7):
    """How many times as fast as one worker on one core: two workers on two cores; and two runs that
    know nothing of each other, which is what the machine gives. Medians of rounds in turns."""
    one, other = sorted(os.sched_getaffinity(0))[:2]
    ratios = []
    for _ in range(rounds):
        alone = on_cores(file, repeats, 1, [{one}])
        together = on_cores(file, repeats, 2, [{one, other}])
        apart = on_cores(file, repeats, 1, [{one}, {other}])
        ratios.append((alone / together, alone / apart))
    return [statistics.median(side) for side in zip(*ratios)]


def deap():
    from deap import algorithms, base, creator, tools

    creator.create("Least", base.Fitness, weights=(-1.0,))
    creator.create("Individual", list, fitness=creator.Least)
    box = base.Toolbox()
    box.register("gene", random.randrange, 8)
    box.register("individual", tools.initRepeat, creator.Individual, box.gene, 8)
    box.register("evaluate", lambda genome: (attacks(genome),))
    box.register("mate", tools.cxOnePoint)
    box.register("mutate", tools.mutUniformInt, low=0, up=7, indpb=0.125)
    box.register("select", tools.selTournament, tournsize=3)
    population = tools.initRepeat(list, box.individual, SIZE)
    start = time.perf_counter()
    _, log = algorithms.eaSimple(population, box, 1.0, 1.0, GENERATIONS, verbose=False)
    return sum(log.select("nevals")) / (time.perf_counter() - start)


def pygad(batch):
    import pygad as library

    count = 0

    def one(_, genome, __):
        nonlocal count
        count += 1
        return -attacks(genome.tolist())

    def many(_, genomes, __):
        nonlocal count
        count += len(genomes)
        return (-attacks_of_all(np.asarray(genomes))).tolist()

    search = library.GA(
        num_generations=GENERATIONS, sol_per_pop=SIZE, num_parents_mating=SIZE, num_genes=8,
        gene_type=int, gene_space=list(range(8)), parent_selection_type="tournament",
        K_tournament=3, keep_parents=0, keep_elitism=0, crossover_type="single_point",
        mutation_probability=0.125, suppress_warnings=True,
        fitness_func=many if batch else one, fitness_batch_size=SIZE if batch else None,
    )
    start = time.perf_counter()
    search.run()
    return count / (time.perf_counter() - start)


def pymoo():
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.core.problem import Problem
    from pymoo.operators.crossover.pntx import SinglePointCrossover
    from pymoo.operators.sampling.rnd import IntegerRandomSampling
    from pymoo.optimize import minimize

    count = 0

    class Queens(Problem):
        def __init__(self):
            super().__init__(n_var=8, n_obj=1, xl=0, xu=7, vtype=int)

        def _evaluate(self, genomes, out, *_, **__):
            nonlocal count
            count += len(genomes)
            out["F"] = attacks_of_all(genomes)

    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair

    search = GA(
        pop_size=SIZE, sampling=IntegerRandomSampling(), crossover=SinglePointCrossover(),
        mutation=PM(prob=1.0, prob_var=0.125, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=False,
    )
    start = time.perf_counter()
    minimize(Queens(), search, ("n_gen", GENERATIONS), verbose=False)
    return count / (time.perf_counter() - start)


def main():
    os.environ["OMP_NUM_THREADS"] = "1"
    batch, _ = runner("batch.py", 200)
    plain, _ = runner("plain.py", 40)
    _, share = runner("plain.py", 40, more="timed = true")
    with contextlib.redirect_stdout(io.StringIO()):
        peers = {
            "DEAP, a genome at a time": (deap(), plain),
            "PyGAD, a genome at a time": (pygad(False), plain),
            "PyGAD, a population at a time": (pygad(True), batch),
            "pymoo, a population at a time": (pymoo(), batch),
        }
    print(f"{'':36} {'evaluations/s':>14} {'runner is':>10}")
    print(f"{'runner, a genome at a time':36} {plain:14,.0f}")
    print(f"{'runner, a population at a time':36} {batch:14,.0f}")
    for name, (speed, ours) in peers.items():
        print(f"{name:36} {speed:14,.0f} {ours / speed:8.1f} x")
    print(f"time inside the fitness function, a genome at a time: {share:.0%}")
    for what, file, repeats in [("population", "batch.py", 400), ("genome", "plain.py", 60)]:
        pair, apart = two_workers(file, repeats)
        print(f"2 workers on 2 cores against 1 on 1, a {what} at a time: {pair:.2f} x "
              f"(two separate runs: {apart:.2f} x)")


main()
