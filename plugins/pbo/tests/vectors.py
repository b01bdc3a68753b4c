"""Writes vectors.txt: values of the 25 problems of the suite PBO, instance 1, as the package `ioh` (PyPI) has them.

    pip install ioh==0.4.2
    python vectors.py > vectors.txt
    python vectors.py instances > instances.txt

Each line: number of the problem, n, a string of bits as a hexadecimal number (the first bit is the most significant), value. For each
problem and length: all zeros, all ones, strings of few and of many ones, and uniform ones. `optimum` lines: number, n, greatest value,
where the package states it. Lines of instances.txt begin with the instance; it has some of 2 to 100, with 25 bits.
"""

import random
import sys

import ioh

SQUARES = [4, 16, 25, 49, 64, 100]
ANY = [4, 7, 10, 16, 25, 50, 64, 100]
FIVES = [5, 10, 25, 50, 100]

rng = random.Random(25)


def show(problem, number, n, bits):
    print(number, n, f"{int(''.join(map(str, bits)), 2):x}", repr(problem(bits)))


if sys.argv[1:] == ["instances"]:
    for number in range(1, 26):
        for instance in [2, 3, 6, 50, 51, 52, 55, 100]:
            for _ in range(2):
                print(instance, end=" ")
                problem = ioh.get_problem(number, instance, 25, ioh.ProblemClass.PBO)
                show(problem, number, 25, [rng.getrandbits(1) for _ in range(25)])
    sys.exit()

for number in range(1, 26):
    for n in {20: SQUARES, 21: SQUARES, 23: SQUARES, 24: FIVES}.get(number, ANY):
        problem = ioh.get_problem(number, 1, n, ioh.ProblemClass.PBO)
        # The package takes 2 and 3 queens for as many as there are columns; one queen, two queens are the most there.
        if number not in (18, 25) and not (number == 23 and n < 16):
            print("optimum", number, n, repr(problem.optimum.y))
        show(problem, number, n, [0] * n)
        show(problem, number, n, [1] * n)
        for share in [0.1, 0.25, 0.75, 0.9, 0.97] + [0.5] * 7:
            show(problem, number, n, [int(rng.random() < share) for _ in range(n)])
