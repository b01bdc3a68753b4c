"""Models of three published genetic algorithms for 8 queens, written from their descriptions alone, to compare rates with.

    pip install numpy==2.4.6
    python queens.py > queens.txt

Each line: system, setting, trials, and how many of them found a board without clashes within the generations. All trials of a setting run
side by side: `boards` is trials x population x 8.
"""

import numpy as np

N, TRIALS, POPULATION = 8, 4000, 100


def clashes(boards):
    """Pairs of queens that share a row or a diagonal."""
    pairs = np.zeros(boards.shape[:-1], dtype=np.int64)
    for left in range(N):
        for right in range(left + 1, N):
            apart = np.abs(boards[..., left].astype(np.int64) - boards[..., right])
            pairs += (apart == 0) | (apart == right - left)
    return pairs


def per_queen(boards):
    """For each queen the queens that it clashes with, summed over the queens."""
    return 2 * clashes(boards)


def spin(rng, weights, draws):
    """`draws` spins a trial of a wheel whose sectors are as wide as the weights."""
    wheel = np.cumsum(weights, axis=1)
    pointers = rng.random((len(weights), draws)) * wheel[:, -1:]
    chosen = np.empty(pointers.shape, dtype=np.int64)
    for trial in range(len(weights)):
        chosen[trial] = np.searchsorted(wheel[trial], pointers[trial], side="right")
    return np.minimum(chosen, weights.shape[1] - 1)


def take(boards, rows):
    return np.take_along_axis(boards, rows[..., None], axis=1)


def simulator(least):
    """System B: weight 28 - clashes; one cut 1..=7 a pair, two children; a mutant's random position gets a random value. It is set
    "only if it's not the same number as the previous one": read literally, one mutation in eight changes nothing (the new value
    lies `least` = 0 or more beyond the old one, all eight equally likely); the other reading draws a different value (`least` = 1).
    """

    def step(rng, boards, cost, rate):
        parents = take(boards, spin(rng, 28 - cost, POPULATION))
        first, second = parents[:, 0::2], parents[:, 1::2]
        head = np.arange(N) < rng.integers(1, N, first.shape[:2])[..., None]
        children = np.empty_like(parents)
        children[:, 0::2] = np.where(head, first, second)
        children[:, 1::2] = np.where(head, second, first)
        mutants = rng.random(children.shape[:2]) < rate
        column = rng.integers(0, N, children.shape[:2])[..., None]
        old = np.take_along_axis(children, column, axis=2)[..., 0]
        new = (old + rng.integers(least, N, children.shape[:2])) % N
        np.put_along_axis(children, column, np.where(mutants, new, old)[..., None], axis=2)
        return children

    return step


def notebook(worst):
    """System D: weight (worst - clashes), 56 as computed, 28 as its text suggests; cut 0..=8; one child; any new value."""

    def step(rng, boards, cost, rate):
        first, second = (take(boards, spin(rng, worst - cost, POPULATION)) for _ in range(2))
        head = np.arange(N) < rng.integers(0, N + 1, first.shape[:2])[..., None]
        children = np.where(head, first, second)
        mutants = rng.random(children.shape[:2]) < rate
        column = rng.integers(0, N, children.shape[:2])[..., None]
        old = np.take_along_axis(children, column, axis=2)[..., 0]
        new = np.where(mutants, rng.integers(0, N, children.shape[:2]), old)
        np.put_along_axis(children, column, new[..., None], axis=2)
        return children

    return step


def notes(weigh):
    """System E: a number 0..=99 a step; clone 0..=29, crossover 30..=98 (two children, one cut), mutate 99."""

    def step(rng, boards, cost, _):
        weights = weigh(cost)
        children = np.empty_like(boards)
        chosen = spin(rng, weights, 2 * POPULATION)
        for trial, own in enumerate(boards):
            made, drawn = 0, iter(chosen[trial])
            while made < POPULATION:
                number = rng.integers(0, 100)
                board = own[next(drawn)].copy()
                if 30 <= number <= 98:
                    other = own[next(drawn)]
                    cut = rng.integers(1, N)
                    children[trial, made] = np.concatenate([board[:cut], other[cut:]])
                    made += 1
                    if made < POPULATION:
                        children[trial, made] = np.concatenate([other[:cut], board[cut:]])
                        made += 1
                    continue
                if number == 99:
                    board[rng.integers(0, N)] = rng.integers(0, N)
                children[trial, made] = board
                made += 1
        return children

    return step


def reciprocal(cost):
    return 1.0 / np.maximum(cost, 1)


def share_complement(cost):
    total = cost.sum(axis=1, keepdims=True)
    return np.where(total == 0, 1.0, 1.0 - cost / np.maximum(total, 1))


def run(system, setting, step, generations, rate=0.0, count=clashes, seed=2026):
    rng = np.random.default_rng(seed)
    boards = rng.integers(0, N, (TRIALS, POPULATION, N))
    solved = 0
    for generation in range(generations + 1):
        cost = count(boards)
        unsolved = (cost > 0).all(axis=1)
        solved += int((~unsolved).sum())
        boards, cost = boards[unsolved], cost[unsolved]
        if generation < generations and len(boards):
            boards = step(rng, boards, cost, rate)
    print(system, setting, TRIALS, solved, flush=True)


if __name__ == "__main__":
    for rate in (0.01, 0.1, 0.3, 1.0):
        run("B", f"any,rate={rate}", simulator(0), 100, rate=rate)
    for rate in (0.01, 0.1, 1.0):
        run("B", f"different,rate={rate}", simulator(1), 100, rate=rate)
    run("D", "computed", notebook(56), 100, rate=0.03)
    run("D", "intended", notebook(28), 100, rate=0.03)
    run("E", "reciprocal", notes(reciprocal), 100, count=per_queen)
    run("E", "share-complement", notes(share_complement), 100, count=per_queen)
