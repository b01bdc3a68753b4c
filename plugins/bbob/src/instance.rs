//! Instances: the random numbers from which optima, rotations and offsets are made. They are those
//! of the suite's programs, so that instances have the same numbers everywhere.

use crate::lanes::Lanes;
use std::f64::consts::PI;

/// Random numbers of a seed.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: i64,
}

/// Square matrix, column by column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    n: usize,
    columns: Vec<f64>,
}

impl Draws {
    /// Creates the numbers of a seed.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Draws { seed: seed.abs().max(1) }
    }

    /// Returns the seed.
    pub(crate) fn seed(self) -> i64 {
        self.seed
    }

    /// Returns `count` uniform numbers above 0 and below 1, by the generator of Park and Miller
    /// (1988), doi:10.1145/63039.63042, with the shuffle of Bays and Durham (1976),
    /// doi:10.1145/355666.355670.
    #[must_use]
    pub fn uniform(self, count: usize) -> Vec<f64> {
        let step = |seed: i64| {
            let quotient = seed / 127_773;
            let next = 16_807 * (seed - quotient * 127_773) - 2_836 * quotient;
            if next < 0 { next + 2_147_483_647 } else { next }
        };
        let mut seed = self.seed;
        let mut shuffled = [0; 32];
        for place in (0..40).rev() {
            seed = step(seed);
            if let Some(number) = shuffled.get_mut(place) {
                *number = seed;
            }
        }
        let mut last = shuffled[0];
        (0..count)
            .map(|_| {
                seed = step(seed);
                let place = (last / 67_108_865) as usize;
                last = shuffled[place];
                shuffled[place] = seed;
                let number = last as f64 / 2.147483647e9;
                if number == 0.0 { 1e-99 } else { number }
            })
            .collect()
    }

    /// Returns `count` normal numbers: Box and Muller (1958), doi:10.1214/aoms/1177706645.
    #[must_use]
    pub fn normal(self, count: usize) -> Vec<f64> {
        let uniform = self.uniform(2 * count);
        let (lengths, angles) = uniform.split_at(count);
        let number = |(length, angle): (&f64, &f64)| {
            let number = (-2.0 * libm::log(*length)).sqrt() * libm::cos(2.0 * PI * angle);
            if number == 0.0 { 1e-99 } else { number }
        };
        lengths.iter().zip(angles).map(number).collect()
    }

    /// Returns an optimum, with four decimals and within -4 and 4.
    pub(crate) fn optimum(self, n: usize) -> Vec<f64> {
        let number = |uniform: &f64| {
            let number = 8.0 * (1e4 * uniform).floor() / 1e4 - 4.0;
            if number == 0.0 { -1e-5 } else { number }
        };
        self.uniform(n).iter().map(number).collect()
    }

    /// Returns a random rotation: normal numbers, made orthonormal column by column.
    pub(crate) fn rotation(self, n: usize) -> Matrix {
        let mut columns = self.normal(n * n);
        for column in 0..n {
            let (before, rest) = columns.split_at_mut(column * n);
            let current = &mut rest[..n];
            for other in before.chunks_exact(n) {
                let product: f64 = current.iter().zip(other).map(|(a, b)| a * b).sum();
                current.iter_mut().zip(other).for_each(|(a, b)| *a -= product * b);
            }
            let squares: f64 = current.iter().map(|a| a * a).sum();
            let length = squares.sqrt();
            current.iter_mut().for_each(|a| *a /= length);
        }
        Matrix { n, columns }
    }

    /// Returns the value at the optimum of a function, from -1,000 to 1,000.
    #[must_use]
    pub fn offset(self) -> f64 {
        let [one, other] = [self, Draws::new(self.seed + 1)].map(|draws| draws.normal(1)[0]);
        ((1e4 * one / other + 0.5).floor() / 100.0).clamp(-1000.0, 1000.0)
    }
}

impl Matrix {
    /// Returns this matrix, times the diagonal matrix of these numbers, times another matrix.
    pub(crate) fn times(&self, diagonal: &[f64], other: &Matrix) -> Matrix {
        let n = self.n;
        let mut columns = vec![0.0; n * n];
        for (result, factors) in columns.chunks_exact_mut(n).zip(other.columns.chunks_exact(n)) {
            let own = self.columns.chunks_exact(n).zip(diagonal).zip(factors);
            for ((column, scale), factor) in own {
                let products = column.iter().map(|element| element * scale * factor);
                result.iter_mut().zip(products).for_each(|(result, product)| *result += product);
            }
        }
        Matrix { n, columns }
    }

    /// Returns this matrix with each row multiplied by its number.
    pub(crate) fn scaled(mut self, rows: &[f64]) -> Matrix {
        for column in self.columns.chunks_exact_mut(self.n) {
            column.iter_mut().zip(rows).for_each(|(element, factor)| *element *= factor);
        }
        self
    }

    /// Adds the product with a vector. Each sum goes from the first column to the last.
    #[inline(always)]
    pub(crate) fn add_product<const L: usize>(&self, vector: &[Lanes<L>], result: &mut [Lanes<L>]) {
        /// Rows at a time, whose sums stay in registers.
        const ROWS: usize = 4;
        let (blocks, rest) = result.as_chunks_mut::<ROWS>();
        for (block, sums) in blocks.iter_mut().enumerate() {
            let mut own = *sums;
            for (column, factor) in self.columns.chunks_exact(self.n).zip(vector) {
                let elements = &column[block * ROWS..][..ROWS];
                own.iter_mut().zip(elements).for_each(|(sum, at)| *sum += *at * *factor);
            }
            *sums = own;
        }
        let first = self.n - rest.len();
        for (row, sum) in (first..).zip(rest) {
            for (column, factor) in self.columns.chunks_exact(self.n).zip(vector) {
                *sum += column[row] * *factor;
            }
        }
    }

    /// Returns the sum of a column.
    pub(crate) fn column_sum(&self, column: usize) -> f64 {
        self.columns[column * self.n..][..self.n].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_orthonormal() {
        for n in [1, 2, 5, 40] {
            let rotation = Draws::new(1_010_007).rotation(n);
            for column in rotation.columns.chunks(n) {
                let squares: f64 = column.iter().map(|element| element * element).sum();
                assert!((squares - 1.0).abs() < 1e-12, "{n}: {squares}");
            }
        }
    }

    #[test]
    fn uniform_numbers_do_not_depend_on_how_many_are_drawn() {
        let all = Draws::new(24).uniform(100);
        assert_eq!(Draws::new(24).uniform(10), all[..10]);
        assert!(all.iter().all(|number| *number > 0.0 && *number < 1.0));
    }
}
