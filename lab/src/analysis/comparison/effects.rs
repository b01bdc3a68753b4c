//! Effect sizes: the ratio of evaluations, and the difference of final fitness.

use super::criterion::Two;
use super::sample::{Paired, Sample, within};
use crate::analysis::CONFIDENCE;
use crate::sequential::CONCENTRATION;
use crate::stats::{
    Frequencies, Interval, hodges_lehmann, median, paired_difference, paired_sequence,
    pseudo_median, quantile_interval, vargha_delaney,
};

/// Shift between two arms, with its interval if a valid one is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Estimate of the effect.
    pub value: f64,
    /// Confidence interval; `None` if it cannot be computed.
    pub interval: Option<Interval>,
}

/// Final fitness of two arms.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalFitness {
    pub medians: (f64, f64),
    /// Probability that a trial of the first arm ends lower than one of the second, with ties
    /// counted half. For pairs, the share of such pairs.
    pub effect: f64,
    pub effect_interval: Option<Interval>,
    /// Shift of the first arm above the second: the median of all differences; for pairs, their
    /// pseudo-median. `None` if a trial saw no fitness.
    pub shift: Option<Shift>,
}

/// Effect with its interval, if a valid one is known.
type Effect = (f64, Option<Interval>);

/// Logarithm for a run without success. It is finite, and far beyond that of any other run.
const ENDLESS: f64 = 1e6;

impl Two<'_> {
    /// Returns the probability that a trial of the first arm needs fewer evaluations. `None`
    /// without trials.
    pub(super) fn effect(&self) -> Option<Effect> {
        match self.pairs {
            Some(pairs) => self.share(pairs.faster, pairs.all),
            None => self.superiority(self.lengths()),
        }
    }

    /// Returns how many times as fast the first arm is. It is the median of the ratios of every
    /// trial of one arm and every trial of the other; for pairs, of the ratios within them. Trials
    /// without success take infinitely long, and equally long. `None` if neither arm succeeds, or
    /// if the pairs have no middle ratio.
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
            let arms = [self.first, self.second];
            let pairs = Paired::of(arms, arms.map(|arm| &arm.run_lengths));
            let ratios = pairs.iter().map(|(_, ours, theirs)| log(theirs) - log(ours));
            let mut ratios: Vec<f64> = ratios.collect();
            ratios.sort_unstable_by(f64::total_cmp);
            // The two in the middle: one pair that only the first solved, and one that only the
            // second did, have no mean.
            let last = ratios.len().checked_sub(1)?;
            let middle = [ratios[last / 2], ratios[last.div_ceil(2)]].map(ratio);
            if middle == [0.0, f64::INFINITY] {
                return None;
            }
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

    /// Returns the final fitness; `None` if an arm succeeds, or the fitness at one budget is
    /// unknown.
    pub(super) fn fitness(&self) -> Option<FinalFitness> {
        if !self.never || !self.fitness_known {
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

    /// Returns the effect of pairs: the difference of the two shares of pairs in which one arm does
    /// better, on the scale from 0 to 1.
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

    /// Returns Vargha and Delaney's A. Less is better, so the arms are swapped.
    fn superiority(&self, [ours, theirs]: &[Frequencies; 2]) -> Option<Effect> {
        let (effect, interval) = vargha_delaney(theirs, ours, CONFIDENCE)?;
        Some((effect, (!self.method.is_anytime()).then_some(interval)))
    }
}
