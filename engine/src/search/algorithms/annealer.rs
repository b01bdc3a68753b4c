//! The solver of simulated annealing: one genome that also moves to worse neighbours, the less
//! often the lower the temperature.

use super::SimulatedAnnealing;
use crate::operators::{MoveList, MoveMutation, MutationKind, RowMutation};
use crate::problem::{Bounds, CallError, Gene, PluginOperator, Problem};
use crate::random::draws::{Random, unit};
use crate::search::call_seed;
use crate::search::executor::Solver;
use crate::search::metropolis::Metropolis;
use crate::search::operator_set::OperatorSet;
use crate::search::population::{Figures, Population, population_of};
use crate::search::proposals::{Draw, Proposals};
use crate::search::trial_state::{Incomplete, TrialState};
use std::iter::once;

/// Simulated annealing on genes of kind `G`, with geometric cooling (Kirkpatrick, Gelatt and Vecchi
/// 1983, doi:10.1126/science.220.4598.671). A generation is the moves at one temperature.
pub(crate) struct Annealer<'arm, G: Gene> {
    problem: &'arm Problem,
    settings: &'arm SimulatedAnnealing,
    /// Makes the proposals in place of a mutation of the registry.
    plugin_mutation: Option<&'arm PluginOperator>,
    temperature: f64,
    row_mutation: RowMutation,
    rule: Metropolis,
    current: Population<G>,
    proposal: Population<G>,
    /// Where the plugin evaluates moves.
    by_moves: Option<(Proposals<'arm, G>, Neighbor<'arm>)>,
}

/// Draws proposals as moves.
struct Neighbor<'arm> {
    mutation: MoveMutation,
    bounds: &'arm Bounds,
}

impl<G: Gene> Draw<G> for Neighbor<'_> {
    #[inline]
    fn draw(
        &mut self,
        current: &Population<G>,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) -> Result<(), CallError> {
        self.mutation.add(current.row(0), self.bounds, random, list);
        Ok(())
    }

    /// A worse neighbour is rejected by a draw.
    #[inline]
    fn reject(&mut self, random: &mut Random) {
        unit(random);
    }
}

impl<'arm, G: Gene> Annealer<'arm, G> {
    pub(crate) fn new(
        problem: &'arm Problem,
        set: &'arm OperatorSet,
        settings: &'arm SimulatedAnnealing,
    ) -> Self {
        let plugin_mutation = set.plugins.mutation.as_deref();
        let (temperature, one) = (settings.temperature, population_of(problem, 1));
        let (current, proposal) = (one.clone(), one);
        let description = problem.description();
        let mutation = MoveMutation::of(settings.mutation, description.genome_length);
        let by_moves = match plugin_mutation {
            Some(_) => None,
            None => mutation.and_then(|mutation| {
                let neighbor = Neighbor { mutation, bounds: &description.bounds };
                Some((Proposals::of(problem, 1)?, neighbor))
            }),
        };
        Annealer {
            problem,
            settings,
            plugin_mutation,
            row_mutation: RowMutation::of(settings.mutation),
            temperature,
            rule: Metropolis::new(settings.moves),
            current,
            proposal,
            by_moves,
        }
    }

    /// Makes the proposal a mutant of the current genome.
    fn propose(&mut self, random: &mut Random) -> Result<(), CallError> {
        self.proposal.copy_pairs(&self.current, once((0, 0)));
        if let Some(plugin) = self.plugin_mutation {
            return plugin.mutate(&call_seed(random), 0, self.proposal.genes_mut());
        }
        match self.settings.mutation {
            MutationKind::Problem => {
                self.problem.mutate(&call_seed(random), 0, self.proposal.genes_mut())?;
            }
            _ => {
                let bounds = &self.problem.description().bounds;
                self.row_mutation.mutate(self.proposal.row_mut(0), bounds, random);
            }
        }
        Ok(())
    }

    /// Makes a mutant of the current genome, and moves to it where it is accepted.
    fn step(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        if self.by_moves.is_some() {
            return self.step_by_move(trial);
        }
        self.propose(&mut trial.random)?;
        trial.evaluate(&mut self.proposal)?;
        let worsening = trial.ranking.worsening((&self.proposal, 0), (&self.current, 0));
        if self.rule.accepts(worsening, self.temperature, &mut trial.random) {
            std::mem::swap(&mut self.current, &mut self.proposal);
        }
        Ok(())
    }

    /// The same by the move to the mutant.
    #[inline]
    fn step_by_move(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let (proposals, neighbor) = self.by_moves.as_mut().expect("asked where there are moves");
        proposals.begin(&mut self.current, &mut trial.random, neighbor)?;
        let fitness = proposals.fitness()[0];
        trial.count_move(self.current.row(0), || proposals.moves(), fitness)?;
        let worsening = fitness - self.current.fitness[0];
        if self.rule.accepts(worsening, self.temperature, &mut trial.random) {
            proposals.accept(&mut self.current, 0)?;
        }
        Ok(())
    }
}

impl<G: Gene> Solver for Annealer<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        self.temperature = self.settings.temperature;
        self.by_moves.iter_mut().for_each(|(proposals, _)| proposals.forget());
        trial.begin(&mut self.current)
    }

    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        for number in 0..self.settings.moves {
            trial.check_periodically(number)?;
            self.step(trial)?;
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
