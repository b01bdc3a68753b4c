//! The solver of the evolutionary algorithm: selection, variation and replacement, generation after
//! generation.

use super::Evolutionary;
use crate::operators::{
    MoveList, MoveMutation, MutationKind, Order, Replacement, Selection, replacement,
};
use crate::problem::{Bounds, CallError, Gene, Problem};
use crate::random::draws::{Random, Rate, skip_below_one};
use crate::search::executor::Solver;
use crate::search::operator_set::OperatorSet;
use crate::search::parent_selection::ParentSelection;
use crate::search::population::{Figures, Population, population_of};
use crate::search::proposals::{Draw, Proposals};
use crate::search::survivor_selection::SurvivorSelection;
use crate::search::trial_state::{Incomplete, TrialState};
use crate::search::variation::Variation;
use crate::system::aligned::Aligned;

/// An evolutionary algorithm on genes of kind `G`.
pub(super) struct Evolution<'arm, G: Gene> {
    operators: &'arm Evolutionary,
    population: Population<G>,
    /// Row numbers of the population.
    parents: Aligned<u32>,
    children: Population<G>,
    parent_selection: ParentSelection<'arm>,
    variation: Variation<'arm, G>,
    survivor_selection: SurvivorSelection<G>,
    /// Of a population of one whose children are mutants, where the plugin evaluates moves.
    by_moves: Option<ByMoves<'arm, G>>,
}

/// What a population of one needs to go by moves.
struct ByMoves<'arm, G> {
    proposals: Proposals<'arm, G>,
    mutants: Mutants<'arm>,
    order: Order,
}

/// Draws the children of a generation as moves: parents, who is mutated, then the mutations, as
/// [`Variation`] does.
struct Mutants<'arm> {
    operators: &'arm Evolutionary,
    bounds: &'arm Bounds,
    parent_selection: ParentSelection<'arm>,
    parents: Vec<u32>,
    rate: Rate,
    mutation: MoveMutation,
    /// The children that are mutated.
    mutated: Vec<usize>,
}

impl<'arm, G: Gene> ByMoves<'arm, G> {
    fn of(
        problem: &'arm Problem,
        set: &'arm OperatorSet,
        operators: &'arm Evolutionary,
    ) -> Option<Self> {
        let Evolutionary { population, mix, crossover, mutation, replacement, .. } = operators;
        let (mutation, plugins) = ((*mutation)?, &set.plugins);
        // A child that is not mutated is a change of nothing, and no exchange.
        let always_moves = mutation.kind != MutationKind::Swap || mutation.rate >= 1.0;
        let of_one = matches!(replacement, Replacement::Plus { .. } | Replacement::Comma { .. });
        if !(*population == 1 && always_moves && of_one)
            || mix.is_some()
            || crossover.is_some()
            || plugins.selection.is_some()
            || plugins.mutation.is_some()
        {
            return None;
        }
        let offspring = replacement.offspring(1);
        let description = problem.description();
        let mutants = Mutants {
            operators,
            bounds: &description.bounds,
            parent_selection: ParentSelection::new(operators, None),
            parents: vec![0; offspring],
            rate: Rate::new(mutation.rate),
            mutation: MoveMutation::of(mutation.kind, description.genome_length)?,
            mutated: Vec::with_capacity(offspring),
        };
        let proposals = Proposals::of(problem, offspring)?;
        Some(ByMoves { proposals, mutants, order: Order::default() })
    }
}

impl<G: Gene> Draw<G> for Mutants<'_> {
    #[inline]
    fn draw(
        &mut self,
        current: &Population<G>,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) -> Result<(), CallError> {
        let Mutants { operators, bounds, parent_selection, parents, mutated, .. } = self;
        match operators.selection {
            // There is one parent: the lots are drawn, and not looked at.
            Selection::Uniform => skip_below_one(random, parents.len()),
            _ => parent_selection.choose_by(&current.fitness, random, parents),
        }
        if let ([_], Rate::Always) = (&parents[..], &self.rate) {
            self.mutation.add(current.row(0), bounds, random, list);
            return Ok(());
        }
        mutated.clear();
        self.rate.each(random, parents.len(), |child, _| mutated.push(child));
        let mut mutated = mutated.iter().copied().peekable();
        for child in 0..parents.len() {
            if mutated.next_if_eq(&child).is_some() {
                self.mutation.add(current.row(0), bounds, random, list);
            } else {
                list.change(0, current.row(0)[0]);
                list.end_move();
            }
        }
        Ok(())
    }

    /// A worse child needs no lot.
    #[inline]
    fn reject(&mut self, _: &mut Random) {}
}

impl<'arm, G: Gene> Evolution<'arm, G> {
    pub(super) fn new(
        problem: &'arm Problem,
        set: &'arm OperatorSet,
        operators: &'arm Evolutionary,
    ) -> Self {
        let plugins = &set.plugins;
        let (size, offspring) =
            (operators.population, operators.replacement.offspring(operators.population));
        let by_moves = ByMoves::of(problem, set, operators);
        Evolution {
            operators,
            population: population_of(problem, size),
            parents: Aligned::default(),
            children: population_of(problem, offspring),
            parent_selection: ParentSelection::new(operators, plugins.selection.as_deref()),
            variation: Variation::new(problem, operators).by_plugins(plugins),
            survivor_selection: SurvivorSelection::new(
                operators.replacement,
                population_of(problem, size),
            ),
            by_moves,
        }
    }
}

impl<G: Gene> Evolution<'_, G> {
    /// A generation of a population of one, by the moves to its children.
    #[inline]
    fn next_by_moves(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        let Evolution { population, by_moves, .. } = self;
        let by_moves = by_moves.as_mut().expect("asked for only where there are moves");
        let ByMoves { proposals, mutants, order } = by_moves;
        proposals.begin(population, &mut trial.random, mutants)?;
        let fitness = proposals.fitness();
        match *fitness {
            [one] => trial.count_move(population.row(0), || proposals.moves(), one)?,
            _ => trial.count_moves(population.row(0), &proposals.moves(), fitness)?,
        }
        let random = &mut trial.random;
        // Children are numbered after the parent.
        let survivor = match self.operators.replacement {
            Replacement::Plus { ties, .. } => {
                replacement::plus(&population.fitness, fitness, ties, random, order)[0]
            }
            _ => 1 + replacement::best(fitness, 1, random, order)[0],
        };
        if let Some(child) = survivor.checked_sub(1) {
            proposals.accept(population, child as usize)?;
        }
        Ok(())
    }
}

impl<G: Gene> Solver for Evolution<'_, G> {
    type Gene = G;

    fn init(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        if let Some(ByMoves { proposals, .. }) = &mut self.by_moves {
            proposals.forget();
        }
        trial.begin(&mut self.population)
    }

    #[inline]
    fn next_generation(&mut self, trial: &mut TrialState<'_, G>) -> Result<(), Incomplete> {
        if self.by_moves.is_some() {
            return self.next_by_moves(trial);
        }
        let random = &mut trial.random;
        self.parents.resize(self.variation.plan(self.children.rows(), random));
        let Evolution { population, parents, children, .. } = self;
        self.parent_selection.choose(population, &mut trial.ranking, random, parents)?;
        self.variation.vary(population, parents, children, random)?;
        let lineage = self.variation.lineage(parents, children.rows());
        trial.evaluate_children(children, population, lineage)?;
        let Evolution { population, children, .. } = self;
        self.survivor_selection.replace(
            population,
            children,
            &mut trial.ranking,
            &mut trial.random,
        );
        Ok(())
    }

    fn figures(&self) -> Figures<'_> {
        self.population.figures(self.population.rows())
    }

    fn genes(&self) -> &[G] {
        self.population.genes()
    }
}
