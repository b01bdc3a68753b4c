//! Numbers of several points, which a processor's vector instructions compute together.
//!
//! Only what is inlined into a function for those instructions is compiled for them. So longer
//! formulas are loops and functions that are always inlined, and no closures.

use std::array::from_fn;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub};

/// One number of each of `L` points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const L: usize>(pub [f64; L]);

impl<const L: usize> Lanes<L> {
    /// Returns the same number for all points.
    #[inline(always)]
    pub(crate) fn all(number: f64) -> Self {
        Lanes([number; L])
    }

    #[inline(always)]
    pub(crate) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Lanes(from_fn(|lane| function(self.0[lane])))
    }

    #[inline(always)]
    pub(crate) fn zip(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Lanes(from_fn(|lane| function(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.zip(other, |one, other| if one > other { one } else { other })
    }

    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.zip(other, |one, other| if one < other { one } else { other })
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        impl<const L: usize> $trait for Lanes<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, f64::$method)
            }
        }

        impl<const L: usize> $trait<f64> for Lanes<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: f64) -> Self {
                self.map(|number| number.$method(other))
            }
        }

        impl<const L: usize> $trait<Lanes<L>> for f64 {
            type Output = Lanes<L>;

            #[inline(always)]
            fn $method(self, other: Lanes<L>) -> Lanes<L> {
                other.map(|number| self.$method(number))
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div);

impl<const L: usize> AddAssign for Lanes<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const L: usize> MulAssign<f64> for Lanes<L> {
    #[inline(always)]
    fn mul_assign(&mut self, other: f64) {
        *self = *self * other;
    }
}

impl<const L: usize> Sum for Lanes<L> {
    #[inline(always)]
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Lanes::all(0.0), Add::add)
    }
}
