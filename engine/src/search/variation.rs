//! Variation: creates children from chosen parents by copying, crossover and mutation.

use super::births::{Descent, NOTED};
use super::call_seed;
use super::evolutionary::Evolutionary;
use super::pairs::{Crossing, Pair, PairList, Pairs, crosses_all};
use super::plugin_operators::PluginOperators;
use super::population::Population;
use crate::operators::crossover;
use crate::operators::{
    Crossover, CrossoverKind, Mix, Mutation, MutationKind, RowMutation, Schedules, SelfAdaptation,
    Unit,
};
use crate::problem::{
    Bounds, CallError, Gene, GeneKind, Genomes, PluginOperator, Problem, copy_genes,
};
use crate::random::draws::{Random, Rate, chance, unit};
use crate::system::aligned::Aligned;

/// Variation operators of an arm, which create the children of a generation. The whole generation
/// is planned first: which child is a copy, which pair is crossed, which child mutates. Each kind
/// of work is then done for all children at once, so that operators are dispatched once per
/// generation.
pub struct Variation<'arm, G: Gene> {
    problem: &'arm Problem,
    bounds: &'arm Bounds,
    /// Operators with the parameters of the current generation.
    operators: Evolutionary,
    /// Crossover of a plugin other than the problem's, in place of the problem's own.
    plugin_crossover: Option<&'arm PluginOperator>,
    /// Mutation of a plugin other than the problem's, in place of the problem's own.
    plugin_mutation: Option<&'arm PluginOperator>,
    /// Operations of this generation under a mix, in order.
    operations: Vec<Operation>,
    copies: Vec<Copied>,
    pairs: Vec<Pair>,
    mutants: Vec<u32>,
    mutation_rate: Rate,
    row_mutation: Option<RowMutation>,
    /// Cut point of each pair.
    cuts: Aligned<u32>,
    /// Genes of the first children before their mutation; `None` unless the trial is watched.
    unmutated: Option<Vec<G>>,
    /// Destination of the second child if a pair has only one.
    spare: Population<G>,
    /// Buffers for rows on their way to and from the operators of plugins.
    first: Genomes,
    second: Genomes,
    answers: Genomes,
    scratch: crossover::Scratch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Clone,
    Crossover,
    Mutate,
}

/// Copy of row `parent` of the population, with which row `child` of the children begins.
#[derive(Clone, Copy, Debug)]
struct Copied {
    child: u32,
    parent: u32,
}

/// The descent of a generation's children.
pub(super) struct Lineage<'generation> {
    copies: &'generation [Copied],
    pairs: PairList<'generation>,
}

impl Lineage<'_> {
    /// Visits the children with their rows: first the copies, then the children of pairs.
    #[inline]
    pub(super) fn each(&self, mut visit: impl FnMut(usize, Descent)) {
        for Copied { child, parent } in self.copies {
            visit(*child as usize, Descent { parents: [*parent; 2], pair: None });
        }
        let mut number = 0;
        self.pairs.each(|pair| {
            let Pair { first, second, child, children } = pair;
            let orders = [[first, second], [second, first]];
            for (child, parents) in (child..child + children).zip(orders) {
                visit(child as usize, Descent { parents, pair: Some(number) });
            }
            number += 1;
        });
    }

    /// Writes the parent of which each child started as a copy. The first child of a pair gets the
    /// first parent, the second child the second parent.
    pub(super) fn first_parents(&self, children: usize, first: &mut Vec<u32>) {
        first.resize(children, 0);
        self.each(|child, descent| first[child] = descent.parents[0]);
    }
}

impl<'arm, G: Gene> Variation<'arm, G> {
    /// Prepares the crossover and the mutation of an operator set for the genomes of a problem.
    pub fn new(problem: &'arm Problem, operators: &'arm Evolutionary) -> Self {
        let description = problem.description();
        let offspring = operators.replacement.offspring(operators.population);
        Variation {
            problem,
            bounds: &description.bounds,
            operators: operators.clone(),
            plugin_crossover: None,
            plugin_mutation: None,
            operations: Vec::with_capacity(offspring),
            copies: Vec::with_capacity(offspring),
            pairs: Vec::with_capacity(offspring),
            mutants: Vec::with_capacity(offspring),
            mutation_rate: Rate::new(operators.mutation.map_or(0.0, |mutation| mutation.rate)),
            row_mutation: operators.mutation.map(|mutation| RowMutation::of(mutation.kind)),
            cuts: Aligned::default(),
            unmutated: None,
            spare: Population::new(1, description.genome_length),
            first: Genomes::default(),
            second: Genomes::default(),
            answers: Genomes::default(),
            scratch: crossover::Scratch::default(),
        }
    }

    /// Adds the operators of plugins.
    #[must_use]
    pub fn by_plugins(self, plugins: &'arm PluginOperators) -> Self {
        let PluginOperators { crossover, mutation, .. } = plugins;
        let (plugin_crossover, plugin_mutation) = (crossover.as_deref(), mutation.as_deref());
        Variation { plugin_crossover, plugin_mutation, ..self }
    }

    /// Sets the parameters that change to their values when these shares of the budgets are spent,
    /// each from 0 to 1.
    #[inline]
    pub(super) fn follow_schedules(&mut self, spent: impl Fn(Unit) -> f64) {
        if self.operators.schedules.is_empty() {
            return;
        }
        self.operators.follow_schedules(spent);
        let Some(Mutation { kind, rate }) = self.operators.mutation else { return };
        self.mutation_rate = Rate::new(rate);
        let Schedules { gene_rate, sigma, .. } = self.operators.schedules;
        if gene_rate.or(sigma).is_some() {
            self.row_mutation = Some(RowMutation::of(kind));
        }
    }

    fn self_adaptation(&self) -> Option<SelfAdaptation> {
        self.operators.mutation.and_then(|mutation| mutation.kind.self_adaptation())
    }

    /// Gives the rows of an initial population their strengths, if mutation adapts itself.
    pub(super) fn begin(&self, population: &mut Population<G>) {
        population.strengths.clear();
        if let Some(rule) = self.self_adaptation() {
            population.strengths.resize(population.rows(), rule.first);
        }
    }

    /// Gives each child the strength of its parent, or the mean of both.
    fn inherit_strengths(
        &self,
        parents: &[u32],
        population: &Population<G>,
        children: &mut Population<G>,
    ) {
        let rows = children.rows();
        let (from, to) = (&population.strengths, &mut children.strengths);
        to.resize(rows, 0.0);
        for Copied { child, parent } in &self.copies {
            to[*child as usize] = from[*parent as usize];
        }
        PairList::new(&self.operators, &self.pairs, parents, rows).each(|pair| {
            let mean = 0.5 * (from[pair.first as usize] + from[pair.second as usize]);
            to[pair.child as usize..][..pair.children as usize].fill(mean);
        });
    }

    /// Decides the operations that make `offspring` children. Returns the number of parents they
    /// need.
    pub fn plan(&mut self, offspring: usize, random: &mut Random) -> usize {
        let children = self.operators.crossover.map_or(1, |crossover| crossover.children);
        match self.operators.mix {
            Some(mix) => self.plan_mix(mix, children, offspring, random),
            None if self.operators.crossover.is_some() => 2 * offspring.div_ceil(children),
            None => offspring,
        }
    }

    fn plan_mix(
        &mut self,
        mix: Mix,
        children: usize,
        offspring: usize,
        random: &mut Random,
    ) -> usize {
        self.operations.clear();
        let (mut made, mut parents) = (0, 0);
        while made < offspring {
            let number = unit(random);
            let operation = if number < mix.clone {
                Operation::Clone
            } else if number < mix.clone + mix.crossover {
                Operation::Crossover
            } else {
                Operation::Mutate
            };
            self.operations.push(operation);
            // A second child beyond the last row is not made.
            made += if operation == Operation::Crossover { children } else { 1 };
            parents += if operation == Operation::Crossover { 2 } else { 1 };
        }
        parents
    }

    /// Fills all rows of `children` from the chosen `parents`: rows of `population`, in the order
    /// of the plan. Leaves the fitness of the children unchanged.
    ///
    /// # Errors
    /// If an operator of a plugin fails.
    pub fn breed(
        &mut self,
        population: &Population<G>,
        parents: &[u32],
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        self.copies.clear();
        self.pairs.clear();
        self.mutants.clear();
        match self.operators.mix {
            Some(_) => self.lay_out_mix(parents, children.rows()),
            None => self.lay_out_rates(parents, children.rows(), random),
        }
        for Copied { child, parent } in &self.copies {
            copy_genes(children.row_mut(*child as usize), population.row(*parent as usize));
        }
        if let Some(Crossover { kind, .. }) = self.operators.crossover {
            self.cross(kind, parents, population, children, random)?;
        }
        if self.self_adaptation().is_some() {
            self.inherit_strengths(parents, population, children);
        }
        if let Some(unmutated) = &mut self.unmutated {
            unmutated.clear();
            unmutated.extend_from_slice(children.first(NOTED.min(children.rows())));
        }
        if let Some(Mutation { kind, .. }) = self.operators.mutation {
            self.mutate(kind, children, random)?;
        }
        Ok(())
    }

    /// Sets whether children are noted from now on.
    pub(super) fn watch(&mut self, is_watched: bool) {
        self.unmutated = is_watched.then(Vec::new);
    }

    /// Returns whether children are noted for a watcher.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.unmutated.is_some()
    }

    /// Returns the genes of the first children before their mutation; empty unless the trial is
    /// watched.
    pub(super) fn unmutated(&self) -> &[G] {
        self.unmutated.as_deref().unwrap_or_default()
    }

    /// Returns the children that were chosen for mutation.
    pub(super) fn mutants(&self) -> &[u32] {
        &self.mutants
    }

    /// Returns the number of genes before the cut of a pair; `None` without one-point crossover.
    pub(super) fn cut(&self, pair: u32) -> Option<usize> {
        let kind = self.operators.crossover.map(|crossover| crossover.kind);
        let has_cuts = matches!(kind, Some(CrossoverKind::OnePoint { .. }));
        has_cuts.then(|| self.cuts[pair as usize] as usize)
    }

    /// Returns the descent of the children that were bred from these parents.
    pub(super) fn lineage<'generation>(
        &'generation self,
        parents: &'generation [u32],
        offspring: usize,
    ) -> Lineage<'generation> {
        let pairs = PairList::new(&self.operators, &self.pairs, parents, offspring);
        Lineage { copies: &self.copies, pairs }
    }

    /// Plans the operations of a mix, one after the other.
    fn lay_out_mix(&mut self, parents: &[u32], offspring: usize) {
        let per_pair = self.operators.crossover.map_or(1, |crossover| crossover.children);
        let mut parents = parents.iter().copied();
        let mut parent = || parents.next().expect("the plan counted the parents");
        let mut child = 0;
        for operation in &self.operations {
            match operation {
                Operation::Clone => self.copies.push(Copied { child, parent: parent() }),
                Operation::Mutate => {
                    self.copies.push(Copied { child, parent: parent() });
                    self.mutants.push(child);
                }
                Operation::Crossover => {
                    let children = (per_pair as u32).min(offspring as u32 - child);
                    self.pairs.push(Pair { first: parent(), second: parent(), child, children });
                    child += children - 1;
                }
            }
            child += 1;
        }
    }

    /// Plans crossover, then mutation, each with its rate.
    fn lay_out_rates(&mut self, parents: &[u32], offspring: usize, random: &mut Random) {
        match self.operators.crossover {
            // Every pair is crossed, so no pair needs to be listed.
            Some(_) if crosses_all(&self.operators) => {}
            Some(Crossover { rate, children: per_pair, .. }) => {
                for pair in Pairs::new(parents, per_pair, offspring) {
                    if chance(random, rate) {
                        self.pairs.push(pair);
                    } else {
                        let Pair { first, second, child, children } = pair;
                        self.copies.push(Copied { child, parent: first });
                        if children == 2 {
                            self.copies.push(Copied { child: child + 1, parent: second });
                        }
                    }
                }
            }
            None => self.copies.extend(
                (0..).zip(parents).map(|(child, parent)| Copied { child, parent: *parent }),
            ),
        }
        let mutants = &mut self.mutants;
        self.mutation_rate.each(random, offspring, |child, _| mutants.push(child as u32));
    }

    fn cross(
        &mut self,
        kind: CrossoverKind,
        parents: &[u32],
        population: &Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        if matches!(kind, CrossoverKind::Problem | CrossoverKind::Plugin) {
            return self.cross_by_plugin(parents, population, children, random);
        }
        let crossed = PairList::new(&self.operators, &self.pairs, parents, children.rows());
        let mut pairs = Crossing {
            crossed,
            population,
            children,
            spare: &mut self.spare,
            cuts: &mut self.cuts,
        };
        kind.cross(&mut pairs, self.bounds, random, &mut self.scratch);
        Ok(())
    }

    /// Crosses pairs by a plugin, which makes one child per pair. A second child comes from the
    /// pair in reverse order.
    fn cross_by_plugin(
        &mut self,
        parents: &[u32],
        population: &Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        let pairs = PairList::new(&self.operators, &self.pairs, parents, children.rows());
        let genes = pairs.children() * population.length();
        if genes == 0 {
            return Ok(());
        }
        for buffer in [&mut self.first, &mut self.second, &mut self.answers] {
            buffer.resize::<G>(genes);
        }
        pairs.copy_parents(population, self.first.genes_mut(), self.second.genes_mut());
        let (first, second) = (self.first.genes::<G>(), self.second.genes());
        let (seed, children_genes) = (call_seed(random), self.answers.genes_mut());
        match self.plugin_crossover {
            Some(plugin) => plugin.crossover(&seed, 0, first, second, children_genes)?,
            None => self.problem.crossover(&seed, 0, first, second, children_genes)?,
        }
        pairs.copy_children(self.answers.genes(), children);
        Ok(())
    }

    fn mutate(
        &mut self,
        kind: MutationKind,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        if matches!(kind, MutationKind::Problem | MutationKind::Plugin) {
            return self.mutate_by_plugin(children, random);
        }
        if let Some(rule) = kind.self_adaptation() {
            for mutant in self.mutants.iter().map(|mutant| *mutant as usize) {
                let mut strength = children.strengths[mutant];
                let row = children.row_mut(mutant);
                if G::KIND == GeneKind::F64 {
                    rule.step(row, &mut strength, self.bounds, random);
                } else {
                    rule.flip(row, &mut strength, random);
                }
                children.strengths[mutant] = strength;
            }
            return Ok(());
        }
        let Some(mutation) = &self.row_mutation else { return Ok(()) };
        for mutant in &self.mutants {
            mutation.mutate(children.row_mut(*mutant as usize), self.bounds, random);
        }
        Ok(())
    }

    fn mutate_by_plugin(
        &mut self,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        if self.mutants.is_empty() {
            return Ok(());
        }
        let length = children.length();
        self.answers.resize::<G>(self.mutants.len() * length);
        let rows = self.answers.genes_mut::<G>();
        for (row, mutant) in rows.chunks_exact_mut(length).zip(&self.mutants) {
            copy_genes(row, children.row(*mutant as usize));
        }
        match self.plugin_mutation {
            Some(plugin) => plugin.mutate(&call_seed(random), 0, rows)?,
            None => self.problem.mutate(&call_seed(random), 0, rows)?,
        }
        for (row, mutant) in rows.chunks_exact(length).zip(&self.mutants) {
            copy_genes(children.row_mut(*mutant as usize), row);
        }
        Ok(())
    }
}
