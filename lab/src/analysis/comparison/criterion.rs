//! Criteria that distinguish two arms, and the test of each.

use super::sample::{Paired, Pairs, Sample, common_budget, horizon_of, one_is_exact, within};
use crate::analysis::by_trial::ByTrial;
use crate::analysis::{Counts, Difference, DifferenceMethod, confidence, rates_apart};
use crate::plan::stopping::StoppingRule;
use crate::sequential::CONCENTRATION;
use crate::stats::{
    Distribution, Frequencies, Rounded, brunner_munzel, mann_whitney, mcnemar, paired_evidence,
    tied_differences, wilcoxon,
};
use crate::system::parallel::both;
use runner_engine::named;
use std::cell::OnceCell;

named! {
    /// Criterion of a verdict, in the order in which the criteria are tested.
    pub enum Criterion {
        /// Share of trials that succeed.
        SuccessRate = "success-rate",
        /// Evaluations to success. A trial without success needs more than any other.
        Evaluations = "evaluations",
        /// Final fitness of arms that never succeed.
        FinalFitness = "final-fitness",
    }
}

/// A test on one criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// Positive if the first arm did better, negative if the second did.
    pub lean: f64,
    /// p-value of the hypothesis that neither arm is better on this criterion.
    pub p: f64,
    /// Distribution from which `p` was computed.
    pub distribution: Distribution,
    /// p-value adjusted for all tests of the family.
    pub p_adjusted: f64,
}

impl Test {
    /// Creates a test whose p-value is not adjusted.
    pub(super) fn of((lean, p, distribution): Found) -> Self {
        Test { lean, p, distribution, p_adjusted: p }
    }

    /// Creates a test from an exact p-value, or one that is valid at every number of trials.
    pub(super) fn exact((lean, p): (f64, f64)) -> Self {
        Test::of((lean, p, Distribution::Exact))
    }
}

/// Lean and p-value of a test, and the distribution of the p-value.
pub(super) type Found = (f64, f64, Distribution);

/// One test per criterion; `None` if it is not tested.
pub(crate) type Tests = [Option<Test>; 3];

/// Minimum trials per arm for which two threads sort sooner than one.
const MANY: u64 = 1 << 17;

/// Two arms, and the method that compares their trials.
pub(super) struct Two<'a> {
    pub first: &'a Sample,
    pub second: &'a Sample,
    pub stopping_rule: [Option<&'a StoppingRule>; 2],
    pub method: DifferenceMethod,
    pub pairs: Option<Pairs>,
    /// Evaluations within which a success counts as one.
    pub rates: f64,
    /// Smallest budget, up to which evaluations and fitness count: see [`common_budget`].
    pub horizon: f64,
    /// Whether the final fitness of both is known at that budget.
    pub fitness_known: bool,
    /// Whether the trials of one arm alone are all the same.
    pub one_is_exact: bool,
    /// Whether both have the same trials, cut off by two budgets. They are no evidence.
    pub same_trials: bool,
    /// Whether neither has a success among the trials that ran.
    pub never: bool,
    lengths: OnceCell<[Frequencies; 2]>,
    final_fitness: OnceCell<[Frequencies; 2]>,
}

impl<'a> Two<'a> {
    pub(super) fn of(first: &'a Sample, second: &'a Sample, paired: bool) -> Self {
        let stopping_rule = [first.stopping_rule.as_ref(), second.stopping_rule.as_ref()];
        let asked = DifferenceMethod::of(stopping_rule[0], first.common && second.common);
        // Within one experiment, the question may require pairs.
        let together = first.folder == second.folder;
        // Trials that are all the same are one value, with which the other's are compared.
        let one_is_exact = one_is_exact(first, second);
        let in_pairs =
            paired || one_is_exact || (together && asked.is_anytime() && asked.is_paired());
        let method = match (in_pairs, stopping_rule.iter().any(Option::is_some)) {
            (false, false) => DifferenceMethod::Independent,
            (true, false) => DifferenceMethod::Paired,
            (false, true) => DifferenceMethod::Sequence,
            (true, true) => DifferenceMethod::PairedSequence,
        };
        let horizon = horizon_of(common_budget([first, second].into_iter()));
        // A stopping rule's decision stands, because it was about the rates at the end of trials.
        let decided = together && first.asked && second.asked && first.cap.is_none();
        let same_stop = first.settings.stop == second.settings.stop;
        let rates = if decided && same_stop { f64::INFINITY } else { horizon };
        let known = |sample: &Sample| sample.fitness_within(horizon).is_some();
        let never = |sample: &Sample| sample.successes_within(rates) == 0;
        Two {
            first,
            second,
            stopping_rule,
            method,
            pairs: in_pairs.then(|| Pairs::of(first, second, rates, horizon)),
            rates,
            horizon,
            fitness_known: known(first) && known(second),
            one_is_exact,
            same_trials: !same_stop && same_trials(first, second, horizon),
            never: never(first) && never(second),
            lengths: OnceCell::new(),
            final_fitness: OnceCell::new(),
        }
    }

    /// Returns the same comparison with other samples, in which failed trials have ended in other
    /// ways.
    pub(super) fn settled<'b>(&self, first: &'b Sample, second: &'b Sample) -> Two<'b>
    where
        'a: 'b,
    {
        Two {
            first,
            second,
            stopping_rule: self.stopping_rule,
            method: self.method,
            pairs: self.pairs.map(|_| Pairs::of(first, second, self.rates, self.horizon)),
            rates: self.rates,
            horizon: self.horizon,
            fitness_known: self.fitness_known,
            one_is_exact: self.one_is_exact,
            same_trials: self.same_trials,
            never: self.never,
            lengths: OnceCell::new(),
            final_fitness: OnceCell::new(),
        }
    }

    pub(crate) fn confidence(&self) -> f64 {
        confidence(self.stopping_rule)
    }

    /// Returns the difference of the success rates, and the p-value of equal rates; `None` without
    /// trials.
    pub(super) fn rates(&self) -> Option<(Difference, f64)> {
        rates_apart(self.counts(), self.stopping_rule)
    }

    /// Returns the counts for the comparison of the rates.
    pub(super) fn counts(&self) -> Counts {
        let [first, second] = self.successes();
        let arms = || Counts::Arms((first, self.first.trials()), (second, self.second.trials()));
        self.pairs.map_or_else(arms, |pairs| pairs.counts())
    }

    /// Returns the successes of each arm.
    pub(super) fn successes(&self) -> [u64; 2] {
        [self.first, self.second].map(|sample| sample.successes_within(self.rates))
    }

    /// Returns the success rates of all trials of each arm.
    pub(super) fn rates_of_trials(&self) -> (f64, f64) {
        let [first, second] = self.successes();
        let rate = |successes: u64, sample: &Sample| successes as f64 / sample.trials() as f64;
        (rate(first, self.first), rate(second, self.second))
    }

    /// Returns whether trials of both arms can be successful.
    pub(super) fn defines_success(&self) -> bool {
        self.first.defines_success() && self.second.defines_success()
    }

    /// Returns the budget at which the two are compared; `None` if neither had more.
    pub(super) fn lesser_budget(&self) -> Option<u64> {
        let less = [self.first, self.second].iter().any(|sample| sample.had_more(self.horizon));
        less.then_some(self.horizon as u64)
    }

    /// Returns the tests that are made. A test is left out if it could not show anything under any
    /// assignment of the outcomes to the arms. For rates this holds if all trials succeed or none
    /// does, for evaluations if none does. This does not depend on which arm a trial belongs to, so
    /// it does not affect the level (Tarone 1990, doi:10.2307/2531456). Final fitness is tested if
    /// no trial that ran succeeded, however failed trials may have ended, and if it is known at one
    /// budget. Trials that both arms have in common are no evidence.
    pub(super) fn tests(&self) -> Tests {
        if self.same_trials {
            return [None; 3];
        }
        let rates = self.rates().filter(|_| self.method.is_anytime() || self.outcomes_differ());
        [
            rates.map(|(difference, p)| Test::exact((difference.value, p))),
            self.evaluations().map(Test::of),
            self.lower().map(Test::of),
        ]
    }

    pub(super) fn outcomes_differ(&self) -> bool {
        let successes: u64 = self.successes().iter().sum();
        let some = successes > 0 && successes < self.first.trials() + self.second.trials();
        self.pairs.map_or(some, |pairs| pairs.alone != (0, 0))
    }

    /// Tests which arm needs fewer evaluations. Independent arms use Mann and Whitney's test over
    /// all trials, ranked by success first (Lachin 1999, doi:10.1016/S0197-2456(99)00022-7). Pairs
    /// use the sign test, or bets if outcomes ended the trials.
    fn evaluations(&self) -> Option<Found> {
        if let Some(pairs) = self.pairs {
            return (pairs.faster != (0, 0)).then(|| self.signs(pairs.faster, pairs.all));
        }
        let lengths = self.lengths();
        let some = lengths.iter().any(|one| one.ends().is_some_and(|(least, _)| least.is_finite()));
        if some { self.less(lengths) } else { None }
    }

    /// Returns the evaluations to success within the horizon, of the first arm and of the second.
    pub(super) fn lengths(&self) -> &[Frequencies; 2] {
        let horizon = self.horizon;
        self.lengths.get_or_init(|| self.both(|sample| sample.within(horizon).collect()))
    }

    /// Returns the trials' best fitness within the horizon, of the first arm and of the second.
    pub(super) fn final_fitness(&self) -> &[Frequencies; 2] {
        let horizon = self.horizon;
        let of = move |sample: &Sample| -> Frequencies {
            sample.fitness_within(horizon).into_iter().flat_map(ByTrial::values).collect()
        };
        self.final_fitness.get_or_init(|| self.both(of))
    }

    /// Computes a value of both arms, in parallel if that takes long.
    fn both(&self, of: impl Fn(&Sample) -> Frequencies + Sync) -> [Frequencies; 2] {
        if self.first.trials().min(self.second.trials()) < MANY {
            return [of(self.first), of(self.second)];
        }
        let (one, other) = (self.first, self.second);
        both(|| of(one), || of(other)).into()
    }

    /// Tests which arm ends with the lower fitness: by ranks, for pairs by signed ranks, or by bets
    /// on signs if outcomes ended the trials.
    fn lower(&self) -> Option<Found> {
        if !self.never || !self.fitness_known {
            return None;
        }
        let Some(pairs) = self.pairs else {
            return self.less(self.final_fitness());
        };
        if pairs.lower == (0, 0) {
            return None;
        }
        // Signed ranks need values that lie evenly around the other arm's.
        if self.method.is_anytime() || self.one_is_exact {
            return Some(self.signs(pairs.lower, pairs.all));
        }
        let differences = self.fitness_differences();
        let found = wilcoxon(&differences);
        // The ranks of all differences except zeros add up to n (n + 1) / 2.
        let n = differences.iter().filter(|one| **one != 0.0).count() as f64;
        let below = n * (n + 1.0) / 2.0 - found.statistic;
        Some((below - found.statistic, found.p, found.distribution))
    }

    /// Returns the first arm's final fitness minus the second's, per pair.
    pub(super) fn fitness_differences(&self) -> Vec<f64> {
        let arms = [self.first, self.second];
        let [Some(first), Some(second)] = arms.map(|arm| arm.fitness_within(self.horizon)) else {
            return Vec::new();
        };
        let pairs = Paired::of(arms, [first, second]);
        let pairs = pairs.iter().map(|(_, ours, theirs)| Rounded::difference(ours, theirs));
        tied_differences(&pairs.collect::<Vec<Rounded>>())
    }

    /// Tests whether values of the first arm tend to be less, for independent arms.
    fn less(&self, [ours, theirs]: &[Frequencies; 2]) -> Option<Found> {
        if self.method.is_anytime() || alike([ours, theirs]) {
            return None;
        }
        let found = mann_whitney(ours, theirs)?;
        // Unequal spreads alone are no reason for a verdict.
        let p = brunner_munzel(ours, theirs).map_or(found.p, |p| p.max(found.p));
        let lean = 0.5 * (ours.len() * theirs.len()) as f64 - found.statistic;
        Some((lean, p, found.distribution))
    }

    /// Tests whether the first of a pair does better more often. Each count has the pairs in which
    /// one arm does better, out of `all`.
    fn signs(&self, (ours, theirs): (u64, u64), all: u64) -> Found {
        let p = if self.method.is_anytime() {
            libm::exp(-paired_evidence(0.0, ours, theirs, all, CONCENTRATION)).min(1.0)
        } else {
            mcnemar(ours, theirs)
        };
        (ours as f64 - theirs as f64, p, Distribution::Exact)
    }
}

/// Returns whether both arms have the same seeds and, as far as both went, the same trials. Budgets
/// do not enter the seeds with `keep-ended`.
fn same_trials(first: &Sample, second: &Sample, horizon: f64) -> bool {
    let mut both = first.run_lengths.iter().filter_map(|(trial, length)| {
        Some((within(length, horizon), within(second.run_lengths.get(trial)?, horizon)))
    });
    first.seeds.is_some() && first.seeds == second.seeds && both.all(|(one, other)| one == other)
}

/// Returns whether all values are equal.
pub(super) fn alike<'a>(samples: impl IntoIterator<Item = &'a Frequencies>) -> bool {
    let mut ends = samples.into_iter().filter_map(Frequencies::ends);
    let first = ends.next();
    first.is_none_or(|(least, greatest)| {
        least == greatest && ends.all(|(one, other)| one == least && other == least)
    })
}
