//! Late acceptance hill climbing: one genome that moves to neighbours which are no worse than it,
//! or better than the genome of some moves before.
//!
//! Burke and Bykov (2017), doi:10.1016/j.ejor.2016.07.012, section 3.

use super::entries::{movable, moves};
use crate::operators::MutationKind;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::mutants::Proposal;
use crate::search::plugin_operators::PluginOperators;

/// Late acceptance hill climbing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateAcceptance {
    /// Number of moves whose fitness is remembered; at least 1.
    pub history: usize,
    /// Number of proposals per generation.
    pub moves: usize,
    /// Mutation that proposes moves.
    pub mutation: MutationKind,
}

impl Algorithm for LateAcceptance {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.moves)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        let history = 16 * self.history as u128;
        Footprint::new(problem, 2, u128::from(problem.state_size) + history)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Late::new(arm.problem, arm.plugins, self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const LATE_ACCEPTANCE: Entry<Recipe> = Entry {
    operator: Operator {
        name: "late-acceptance",
        summary: "Late acceptance hill climbing: a genome that moves to neighbours which are no \
            worse, or better than the genome of `history` moves before.",
        domain: Domain::Where(movable),
        parameters: &[
            Parameter::new(
                "history",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::integer(100),
                "Length of the history Lh: number of moves whose fitness is remembered. The source \
                has no default.",
            ),
            Parameter::new(
                "moves",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::Derived("the genome's length"),
                "Moves proposed in each generation.",
            ),
        ],
        source: "Burke and Bykov (2017), doi:10.1016/j.ejor.2016.07.012",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Mutation, Slot::Constraints],
        draws: true,
        make: |values, parts, context| {
            let (moves, mutation) = moves(values, parts, context.problem);
            Ok(Arc::new(LateAcceptance { history: values.count("history"), moves, mutation }))
        },
    },
};

/// State of the search on genes of kind `G`.
struct Late<'arm, G: Gene> {
    settings: &'arm LateAcceptance,
    /// Fitness and violation of earlier genomes.
    history: Vec<(f64, f64)>,
    /// Entry of the history that the next proposal is compared with.
    place: usize,
    local: Local<'arm, G, Proposal<'arm>>,
}

impl<'arm, G: Gene> Late<'arm, G> {
    fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        settings: &'arm LateAcceptance,
    ) -> Self {
        Late {
            settings,
            history: Vec::new(),
            place: 0,
            local: Local::proposing(problem, plugins, settings.mutation, false),
        }
    }
}

impl<G: Gene> Search for Late<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.local.start(trial)?;
        self.history.clear();
        self.history.resize(self.settings.history, self.local.current().figures_of(0));
        self.place = 0;
        Ok(())
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Late { settings, history, place, local } = self;
        for _ in 0..settings.moves {
            trial.clock.evaluated(1)?;
            let worse = local.propose(trial)?;
            let late = &mut history[*place];
            if worse <= 0.0 || trial.ranking.worsening(local.proposed(), *late) < 0.0 {
                local.accept(0)?;
            }
            let current = local.current().figures_of(0);
            if trial.ranking.worsening(current, *late) < 0.0 {
                *late = current;
            }
            *place = (*place + 1) % history.len();
            if trial.solved().is_some() {
                break;
            }
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.history);
        snapshot.save_or_restore(&mut self.place);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
