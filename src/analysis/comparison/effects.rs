//! Effects: by how much one arm needs fewer evaluations, or ends with a lower fitness.

use super::grounds::Two;
use super::sample::{Sample, within};
use crate::analysis::CONFIDENCE;
use crate::sequential::CONCENTRATION;
use crate::stats::{
    Frequencies, Interval, hodges_lehmann, median, paired_difference, paired_sequence,
    pseudo_median, quantile_interval, vargha_delaney,
};

/// How far two arms lie apart, with its interval where one is known to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shift {
    pub value: f64,
    pub interval: Option<Interval>,
}

/// The final fitness of two arms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FinalFitness {
    pub medians: (f64, f64),
    /// The probability that a trial of the first ends lower than one of the second, ties counting
    /// half; of pairs their share.
    pub effect: f64,
    pub effect_interval: Option<Interval>,
    /// How far the first arm lies above the second: the median of all differences, of pairs their
    /// pseudo-median. None where a trial saw no fitness.
    pub shift: Option<Shift>,
}

/// An effect with its interval, where one is known to hold.
type Effect = (f64, Option<Interval>);

/// The logarithm of an endless run: beyond any other by far, and itself a number.
const ENDLESS: f64 = 1e6;

impl Two<'_> {
    /// The probability that a trial of the first needs fewer evaluations. None without trials.
    pub(super) fn effect(&self) -> Option<Effect> {
        match self.pairs {
            Some(pairs) => self.share(pairs.faster, pairs.all),
            None => self.superiority(self.lengths()),
        }
    }

    /// How many times as fast the first arm is: the median of the ratios of every trial of one and
    /// every trial of the other; of pairs of the ratios within them. Trials without success take
    /// endlessly long, and as long as each other. None where neither succeeds.
    pub(super) fn speed(&self) -> Option<Shift> {
        let log = |length: f64| if length.is_finite() { libm::log(length) } else { ENDLESS };
        let beyond = |sample: &Sample| !sample.within(self.horizon).any(f64::is_finite);
        if beyond(self.first) && beyond(self.second) {
            return None;
        }
        let ratio = |log: f64| match log {
            _ if log > ENDLESS / 2.0 => f64::INFINITY,
            _ if log < -ENDLESS / 2.0 => 0.0,
            _ => libm::exp(log),
        };
        let (middle, interval) = if self.pairs.is_some() {
            let log = |length: f64| log(within(length, self.horizon));
            let pairs = self.first.run_lengths.iter();
            let pairs = pairs.filter_map(|(trial, ours)| {
                let theirs = self.second.run_lengths.get(trial)?;
                Some(log(theirs) - log(ours))
            });
            let mut ratios: Vec<f64> = pairs.collect();
            ratios.sort_unstable_by(f64::total_cmp);
            (median(&ratios)?, quantile_interval(&ratios, 0.5, self.confidence()))
        } else {
            let [ours, theirs] = self.lengths().each_ref().map(|lengths| lengths.map(log));
            let (middle, interval) = hodges_lehmann(&theirs, &ours, CONFIDENCE)?;
            (middle, Some(interval))
        };
        let interval = interval.filter(|_| !self.method.is_anytime());
        let interval = interval.map(|one| Interval { low: ratio(one.low), high: ratio(one.high) });
        Some(Shift { value: ratio(middle), interval })
    }

    /// The final fitness, where neither arm succeeds.
    pub(super) fn fitness(&self) -> Option<FinalFitness> {
        if !self.never() || !self.fitness_known {
            return None;
        }
        let (effect, effect_interval) = match self.pairs {
            Some(pairs) => self.share(pairs.lower, pairs.all)?,
            None => self.superiority(self.final_fitness())?,
        };
        let both = self.final_fitness();
        let finite = |(least, greatest): (f64, f64)| least.is_finite() && greatest.is_finite();
        let shift = both.iter().filter_map(Frequencies::ends).all(finite);
        let shift = if shift { self.fitness_shift(both) } else { None };
        let medians = (both[0].median()?, both[1].median()?);
        Some(FinalFitness { medians, effect, effect_interval, shift })
    }

    fn fitness_shift(&self, [ours, theirs]: &[Frequencies; 2]) -> Option<Shift> {
        let (value, interval) = if self.pairs.is_none() {
            hodges_lehmann(ours, theirs, CONFIDENCE)?
        } else {
            pseudo_median(&self.fitness_differences(), self.confidence())?
        };
        Some(Shift { value, interval: (!self.method.is_anytime()).then_some(interval) })
    }

    /// In so many of all pairs one does better: a difference of two shares, on the scale from 0 to
    /// 1.
    fn share(&self, (ours, theirs): (u64, u64), all: u64) -> Option<Effect> {
        let (difference, interval) = if self.method.is_anytime() {
            paired_sequence(ours, theirs, all, self.confidence(), CONCENTRATION)?
        } else {
            paired_difference(ours, theirs, all, self.confidence())?
        };
        let scaled = |difference: f64| 0.5 + 0.5 * difference;
        let interval = Interval { low: scaled(interval.low), high: scaled(interval.high) };
        Some((scaled(difference), Some(interval)))
    }

    /// Vargha and Delaney's A: less is better, so that the second's are to be greater.
    fn superiority(&self, [ours, theirs]: &[Frequencies; 2]) -> Option<Effect> {
        let (effect, interval) = vargha_delaney(theirs, ours, CONFIDENCE)?;
        Some((effect, (!self.method.is_anytime()).then_some(interval)))
    }
}
