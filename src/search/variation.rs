//! Variation: from chosen parents to children, by copying, crossing and mutating.

use super::population::Population;
use crate::operators::random::{Random, chance, each_with_rate, unit};
use crate::operators::{Crossover, CrossoverKind, Evolutionary, Mix, Mutation, MutationKind, crossover, mutation};
use crate::problem::{Bounds, CallError, Gene, Genomes, Problem};
use rand::Rng;

/// Makes the children of a generation. First the whole generation is laid out (which child copies, which pair is
/// crossed, which child mutates), then each kind of work is done in one go, so that operators are dispatched once a
/// generation.
pub struct Variation<'arm, G: Gene> {
    problem: &'arm Problem,
    bounds: &'arm Bounds,
    operators: &'arm Evolutionary,
    /// Under a mix: the operations of this generation, in order.
    steps: Vec<Step>,
    copies: Vec<Copy>,
    pairs: Vec<Pair>,
    mutants: Vec<u32>,
    /// Takes the second child where a pair has only one.
    spare: Population<G>,
    /// Rows on their way to and from the plugin's own operators.
    first: Genomes,
    second: Genomes,
    answers: Genomes,
    scratch: crossover::Scratch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Clone,
    Crossover,
    Mutate,
}

/// Child `child` begins as a copy of `parent`.
#[derive(Clone, Copy, Debug)]
struct Copy {
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
            steps: Vec::with_capacity(offspring),
            copies: Vec::with_capacity(offspring),
            pairs: Vec::with_capacity(offspring),
            mutants: Vec::with_capacity(offspring),
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

    fn plan_mix(&mut self, mix: Mix, children: usize, offspring: usize, random: &mut Random) -> usize {
        self.steps.clear();
        let (mut made, mut parents) = (0, 0);
        while made < offspring {
            let number = unit(random);
            let step = if number < mix.clone {
                Step::Clone
            } else if number < mix.clone + mix.crossover {
                Step::Crossover
            } else {
                Step::Mutate
            };
            self.steps.push(step);
            // A second child beyond the last place is not made.
            made += if step == Step::Crossover { children } else { 1 };
            parents += if step == Step::Crossover { 2 } else { 1 };
        }
        parents
    }

    /// Fills all rows of `children` from the chosen `parents` (rows of `population`, in the order of the plan). Leaves
    /// their fitness alone.
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
            Some(_) => self.lay_out_steps(parents, children.rows()),
            None => self.lay_out_rates(parents, children.rows(), random),
        }
        for Copy { child, parent } in &self.copies {
            children.row_mut(*child as usize).copy_from_slice(population.row(*parent as usize));
        }
        if let Some(Crossover { kind, .. }) = self.operators.crossover {
            self.cross(kind, population, children, random)?;
        }
        if let Some(Mutation { kind, .. }) = self.operators.mutation {
            self.mutate(kind, children, random)?;
        }
        Ok(())
    }

    /// One operation a step, until all places are taken.
    fn lay_out_steps(&mut self, parents: &[u32], offspring: usize) {
        let wanted = self.operators.crossover.map_or(1, |crossover| crossover.children);
        let mut parents = parents.iter().copied();
        let mut parent = || parents.next().expect("the plan counted the parents");
        let mut child = 0;
        for step in &self.steps {
            match step {
                Step::Clone => self.copies.push(Copy { child, parent: parent() }),
                Step::Mutate => {
                    self.copies.push(Copy { child, parent: parent() });
                    self.mutants.push(child);
                }
                Step::Crossover => {
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
            Some(Crossover { rate, children: wanted, .. }) => {
                let (mut child, always) = (0, rate >= 1.0);
                for pair in parents.chunks_exact(2) {
                    let (first, second) = (pair[0], pair[1]);
                    let children = (wanted as u32).min(offspring as u32 - child);
                    if always || chance(random, rate) {
                        self.pairs.push(Pair { first, second, child, children });
                    } else {
                        self.copies.push(Copy { child, parent: first });
                        if children == 2 {
                            self.copies.push(Copy { child: child + 1, parent: second });
                        }
                    }
                    child += children;
                }
            }
            None => self.copies.extend((0..).zip(parents).map(|(child, parent)| Copy { child, parent: *parent })),
        }
        if let Some(Mutation { rate, .. }) = self.operators.mutation {
            let mutants = &mut self.mutants;
            each_with_rate(random, offspring, rate, |child, _| mutants.push(child as u32));
        }
    }

    fn cross(
        &mut self,
        kind: CrossoverKind,
        population: &Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        if kind == CrossoverKind::Problem {
            return self.cross_by_plugin(population, children, random);
        }
        let bounds = self.bounds;
        let scratch = &mut self.scratch;
        let mut each = Pairs { pairs: &self.pairs, population, children, spare: &mut self.spare };
        match kind {
            CrossoverKind::OnePoint { cut } => each.cross(|a, b, c, d| crossover::one_point(a, b, cut, random, c, d)),
            CrossoverKind::TwoPoint => each.cross(|a, b, c, d| crossover::two_point(a, b, random, c, d)),
            CrossoverKind::Uniform { swap } => each.cross(|a, b, c, d| crossover::uniform(a, b, swap, random, c, d)),
            CrossoverKind::Order => each.cross(|a, b, c, d| crossover::order(a, b, random, scratch, c, d)),
            CrossoverKind::Pmx => each.cross(|a, b, c, d| crossover::pmx(a, b, random, scratch, c, d)),
            CrossoverKind::Cycle => each.cross(|a, b, c, d| crossover::cycle(a, b, scratch, c, d)),
            CrossoverKind::Blend { alpha } => {
                each.cross(|a, b, c, d| crossover::blend(a, b, alpha, bounds, random, c, d));
            }
            CrossoverKind::Sbx { eta } => each.cross(|a, b, c, d| crossover::sbx(a, b, eta, bounds, random, c, d)),
            CrossoverKind::Problem => {}
        }
        Ok(())
    }

    /// The plugin makes one child a pair; a second child comes from the pair the other way round.
    fn cross_by_plugin(
        &mut self,
        population: &Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) -> Result<(), CallError> {
        let length = population.length();
        let rows: usize = self.pairs.iter().map(|pair| pair.children as usize).sum();
        if rows == 0 {
            return Ok(());
        }
        for buffer in [&mut self.first, &mut self.second, &mut self.answers] {
            buffer.resize::<G>(rows * length);
        }
        let firsts = self.first.genes_mut::<G>().chunks_exact_mut(length);
        let seconds = self.second.genes_mut::<G>().chunks_exact_mut(length);
        let mut places = firsts.zip(seconds);
        for pair in &self.pairs {
            let (first, second) = (population.row(pair.first as usize), population.row(pair.second as usize));
            for (one, other) in [(first, second), (second, first)].into_iter().take(pair.children as usize) {
                let (a, b) = places.next().expect("as many places as children");
                a.copy_from_slice(one);
                b.copy_from_slice(other);
            }
        }
        let seed = call_seed(random);
        let answers = self.answers.genes_mut::<G>();
        self.problem.crossover(&seed, 0, self.first.genes::<G>(), self.second.genes::<G>(), answers)?;
        let mut answers = answers.chunks_exact(length);
        for pair in &self.pairs {
            for child in pair.child..pair.child + pair.children {
                let answer = answers.next().expect("as many answers as children");
                children.row_mut(child as usize).copy_from_slice(answer);
            }
        }
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

    fn mutate_by_plugin(&mut self, children: &mut Population<G>, random: &mut Random) -> Result<(), CallError> {
        if self.mutants.is_empty() {
            return Ok(());
        }
        let length = children.length();
        self.answers.resize::<G>(self.mutants.len() * length);
        let rows = self.answers.genes_mut::<G>();
        for (row, mutant) in rows.chunks_exact_mut(length).zip(&self.mutants) {
            row.copy_from_slice(children.row(*mutant as usize));
        }
        self.problem.mutate(&call_seed(random), 0, rows)?;
        for (row, mutant) in rows.chunks_exact(length).zip(&self.mutants) {
            children.row_mut(*mutant as usize).copy_from_slice(row);
        }
        Ok(())
    }
}

/// The pairs of a generation and where their parents and children are.
struct Pairs<'step, G: Gene> {
    pairs: &'step [Pair],
    population: &'step Population<G>,
    children: &'step mut Population<G>,
    spare: &'step mut Population<G>,
}

impl<G: Gene> Pairs<'_, G> {
    /// Crosses each pair: the operator reads two parents and fills two children.
    fn cross(&mut self, mut operator: impl FnMut(&[G], &[G], &mut [G], &mut [G])) {
        let length = self.population.length();
        for pair in self.pairs {
            let (first, second) = (self.population.row(pair.first as usize), self.population.row(pair.second as usize));
            let rows = &mut self.children.genes_mut()[pair.child as usize * length..];
            let (one, rest) = rows.split_at_mut(length);
            let two = if pair.children == 2 { &mut rest[..length] } else { self.spare.row_mut(0) };
            operator(first, second, one, two);
        }
    }
}

/// 32 fresh bytes: what a call of the plugin draws its random numbers from.
pub fn call_seed(random: &mut Random) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    seed
}
