//! Mutants of the current genome, as rows or as moves.

use super::call_seed;
use super::evolutionary::Evolutionary;
use super::local::Local;
use super::parent_selection::ParentSelection;
use super::plugin_operators::PluginOperators;
use super::population::Population;
use super::propose::{KeptMutants, Propose};
use super::ranking::Ranking;
use crate::operators::{
    MoveList, MoveMutation, MutationKind, Replacement, RowMutation, Selection, Ties,
};
use crate::problem::{CallError, Gene, PluginOperator, Problem};
use crate::random::draws::{Random, Rate, numbers_below_one, unit};

/// Source of one mutant per turn. The rejection of a mutant draws one number, unless the search
/// decides without chance.
pub(super) struct Proposal<'arm> {
    problem: &'arm Problem,
    /// Plugin that mutates in place of an operator of the registry.
    plugin: Option<&'arm PluginOperator>,
    kind: MutationKind,
    row: RowMutation,
    moves: Option<MoveMutation>,
    /// Whether the rejection of a mutant draws a number.
    draws: bool,
}

impl<'arm, G: Gene> Local<'arm, G, Proposal<'arm>> {
    /// Creates the state of a search that proposes one mutant per turn. `draws` says whether the
    /// rejection of a mutant draws a number.
    pub(super) fn proposing(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        kind: MutationKind,
        draws: bool,
    ) -> Self {
        let plugin = plugins.mutation.as_deref();
        let moves = MoveMutation::of(kind, problem.description());
        let moves = moves.filter(|_| plugin.is_none());
        let by_moves = moves.is_some();
        let proposal = Proposal { problem, plugin, kind, row: RowMutation::of(kind), moves, draws };
        Local::new(problem, proposal, 1, by_moves)
    }
}

impl<G: Gene> Propose<G> for Proposal<'_> {
    #[inline]
    fn moves(&mut self, current: &Population<G>, random: &mut Random, list: &mut MoveList<G>) {
        let mutation = self.moves.as_ref().expect("asked for only where it is a move");
        mutation.add(current.row(0), &self.problem.description().bounds, random, list);
    }

    fn rows(
        &mut self,
        _: &Population<G>,
        proposals: &mut Population<G>,
        _: &mut Ranking,
        random: &mut Random,
    ) -> Result<(), CallError> {
        let row = proposals.row_mut(0);
        match (self.plugin, self.kind) {
            (Some(plugin), _) => plugin.mutate(&call_seed(random), 0, row),
            (None, MutationKind::Problem) => self.problem.mutate(&call_seed(random), 0, row),
            _ => {
                self.row.mutate(row, &self.problem.description().bounds, random);
                Ok(())
            }
        }
    }

    #[inline]
    fn reject(&mut self, random: &mut Random) -> f64 {
        if self.draws { unit(random) } else { 0.0 }
    }

    #[inline]
    fn kept(&self) -> Option<KeptMutants<'_>> {
        let mutation = self.moves.as_ref().filter(|mutation| !self.draws && mutation.inverts())?;
        Some(KeptMutants { mutation, passed: 0 })
    }
}

/// Source of the children of one parent. It draws the parents, then the children that mutate, then
/// the mutations, as [`Variation`](super::variation::Variation) does.
pub(super) struct Mutants<'arm> {
    problem: &'arm Problem,
    operators: &'arm Evolutionary,
    select: ParentSelection<'arm>,
    parents: Vec<u32>,
    rate: Rate,
    row: RowMutation,
    moves: Option<MoveMutation>,
    /// Whether the only child always mutates, and stays drawn when it is accepted.
    is_kept: bool,
    /// Numbers of the children that are mutated.
    mutated: Vec<usize>,
}

impl<'arm> Mutants<'arm> {
    /// # Panics
    /// If the operators have no mutation, which is a bug of the caller.
    pub(super) fn new(
        problem: &'arm Problem,
        operators: &'arm Evolutionary,
        children: usize,
    ) -> Self {
        let mutation = operators.mutation.expect("the children are mutants");
        // A child without mutation is listed as a change of nothing, which is no rearrangement.
        let rearranges = matches!(
            mutation.kind,
            MutationKind::Swap | MutationKind::Inversion | MutationKind::Insert
        );
        let always_moves = !rearranges || mutation.rate >= 1.0;
        let moves = MoveMutation::of(mutation.kind, problem.description());
        let moves = moves.filter(|_| always_moves);
        let draws = match operators.replacement {
            Replacement::Plus { offspring: 1, ties } => ties == Ties::Random,
            _ => true,
        };
        let is_kept = !draws
            && mutation.rate >= 1.0
            && matches!(operators.selection, Selection::Uniform)
            && moves.as_ref().is_some_and(MoveMutation::inverts);
        Mutants {
            problem,
            operators,
            select: ParentSelection::new(operators, None),
            parents: vec![0; children],
            rate: Rate::new(mutation.rate),
            row: RowMutation::of(mutation.kind),
            moves,
            is_kept,
            mutated: Vec::with_capacity(children),
        }
    }

    /// Returns whether the children can be given as moves.
    pub(super) fn are_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// Draws the parents. There is only one parent, so the choice has no effect, but the numbers
    /// must be drawn.
    #[inline(always)]
    fn draw_parents(&mut self, scores: &[f64], random: &mut Random) {
        match self.operators.selection {
            Selection::Uniform => random.pass(numbers_below_one(self.parents.len())),
            _ => self.select.choose_by(scores, random, &mut self.parents),
        }
    }

    fn draw_mutated(&mut self, random: &mut Random) {
        let mutated = &mut self.mutated;
        mutated.clear();
        self.rate.each(random, self.parents.len(), |child, _| mutated.push(child));
    }
}

impl<G: Gene> Propose<G> for Mutants<'_> {
    #[inline]
    fn moves(&mut self, current: &Population<G>, random: &mut Random, list: &mut MoveList<G>) {
        self.draw_parents(&current.fitness, random);
        if let ([_], Rate::Always, Some(mutation)) = (&self.parents[..], &self.rate, &self.moves) {
            let bounds = &self.problem.description().bounds;
            return mutation.add(current.row(0), bounds, random, list);
        }
        self.add_children(current, random, list);
    }

    #[inline]
    fn rows(
        &mut self,
        current: &Population<G>,
        proposals: &mut Population<G>,
        ranking: &mut Ranking,
        random: &mut Random,
    ) -> Result<(), CallError> {
        self.draw_parents(ranking.scores(self.select.used(), current), random);
        self.draw_mutated(random);
        let bounds = &self.problem.description().bounds;
        for child in &self.mutated {
            self.row.mutate(proposals.row_mut(*child), bounds, random);
        }
        Ok(())
    }

    #[inline]
    fn kept(&self) -> Option<KeptMutants<'_>> {
        let mutation = self.moves.as_ref().filter(|_| self.is_kept)?;
        Some(KeptMutants { mutation, passed: numbers_below_one(1) })
    }
}

impl Mutants<'_> {
    /// Adds the children of a parent, some of which are mutated.
    #[inline(never)]
    fn add_children<G: Gene>(
        &mut self,
        current: &Population<G>,
        random: &mut Random,
        list: &mut MoveList<G>,
    ) {
        let bounds = &self.problem.description().bounds;
        let there = "asked for only where they are moves";
        self.draw_mutated(random);
        let mutation = self.moves.as_ref().expect(there);
        let mut mutated = self.mutated.iter().copied().peekable();
        for child in 0..self.parents.len() {
            if mutated.next_if_eq(&child).is_some() {
                mutation.add(current.row(0), bounds, random, list);
            } else {
                list.change(0, current.row(0)[0]);
                list.end_move();
            }
        }
    }
}
