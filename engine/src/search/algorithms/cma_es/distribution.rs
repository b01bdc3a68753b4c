//! The normal distribution that children are drawn from, and its update.
//!
//! Hansen (2016), arXiv:1604.00772; numbers of equations are those of appendix A and section 3.

use super::eigen::{Eigen, add};
use super::rates::Rates;
use super::settings::Covariance;
use crate::random::draws::{Random, normal};
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// Normal distribution with a mean, a step size and a covariance matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Distribution {
    /// Mean, one number per gene.
    pub mean: Vec<f64>,
    /// Step size.
    pub sigma: f64,
    /// Evolution path of the step size.
    path_sigma: Vec<f64>,
    /// Evolution path of the covariance.
    pub path: Vec<f64>,
    /// Generations since the start.
    generation: u64,
    shape: Shape,
    /// Steps of the children as drawn, standard normal, row by row.
    drawn: Vec<f64>,
    /// Steps of the children with the covariance, without the step size, row by row.
    pub steps: Vec<f64>,
    /// Buffers of one row each.
    mean_drawn: Vec<f64>,
    mean_step: Vec<f64>,
}

/// Covariance matrix C, and the matrix B D with B D D B' = C.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Shape {
    Full {
        /// Upper triangle of the matrix, in rows of full length.
        covariance: Vec<f64>,
        /// Decomposition of the matrix at an earlier generation.
        eigen: Eigen,
        /// Roots of the eigenvalues.
        roots: Vec<f64>,
        /// Generation of the decomposition.
        decomposed: u64,
    },
    Diagonal {
        covariance: Vec<f64>,
        roots: Vec<f64>,
    },
    /// The identity.
    Round,
}

impl Distribution {
    /// Creates a distribution around `mean` for `lambda` children, with this step size and the
    /// identity as its covariance.
    pub(super) fn new(mean: Vec<f64>, lambda: usize, sigma: f64, covariance: Covariance) -> Self {
        let n = mean.len();
        let shape = match covariance {
            Covariance::Full => {
                let eigen = Eigen::identity(n);
                let covariance = eigen.vectors.clone();
                Shape::Full { covariance, eigen, roots: vec![1.0; n], decomposed: 0 }
            }
            Covariance::Diagonal => {
                Shape::Diagonal { covariance: vec![1.0; n], roots: vec![1.0; n] }
            }
            Covariance::None => Shape::Round,
        };
        let row = || vec![0.0; n];
        Distribution {
            mean,
            sigma,
            path_sigma: row(),
            path: row(),
            generation: 0,
            shape,
            drawn: vec![0.0; lambda * n],
            steps: vec![0.0; lambda * n],
            mean_drawn: row(),
            mean_step: row(),
        }
    }

    /// Draws the steps of `lambda` children: equations 5 and 38 to 40.
    pub(super) fn draw(&mut self, lambda: usize, random: &mut Random) {
        let n = self.mean.len();
        for row in 0..lambda {
            let drawn = &mut self.drawn[row * n..][..n];
            drawn.fill_with(|| normal(random));
            self.shape.stretch(drawn, &mut self.steps[row * n..][..n]);
        }
    }

    /// Moves the distribution towards the children that were drawn last. `order` lists their rows,
    /// the best first.
    pub(super) fn update(&mut self, rates: &Rates, order: &[u32]) {
        let n = self.mean.len();
        let row = |child: &u32| *child as usize * n..(*child as usize + 1) * n;
        let Distribution { mean_drawn, mean_step, drawn, steps, .. } = self;
        // Equations 41 and 42.
        mean_drawn.fill(0.0);
        mean_step.fill(0.0);
        for (child, weight) in order.iter().zip(rates.of_parents()) {
            add(mean_drawn, *weight, &drawn[row(child)]);
            add(mean_step, *weight, &steps[row(child)]);
        }
        add(&mut self.mean, self.sigma, mean_step);
        // Equation 43. With y = B D z, the root of the inverse of C times y is B z.
        let Rates { c_sigma, d_sigma, c_c, mu_eff, chi, .. } = *rates;
        self.generation += 1;
        self.path_sigma.iter_mut().for_each(|element| *element *= 1.0 - c_sigma);
        let factor = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        self.shape.turn(mean_drawn, factor, &mut self.path_sigma);
        let length = self.path_sigma.iter().map(|element| element * element).sum::<f64>().sqrt();
        // Equation 45.
        let shortened = 1.0 - libm::pow(1.0 - c_sigma, 2.0 * self.generation as f64);
        let is_short = length / shortened.sqrt() < (1.4 + 2.0 / (n as f64 + 1.0)) * chi;
        self.path.iter_mut().for_each(|element| *element *= 1.0 - c_c);
        if is_short {
            add(&mut self.path, (c_c * (2.0 - c_c) * mu_eff).sqrt(), &self.mean_step);
        }
        // Equations 46 and 47.
        let lost = if is_short { 0.0 } else { c_c * (2.0 - c_c) };
        if rates.adapts() {
            self.shape.learn(rates, lost, &self.path, (&self.drawn, &self.steps), order);
        }
        // Equation 44.
        self.sigma *= libm::exp(c_sigma / d_sigma * (length / chi - 1.0));
        self.shape.decompose(self.generation, rates.lag);
    }

    /// Returns the standard deviation of each gene, without the step size.
    pub(super) fn deviations(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.mean.len()).map(|at| self.shape.variance(at).sqrt())
    }

    /// Returns the least and the greatest root of the eigenvalues.
    pub(super) fn axes(&self) -> (f64, f64) {
        let roots = match &self.shape {
            Shape::Full { roots, .. } | Shape::Diagonal { roots, .. } => roots.as_slice(),
            Shape::Round => &[1.0],
        };
        let ends = |(least, most): (f64, f64), root: &f64| (least.min(*root), most.max(*root));
        roots.iter().fold((f64::INFINITY, 0.0), ends)
    }

    /// Writes the step of one standard deviation along an axis to `step`. `axis` is from 0.
    pub(super) fn axis(&self, axis: usize, step: &mut [f64]) {
        step.fill(0.0);
        match &self.shape {
            Shape::Full { eigen, roots, .. } => {
                add(step, roots[axis], &eigen.vectors[axis * step.len()..][..step.len()]);
            }
            Shape::Diagonal { roots, .. } => step[axis] = roots[axis],
            Shape::Round => step[axis] = 1.0,
        }
    }
}

impl Shape {
    /// Writes B D z.
    fn stretch(&self, z: &[f64], step: &mut [f64]) {
        match self {
            Shape::Full { eigen, roots, .. } => {
                stretch(z, roots, &eigen.vectors, step);
            }
            Shape::Diagonal { roots, .. } => {
                let elements = step.iter_mut().zip(z).zip(roots);
                elements.for_each(|((step, z), root)| *step = z * root);
            }
            Shape::Round => step.copy_from_slice(z),
        }
    }

    /// Adds `factor` times B z.
    fn turn(&self, z: &[f64], factor: f64, to: &mut [f64]) {
        match self {
            Shape::Full { eigen, .. } => {
                for (z, vector) in z.iter().zip(eigen.vectors.chunks_exact(z.len())) {
                    add(to, factor * z, vector);
                }
            }
            Shape::Diagonal { .. } | Shape::Round => add(to, factor, z),
        }
    }

    /// Updates the covariance: equation 47. `lost` is δ(h) of equation 47; `rows` are the children
    /// as drawn, and their steps.
    fn learn(
        &mut self,
        rates: &Rates,
        lost: f64,
        path: &[f64],
        (drawn, steps): (&[f64], &[f64]),
        order: &[u32],
    ) {
        let n = path.len();
        let sum: f64 = rates.weights.iter().sum();
        let kept = 1.0 + rates.c_1 * lost - rates.c_1 - rates.c_mu * sum;
        let weight = |child: u32, weight: f64| {
            if weight >= 0.0 {
                return rates.c_mu * weight;
            }
            // Equation 46. The root of the inverse of C times y is as long as z.
            let drawn = &drawn[child as usize * n..][..n];
            let length = drawn.iter().map(|element| element * element).sum::<f64>();
            rates.c_mu * weight * n as f64 / length
        };
        match self {
            Shape::Full { covariance, .. } => {
                covariance.iter_mut().for_each(|element| *element *= kept);
                add_square(covariance, rates.c_1, path);
                for (child, raw) in order.iter().zip(&rates.weights) {
                    let factor = weight(*child, *raw);
                    if factor != 0.0 {
                        add_square(covariance, factor, &steps[*child as usize * n..][..n]);
                    }
                }
            }
            Shape::Diagonal { covariance, .. } => {
                covariance.iter_mut().for_each(|element| *element *= kept);
                let mut add = |factor: f64, step: &[f64]| {
                    let elements = covariance.iter_mut().zip(step);
                    elements.for_each(|(variance, step)| *variance += factor * step * step);
                };
                add(rates.c_1, path);
                for (child, raw) in order.iter().zip(&rates.weights) {
                    add(weight(*child, *raw), &steps[*child as usize * n..][..n]);
                }
            }
            Shape::Round => {}
        }
    }

    /// Updates B and D, if `lag` generations have passed since the last time.
    fn decompose(&mut self, generation: u64, lag: u64) {
        match self {
            Shape::Full { covariance, eigen, roots, decomposed } => {
                if generation - *decomposed < lag {
                    return;
                }
                *decomposed = generation;
                eigen.decompose(covariance);
                for (root, value) in roots.iter_mut().zip(&eigen.values) {
                    // Rounding can make the least eigenvalues negative.
                    *root = value.max(0.0).sqrt();
                }
            }
            Shape::Diagonal { covariance, roots } => {
                let elements = roots.iter_mut().zip(covariance);
                elements.for_each(|(root, variance)| *root = variance.max(0.0).sqrt());
            }
            Shape::Round => {}
        }
    }

    /// Returns the variance of a gene.
    fn variance(&self, at: usize) -> f64 {
        match self {
            Shape::Full { covariance, roots, .. } => covariance[at * roots.len() + at],
            Shape::Diagonal { covariance, .. } => covariance[at],
            Shape::Round => 1.0,
        }
    }
}

/// Writes B D z. The rows of `vectors` are the columns of B.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn stretch(z: &[f64], roots: &[f64], vectors: &[f64], step: &mut [f64]) {
    step.fill(0.0);
    for ((z, root), vector) in z.iter().zip(roots).zip(vectors.chunks_exact(z.len())) {
        add(step, z * root, vector);
    }
}

/// Adds `factor` times v v' to the upper triangle of a matrix.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn add_square(matrix: &mut [f64], factor: f64, v: &[f64]) {
    let n = v.len();
    for (row, element) in v.iter().enumerate() {
        add(&mut matrix[row * n + row..(row + 1) * n], factor * element, &v[row..]);
    }
}
