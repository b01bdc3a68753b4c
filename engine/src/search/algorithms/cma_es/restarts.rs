//! Restarts: the number of children and the step size of each run of a trial.
//!
//! Auger and Hansen (2005), doi:10.1109/CEC.2005.1554902, for IPOP; Hansen (2009),
//! doi:10.1145/1570256.1570333, for BIPOP.

use super::settings::{CmaEs, Restarts};
use crate::random::draws::{Random, unit};
use crate::search::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

/// Maximum number of times that λ is doubled: Hansen (2009), section 3.
pub(super) const MOST_DOUBLINGS: u32 = 9;

/// Number of children, initial step size and limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    pub lambda: usize,
    /// Share of each gene's range.
    pub sigma: f64,
    /// Maximum number of generations, next to the limit of all runs; `None` if there is none.
    pub generations: Option<u64>,
}

/// Plan of the runs of one trial.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule {
    settings: CmaEs,
    /// Number of times that λ was doubled.
    doublings: u32,
    /// Whether the current run is one with few children.
    is_small: bool,
    /// Evaluations of all runs with few children, and of all others but the first.
    spent: [u64; 2],
}

impl Schedule {
    pub(super) fn new(settings: CmaEs) -> Self {
        Schedule { settings, doublings: 0, is_small: false, spent: [0; 2] }
    }

    /// Writes or reads the place in the sequence of runs.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.doublings);
        snapshot.save_or_restore(&mut self.is_small);
        snapshot.save_or_restore(&mut self.spent);
    }

    /// Returns the first run.
    pub(super) fn first(&self) -> Run {
        Run { lambda: self.settings.lambda, sigma: self.settings.sigma, generations: None }
    }

    /// Returns the run after one of this many evaluations.
    pub(super) fn next(&mut self, evaluations: u64, random: &mut Random) -> Run {
        let CmaEs { lambda, sigma, restarts, .. } = self.settings;
        if self.is_small {
            self.spent[0] += evaluations;
        } else if self.doublings > 0 {
            self.spent[1] += evaluations;
        }
        self.is_small =
            restarts == Restarts::Bipop && self.doublings > 0 && self.spent[0] < self.spent[1];
        if !self.is_small {
            self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
            return Run { lambda: lambda << self.doublings, sigma, generations: None };
        }
        // Half of the last large λ, as the source's formula reads; pycma 4 takes half of the next.
        let (exponent, shrink) = (unit(random), unit(random));
        let ratio = 0.5 * f64::from(1u32 << self.doublings);
        let lambda = (lambda as f64 * libm::pow(ratio, exponent * exponent)) as usize;
        // A run with few children takes at most half of what those with many have taken, as in the
        // programs of the source's author.
        let generations = Some((self.spent[1] / 2).div_ceil(lambda as u64));
        Run { lambda, sigma: sigma * libm::pow(10.0, -2.0 * shrink), generations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::algorithms::cma_es::settings::Covariance;

    fn schedule(restarts: Restarts) -> Schedule {
        let covariance = Covariance::Full;
        Schedule::new(CmaEs { lambda: 10, sigma: 0.2, covariance, active: true, restarts })
    }

    #[test]
    fn ipop_doubles() {
        let (mut schedule, mut random) = (schedule(Restarts::Ipop), Random::seed_from_u64(1));
        let lambdas: Vec<usize> = (0..11).map(|_| schedule.next(100, &mut random).lambda).collect();
        assert_eq!(lambdas[..4], [20, 40, 80, 160]);
        assert_eq!(lambdas[8..], [5120, 5120, 5120]);
    }

    #[test]
    fn bipop_spends_as_much_on_both_kinds_of_runs() {
        let (mut schedule, mut random) = (schedule(Restarts::Bipop), Random::seed_from_u64(2));
        let mut run = schedule.first();
        let (mut spent, mut greatest) = ([0.0, 0.0], 10);
        for number in 0..200 {
            let evaluations = 100 * run.lambda as u64;
            if number > 0 {
                spent[usize::from(run.sigma == 0.2)] += evaluations as f64;
            }
            run = schedule.next(evaluations, &mut random);
            if run.sigma == 0.2 {
                assert!(run.lambda == 2 * greatest || run.lambda == 5120, "{run:?}");
                greatest = run.lambda;
            } else {
                assert!((10..=greatest / 2).contains(&run.lambda), "{run:?} of {greatest}");
                assert!((0.002..0.2).contains(&run.sigma), "{run:?}");
                let most = run.generations.expect("a limit") as f64 * run.lambda as f64;
                assert!((0.0..run.lambda as f64).contains(&(most - spent[1] / 2.0)), "{run:?}");
            }
        }
        assert!((spent[0] / spent[1] - 1.0).abs() < 0.2, "{spent:?}");
    }
}
