//! Threshold accepting: one genome that moves to every neighbour that is not worse by the threshold
//! or more. The threshold falls.
//!
//! Dueck and Scheuer (1990), doi:10.1016/0021-9991(90)90201-B.

use super::entries::{movable, moves};
use crate::operators::MutationKind;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::mutants::Proposal;
use crate::search::plugin_operators::PluginOperators;

/// Threshold accepting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThresholdAccepting {
    /// Threshold of the first generation, in units of fitness; at least 0.
    pub threshold: f64,
    /// Factor of the threshold from one generation to the next; in (0, 1].
    pub cooling: f64,
    /// Number of proposals per generation.
    pub moves: usize,
    /// Mutation that proposes moves.
    pub mutation: MutationKind,
}

impl Algorithm for ThresholdAccepting {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.moves)
    }

    fn reevaluations(&self, generations: u64) -> Option<u64> {
        Some(generations.saturating_mul(self.moves as u64))
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2, problem.state_size.into())
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Accepting::new(arm.problem, arm.plugins, self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const THRESHOLD_ACCEPTING: Entry<Recipe> = Entry {
    operator: Operator {
        name: "threshold-accepting",
        summary: "A genome that moves to every neighbour that is worse by less than a threshold, \
            which falls; a generation is one threshold.",
        domain: Domain::Where(movable),
        parameters: &[
            Parameter::new(
                "threshold",
                Kind::Real { low: 0.0, high: f64::INFINITY, low_open: false, high_open: true },
                Fallback::real(1.0),
                "Initial threshold, in units of fitness: a move that is worse by less is accepted.",
            ),
            Parameter::new(
                "cooling",
                Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                Fallback::real(0.95),
                "Factor of the threshold from one generation to the next; the source leaves the \
                sequence open.",
            ),
            Parameter::new(
                "moves",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::Derived("the genome's length"),
                "Moves proposed at each threshold.",
            ),
        ],
        source: "Dueck and Scheuer (1990), doi:10.1016/0021-9991(90)90201-B",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Mutation, Slot::Constraints],
        draws: true,
        make: |values, parts, context| {
            let (moves, mutation) = moves(values, parts, context.problem);
            Ok(Arc::new(ThresholdAccepting {
                threshold: values.real("threshold"),
                cooling: values.real("cooling"),
                moves,
                mutation,
            }))
        },
    },
};

/// State of the search on genes of kind `G`. A generation is the moves at one threshold.
struct Accepting<'arm, G: Gene> {
    settings: &'arm ThresholdAccepting,
    threshold: f64,
    local: Local<'arm, G, Proposal<'arm>>,
}

impl<'arm, G: Gene> Accepting<'arm, G> {
    fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        settings: &'arm ThresholdAccepting,
    ) -> Self {
        Accepting {
            settings,
            threshold: settings.threshold,
            local: Local::proposing(problem, plugins, settings.mutation, false),
        }
    }
}

impl<G: Gene> Search for Accepting<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.threshold = self.settings.threshold;
        self.local.start(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        for _ in 0..self.settings.moves {
            trial.clock.evaluated(1)?;
            if self.local.propose(trial)? < self.threshold {
                self.local.accept(0)?;
            }
            if trial.solved().is_some() {
                break;
            }
        }
        self.threshold *= self.settings.cooling;
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.threshold);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
