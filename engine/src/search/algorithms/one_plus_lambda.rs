//! (1+λ) and (1,λ): the best child of one parent takes the parent's place.
//!
//! Droste, Jansen and Wegener (2002), doi:10.1016/S0304-3975(01)00182-7, for (1+1); Jansen, De Jong
//! and Wegener (2005), doi:10.1162/106365605774666921, for (1+λ); Beyer and Schwefel (2002),
//! doi:10.1023/A:1015059928466, for (1,λ).

use crate::operators::{Mutation, MutationKind, Order, Replacement, Ties, replacement};
use crate::problem::{Gene, Problem};
use crate::search::evolutionary::Evolutionary;
use crate::search::executor::Search;
use crate::search::halt::Halt;
use crate::search::local::Local;
use crate::search::mutants::Mutants;
use crate::search::plugin_operators::PluginOperators;
use crate::search::population::Population;
use crate::search::snapshot::Snapshot;
use crate::search::trial::Trial;

/// State of the search on genes of kind `G`: a parent with its mutants.
pub(super) struct OnePlusLambda<'arm, G: Gene> {
    replacement: Replacement,
    local: Local<'arm, G, Mutants<'arm>>,
    order: Order,
}

/// Returns whether this search can run an operator set. The set must have one parent, and its
/// children must be mutants by an operator of the registry.
pub(super) fn serves(plugins: &PluginOperators, operators: &Evolutionary) -> bool {
    let Evolutionary { population, mix, crossover, mutation, replacement, schedules, .. } =
        operators;
    *population == 1
        && schedules.is_empty()
        && mix.is_none()
        && crossover.is_none()
        && plugins.selection.is_none()
        && matches!(replacement, Replacement::Plus { .. } | Replacement::Comma { .. })
        && mutation.is_some_and(|Mutation { kind, .. }| {
            !matches!(kind, MutationKind::Problem | MutationKind::Plugin)
                && kind.self_adaptation().is_none()
        })
}

impl<'arm, G: Gene> OnePlusLambda<'arm, G> {
    /// # Panics
    /// If [`serves`] returns false.
    pub(super) fn new(problem: &'arm Problem, operators: &'arm Evolutionary) -> Self {
        let replacement = operators.replacement;
        let lambda = replacement.offspring(1);
        let mutants = Mutants::new(problem, operators, lambda);
        let by_moves = mutants.are_moves();
        let local = Local::new(problem, mutants, lambda, by_moves);
        OnePlusLambda { replacement, local, order: Order::default() }
    }
}

impl<G: Gene> Search for OnePlusLambda<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.local.start(trial)
    }

    #[inline]
    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let OnePlusLambda { replacement, local, order } = self;
        if let Replacement::Plus { offspring: 1, ties: Ties::Children } = replacement
            && local.is_quiet()
        {
            // Generations whose only child is worse, or a copy, change nothing.
            let passed = local.pass(trial, trial.idle_generations(), |child| {
                child.worse > 0.0 || child.is_idle()
            });
            trial.close_idle_generations(passed);
        }
        local.propose_all(trial)?;
        let (parent, children) = local.scores(&mut trial.ranking);
        // Children are numbered after the parent.
        let survivor = match *replacement {
            Replacement::Plus { ties, .. } => {
                replacement::plus(parent, children, ties, &mut trial.random, order)[0]
            }
            _ => 1 + replacement::best(children, 1, &mut trial.random, order)[0],
        };
        if let Some(child) = survivor.checked_sub(1) {
            local.accept(child as usize)?;
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
