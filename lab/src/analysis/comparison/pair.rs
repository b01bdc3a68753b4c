//! Comparisons of two arms, and of families of pairs.

use super::criterion::{Criterion, Test, Tests, Two};
use super::effects::{FinalFitness, Shift};
use super::sample::Sample;
use crate::analysis::{DifferenceMethod, Verdict};
use crate::stats::{Interval, holm, normal_quantile, pairs_to_tell, trials_to_tell};

/// Place of a comparison among swept values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Not within swept values.
    #[default]
    Whole,
    /// At these values of the swept keys within which arms are compared.
    At(Vec<String>),
    /// Over all of the values. The rates are weighted means of those at the values.
    Over {
        /// Number of values.
        strata: u64,
    },
}

/// Comparison of two arms. Rates, differences and effects are those of the first relative to the
/// second; if trials are paired, over the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Label of the first arm.
    pub first: String,
    /// Label of the second arm.
    pub second: String,
    /// Problem, or strata, in which the arms are compared.
    pub place: Place,
    /// Usable trials of each arm, or the pairs.
    pub trials: (u64, u64),
    /// Success rates of the two arms, from 0 to 1.
    pub rates: (f64, f64),
    /// First rate minus second, with its interval.
    pub difference: f64,
    /// Confidence interval of the difference of the rates, from -1 to 1.
    pub difference_interval: Interval,
    /// Method of the intervals and p-values.
    pub method: DifferenceMethod,
    /// Level of the intervals. The tests have the significance level 1 - `confidence`.
    pub confidence: f64,
    /// One test per criterion, in the order of [`Criterion::ALL`].
    pub tests: [Option<Test>; 3],
    /// Probability that a trial of the first arm needs fewer evaluations than one of the second,
    /// with ties counted half. If trials are paired, they have the same number.
    pub effect: f64,
    /// `None` if outcomes ended the trials of unpaired arms, because no valid interval is known.
    pub effect_interval: Option<Interval>,
    /// Factor by which the first arm is faster; `None` if neither succeeds.
    pub speed: Option<Shift>,
    /// Final fitness, if neither arm succeeds.
    pub fitness: Option<FinalFitness>,
    /// First ERT divided by the second: below 1 the first is cheaper. `None` if an arm never
    /// succeeds.
    pub ert_ratio: Option<f64>,
    /// Verdict over all criteria.
    pub verdict: Verdict,
    /// Criterion of the verdict; `None` if no test finds a difference.
    pub criterion: Option<Criterion>,
    /// Failed trials of each arm; they are not among `trials`.
    pub failures: (u64, u64),
    /// Verdict if every failure counted against the first arm: unsuccessful there, successful in
    /// the second.
    pub if_against: Verdict,
    /// Verdict if every failure counted for the first arm.
    pub if_for: Verdict,
    /// Estimated number of further trials per arm that would decide an unclear comparison, if the
    /// rates are as observed. `None` if outcomes ended the trials.
    pub needed: Option<u64>,
    /// Smaller budget, at which the two are compared; `None` if neither had more.
    pub budget: Option<u64>,
    /// Whether the rates are nevertheless those at the end of trials, which the stopping rule saw.
    pub rates_at_end: bool,
    /// Whether success is defined for both.
    pub defines_success: bool,
    /// Whether the final fitness of both is known at one budget.
    pub fitness_known: bool,
    /// Whether both arms have the same trials, at two budgets.
    pub same_trials: bool,
    /// Tests if every failure counted against the first arm, and for it.
    pub(super) extremes: [Tests; 2],
    /// Whether `repeats` asks for this comparison. It is tested before all others.
    pub asked: bool,
    /// Whether the second arm is the baseline of the first.
    pub against_baseline: bool,
    /// Whether the trials of one arm alone are all the same. Those of the other are then compared
    /// with them in pairs.
    pub one_is_exact: bool,
    /// Shares of all pairs in which only one trial succeeded.
    pub(super) alone: Option<(f64, f64)>,
    /// Over strata: difference of the rates in standard deviations.
    pub(super) deviation: Option<f64>,
}

impl Comparison {
    /// Returns the number of failed trials of both arms.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failures.0 + self.failures.1
    }

    /// Returns the shift of the final fitness; `None` if it was not compared, or a trial saw no
    /// fitness.
    #[must_use]
    pub fn fitness_shift(&self) -> Option<Shift> {
        self.fitness.as_ref()?.shift
    }

    /// Returns the smaller budget within which the rates are. `None` if they are those at the end
    /// of trials.
    #[must_use]
    pub fn budget_of_rates(&self) -> Option<u64> {
        self.budget.filter(|_| !self.rates_at_end)
    }

    /// Returns the labels of the better arm and of the worse one; `None` if they are not told
    /// apart.
    #[must_use]
    pub fn ranked(&self) -> Option<[&str; 2]> {
        match self.verdict {
            Verdict::Better => Some([&self.first, &self.second]),
            Verdict::Worse => Some([&self.second, &self.first]),
            _ => None,
        }
    }

    /// Returns the verdict of the trials that ran, whatever the failed ones leave open.
    #[must_use]
    pub fn verdict_without_failures(&self) -> Verdict {
        self.judged(&self.tests).0
    }

    /// Returns the test of a criterion; `None` if it was not made.
    #[must_use]
    pub fn test(&self, criterion: Criterion) -> Option<&Test> {
        self.tests[criterion as usize].as_ref()
    }

    /// Returns the adjusted p-value of the verdict's criterion; the least one without a criterion.
    #[must_use]
    pub fn p_adjusted(&self) -> f64 {
        let least = || {
            let all = self.tests.iter().flatten().map(|test| test.p_adjusted);
            all.fold(1.0, f64::min)
        };
        self.criterion
            .and_then(|criterion| self.test(criterion))
            .map_or_else(least, |test| test.p_adjusted)
    }

    /// Returns whether the comparison is over several strata.
    #[must_use]
    pub fn is_over_strata(&self) -> bool {
        matches!(self.place, Place::Over { .. })
    }

    /// Returns the name of the difference's interval in the tables.
    #[must_use]
    pub fn interval_method(&self) -> &'static str {
        match (self.is_over_strata(), self.method) {
            (true, DifferenceMethod::Independent) => "miettinen-nurminen",
            (true, method) if method.is_anytime() => "simultaneous-confidence-sequences",
            (_, method) => method.as_str(),
        }
    }

    /// Returns the verdict of these tests, and its criterion: the first with a significant test.
    fn judged(&self, tests: &Tests) -> (Verdict, Option<Criterion>) {
        let told = |criterion: &Criterion| {
            tests[*criterion as usize].filter(|test| test.p_adjusted <= 1.0 - self.confidence)
        };
        match Criterion::ALL.into_iter().find_map(|criterion| Some((criterion, told(&criterion)?)))
        {
            None => (Verdict::Unclear, None),
            Some((criterion, test)) if test.lean > 0.0 => (Verdict::Better, Some(criterion)),
            Some((criterion, _)) => (Verdict::Worse, Some(criterion)),
        }
    }
}

/// Maximum number of proposed trials. If more are needed, the rates are too similar.
const MOST: f64 = 1e7;
/// Power of a proposed number of trials.
const POWER: f64 = 0.9;

/// Returns whether trials of these arms are compared in pairs by default: they were made in pairs,
/// in one experiment.
#[must_use]
pub fn made_in_pairs(pairs: &[(&Sample, &Sample)]) -> bool {
    pairs.iter().all(|(one, other)| one.common && other.common && one.folder == other.folder)
}

/// Compares pairs of samples. If `paired`, trials of equal number form pairs. Pairs without trials
/// are left out. The greatest difference is first.
///
/// A verdict is based on the success rates. If these show no difference, it is based on the
/// evaluations to success; if neither arm succeeds, on the final fitness.
///
/// All tests of all pairs are one family. Their p-values are adjusted together by Holm's method,
/// whichever of them a verdict is based on. The chance of any false verdict among all pairs thus
/// stays below the level. Pairs of an arm and its baseline are a separate family, because they
/// answer another question.
///
/// A comparison that `repeats` asks for comes before the others. Its rates are tested at the full
/// level, and the other tests between arms count only if these differ; those against baselines do
/// so only if the asked comparison is one of them. This is a fixed sequence of two families, which
/// keeps the level for all together (Maurer, Hothorn and Lehmacher 1995; Westfall and Krishen 2001,
/// doi:10.1016/S0378-3758(00)00322-3).
#[must_use]
pub fn compare(pairs: &[(&Sample, &Sample)], paired: bool) -> Vec<Comparison> {
    let of_pair = |(first, second): &(&Sample, &Sample)| {
        let against_baseline = first.has_baseline(second);
        Some(Comparison { against_baseline, ..one(first, second, paired)? })
    };
    let mut all: Vec<Comparison> = pairs.iter().filter_map(of_pair).collect();
    settle(&mut all);
    all.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    all
}

/// Adjusts the p-values of each family of comparisons together, and sets the verdicts.
pub(super) fn settle(all: &mut [Comparison]) {
    let asked = all.iter().find(|one| one.asked);
    let gate = |of: &dyn Fn(&Comparison) -> Tests| {
        asked.and_then(|one| of(one)[0]).map_or(0.0, |test| test.p)
    };
    let gates =
        [gate(&|one| one.tests), gate(&|one| one.extremes[0]), gate(&|one| one.extremes[1])];
    settle_families(all, gates);
    // If failures can turn the asked verdict, they can also leave its pair undecided, which closes
    // the gate: that case lies between the extremes.
    if all.iter().any(|one| one.asked && matches!(one.verdict, Verdict::Open { .. })) {
        settle_families(all, [gates[0], 1.0, 1.0]);
    }
}

fn settle_families(all: &mut [Comparison], gates: [f64; 3]) {
    let (baselines, others): (Vec<_>, Vec<_>) =
        all.iter_mut().partition(|one| one.against_baseline);
    let is_asked = baselines.iter().any(|one| one.asked);
    settle_family(baselines, if is_asked { gates } else { [0.0; 3] });
    settle_family(others, gates);
}

/// Adjusts the p-values of a family. `gates` has the p-values of the comparison that `repeats` asks
/// for: as observed, and at both extremes.
fn settle_family(mut all: Vec<&mut Comparison>, gates: [f64; 3]) {
    let asked: Vec<bool> = all.iter().map(|one| one.asked).collect();
    adjust(all.iter_mut().map(|one| &mut one.tests).collect(), &asked, gates[0]);
    // A pair without failures may still lose its verdict because of other pairs' failures, through
    // the adjustment.
    let most = all.iter().map(|one| one.failed()).max().unwrap_or(0);
    for extreme in if most > 0 { 0..2 } else { 0..0 } {
        let tests = all.iter_mut().map(|one| &mut one.extremes[extreme]).collect();
        adjust(tests, &asked, gates[1 + extreme]);
    }
    let family = number_of_tests(all.iter().map(|one| &**one)).max(1) as f64;
    for one in all {
        (one.verdict, one.criterion) = one.judged(&one.tests);
        (one.if_against, one.if_for) = (one.verdict, one.verdict);
        if most > 0 {
            [one.if_against, one.if_for] = one.extremes.map(|tests| one.judged(&tests).0);
            let failures = if one.failed() > 0 { one.failed() } else { most };
            one.verdict = one.verdict.if_also([one.if_against, one.if_for], failures);
            one.criterion = one.criterion.filter(|_| !matches!(one.verdict, Verdict::Open { .. }));
        }
        one.needed = (one.verdict == Verdict::Unclear).then(|| more(one, family)).flatten();
    }
}

/// Returns the number of tests per family: of arms, and of arms against their baselines. The test
/// of the stopping rule's pair is not counted.
#[must_use]
pub fn tests_of(compared: &[Comparison]) -> [usize; 2] {
    [false, true].map(|baselines| {
        number_of_tests(compared.iter().filter(|one| one.against_baseline == baselines))
    })
}

fn number_of_tests<'a>(compared: impl Iterator<Item = &'a Comparison>) -> usize {
    let of_one = |one: &Comparison| {
        let all = one.tests.iter().flatten().count();
        all - usize::from(one.asked && one.tests[0].is_some())
    };
    compared.map(of_one).sum()
}

/// Adjusts the p-values of a family together. No adjusted p-value is below `first`.
fn adjust(mut all: Vec<&mut Tests>, asked: &[bool], first: f64) {
    let mut others: Vec<&mut Test> = Vec::new();
    for (tests, asked) in all.iter_mut().zip(asked) {
        let skipped = usize::from(*asked);
        others.extend(tests[skipped..].iter_mut().flatten());
    }
    let p: Vec<f64> = others.iter().map(|test| test.p).collect();
    for (test, p) in others.into_iter().zip(holm(&p)) {
        test.p_adjusted = p.max(first);
    }
}

pub(super) fn one(first: &Sample, second: &Sample, paired: bool) -> Option<Comparison> {
    let two = Two::of(first, second, paired);
    let (difference, _) = two.rates()?;
    let tests = two.tests();
    let extremes = if first.failures + second.failures == 0 {
        [tests; 2]
    } else {
        [false, true].map(|success| {
            let (first, second) = (first.settled(success), second.settled(!success));
            two.settled(&first, &second).tests()
        })
    };
    let (effect, effect_interval) = two.effect()?;
    let share = |count: u64, all: u64| count as f64 / all as f64;
    let (trials, rates) = match two.pairs {
        Some(pairs) => (
            (pairs.all, pairs.all),
            (share(pairs.successes.0, pairs.all), share(pairs.successes.1, pairs.all)),
        ),
        None => ((first.trials(), second.trials()), two.rates_of_trials()),
    };
    let ert = |sample: &Sample| sample.ert_within(two.horizon);
    Some(Comparison {
        first: first.label.clone(),
        second: second.label.clone(),
        place: Place::Whole,
        trials,
        rates,
        difference: difference.value,
        difference_interval: difference.interval,
        method: difference.method,
        confidence: difference.confidence,
        tests,
        effect,
        effect_interval,
        speed: two.speed(),
        fitness: two.fitness(),
        ert_ratio: ert(first).zip(ert(second)).map(|(one, other)| one / other),
        verdict: Verdict::Unclear,
        criterion: None,
        failures: (first.failures, second.failures),
        if_against: Verdict::Unclear,
        if_for: Verdict::Unclear,
        needed: None,
        budget: two.lesser_budget(),
        rates_at_end: two.rates.is_infinite() && two.horizon.is_finite(),
        defines_success: two.defines_success(),
        fitness_known: two.fitness_known,
        same_trials: two.same_trials,
        extremes,
        asked: first.folder == second.folder && first.asked && second.asked,
        against_baseline: false,
        one_is_exact: two.one_is_exact,
        alone: two
            .pairs
            .map(|pairs| (share(pairs.alone.0, pairs.all), share(pairs.alone.1, pairs.all))),
        deviation: None,
    })
}

/// Returns the number of further trials per arm for power 0.9 at the observed rates. The level is
/// that of the first step of Holm's method with `family` tests.
fn more(one: &Comparison, family: f64) -> Option<u64> {
    let level = (1.0 - one.confidence) / family;
    if let Place::Over { strata } = one.place {
        return more_over(one, level, strata as f64);
    }
    let needed = match one.method {
        DifferenceMethod::Independent => trials_to_tell(one.rates.0, one.rates.1, level, POWER)?,
        DifferenceMethod::Paired => {
            let (first, second) = one.alone?;
            pairs_to_tell(first, second, level, POWER)?
        }
        DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => return None,
    };
    let there = one.trials.0.min(one.trials.1) as f64;
    (needed < MOST).then(|| (needed - there).max(1.0).ceil() as u64)
}

/// Returns the number of further trials per arm and stratum. Deviations grow with the square root
/// of the trials.
fn more_over(one: &Comparison, level: f64, strata: f64) -> Option<u64> {
    let reached = one.deviation.filter(|deviation| *deviation > 0.0)?;
    let wanted = normal_quantile(1.0 - 0.5 * level) + normal_quantile(POWER);
    let there = one.trials.0.min(one.trials.1) as f64 / strata;
    let needed = there * (wanted / reached) * (wanted / reached);
    (needed < MOST).then(|| (needed - there).max(1.0).ceil() as u64)
}
