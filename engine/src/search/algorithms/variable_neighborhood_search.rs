//! Variable neighbourhood search: climbs from a genome that is one random move away from the local
//! optimum, then two, and so on, until a climb ends at a better one.
//!
//! Mladenović and Hansen (1997), doi:10.1016/S0305-0548(97)00031-2.

use super::entries::{NEIGHBORS, listed_neighbors};
use crate::operators::Rearrangement;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::neighbors::Listed;
use std::iter::once;

/// Variable neighbourhood search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableNeighborhoodSearch {
    /// Greatest number of random moves away from a local optimum; at least 1.
    pub most_moves: usize,
    /// Neighbours of a permutation.
    pub neighbors: Rearrangement,
}

impl Algorithm for VariableNeighborhoodSearch {
    /// Returns the memory of three genomes and of one state.
    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 3, problem.state_size.into())
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Variable::new(arm.problem, *self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const VARIABLE_NEIGHBORHOOD_SEARCH: Entry<Recipe> = Entry {
    operator: Operator {
        name: "variable-neighborhood-search",
        summary: "A genome that climbs to a local optimum, moves 1, 2, 3, … random moves away and \
            climbs again until it finds a better one. A generation is one climb.",
        domain: Domain::Encodings(&[Encoding::Integer, Encoding::Permutation, Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "most-moves",
                Kind::Integer { low: 1, high: 1_000_000_000 },
                Fallback::integer(5),
                "Greatest number of random moves, after which 1 follows; the source leaves it \
                open.",
            ),
            NEIGHBORS,
        ],
        source: "Mladenović and Hansen (1997), doi:10.1016/S0305-0548(97)00031-2",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let neighbors =
                listed_neighbors(values, context.problem, "variable neighbourhood search")?;
            let most_moves = values.count("most-moves");
            Ok(Arc::new(VariableNeighborhoodSearch { most_moves, neighbors }))
        },
    },
};

/// State of variable neighbourhood search on genes of kind `G`.
struct Variable<'arm, G: Gene> {
    settings: VariableNeighborhoodSearch,
    local: Local<'arm, G, Listed>,
    /// Local optimum that the search goes on from.
    optimum: Population<G>,
    /// Number of random moves of the next generation; 0 before the first climb.
    moves: usize,
}

impl<'arm, G: Gene> Variable<'arm, G> {
    fn new(problem: &'arm Problem, settings: VariableNeighborhoodSearch) -> Self {
        let (local, optimum) =
            (Local::listed(problem, settings.neighbors, false), population_of(problem, 1));
        Variable { settings, local, optimum, moves: 0 }
    }
}

impl<G: Gene> Search for Variable<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.moves = 0;
        self.local.start(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        if self.moves > 0 {
            self.local.perturb(self.moves, trial)?;
        }
        self.local.climb(trial)?;
        let (new, old) = (self.local.current().figures_of(0), self.optimum.figures_of(0));
        if self.moves == 0 || trial.ranking.worsening(new, old) < 0.0 {
            self.optimum.copy_pairs(self.local.current(), once((0, 0)));
            self.moves = 1;
        } else {
            self.local.replace(&self.optimum);
            self.moves = if self.moves < self.settings.most_moves { self.moves + 1 } else { 1 };
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.local.save_or_restore(snapshot);
        self.optimum.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.moves);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
