//! Ties of derived numbers: numbers that differ only by rounding are equal.

/// Result of a few arithmetic operations, with a bound on its rounding error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded {
    /// Value of the number.
    pub value: f64,
    /// Maximum distance from the exact result.
    pub error: f64,
}

/// Factor of the error bound of a difference a - b of doubles: ε (|a| + |b|) times this, with ε =
/// 2^-52. One rounding moves a number by at most ε/2 of it, so 32 roundings are allowed. Reading a
/// decimal takes one, subtraction another, and a fitness is often itself a sum of some terms.
const ROUNDINGS: f64 = 16.0;

impl Rounded {
    /// Returns the result of sums and differences of operands whose absolute values add up to
    /// `sizes`.
    fn of(value: f64, sizes: f64) -> Self {
        let error = if sizes.is_finite() { ROUNDINGS * f64::EPSILON * sizes } else { 0.0 };
        Rounded { value: if value.abs() <= error { 0.0 } else { value }, error }
    }

    /// Returns the first number minus the second. The result is 0 if they differ only by rounding,
    /// or are the same infinity.
    #[must_use]
    pub fn difference(one: f64, other: f64) -> Self {
        if one == other {
            return Rounded { value: 0.0, error: 0.0 };
        }
        Rounded::of(one - other, one.abs() + other.abs())
    }

    /// Returns the mean of two numbers. If one is infinite, it is the mean; if both are, the first
    /// is.
    #[must_use]
    pub fn mean(one: f64, other: f64) -> Self {
        match [one, other].into_iter().find(|number| number.is_infinite()) {
            Some(value) => Rounded { value, error: 0.0 },
            None => {
                let value = if one == other { one } else { one + 0.5 * (other - one) };
                Rounded { value, ..Rounded::of(value, one.abs() + other.abs()) }
            }
        }
    }
}

/// Returns the values in the given order, with values made equal that differ only by rounding.
/// Neighbours in ascending order tie if their distance is at most the sum of their errors.
#[must_use]
pub fn tied(numbers: &[Rounded]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].value.total_cmp(&numbers[*b].value));
    let mut values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
    for pair in order.windows(2) {
        let (before, next) = (numbers[pair[0]], numbers[pair[1]]);
        if next.value - before.value <= before.error + next.error {
            values[pair[1]] = values[pair[0]];
        }
    }
    values
}

/// Returns differences from [`Rounded::difference`], with absolute values made equal that differ
/// only by rounding: 0.2 - 0.1 and 0.9 - 0.8.
#[must_use]
pub fn tied_differences(differences: &[Rounded]) -> Vec<f64> {
    let sizes: Vec<Rounded> =
        differences.iter().map(|one| Rounded { value: one.value.abs(), ..*one }).collect();
    let signed = |(one, size): (&Rounded, f64)| if one.value < 0.0 { -size } else { size };
    differences.iter().zip(tied(&sizes)).map(signed).collect()
}

#[cfg(test)]
mod tests {
    use super::super::wilcoxon;
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn of(pairs: &[(f64, f64)]) -> Vec<f64> {
        let differences: Vec<Rounded> =
            pairs.iter().map(|(one, other)| Rounded::difference(*one, *other)).collect();
        tied_differences(&differences)
    }

    #[test]
    fn what_rounding_told_apart_ties() {
        let found = of(&[(0.2, 0.1), (0.9, 0.8), (0.7, 0.8), (0.1 + 0.2, 0.3), (5.0, 2.0)]);
        assert!(found[0] == found[1] && found[0] == -found[2], "{found:?}");
        assert_eq!((found[3], found[4]), (0.0, 3.0));
        // Small differences of small operands are no rounding error.
        let small = 2.0_f64.powi(-100);
        assert_eq!(of(&[(3.0 * small, small), (2.0 * small, small)]), [2.0 * small, small]);
        let infinite = f64::INFINITY;
        let found = of(&[(infinite, infinite), (infinite, 1.0), (1.0, infinite), (2.0, 1.0)]);
        assert_eq!(found, [0.0, infinite, -infinite, 1.0]);
        let means = [Rounded::mean(0.1, 0.3), Rounded::mean(0.2, 0.2), Rounded::mean(-1.0, 1.0)];
        let found = tied(&means);
        assert!(found[0] == found[1] && found[2] == 0.0, "{found:?}");
    }

    /// Returns the two-sided p-value by enumerating all signs of the differences, in integers. The
    /// doubled mid-rank is twice the number of smaller absolute values, plus the number of equal
    /// ones, plus 1.
    fn enumerated(differences: &[i64]) -> f64 {
        let kept: Vec<i64> = differences.iter().copied().filter(|one| *one != 0).collect();
        let rank = |one: &i64| -> u64 {
            let size = |other: &&i64| other.abs().cmp(&one.abs());
            let count = |order| kept.iter().filter(|other| size(other) == order).count() as u64;
            2 * count(std::cmp::Ordering::Less) + count(std::cmp::Ordering::Equal) + 1
        };
        let ranks: Vec<u64> = kept.iter().map(rank).collect();
        let whole: u64 = ranks.iter().sum();
        let seen: u64 = kept.iter().zip(&ranks).filter(|(one, _)| **one > 0).map(|(_, r)| r).sum();
        let less = seen.min(whole - seen);
        let sum = |signs: u32| -> u64 {
            let above = ranks.iter().enumerate().filter(|(place, _)| signs >> place & 1 == 1);
            above.map(|(_, rank)| rank).sum()
        };
        let all = 1u32 << ranks.len();
        let beyond = (0..all).filter(|signs| sum(*signs) <= less).count();
        (2.0 * beyond as f64 / f64::from(all)).min(1.0)
    }

    /// The p-values are exact, so none may differ.
    #[test]
    fn p_values_in_tenths_are_those_of_all_signs_of_integers() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(35);
        let mut wrong = 0;
        for round in 0..3000 {
            let pairs = 1 + rng.next_u64() % 10;
            let scale = [10.0, 100.0, 1000.0][round % 3];
            let most = [12, 40, 3000][round / 3 % 3];
            let whole: Vec<(i64, i64)> = (0..pairs)
                .map(|_| ((rng.next_u64() % most) as i64, (rng.next_u64() % most) as i64))
                .collect();
            let tenths = |number: i64| number as f64 / scale;
            let pairs: Vec<(f64, f64)> =
                whole.iter().map(|(one, other)| (tenths(*one), tenths(*other))).collect();
            let integers: Vec<i64> = whole.iter().map(|(one, other)| one - other).collect();
            let p = wilcoxon(&of(&pairs)).p;
            assert!((p - enumerated(&integers)).abs() < 1e-12, "{pairs:?}");
            let plain: Vec<f64> = pairs.iter().map(|(one, other)| one - other).collect();
            wrong += usize::from((wilcoxon(&plain).p - enumerated(&integers)).abs() > 1e-12);
        }
        // The pairs are a hard case: without the ties, many p-values are wrong.
        assert!(wrong > 500, "{wrong}");
    }
}
