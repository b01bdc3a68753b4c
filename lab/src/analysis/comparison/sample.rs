//! Samples: the data of an arm that comparisons use.

use crate::analysis::Counts;
use crate::analysis::by_trial::ByTrial;
use crate::plan::resolved::Settings;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::plan::{ArmId, ArmSpec};
use crate::problem::parameter::Value;
use crate::record::{Outcome, TrialRecord};
use crate::search::algorithms::ALGORITHMS;
use crate::stats::{Rounded, quantiles};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Suffix of the name of every imported operator set.
pub(crate) const IMPORTED: &str = " (imported)";

/// Returns whether an operator set is that of imported trials, by its name.
#[must_use]
pub fn is_imported(operators: &str) -> bool {
    operators.ends_with(IMPORTED)
}

/// Trials of an arm, and the way they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Label of the arm, unique within a comparison.
    pub label: String,
    /// Name of the operator set.
    pub operators: String,
    /// Swept keys with the arm's values.
    pub swept: Vec<(String, Value)>,
    /// Results folder; arms of one experiment have the same.
    pub folder: PathBuf,
    /// Settings of the problem. Arms of different problems are not compared.
    pub problem: String,
    /// Settings with every default written out.
    pub settings: Settings,
    /// Whether trial k of every arm of a problem starts from the same genomes.
    pub common: bool,
    /// Rule that ended the trials; `None` if their number was fixed.
    pub stopping_rule: Option<StoppingRule>,
    /// Whether `repeats` asks to decide between this arm and another one.
    pub asked: bool,
    /// Whether the arm is random search that other arms are compared with.
    pub baseline: bool,
    /// Label of the arm's own baseline.
    pub own_baseline: Option<String>,
    /// Evaluations to success by trial, infinite without success. Failed trials are left out.
    pub run_lengths: ByTrial,
    /// Least fitness by trial, infinite if it saw none. With constraints, only feasible genomes
    /// count. Failed trials are left out.
    pub fitness: ByTrial,
    /// Trials without success.
    pub unsuccessful: Unsuccessful,
    /// Requested budget at which the arms are compared, if any.
    pub cap: Option<u64>,
    /// Best fitness by trial within smaller budgets than the arm's own, by budget. It requires a
    /// trace.
    pub fitness_within: BTreeMap<u64, ByTrial>,
    /// Id of the arm and seed of the experiment. Arms that have both in common have the same
    /// trials, cut off by their budgets.
    pub seeds: Option<(ArmId, u64)>,
    /// Number of failed and crashed trials.
    pub failures: u64,
    /// Trial numbers of failed and crashed trials.
    pub failed: BTreeSet<u64>,
}

/// Evaluations of trials without success.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unsuccessful {
    /// Evaluations of all of them.
    pub spent: u128,
    /// Evaluations of the longest; `None` without any.
    pub longest: Option<u64>,
    /// Trials that a budget of evaluations or generations ended.
    pub cut: Ended,
    /// Evaluations of each trial that a time limit ended.
    timed_out: Vec<u64>,
    /// Evaluations of each of the other trials, which got stuck.
    stuck: Vec<u64>,
}

/// Trials that ended in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    pub trials: u64,
    /// Evaluations of all of them.
    pub spent: u128,
    /// Evaluations of the shortest; `None` without any.
    pub shortest: Option<u64>,
}

impl Ended {
    fn extend(&mut self, other: Ended) {
        self.trials += other.trials;
        self.spent += other.spent;
        self.shortest = self.shortest.into_iter().chain(other.shortest).min();
    }

    fn add(&mut self, evaluations: u64) {
        self.trials += 1;
        self.spent += u128::from(evaluations);
        self.shortest = Some(self.shortest.map_or(evaluations, |least| least.min(evaluations)));
    }
}

impl Unsuccessful {
    /// Adds the trials of another arm.
    fn extend(&mut self, other: &Unsuccessful) {
        self.spent += other.spent;
        self.longest = self.longest.max(other.longest);
        self.cut.extend(other.cut);
        self.timed_out.extend(&other.timed_out);
        self.stuck.extend(&other.stuck);
    }

    pub(crate) fn add(&mut self, evaluations: u64, outcome: Outcome) {
        self.spent += u128::from(evaluations);
        self.longest = self.longest.max(Some(evaluations));
        match outcome {
            outcome if outcome.is_stuck() => self.stuck.push(evaluations),
            Outcome::TimedOut => self.timed_out.push(evaluations),
            _ => self.cut.add(evaluations),
        }
    }

    /// Returns whether a trial that a time limit ended went on beyond `horizon` evaluations.
    fn ran_on(&self, horizon: f64) -> bool {
        self.timed_out.iter().any(|own| *own as f64 > horizon)
    }

    /// Returns the evaluations within a budget. The budget must not exceed that of any trial that
    /// was cut off.
    fn spent_within(&self, horizon: f64) -> f64 {
        if horizon.is_infinite() {
            return self.spent as f64;
        }
        let others = self.stuck.iter().chain(&self.timed_out);
        let others = others.map(|one| (*one as f64).min(horizon)).sum::<f64>();
        others + horizon * self.cut.trials as f64
    }
}

impl FromIterator<(u64, Outcome)> for Unsuccessful {
    fn from_iter<I: IntoIterator<Item = (u64, Outcome)>>(trials: I) -> Self {
        let mut all = Unsuccessful::default();
        trials.into_iter().for_each(|(evaluations, outcome)| all.add(evaluations, outcome));
        all
    }
}

impl Sample {
    /// Returns whether all trials that both have ended alike, and in at least three ways: then they
    /// are the same trials, of the same seeds.
    #[must_use]
    pub fn has_trials_of(&self, other: &Sample) -> bool {
        let mut ends = BTreeSet::new();
        for (trial, fitness) in self.fitness.iter() {
            let here = Some(fitness).zip(self.run_lengths.get(trial));
            match other.fitness.get(trial).zip(other.run_lengths.get(trial)) {
                None => {}
                there if there != here => return false,
                Some((fitness, length)) if ends.len() < 3 => {
                    ends.insert([fitness.to_bits(), length.to_bits()]);
                }
                Some(_) => {}
            }
        }
        ends.len() >= 3
    }

    /// Returns the samples of an experiment's arms, in plan order, without trials. `keys` are the
    /// swept keys, `folder` is the results folder.
    pub fn of_arms(
        arms: &[ArmSpec],
        keys: &[String],
        rule: Option<&StoppingRule>,
        folder: &Path,
    ) -> Vec<Sample> {
        let asked = match rule.map(|rule| &rule.criterion) {
            Some(StoppingCriterion::Decision { first, second }) => vec![*first, *second],
            _ => Vec::new(),
        };
        let labels: BTreeMap<ArmId, &str> =
            arms.iter().map(|arm| (arm.id, arm.label.as_str())).collect();
        let baselines: BTreeSet<ArmId> = arms.iter().filter_map(|arm| arm.baseline).collect();
        let of_arm = |(place, arm): (usize, &ArmSpec)| Sample {
            label: arm.label.clone(),
            operators: arm.operators.clone(),
            swept: arm.swept_with(keys),
            folder: folder.to_owned(),
            problem: arm.settings.problem_toml(),
            settings: arm.settings.clone(),
            common: arm.common(),
            stopping_rule: rule.cloned(),
            asked: asked.contains(&place),
            baseline: baselines.contains(&arm.id),
            own_baseline: arm.baseline.and_then(|id| labels.get(&id)).map(|one| (*one).to_owned()),
            ..Sample::default()
        };
        arms.iter().enumerate().map(of_arm).collect()
    }

    /// Returns this arm with the trials of another sample.
    pub(crate) fn with_trials_of(self, trials: Sample) -> Sample {
        let Sample { run_lengths, fitness, unsuccessful, failures, failed, .. } = trials;
        Sample { run_lengths, fitness, unsuccessful, failures, failed, ..self }
    }

    /// Pools the trials of arms that differ in the instance of their problem, renumbered in this
    /// order. The budget is the smallest of theirs. `None` without an arm.
    pub(crate) fn pooled(arms: &[&Sample]) -> Option<Sample> {
        let (first, others) = arms.split_first()?;
        let mut all = (*first).clone();
        if others.is_empty() {
            return Some(all);
        }
        all.cap = arms.iter().filter_map(|arm| arm.budget()).min();
        (all.common, all.seeds) = (false, None);
        all.failed = BTreeSet::new();
        let (mut lengths, mut fitness) = (ByTrial::default(), ByTrial::default());
        let mut within: BTreeMap<u64, ByTrial> =
            all.fitness_within.keys().map(|budget| (*budget, ByTrial::default())).collect();
        let mut before = 0;
        for arm in arms {
            arm.run_lengths.iter().for_each(|(trial, value)| lengths.insert(before + trial, value));
            arm.fitness.iter().for_each(|(trial, value)| fitness.insert(before + trial, value));
            all.failed.extend(arm.failed.iter().map(|trial| before + trial));
            // A budget that one arm lacks is unknown of all.
            within.retain(|budget, _| arm.fitness_within.contains_key(budget));
            for (budget, values) in &mut within {
                let own = arm.fitness_within[budget].iter();
                own.for_each(|(trial, value)| values.insert(before + trial, value));
            }
            let last = arm.run_lengths.trials().last().max(arm.failed.last().copied());
            before += last.map_or(0, |last| last + 1);
        }
        for arm in others {
            all.unsuccessful.extend(&arm.unsuccessful);
            all.failures += arm.failures;
        }
        (all.run_lengths, all.fitness, all.fitness_within) = (lengths, fitness, within);
        Some(all)
    }

    /// Returns whether all trials are the same, because neither the search nor the problem draws a
    /// random number, and neither the clock nor a fault ended one.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let alike = |values: &ByTrial| {
            let mut values = values.values();
            let first = values.next();
            values.all(|value| Some(value) == first)
        };
        !draws(&self.settings)
            && self.failures == 0
            && self.unsuccessful.timed_out.is_empty()
            && alike(&self.run_lengths)
            && alike(&self.fitness)
    }

    /// Returns whether the other arm is this arm's baseline.
    pub(super) fn has_baseline(&self, other: &Sample) -> bool {
        self.folder == other.folder && self.own_baseline.as_ref() == Some(&other.label)
    }

    /// Adds a trial.
    pub fn add(&mut self, trial: &TrialRecord) {
        if trial.outcome.is_failure() {
            self.failures += 1;
            self.failed.insert(trial.trial);
            return;
        }
        let length = if trial.success {
            trial.evaluations_to_success.unwrap_or(trial.evaluations) as f64
        } else {
            self.unsuccessful.add(trial.evaluations, trial.outcome);
            f64::INFINITY
        };
        self.fitness.insert(trial.trial, trial.feasible_fitness().unwrap_or(f64::INFINITY));
        self.run_lengths.insert(trial.trial, length);
    }

    /// Returns the number of trials that did not fail.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.run_lengths.len() as u64
    }

    /// Returns the number of successes.
    #[must_use]
    pub fn successes(&self) -> u64 {
        self.run_lengths.values().filter(|length| length.is_finite()).count() as u64
    }

    /// Returns this sample as if every failed trial had ended in one way. With success, it ends
    /// before its first evaluation with the least possible fitness; where success is not defined,
    /// it only has that fitness. Without success, it has the greatest possible fitness.
    pub(crate) fn settled(&self, success: bool) -> Sample {
        let fitness = if success { f64::NEG_INFINITY } else { f64::INFINITY };
        let length = if success && self.defines_success() { 0.0 } else { f64::INFINITY };
        let mut settled = self.clone();
        settled.run_lengths.extend(self.failed.iter().map(|trial| (*trial, length)));
        settled.fitness.extend(self.failed.iter().map(|trial| (*trial, fitness)));
        for within in settled.fitness_within.values_mut() {
            within.extend(self.failed.iter().map(|trial| (*trial, fitness)));
        }
        settled
    }

    /// Returns the evaluations to success of each trial within `horizon` evaluations, infinite
    /// without success.
    pub(super) fn within(&self, horizon: f64) -> impl Iterator<Item = f64> {
        self.run_lengths.values().map(move |length| within(length, horizon))
    }

    /// Returns whether the arms of its problem raced for the best.
    #[must_use]
    pub fn has_raced(&self) -> bool {
        let criterion = self.stopping_rule.as_ref().map(|rule| &rule.criterion);
        matches!(criterion, Some(StoppingCriterion::Best { .. }))
    }

    /// Returns the keys by which two arms are ordered, the better one first: a greater success
    /// rate, then fewer median evaluations, then a lower median fitness, all within `horizon`
    /// evaluations. The order does not affect verdicts.
    pub(super) fn standing(&self, horizon: f64) -> [f64; 3] {
        let least = |middle: Option<f64>| middle.unwrap_or(f64::INFINITY);
        let length = middle(self.within(horizon));
        let fitness = self.median_fitness_within(horizon);
        [self.rate_within(horizon), -least(length), -least(fitness)]
    }

    /// Returns the median of the trials' best fitness; `None` without trials.
    #[must_use]
    pub fn median_fitness(&self) -> Option<f64> {
        middle(self.fitness.values())
    }

    /// Returns the median of the trials' best fitness within `horizon` evaluations; `None` without
    /// trials, or if it is unknown.
    #[must_use]
    pub fn median_fitness_within(&self, horizon: f64) -> Option<f64> {
        middle(self.fitness_within(horizon)?.values())
    }

    /// Returns whether a trial can be successful.
    #[must_use]
    pub fn defines_success(&self) -> bool {
        self.settings.defines_success()
    }

    /// Returns the number of successes within `horizon` evaluations.
    #[must_use]
    pub fn successes_within(&self, horizon: f64) -> u64 {
        self.run_lengths.values().filter(|length| *length <= horizon.min(f64::MAX)).count() as u64
    }

    /// Returns successes over trials; 0 without trials.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate_within(f64::INFINITY)
    }

    /// Returns successes within `horizon` evaluations over trials; 0 without trials.
    #[must_use]
    pub fn rate_within(&self, horizon: f64) -> f64 {
        self.successes_within(horizon) as f64 / self.trials().max(1) as f64
    }

    /// Returns the expected running time within `horizon` evaluations per trial: evaluations per
    /// success.
    #[must_use]
    pub fn ert_within(&self, horizon: f64) -> Option<f64> {
        let (spent, successes) = self.spent_per_success(horizon);
        (successes > 0).then(|| spent / successes as f64)
    }

    /// Returns the evaluations of all trials within `horizon` evaluations per trial, and the
    /// successes.
    pub(crate) fn spent_per_success(&self, horizon: f64) -> (f64, u64) {
        let lengths = self.run_lengths.values().filter(|length| length.is_finite());
        let of_successes: f64 = lengths.map(|length| length.min(horizon)).sum();
        let spent = of_successes + self.unsuccessful.spent_within(horizon);
        (spent, self.successes_within(horizon))
    }

    /// Returns the number of evaluations that every trial was allowed, if known. It is the budget
    /// of the config, or fewer if a budget of generations ended a trial without success earlier.
    #[must_use]
    pub fn own_budget(&self) -> Option<u64> {
        let cut = self.unsuccessful.cut.shortest;
        self.settings.evaluations().into_iter().chain(cut).min()
    }

    /// Returns the evaluations up to which every trial was watched, so that the share of trials
    /// that have succeeded is known. It is the own budget, or less if a limit of seconds ended a
    /// trial earlier. `None` if trials ended only on their own.
    #[must_use]
    pub fn known_until(&self) -> Option<u64> {
        self.own_budget().into_iter().chain(self.unsuccessful.timed_out.iter().copied()).min()
    }

    /// Returns the smaller of the arm's own budget and the requested one.
    #[must_use]
    pub fn budget(&self) -> Option<u64> {
        self.own_budget().into_iter().chain(self.cap).min()
    }

    /// Returns whether trials of this arm could continue beyond `horizon` evaluations.
    pub(crate) fn had_more(&self, horizon: f64) -> bool {
        let own = self.settings.evaluations().or(self.unsuccessful.cut.shortest);
        let beyond = |length: f64| length.is_finite() && length > horizon;
        own.is_some_and(|own| own as f64 > horizon * (1.0 + SAME_BUDGET))
            || self.run_lengths.values().any(beyond)
            || self.unsuccessful.ran_on(horizon)
    }

    /// Returns the best fitness of each trial within `horizon` evaluations; `None` if unknown.
    pub(crate) fn fitness_within(&self, horizon: f64) -> Option<&ByTrial> {
        if self.is_at(horizon) {
            return Some(&self.fitness);
        }
        self.fitness_within.get(&(horizon as u64))
    }

    /// Returns whether the trials ended at this budget, or earlier on their own. Budgets of
    /// generations may differ by a generation that was cut short.
    fn is_at(&self, horizon: f64) -> bool {
        let cut = &self.unsuccessful.cut;
        let mean = cut.spent as f64 / cut.trials as f64;
        let beyond = |length: f64| length.is_finite() && length > horizon;
        // Without any such trial the mean is NaN.
        !(mean > horizon * (1.0 + SAME_BUDGET)
            || self.run_lengths.values().any(beyond)
            || self.unsuccessful.ran_on(horizon))
    }
}

/// Returns whether the trials of one arm alone are all the same.
pub(super) fn one_is_exact(first: &Sample, second: &Sample) -> bool {
    first.is_exact() != second.is_exact()
}

/// Values of two arms in pairs, by trial. If the trials of one arm alone are all the same, one of
/// them stands for each that the arm lacks.
pub(super) struct Paired<'a> {
    values: [&'a ByTrial; 2],
    stands: [Option<f64>; 2],
}

impl<'a> Paired<'a> {
    pub(super) fn of(arms: [&Sample; 2], values: [&'a ByTrial; 2]) -> Self {
        let exact = arms.map(Sample::is_exact);
        let stand = |arm: usize| {
            let alone = exact[arm] && !exact[1 - arm];
            values[arm].values().next().filter(|_| alone)
        };
        Paired { values, stands: [stand(0), stand(1)] }
    }

    pub(super) fn get(&self, trial: u64) -> Option<(f64, f64)> {
        let of = |arm: usize| self.values[arm].get(trial).or(self.stands[arm]);
        of(0).zip(of(1))
    }

    /// Returns the pairs with the numbers of their trials.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, f64, f64)> + '_ {
        let leads = self.values[usize::from(self.stands[0].is_some())];
        leads
            .iter()
            .filter_map(|(trial, _)| self.get(trial).map(|(first, second)| (trial, first, second)))
    }
}

/// Returns the number of evaluations per trial that count within a budget.
pub(super) fn horizon_of(budget: Option<u64>) -> f64 {
    budget.map_or(f64::INFINITY, |evaluations| evaluations as f64)
}

/// Returns whether the search of an arm with these settings draws random numbers.
pub(crate) fn draws(settings: &Settings) -> bool {
    let Some(Value::Text(name)) = settings.value("operators.algorithm") else { return true };
    ALGORITHMS.find(name).is_none_or(|entry| entry.make.draws)
}

/// Returns the median of the values of all trials.
fn middle(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    quantiles(&mut values, [0.5]).map(|[middle]| middle)
}

/// Returns a trial's evaluations to success. A success beyond the horizon counts as none.
pub(super) fn within(length: f64, horizon: f64) -> f64 {
    if length <= horizon { length } else { f64::INFINITY }
}

/// Returns the budget at which trials of these arms are compared: the smallest one. A later result
/// of one arm has no counterpart in another. `None` if trials ended only on their own, or by a time
/// limit that all arms have.
#[must_use]
pub fn common_budget<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Option<u64> {
    let mut limits = samples.clone().map(|sample| sample.settings.trial_seconds());
    let first = limits.next().flatten();
    let alike = limits.all(|limit| limit == first);
    let own = |sample: &Sample| {
        let timed_out = sample.unsuccessful.timed_out.iter().min().copied().filter(|_| !alike);
        sample.budget().into_iter().chain(timed_out).min()
    };
    samples.filter_map(own).min()
}

/// Relative difference up to which budgets are equal, because one may end a trial at the end of a
/// generation.
pub const SAME_BUDGET: f64 = 0.01;

/// Pairs of trials of the same number in which both are usable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    pub all: u64,
    pub successes: (u64, u64),
    /// Pairs in which only the first succeeded, and only the second.
    pub alone: (u64, u64),
    /// Pairs in which the first needed fewer evaluations, and the second. A trial without success
    /// within the horizon needs the most.
    pub faster: (u64, u64),
    /// Pairs in which the first ended with the lower fitness, and the second.
    pub lower: (u64, u64),
}

impl Pairs {
    /// Counts the pairs. `rates` is the number of evaluations within which a success counts.
    /// `horizon` is the number up to which evaluations and fitness are compared.
    pub(super) fn of(first: &Sample, second: &Sample, rates: f64, horizon: f64) -> Self {
        let mut pairs = Pairs::default();
        let count = |both: &mut (u64, u64), one: bool, two: bool| {
            both.0 += u64::from(one);
            both.1 += u64::from(two);
        };
        let fitness = first.fitness_within(horizon).zip(second.fitness_within(horizon));
        let fitness = fitness.map(|columns| Paired::of([first, second], columns.into()));
        let lengths = Paired::of([first, second], [&first.run_lengths, &second.run_lengths]);
        for (trial, length, other) in lengths.iter() {
            let (ours, theirs) = (within(length, horizon), within(other, horizon));
            let (one, two) = (length <= rates.min(f64::MAX), other <= rates.min(f64::MAX));
            pairs.all += 1;
            count(&mut pairs.successes, one, two);
            count(&mut pairs.alone, one && !two, two && !one);
            count(&mut pairs.faster, ours < theirs, theirs < ours);
            let both = fitness.as_ref().and_then(|fitness| fitness.get(trial));
            let (ours, theirs) = both.unwrap_or((0.0, 0.0));
            let apart = Rounded::difference(ours, theirs).value;
            count(&mut pairs.lower, apart < 0.0, apart > 0.0);
        }
        pairs
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::Pairs { first: self.alone.0, second: self.alone.1, all: self.all }
    }
}
