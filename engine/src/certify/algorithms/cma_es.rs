//! Checks of the covariance matrix adaptation evolution strategy. The distribution of each trial's
//! last generation is computed from the earlier generations by the equations of Hansen (2016),
//! arXiv:1604.00772, with whole matrices. The children of that generation, scaled by it, must be
//! standard normal.

use super::some_trials;
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::search::algorithms::{CmaEs, Covariance, Restarts};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of genes.
const N: usize = 3;
/// Number of children.
const LAMBDA: usize = 6;
/// Number of trials; each has `LAMBDA` children.
const TRIALS: u32 = 10_000;
/// Number of classes of equal probability of each gene.
const CLASSES: usize = 5;

/// Settings with an initial step that is too small to reach the bounds.
const SETTINGS: CmaEs = CmaEs {
    lambda: LAMBDA,
    sigma: 0.01,
    covariance: Covariance::Full,
    active: true,
    restarts: Restarts::None,
};

pub(super) fn checks() -> Vec<Check> {
    let of = |name: &str, settings: CmaEs| {
        let claim = format!("children of generation 4 are drawn as in Hansen (2016): {name}");
        check(Slot::Algorithm, "cma-es", claim, move |context| children(context, settings, 3))
    };
    let first = "the first children have the mean and the step size of the settings";
    vec![
        check(Slot::Algorithm, "cma-es", first, |context| children(context, SETTINGS, 0)),
        of("the whole matrix, active", SETTINGS),
        of("the whole matrix", CmaEs { active: false, ..SETTINGS }),
        of("the diagonal", CmaEs { covariance: Covariance::Diagonal, ..SETTINGS }),
        of("the step size", CmaEs { covariance: Covariance::None, ..SETTINGS }),
        check(Slot::Algorithm, "cma-es", "genes stay within bounds", bounds),
    ]
}

/// Counts the classes of the children after this number of generations. Their distribution follows
/// from all genomes before.
fn children(context: &mut CheckContext<'_>, settings: CmaEs, before: usize) -> Finding {
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let normal = Normal::standard();
    let class = |number: f64| (normal.cdf(number) * CLASSES as f64) as u8;
    let mut counts = BTreeMap::new();
    let start = [vec![10.0, -20.0, 30.0]];
    let (problem, generations) = (fixtures::reals(N), before as u64 + 1);
    let random = &mut context.random;
    some_trials(TRIALS, &problem, &algorithm, &start, generations, random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        let scaled: Vec<f64> = genes.iter().map(|gene| (gene + 100.0) / 200.0).collect();
        let (first, rest) = scaled.split_at(N);
        let (earlier, last) = rest.split_at(before * LAMBDA * N);
        let mut model = Model::new(first, settings);
        earlier.chunks(LAMBDA * N).for_each(|children| model.update(children));
        let root = model.root_of_inverse();
        for child in last.chunks(N) {
            let outcome = product(&root, &model.step(child)).map(class).to_vec();
            *counts.entry(outcome).or_insert(0.0) += 1.0;
        }
    });
    let mut chances = Chances::new();
    for cell in 0..CLASSES.pow(N as u32) {
        let class = |at: usize| (cell / CLASSES.pow(at as u32) % CLASSES) as u8;
        chances.insert([0, 1, 2].map(class).to_vec(), (CLASSES as f64).powi(-(N as i32)));
    }
    outcomes(&counts, &chances)
}

/// Square matrix of `N` rows.
type Matrix = [[f64; N]; N];

/// State of the strategy.
struct Model {
    settings: CmaEs,
    mean: [f64; N],
    sigma: f64,
    covariance: Matrix,
    path_sigma: [f64; N],
    path: [f64; N],
    generation: i32,
}

impl Model {
    fn new(mean: &[f64], settings: CmaEs) -> Self {
        let mut covariance = [[0.0; N]; N];
        (0..N).for_each(|at| covariance[at][at] = 1.0);
        Model {
            settings,
            mean: [0, 1, 2].map(|at| mean[at]),
            sigma: settings.sigma,
            covariance,
            path_sigma: [0.0; N],
            path: [0.0; N],
            generation: 0,
        }
    }

    /// Returns the step that leads from the mean to a child, in units of the step size.
    fn step(&self, child: &[f64]) -> [f64; N] {
        [0, 1, 2].map(|at| (child[at] - self.mean[at]) / self.sigma)
    }

    /// Returns the symmetric root of the covariance's inverse, by the iteration of Denman and
    /// Beavers (1976), doi:10.1016/0096-3003(76)90020-5.
    fn root_of_inverse(&self) -> Matrix {
        let (mut root, mut inverse) = (self.covariance, [[0.0; N]; N]);
        (0..N).for_each(|at| inverse[at][at] = 1.0);
        for _ in 0..9 {
            let next = mean_of(&root, &inverted(&inverse));
            inverse = mean_of(&inverse, &inverted(&root));
            root = next;
        }
        inverse
    }

    /// Moves to the next generation: equations 41 to 58.
    fn update(&mut self, children: &[f64]) {
        let (settings, covariance) = (self.settings, self.covariance);
        let (n, lambda) = (N as f64, LAMBDA as f64);
        let raw: Vec<f64> =
            (1..=LAMBDA).map(|i| ((lambda + 1.0) / 2.0).ln() - (i as f64).ln()).collect();
        let (better, worse) = raw.split_at(LAMBDA / 2);
        let mass = |part: &[f64]| {
            part.iter().sum::<f64>().powi(2) / part.iter().map(|w| w * w).sum::<f64>()
        };
        let (mu_eff, mu_minus) = (mass(better), mass(worse));
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let faster = match settings.covariance {
            Covariance::Full => 1.0,
            Covariance::Diagonal => (n + 2.0) / 3.0,
            Covariance::None => 0.0,
        };
        let c_1 = faster * 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu = faster * 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0)
            / ((n + 2.0).powi(2) + 2.0 * mu_eff / 2.0);
        let c_mu = c_mu.min(1.0 - c_1);
        let alphas = [
            1.0 + c_1 / c_mu,
            1.0 + 2.0 * mu_minus / (mu_eff + 2.0),
            (1.0 - c_1 - c_mu) / (n * c_mu),
        ];
        let alpha = alphas.into_iter().fold(f64::INFINITY, f64::min);
        let alpha = if settings.active && faster > 0.0 { alpha } else { 0.0 };
        let (plus, minus): (f64, f64) = (better.iter().sum(), worse.iter().sum());
        let weight = |w: &f64| if *w >= 0.0 { w / plus } else { -alpha * w / minus };
        let weights: Vec<f64> = raw.iter().map(weight).collect();

        let root = self.root_of_inverse();
        let mut sorted: Vec<&[f64]> = children.chunks(N).collect();
        // The sphere around 0 is a sphere around 1/2 of the scaled genes.
        let fitness = |child: &[f64]| child.iter().map(|u| (u - 0.5).powi(2)).sum::<f64>();
        sorted.sort_by(|one, other| fitness(one).total_cmp(&fitness(other)));
        let steps: Vec<[f64; N]> = sorted.iter().map(|child| self.step(child)).collect();
        let mean_step =
            [0, 1, 2].map(|at| (0..LAMBDA / 2).map(|i| weights[i] * steps[i][at]).sum::<f64>());
        let turned = product(&root, &mean_step);
        self.generation += 1;
        let factor = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        let path_sigma =
            [0, 1, 2].map(|at| (1.0 - c_sigma) * self.path_sigma[at] + factor * turned[at]);
        let length = path_sigma.iter().map(|p| p * p).sum::<f64>().sqrt();
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let bound = (1.0 - (1.0 - c_sigma).powi(2 * self.generation)).sqrt();
        let h = if length / bound < (1.4 + 2.0 / (n + 1.0)) * chi { 1.0 } else { 0.0 };
        let factor = h * (c_c * (2.0 - c_c) * mu_eff).sqrt();
        let path = [0, 1, 2].map(|at| (1.0 - c_c) * self.path[at] + factor * mean_step[at]);
        let lost = (1.0 - h) * c_c * (2.0 - c_c);
        let kept = 1.0 + c_1 * lost - c_1 - c_mu * weights.iter().sum::<f64>();
        let mut next = covariance.map(|row| row.map(|element| kept * element));
        for row in 0..N {
            for column in 0..N {
                next[row][column] += c_1 * path[row] * path[column];
                for (weight, step) in weights.iter().zip(&steps) {
                    let z = product(&root, step);
                    let squared = z.iter().map(|z| z * z).sum::<f64>();
                    let scale = if *weight >= 0.0 { 1.0 } else { n / squared };
                    next[row][column] += c_mu * weight * scale * step[row] * step[column];
                }
                if settings.covariance == Covariance::Diagonal && row != column {
                    next[row][column] = 0.0;
                }
            }
        }
        if faster > 0.0 {
            self.covariance = next;
        }
        self.mean = [0, 1, 2].map(|at| self.mean[at] + self.sigma * mean_step[at]);
        self.sigma *= (c_sigma / d_sigma * (length / chi - 1.0)).exp();
        (self.path_sigma, self.path) = (path_sigma, path);
    }
}

fn product(matrix: &Matrix, vector: &[f64; N]) -> [f64; N] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

fn mean_of(one: &Matrix, other: &Matrix) -> Matrix {
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| (one[row][column] + other[row][column]) / 2.0))
}

/// Returns the inverse by cofactors.
fn inverted(matrix: &Matrix) -> Matrix {
    let cofactor = |row: usize, column: usize| {
        let at = |down: usize, right: usize| matrix[(row + down) % N][(column + right) % N];
        at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
    };
    let determinant: f64 = (0..N).map(|column| matrix[0][column] * cofactor(0, column)).sum();
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| cofactor(column, row) / determinant))
}

/// Checks large steps, which lead out of bounds.
fn bounds(context: &mut CheckContext<'_>) -> Finding {
    let settings = CmaEs { sigma: 2.0, ..SETTINGS };
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let (mut cases, mut breaches) = (0, 0);
    let start = [vec![99.0, -99.0, 0.0]];
    let (problem, random) = (fixtures::reals(N), &mut context.random);
    some_trials(TRIALS, &problem, &algorithm, &start, 4, random, |result| {
        let Some(Genome::F64(genes)) = result.traced_genes else { return };
        cases += 1;
        breaches += u64::from(!genes.iter().all(|gene| (-100.0..=100.0).contains(gene)));
    });
    Finding::promise(cases, breaches)
}
