//! Fitness sharing: individuals that are alike share their weight, so that a population holds
//! several optima.
//!
//! Goldberg and Richardson (1987), Genetic algorithms with sharing for multimodal function
//! optimization, ICGA 2, 41-49.

use super::clock::Clock;
use super::halt::Halt;
use super::population::Population;
use crate::problem::Gene;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};
use crate::random::power::power;

/// Rule by which individuals share their weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// Distance from which on two individuals share nothing; above 0. In positions that differ, in
    /// Euclid's distance for real genes, or in Gower's, from 0 to 1, for mixed ones.
    pub radius: f64,
    /// Exponent of the distance in units of the radius; above 0.
    pub alpha: f64,
}

impl Sharing {
    /// Divides each weight by the individual's niche count: the sum of 1 - (d / radius)^alpha over
    /// all individuals at distances d below the radius, itself included.
    pub(super) fn divide<G: Gene>(
        self,
        population: &Population<G>,
        weights: &mut [f64],
        clock: &Clock<'_>,
    ) -> Result<(), Halt> {
        let mut compared = 0;
        for (row, weight) in weights.iter_mut().enumerate() {
            let own = population.row(row);
            let others = (0..population.rows()).map(|other| population.row(other));
            let distance = |other| population.metric().distance(own, other);
            let count: f64 = others.map(|other| self.share(distance(other))).sum();
            *weight /= count;
            clock.check_comparisons(&mut compared, population.rows())?;
        }
        Ok(())
    }

    /// Returns the share of two individuals at this distance.
    fn share(self, distance: f64) -> f64 {
        if distance >= self.radius {
            return 0.0;
        }
        let part = distance / self.radius;
        1.0 - if self.alpha == 1.0 { part } else { power(part, self.alpha) }
    }

    /// Returns the rule as a section of settings.
    #[must_use]
    pub fn section(self) -> Section {
        let Sharing { radius, alpha } = self;
        let values = [("radius", radius), ("alpha", alpha)];
        values.into_iter().map(|(key, value)| (Key::from(key), Value::Real(value))).collect()
    }
}
