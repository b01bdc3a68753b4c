//! Min-conflicts: one genome, of which a random gene in conflict gets its best value.
//!
//! Minton, Johnston, Philips and Laird (1992), doi:10.1016/0004-3702(92)90007-K.

use super::entries::{STARTS, is_greedy};
use crate::operators::{Neighborhood, Rearrangement, Scope};
use crate::random::draws::below;
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;
use crate::search::conflicted::Conflicted;
use crate::search::local::Local;
use crate::search::neighbors::Listed;

/// Min-conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinConflicts {
    /// Whether the plugin constructs the first genome gene by gene, each with the fewest conflicts;
    /// otherwise it is drawn at random.
    pub greedy: bool,
}

impl Algorithm for MinConflicts {
    /// Returns the memory that a trial needs:
    /// the genomes, the state, and the positions with their conflicts.
    fn footprint(&self, problem: &Description) -> Footprint {
        let state = u128::from(problem.state_size);
        Footprint::new(problem, 2, state + Conflicted::bytes(problem))
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Repair::new(arm.problem, *self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const MIN_CONFLICTS: Entry<Recipe> = Entry {
    operator: Operator {
        name: "min-conflicts",
        summary: "A genome of which a random gene in conflict gets its best value, ties at random; \
            a generation is one such repair. It ends as `stagnated` without conflicts.",
        domain: Domain::Where(Conflicted::are_known),
        parameters: &[Parameter::new(
            "start",
            Kind::choice(STARTS),
            Fallback::text("random"),
            "A random genome, or one that is made gene by gene: each gets the value in conflict \
            with the fewest genes before it.",
        )],
        source: "Minton, Johnston, Philips and Laird (1992), doi:10.1016/0004-3702(92)90007-K",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let greedy = is_greedy(values, context.problem, false)?;
            Ok(Arc::new(MinConflicts { greedy }))
        },
    },
};

/// State of min-conflicts on genes of kind `G`.
struct Repair<'arm, G: Gene> {
    settings: MinConflicts,
    local: Local<'arm, G, Listed>,
    conflicted: Conflicted,
    /// Whether the run has ended without conflicts.
    is_done: bool,
}

impl<'arm, G: Gene> Repair<'arm, G> {
    fn new(problem: &'arm Problem, settings: MinConflicts) -> Self {
        let length = problem.description().genome_length;
        Repair {
            settings,
            local: Local::listed(problem, Rearrangement::Swap, false),
            conflicted: Conflicted::new(length),
            is_done: false,
        }
    }

    /// Returns the genes that differ after move `number` from the current genome.
    fn changed_by(&self, number: u64, gene: u32) -> Vec<u32> {
        match &self.local.source.neighborhood {
            Neighborhood::Swap { .. } => {
                let (one, other) = Neighborhood::swapped(number);
                vec![one as u32, other as u32]
            }
            _ => vec![gene],
        }
    }
}

impl<G: Gene> Search for Repair<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.is_done = false;
        self.conflicted.start(self.settings.greedy, &mut self.local, trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let genes = self.conflicted.genes();
        self.is_done = genes.is_empty();
        if self.is_done {
            return Err(Halt::Stopped);
        }
        let gene = genes[below(&mut trial.random, genes.len())];
        self.local.source.scope = Scope::Gene(gene as usize);
        let (worse, ties) = self.local.best_neighbors(trial)?;
        // The present value is among the best unless another is better.
        let stays = usize::from(worse == 0.0);
        if ties == 0 || worse.is_nan() || worse > 0.0 {
            return Ok(());
        }
        let chosen = below(&mut trial.random, ties + stays);
        if chosen == ties {
            return Ok(());
        }
        let changed = self.changed_by(self.local.number(chosen), gene);
        self.local.go_to(chosen)?;
        Ok(self.conflicted.find_after(&changed, &mut self.local)?)
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.conflicted.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.is_done);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }

    fn ended(&self) -> Option<Outcome> {
        self.is_done.then_some(Outcome::Stagnated)
    }
}
