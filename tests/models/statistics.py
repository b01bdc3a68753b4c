"""Cases for the statistics, worked out by SciPy and statsmodels.

    python statistics.py > statistics.json

At least fifty cases a function: its arguments and what it gives.
"""

import json

import numpy as np
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight
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


def kaplan_meier(lengths, ends, level):
    """Times, and the probability of success with its interval, on the scale of log(-log)."""
    times = np.array(lengths + ends)
    fit = SurvfuncRight(times, np.array([1] * len(lengths) + [0] * len(ends)))
    z = stats.norm.ppf(0.5 + level / 2)
    rows = []
    for time, survival, error in zip(fit.surv_times, fit.surv_prob, fit.surv_prob_se):
        if time not in lengths:
            continue
        if survival <= 0:
            rows.append([int(time), 1.0, 1.0, 1.0])
            continue
        reach = z * error / survival / np.log(survival)
        bounds = sorted(1 - survival ** np.exp(sign * reach) for sign in (1, -1))
        rows.append([int(time), 1 - float(survival), float(bounds[0]), float(bounds[1])])
    return rows


def restart(lengths, ends):
    """The least expected cost of all cut-offs, tried one by one."""
    limit = min(ends) if ends else np.inf
    costs = []
    for cut in sorted(set(lengths)):
        if cut <= limit:
            solved = sum(length <= cut for length in lengths)
            spent = sum(min(length, cut) for length in lengths) + cut * len(ends)
            costs.append((spent / solved, cut))
    if not costs:
        return None
    cost, cut = min(costs)
    return [int(cut), float(cost)]


def quantile_bounds(values, share, level):
    """By the quantiles of the binomial distribution of the rank."""
    n, tail = len(values), (1 - level) / 2
    ranks = np.arange(n)
    low = [k for k in ranks if stats.binom.cdf(k, n, share) <= tail]
    high = [k for k in ranks if stats.binom.sf(k, n, share) <= tail]
    if not low or not high:
        return None
    return [sorted(values)[max(low)], sorted(values)[min(high)]]


def bca(lengths, ends, resamples, level):
    """Efron's interval of the expected running time, from its definition."""
    runs = [(length, 1) for length in lengths] + [(end, 0) for end in ends]

    def ert(runs):
        return sum(spent for spent, _ in runs) / sum(solved for _, solved in runs)

    estimate = ert(runs)
    without = np.array([ert(runs[:place] + runs[place + 1 :]) for place in range(len(runs))])
    d = without.mean() - without
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    share = (np.sum(resamples < estimate) + np.sum(resamples <= estimate)) / (2 * len(resamples))
    z0, tails = stats.norm.ppf(share), np.array([(1 - level) / 2, (1 + level) / 2])
    z = z0 + stats.norm.ppf(tails)
    bounds = np.quantile(resamples, stats.norm.cdf(z0 + z / (1 - a * z)))
    return [estimate, list(without)], [float(bound) for bound in bounds]


out = {name: [] for name in "wilson clopper_pearson difference fisher mcnemar mann_whitney wilcoxon vargha_delaney holm bca run_lengths restart quantile_interval".split()}
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
    lengths = [int(x) for x in np.ceil(rng.exponential(50, int(rng.integers(1, 40))))]
    ends = [int(x) for x in rng.integers(20, 120, int(rng.integers(0, 30)))]
    out["run_lengths"].append([[lengths, ends, level], kaplan_meier(lengths, ends, level)])
    best = restart(lengths, ends)
    if best:
        out["restart"].append([[lengths, ends], best])
    values = sorted(sample(int(rng.integers(20, 200)), False))
    share = [0.5, 0.25, 0.9][case % 3]
    bounds = quantile_bounds(values, share, 0.9)
    if bounds:
        out["quantile_interval"].append([[values, share, 0.9], bounds])
    p = [float(x) for x in rng.random(int(rng.integers(1, 12))) ** 3]
    out["holm"].append([p, [float(x) for x in multipletests(p, method="holm")[1]]])
# From here on, so that the cases above stay as they were.
for case in range(CASES):
    lengths = [int(x) for x in np.ceil(rng.exponential(50, int(rng.integers(3, 40))))]
    ends = [int(x) for x in rng.integers(20, 120, int(rng.integers(0, 30)))]
    runs = np.array([(length, 1) for length in lengths] + [(end, 0) for end in ends])
    drawn = runs[rng.integers(0, len(runs), (120, len(runs)))].sum(axis=1)
    resamples = np.sort(np.round(drawn[drawn[:, 1] > 0][:, 0] / drawn[drawn[:, 1] > 0][:, 1], 6))
    level = [0.9, 0.95, 0.99][case % 3]
    (estimate, without), bounds = bca(lengths, ends, resamples, level)
    out["bca"].append([[[float(x) for x in resamples], estimate, without, level], bounds])
print(json.dumps(out))
