//! Termination of a run: the signs that it makes no more progress.
//!
//! Hansen (2009), doi:10.1145/1570256.1570333, section 3; Hansen (2016), arXiv:1604.00772, appendix
//! B.3.

use super::distribution::Distribution;
use super::restarts::Run;
use crate::search::snapshot::Snapshot;

/// Least range of fitness that counts as a difference.
const FITNESS_TOLERANCE: f64 = 1e-12;
/// Least standard deviation that counts, relative to the initial one.
const STEP_TOLERANCE: f64 = 1e-12;
/// Maximum growth of the step size, relative to the longest axis.
const MOST_GROWTH: f64 = 1e20;
/// Maximum condition number of the covariance.
const MOST_CONDITION: f64 = 1e14;
/// Maximum number of generations whose medians are compared.
const MOST_HISTORY: usize = 20_000;
/// Number of generations between two comparisons of medians.
const COMPARISON: u64 = 10;

/// Observations of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Termination {
    generations: u64,
    /// Best and median score of each generation.
    bests: Vec<f64>,
    medians: Vec<f64>,
    /// Generations in which the best and a good child had the same score, oldest first.
    equals: Vec<bool>,
    buffer: Vec<f64>,
}

impl Termination {
    /// Forgets the previous run.
    pub(super) fn restart(&mut self) {
        self.generations = 0;
        self.bests.clear();
        self.medians.clear();
        self.equals.clear();
    }

    /// Writes or reads the observations.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.generations);
        snapshot.save_or_restore(&mut self.bests);
        snapshot.save_or_restore(&mut self.medians);
        snapshot.save_or_restore(&mut self.equals);
    }

    /// Adds a generation and returns whether the run has ended. `scores` are those of the children,
    /// the best first.
    pub(super) fn has_ended(
        &mut self,
        distribution: &Distribution,
        scores: impl Iterator<Item = f64> + Clone,
        run: &Run,
    ) -> bool {
        self.buffer.clear();
        self.buffer.extend(scores);
        let (n, lambda) = (distribution.mean.len(), self.buffer.len());
        let (best, worst) = (self.buffer[0], self.buffer[lambda - 1]);
        self.generations += 1;
        self.bests.push(best);
        self.medians.push(self.buffer[lambda / 2]);
        let good = (1.0 + 0.1 + lambda as f64 / 4.0) as usize;
        self.equals.push(best == self.buffer[good.min(lambda - 1)]);
        let side = n as f64 + 3.0;
        let most = 100.0 + 50.0 * side * side / (lambda as f64).sqrt();
        let window = 10 + (30 * n).div_ceil(lambda);
        self.generations as f64 >= most
            || run.generations.is_some_and(|most| self.generations >= most)
            || self.is_flat(window, best, worst)
            || self.is_equal(n)
            || self.is_stagnant(120 + 30 * n / lambda)
            || self.has_degenerated(distribution, run.sigma)
    }

    /// TolHistFun: the best of the last generations and all children differ by too little.
    fn is_flat(&self, window: usize, best: f64, worst: f64) -> bool {
        // The first test is cheap, and seldom true.
        if worst - best > FITNESS_TOLERANCE || self.bests.len() < window {
            return false;
        }
        let last = &self.bests[self.bests.len() - window..];
        let least = last.iter().copied().fold(best, f64::min);
        let most = last.iter().copied().fold(worst, f64::max);
        most - least < FITNESS_TOLERANCE
    }

    /// EqualFunVals: the best children had equal scores in a third of the last n generations.
    fn is_equal(&self, n: usize) -> bool {
        let last = &self.equals[self.equals.len().saturating_sub(n)..];
        let equal = last.iter().filter(|equal| **equal).count();
        self.equals.len() >= n && 3 * equal > n
    }

    /// Stagnation: of the last fifth of all generations, the newest are not better than the oldest.
    fn is_stagnant(&mut self, least: usize) -> bool {
        let all = self.bests.len();
        let history = (all / 5).max(least).min(MOST_HISTORY);
        if all < history || !self.generations.is_multiple_of(COMPARISON) {
            return false;
        }
        let part = 3 * history / 10;
        let buffer = &mut self.buffer;
        let mut median = |values: &[f64]| {
            buffer.clear();
            buffer.extend_from_slice(values);
            *buffer.select_nth_unstable_by(values.len() / 2, f64::total_cmp).1
        };
        let mut is_worse = |values: &[f64]| {
            let last = &values[all - history..];
            median(&last[history - part..]) >= median(&last[..part])
        };
        is_worse(&self.bests) && is_worse(&self.medians)
    }

    /// Returns whether steps have become too small, too large or too uneven for the arithmetic:
    /// TolX, TolUpSigma, ConditionCov, NoEffectAxis and NoEffectCoord. `first_sigma` is the initial
    /// step size of the run.
    fn has_degenerated(&mut self, distribution: &Distribution, first_sigma: f64) -> bool {
        let Distribution { mean, sigma, path, .. } = distribution;
        let (shortest, longest) = distribution.axes();
        let least = STEP_TOLERANCE * first_sigma;
        let is_small = || {
            distribution
                .deviations()
                .zip(path)
                .all(|(d, p)| sigma * d < least && sigma * p.abs() < least)
        };
        let mut no_effect = || {
            let axis = (self.generations % mean.len() as u64) as usize;
            let step = &mut self.buffer;
            step.resize(mean.len(), 0.0);
            distribution.axis(axis, step);
            let coordinate = |(m, d): (&f64, f64)| *m == m + 0.2 * sigma * d;
            mean.iter().zip(distribution.deviations()).any(coordinate)
                || mean.iter().zip(&*step).all(|(m, s)| *m == m + 0.1 * sigma * s)
        };
        !(sigma / first_sigma).is_finite()
            || sigma / first_sigma > MOST_GROWTH * longest
            || longest * longest > MOST_CONDITION * shortest * shortest
            || is_small()
            || no_effect()
    }
}
