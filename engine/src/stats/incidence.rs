//! Distribution of the evaluations to success, with stuck runs and runs cut off by a budget.

use super::{Interval, normal_quantile, quantile_interval};

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Success.
    Solved,
    /// Ended on its own without success and could never have succeeded.
    Stuck,
    /// Cut off by a budget without success. Later results are unknown.
    Cut,
}

/// Evaluations until a run ended, and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLength {
    /// Number of evaluations until the run ended.
    pub evaluations: u64,
    /// End of the run.
    pub end: End,
}

/// Step of the distribution of run lengths. It applies from its number of evaluations up to the
/// next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of evaluations at which one or more runs succeeded.
    pub evaluations: u64,
    /// Number of runs that had not ended earlier.
    pub at_risk: u64,
    /// Number of runs that succeeded at this number of evaluations.
    pub successes: u64,
    /// Estimated probability of success within this number of evaluations.
    pub solved: f64,
    /// Confidence interval of the probability of success.
    pub interval: Interval,
}

/// Distribution of the evaluations to success. Its limit may be below 1, because stuck runs never
/// succeed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    /// Steps, one per number of evaluations at which a run succeeded, in ascending order.
    pub steps: Vec<Step>,
    /// Estimated probability that a run gets stuck, within the observed evaluations.
    pub stuck: f64,
    /// Estimated probability that a run neither succeeds nor gets stuck within the observed
    /// evaluations.
    pub open: f64,
    /// Number of evaluations of the longest run.
    pub longest: u64,
}

/// Quantile of the evaluations to success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Reached within this number of evaluations.
    Within(u64),
    /// Not reached within this number of evaluations, where observation ended.
    Beyond(u64),
    /// Never reached, because too many runs get stuck.
    Never,
}

/// Tolerance below one half: such probabilities count as one half. Sums of shares are rounded if
/// budgets cut runs off earlier.
const ROUNDING: f64 = 1e-9;

impl Incidence {
    /// Returns the least number of evaluations within which at least half of the runs succeed. This
    /// is the inverse of the distribution function. If the function equals one half over an
    /// interval, the median is the start of that interval, as in lifelines. R's `survfit` returns
    /// the middle of the interval, statsmodels the next step.
    #[must_use]
    pub fn median(&self) -> Reached {
        if let Some(evaluations) = self.half(|step| step.solved) {
            return Reached::Within(evaluations);
        }
        let solved = self.steps.last().map_or(0.0, |step| step.solved);
        if solved + self.open < 0.5 - ROUNDING {
            Reached::Never
        } else {
            Reached::Beyond(self.longest)
        }
    }

    fn half(&self, of: impl Fn(&Step) -> f64) -> Option<u64> {
        self.steps.iter().find(|step| of(step) >= 0.5 - ROUNDING).map(|step| step.evaluations)
    }
}

/// Confidence interval of a median.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MedianInterval {
    /// Lower bound.
    pub low: Reached,
    /// Upper bound; `None` if the runs set none.
    pub high: Option<u64>,
}

/// Returns a distribution-free confidence interval for the median number of evaluations to success,
/// based on the ranks of the runs. For the lower bound, a run that a budget cut off counts as a
/// success at that point. For the upper bound, it counts as never successful. The interval
/// therefore holds whatever the results of these runs would have been. `None` if there are too few
/// runs: at 95 %, fewer than six.
///
/// Source: David and Nagaraja (2003), "Order Statistics", section 7.1, doi:10.1002/0471722162.
///
/// Limitations: wide if budgets cut off many runs before others succeed.
#[must_use]
pub fn median_interval(runs: &[RunLength], confidence: f64) -> Option<MedianInterval> {
    let places: Vec<f64> = (0..runs.len()).map(|place| place as f64).collect();
    let ranks = quantile_interval(&places, 0.5, confidence)?;
    let mut early = runs.to_vec();
    early.sort_unstable_by_key(|run| (run.end == End::Stuck, run.evaluations, run.end));
    let low = match early[ranks.low as usize] {
        RunLength { evaluations, end: End::Solved } => Reached::Within(evaluations),
        RunLength { evaluations, end: End::Cut } => Reached::Beyond(evaluations),
        RunLength { end: End::Stuck, .. } => Reached::Never,
    };
    let solved = early.iter().filter(|run| run.end == End::Solved);
    let high = solved.map(|run| run.evaluations).nth(ranks.high as usize);
    Some(MedianInterval { low, high })
}

/// Estimates the cumulative incidence of success over evaluations by the Aalen-Johansen estimator,
/// with getting stuck as the competing event. A run that a budget cut off is censored there. A
/// stuck run never succeeds. Without stuck runs, the estimate is the Kaplan-Meier distribution.
/// Without runs cut off by budgets, it is exactly the share of the runs that succeeded so far.
///
/// The variance follows from step to step by a recursion of Greenwood's type. The pointwise
/// interval uses the scale of log(-log) of the probability of no success so far. This keeps it
/// within 0 and 1, and is customary for Kaplan-Meier curves.
///
/// Sources: Aalen and Johansen (1978), "An empirical transition matrix for non-homogeneous Markov
/// chains based on censored observations", Scandinavian Journal of Statistics 5:141-150; competing
/// events: Kalbfleisch and Prentice (2002), chapter 8, doi:10.1002/9781118032985, and Gray (1988),
/// doi:10.1214/aos/1176350951; the variance: Allignol, Schumacher and Beyersmann (2010),
/// doi:10.1002/bimj.200900039; without competing events Kaplan and Meier (1958),
/// doi:10.1080/01621459.1958.10501452.
///
/// Limitations: assumes that censoring is independent of a run's progress, as with budgets in
/// evaluations. The estimate does not extend beyond the last end.
#[must_use]
pub fn incidence(runs: &[RunLength], confidence: f64) -> Incidence {
    let mut runs = runs.to_vec();
    // At equal evaluations, a censored run sorts last, because it is still at risk when another run
    // ends.
    runs.sort_unstable_by_key(|run| (run.evaluations, run.end));
    let z = normal_quantile(0.5 + confidence / 2.0);
    let mut all = Incidence {
        open: 1.0,
        longest: runs.last().map_or(0, |run| run.evaluations),
        ..Incidence::default()
    };
    let mut block = Block { open_before: 1.0, runs: runs.len() as u64, ..Block::default() };
    // Variances of the open share and of the solved share, and their covariance.
    let (mut of_open, mut of_solved, mut of_both) = (0.0, 0.0, 0.0);
    let mut first = 0;
    while first < runs.len() {
        let evaluations = runs[first].evaluations;
        let here = &runs
            [first..first + runs[first..].partition_point(|run| run.evaluations == evaluations)];
        let count = |end| here.iter().filter(|run| run.end == end).count() as u64;
        let (successes, stuck, cut) = (count(End::Solved), count(End::Stuck), count(End::Cut));
        let (at_risk, open) = ((runs.len() - first) as u64, block.open());
        if successes + stuck > 0 {
            let risk = at_risk as f64;
            let (ended, solved) = ((successes + stuck) as f64 / risk, successes as f64 / risk);
            let square = open * open / risk;
            of_solved += 2.0 * solved * of_both
                + solved * solved * of_open
                + square * solved * (1.0 - solved);
            of_both =
                (1.0 - ended) * (of_both + solved * of_open) - square * solved * (1.0 - ended);
            of_open = (1.0 - ended) * (1.0 - ended) * of_open + square * ended * (1.0 - ended);
            block.successes += successes;
            block.stuck += stuck;
        }
        if successes > 0 {
            let solved = block.solved();
            let interval = interval(block.stuck() + block.open(), of_solved, z);
            all.steps.push(Step { evaluations, at_risk, successes, solved, interval });
        }
        if cut > 0 {
            block = block.after(cut);
        }
        first += here.len();
    }
    if !runs.is_empty() {
        (all.stuck, all.open) = (block.stuck(), block.open());
    }
    all
}

/// Returns the confidence interval of the solved share; `variance` is that share's, `unsolved` the
/// rest.
fn interval(unsolved: f64, variance: f64, z: f64) -> Interval {
    if unsolved <= 0.0 {
        return Interval { low: 1.0, high: 1.0 };
    }
    let reach = z * variance.max(0.0).sqrt() / (unsolved * libm::log(unsolved));
    let bound = |sign: f64| 1.0 - libm::pow(unsolved, libm::exp(sign * reach));
    let (one, other) = (bound(1.0), bound(-1.0));
    Interval { low: one.min(other), high: one.max(other) }
}

/// Runs between two censoring times. Each run has an equal share, so shares are counts times that
/// share, and rounding errors do not accumulate.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Shares of the runs that ended before the block.
    solved_before: f64,
    stuck_before: f64,
    /// Share of the open runs at the start of the block, and their number.
    open_before: f64,
    runs: u64,
    /// Numbers of the block's runs that ended so far.
    successes: u64,
    stuck: u64,
}

impl Block {
    fn share(&self, runs: u64) -> f64 {
        if self.runs == 0 { 0.0 } else { self.open_before * runs as f64 / self.runs as f64 }
    }

    fn solved(&self) -> f64 {
        self.solved_before + self.share(self.successes)
    }

    fn stuck(&self) -> f64 {
        self.stuck_before + self.share(self.stuck)
    }

    fn left(&self) -> u64 {
        self.runs - self.successes - self.stuck
    }

    fn open(&self) -> f64 {
        self.share(self.left())
    }

    /// Returns the block after `cut` runs were cut off. The remaining runs take over their share.
    /// If none remain, the share stays open.
    fn after(&self, cut: u64) -> Block {
        let left = self.left() - cut;
        match left {
            0 => *self,
            _ => Block {
                solved_before: self.solved(),
                stuck_before: self.stuck(),
                open_before: self.open(),
                runs: left,
                successes: 0,
                stuck: 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(ends: &[(End, &[u64])]) -> Vec<RunLength> {
        let of = |(end, lengths): &(End, &[u64])| {
            let end = *end;
            lengths
                .iter()
                .map(move |&evaluations| RunLength { evaluations, end })
                .collect::<Vec<_>>()
        };
        ends.iter().flat_map(of).collect()
    }

    #[test]
    fn stuck_runs_never_succeed_and_cut_runs_may() {
        let climb = runs(&[(End::Solved, &[100, 200, 339]), (End::Stuck, &[50, 60, 70, 80, 90])]);
        let stuck = incidence(&climb, 0.95);
        assert_eq!((stuck.median(), stuck.stuck, stuck.open), (Reached::Never, 0.625, 0.0));
        // Runs cut off by a budget may still succeed later.
        let budget = runs(&[(End::Solved, &[100, 200, 339]), (End::Cut, &[400; 5])]);
        let cut = incidence(&budget, 0.95);
        assert_eq!((cut.median(), cut.stuck, cut.open), (Reached::Beyond(400), 0.0, 0.625));
        // Stuck and cut-off runs: one half is out of reach although not all runs ended.
        let both = runs(&[(End::Solved, &[10]), (End::Stuck, &[20; 6]), (End::Cut, &[400; 2])]);
        assert_eq!(incidence(&both, 0.95).median(), Reached::Never);
        assert_eq!(incidence(&[], 0.95).median(), Reached::Beyond(0));
    }

    #[test]
    fn exactly_half_is_half_whatever_the_number_of_runs() {
        for half in 1..=500u64 {
            let lengths: Vec<u64> = (1..=half).collect();
            for end in [End::Stuck, End::Cut] {
                let runs = runs(&[(End::Solved, &lengths), (end, &vec![half + 1; half as usize])]);
                let incidence = incidence(&runs, 0.95);
                assert_eq!(incidence.median(), Reached::Within(half), "{half} {end:?}");
                assert_eq!(
                    incidence.steps.last().map(|step| step.solved),
                    Some(0.5),
                    "{half} {end:?}"
                );
            }
            // Runs that are cut off pass their share on: one of the two remaining runs has half of
            // the open share.
            let mut cut = runs(&[(End::Solved, &lengths), (End::Cut, &vec![half; half as usize])]);
            cut.extend(runs(&[(End::Solved, &[half + 1]), (End::Cut, &[half + 2])]));
            let solved = incidence(&cut, 0.95).steps.last().expect("successes").solved;
            let expected = half as f64 / (2 * half + 2) as f64;
            assert!((solved - (expected + (1.0 - expected) / 2.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_median_of_an_even_number_of_runs_is_where_half_of_them_succeeded() {
        // lifelines 0.30.3: 20; R's survfit: 25; statsmodels 0.15.0: 30.
        let even = incidence(&runs(&[(End::Solved, &[10, 20, 30, 40])]), 0.95);
        assert_eq!(even.median(), Reached::Within(20));
    }

    #[test]
    fn a_median_has_an_interval_from_six_runs_on() {
        let interval = |ends: &[(End, &[u64])]| median_interval(&runs(ends), 0.95);
        assert_eq!(interval(&[(End::Solved, &[7])]), None);
        assert_eq!(interval(&[(End::Solved, &[7, 30, 90, 100, 101])]), None);
        let of = |low, high| Some(MedianInterval { low, high });
        let six = interval(&[(End::Solved, &[7, 30, 90, 100, 101, 5])]);
        assert_eq!(six, of(Reached::Within(5), Some(101)));
        // Ranks 2 and 9 of ten: at most one head in ten coin tosses has probability 11/1024.
        let ten: Vec<u64> = (1..=10).map(|k| 10 * k).collect();
        assert_eq!(interval(&[(End::Solved, &ten)]), of(Reached::Within(20), Some(90)));
        let cut = interval(&[(End::Solved, &ten[..5]), (End::Cut, &[200; 5])]);
        assert_eq!(cut, of(Reached::Within(20), None));
        // A run that was cut off early might have succeeded immediately.
        let early = interval(&[(End::Solved, &ten[..9]), (End::Cut, &[5])]);
        assert_eq!(early, of(Reached::Within(10), Some(90)));
        let beyond = interval(&[(End::Solved, &[10]), (End::Cut, &[200; 9])]);
        assert_eq!(beyond, of(Reached::Beyond(200), None));
        let stuck = interval(&[(End::Solved, &[10]), (End::Stuck, &[5; 9])]);
        assert_eq!(stuck, of(Reached::Never, None));
    }
}
