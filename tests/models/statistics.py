"""Cases for the statistics, worked out by SciPy and statsmodels.

    python statistics.py > statistics.json

At least fifty cases a function: its arguments and what it gives.
"""

import json
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
from scipy import integrate, optimize, special, stats
from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

rng = np.random.default_rng(20261121)
CASES = 60


def pseudo_median(differences, level):
    """All averages, and those that Wilcoxon's test by signed ranks does not reject."""
    x = np.array(differences)
    pairs = [(x[i] + x[j]) / 2 for i in range(len(x)) for j in range(i, len(x))]
    walsh, n, tail = np.sort(pairs), len(x), 0.5 * (1 - level)
    if n <= 50 and len(set(np.abs(x))) == n:
        ways = np.array([1], dtype=object)
        for rank in range(1, n + 1):
            ways = np.concatenate([ways, [0] * rank]) + np.concatenate([[0] * rank, ways])
        below = Fraction(0)
        cut = 0
        for count in ways:
            below += Fraction(int(count), 2**n)
            if below > Fraction(tail):
                break
            cut += 1
    else:
        deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = max(0, int(n * (n + 1) / 4 + 0.5 + stats.norm.ppf(tail) * deviation))
    if cut == 0:
        return None
    return [float(np.median(walsh)), float(walsh[cut - 1]), float(walsh[len(walsh) - cut])]


def score_interval(strata, level):
    """Miettinen and Nurminen's over strata: likelihoods maximised and roots found by SciPy."""
    z = stats.norm.ppf(0.5 + 0.5 * level)
    weights = np.array([n * m / (n + m) for _, n, _, m in strata])
    rates = np.array([x / n - y / m for x, n, y, m in strata])
    estimate = float(weights @ rates / weights.sum())

    def variance(x, n, y, m, d):
        slope = lambda q: (
            (x / (q + d) if x else 0) - ((n - x) / (1 - q - d) if n > x else 0)
            + (y / q if y else 0) - ((m - y) / (1 - q) if m > y else 0)
        )
        low, high = max(0, -d), min(1, 1 - d)
        if slope(low + 1e-15) <= 0:
            q = low
        elif slope(high - 1e-15) >= 0:
            q = high
        else:
            q = optimize.brentq(slope, low + 1e-15, high - 1e-15, xtol=1e-16)
        p = min(max(q + d, 0), 1)
        return (p * (1 - p) / n + q * (1 - q) / m) * (n + m) / (n + m - 1)

    def excess(d):
        spread = sum(w * w * variance(*one, d) for w, one in zip(weights, strata))
        return abs(weights.sum() * (estimate - d)) - z * np.sqrt(spread)

    edge = 1 - 1e-13
    low = optimize.brentq(excess, -edge, estimate, xtol=1e-14) if excess(-edge) > 0 else -1.0
    high = optimize.brentq(excess, estimate, edge, xtol=1e-14) if excess(edge) > 0 else 1.0
    return [estimate, float(low), float(high)]


def conditional(strata):
    """The exact test, given the margins: sums of hypergeometric variables."""
    chances, observed = np.array([1.0]), 0
    for x, n, y, m in strata:
        least, most = max(0, x + y - m), min(n, x + y)
        cells = np.arange(least, most + 1)
        chances = np.convolve(chances, stats.hypergeom.pmf(cells, n + m, x + y, n))
        observed += x - least
    return float(min(1, chances[chances <= chances[observed] * (1 + 1e-7)].sum() / chances.sum()))


def large(strata):
    tables = [np.array([[x, n - x], [y, m - y]]) for x, n, y, m in strata]
    return float(StratifiedTable(tables).test_null_odds(correction=True).pvalue)


def van_elteren(strata):
    """Ranks by SciPy; the variance of ranks given their ties."""
    statistic, variance, greatest = 0.0, 0.0, 0
    for a, b in strata:
        ranked = stats.rankdata(a + b)
        n, m, size = len(a), len(b), len(a) + len(b)
        statistic += (ranked[:n].sum() - n * ranked.mean()) / (size + 1)
        variance += n * m * ranked.var(ddof=1) / size / (size + 1) ** 2
        greatest = max(greatest, size)
    away = max(0, abs(statistic) - 0.5 / (greatest + 1))
    return [float(statistic), float(2 * stats.norm.sf(away / np.sqrt(variance)))]


def divided(a, b):
    """Both tails of the rank sum over all divisions, counted value by value; ranks by SciPy."""
    ranks = [int(2 * rank) for rank in stats.rankdata(a + b)]
    n, size = len(a), len(a) + len(b)
    ways = np.zeros((n + 1, sum(sorted(ranks)[-n:]) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    away = np.abs(np.arange(ways.shape[1]) - n * (size + 1))
    return ways[n][away >= abs(sum(ranks[:n]) - n * (size + 1))].sum() / ways[n].sum()


def divided_strata(strata):
    """All divisions of all strata, in fractions."""
    chances, observed = {Fraction(0): Fraction(1)}, Fraction(0)
    for a, b in strata:
        ranks = [Fraction(int(2 * rank), 2) for rank in stats.rankdata(a + b)]
        n, size = len(a), len(a) + len(b)
        weighed = lambda chosen: (sum(chosen) - Fraction(n * (size + 1), 2)) / (size + 1)
        observed += weighed(ranks[:n])
        ways = [weighed(chosen) for chosen in combinations(ranks, n)]
        next = {}
        for value, chance in chances.items():
            for way in ways:
                next[value + way] = next.get(value + way, 0) + chance / len(ways)
        chances = next
    beyond = sum(chance for value, chance in chances.items() if abs(value) >= abs(observed))
    return [float(observed), float(beyond)]


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


def newcombe(effect, n, m, level):
    """His fifth interval of the Mann-Whitney statistic, by root finding."""
    z = stats.norm.ppf(0.5 + level / 2)

    def beyond(t):
        variance = t * (1 - t) * (1 + ((n + m) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t))) / (n * m)
        return (effect - t) - np.sign(effect - t) * z * np.sqrt(variance)

    low = optimize.brentq(beyond, 1e-300, effect - 1e-15, xtol=1e-15, rtol=1e-14) if effect > 0 else 0.0
    high = optimize.brentq(beyond, effect + 1e-15, 1 - 1e-16, xtol=1e-15, rtol=1e-14) if effect < 1 else 1.0
    return [float(low), float(high)]


def delong(a, b, level):
    """The effect size and its interval from the definition, pair by pair."""
    a, b = np.array(a), np.array(b)
    wins = (a[:, None] > b[None, :]) + 0.5 * (a[:, None] == b[None, :])
    effect = wins.mean()
    variance = wins.mean(axis=1).var(ddof=1) / len(a) + wins.mean(axis=0).var(ddof=1) / len(b)
    alike = [np.ptp(wins.mean(axis=axis)) == 0 for axis in (1, 0)]
    by_size = newcombe(effect, len(a), len(b), level) if any(alike) else None
    if all(alike):
        return [float(effect), *by_size]
    reach = stats.norm.ppf(0.5 + level / 2) * np.sqrt(variance) / (effect * (1 - effect))
    logit = np.log(effect / (1 - effect))
    low, high = (float(1 / (1 + np.exp(-x))) for x in (logit - reach, logit + reach))
    if by_size:
        low, high = min(low, by_size[0]), max(high, by_size[1])
    return [float(effect), low, high]


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


def aalen_johansen(solved, stuck, cut, level):
    """Times, and the cumulative incidence of success with its interval, on the scale of log(-log) of what is left."""
    times = np.array(solved + stuck + cut)
    fit = CumIncidenceRight(times, np.array([1] * len(solved) + [2] * len(stuck) + [0] * len(cut)))
    z = stats.norm.ppf(0.5 + level / 2)
    rows = []
    for place, (time, incidence, error) in enumerate(zip(fit.times, fit.cinc[0], fit.cinc_se[0])):
        if time not in solved:
            continue
        if np.isnan(error):
            error = delta_error(times, solved, solved + stuck, time)
        elif place % 7 == 0:
            assert abs(error - delta_error(times, solved, solved + stuck, time)) < 1e-12
        if incidence > 1 - 1e-12:
            rows.append([int(time), 1.0, 1.0, 1.0])
            continue
        rest = 1 - incidence
        reach = z * error / (rest * np.log(rest))
        bounds = sorted(1 - rest ** np.exp(sign * reach) for sign in (1, -1))
        rows.append([int(time), float(incidence), float(bounds[0]), float(bounds[1])])
    return rows


def delta_error(times, solved, ended, until):
    """Of the incidence by the delta method (Marubini and Valsecchi 1995), also where nobody is left at the end."""
    survival, incidence, terms = 1.0, 0.0, []
    for time in sorted(set(ended)):
        if time > until:
            break
        risk, events, here = sum(times >= time), ended.count(time), solved.count(time)
        incidence += survival * here / risk
        terms.append((risk, events, here, survival, incidence))
        survival *= 1 - events / risk
    variance = 0.0
    for risk, events, here, before, so_far in terms:
        rest = incidence - so_far
        variance += rest**2 * events / (risk * (risk - events)) if events < risk else 0.0
        variance += before**2 * here * (risk - here) / risk**3 - 2 * rest * before * here / risk**2
    return np.sqrt(variance)


def median(solved, stuck, cut):
    """In whole fractions: the first time by which at least half are solved; -1 beyond the last end, -2 never."""
    open_share, incidence = Fraction(1), Fraction(0)
    for time in sorted(set(solved + stuck + cut)):
        risk = sum(end >= time for end in solved + stuck + cut)
        share = open_share / risk
        incidence += share * solved.count(time)
        open_share -= share * (solved.count(time) + stuck.count(time))
        if incidence >= Fraction(1, 2):
            return time
    return -1 if incidence + open_share >= Fraction(1, 2) else -2


def cut_off(runs, limit, least=1):
    """The least expected cost of all cut-offs, tried one by one; runs are (evaluations, end), 0 solved, 1 stuck, 2 cut."""
    costs = []
    for cut in sorted({spent for spent, end in runs if end == 0 and spent <= limit}):
        solved = sum(end == 0 and spent <= cut for spent, end in runs)
        if solved >= least:
            costs.append((sum(min(spent, cut) for spent, _ in runs) / solved, cut))
    if not costs:
        return None
    cost, cut = min(costs)
    return [int(cut), float(cost)]


def cut_limit(runs):
    return min((spent for spent, end in runs if end == 2), default=np.inf)


def gain(runs, least, level):
    """Each half judged by the other's cut-off; the variance from the covariances of the four means."""
    limit = cut_limit(runs)
    halves = [cut_off(runs[1::2], limit, least), cut_off(runs[0::2], limit, least)]
    if None in halves:
        return None
    rows = []
    for place, (spent, end) in enumerate(runs):
        cut = halves[place % 2][0]
        rows.append([spent, end == 0, min(spent, cut), end == 0 and spent <= cut])
    rows = np.array(rows, float)
    means = rows.mean(axis=0)
    if not means.all():
        return None
    gradient = np.array([1, -1, -1, 1]) / means
    variance = gradient @ np.cov(rows.T, ddof=0) @ gradient / len(runs)
    log = log_gain(means)
    reach = stats.norm.ppf(0.5 + level / 2) * np.sqrt(variance)
    return [cut_off(runs, limit, 2 * least)[0], *(float(np.exp(x)) for x in (log, log - reach, log + reach))]


def log_gain(means):
    spent, solved, spent_before, solved_before = np.log(means)
    return spent - solved - spent_before + solved_before


def quantile_bounds(values, share, level):
    """By the quantiles of the binomial distribution of the rank."""
    n, tail = len(values), (1 - level) / 2
    ranks = np.arange(n)
    low = [k for k in ranks if stats.binom.cdf(k, n, share) <= tail]
    high = [k for k in ranks if stats.binom.sf(k, n, share) <= tail]
    if not low or not high:
        return None
    return [sorted(values)[max(low)], sorted(values)[min(high)]]


def tango(b, c, n, level):
    """The differences that the score test does not reject; the nuisance probability by maximising the likelihood."""
    z = stats.norm.ppf(0.5 + level / 2)

    def score(d):
        # The probabilities that one alone succeeds are q + d and q; 2 q + d at most 1. Where the likelihood's slope, times its
        # denominators, is 0.
        one, rest = np.polynomial.Polynomial([0, 1]), np.polynomial.Polynomial([1 - d, -2])
        slope = b * one * rest + c * (one + d) * rest - 2 * (n - b - c) * one * (one + d)
        low, high = max(0.0, -d), (1 - d) / 2
        roots = [root.real for root in slope.roots() if low - 1e-12 <= root.real <= high + 1e-12]

        def likelihood(q):
            return special.xlogy(b, max(q + d, 0)) + special.xlogy(c, q) + special.xlogy(n - b - c, max(1 - 2 * q - d, 0))

        q = max((min(max(root, low), high) for root in [*roots, low, high]), key=likelihood)
        return (b - c - n * d) / np.sqrt(n * (2 * q + d - d * d))

    estimate = (b - c) / n
    low = optimize.brentq(lambda d: score(d) - z, -1 + 1e-12, estimate - 1e-9, xtol=1e-15) if estimate > -1 else -1.0
    high = optimize.brentq(lambda d: score(d) + z, estimate + 1e-9, 1 - 1e-12, xtol=1e-15) if estimate < 1 else 1.0
    return [float(low), float(high)]


def paired_evidence(difference, b, c, n, concentration):
    """The mixture of bets by adaptive quadrature over the beta distribution."""
    scale, half = 1 / (1 + abs(difference)), concentration / 2

    def grown(t):
        bet = (2 * t - 1) * scale
        gains = [(b, bet * (1 - difference)), (c, -bet * (1 + difference)), (n - b - c, -bet * difference)]
        return sum(times * np.log1p(gain) for times, gain in gains if times)

    inner = np.linspace(1e-9, 1 - 1e-9, 20_001)
    peak = max(map(grown, inner))
    centre = inner[int(np.argmax([grown(t) for t in inner]))]
    width = 6 / np.sqrt(n + 10)
    points = sorted({min(max(centre + k * width / 4, 0.0), 1.0) for k in range(-8, 9)} | {0.0, 1.0})

    def density(t):
        return np.exp(grown(t) - peak) * stats.beta.pdf(t, half, half)

    parts = [integrate.quad(density, low, high, epsabs=0, epsrel=1e-12, limit=200)[0] for low, high in zip(points, points[1:])]
    return float(peak + np.log(sum(parts)))


def coin(p, k, n, concentration):
    """Log of a beta-binomial's probability over a binomial's."""
    a, b = concentration * p, concentration * (1 - p)
    return float(stats.betabinom.logpmf(k, n, a, b) - stats.binom.logpmf(k, n, p))


def golden(value, low, high):
    """Where a function with one valley, perhaps with a kink, is least: SciPy's bounded search ends at the root of the rounding error."""
    for _ in range(70):
        one, other = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if value(one) <= value(other):
            high = other
        else:
            low = one
    return (low + high) / 2


def anytime_difference(k, n, l, m, level, concentration):
    """The farthest pairs of rates with little evidence by constrained optimisation, and the least evidence against equal ones."""
    limit = -np.log(1 - level)

    def evidence(p, q):
        return coin(p, k, n, concentration) + coin(q, l, m, concentration)

    def end(k, n, l, m):
        """The greatest p - q: for each p the least q."""
        inner = np.concatenate([[1e-12], np.linspace(1e-5, 1 - 1e-5, 400), [1 - 1e-12]])
        against = np.array([coin(q, l, m, concentration) for q in inner])

        def gap(p):
            room = limit - coin(p, k, n, concentration)
            allowed = np.flatnonzero(against <= room)
            if not len(allowed):
                return -1.0
            place = allowed[0]
            if place == 0:
                return p
            return p - optimize.brentq(lambda q: coin(q, l, m, concentration) - room, inner[place - 1], inner[place], xtol=1e-15)

        gaps = [gap(p) for p in inner]
        best = int(np.argmax(gaps))
        bounds = inner[max(best - 1, 0)], inner[min(best + 1, len(inner) - 1)]
        return max(gap(golden(lambda p: -gap(p), *bounds)), gaps[best])

    grid = np.concatenate([[1e-12], np.linspace(1e-5, 1 - 1e-5, 400), [1 - 1e-12]])
    sums = [evidence(p, p) for p in grid]
    best = int(np.argmin(sums))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    least = min(evidence(*[golden(lambda p: evidence(p, p), *bounds)] * 2), sums[best])
    return [-float(end(l, m, k, n)), float(end(k, n, l, m)), float(min(1, np.exp(-least)))]



def friedman(values, exact):
    """SciPy's statistic; p from every rearrangement, or from F."""
    problems, arms = values.shape
    ranks = stats.rankdata(values, axis=1)

    def spread(ranks):
        return ((ranks.sum(axis=-2) - problems * (arms + 1) / 2) ** 2).sum(axis=-1)

    if arms > 2:
        statistic = float(stats.friedmanchisquare(*values.T).statistic)
    else:
        ties = sum(int((row[0] == row[1])) * 6 for row in values)
        statistic = 12 * spread(ranks) / (problems * arms * (arms + 1)) / (1 - ties / (problems * 6)) if ties < 6 * problems else np.nan
    if np.isnan(statistic):
        return [0.0, 1.0]
    if not exact:
        f = (problems - 1) * statistic / (problems * (arms - 1) - statistic)
        return [statistic, float(stats.f.sf(f, arms - 1, (arms - 1) * (problems - 1)))]
    sums = np.zeros((1, arms))
    for row in ranks:
        orders = np.array(list(permutations(row)))
        sums = (sums[:, None, :] + orders[None]).reshape(-1, arms)
    reached = ((sums - problems * (arms + 1) / 2) ** 2).sum(axis=1) >= spread(ranks) - 1e-9
    return [float(statistic), float(reached.mean())]


def signed_ranks(differences):
    """Every choice of signs where they are few enough, else SciPy's exact or normal distribution."""
    kept = np.array([x for x in differences if x != 0])
    if not len(kept):
        return [0.0, 1.0]
    ranks = stats.rankdata(abs(kept))
    statistic = float(ranks[kept > 0].sum())
    tied = len(set(abs(kept))) < len(kept)
    if len(kept) <= 12:
        sums = np.array([np.dot(ranks, signs) for signs in product([0, 1], repeat=len(kept))])
        less = min(statistic, ranks.sum() - statistic)
        return [statistic, float(min(1, 2 * (sums <= less + 1e-9).mean()))]
    if len(kept) > 50:
        return [statistic, float(stats.wilcoxon(kept, method="asymptotic").pvalue)]
    if not tied:
        return [statistic, float(stats.wilcoxon(kept, method="exact").pvalue)]
    # The distribution by a generating function in whole numbers.
    ways = [1]
    for rank in (int(2 * rank) for rank in ranks):
        longer = ways + [0] * rank
        ways = [longer[i] + (ways[i - rank] if i >= rank else 0) for i in range(len(longer))]
    less = int(2 * min(statistic, ranks.sum() - statistic))
    return [statistic, float(min(Fraction(1), 2 * Fraction(sum(ways[: less + 1]), 2 ** len(kept))))]


def shift(a, b, level):
    """From all differences, written down and sorted; U's distribution by counting."""
    differences = sorted(x - y for x in a for y in b)
    n, m = len(a), len(b)
    tail = Fraction((1 - level) / 2)
    if n * m <= 400 and len(set(a + b)) == n + m:
        ways = {(0, 0): 1}
        for i in range(n + m):
            longer = {}
            for (taken, u), count in ways.items():
                # The next value in order is one of the first sample, above all of the second so far, or one of the second.
                if taken < n:
                    key = (taken + 1, u + i - taken)
                    longer[key] = longer.get(key, 0) + count
                if i - taken < m:
                    longer[(taken, u)] = longer.get((taken, u), 0) + count
            ways = longer
        whole = sum(ways.values())
        cut, below = 0, 0
        while Fraction(below + ways[(n, cut)], whole) <= tail:
            below += ways[(n, cut)]
            cut += 1
    else:
        cut = int(max(0, np.floor(n * m / 2 + 0.5 + stats.norm.ppf((1 - level) / 2) * np.sqrt(n * m * (n + m + 1) / 12))))
    if cut == 0:
        return None
    return [float(np.median(differences)), differences[cut - 1], differences[n * m - cut]]


out = {name: [] for name in "wilson clopper_pearson difference fisher mcnemar mann_whitney vargha_delaney holm run_lengths quantile_interval".split()}
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
    found = stats.mannwhitneyu(a, b, method="asymptotic")
    tied = len(set(a + b)) < len(a) + len(b)
    exact = divided(a, b) if tied else stats.mannwhitneyu(a, b, method="exact").pvalue
    out["mann_whitney"].append([[a, b], [float(found.statistic), float(exact), float(found.pvalue)]])
    effect = delong(a, b, level)
    if effect:
        out["vargha_delaney"].append([[a, b, level], effect])
    # Nothing is worked out of these; without them the random cases below would be others.
    sample(int(rng.integers(6, 50 if case % 4 < 2 else 120)), ties)
    lengths = [int(x) for x in np.ceil(rng.exponential(50, int(rng.integers(1, 40))))]
    ends = [int(x) for x in rng.integers(20, 120, int(rng.integers(0, 30)))]
    out["run_lengths"].append([[lengths, [], ends, level], kaplan_meier(lengths, ends, level)])
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
    # Nothing is worked out of these; without them the random cases below would be others.
    rng.integers(0, len(lengths) + len(ends), (120, len(lengths) + len(ends)))
while min(map(len, (out["vargha_delaney"],))) < CASES + 10:
    sizes = rng.integers(1, 8, size=2)
    a, b = ([float(x) for x in rng.integers(0, 2, size)] for size in sizes)
    out["vargha_delaney"].append([[a, b, 0.95], delong(a, b, 0.95)])
out.update(paired_difference=[], paired_evidence=[], anytime_difference=[])
for case in range(CASES):
    n = int(rng.integers(2, [20, 200, 2000][case % 3]))
    b, c, _ = (int(x) for x in rng.multinomial(n, rng.dirichlet([1, 1, 2])))
    level = [0.9, 0.95, 0.99][case % 3]
    out["paired_difference"].append([[b, c, n, level], tango(b, c, n, level)])
    difference = float(np.clip((b - c) / n + rng.normal() * 2 / np.sqrt(n), -0.95, 0.95))
    out["paired_evidence"].append([[difference, b, c, n, 10.0], paired_evidence(difference, b, c, n, 10.0)])
    n, m = (int(x) for x in rng.integers(20, 600, 2))
    k, l = int(rng.integers(1, n)), int(rng.integers(1, m))
    if case % 2:
        l = int(np.clip(round(m * (k / n + rng.normal() * 0.08)), 1, m - 1))
    concentration = [10.0, 60.0][case % 2]
    out["anytime_difference"].append([[k, n, l, m, level, concentration], anytime_difference(k, n, l, m, level, concentration)])
out.update(incidence=[], median=[], cut_off=[], restart_gain=[])
for case in range(CASES):
    draw = lambda least, most, scale: [int(x) for x in np.ceil(rng.exponential(scale, int(rng.integers(least, most))))]
    solved, stuck = draw(1, 40, 50), draw(1, 30, 60)
    cut = [[], [120] * int(rng.integers(1, 20)), draw(0, 20, 80)][case % 3]
    level = [0.9, 0.95, 0.99][case % 3]
    out["incidence"].append([[solved, stuck, cut, level], aalen_johansen(solved, stuck, cut, level)])
    runs = [(x, 0) for x in solved] + [(x, 1) for x in stuck] + [(x, 2) for x in cut]
    best = cut_off(runs, cut_limit(runs))
    if best:
        out["cut_off"].append([[solved, stuck, cut], best])
    # Many of them exactly half: as many solved as not.
    few = draw(1, 12, 20)
    other = [x + max(few) for x in draw(len(few), len(few) + 1 + case % 3, 20)]
    parts = [(few, other, []), (few, [], other), (few, other[: len(few) // 2], other[len(few) // 2 :]), (few, stuck, cut)][case % 4]
    out["median"].append([list(parts), median(*parts)])
    lengths = [int(x) for x in np.ceil(rng.exponential(rng.choice([50, 2000], 100 + case)))]
    budget = [10**9, 400, 5000][case % 3]
    runs = [[min(x, budget), 2 if x > budget else int(rng.random() < 0.2)] for x in lengths]
    found = gain([tuple(run) for run in runs], 10, level)
    if found:
        out["restart_gain"].append([[runs, 10, level], found])
out.update(friedman=[], nemenyi=[], wilcoxon=[], hodges_lehmann=[])
for case in range(CASES):
    # By turns few problems, whose rearrangements are gone through one by one, and so many arms that F stands in.
    arms = int(rng.integers(2, 5)) if case % 2 else int(rng.integers(7, 12))
    problems = int(rng.integers(2, 5 if arms == 4 else 7)) if case % 2 else int(rng.integers(3, 30))
    values = rng.normal(size=(problems, arms)) + np.linspace(0, 1, arms)
    values = np.round(values, 0 if case % 4 < 2 else 9)
    out["friedman"].append([values.tolist(), friedman(values, case % 2)])
    arms, problems = int(rng.integers(2, 21)), int(rng.integers(2, 60))
    alpha = [0.1, 0.05, 0.01][case % 3]
    error = np.sqrt(arms * (arms + 1) / (12 * problems))
    difference = float(rng.uniform(0, 5) * error)
    p = stats.studentized_range.sf(difference / error, arms, np.inf)
    critical = stats.studentized_range.ppf(1 - alpha, arms, np.inf) * error
    out["nemenyi"].append([[difference, arms, problems, alpha], [float(p), float(critical)]])
    size = int(rng.integers(1, 13)) if case % 3 else int(rng.integers(13, 120))
    differences = [float(x) for x in np.round(rng.normal(size=size) + 0.3, 9 if case % 2 else 0)]
    out["wilcoxon"].append([differences, signed_ranks(differences)])
    sizes = rng.integers(1, 20 if case % 2 else 90, size=2)
    a, b = sample(sizes[0], case % 4 < 2), sample(sizes[1], case % 4 < 2)
    level = [0.8, 0.9, 0.95][case % 3]
    found = shift(a, b, level)
    if found:
        out["hodges_lehmann"].append([[a, b, level], found])
while len(out["hodges_lehmann"]) < CASES:
    a, b = sample(int(rng.integers(5, 30)), False), sample(int(rng.integers(5, 30)), False)
    out["hodges_lehmann"].append([[a, b, 0.95], shift(a, b, 0.95)])
out.update(pseudo_median=[])
while len(out["pseudo_median"]) < CASES:
    case = len(out["pseudo_median"])
    size = int(rng.integers(6, 50 if case % 2 else 140))
    values = [float(x) for x in np.round(rng.normal(size=size) + 0.3, 9 if case % 4 < 2 else 1)]
    level = [0.8, 0.9, 0.95][case % 3]
    found = pseudo_median(values, level)
    if found:
        out["pseudo_median"].append([[values, level], found])
out.update(stratified=[], large_strata=[], van_elteren=[])
for case in range(CASES):
    # By turns few strata of many trials, many of few, and rates at the ends.
    size, greatest = [(3, 80), (30, 3), (5, 12)][case % 3]
    rates = [rng.uniform(size=2), np.array([0.02, 0.05]), np.array([1.0, 0.9])][case // 3 % 3]
    strata = []
    for _ in range(size):
        n, m = (int(x) for x in rng.integers(1, greatest + 1, size=2))
        strata.append([int(rng.binomial(n, rates[0])), n, int(rng.binomial(m, rates[1])), m])
    level = [0.9, 0.95, 0.99][case % 3]
    out["stratified"].append([[strata, level], score_interval(strata, level) + [conditional(strata)]])
    strata = []
    for _ in range(3):
        n, m = (int(x) for x in rng.integers(8_000, 20_000, size=2))
        strata.append([int(rng.binomial(n, 0.5)), n, int(rng.binomial(m, 0.505)), m])
    out["large_strata"].append([strata, large(strata)])
    sizes = rng.integers(1, 15, size=(int(rng.integers(2, 9)), 2))
    samples = [[sample(n, case % 2 == 0), sample(m, case % 2 == 0)] for n, m in sizes]
    if any(len(set(a + b)) > 1 for a, b in samples):
        out["van_elteren"].append([samples, van_elteren(samples)])
out["exact_van_elteren"] = []
for case in range(CASES):
    sizes = rng.integers(1, 5 if case % 2 else 7, size=(2 + case % 2, 2))
    samples = [[sample(n, case % 3 > 0), sample(m, case % 3 > 0)] for n, m in sizes]
    out["exact_van_elteren"].append([samples, divided_strata(samples)])
print(json.dumps(out))

