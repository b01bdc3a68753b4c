//! Metropolis rule: the probability that a search moves to a worse neighbour.

use crate::random::draws::{Random, unit};

/// Greatest whole worsening whose probability is cached.
const MOST: usize = 16;
/// Minimum number of moves per temperature for which the cache pays.
const MANY: usize = 32;

/// The rule of Metropolis et al. (1953), doi:10.1063/1.1699114. A neighbour that is worse by w is
/// accepted with probability exp(-w / temperature), an equal one always.
///
/// If the fitness counts something, the same few worsenings recur. Their probabilities are computed
/// once per temperature.
#[derive(Debug)]
pub(super) struct Metropolis {
    /// Temperature and probability of each cached worsening, indexed by the worsening.
    known: [(f64, f64); MOST + 1],
    remembers: bool,
}

impl Metropolis {
    /// Creates the rule for this number of moves per temperature.
    pub(super) fn new(moves: usize) -> Self {
        Metropolis { known: [(f64::NAN, f64::NAN); MOST + 1], remembers: moves >= MANY }
    }

    /// Returns whether a neighbour that is worse by `worsening` is accepted. Draws a number if it
    /// is worse.
    #[inline]
    pub(super) fn accepts(
        &mut self,
        worsening: f64,
        temperature: f64,
        random: &mut Random,
    ) -> bool {
        worsening <= 0.0 || self.is_chosen(unit(random), worsening, temperature)
    }

    /// Returns whether a neighbour that is worse by `worsening` is rejected, if the number that is
    /// drawn then is `number`.
    #[inline]
    pub(super) fn rejects(&mut self, worsening: f64, temperature: f64, number: f64) -> bool {
        worsening > 0.0 && !self.is_chosen(number, worsening, temperature)
    }

    /// Returns whether `number` is below the probability of a positive worsening.
    #[inline]
    fn is_chosen(&mut self, number: f64, worsening: f64, temperature: f64) -> bool {
        let place = worsening as u32 as usize;
        if !self.remembers || place > MOST || place as f64 != worsening {
            return is_below_exp(number, worsening / temperature);
        }
        if self.known[place].0 != temperature {
            self.known[place] = (temperature, libm::exp(-(worsening / temperature)));
        }
        number < self.known[place].1
    }
}

/// Returns whether `number` < exp(-`x`), for `x` of at least 0. For most numbers above exp(-`x`),
/// the first terms of the series of exp(x) decide. Their sum is below exp(x) by more than rounding.
#[inline]
fn is_below_exp(number: f64, x: f64) -> bool {
    let beyond = number * (1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0)))) > 1.0 + 1e-9;
    !beyond && number < libm::exp(-x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortcut_answers_as_the_exponential_function_does() {
        let mut random = Random::seed_from_u64(1);
        for round in 0..200_000 {
            let x = unit(&mut random) * [1e-9, 0.1, 3.0, 50.0, 800.0][round % 5];
            let near = libm::exp(-x) * (1.0 + (unit(&mut random) - 0.5) * 1e-8);
            for number in [unit(&mut random), near, 0.0] {
                assert_eq!(is_below_exp(number, x), number < libm::exp(-x), "{number} {x}");
            }
        }
        assert!(!is_below_exp(0.0, f64::INFINITY) && is_below_exp(0.5, 0.0));
    }

    #[test]
    fn what_is_remembered_is_what_would_be_computed() {
        let (mut remembers, mut computes) = (Metropolis::new(200), Metropolis::new(1));
        let mut random = Random::seed_from_u64(2);
        for round in 0..100_000_u32 {
            let temperature = [0.0, 1e-300, 0.1, 1.0, 2.0, f64::MAX][round as usize / 7 % 6];
            let worsening =
                [0.5, 1.0, 2.0, 15.0, 16.0, 17.0, 1.5, 1e300, f64::INFINITY][round as usize % 9];
            let near = libm::exp(-(worsening / temperature));
            for number in [unit(&mut random), near, near.next_down(), 0.0] {
                let [one, other] = [&mut remembers, &mut computes]
                    .map(|rule| rule.is_chosen(number, worsening, temperature));
                assert_eq!(one, other, "{number} {worsening} {temperature}");
                assert_eq!(one, number < near, "{number} {worsening} {temperature}");
            }
        }
    }
}
