//! Trials of an arm at a gate: figures whose intervals hold for any outcome of the failed trials.

use super::condition::Figure;
use crate::plan::stopping::StoppingRule;
use crate::plan::{ArmId, ArmSpec};
use crate::record::{Outcome, TrialRecord};
use crate::stats::{
    ErtInterval, Interval, Multiset, TrialCounts, clopper_pearson, ert_interval_at, median,
    quantile_interval,
};

/// A figure with its interval; `None` without trials, or with too few.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Estimate; `None` without trials that have one.
    pub value: Option<f64>,
    /// Confidence interval; `None` if it cannot be computed.
    pub interval: Option<Interval>,
}

/// Data of an arm's trials from which the figures are calculated.
pub struct GatedTrials {
    id: ArmId,
    /// Evaluations after which a trial ends.
    budget: Option<u64>,
    /// Whether all trials are the same, because the search draws no random number.
    exact: bool,
    /// Numbers of trials, successes and failures.
    pub counts: TrialCounts,
    to_success: Vec<u64>,
    unsuccessful: Vec<u64>,
    /// Best fitness of the trials; infinite where the best genome is infeasible.
    fitness: Vec<f64>,
}

impl GatedTrials {
    /// Creates an arm without trials. `draws` is true if its search draws random numbers.
    #[must_use]
    pub fn new(arm: &ArmSpec, draws: bool) -> Self {
        GatedTrials {
            id: arm.id,
            budget: arm.settings.evaluations(),
            exact: !draws,
            counts: TrialCounts::default(),
            to_success: Vec::new(),
            unsuccessful: Vec::new(),
            fitness: Vec::new(),
        }
    }

    /// Returns whether all trials are the same, so that figures have no uncertainty: neither the
    /// search nor the problem draws a random number.
    #[must_use]
    pub fn are_exact(&self) -> bool {
        self.exact
            && self.to_success.windows(2).all(|two| two[0] == two[1])
            && self.unsuccessful.windows(2).all(|two| two[0] == two[1])
            && self.fitness.windows(2).all(|two| two[0] == two[1])
            && (self.to_success.is_empty() || self.unsuccessful.is_empty())
    }

    /// Adds a trial.
    pub fn add(&mut self, trial: &TrialRecord) {
        // The clock or a fault may end equal trials differently.
        self.exact &= !trial.outcome.is_failure() && trial.outcome != Outcome::TimedOut;
        self.counts.add(trial.outcome.is_failure(), trial.success);
        if trial.outcome.is_failure() {
            return;
        }
        if trial.best_fitness.is_some() {
            self.fitness.push(trial.feasible_fitness().unwrap_or(f64::INFINITY));
        }
        match trial.success {
            true => self.to_success.push(trial.evaluations_to_success.unwrap_or(trial.evaluations)),
            false => self.unsuccessful.push(trial.evaluations),
        }
    }

    /// Adds trials that are missing and may come to anything, like failed ones.
    pub fn add_missing(&mut self, trials: u64) {
        self.exact &= trials == 0;
        self.counts.failures += trials;
    }

    /// Calculates a figure with its interval, by the methods of the summary. `rule` is the rule
    /// that ended the trials.
    #[must_use]
    pub fn measure(
        &self,
        figure: Figure,
        confidence: f64,
        rule: Option<&StoppingRule>,
    ) -> Measured {
        let measured = match figure {
            Figure::SuccessRate => self.success_rate(confidence, rule),
            Figure::Ert => self.ert(confidence),
            Figure::EvaluationsToSuccess => {
                let lengths = self.to_success.iter().map(|one| *one as f64).collect();
                self.median(lengths, 1.0, confidence)
            }
            Figure::BestFitness => self.median(self.fitness.clone(), f64::NEG_INFINITY, confidence),
        };
        match measured.value.filter(|_| self.are_exact()) {
            Some(low) => Measured { interval: Some(Interval { low, high: low }), ..measured },
            None => measured,
        }
    }

    fn success_rate(&self, confidence: f64, rule: Option<&StoppingRule>) -> Measured {
        let TrialCounts { successes, trials, .. } = self.counts;
        // Wilson's interval misses rates near 0 and 1 more often than the level allows.
        let of = |(successes, trials)| clopper_pearson(successes, trials, confidence);
        let interval = match rule {
            Some(rule) => StoppingRule { confidence, ..rule.clone() }.final_interval(self.counts),
            None => of(self.counts.least())
                .zip(of(self.counts.most()))
                .map(|(least, most)| Interval { low: least.low, high: most.high }),
        };
        Measured { value: (trials > 0).then(|| successes as f64 / trials as f64), interval }
    }

    /// Calculates the ERT. The lower end of its interval counts failed trials as immediate
    /// successes. The upper end counts them as unsuccessful after the whole budget; it is infinite
    /// without a budget. With few successes, such trials can make a bootstrap interval narrower, so
    /// the interval includes the one without them.
    fn ert(&self, confidence: f64) -> Measured {
        let failed = |evaluations| (0..self.counts.failures).map(move |_| evaluations);
        let with = |successes: Option<u64>, others: Option<u64>| {
            let all = |trials: &[u64], failed_after: Option<u64>| -> Multiset<u64> {
                trials.iter().copied().chain(failed_after.into_iter().flat_map(failed)).collect()
            };
            let (to_success, unsuccessful) =
                (all(&self.to_success, successes), all(&self.unsuccessful, others));
            ert_interval_at(&to_success, &unsuccessful, confidence, self.id.0)
        };
        let plain = with(None, None);
        let (low, high) = match self.counts.failures {
            0 => (plain, plain),
            _ => (with(Some(1), None), with(None, self.budget)),
        };
        let [own, low, high] = [plain, low, high].map(|ert| ert?.interval);
        let is_open = self.counts.failures > 0 && self.budget.is_none();
        let end = |one: ErtInterval| one.high.filter(|_| !is_open).unwrap_or(f64::INFINITY);
        let interval = own.zip(low.zip(high)).map(|(own, (low, high))| Interval {
            low: low.low.min(own.low),
            high: end(high).max(end(own)),
        });
        Measured { value: plain.map(|ert| ert.value), interval }
    }

    /// Calculates a median. The lower end of its interval counts failed trials at the least value,
    /// the upper end at infinity.
    fn median(&self, mut values: Vec<f64>, least: f64, confidence: f64) -> Measured {
        values.sort_unstable_by(f64::total_cmp);
        let value = median(&values);
        let failures = usize::try_from(self.counts.failures).unwrap_or(usize::MAX);
        let known = values.len();
        values.resize(known + failures, f64::INFINITY);
        let high = quantile_interval(&values, 0.5, confidence).map(|one| one.high);
        values.rotate_right(failures);
        values[..failures].fill(least);
        let low = quantile_interval(&values, 0.5, confidence).map(|one| one.low);
        Measured { value, interval: low.zip(high).map(|(low, high)| Interval { low, high }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::resolved::SettingsReader;
    use crate::record::{Timing, TrialId, TrialRecord};

    /// Returns an arm with successes after 1, 2, … evaluations, and with unsuccessful and failed
    /// trials.
    fn arm(successes: u64, others: u64, failures: u64, budget: bool) -> GatedTrials {
        let limit = if budget { "evaluations = 100" } else { "generations = 10" };
        let toml = format!(
            "[problem]\nplugin = \"onemax\"\n\n[[operators]]\nname = \"random\"\n\n[stop]\n\
            {limit}\nfitness = 0\n"
        );
        let spec = ArmSpec {
            id: ArmId(7),
            label: "arm".to_owned(),
            problem: "onemax".to_owned(),
            operators: "arm".to_owned(),
            swept: Vec::new(),
            settings: SettingsReader::default().read(&toml).expect("settings"),
            baseline: None,
            genes: None,
        };
        let mut trials = GatedTrials::new(&spec, true);
        for number in 0..successes + others + failures {
            let success = number < successes;
            let outcome = match number {
                _ if success => Outcome::Solved,
                number if number < successes + others => Outcome::Evaluations,
                _ => Outcome::Failed,
            };
            let result = TrialRecord {
                success,
                best_fitness: Some(number as f64),
                evaluations: if success { number + 1 } else { 100 },
                evaluations_to_success: success.then_some(number + 1),
                ..TrialRecord::lost(outcome, String::new())
            };
            let id = TrialId { arm: 0, trial: number, seed: 0 };
            trials.add(&result.with_id(id, Timing::default()));
        }
        trials
    }

    fn interval(trials: &GatedTrials, figure: Figure) -> Option<(f64, f64)> {
        let interval = trials.measure(figure, 0.95, None).interval?;
        Some((interval.low, interval.high))
    }

    #[test]
    fn failures_make_every_interval_wider_at_both_ends() {
        for figure in Figure::ALL {
            let (sound, some) = (arm(20, 20, 0, true), arm(20, 20, 5, true));
            let value = |trials: &GatedTrials| trials.measure(figure, 0.95, None).value;
            assert_eq!(value(&sound), value(&some), "{figure:?}");
            let (low, high) = interval(&sound, figure).expect("an interval");
            let (lower, higher) = interval(&some, figure).expect("an interval");
            assert!(lower < low && high < higher, "{figure:?}: {lower} {low} {high} {higher}");
        }
        let open = interval(&arm(20, 20, 5, false), Figure::Ert).expect("an interval");
        assert_eq!(open.1, f64::INFINITY);
    }

    /// With six successes, a bootstrap interval of the trials with failures may end before that of
    /// the others, by the arm's resamples.
    #[test]
    fn failures_never_make_the_interval_of_an_ert_narrower() {
        for id in 0..60 {
            let of = |failures| {
                let mut trials = arm(6, 20, failures, true);
                trials.id = ArmId(id);
                interval(&trials, Figure::Ert).expect("an interval")
            };
            let (low, high) = of(0);
            for failures in 1..5 {
                let (lower, higher) = of(failures);
                assert!(lower <= low && high <= higher, "{id}, {failures}: {lower} {higher}");
            }
        }
    }

    /// Ranks 2 and 9 of ten: at most one head in ten coin tosses has probability 11/1024.
    #[test]
    fn medians_are_of_successes_alone_and_need_six_values() {
        let to_success = |successes| {
            arm(successes, 30, 0, true).measure(Figure::EvaluationsToSuccess, 0.95, None)
        };
        let ten = Interval { low: 2.0, high: 9.0 };
        assert_eq!(to_success(10), Measured { value: Some(5.5), interval: Some(ten) });
        assert_eq!(to_success(5), Measured { value: Some(3.0), interval: None });
        // One more value at either end, with ranks 2 and 10 as the ends.
        let one = interval(&arm(10, 0, 1, true), Figure::EvaluationsToSuccess);
        assert_eq!(one, Some((1.0, 10.0)));
        assert_eq!(interval(&arm(0, 0, 0, true), Figure::SuccessRate), None);
        assert_eq!(interval(&arm(0, 0, 4, true), Figure::SuccessRate), Some((0.0, 1.0)));
        let all_failed = interval(&arm(0, 0, 20, true), Figure::BestFitness);
        assert_eq!(all_failed, Some((f64::NEG_INFINITY, f64::INFINITY)));
    }

    /// An arm must not pass because it finds few feasible genomes.
    #[test]
    fn a_trial_without_a_feasible_genome_has_infinite_fitness() {
        let mut trials = arm(0, 10, 0, true);
        let value = |trials: &GatedTrials| trials.measure(Figure::BestFitness, 0.95, None).value;
        assert_eq!(value(&trials), Some(4.5));
        let infeasible = TrialRecord {
            best_fitness: Some(-9.0),
            best_violation: Some(1.0),
            evaluations: 100,
            ..TrialRecord::lost(Outcome::Evaluations, String::new())
        };
        for trial in 10..21 {
            let id = TrialId { arm: 0, trial, seed: 0 };
            trials.add(&infeasible.clone().with_id(id, Timing::default()));
        }
        assert_eq!(value(&trials), Some(f64::INFINITY));
    }

    #[test]
    fn equal_trials_leave_no_interval() {
        let mut exact = arm(8, 0, 0, true);
        exact.exact = true;
        // The noise of a problem makes trials differ.
        assert_ne!(interval(&exact, Figure::SuccessRate), Some((1.0, 1.0)));
        exact.to_success.fill(5);
        exact.fitness.fill(0.0);
        assert_eq!(interval(&exact, Figure::SuccessRate), Some((1.0, 1.0)));
        assert_eq!(interval(&exact, Figure::Ert), Some((5.0, 5.0)));
    }
}
