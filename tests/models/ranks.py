"""The ranking of docs/analysis.md, worked out by SciPy and scikit-posthocs.

    runner show results/seven-problems --json | python -P ranks.py > ranks.json

By measure: Friedman's statistic, the critical difference, the mean ranks by arm, and for every two
arms the p-values of Nemenyi's test, of Wilcoxon's, and of Wilcoxon's adjusted by Holm's method.
"""

import json
import sys

import numpy as np
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests

rows = json.load(sys.stdin)
arms = list(dict.fromkeys(row["operators"] for row in rows))
problems = list(dict.fromkeys(row["problem.problem"] for row in rows))
measures = {
    "success-rate": lambda row: -row["success_rate"],
    "ert": lambda row: np.log(row["ert"]) if row["ert"] else np.inf,
    "fitness": lambda row: row["best_fitness_median"],
}
out = {}
for by, measure in measures.items():
    values = np.zeros((len(problems), len(arms)))
    for row in rows:
        values[problems.index(row["problem.problem"]), arms.index(row["operators"])] = measure(row)
    ranks = np.array([stats.rankdata(line) for line in values]).mean(axis=0)
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(values).values
    pairs = []
    for i in range(len(arms)):
        for j in range(i + 1, len(arms)):
            differ = values[:, i] != values[:, j]
            differences = values[differ, i] - values[differ, j]
            # With ties the exact distribution is that of all choices of signs.
            every = stats.PermutationMethod(n_resamples=10**6)
            p = stats.wilcoxon(differences, method=every).pvalue if differ.any() else 1.0
            pairs.append([arms[i], arms[j], float(nemenyi[i, j]), float(p)])
    adjusted = multipletests([pair[3] for pair in pairs], method="holm")[1]
    k, n = len(arms), len(problems)
    critical = stats.studentized_range.ppf(0.95, k, np.inf) * np.sqrt(k * (k + 1) / 12 / n)
    out[by] = {
        "friedman": float(stats.friedmanchisquare(*values.T).statistic),
        "critical": float(critical),
        "ranks": dict(zip(arms, map(float, ranks))),
        "pairs": [[*pair, float(p)] for pair, p in zip(pairs, adjusted)],
    }
print(json.dumps(out))
