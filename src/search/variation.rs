//! Variation: from chosen parents to children, by copying, crossing and mutating.

use super::population::Population;
use crate::operators::crossover::{self, Mates};
use crate::operators::{
    Crossover, CrossoverKind, Cut, Evolutionary, Mix, Mutation, MutationKind, mutation,
};
use crate::problem::{Bounds, CallError, Gene, Genomes, Problem, copy_genes};
use crate::random::draws::{Random, Rate, chance, unit};
use rand::Rng;

/// Makes the children of a generation. First the whole generation is laid out (which child copies,
/// which pair is crossed, which child mutates), then each kind of work is done in one go, so that
/// operators are dispatched once a generation.
pub struct Variation<'arm, G: Gene> {
    problem: &'arm Problem,
    bounds: &'arm Bounds,
    operators: &'arm Evolutionary,
    /// Under a mix: the operations of this generation, in order.
    operations: Vec<Operation>,
    copies: Vec<Copied>,
    pairs: Vec<Pair>,
    mutants: Vec<u32>,
    mutation_rate: Rate,
    /// Where each pair is cut.
    cuts: Vec<u32>,
    /// Takes the second child where a pair has only one.
    spare: Population<G>,
    /// Rows on their way to and from the plugin's own operators.
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

/// Row `child` of the children begins as a copy of row `parent` of the population.
#[derive(Clone, Copy, Debug)]
struct Copied {
    child: u32,
    parent: u32,
}

/// Two parents are crossed into one or two children, the first at row `child`.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: u32,
    second: u32,
    child: u32,
    children: u32,
}

impl<'arm, G: Gene> Variation<'arm, G> {
    pub fn new(problem: &'arm Problem, operators: &'arm Evolutionary) -> Self {
        let description = problem.description();
        let offspring = operators.replacement.offspring(operators.population);
        Variation {
            problem,
            bounds: &description.bounds,
            operators,
            operations: Vec::with_capacity(offspring),
            copies: Vec::with_capacity(offspring),
            pairs: Vec::with_capacity(offspring),
            mutants: Vec::with_capacity(offspring),
            mutation_rate: Rate::new(operators.mutation.map_or(0.0, |mutation| mutation.rate)),
            cuts: Vec::new(),
            spare: Population::new(1, description.genome_length),
            first: Genomes::default(),
            second: Genomes::default(),
            answers: Genomes::default(),
            scratch: crossover::Scratch::default(),
        }
    }

    /// Decides the operations that make `offspring` children; returns how many parents they need.
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
            // A second child beyond the last place is not made.
            made += if operation == Operation::Crossover { children } else { 1 };
            parents += if operation == Operation::Crossover { 2 } else { 1 };
        }
        parents
    }

    /// Fills all rows of `children` from the chosen `parents` (rows of `population`, in the order
    /// of the plan). Leaves their fitness alone.
    ///
    /// # Errors
    /// Those of the plugin's own operators.
    pub fn vary(
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
        if let Some(Mutation { kind, .. }) = self.operators.mutation {
            self.mutate(kind, children, random)?;
        }
        Ok(())
    }

    /// The operations of a mix, one after the other, until there are children enough.
    fn lay_out_mix(&mut self, parents: &[u32], offspring: usize) {
        let wanted = self.operators.crossover.map_or(1, |crossover| crossover.children);
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
                    let children = (wanted as u32).min(offspring as u32 - child);
                    self.pairs.push(Pair { first: parent(), second: parent(), child, children });
                    child += children - 1;
                }
            }
            child += 1;
        }
    }

    /// Crossover, then mutation, each with its rate.
    fn lay_out_rates(&mut self, parents: &[u32], offspring: usize, random: &mut Random) {
        match self.operators.crossover {
            // Every pair is crossed: nothing to lay out.
            Some(_) if crosses_all(self.operators) => {}
            Some(Crossover { rate, children: wanted, .. }) => {
                for pair in Pairing::new(parents, wanted, offspring) {
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
        if kind == CrossoverKind::Problem {
            return self.cross_by_plugin(parents, population, children, random);
        }
        let crossed = Crossed::new(self.operators, &self.pairs, parents, children.rows());
        let mut pairs =
            Pairs { crossed, population, children, spare: &mut self.spare, cuts: &mut self.cuts };
        kind.cross(&mut pairs, self.bounds, random, &mut self.scratch);
        Ok(())
    }

    /// The plugin makes one child a pair; a second child comes from the pair the other way round.
    fn cross_by_plugin(
        &mut self,
        parents: &[u32],
        population: &Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        let length = population.length();
        let crossed = Crossed::new(self.operators, &self.pairs, parents, children.rows());
        let mut rows = 0;
        crossed.each(|pair| rows += pair.children as usize);
        if rows == 0 {
            return Ok(());
        }
        for buffer in [&mut self.first, &mut self.second, &mut self.answers] {
            buffer.resize::<G>(rows * length);
        }
        let firsts = self.first.genes_mut::<G>().chunks_exact_mut(length);
        let seconds = self.second.genes_mut::<G>().chunks_exact_mut(length);
        let mut places = firsts.zip(seconds);
        crossed.each(|pair| {
            let (first, second) =
                (population.row(pair.first as usize), population.row(pair.second as usize));
            for (one, other) in
                [(first, second), (second, first)].into_iter().take(pair.children as usize)
            {
                let (a, b) = places.next().expect("as many places as children");
                copy_genes(a, one);
                copy_genes(b, other);
            }
        });
        let seed = call_seed(random);
        let answers = self.answers.genes_mut::<G>();
        self.problem.crossover(
            &seed,
            0,
            self.first.genes::<G>(),
            self.second.genes::<G>(),
            answers,
        )?;
        let mut answers = answers.chunks_exact(length);
        crossed.each(|pair| {
            for child in pair.child..pair.child + pair.children {
                let answer = answers.next().expect("as many answers as children");
                copy_genes(children.row_mut(child as usize), answer);
            }
        });
        Ok(())
    }

    fn mutate(
        &mut self,
        kind: MutationKind,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        if kind == MutationKind::Problem {
            return self.mutate_by_plugin(children, random);
        }
        for mutant in &self.mutants {
            mutation::mutate(kind, children.row_mut(*mutant as usize), self.bounds, random);
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
        self.problem.mutate(&call_seed(random), 0, rows)?;
        for (row, mutant) in rows.chunks_exact(length).zip(&self.mutants) {
            copy_genes(children.row_mut(*mutant as usize), row);
        }
        Ok(())
    }
}

/// Whether every pair of parents is crossed, so that none needs to be listed.
fn crosses_all(operators: &Evolutionary) -> bool {
    operators.mix.is_none() && operators.crossover.is_some_and(|crossover| crossover.rate >= 1.0)
}

/// Parents two by two, each pair with its place among the children.
struct Pairing<'generation> {
    parents: std::slice::ChunksExact<'generation, u32>,
    wanted: u32,
    child: u32,
    offspring: u32,
}

impl<'generation> Pairing<'generation> {
    fn new(parents: &'generation [u32], wanted: usize, offspring: usize) -> Self {
        Pairing {
            parents: parents.chunks_exact(2),
            wanted: wanted as u32,
            child: 0,
            offspring: offspring as u32,
        }
    }
}

impl Iterator for Pairing<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        let pair = self.parents.next()?;
        let child = self.child;
        // A second child beyond the last place is not made.
        let children = self.wanted.min(self.offspring - child);
        self.child += children;
        Some(Pair { first: pair[0], second: pair[1], child, children })
    }
}

/// The pairs that are crossed, in the order of their children.
#[derive(Clone, Copy)]
enum Crossed<'generation> {
    /// All that were chosen, one after the other.
    All {
        parents: &'generation [u32],
        wanted: usize,
        offspring: usize,
    },
    Listed(&'generation [Pair]),
}

impl<'generation> Crossed<'generation> {
    fn new(
        operators: &Evolutionary,
        listed: &'generation [Pair],
        parents: &'generation [u32],
        offspring: usize,
    ) -> Self {
        match operators.crossover {
            Some(Crossover { children, .. }) if crosses_all(operators) => {
                Crossed::All { parents, wanted: children, offspring }
            }
            _ => Crossed::Listed(listed),
        }
    }

    #[inline]
    fn each(&self, visit: impl FnMut(Pair)) {
        match *self {
            Crossed::All { parents, wanted, offspring } => {
                Pairing::new(parents, wanted, offspring).for_each(visit)
            }
            Crossed::Listed(pairs) => pairs.iter().copied().for_each(visit),
        }
    }

    fn count(&self) -> usize {
        match self {
            Crossed::All { parents, .. } => parents.len() / 2,
            Crossed::Listed(pairs) => pairs.len(),
        }
    }
}

/// The pairs of a generation and where their parents and children are.
struct Pairs<'generation, G: Gene> {
    crossed: Crossed<'generation>,
    population: &'generation Population<G>,
    children: &'generation mut Population<G>,
    spare: &'generation mut Population<G>,
    cuts: &'generation mut Vec<u32>,
}

impl<G: Gene> Mates<G> for Pairs<'_, G> {
    fn one_point(&mut self, cut: Cut, random: &mut Random) {
        let mut cuts = std::mem::take(self.cuts);
        self.cross_at_one_point(cut, &mut cuts, random);
        *self.cuts = cuts;
    }

    fn breed(&mut self, mut operator: impl FnMut(&[G], &[G], &mut [G], Option<&mut [G]>)) {
        self.each(|a, b, c, d, _| operator(a, b, c, d));
    }

    fn cross(&mut self, mut operator: impl FnMut(&[G], &[G], &mut [G], &mut [G])) {
        self.each(|a, b, c, d, spare| operator(a, b, c, d.unwrap_or(spare)));
    }
}

impl<G: Gene> Pairs<'_, G> {
    #[inline]
    fn each(&mut self, mut visit: impl FnMut(&[G], &[G], &mut [G], Option<&mut [G]>, &mut [G])) {
        let length = self.population.length();
        let Pairs { crossed, population, children, spare, .. } = self;
        crossed.each(|pair| {
            let (first, second) =
                (population.row(pair.first as usize), population.row(pair.second as usize));
            let rows = &mut children.genes_mut()[pair.child as usize * length..];
            let (one, rest) = rows.split_at_mut(length);
            visit(
                first,
                second,
                one,
                (pair.children == 2).then(|| &mut rest[..length]),
                spare.row_mut(0),
            );
        });
    }

    fn cross_at_one_point(&mut self, cut: Cut, cuts: &mut Vec<u32>, random: &mut Random) {
        let length = self.population.length();
        cuts.resize(self.crossed.count(), 0);
        crossover::cuts(cut, length, random, cuts);
        let mut at = cuts.iter().map(|cut| *cut as usize);
        let mut next = || at.next().expect("a cut a pair");
        if length * G::KIND.size() != size_of::<u64>() {
            self.breed(|a, b, c, d| crossover::one_point(a, b, next(), c, d));
            return;
        }
        // Rows of a word each.
        let Pairs { crossed, population, children, .. } = self;
        let population: &[[u8; 8]] =
            bytemuck::cast_slice::<G, u8>(population.genes()).as_chunks().0;
        let children = bytemuck::cast_slice_mut::<G, u8>(children.genes_mut()).as_chunks_mut().0;
        let word = |row: u32| u64::from_le_bytes(population[row as usize]);
        if let Crossed::All { parents, wanted: 1, .. } = crossed {
            // The usual case, without the detour by pairs.
            for ((child, pair), cut) in children.iter_mut().zip(parents.as_chunks().0).zip(cuts) {
                let ([first, second], head) = (*pair, *cut as usize * G::KIND.size());
                *child =
                    crossover::one_point_words(word(first), word(second), head).0.to_le_bytes();
            }
            return;
        }
        crossed.each(|pair| {
            let (one, two) = crossover::one_point_words(
                word(pair.first),
                word(pair.second),
                next() * G::KIND.size(),
            );
            children[pair.child as usize] = one.to_le_bytes();
            if pair.children == 2 {
                children[pair.child as usize + 1] = two.to_le_bytes();
            }
        });
    }
}

/// 32 fresh bytes: what a call of the plugin draws its random numbers from.
pub fn call_seed(random: &mut Random) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    seed
}
