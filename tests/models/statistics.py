"""Cases for the statistics, worked out by SciPy and statsmodels.

    python statistics.py > statistics.json

At least fifty cases a function: its arguments and what it gives.
"""

import json

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

rng = np.random.default_rng(20261121)
CASES = 60


def counts(greatest=400):
    n = int(rng.integers(1, greatest))
    return int(rng.integers(0, n + 1)), n


def wilson(k, n, level):
    return list(proportion_confint(k, n, 1 - level, "wilson"))


def clopper_pearson(k, n, level):
    interval = stats.binomtest(k, n).proportion_ci(level, "exact")
    return [interval.low, interval.high]


def difference(k, n, l, m, level):
    return list(confint_proportions_2indep(k, n, l, m, method="newcomb", compare="diff", alpha=1 - level))


def sample(size, ties):
    values = rng.normal(size=size) + rng.normal() * 0.5
    return [float(value) for value in (np.round(values) if ties else values)]


def delong(a, b, level):
    """The effect size and its interval from the definition, pair by pair."""
    a, b = np.array(a), np.array(b)
    wins = (a[:, None] > b[None, :]) + 0.5 * (a[:, None] == b[None, :])
    effect = wins.mean()
    variance = wins.mean(axis=1).var(ddof=1) / len(a) + wins.mean(axis=0).var(ddof=1) / len(b)
    if not 0 < effect < 1:
        return None
    reach = stats.norm.ppf(0.5 + level / 2) * np.sqrt(variance) / (effect * (1 - effect))
    logit = np.log(effect / (1 - effect))
    return [float(effect), *(float(1 / (1 + np.exp(-x))) for x in (logit - reach, logit + reach))]


out = {name: [] for name in "wilson clopper_pearson difference fisher mcnemar mann_whitney wilcoxon vargha_delaney holm".split()}
for case in range(CASES):
    (k, n), (l, m) = counts(), counts()
    level = [0.9, 0.95, 0.99][case % 3]
    out["wilson"].append([[k, n, level], wilson(k, n, level)])
    out["clopper_pearson"].append([[k, n, level], clopper_pearson(k, n, level)])
    out["difference"].append([[k, n, l, m, level], difference(k, n, l, m, level)])
    out["fisher"].append([[k, n, l, m], float(stats.fisher_exact([[k, n - k], [l, m - l]]).pvalue)])
    one, other = int(rng.integers(0, 60)), int(rng.integers(1, 60))
    out["mcnemar"].append([[one, other], float(stats.binomtest(min(one, other), one + other, 0.5).pvalue)])
    ties = case % 2 == 1
    sizes = rng.integers(2, 20 if case % 4 < 2 else 80, size=2)
    a, b = sample(sizes[0], ties), sample(sizes[1], ties)
    tied = len(set(a + b)) < len(a) + len(b)
    method = "exact" if not tied and len(a) * len(b) <= 400 else "asymptotic"
    found = stats.mannwhitneyu(a, b, method=method)
    out["mann_whitney"].append([[a, b], [float(found.statistic), float(found.pvalue)]])
    effect = delong(a, b, level)
    if effect:
        out["vargha_delaney"].append([[a, b, level], effect])
    d = sample(int(rng.integers(6, 50 if case % 4 < 2 else 120)), ties)
    kept = [abs(x) for x in d if x != 0]
    plain = len(kept) == len(d) and len(set(kept)) == len(kept) and len(kept) <= 50
    found = stats.wilcoxon(d, method="exact" if plain else "asymptotic", correction=False)
    out["wilcoxon"].append([d, [float(found.statistic), float(found.pvalue)]])
    p = [float(x) for x in rng.random(int(rng.integers(1, 12))) ** 3]
    out["holm"].append([p, [float(x) for x in multipletests(p, method="holm")[1]]])
print(json.dumps(out))
