//! Sample standard deviation, updated number by number.

/// Accumulator of the sample standard deviation. Its rounding errors do not grow with the mean:
/// Welford (1962), doi:10.1080/00401706.1962.10490022.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardDeviation {
    numbers: u64,
    mean: f64,
    /// Sum of the squared deviations from the mean.
    squares: f64,
}

impl StandardDeviation {
    /// Adds a number.
    pub fn insert(&mut self, number: f64) {
        self.numbers += 1;
        let before = number - self.mean;
        self.mean += before / self.numbers as f64;
        self.squares += before * (number - self.mean);
    }

    /// Returns the standard deviation, with the number of numbers minus 1 as the divisor. `None`
    /// with fewer than two numbers, or if it exceeds the range of doubles.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        let degrees = self.numbers.checked_sub(1).filter(|degrees| *degrees > 0)?;
        Some((self.squares / degrees as f64).sqrt()).filter(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(numbers: &[f64]) -> Option<f64> {
        let mut all = StandardDeviation::default();
        numbers.iter().for_each(|number| all.insert(*number));
        all.value()
    }

    #[test]
    fn it_is_that_of_the_definition() {
        assert_eq!(
            deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]),
            Some((32f64 / 7.0).sqrt())
        );
        assert_eq!(deviation(&[3.0; 5]), Some(0.0));
    }

    #[test]
    fn a_great_mean_takes_no_digits() {
        assert_eq!(deviation(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]), Some(30f64.sqrt()));
    }

    #[test]
    fn what_has_no_deviation_has_none() {
        assert_eq!(deviation(&[]), None);
        assert_eq!(deviation(&[1.0]), None);
        assert_eq!(deviation(&[1.0, f64::INFINITY]), None);
        assert_eq!(deviation(&[-1e308, 1e308]), None);
    }
}
