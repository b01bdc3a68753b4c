//! Random search: independent samples, generation after generation. It is the baseline of every
//! search.

use crate::search::algorithm::Guidance;
use crate::search::algorithms::prelude::*;
use crate::search::call_seed;

/// Random search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomSearch {
    /// Number of samples per generation; at least 1.
    pub population: usize,
}

impl Algorithm for RandomSearch {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn guidance(&self) -> Guidance {
        Guidance::Chance
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Sampler::new(arm.problem, self.population))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const RANDOM_SEARCH: Entry<Recipe> = Entry {
    operator: Operator {
        name: "random-search",
        summary: "Independent random genomes; a generation is `population` of them.",
        domain: Domain::Any,
        parameters: &[],
        source: "Brooks (1958), doi:10.1287/opre.6.2.244",
    },
    make: Recipe {
        population: PopulationKey::Batch,
        slots: &[],
        draws: true,
        make: |_, _, context| Ok(Arc::new(RandomSearch { population: context.population })),
    },
};

/// State of random search on genes of kind `G`.
struct Sampler<'arm, G: Gene> {
    problem: &'arm Problem,
    samples: Population<G>,
}

impl<'arm, G: Gene> Sampler<'arm, G> {
    fn new(problem: &'arm Problem, population: usize) -> Self {
        Sampler { problem, samples: population_of(problem, population) }
    }
}

impl<G: Gene> Search for Sampler<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        trial.begin(&mut self.samples)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.problem.sample(&call_seed(&mut trial.random), 0, self.samples.genes_mut())?;
        trial.evaluate(&mut self.samples)
    }

    fn save_or_restore(&mut self, _: &mut Snapshot<'_>) {}

    fn population(&self) -> &Population<G> {
        &self.samples
    }
}
