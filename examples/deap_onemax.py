"""OneMax by DEAP's eaSimple, as a CSV that `runner import` reads: a row per trial.

    pip install deap
    python examples/deap_onemax.py > examples/deap_onemax.csv

Needs DEAP 1.4. The search stops when it has found the string of ones, or has spent its budget.
"""

import csv
import random
import sys

from deap import algorithms, base, creator, tools

LENGTH, POPULATION, BUDGET, TRIALS = 40, 30, 900, 40

creator.create("Fitness", base.Fitness, weights=(-1.0,))
creator.create("Individual", list, fitness=creator.Fitness)


class Solved(Exception):
    """The string of ones was found, or the budget is spent."""


def trial(seed):
    random.seed(seed)
    evaluations, best = 0, None

    def zeros(individual):
        nonlocal evaluations, best
        evaluations += 1
        fitness = individual.count(0)
        if best is None or fitness < best[0]:
            best = (fitness, "".join(map(str, individual)))
        if fitness == 0 or evaluations == BUDGET:
            raise Solved
        return (fitness,)

    toolbox = base.Toolbox()
    toolbox.register("gene", random.randint, 0, 1)
    toolbox.register("individual", tools.initRepeat, creator.Individual, toolbox.gene, LENGTH)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", zeros)
    toolbox.register("mate", tools.cxTwoPoint)
    toolbox.register("mutate", tools.mutFlipBit, indpb=1 / LENGTH)
    toolbox.register("select", tools.selTournament, tournsize=3)
    try:
        population = toolbox.population(n=POPULATION)
        algorithms.eaSimple(population, toolbox, cxpb=0.5, mutpb=1.0, ngen=BUDGET, verbose=False)
    except Solved:
        pass
    return best[0] == 0, evaluations, *best


table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(["algorithm", "run", "seed", "solved", "nevals", "zeros", "individual"])
for run in range(TRIALS):
    seed = 1000 + run
    table.writerow(["DEAP eaSimple", run, seed, *trial(seed)])
