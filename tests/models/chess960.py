"""A model of the genetic algorithm of "Fischer random chess (Chess960)" (Baljicki and Milović), written from its description
alone, to compare rates with.

    python chess960.py > chess960.txt

Each line: what becomes of mutants that break the rules, trials, and how many of them ended with each best fitness from 0 to 4, and with a
greater one.
"""

import random

CLASSICAL = "RNBQKBNR"
TRIALS, POPULATION, GENERATIONS, MUTATION = 20000, 10, 50, 0.1


def files(rank, piece):
    return [file for file in range(8) if rank[file] == piece]


def fitness(rank):
    return sum(abs(a - b) for piece in "RNBQK" for a, b in zip(files(rank, piece), files(CLASSICAL, piece)))


def valid(rank):
    (left, right), (king,), (one, other) = files(rank, "R"), files(rank, "K"), files(rank, "B")
    return left < king < right and (one + other) % 2 == 1


def fill(rng, king, rooks, bishops=None, queens=()):
    """The rest of a rank: bishops where they are None, the queen on the first of `queens` that is free, then knights."""
    free = set(range(8)) - {king, *rooks}
    if bishops is None:
        pairs = [(a, b) for a in free for b in free if a < b and (a + b) % 2 == 1]
        bishops = rng.choice(pairs)
    free -= set(bishops)
    queen = next((queen for queen in queens if queen in free), None)
    if queen is None:
        queen = rng.choice(sorted(free))
    rank = ["N"] * 8
    rank[king], rank[queen] = "K", "Q"
    for file in rooks:
        rank[file] = "R"
    for file in bishops:
        rank[file] = "B"
    return rank


def sample(rng):
    king = rng.randrange(1, 7)
    return fill(rng, king, (rng.randrange(0, king), rng.randrange(king + 1, 8)))


def child(rng, p, q):
    (p_king,), (q_king,) = files(p, "K"), files(q, "K")
    p_rooks, q_rooks = files(p, "R"), files(q, "R")
    if min(q_rooks) < p_king < max(q_rooks):
        king, rooks = p_king, q_rooks
    elif min(p_rooks) < q_king < max(p_rooks):
        king, rooks = q_king, p_rooks
    else:
        king, rooks = p_king, p_rooks
    if king in rooks:
        king, rooks = p_king, p_rooks
    free = set(range(8)) - {king, *rooks}
    p_bishops, q_bishops = files(p, "B"), files(q, "B")
    # One of each parent: the first parent's left with the second's right, then right and left, left and left, right and right.
    mixed = [(p_bishops[a], q_bishops[b]) for a, b in ((0, 1), (1, 0), (0, 0), (1, 1))]
    options = [*mixed, tuple(q_bishops), tuple(p_bishops)]
    fits = (pair for pair in options if set(pair) <= free and sum(pair) % 2 == 1)
    return fill(rng, king, rooks, next(fits, None), (*files(q, "Q"), *files(p, "Q")))


def mutate(rng, rank, keep):
    while True:
        one, other = rng.sample(range(8), 2)
        if rank[one] != rank[other]:
            break
    mutant = list(rank)
    mutant[one], mutant[other] = mutant[other], mutant[one]
    return mutant if keep or valid(mutant) else rank


def run(rng, keep):
    population = [sample(rng) for _ in range(POPULATION)]
    best = min(map(fitness, population))
    for _ in range(GENERATIONS):
        if best == 0:
            break
        population.sort(key=fitness)
        noisy = sorted(population, key=lambda rank: fitness(rank) * rng.random())
        children = [child(rng, p, q) for p, q in zip(noisy[0::2], noisy[1::2])]
        children = [mutate(rng, rank, keep) if rng.random() < MUTATION else rank for rank in children]
        population = population[: POPULATION // 2] + children
        best = min(best, min(map(fitness, children)))
    return best


for word, keep in (("keep", True), ("reject", False)):
    rng = random.Random(1960)
    ends = [run(rng, keep) for _ in range(TRIALS)]
    print(word, TRIALS, *(ends.count(best) for best in range(5)), sum(best > 4 for best in ends), flush=True)
