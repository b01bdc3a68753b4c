//! How many evaluations a success takes, where runs also get stuck or are cut off by a budget.

use super::{Interval, normal_quantile, quantile_interval};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With a success.
    Solved,
    /// Without one, and of itself: it would never have had one.
    Stuck,
    /// Without one, by a budget: nobody knows what would have come.
    Cut,
}

/// A run: the evaluations until it ended, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLength {
    /// Spent until it ended.
    pub evaluations: u64,
    /// How it ended.
    pub end: End,
}

/// A point of the distribution of run lengths: it holds from this number of evaluations up to the
/// next point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Evaluations at which a run or more succeeded.
    pub evaluations: u64,
    /// Runs that had not ended before.
    pub at_risk: u64,
    /// Those that succeeded here.
    pub successes: u64,
    /// Estimated probability of success within so many evaluations.
    pub solved: f64,
    /// Of that probability.
    pub interval: Interval,
}

/// The distribution of the evaluations to success. It need not come to 1: a run that gets stuck
/// never succeeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    /// One per number of evaluations at which a run succeeded, in ascending order.
    pub steps: Vec<Step>,
    /// Estimated probability that a run gets stuck, within the evaluations that were seen.
    pub stuck: f64,
    /// Estimated probability that a run neither succeeds nor gets stuck within them.
    pub open: f64,
    /// Evaluations of the longest run.
    pub longest: u64,
}

/// A quantile of the evaluations to success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Within so many evaluations.
    Within(u64),
    /// Not within the longest run, which had so many.
    Beyond(u64),
    /// Too many runs get stuck.
    Never,
}

/// Probabilities this near a half are a half: sums of shares are rounded where a budget cut runs
/// off before.
const ROUNDING: f64 = 1e-9;

impl Incidence {
    /// The least number of evaluations within which at least half of the runs succeed: the inverse
    /// of the distribution function, so that where it is exactly a half the median is where it came
    /// to be so (as in lifelines; R's `survfit` gives the middle between there and the next step,
    /// statsmodels the next step).
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

/// Bounds of a median.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MedianInterval {
    /// The lower bound.
    pub low: Reached,
    /// The upper bound; `None` if the runs set none.
    pub high: Option<u64>,
}

/// An interval for the median number of evaluations to success, from the ranks of the runs: it
/// holds for every distribution. A run that a budget cut off counts for the lower bound as if it
/// had succeeded then, and for the upper bound as if it never would, so that the interval holds
/// whatever would have come. `None` with too few runs: with 95 %, fewer than six.
///
/// Source: David and Nagaraja (2003), "Order Statistics", section 7.1, doi:10.1002/0471722162.
///
/// Weak spots: wide where budgets cut off many runs before others succeed.
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

/// The distribution of the evaluations to success by Aalen and Johansen, with getting stuck as the
/// competing event: the cumulative incidence of success. A run cut off by a budget is censored
/// there; one that ended stuck never succeeds. Without stuck runs it is Kaplan and Meier's
/// distribution, without budgets that cut runs off the share of the runs that succeeded so far, to
/// the last bit.
///
/// The variance follows from step to step by the recursion of Greenwood's type. The pointwise
/// interval is on the scale of log(-log) of the probability of no success so far, which keeps it
/// within 0 and 1 and is the customary one of Kaplan and Meier's curve.
///
/// Sources: Aalen and Johansen (1978), "An empirical transition matrix for non-homogeneous Markov
/// chains based on censored observations", Scandinavian Journal of Statistics 5:141-150; competing
/// events: Kalbfleisch and Prentice (2002), chapter 8, doi:10.1002/9781118032985, and Gray (1988),
/// doi:10.1214/aos/1176350951; the variance: Allignol, Schumacher and Beyersmann (2010),
/// doi:10.1002/bimj.200900039; without competing events Kaplan and Meier (1958),
/// doi:10.1080/01621459.1958.10501452.
///
/// Weak spots: it supposes that budgets cut runs off for reasons that have nothing to do with how
/// near they were, as a number of evaluations does. Beyond the last end it says nothing.
#[must_use]
pub fn incidence(runs: &[RunLength], confidence: f64) -> Incidence {
    let mut runs = runs.to_vec();
    // One cut off at the very number of evaluations at which another ended was still at risk there.
    runs.sort_unstable_by_key(|run| (run.evaluations, run.end));
    let z = normal_quantile(0.5 + confidence / 2.0);
    let mut all = Incidence {
        open: 1.0,
        longest: runs.last().map_or(0, |run| run.evaluations),
        ..Incidence::default()
    };
    let mut block = Block { open_before: 1.0, runs: runs.len() as u64, ..Block::default() };
    // Variances of the share open and of the share solved, and their covariance.
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

/// Of the share solved, which has this variance; `unsolved` is the rest.
fn interval(unsolved: f64, variance: f64, z: f64) -> Interval {
    if unsolved <= 0.0 {
        return Interval { low: 1.0, high: 1.0 };
    }
    let reach = z * variance.max(0.0).sqrt() / (unsolved * libm::log(unsolved));
    let bound = |sign: f64| 1.0 - libm::pow(unsolved, libm::exp(sign * reach));
    let (one, other) = (bound(1.0), bound(-1.0));
    Interval { low: one.min(other), high: one.max(other) }
}

/// Runs between two cuts: each has the same share, so that shares are counts times it, and rounding
/// does not add up.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Shares of the runs that ended before it.
    solved_before: f64,
    stuck_before: f64,
    /// Share of those at its start, and their number.
    open_before: f64,
    runs: u64,
    /// Of those, the ones that ended so far.
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

    /// The block after so many runs were cut off: those that are left take over their share; with
    /// none left it stays open.
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
        // Cut off at a budget, their successes lie ahead.
        let budget = runs(&[(End::Solved, &[100, 200, 339]), (End::Cut, &[400; 5])]);
        let cut = incidence(&budget, 0.95);
        assert_eq!((cut.median(), cut.stuck, cut.open), (Reached::Beyond(400), 0.0, 0.625));
        // Some of both: a half is out of reach although not all ended.
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
            // Runs cut off before hand their share on: one of the two that are left has half of
            // what is open.
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
        // Ranks 2 and 9 of ten: at most one of ten tosses of a coin has probability 11/1024.
        let ten: Vec<u64> = (1..=10).map(|k| 10 * k).collect();
        assert_eq!(interval(&[(End::Solved, &ten)]), of(Reached::Within(20), Some(90)));
        let cut = interval(&[(End::Solved, &ten[..5]), (End::Cut, &[200; 5])]);
        assert_eq!(cut, of(Reached::Within(20), None));
        // One that was cut off before might have succeeded at once.
        let early = interval(&[(End::Solved, &ten[..9]), (End::Cut, &[5])]);
        assert_eq!(early, of(Reached::Within(10), Some(90)));
        let beyond = interval(&[(End::Solved, &[10]), (End::Cut, &[200; 9])]);
        assert_eq!(beyond, of(Reached::Beyond(200), None));
        let stuck = interval(&[(End::Solved, &[10]), (End::Stuck, &[5; 9])]);
        assert_eq!(stuck, of(Reached::Never, None));
    }
}
