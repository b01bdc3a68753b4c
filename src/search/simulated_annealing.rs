//! Simulated annealing: one genome that also moves to worse neighbours, the less often the lower
//! the temperature.

use super::call_seed;
use super::executor::Solver;
use super::population::{Figures, Population, population_of};
use super::trial_state::{Incomplete, TrialState};
use crate::operators::{AnnealingSettings, Constraints, MutationKind, OperatorSet, mutation};
use crate::problem::{CallError, Gene, PluginOperator, Problem};
use crate::random::draws::{Random, unit};

/// Simulated annealing on genes of kind `G`, with geometric cooling (Kirkpatrick, Gelatt and Vecchi
/// 1983, doi:10.1126/science.220.4598.671). A generation is the moves at one temperature.
pub(super) struct SimulatedAnnealing<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: &'arm AnnealingSettings,
    constraints: Option<Constraints>,
    /// Makes the proposals in place of a mutation of the registry.
    plugin_mutation: Option<&'arm PluginOperator>,
    temperature: f64,
    current: Population<G>,
    proposal: Population<G>,
}

impl<'arm, G: Gene> SimulatedAnnealing<'arm, G> {
    pub(super) fn new(
        problem: &'arm Problem,
        set: &'arm OperatorSet,
        settings: &'arm AnnealingSettings,
    ) -> Self {
        let (constraints, plugin_mutation) = (set.constraints, set.plugins.mutation.as_deref());
        let (temperature, one) = (settings.temperature, population_of(problem, 1));
        let (current, proposal) = (one.clone(), one);
        SimulatedAnnealing {
            problem,
            settings,
            constraints,
            plugin_mutation,
            temperature,
            current,
            proposal,
        }
    }

    /// Makes the proposal a mutant of the current genome.
    fn propose(&mut self, random: &mut Random) -> Result<(), CallError> {
        self.proposal.copy_row(0, &self.current, 0);
        if let Some(plugin) = self.plugin_mutation {
            return plugin.mutate(&call_seed(random), 0, self.proposal.genes_mut());
        }
        match self.settings.mutation {
            MutationKind::Problem => {
                self.problem.mutate(&call_seed(random), 0, self.proposal.genes_mut())?;
            }
            kind => {
                let bounds = &self.problem.description().bounds;
                mutation::mutate(kind, self.proposal.row_mut(0), bounds, random);
            }
        }
        Ok(())
    }

    /// How much worse the proposal is than the current genome.
    fn worsening(&self) -> f64 {
        let (new, old) = (&self.proposal, &self.current);
        match self.constraints {
            None => new.fitness[0] - old.fitness[0],
            Some(constraints) => {
                let of = |one: &Population<G>| (one.fitness[0], one.violations[0]);
                constraints.worsening(of(new), of(old))
            }
        }
    }

    /// The rule of Metropolis et al. (1953), doi:10.1063/1.1699114: equal fitness is accepted.
    fn accepts(&self, random: &mut Random) -> bool {
        let worsening = self.worsening();
        worsening <= 0.0 || unit(random) < libm::exp(-worsening / self.temperature)
    }
}

impl<G: Gene> Solver for SimulatedAnnealing<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.temperature = self.settings.temperature;
        trial.begin(&mut self.current)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        for number in 0..self.settings.moves {
            trial.check_periodically(number)?;
            self.propose(&mut trial.random)?;
            trial.evaluate(&mut self.proposal)?;
            if self.accepts(&mut trial.random) {
                std::mem::swap(&mut self.current, &mut self.proposal);
            }
            if trial.solved().is_some() {
                break;
            }
        }
        self.temperature *= self.settings.cooling;
        Ok(())
    }

    fn figures(&self) -> Figures<'_> {
        self.current.figures(1)
    }

    fn genes(&self) -> &[G] {
        self.current.genes()
    }
}
