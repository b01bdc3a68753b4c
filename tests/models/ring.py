"""A model of the (1+1) evolutionary algorithm on a ring of spins, written from its description alone.

    pip install numpy==2.4.6
    python ring.py > ring.txt

Droste, Jansen and Wegener (2002): each bit of a copy is flipped with probability 1/n, and the copy replaces its original if it is at
least as good, here if no fewer neighbours on the ring are equal. Whole trials run side by side.

Each line: n, evaluations, trials, and how many of them made all bits equal within so many evaluations, the first string included.
"""

import numpy as np


def alike(strings):
    return (strings == np.roll(strings, 1, axis=1)).sum(axis=1)


def run(n, evaluations, trials, seed):
    rng = np.random.default_rng(seed)
    strings = rng.random((trials, n)) < 0.5
    value = alike(strings)
    for _ in range(evaluations - 1):
        unsolved = value < n
        if not unsolved.all():
            strings, value = strings[unsolved], value[unsolved]
        if len(strings) == 0:
            break
        children = strings ^ (rng.random(strings.shape) < 1 / n)
        found = alike(children)
        taken = found >= value
        strings[taken], value[taken] = children[taken], found[taken]
    print(n, evaluations, trials, trials - int((value < n).sum()), flush=True)


if __name__ == "__main__":
    run(32, 5000, 4000, 32)
    run(100, 50000, 2000, 100)
