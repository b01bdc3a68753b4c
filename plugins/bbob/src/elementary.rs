//! Exponentials, logarithms, powers, sines and cosines without branches, so that a processor's
//! vector instructions compute several at once. They consist of additions and multiplications in a
//! fixed order, so that every processor has the same numbers.
//!
//! Arguments are reduced as by Cody and Waite (1980), "Software Manual for the Elementary
//! Functions", and what remains is a Taylor series.

use crate::lanes::Lanes;
use std::f64::consts::{FRAC_2_PI, LOG2_E, SQRT_2};

/// Number whose sum with a number below 2^51 has no fraction. The last bits of the sum are those of
/// the nearest integer.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts. The product of the first and an exponent is exact.
const LN_2: [f64; 2] = [0.6931471805592082, 7.371002565167799e-13];
/// π/2 in four parts. The product of each but the last and a number of 24 bits is exact.
const HALF_PI: [f64; 4] =
    [1.570796325802803, 9.920935774287987e-10, 2.2517417706346578e-18, 3.5215598651832e-27];
/// Greatest argument of sines and cosines that these parts reduce.
const GREATEST: f64 = 2e7;

/// Bits of the mantissa.
const MANTISSA: u32 = 52;
/// 2^52, as bits. A whole number below 2^52 in its last bits makes it greater by that number.
const WHOLE: u64 = 0x4330_0000_0000_0000;

/// Returns the series of coefficients, the first of them that of the highest power.
#[inline(always)]
fn series<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    coefficients.into_iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Returns 1/k! of these numbers, the first of them the last, with alternating signs for -1.
const fn inverse_factorials<const N: usize>(first: usize, step: usize, sign: f64) -> [f64; N] {
    let mut all = [0.0; N];
    let (mut factorial, mut number, mut term, mut factor) = (1.0, 0, 0, 1.0);
    while term < N {
        while number < first + term * step {
            number += 1;
            factorial *= number as f64;
        }
        all[N - 1 - term] = factor / factorial;
        factor *= sign;
        term += 1;
    }
    all
}

/// Returns e^x, 0 far below and infinity far above.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    const SERIES: [f64; 14] = inverse_factorials(0, 1, 1.0);
    let x = x.clamp(-1400.0, 1400.0);
    let shifted = x * LOG2_E + ROUNDER;
    let exponent = shifted - ROUNDER;
    let rest = x - exponent * LN_2[0] - exponent * LN_2[1];
    // A power of two beyond the range of numbers is the product of three within it.
    let power_of_two = |part: f64| {
        let whole = (part + ROUNDER).to_bits();
        f64::from_bits(whole.wrapping_add(1023) << MANTISSA)
    };
    let one = (exponent * 0.25 + ROUNDER) - ROUNDER;
    let half = exponent - 2.0 * one;
    series(SERIES, rest) * power_of_two(one) * power_of_two(half) * power_of_two(one)
}

/// Returns the natural logarithm of a positive number.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    /// 2/(2k + 1), of the series of the inverse hyperbolic tangent.
    const SERIES: [f64; 11] = {
        let mut all = [0.0; 11];
        let mut term = 0;
        while term < 11 {
            all[10 - term] = 2.0 / (2 * term + 1) as f64;
            term += 1;
        }
        all
    };
    // Subnormal numbers have no exponent of their own.
    let is_small = x < f64::MIN_POSITIVE;
    let bits = (if is_small { x * 2f64.powi(54) } else { x }).to_bits();
    let mantissa = f64::from_bits(bits & ((1 << MANTISSA) - 1) | 1023 << MANTISSA);
    let biased = f64::from_bits(bits >> MANTISSA | WHOLE) - f64::from_bits(WHOLE);
    let exponent = biased - if is_small { 1023.0 + 54.0 } else { 1023.0 };
    let is_upper = mantissa > SQRT_2;
    let mantissa = if is_upper { 0.5 * mantissa } else { mantissa };
    let exponent = if is_upper { exponent + 1.0 } else { exponent };
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let tail = series(SERIES, ratio * ratio) * ratio;
    exponent * LN_2[0] + (tail + exponent * LN_2[1])
}

/// Returns the sine of a number within the greatest argument; `quarters` of a turn later.
#[inline(always)]
fn wave(x: f64, quarters: u64) -> f64 {
    const SINE: [f64; 9] = inverse_factorials(1, 2, -1.0);
    const COSINE: [f64; 9] = inverse_factorials(0, 2, -1.0);
    let shifted = x * FRAC_2_PI + ROUNDER;
    let turns = shifted - ROUNDER;
    let quarter = shifted.to_bits().wrapping_add(quarters);
    let rest = HALF_PI.into_iter().fold(x, |rest, part| rest - turns * part);
    let square = rest * rest;
    let (sine, cosine) = (series(SINE, square) * rest, series(COSINE, square));
    let value = if quarter & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ (quarter & 2) << 62)
}

/// Returns the nearest integer of a number below 2^51; halves are rounded up.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> f64 {
    let above = x + 0.5;
    let nearest = (above + ROUNDER) - ROUNDER;
    if nearest > above { nearest - 1.0 } else { nearest }
}

impl<const L: usize> Lanes<L> {
    #[inline(always)]
    pub(crate) fn exp(mut self) -> Self {
        for number in &mut self.0 {
            *number = exponential(*number);
        }
        self
    }

    /// Returns the logarithms of positive numbers.
    #[inline(always)]
    pub(crate) fn ln(mut self) -> Self {
        for number in &mut self.0 {
            *number = logarithm(*number);
        }
        self
    }

    /// Returns powers of numbers that are not negative. 0 stays 0.
    #[inline(always)]
    pub(crate) fn pow(self, exponent: Self) -> Self {
        self.zip((self.ln() * exponent).exp(), |x, power| if x > 0.0 { power } else { 0.0 })
    }

    #[inline(always)]
    pub(crate) fn sin(self) -> Self {
        self.wave(0, libm::sin)
    }

    #[inline(always)]
    pub(crate) fn cos(self) -> Self {
        self.wave(1, libm::cos)
    }

    /// Returns waves, of great arguments by `great`.
    #[inline(always)]
    fn wave(self, quarters: u64, great: fn(f64) -> f64) -> Self {
        let mut waves = self;
        for number in &mut waves.0 {
            *number = wave(*number, quarters);
        }
        if self.0.iter().any(|x| x.abs() > GREATEST) {
            return self.zip(waves, |x, wave| if x.abs() > GREATEST { great(x) } else { wave });
        }
        waves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest relative difference to the values of `libm`, of numbers between two ends.
    fn difference(
        (low, high): (f64, f64),
        own: impl Fn(f64) -> f64,
        right: impl Fn(f64) -> f64,
    ) -> f64 {
        let numbers = (0..200_000).map(|number| low + (high - low) * f64::from(number) / 2e5);
        numbers.map(|x| ((own(x) - right(x)) / right(x)).abs()).fold(0.0, f64::max)
    }

    fn one(function: impl Fn(Lanes<1>) -> Lanes<1>) -> impl Fn(f64) -> f64 {
        move |x| function(Lanes([x])).0[0]
    }

    #[test]
    fn values_are_those_of_libm_but_for_the_last_bits() {
        let two = 2.0 * f64::EPSILON;
        assert!(difference((-700.0, 700.0), one(Lanes::exp), libm::exp) < two);
        assert!(difference((0.001, 0.7), one(Lanes::ln), libm::log) < two);
        assert!(difference((1.5, 1e9), one(Lanes::ln), libm::log) < two);
        assert!(difference((1e-320, 1e-300), one(Lanes::ln), libm::log) < two);
        assert!(difference((-0.7, 0.7), one(Lanes::cos), libm::cos) < two);
        assert!(difference((0.1, 3.0), one(Lanes::sin), libm::sin) < two);
        // Close to a zero, the last bits of the argument decide.
        for (low, high) in [(-1e3, 1e3), (1e6, 2e7), (3e7, 1e15)] {
            let sine =
                difference((low, high), |x| 2.0 + one(Lanes::sin)(x), |x| 2.0 + libm::sin(x));
            let cosine =
                difference((low, high), |x| 2.0 + one(Lanes::cos)(x), |x| 2.0 + libm::cos(x));
            assert!(sine < two && cosine < two, "{low} to {high}: {sine:e}, {cosine:e}");
        }
        for exponent in [0.1, 0.25, 1.5, 6.0] {
            let power = one(|x| x.pow(Lanes([exponent])));
            let right = |x| libm::pow(x, exponent);
            assert!(difference((1e-12, 1e3), power, right) < 100.0 * f64::EPSILON, "{exponent}");
        }
    }

    #[test]
    fn ends_are_exact() {
        assert_eq!(Lanes([0.0, -0.0, 800.0, -800.0]).exp().0, [1.0, 1.0, f64::INFINITY, 0.0]);
        assert_eq!(Lanes([1.0]).ln().0, [0.0]);
        assert_eq!(Lanes([0.0]).pow(Lanes([0.1])).0, [0.0]);
        assert_eq!((Lanes([0.0]).sin().0, Lanes([0.0]).cos().0), ([0.0], [1.0]));
        let halves = [0.5, -0.5, 1.5, 2.4999, -2.5, 1e15, -7e14];
        assert_eq!(halves.map(rounded), halves.map(|x| (x + 0.5).floor()));
    }
}
