//! Weights and learning rates, which follow from the number of dimensions and λ.
//!
//! Hansen (2016), arXiv:1604.00772, table 1 and equations 49 to 58.

use super::settings::Covariance;

/// Weights and learning rates of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rates {
    /// Recombination weights of the children, the best first. The positive ones sum to 1. Negative
    /// ones, if any, only change the covariance.
    pub weights: Vec<f64>,
    /// Variance effective selection mass of the positive weights.
    pub mu_eff: f64,
    /// Learning rate of the path of the step size.
    pub c_sigma: f64,
    /// Damping of the step size.
    pub d_sigma: f64,
    /// Learning rate of the path of the covariance.
    pub c_c: f64,
    /// Learning rate of the rank-one update.
    pub c_1: f64,
    /// Learning rate of the rank-μ update.
    pub c_mu: f64,
    /// Expected length of a standard normal vector.
    pub chi: f64,
    /// Number of generations between two decompositions of the covariance.
    pub lag: u64,
}

impl Rates {
    /// Returns the rates in `n` dimensions for `lambda` children; at least 2.
    pub(super) fn new(n: usize, lambda: usize, covariance: Covariance, active: bool) -> Self {
        let dimensions = n as f64;
        let parents = lambda / 2;
        // Equation 49.
        let half = libm::log((lambda as f64 + 1.0) / 2.0);
        let raw: Vec<f64> = (1..=lambda).map(|rank| half - libm::log(rank as f64)).collect();
        let mass = |weights: &[f64]| {
            let sum: f64 = weights.iter().sum();
            sum * sum / weights.iter().map(|weight| weight * weight).sum::<f64>()
        };
        let mu_eff = mass(&raw[..parents]);
        let mu_eff_minus = mass(&raw[parents..]);
        // Equations 55 to 58.
        let c_sigma = (mu_eff + 2.0) / (dimensions + mu_eff + 5.0);
        let longer = ((mu_eff - 1.0) / (dimensions + 1.0)).sqrt() - 1.0;
        let d_sigma = 1.0 + 2.0 * longer.max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / dimensions) / (dimensions + 4.0 + 2.0 * mu_eff / dimensions);
        // Ros and Hansen (2008), doi:10.1007/978-3-540-87700-4_30: a diagonal learns faster.
        let faster = match covariance {
            Covariance::Full => 1.0,
            Covariance::Diagonal => (dimensions + 2.0) / 3.0,
            Covariance::None => 0.0,
        };
        let root = dimensions + 1.3;
        let c_1 = (faster * 2.0 / (root * root + mu_eff)).min(1.0);
        let root = dimensions + 2.0;
        let c_mu = faster * 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / (root * root + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1);
        // Equations 50 to 53.
        let positive: f64 = raw.iter().filter(|weight| **weight > 0.0).sum();
        let negative: f64 = -raw.iter().filter(|weight| **weight < 0.0).sum::<f64>();
        let least = if active && c_mu > 0.0 {
            let by_rates = 1.0 + c_1 / c_mu;
            let by_mass = 1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0);
            let by_definiteness = (1.0 - c_1 - c_mu) / (dimensions * c_mu);
            by_rates.min(by_mass).min(by_definiteness)
        } else {
            0.0
        };
        let weight = |raw: &f64| if *raw > 0.0 { raw / positive } else { least * raw / negative };
        let weights = raw.iter().map(weight).collect();
        let lag = 1.0 / (10.0 * dimensions * (c_1 + c_mu));
        Rates {
            weights,
            mu_eff,
            c_sigma,
            d_sigma,
            c_c,
            c_1,
            c_mu,
            chi: dimensions.sqrt()
                * (1.0 - 1.0 / (4.0 * dimensions) + 1.0 / (21.0 * dimensions * dimensions)),
            lag: if lag.is_finite() { (lag as u64).max(1) } else { u64::MAX },
        }
    }

    /// Returns the weights of the parents, which move the mean.
    pub(super) fn of_parents(&self) -> &[f64] {
        &self.weights[..self.weights.len() / 2]
    }

    /// Returns whether the covariance is adapted.
    pub(super) fn adapts(&self) -> bool {
        self.c_1 + self.c_mu > 0.0
    }
}

/// Returns the default number of children in `n` dimensions: table 1.
pub(super) fn default_lambda(n: usize) -> usize {
    4 + (3.0 * libm::log(n as f64)) as usize
}
