//! Eigenvalues and eigenvectors of symmetric matrices. The result is the same on every processor,
//! because each number comes from additions, multiplications, divisions and square roots in a fixed
//! order.

use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// Maximum number of steps per eigenvalue; two or three are usual.
const MOST_STEPS: usize = 60;

/// Decomposition of a symmetric matrix into eigenvalues and eigenvectors, with its buffers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Eigen {
    /// Eigenvalues, in no order.
    pub values: Vec<f64>,
    /// Eigenvectors of length 1, one per row, in the order of the eigenvalues.
    pub vectors: Vec<f64>,
    /// Elements next to the diagonal of the tridiagonal matrix.
    off: Vec<f64>,
    /// Copy of the matrix; the rows of its upper triangle become the reflections.
    matrix: Vec<f64>,
    /// Buffer of one row.
    row: Vec<f64>,
}

impl Eigen {
    /// Creates the decomposition of the identity.
    pub(super) fn identity(n: usize) -> Self {
        let mut eigen = Eigen {
            values: vec![1.0; n],
            vectors: vec![0.0; n * n],
            off: vec![0.0; n],
            matrix: vec![0.0; n * n],
            row: vec![0.0; n],
        };
        eigen.vectors.iter_mut().step_by(n + 1).for_each(|element| *element = 1.0);
        eigen
    }

    /// Decomposes a symmetric matrix of n x n elements. Only the upper triangle is read.
    ///
    /// Source: Golub and Van Loan (2013), Matrix Computations, algorithms 8.3.1 to 8.3.3.
    pub(super) fn decompose(&mut self, matrix: &[f64]) {
        decompose(self, matrix);
    }

    /// Decomposes; every version of [`decompose`] is compiled from this.
    #[inline(always)]
    fn decompose_each(&mut self, matrix: &[f64]) {
        let n = self.values.len();
        for row in 0..n {
            for column in row..n {
                let element = matrix[row * n + column];
                self.matrix[row * n + column] = element;
                self.matrix[column * n + row] = element;
            }
        }
        self.make_tridiagonal();
        self.accumulate_reflections();
        self.make_diagonal();
    }

    /// Makes the matrix tridiagonal by Householder reflections I - 2 v v'. The vector v of step k
    /// remains in row k, after the diagonal; it is 0 if no reflection is needed.
    #[inline(always)]
    fn make_tridiagonal(&mut self) {
        let Eigen { values, off, matrix, row: product, .. } = self;
        let n = values.len();
        for k in 0..n.saturating_sub(1) {
            values[k] = matrix[k * n + k];
            let (above, below) = matrix.split_at_mut((k + 1) * n);
            let v = &mut above[k * n + k + 1..];
            let rest: f64 = v[1..].iter().map(|element| element * element).sum();
            if rest == 0.0 {
                off[k] = v[0];
                v[0] = 0.0;
                continue;
            }
            let norm = (v[0] * v[0] + rest).sqrt();
            off[k] = if v[0] > 0.0 { -norm } else { norm };
            v[0] -= off[k];
            let length = (v[0] * v[0] + rest).sqrt();
            v.iter_mut().for_each(|element| *element /= length);
            // With p = A v, the reflected matrix is A - v w' - w v', where w = 2 p - 2 (p'v) v.
            let product = &mut product[k + 1..];
            for (row, product) in product.iter_mut().enumerate() {
                *product = dot(&below[row * n + k + 1..][..v.len()], v);
            }
            let projection = dot(product, v);
            for (product, v) in product.iter_mut().zip(&*v) {
                *product = 2.0 * (*product - projection * v);
            }
            for row in 0..v.len() {
                let (of_v, of_w) = (v[row], product[row]);
                let elements = &mut below[row * n + k + 1..][..v.len()];
                for ((element, v), w) in elements.iter_mut().zip(&*v).zip(&*product) {
                    *element -= of_v * w + of_w * v;
                }
            }
        }
        if let Some(last) = n.checked_sub(1) {
            values[last] = matrix[last * n + last];
        }
    }

    /// Sets the rows of `vectors` to the columns of the product of all reflections.
    #[inline(always)]
    fn accumulate_reflections(&mut self) {
        let Eigen { values, vectors, matrix, .. } = self;
        let n = values.len();
        vectors.fill(0.0);
        vectors.iter_mut().step_by(n + 1).for_each(|element| *element = 1.0);
        for k in (0..n.saturating_sub(1)).rev() {
            let v = &matrix[k * n + k + 1..(k + 1) * n];
            // Earlier rows are still those of the identity.
            for row in k + 1..n {
                let elements = &mut vectors[row * n + k + 1..(row + 1) * n];
                add(elements, -2.0 * dot(elements, v), v);
            }
        }
    }

    /// Makes the tridiagonal matrix diagonal by implicit QR steps with Wilkinson's shift.
    #[inline(always)]
    fn make_diagonal(&mut self) {
        let Eigen { values, vectors, off, .. } = self;
        let n = values.len();
        let mut high = n.saturating_sub(1);
        let mut steps = MOST_STEPS * n;
        while high > 0 && steps > 0 {
            // Elements that are negligible split the matrix.
            let is_small = |place: usize| {
                off[place].abs() <= f64::EPSILON * (values[place].abs() + values[place + 1].abs())
            };
            let low = (0..high).rev().find(|place| is_small(*place)).map_or(0, |place| place + 1);
            if low == high {
                high -= 1;
                continue;
            }
            steps -= 1;
            let half = (values[high - 1] - values[high]) / 2.0;
            let last = off[high - 1];
            let root = (half * half + last * last).sqrt();
            let shift = values[high] - last * last / (half + if half < 0.0 { -root } else { root });
            let (mut x, mut z) = (values[low] - shift, off[low]);
            for k in low..high {
                let r = (x * x + z * z).sqrt();
                let (c, s) = if r == 0.0 { (1.0, 0.0) } else { (x / r, z / r) };
                if k > low {
                    off[k - 1] = r;
                }
                let (a, b, d) = (values[k], off[k], values[k + 1]);
                values[k] = c * c * a + 2.0 * c * s * b + s * s * d;
                values[k + 1] = s * s * a - 2.0 * c * s * b + c * c * d;
                off[k] = c * s * (d - a) + (c * c - s * s) * b;
                if k + 1 < high {
                    (x, z) = (off[k], s * off[k + 1]);
                    off[k + 1] *= c;
                }
                let (one, other) = vectors[k * n..(k + 2) * n].split_at_mut(n);
                for (one, other) in one.iter_mut().zip(other) {
                    (*one, *other) = (c * *one + s * *other, c * *other - s * *one);
                }
            }
        }
    }
}

/// Decomposes with the vectors of the processor.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn decompose(eigen: &mut Eigen, matrix: &[f64]) {
    eigen.decompose_each(matrix);
}

/// Returns the dot product. Eight partial sums let processors add several products at a time.
#[inline(always)]
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (one_eights, one_rest) = one.as_chunks::<8>();
    let (other_eights, other_rest) = other.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (one, other) in one_eights.iter().zip(other_eights) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest: f64 = one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
}

/// Adds `factor` times a vector.
#[inline(always)]
pub(super) fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(to, element)| *to += factor * element);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the largest difference of A v and the eigenvalue times v, over all eigenvectors, and
    /// of the vectors' dot products from those of an orthonormal basis.
    fn errors(n: usize, matrix: &[f64], eigen: &Eigen) -> (f64, f64) {
        let row = |k: usize| &eigen.vectors[k * n..][..n];
        let (mut residual, mut angle): (f64, f64) = (0.0, 0.0);
        for k in 0..n {
            for at in 0..n {
                let product: f64 = (0..n).map(|i| matrix[at * n + i] * row(k)[i]).sum();
                residual = residual.max((product - eigen.values[k] * row(k)[at]).abs());
            }
            for other in 0..n {
                let product: f64 = row(k).iter().zip(row(other)).map(|(a, b)| a * b).sum();
                angle = angle.max((product - f64::from(u8::from(k == other))).abs());
            }
        }
        (residual, angle)
    }

    fn symmetric(n: usize, elements: &[f64]) -> Vec<f64> {
        let place = |row: usize, column: usize| row.min(column) * n + row.max(column);
        (0..n * n).map(|at| elements[place(at / n, at % n)]).collect()
    }

    proptest! {
        #[test]
        fn vectors_are_orthonormal_and_solve_the_equation(
            n in 1usize..24,
            elements in prop::collection::vec(-1.0f64..1.0, 576),
            zeros in prop::collection::vec(prop::bool::weighted(0.3), 576),
        ) {
            let sparse: Vec<f64> =
                elements.iter().zip(zeros).map(|(e, zero)| if zero { 0.0 } else { *e }).collect();
            let matrix = symmetric(n, &sparse);
            let mut eigen = Eigen::identity(n);
            eigen.decompose(&matrix);
            let (residual, angle) = errors(n, &matrix, &eigen);
            prop_assert!(residual < 1e-12 && angle < 1e-12, "{} {}", residual, angle);
        }
    }

    #[test]
    fn known_eigenvalues_are_found() {
        let mut eigen = Eigen::identity(3);
        eigen.decompose(&[2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0]);
        let mut values = eigen.values.clone();
        values.sort_by(f64::total_cmp);
        let root = 2.0f64.sqrt();
        for (value, expected) in values.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((value - expected).abs() < 1e-14, "{values:?}");
        }
        // A matrix of 16 orders of magnitude keeps its small eigenvalues positive.
        let scales = [1e-8, 1e-4, 1.0, 1e4, 1e8];
        let turned = |row: usize, column: usize| -> f64 {
            // A reflection of the diagonal matrix: H D H with H = I - 2 v v', v = 1/sqrt(5).
            let h = |a: usize, b: usize| f64::from(u8::from(a == b)) - 2.0 / 5.0;
            (0..5).map(|k| h(row, k) * scales[k] * h(column, k)).sum()
        };
        let matrix: Vec<f64> = (0..25).map(|at| turned(at / 5, at % 5)).collect();
        let mut eigen = Eigen::identity(5);
        eigen.decompose(&matrix);
        let mut values = eigen.values.clone();
        values.sort_by(f64::total_cmp);
        assert!((values[4] / 1e8 - 1.0).abs() < 1e-12 && (values[3] / 1e4 - 1.0).abs() < 1e-6);
    }
}
