//! Summary: one row per arm.

use super::baseline::BaselineComparison;
use super::comparison::{Criterion, Sample, compare, made_in_pairs};
use super::difference::{Counts, Difference, DifferenceMethod, paired_counts, rates_apart};
use super::interval::{CONFIDENCE, RateInterval, RateMethod};
use super::verdict::Verdict;
use crate::plan::stopping::StoppingRule;
use crate::plan::{ArmId, ArmSpec};
use crate::record::{Outcome, TrialRecord};
use crate::sequential::CONCENTRATION;
use crate::sequential::outcome_list::OutcomeList;
use crate::sequential::race::Standing;
use crate::stats::{
    Ert, ErtInterval, Interval, Multiset, StandardDeviation, TrialCounts, confidence_sequence,
    ert_interval, wilson,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of trials for which the summary has verdicts, over all arms with a baseline and
/// their baselines. They take 16 bytes of memory per trial.
pub const MOST_COMPARED: u64 = 1 << 22;

/// Spread of the trials' best fitness. Tables before format 7 have neither the outer quartiles nor
/// the standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least, so the best: lower fitness is better.
    pub min: f64,
    /// The first quartile (type 7).
    pub q25: Option<f64>,
    /// The median (type 7).
    pub median: f64,
    /// The third quartile (type 7).
    pub q75: Option<f64>,
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation; `None` with fewer than two trials.
    pub deviation: Option<f64>,
    /// The greatest, so the worst.
    pub max: f64,
}

/// Feasibility of the trials' best genomes in a problem with constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feasibility {
    /// Share of the trials whose best genome is feasible.
    pub rate: f64,
    /// Median violation of the best genomes (type 7).
    pub violation_median: f64,
    /// The greatest violation of a best genome.
    pub violation_max: f64,
}

/// Quartiles (type 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// The first quartile.
    pub q25: f64,
    /// The second quartile.
    pub median: f64,
    /// The third quartile.
    pub q75: f64,
}

/// Figures of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSummary {
    /// Usable trials: all except failed and crashed ones.
    pub trials: u64,
    /// Trials that reached the target.
    pub successes: u64,
    /// Whether a trial can be successful: there is a target.
    pub defines_success: bool,
    /// Failed and crashed trials.
    pub failures: u64,
    /// Usable trials that reached the time limit.
    pub timed_out: u64,
    /// Success rate. Like its interval, `None` without trials, or if no trial can be successful
    /// because there is no target.
    pub success_rate: Option<f64>,
    /// Interval of the success rate: Wilson's if the number of trials was fixed. If outcomes ended
    /// them, the exact one of inverse sampling or a confidence sequence.
    pub success_interval: Option<RateInterval>,
    /// Best fitness of the usable trials whose best genome is feasible; `None` without any.
    pub best_fitness: Option<Spread>,
    /// Feasibility of the usable trials; `None` without any, or if the problem has no constraints.
    pub feasibility: Option<Feasibility>,
    /// Evaluations of all usable trials.
    pub evaluations_total: u64,
    /// Evaluations of the successes alone; like the ERT, `None` without any.
    pub evaluations_to_success: Option<Quartiles>,
    /// Expected running time, in evaluations.
    pub ert: Option<Ert>,
    /// Median of the evaluations after the best, over usable trials that record them; `None`
    /// without any.
    pub evaluations_after_best_median: Option<f64>,
    /// Median number of generations of the usable trials; `None` without any.
    pub generations_median: Option<f64>,
}

impl ArmSummary {
    /// Returns the number of all trials, failed ones too.
    #[must_use]
    pub fn all_trials(&self) -> u64 {
        self.trials + self.failures
    }

    /// Removes the success rate if no trial of the arm can be successful.
    #[must_use]
    pub(crate) fn of_arm(self, arm: &ArmSpec) -> Self {
        match arm.settings.defines_success() {
            true => self,
            false => ArmSummary {
                defines_success: false,
                success_rate: None,
                success_interval: None,
                ..self
            },
        }
    }

    /// Returns the worst-case bounds of the success rate, which account for failures.
    #[must_use]
    pub fn bounds(&self) -> Option<Interval> {
        self.counts().bounds().filter(|_| self.defines_success)
    }

    /// Returns the counts of successes, trials and failures.
    #[must_use]
    pub fn counts(&self) -> TrialCounts {
        TrialCounts { successes: self.successes, trials: self.trials, failures: self.failures }
    }
}

/// Summary of an experiment: arms in plan order, each with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryTable {
    /// Name of the experiment.
    pub experiment: String,
    /// Keys of `[sweep]`, in the order of the file.
    pub swept_keys: Vec<String>,
    /// One per arm.
    pub rows: Vec<SummaryRow>,
    /// Results hash of all trials. `None` if trials are missing, if only some arms are shown, or if
    /// the tables are of a version that did not compute it.
    pub results_hash: Option<String>,
}

/// A row of the summary: an arm with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// Description of the arm in the tables.
    pub arm: ArmSpec,
    /// Figures of the arm's trials.
    pub figures: ArmSummary,
    /// Comparison with its baseline, if it has one.
    pub baseline_comparison: Option<BaselineComparison>,
    /// Result of the arm in its race; `None` if arms do not race, or the races are not over.
    pub standing: Option<Standing>,
}

impl SummaryRow {
    /// Returns the success rate minus the baseline's.
    #[must_use]
    pub fn difference(&self) -> Option<Difference> {
        self.baseline_comparison?.difference
    }

    /// Returns the verdict of the comparison with the baseline.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.baseline_comparison?.verdict
    }
}

/// Accumulator of one arm's trials. Its memory grows with the number of different values, so a
/// hundred million trials fit.
#[derive(Default)]
pub(crate) struct ArmAccumulator {
    trials: u64,
    failures: u64,
    timed_out: u64,
    evaluations_total: u64,
    best_fitness: Multiset<f64>,
    /// Sum over trials; `None` without any.
    fitness_sum: Option<f64>,
    fitness_deviation: StandardDeviation,
    violations: Multiset<f64>,
    feasible: u64,
    generations: Multiset<u64>,
    after_best: Multiset<u64>,
    to_success: Multiset<u64>,
    unsuccessful: Multiset<u64>,
    /// Outcomes by trial, if pairs of trials are compared.
    outcomes: Option<OutcomeList>,
    /// Trials for the comparison with the baseline, if there are at most `most_compared`.
    sample: Option<Sample>,
    most_compared: u64,
    /// Whether all trials are the same, because the search draws no random number.
    exact: bool,
}

/// Figures of an arm, and its trials if they are compared with those of another arm.
pub(crate) struct ArmTotals {
    figures: ArmSummary,
    outcomes: OutcomeList,
    sample: Option<Sample>,
}

impl ArmAccumulator {
    /// Creates an accumulator. `method` compares the arms with their baselines. `most_compared` is
    /// the maximum number of trials with which the arm gets a verdict, 0 for an arm that is not
    /// compared.
    pub(crate) fn new(method: DifferenceMethod, most_compared: u64) -> Self {
        let outcomes = method.is_paired().then(OutcomeList::default);
        let sample = (most_compared > 0).then(Sample::default);
        ArmAccumulator { outcomes, sample, most_compared, ..ArmAccumulator::default() }
    }

    /// Sets whether the arm's search draws no random number.
    pub(crate) fn exact(self, exact: bool) -> Self {
        ArmAccumulator { exact, ..self }
    }

    pub(crate) fn add(&mut self, trial: &TrialRecord) {
        if let Some(outcomes) = &mut self.outcomes {
            let success = (!trial.outcome.is_failure()).then_some(trial.success);
            outcomes.note(trial.trial, success);
        }
        if let Some(sample) = &mut self.sample {
            sample.add(trial);
            self.sample.take_if(|sample| sample.trials() + sample.failures > self.most_compared);
        }
        if trial.outcome.is_failure() {
            self.failures += 1;
            return;
        }
        self.trials += 1;
        self.timed_out += u64::from(trial.outcome == Outcome::TimedOut);
        self.evaluations_total = self.evaluations_total.saturating_add(trial.evaluations);
        if let Some(fitness) = trial.feasible_fitness() {
            self.best_fitness.insert(fitness);
            self.fitness_sum = Some(self.fitness_sum.map_or(fitness, |sum| sum + fitness));
            self.fitness_deviation.insert(fitness);
        }
        self.violations.extend(trial.best_violation);
        self.feasible += u64::from(trial.best_violation == Some(0.0));
        self.generations.insert(trial.generations);
        self.after_best.extend(trial.evaluations_after_best);
        if trial.success {
            self.to_success.insert(trial.evaluations_to_success.unwrap_or(trial.evaluations));
        } else {
            self.unsuccessful.insert(trial.evaluations);
        }
    }

    /// Returns the totals. The arm's id seeds the ERT's bootstrap, so that the interval depends
    /// only on the arm and its trials. `stopping_rule` is the rule that ended the trials.
    pub(crate) fn finish(self, arm: ArmId, stopping_rule: Option<&StoppingRule>) -> ArmTotals {
        let successes = self.to_success.len();
        let counts = TrialCounts { successes, trials: self.trials, failures: self.failures };
        let quartiles = self.to_success.quantiles([0.25, 0.5, 0.75]);
        // The clock, a fault, or the noise of a problem may end equal trials differently.
        let exact = self.exact
            && self.timed_out == 0
            && self.failures == 0
            && self.trials > 0
            && self.best_fitness.min() == self.best_fitness.max()
            && self.to_success.min() == self.to_success.max()
            && self.unsuccessful.min() == self.unsuccessful.max()
            && (self.to_success.is_empty() || self.unsuccessful.is_empty());
        let rate = (self.trials > 0).then(|| successes as f64 / self.trials as f64);
        let ert = ert_interval(&self.to_success, &self.unsuccessful, arm.0);
        let at = |value: f64| ErtInterval { low: value, high: Some(value) };
        let figures = ArmSummary {
            trials: self.trials,
            successes,
            defines_success: true,
            failures: self.failures,
            timed_out: self.timed_out,
            success_rate: rate,
            success_interval: match rate.filter(|_| exact) {
                Some(low) => {
                    let (method, confidence) = (RateMethod::Exact, CONFIDENCE);
                    Some(RateInterval { low, high: low, method, confidence })
                }
                None => success_interval(counts, stopping_rule),
            },
            best_fitness: self.spread(),
            feasibility: self.feasibility(),
            evaluations_total: self.evaluations_total,
            evaluations_to_success: quartiles.map(|[q25, median, q75]| Quartiles {
                q25,
                median,
                q75,
            }),
            ert: match exact {
                true => ert.map(|ert| Ert { interval: Some(at(ert.value)), ..ert }),
                false => ert,
            },
            evaluations_after_best_median: self.after_best.median(),
            generations_median: self.generations.median(),
        };
        ArmTotals { figures, outcomes: self.outcomes.unwrap_or_default(), sample: self.sample }
    }

    fn spread(&self) -> Option<Spread> {
        let [q25, median, q75] = self.best_fitness.quantiles([0.25, 0.5, 0.75])?;
        Some(Spread {
            min: self.best_fitness.min()?,
            q25: Some(q25),
            median,
            q75: Some(q75),
            mean: self.fitness_sum? / self.best_fitness.len() as f64,
            deviation: self.fitness_deviation.value(),
            max: self.best_fitness.max()?,
        })
    }

    /// Returns the feasibility of the trials' best genomes; `None` without any.
    fn feasibility(&self) -> Option<Feasibility> {
        Some(Feasibility {
            rate: self.feasible as f64 / self.violations.len() as f64,
            violation_median: self.violations.median()?,
            violation_max: self.violations.max()?,
        })
    }
}

/// Returns the interval of a success rate. If outcomes ended the trials, it is the exact interval
/// of their rule, or a confidence sequence that holds for any outcome of the failed trials.
fn success_interval(
    counts: TrialCounts,
    stopping_rule: Option<&StoppingRule>,
) -> Option<RateInterval> {
    let (interval, method, confidence) = match stopping_rule {
        _ if counts.trials == 0 => return None,
        None => {
            (wilson(counts.successes, counts.trials, CONFIDENCE)?, RateMethod::Wilson, CONFIDENCE)
        }
        Some(stopping_rule) => match stopping_rule.exact_interval(counts) {
            Some(exact) => (exact, RateMethod::InverseSampling, stopping_rule.confidence),
            None => {
                let open = stopping_rule.open_interval(counts)?;
                (open, RateMethod::Sequence, stopping_rule.confidence)
            }
        },
    };
    Some(RateInterval { low: interval.low, high: interval.high, method, confidence })
}

impl SummaryTable {
    /// Returns the number of all trials of all arms, failed ones too.
    #[must_use]
    pub fn all_trials(&self) -> u64 {
        self.rows.iter().map(|row| row.figures.all_trials()).sum()
    }

    /// Returns method and level of the success rates' intervals. They are the same for all arms but
    /// two kinds: all trials alike, or failed trials under inverse sampling. Wilson's method if no
    /// arm has trials.
    #[must_use]
    pub fn rate_interval(&self) -> RateInterval {
        let none = RateInterval {
            low: 0.0,
            high: 1.0,
            method: RateMethod::Wilson,
            confidence: CONFIDENCE,
        };
        let mut all = self.rows.iter().filter_map(|row| row.figures.success_interval);
        let first = all.next().unwrap_or(none);
        let main = |method| match method {
            RateMethod::Exact => 0,
            RateMethod::Wilson | RateMethod::Sequence => 1,
            RateMethod::InverseSampling => 2,
        };
        all.find(|one| main(one.method) > main(first.method)).unwrap_or(first)
    }

    /// Returns the summary for readers who look while trials come in: intervals for a fixed number
    /// of trials or of successes become confidence sequences, which hold at all looks at once.
    #[must_use]
    pub fn at_any_look(mut self) -> Self {
        for figures in self.rows.iter_mut().map(|row| &mut row.figures) {
            let (successes, trials) = (figures.successes, figures.trials);
            let fixed = figures.success_interval.filter(|one| {
                matches!(one.method, RateMethod::Wilson | RateMethod::InverseSampling)
            });
            let Some(fixed) = fixed else { continue };
            let found = confidence_sequence(successes, trials, fixed.confidence, |_| CONCENTRATION);
            figures.success_interval = found.map(|Interval { low, high }| RateInterval {
                low,
                high,
                method: RateMethod::Sequence,
                ..fixed
            });
        }
        self
    }

    /// Returns whether no arm's search draws a random number, so that the rates are exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let mut all = self.rows.iter().filter_map(|row| row.figures.success_interval).peekable();
        all.peek().is_some() && all.all(|interval| interval.method == RateMethod::Exact)
    }

    /// Creates the summary. `arms` are in plan order, each with its trials. `rule` is the rule that
    /// ended the trials.
    pub(crate) fn new(
        experiment: &str,
        swept_keys: &[String],
        arms: &[ArmSpec],
        rule: Option<&StoppingRule>,
        mut totals: Vec<ArmTotals>,
    ) -> Self {
        let paired =
            DifferenceMethod::of(rule, arms.first().is_some_and(ArmSpec::common)).is_paired();
        let places: BTreeMap<ArmId, usize> =
            arms.iter().enumerate().map(|(place, arm)| (arm.id, place)).collect();
        let mut verdicts = verdicts(swept_keys, arms, rule, &mut totals);
        let mut baseline_comparison = |arm: &ArmSpec, own: &ArmTotals| {
            let place = *places.get(&arm.baseline?)?;
            let (baseline, rate) = (&totals[place], |arm: &ArmSummary| (arm.successes, arm.trials));
            let counts = match paired {
                true => paired_counts(&own.outcomes, &baseline.outcomes),
                false => Counts::Arms(rate(&own.figures), rate(&baseline.figures)),
            };
            let apart = rates_apart(counts, [rule; 2]).filter(|_| arm.settings.defines_success());
            let (verdict, criterion) = verdicts.remove(&arm.label).unzip();
            Some(BaselineComparison {
                baseline: arms[place].id,
                difference: apart.map(|(difference, _)| difference),
                verdict,
                criterion: criterion.flatten(),
            })
        };
        let baseline_comparison: Vec<_> =
            arms.iter().zip(&totals).map(|(arm, own)| baseline_comparison(arm, own)).collect();
        let (figures, outcomes): (Vec<_>, Vec<_>) =
            totals.into_iter().map(|arm| (arm.figures, arm.outcomes)).unzip();
        let mut standings = rule.map_or_else(Vec::new, |rule| rule.standings(outcomes)).into_iter();
        let rows = arms.iter().cloned().zip(figures).zip(baseline_comparison);
        let rows = rows
            .map(|((arm, figures), baseline_comparison)| SummaryRow {
                figures: figures.of_arm(&arm),
                arm,
                baseline_comparison,
                standing: standings.next().flatten(),
            })
            .collect();
        let (experiment, swept_keys) = (experiment.to_owned(), swept_keys.to_vec());
        SummaryTable { experiment, swept_keys, rows, results_hash: None }
    }
}

/// Returns the verdict and its criterion per arm with a baseline, by label. They are those of
/// `runner compare`, with all arms that have a baseline as one family.
fn verdicts(
    swept_keys: &[String],
    arms: &[ArmSpec],
    rule: Option<&StoppingRule>,
    totals: &mut [ArmTotals],
) -> BTreeMap<String, (Verdict, Option<Criterion>)> {
    let described = Sample::of_arms(arms, swept_keys, rule, Path::new(""));
    let trials = totals.iter_mut().map(|arm| arm.sample.take());
    let samples = described.into_iter().zip(trials);
    let samples: Vec<Option<Sample>> =
        samples.map(|(arm, trials)| Some(arm.with_trials_of(trials?))).collect();
    let by_label: BTreeMap<&str, &Sample> =
        samples.iter().flatten().map(|sample| (sample.label.as_str(), sample)).collect();
    let with_baseline =
        |sample: &'_ &Sample| by_label.get(sample.own_baseline.as_deref()?).copied();
    let pairs: Vec<(&Sample, &Sample)> =
        by_label.values().filter_map(|sample| Some((*sample, with_baseline(sample)?))).collect();
    let compared = compare(&pairs, made_in_pairs(&pairs));
    compared.into_iter().map(|one| (one.first, (one.verdict, one.criterion))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::resolved::SettingsReader;
    use crate::record::{Timing, TrialId, TrialRecord};
    use crate::stats::quantile;
    use crate::test_size::is_full;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Returns a trial of an arm whose trials have `different` values.
    fn trial(number: u64, different: u64) -> TrialRecord {
        let drawn = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let (kind, evaluations) = (drawn % 16, 10 + drawn % different);
        let (outcome, success) = match kind {
            0 => (Outcome::Failed, false),
            1 => (Outcome::TimedOut, false),
            2..7 => (Outcome::Generations, false),
            _ => (Outcome::Solved, true),
        };
        let result = TrialRecord {
            outcome,
            success,
            best_fitness: Some((drawn % different) as f64 / 7.0 - 3.0),
            best_violation: Some(if kind % 3 == 0 { 0.0 } else { (drawn % different) as f64 }),
            generations: evaluations / 10,
            evaluations,
            evaluations_to_success: success.then_some(evaluations - drawn % 10),
            evaluations_after_best: Some(drawn % 10),
            best_error: None,
            ..TrialRecord::lost(outcome, String::new())
        };
        result.with_id(TrialId { arm: 0, trial: number, seed: 0 }, Timing::default())
    }

    /// Returns an arm of random search, whose baseline is the first.
    fn arm(number: u64) -> ArmSpec {
        let toml = "[problem]\nplugin = \"onemax\"\n\n[[operators]]\nname = \"random\"\n\n\
            [stop]\nevaluations = 100\nfitness = 0\n";
        ArmSpec {
            id: ArmId(number),
            label: format!("arm {number}"),
            problem: "onemax".to_owned(),
            operators: format!("arm {number}"),
            swept: Vec::new(),
            settings: SettingsReader::default().read(toml).expect("settings"),
            baseline: (number > 0).then_some(ArmId(0)),
            genes: None,
        }
    }

    fn summary(kept: usize, trials: u64, different: u64) -> ArmSummary {
        let mut accumulator = ArmAccumulator {
            best_fitness: Multiset::keeping(kept),
            violations: Multiset::keeping(kept),
            generations: Multiset::keeping(kept),
            after_best: Multiset::keeping(kept),
            to_success: Multiset::keeping(kept),
            unsuccessful: Multiset::keeping(kept),
            ..ArmAccumulator::new(DifferenceMethod::Independent, 0)
        };
        (0..trials).for_each(|number| accumulator.add(&trial(number, different)));
        accumulator.finish(ArmId(7), None).figures
    }

    /// 20 arms that are random search themselves, with rates of 0.5 and 0.05, 40 trials each. The
    /// level is 0.05 for all arms together. Of 25 experiments 1 or 2 may have a false verdict; 9
    /// come about by chance with probability 2e-6. With `RUNNER_TESTS=full` 10 of 200 may, and 27
    /// come about with probability 3e-6.
    #[test]
    fn arms_like_their_baseline_are_seldom_told_from_it() {
        let arms: Vec<ArmSpec> = (0..=20).map(arm).collect();
        let (experiments, limit) = if is_full() { (200, 27) } else { (25, 9) };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2030);
        for rate in [0.5, 0.05] {
            let mut wrong = 0;
            for _ in 0..experiments {
                let totals = arms.iter().map(|arm| {
                    let mut accumulator =
                        ArmAccumulator::new(DifferenceMethod::Independent, MOST_COMPARED);
                    for number in 0..40 {
                        accumulator.add(&luck(number, rate, &mut rng));
                    }
                    accumulator.finish(arm.id, None)
                });
                let totals = totals.collect();
                let summary = SummaryTable::new("luck", &[], &arms, None, totals);
                let told = summary.rows.iter().filter_map(SummaryRow::verdict);
                wrong += u32::from(told.clone().any(|verdict| verdict != Verdict::Unclear));
                assert_eq!(told.count(), 20);
            }
            assert!(wrong < limit, "rate {rate}: {wrong} of {experiments} experiments");
        }
    }

    /// Returns a trial of random search that finds the target within its budget at this rate.
    fn luck(number: u64, rate: f64, rng: &mut Xoshiro256PlusPlus) -> TrialRecord {
        let success = rng.random_bool(rate);
        let evaluations = if success { rng.random_range(1..=100) } else { 100 };
        let result = TrialRecord {
            outcome: if success { Outcome::Solved } else { Outcome::Evaluations },
            success,
            best_fitness: Some(if success { 0.0 } else { rng.random_range(1.0..9.0) }),
            evaluations,
            evaluations_to_success: success.then_some(evaluations),
            ..TrialRecord::lost(Outcome::Evaluations, String::new())
        };
        result.with_id(TrialId { arm: 0, trial: number, seed: 0 }, Timing::default())
    }

    /// All figures are equal to the bit, except the ends of the ERT's interval. These come from
    /// moments, and differ only by the rounding of the sums.
    #[test]
    fn compressed_trials_have_the_same_figures() {
        for different in [20, 90_001] {
            let plain = summary(1 << 20, 30_000, different);
            let mut compressed = summary(1_100, 30_000, different);
            let (one, other) = (plain.ert.expect("successes"), compressed.ert.expect("successes"));
            assert_eq!(one.value, other.value);
            let near = |one: f64, other: f64| (one / other - 1.0).abs() < 300_000.0 * f64::EPSILON;
            let [low, high] = [one, other].map(|ert| ert.interval.expect("an interval"));
            assert!(near(low.low, high.low), "{one:?} {other:?}");
            let [high, other_high] = [low, high].map(|one| one.high.expect("a bound"));
            assert!(near(high, other_high), "{one:?} {other:?}");
            compressed.ert = Some(one);
            assert_eq!(plain, compressed);
        }
    }

    /// Compares with figures of sorted vectors.
    #[test]
    fn figures_are_those_of_all_trials() {
        let figures = summary(1_100, 9_000, 90_001);
        let trials: Vec<TrialRecord> = (0..9_000)
            .map(|number| trial(number, 90_001))
            .filter(|trial| !trial.outcome.is_failure())
            .collect();
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
        };
        let fitness: Vec<f64> = trials.iter().filter_map(TrialRecord::feasible_fitness).collect();
        let spread = figures.best_fitness.expect("feasible trials");
        assert_eq!(spread.mean, fitness.iter().sum::<f64>() / fitness.len() as f64);
        assert_eq!(spread.median, middle(fitness.clone()));
        let mut sorted = fitness.clone();
        sorted.sort_by(f64::total_cmp);
        assert_eq!([spread.q25, spread.q75], [0.25, 0.75].map(|share| quantile(&sorted, share)));
        let squares: f64 = fitness.iter().map(|one| (one - spread.mean).powi(2)).sum();
        let expected = (squares / (fitness.len() - 1) as f64).sqrt();
        assert!((spread.deviation.expect("many trials") / expected - 1.0).abs() < 1e-12);
        assert_eq!(spread.min, fitness.iter().copied().fold(f64::INFINITY, f64::min));
        assert_eq!(spread.max, fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let generations = trials.iter().map(|trial| trial.generations as f64).collect();
        assert_eq!(figures.generations_median, Some(middle(generations)));
        let after = trials.iter().filter_map(|trial| trial.evaluations_after_best);
        let after = middle(after.map(|one| one as f64).collect());
        assert_eq!(figures.evaluations_after_best_median, Some(after));
        let feasibility = figures.feasibility.expect("a problem with constraints");
        assert_eq!(feasibility.rate, fitness.len() as f64 / trials.len() as f64);
        let violations = trials.iter().filter_map(|trial| trial.best_violation).collect();
        assert_eq!(feasibility.violation_median, middle(violations));
        let lengths: Vec<u64> =
            trials.iter().filter_map(|trial| trial.evaluations_to_success).collect();
        let quartiles = figures.evaluations_to_success.expect("successes");
        assert_eq!(quartiles.median, middle(lengths.iter().map(|one| *one as f64).collect()));
        assert_eq!(figures.successes, lengths.len() as u64);
    }

    #[test]
    fn intervals_at_any_look_end_where_the_evidence_suffices() {
        let Interval { low, high } = wilson(12, 40, CONFIDENCE).expect("trials");
        let method = RateMethod::Wilson;
        let fixed = RateInterval { low, high, method, confidence: CONFIDENCE };
        let figures = ArmSummary {
            trials: 40,
            successes: 12,
            success_interval: Some(fixed),
            ..summary(1_000, 40, 5)
        };
        let row = SummaryRow { arm: arm(0), figures, baseline_comparison: None, standing: None };
        let table = SummaryTable {
            experiment: "x".to_owned(),
            swept_keys: Vec::new(),
            rows: vec![row],
            results_hash: None,
        };
        let found = table.at_any_look().rows[0].figures.success_interval.expect("an interval");
        assert_eq!(found.method, RateMethod::Sequence);
        for end in [found.low, found.high] {
            let evidence = crate::stats::evidence_against(end, 12, 40, CONCENTRATION);
            assert!((evidence - libm::log(20.0)).abs() < 1e-6, "{end}: {evidence}");
        }
        assert!(found.low < fixed.low && fixed.high < found.high);
    }
}
