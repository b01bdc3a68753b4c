//! Iterated local search: climbs to a local optimum, moves away from it at random, and climbs
//! again. The search goes on from the new optimum unless it is worse.
//!
//! Lourenço, Martin and Stützle (2003), doi:10.1007/0-306-48056-5_11.

use super::entries::{NEIGHBORS, listed_neighbors};
use crate::operators::Rearrangement;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::neighbors::Listed;
use std::iter::once;

/// Iterated local search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IteratedLocalSearch {
    /// Number of random moves of a perturbation; at least 1.
    pub perturbation: usize,
    /// Neighbours of a permutation.
    pub neighbors: Rearrangement,
}

impl Algorithm for IteratedLocalSearch {
    /// Returns the memory of three genomes and of one state.
    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 3, problem.state_size.into())
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Iterated::new(arm.problem, *self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const ITERATED_LOCAL_SEARCH: Entry<Recipe> = Entry {
    operator: Operator {
        name: "iterated-local-search",
        summary: "A genome that climbs to a local optimum, moves away at random and climbs again; \
            it goes back if that was worse. A generation is one climb.",
        domain: Domain::Encodings(&[Encoding::Integer, Encoding::Permutation, Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "perturbation",
                Kind::Integer { low: 1, high: 1_000_000 },
                Fallback::integer(3),
                "Random moves away from a local optimum; the source leaves the number open.",
            ),
            NEIGHBORS,
        ],
        source: "Lourenço, Martin and Stützle (2003), doi:10.1007/0-306-48056-5_11",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let neighbors = listed_neighbors(values, context.problem, "iterated local search")?;
            let perturbation = values.count("perturbation");
            Ok(Arc::new(IteratedLocalSearch { perturbation, neighbors }))
        },
    },
};

/// State of iterated local search on genes of kind `G`.
struct Iterated<'arm, G: Gene> {
    settings: IteratedLocalSearch,
    local: Local<'arm, G, Listed>,
    /// Local optimum that the search goes on from.
    optimum: Population<G>,
    /// Whether there is one.
    has_climbed: bool,
}

impl<'arm, G: Gene> Iterated<'arm, G> {
    fn new(problem: &'arm Problem, settings: IteratedLocalSearch) -> Self {
        let local = Local::listed(problem, settings.neighbors, false);
        Iterated { settings, local, optimum: population_of(problem, 1), has_climbed: false }
    }
}

impl<G: Gene> Search for Iterated<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.has_climbed = false;
        self.local.start(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        if self.has_climbed {
            self.local.perturb(self.settings.perturbation, trial)?;
        }
        self.local.climb(trial)?;
        let (new, old) = (self.local.current().figures_of(0), self.optimum.figures_of(0));
        if self.has_climbed && trial.ranking.worsening(new, old) > 0.0 {
            self.local.replace(&self.optimum);
        } else {
            self.optimum.copy_pairs(self.local.current(), once((0, 0)));
        }
        self.has_climbed = true;
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.local.save_or_restore(snapshot);
        self.optimum.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.has_climbed);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
