//! Resampling: how often a search evaluates a genome whose fitness is noisy.

use crate::named;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};

/// Rule by which a search evaluates genomes of a noisy problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// Number of evaluations of each genome; at least 1.
    pub evaluations: usize,
    /// Statistic of these evaluations that the search takes as the fitness.
    pub combine: Statistic,
    /// Whether individuals that survive a generation are evaluated anew in the next.
    pub reevaluates: bool,
}

impl Resampling {
    /// Each genome is evaluated once.
    pub const ONCE: Resampling =
        Resampling { evaluations: 1, combine: Statistic::Mean, reevaluates: false };

    /// Returns the rule as a section of settings.
    #[must_use]
    pub fn section(&self) -> Section {
        let evaluations = i64::try_from(self.evaluations).unwrap_or(i64::MAX);
        [
            (Key::from("evaluations-per-genome"), Value::Integer(evaluations)),
            (Key::from("combine"), Value::Text(self.combine.as_str().into())),
            (Key::from("re-evaluate"), Value::Boolean(self.reevaluates)),
        ]
        .into_iter()
        .collect()
    }
}

named! {
    /// Statistic of the evaluations of one genome.
    pub enum Statistic {
        /// Arithmetic mean.
        Mean = "mean",
        /// Median; of an even number the mean of the middle two.
        Median = "median",
    }
}

impl Statistic {
    /// Returns the statistic of numbers, at least one, and leaves them in any order.
    pub(super) fn of(self, numbers: &mut [f64]) -> f64 {
        match self {
            Statistic::Mean => mean(numbers),
            Statistic::Median => {
                numbers.sort_unstable_by(f64::total_cmp);
                let half = numbers.len() / 2;
                match numbers.len() % 2 {
                    0 => mean(&numbers[half - 1..=half]),
                    _ => numbers[half],
                }
            }
        }
    }
}

/// Returns the mean of finite numbers, at least one.
pub(super) fn mean(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    // The sum of large numbers is beyond the doubles, where their mean is not.
    if mean.is_finite() { mean } else { numbers.iter().map(|number| number / count).sum() }
}

/// Unit in which the squares of all doubles are finite.
const LARGE: f64 = 1e300;

/// Returns the standard error of the mean of numbers; `None` if there is only one.
pub(super) fn standard_error(numbers: &[f64]) -> Option<f64> {
    if numbers.len() < 2 {
        return None;
    }
    let (mean, count) = (mean(numbers), numbers.len() as f64);
    let error = |unit: f64| {
        let square = |number: &f64| (number / unit - mean / unit).powi(2);
        let squares: f64 = numbers.iter().map(square).sum();
        unit * (squares / (count - 1.0) / count).sqrt()
    };
    let usual = error(1.0);
    // Squares of large numbers are beyond the doubles.
    Some(if usual.is_finite() { usual } else { error(LARGE) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_textbook() {
        let of = |statistic: Statistic, numbers: &[f64]| statistic.of(&mut numbers.to_vec());
        assert_eq!(of(Statistic::Mean, &[1.0, 4.0, 10.0]), 5.0);
        assert_eq!(of(Statistic::Median, &[10.0, 1.0, 4.0]), 4.0);
        assert_eq!(of(Statistic::Median, &[10.0, 1.0, 4.0, 2.0]), 3.0);
        assert_eq!(of(Statistic::Median, &[7.0]), 7.0);
        // Deviations -2, 0, 0, 2: the variance is 8 / 3, that of the mean a quarter of it.
        let error = standard_error(&[1.0, 3.0, 3.0, 5.0]).expect("several");
        assert!((error - (2.0f64 / 3.0).sqrt()).abs() < 1e-15, "{error}");
        assert_eq!(standard_error(&[3.0]), None);
        // Sums and squares beyond the doubles.
        assert_eq!(mean(&[1.5e308, 1.5e308, 1.5e308]), 1.5e308);
        let error = standard_error(&[-1e308, 1e308]).expect("several");
        assert!((error / 1e308 - 1.0).abs() < 1e-12, "{error}");
    }
}
