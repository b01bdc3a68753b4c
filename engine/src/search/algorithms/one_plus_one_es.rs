//! The (1+1) evolution strategy with the one-fifth success rule. The step grows after a success and
//! shrinks after a failure, so that a fifth of all steps succeeds.
//!
//! Rechenberg (1973), Evolutionsstrategie; in the form of Hansen, Arnold and Auger (2015),
//! doi:10.1007/978-3-662-43505-2_44, algorithm 44.3.

use super::cma_es::{scaled, within};
use crate::operators::mutation::GREATEST_SIGMA;
use crate::random::draws::normal;
use crate::search::algorithms::prelude::*;
use std::iter::once;

/// The (1+1) evolution strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnePlusOneEs {
    /// Initial step size, as a share of each gene's range.
    pub sigma: f64,
    /// Share of successes at which the step size stays constant; above 0 and below 1.
    pub success_rate: f64,
}

impl Algorithm for OnePlusOneEs {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(1)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2, 0)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        arm.run(Strategy {
            problem: arm.problem,
            settings: self,
            sigma: self.sigma,
            parent: population_of(arm.problem, 1),
            child: population_of(arm.problem, 1),
        })
    }
}

/// Entry of the algorithm in the registry.
pub(super) const ONE_PLUS_ONE_ES: Entry<Recipe> = Entry {
    operator: Operator {
        name: "one-plus-one-es",
        summary: "The (1+1) evolution strategy: a normal step in all genes, whose size follows the \
            one-fifth success rule.",
        domain: Domain::Encodings(&[Encoding::Real]),
        parameters: &[
            Parameter::new(
                "sigma",
                Kind::Real { low: 0.0, high: 1e6, low_open: true, high_open: false },
                Fallback::real(0.3),
                "Initial standard deviation, as a share of each gene's range.",
            ),
            Parameter::new(
                "success-rate",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: true },
                Fallback::real(0.2),
                "Share of successes at which the step size stays constant.",
            ),
        ],
        source: "Rechenberg (1973), Evolutionsstrategie; Hansen, Arnold and Auger (2015), \
            doi:10.1007/978-3-662-43505-2_44",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, _| {
            let [sigma, success_rate] = ["sigma", "success-rate"].map(|key| values.real(key));
            Ok(Arc::new(OnePlusOneEs { sigma, success_rate }))
        },
    },
};

/// State of the strategy.
struct Strategy<'arm> {
    problem: &'arm Problem,
    settings: &'arm OnePlusOneEs,
    sigma: f64,
    parent: Population<f64>,
    child: Population<f64>,
}

impl Search for Strategy<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        self.sigma = self.settings.sigma;
        trial.begin(&mut self.parent)
    }

    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        let Strategy { problem, settings, sigma, parent, child } = self;
        let bounds = &problem.description().bounds;
        let genes = child.row_mut(0).iter_mut().zip(parent.row(0));
        for (at, (gene, old)) in genes.enumerate() {
            let step = *sigma * normal(&mut trial.random);
            *gene = within(scaled(*old, bounds.of(at)) + step, bounds.of(at));
        }
        trial.evaluate(child)?;
        let succeeds = trial.ranking.worsening(child.figures_of(0), parent.figures_of(0)) <= 0.0;
        if succeeds {
            parent.copy_pairs(child, once((0, 0)));
        }
        let damping = (child.length() as f64 + 1.0).sqrt();
        let success = if succeeds { 1.0 } else { 0.0 };
        let factor = libm::exp((success - settings.success_rate) / damping);
        *sigma = (*sigma * factor).min(GREATEST_SIGMA);
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.sigma);
        self.parent.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<f64> {
        &self.parent
    }
}
