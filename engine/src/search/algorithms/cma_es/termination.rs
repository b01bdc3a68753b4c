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
    /// Best and median key of each generation.
    bests: Vec<Key>,
    medians: Vec<Key>,
    /// Generations in which the best and a good child had the same key, oldest first.
    equals: Vec<bool>,
    keys: Vec<Key>,
    buffer: Vec<f64>,
}

/// Violation and fitness, of which the violation decides. A genome with a violation has no fitness:
/// 0 is in its place.
type Key = (f64, f64);

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

    /// Adds a generation and returns whether the run has ended. `keys` are those of the children,
    /// the best first: violation and fitness, of which one is 0 where constraints rank genomes.
    pub(super) fn has_ended(
        &mut self,
        distribution: &Distribution,
        keys: impl Iterator<Item = Key>,
        run: &Run,
    ) -> bool {
        self.keys.clear();
        self.keys.extend(keys);
        let (n, lambda) = (distribution.mean.len(), self.keys.len());
        let best = self.keys[0];
        self.generations += 1;
        self.bests.push(best);
        self.medians.push(self.keys[lambda / 2]);
        let good = (1.0 + 0.1 + lambda as f64 / 4.0) as usize;
        self.equals.push(best == self.keys[good.min(lambda - 1)]);
        let side = n as f64 + 3.0;
        let most = 100.0 + 50.0 * side * side / (lambda as f64).sqrt();
        let window = 10 + (30 * n).div_ceil(lambda);
        self.generations as f64 >= most
            || run.generations.is_some_and(|most| self.generations >= most)
            || self.is_flat(window)
            || self.is_equal(n)
            || self.is_stagnant(120 + 30 * n / lambda)
            || self.has_degenerated(distribution, run.sigma)
    }

    /// TolHistFun: the best of the last generations and all children differ by too little.
    fn is_flat(&self, window: usize) -> bool {
        // The first test is cheap, and seldom true.
        let ends = [self.keys[0], self.keys[self.keys.len() - 1]];
        if spread(ends.iter()) > FITNESS_TOLERANCE || self.bests.len() < window {
            return false;
        }
        let last = &self.bests[self.bests.len() - window..];
        spread(last.iter().chain(&self.keys)) < FITNESS_TOLERANCE
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
        let buffer = &mut self.keys;
        let order = |(a, b): &Key, (c, d): &Key| a.total_cmp(c).then(b.total_cmp(d));
        let mut median = |values: &[Key]| {
            buffer.clear();
            buffer.extend_from_slice(values);
            *buffer.select_nth_unstable_by(values.len() / 2, order).1
        };
        let mut is_worse = |values: &[Key]| {
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

/// Returns the range of fitness values of genomes without a violation plus the greatest violation;
/// the range of violations if all have one.
fn spread<'keys>(keys: impl Iterator<Item = &'keys Key>) -> f64 {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let ((best, worst), (least, most)) = keys.fold((none, none), |(feasible, violated), key| {
        let wider = |(low, high): (f64, f64), value| (low.min(value), high.max(value));
        match key.0 > 0.0 {
            true => (feasible, wider(violated, key.0)),
            false => (wider(feasible, key.1), violated),
        }
    });
    match (best <= worst, least <= most) {
        (false, _) => most - least,
        (true, false) => worst - best,
        (true, true) => worst - best + most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_are_not_compared_with_fitness() {
        let generations = 150;
        // The region of feasible genomes is found late; violations are less than fitness.
        let improving = |at: usize| match at {
            0..50 => (5.0 - 0.1 * at as f64, 0.0),
            _ => (0.0, 1000.0 - 0.01 * at as f64),
        };
        let stuck = |at: usize| if at < 50 { (0.0, -1000.0) } else { (5.0, 0.0) };
        for (key, is_stagnant) in [(&improving as &dyn Fn(usize) -> Key, false), (&stuck, true)] {
            let bests: Vec<Key> = (0..generations).map(key).collect();
            let medians = bests.clone();
            let mut run = Termination {
                generations: generations as u64,
                bests,
                medians,
                ..Default::default()
            };
            assert_eq!(run.is_stagnant(generations), is_stagnant);
        }
    }

    #[test]
    fn the_spread_of_keys_is_that_of_what_decides() {
        let of = |keys: &[Key]| spread(keys.iter());
        assert_eq!(of(&[(0.0, 1.0), (0.0, 1.5), (0.0, 1.25)]), 0.5);
        assert_eq!(of(&[(2.0, 0.0), (2.5, 0.0)]), 0.5);
        assert_eq!(of(&[(0.0, 1.0), (0.0, 1.5), (0.25, 0.0)]), 0.75);
        assert!(of(&[(0.0, f64::INFINITY)]).is_nan());
    }
}
