//! Conflict minimisation by random exchanges.
//!
//! Sosic and Gu (1994), doi:10.1109/69.317698: the final search of their linear-time algorithm for
//! queens. Each gene in conflict is exchanged with random genes until neither of the two is in
//! conflict. The initial search is the plugin's construction of genomes.

use super::entries::{STARTS, is_greedy};
use crate::operators::{Rearrangement, Scope};
use crate::problem::parameter::Value;
use crate::random::draws::below;
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;
use crate::search::conflicted::Conflicted;
use crate::search::local::Local;
use crate::search::neighbors::Listed;

/// Conflict minimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictMinimization {
    /// Whether the plugin constructs the first genome gene by gene; otherwise it is drawn at
    /// random.
    pub greedy: bool,
}

impl Algorithm for ConflictMinimization {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(1)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        let state = u128::from(problem.state_size);
        Footprint::new(problem, 2, state + Conflicted::bytes(problem))
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Exchanges::new(arm.problem, *self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const CONFLICT_MINIMIZATION: Entry<Recipe> = Entry {
    operator: Operator {
        name: "conflict-minimization",
        summary: "A permutation of which a random gene in conflict is exchanged with random genes, \
            until neither of the two is in conflict; a generation is an exchange that is tried. It \
            ends as `stagnated` without conflicts.",
        domain: Domain::Where(exchangeable),
        parameters: &[Parameter::new(
            "start",
            Kind::choice(STARTS),
            Fallback::Derived("\"greedy\" if the plugin constructs genomes, otherwise \"random\""),
            "A genome that is made gene by gene, as in the source, or a random one.",
        )],
        source: "Sosic and Gu (1994), doi:10.1109/69.317698",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let constructs = context.problem.has_construct;
            let greedy = is_greedy(values, context.problem, constructs)?;
            let start = if greedy { "greedy" } else { "random" };
            values.settle("start", Value::Text(start.into()));
            Ok(Arc::new(ConflictMinimization { greedy }))
        },
    },
};

/// Checks that the plugin says which genes are in conflict, and that genes can be exchanged.
fn exchangeable(problem: &Description) -> Result<(), String> {
    Conflicted::are_known(problem)?;
    match problem.encoding {
        Encoding::Permutation => Ok(()),
        other => Err(format!("genes are exchanged, and the encoding is {other}, not permutation")),
    }
}

/// State of the search on genes of kind `G`.
struct Exchanges<'arm, G: Gene> {
    settings: ConflictMinimization,
    local: Local<'arm, G, Listed>,
    conflicted: Conflicted,
    /// Gene in conflict for which exchanges are tried.
    gene: Option<u32>,
    /// Whether the run has ended without conflicts.
    is_done: bool,
}

impl<'arm, G: Gene> Exchanges<'arm, G> {
    fn new(problem: &'arm Problem, settings: ConflictMinimization) -> Self {
        Exchanges {
            settings,
            local: Local::listed(problem, Rearrangement::Swap, true),
            conflicted: Conflicted::new(problem.description().genome_length),
            gene: None,
            is_done: false,
        }
    }
}

impl<G: Gene> Search for Exchanges<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        (self.gene, self.is_done) = (None, false);
        self.conflicted.start(self.settings.greedy, &mut self.local, trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Exchanges { local, conflicted, gene: chosen, is_done, .. } = self;
        *is_done = conflicted.genes().is_empty() || local.current().length() < 2;
        if *is_done {
            return Err(Halt::Stopped);
        }
        let genes = conflicted.genes();
        let gene = *chosen.get_or_insert_with(|| genes[below(&mut trial.random, genes.len())]);
        let place = below(&mut trial.random, local.current().length() - 1);
        let other = place as u32 + u32::from(place as u32 >= gene);
        let scope = Scope::Gene(gene as usize);
        let number = local.source.neighborhood.number_in(scope, place as u64);
        let before = local.current().figures_of(0);
        local.visit(number, trial)?;
        if conflicted.are_free(&[gene, other], local)? {
            *chosen = None;
            conflicted.narrow(local)?;
        } else {
            // The exchange undoes itself.
            local.move_to(number, before)?;
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.local.save_or_restore(snapshot);
        self.conflicted.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.gene);
        snapshot.save_or_restore(&mut self.is_done);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }

    fn ended(&self) -> Option<Outcome> {
        self.is_done.then_some(Outcome::Stagnated)
    }
}
