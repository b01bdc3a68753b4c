//! Min-conflicts: one genome, of which a random gene in conflict gets its best value.
//!
//! Minton, Johnston, Philips and Laird (1992), doi:10.1016/0004-3702(92)90007-K.

use crate::operators::domain::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::operators::registry::Entry;
use crate::operators::values::Complaint;
use crate::operators::{Neighborhood, Rearrangement, Scope};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{Description, Gene, Problem};
use crate::random::draws::below;
use crate::record::Outcome;
use crate::search::algorithm::{Algorithm, PopulationKey, Recipe};
use crate::search::arm::Arm;
use crate::search::executor::{Search, TrialExecutor, executor_of};
use crate::search::footprint::Footprint;
use crate::search::halt::Halt;
use crate::search::local::Local;
use crate::search::neighbors::Listed;
use crate::search::population::Population;
use crate::search::snapshot::Snapshot;
use crate::search::trial::Trial;
use std::borrow::Cow;
use std::sync::Arc;

/// Min-conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinConflicts {
    /// Whether the plugin constructs the first genome gene by gene, each with the fewest conflicts;
    /// otherwise it is drawn at random.
    pub greedy: bool,
}

impl Algorithm for MinConflicts {
    /// Returns `None`, because the number of values differs between genes.
    fn evaluations_per_generation(&self) -> Option<usize> {
        None
    }

    /// Returns the memory of the genomes, of the state, and of the positions with their conflicts.
    fn footprint(&self, problem: &Description) -> Footprint {
        let positions = 12 * problem.genome_length as u128;
        Footprint::new(problem, 2, u128::from(problem.state_size) + positions)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Repair::new(arm.problem, *self))
    }
}

const STARTS: &[Cow<'static, str>] = &[Cow::Borrowed("random"), Cow::Borrowed("greedy")];

/// Entry of the algorithm in the registry.
pub(super) const MIN_CONFLICTS: Entry<Recipe> = Entry {
    operator: Operator {
        name: "min-conflicts",
        summary: "A genome of which a random gene in conflict gets its best value, ties at random; \
            a generation is one such repair. It ends as `stagnated` without conflicts.",
        domain: Domain::Where(repairable),
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
            let greedy = values.choice("start") == "greedy";
            if greedy && !context.problem.has_construct {
                return Err(Complaint::of(
                    "start",
                    "the plugin of this problem does not construct genomes",
                    "write start = \"random\"",
                ));
            }
            Ok(Arc::new(MinConflicts { greedy }))
        },
    },
};

/// Checks that the plugin says which genes are in conflict, and that a gene has other values.
fn repairable(problem: &Description) -> Result<(), String> {
    if !problem.has_conflicts {
        return Err("the plugin does not say which genes are in conflict".to_owned());
    }
    match Neighborhood::of(problem, Rearrangement::Swap) {
        Some(_) => Ok(()),
        None => Err(format!("the values of {} genes cannot be listed", problem.encoding)),
    }
}

/// State of min-conflicts on genes of kind `G`.
struct Repair<'arm, G: Gene> {
    settings: MinConflicts,
    local: Local<'arm, G, Listed>,
    /// All positions, in order.
    all: Vec<u32>,
    /// Positions of the genes in conflict, in order.
    conflicted: Vec<u32>,
    /// Conflicts of the genes that were asked for last.
    conflicts: Vec<u32>,
    /// Whether the run has ended without conflicts.
    is_done: bool,
}

impl<'arm, G: Gene> Repair<'arm, G> {
    fn new(problem: &'arm Problem, settings: MinConflicts) -> Self {
        let length = problem.description().genome_length;
        Repair {
            settings,
            local: Local::listed(problem, Rearrangement::Swap, false),
            all: (0..length as u32).collect(),
            conflicted: Vec::new(),
            conflicts: Vec::new(),
            is_done: false,
        }
    }

    /// Finds the genes in conflict among all.
    fn find(&mut self) -> Result<(), Halt> {
        self.conflicted.clone_from(&self.all);
        self.narrow()
    }

    /// Keeps the genes that are still in conflict.
    fn narrow(&mut self) -> Result<(), Halt> {
        let Repair { local, conflicted, conflicts, .. } = self;
        conflicts.resize(conflicted.len(), 0);
        local.conflicts(conflicted, conflicts)?;
        let mut still = conflicts.iter().map(|number| *number > 0);
        conflicted.retain(|_| still.next() == Some(true));
        Ok(())
    }

    /// Finds the genes in conflict after a repair that changed these genes. Conflicts are mutual:
    /// if the changed genes have none, no gene has a new one.
    fn find_after(&mut self, changed: &[u32]) -> Result<(), Halt> {
        self.conflicts.resize(changed.len(), 0);
        self.local.conflicts(changed, &mut self.conflicts)?;
        if self.conflicts.iter().all(|number| *number == 0) { self.narrow() } else { self.find() }
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
        match self.settings.greedy {
            true => self.local.construct(trial)?,
            false => self.local.start(trial)?,
        }
        self.find()
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.is_done = self.conflicted.is_empty();
        if self.is_done {
            return Err(Halt::Stopped);
        }
        let gene = self.conflicted[below(&mut trial.random, self.conflicted.len())];
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
        self.find_after(&changed)
    }

    fn keep(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.keep(&mut self.conflicted);
        snapshot.keep(&mut self.is_done);
        self.local.keep(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }

    fn ended(&self) -> Option<Outcome> {
        self.is_done.then_some(Outcome::Stagnated)
    }
}
