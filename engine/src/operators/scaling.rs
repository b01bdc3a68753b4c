//! Scalings: from fitness (lower is better) to weights (higher is better).
//!
//! Each scaling writes one weight per fitness, up to the number of weights. Weights are at least 0
//! and small enough that a population's sum is finite. If all weights are 0, selections that draw
//! by weight draw uniformly. A fitness of plus infinity has weight 0.

use super::Order;
use super::domain::Domain;
use super::kernels::scaling::{complement, weighed};
use super::operator::{Operator, Slot};
use super::registry::{Entry, Family};
use super::values::{Complaint, Make};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};

/// Formula from a fitness f (lower is better) to a weight (higher is better).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// No weights; for selections that only compare fitness.
    None,
    /// `worst - f`, and 0 if f is greater than `worst`.
    Complement {
        /// Fitness with weight 0.
        worst: f64,
    },
    /// `1 / f`, and 1 at f = 0.
    Reciprocal,
    /// `1 - f / sum of the population's f`; all weights are 1 if the sum is 0.
    ShareComplement,
    /// Linear ranking: the best has weight `pressure`, the worst `2 - pressure`. `pressure` is in
    /// 1..=2. Ties share the mean.
    Rank {
        /// Weight of the best, between 1 and 2.
        pressure: f64,
    },
}

impl Scaling {
    /// Writes one weight per fitness. `order` is scratch.
    pub fn weigh(self, fitness: &[f64], order: &mut Order, weights: &mut [f64]) {
        match self {
            Scaling::None => {}
            Scaling::Complement { worst } => complement(fitness, worst, weights),
            Scaling::Reciprocal => reciprocal(fitness, weights),
            Scaling::ShareComplement => share_complement(fitness, weights),
            Scaling::Rank { pressure } => rank(fitness, pressure, order, weights),
        }
    }
}

/// Scalings, in documentation order.
pub static SCALINGS: Family<Make<Scaling>> = Family {
    slot: Slot::Scaling,
    plugin: None,
    entries: &[
        Entry {
            operator: Operator {
                name: "none",
                summary: "No weights; for selections that only compare fitness.",
                domain: Domain::Any,
                parameters: &[],
                source: "-",
            },
            make: |_, _| Ok(Scaling::None),
        },
        Entry {
            operator: Operator {
                name: "complement",
                summary: "worst - f, at most 1e290, and 0 where f is greater than worst.",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "worst",
                    Kind::real(f64::NEG_INFINITY, f64::INFINITY),
                    Fallback::Derived("the problem's worst fitness"),
                    "The fitness with weight 0.",
                )],
                source: "Goldberg (1989), Genetic Algorithms in Search, Optimization and Machine \
                    Learning",
            },
            make: |values, context| {
                let worst = values.given_real("worst").or(context.problem.worst);
                let worst = worst.ok_or_else(|| {
                    Complaint::new(
                        "`complement` needs the worst fitness, and the problem does not state one",
                        "give it: scaling = { kind = \"complement\", worst = … }",
                    )
                })?;
                if let Some(ideal) = context.problem.ideal.filter(|ideal| worst <= *ideal) {
                    let message = format!(
                        "with `worst` = {worst} all weights are 0: the problem's ideal is {ideal}, \
                        and no fitness is below it"
                    );
                    let help = "set it above the ideal; a fitness of `worst` or more gets weight 0";
                    return Err(Complaint::of("worst", message, help));
                }
                values.settle("worst", Value::Real(worst));
                Ok(Scaling::Complement { worst })
            },
        },
        Entry {
            operator: Operator {
                name: "reciprocal",
                summary: "1 / f, and 1 at f = 0.",
                domain: Domain::Any,
                parameters: &[],
                source: "8 queens notes (clone, crossover, mutate)",
            },
            make: |_, context| {
                context
                    .require_nonnegative_fitness("reciprocal", "choose `rank` or `complement`")?;
                Ok(Scaling::Reciprocal)
            },
        },
        Entry {
            operator: Operator {
                name: "share-complement",
                summary: "1 - f / sum of the population's f; 1 for all where the sum is 0.",
                domain: Domain::Any,
                parameters: &[],
                source: "8 queens notes (clone, crossover, mutate), the older weight",
            },
            make: |_, context| {
                let help = "choose `rank` or `complement`";
                context.require_nonnegative_fitness("share-complement", help)?;
                Ok(Scaling::ShareComplement)
            },
        },
        Entry {
            operator: Operator {
                name: "rank",
                summary: "Linear in the rank: the best has weight pressure, the worst 2 - \
                    pressure; ties share their mean.",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "pressure",
                    Kind::real(1.0, 2.0),
                    Fallback::real(1.5),
                    "Expected number of children of the best individual.",
                )],
                source: "Baker (1985), ICGA 1, 101-111",
            },
            make: |values, _| Ok(Scaling::Rank { pressure: values.real("pressure") }),
        },
    ],
};

/// Writes the weight `1 / f`, and 1 at f = 0. Intended for fitness that is 0 or at least 1, such as
/// counts, because a fitness between 0 and 1 has a greater weight than 0 has. A fitness below 0,
/// which rounding can cause at an ideal of 0, counts as 0.
pub(crate) fn reciprocal(fitness: &[f64], weights: &mut [f64]) {
    for (weight, value) in weights.iter_mut().zip(fitness) {
        *weight = if *value <= 0.0 { 1.0 } else { weighed(1.0 / value) };
    }
}

/// Writes the weight `1 - f / sum of the population's f`; all weights are 1 if the sum is 0.
/// Intended for fitness of at least 0. A fitness below 0, which rounding can cause at an ideal of
/// 0, counts as 0.
pub(crate) fn share_complement(fitness: &[f64], weights: &mut [f64]) {
    let sum: f64 = fitness.iter().map(|value| value.max(0.0)).sum();
    for (weight, value) in weights.iter_mut().zip(fitness.iter().map(|value| value.max(0.0))) {
        // If the sum is infinite, only finite fitness has weight.
        *weight = if sum == 0.0 {
            1.0
        } else if sum.is_infinite() {
            f64::from(value.is_finite())
        } else {
            weighed(1.0 - value / sum)
        };
    }
}

/// Writes weights by linear ranking. The best has weight `pressure` and the worst `2 - pressure`,
/// with even steps between. Equal fitness shares the mean of its ranks. `order` is scratch;
/// `pressure` is in 1..=2.
///
/// Source: Baker (1985), "Adaptive selection methods for genetic algorithms", ICGA 1, pp. 101-111.
pub(crate) fn rank(fitness: &[f64], pressure: f64, order: &mut Order, weights: &mut [f64]) {
    let count = fitness.len();
    let order = order.all(fitness);
    let step = 2.0 * (pressure - 1.0) / (count.max(2) - 1) as f64;
    let mut first = 0;
    while first < count {
        let value = fitness[order[first] as usize];
        let tied = order[first..].iter().take_while(|row| fitness[**row as usize] == value).count();
        let mean_rank = first as f64 + (tied - 1) as f64 / 2.0;
        // At a pressure of 2 the last rank has weight 0, but rounding could make it negative.
        let weight =
            if value == f64::INFINITY { 0.0 } else { weighed(pressure - step * mean_rank) };
        order[first..first + tied].iter().for_each(|row| weights[*row as usize] = weight);
        first += tied;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::kernels::scaling::complement_each;

    fn scaled(scale: impl FnOnce(&mut [f64])) -> Vec<f64> {
        let mut weights = vec![f64::NAN; 4];
        scale(&mut weights);
        weights
    }

    #[test]
    fn every_version_of_the_complement_gives_the_same() {
        for rows in 0..40 {
            let fitness: Vec<f64> = (0..rows)
                .map(|row| if row % 7 == 6 { f64::INFINITY } else { row as f64 })
                .collect();
            let (mut found, mut plain) = (vec![-1.0; rows], vec![-2.0; rows]);
            complement(&fitness, 20.5, &mut found);
            complement_each(&fitness, 20.5, &mut plain);
            let expected: Vec<f64> = fitness.iter().map(|value| (20.5 - value).max(0.0)).collect();
            assert_eq!((&found, &plain), (&expected, &expected));
        }
    }

    #[test]
    fn scalings_follow_their_formulas() {
        let fitness = [0.0, 2.0, 8.0, f64::INFINITY];
        assert_eq!(scaled(|weights| complement(&fitness, 4.0, weights)), [4.0, 2.0, 0.0, 0.0]);
        assert_eq!(scaled(|weights| reciprocal(&fitness, weights)), [1.0, 0.5, 0.125, 0.0]);
        assert_eq!(
            scaled(|weights| share_complement(&[1.0, 2.0, 5.0, 0.0], weights)),
            [0.875, 0.75, 0.375, 1.0]
        );
        assert_eq!(scaled(|weights| share_complement(&[0.0; 4], weights)), [1.0; 4]);
        assert_eq!(scaled(|weights| share_complement(&fitness, weights)), [1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn weights_of_extreme_fitness_have_a_finite_sum() {
        let fitness = [5e-324, f64::MIN, f64::MAX, -0.0];
        let mut order = Order::default();
        let all = [
            scaled(|weights| complement(&fitness, f64::MAX, weights)),
            scaled(|weights| reciprocal(&fitness, weights)),
            scaled(|weights| share_complement(&fitness, weights)),
            scaled(|weights| share_complement(&[5e-324, -1e-323, 1.0, -1.0], weights)),
            scaled(|weights| rank(&fitness, 2.0, &mut order, weights)),
            scaled(|weights| rank(&[f64::INFINITY; 4], 2.0, &mut order, weights)),
        ];
        for weights in all {
            assert!(
                weights.iter().all(|weight| *weight >= 0.0) && weights.iter().sum::<f64>() < 1e300,
                "{weights:?}"
            );
        }
        assert_eq!(scaled(|weights| reciprocal(&fitness, weights))[3], 1.0);
        // Fitness that rounding moves below an ideal of 0 has the same weight as 0. No weight is
        // greater, except under `reciprocal` for fitness between 0 and 1.
        let rounded = [-1e-17, 0.0, 2.0, 4.0];
        assert_eq!(scaled(|weights| reciprocal(&rounded, weights)), [1.0, 1.0, 0.5, 0.25]);
        assert_eq!(
            scaled(|weights| share_complement(&rounded, weights)),
            [1.0, 1.0, 1.0 - 2.0 / 6.0, 1.0 - 4.0 / 6.0]
        );
        assert_eq!(scaled(|weights| share_complement(&[-1e-17; 4], weights)), [1.0; 4]);
        assert_eq!(
            scaled(|weights| share_complement(&[-1e-17, 1e-17, 0.0, 0.0], weights)),
            [1.0, 0.0, 1.0, 1.0]
        );
        let infinite = [0.0, f64::INFINITY, 1.0, f64::INFINITY];
        assert_eq!(
            scaled(|weights| rank(&infinite, 1.0, &mut order, weights)),
            [1.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn ranks_are_linear_and_ties_share() {
        let ranked = |fitness: [f64; 4]| {
            scaled(|weights| rank(&fitness, 1.6, &mut Order::default(), weights))
        };
        let expected = [1.6, 1.2, 0.8, 0.4];
        assert!(
            ranked([1.0, 2.0, 3.0, 4.0]).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        );
        let tied = ranked([2.0, 1.0, 2.0, 9.0]);
        assert!(
            tied.iter().zip([1.0, 1.6, 1.0, 0.4]).all(|(a, b)| (a - b).abs() < 1e-12),
            "{tied:?}"
        );
    }
}
