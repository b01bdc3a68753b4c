//! Subjects of the checks: the code that trials run or, in tests, a mutant of it.

use super::constraints::Row;
use crate::operators::{Constraints, Order, Replacement, Ties, replacement};
use crate::problem::{Gene, Problem};
use crate::random::draws::Random;
use crate::search::clock::Clock;
use crate::search::parent_selection::ParentSelection;
use crate::search::population::Population;
use crate::search::ranking::Ranking;
use crate::search::survivor_selection::SurvivorSelection;
use crate::search::variation::Variation;
use crate::search::{Algorithm, Evolutionary};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

/// Code that is certified. Genes of several rows are in row-major order.
pub trait Subject {
    /// Draws parents from a population of this fitness.
    fn choose(&self, set: &Evolutionary, fitness: &[f64], random: &mut Random, parents: &mut [u32]);

    /// Makes `offspring` children of the rows of `genes`. `parents` returns the requested number of
    /// parents.
    fn vary(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[u8],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<u8>;

    /// Makes children as [`vary`](Self::vary) does, but of real genes.
    fn vary_real(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[f64],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<f64>;

    /// Returns the rows that survive: the `count` best of `parents`.
    fn best(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32>;
    /// Returns the rows that are replaced: the `count` worst.
    fn worst(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32>;
    /// Returns the survivors of parents and children, numbered in this order.
    fn plus(&self, parents: &[f64], children: &[f64], ties: Ties, random: &mut Random) -> Vec<u32>;

    /// Draws parents from a population of a problem with constraints.
    fn choose_constrained(
        &self,
        set: &Evolutionary,
        constraints: Constraints,
        rows: &[Row],
        random: &mut Random,
        parents: &mut [u32],
    );

    /// Returns the survivors of parents and children of a problem with constraints, numbered in
    /// this order. Uses `plus`; ties are broken at random.
    fn survivors(
        &self,
        constraints: Constraints,
        parents: &[Row],
        children: &[Row],
        random: &mut Random,
    ) -> Vec<u32>;

    /// Returns the algorithm that is certified as a whole.
    fn algorithm(&self, algorithm: Arc<dyn Algorithm>) -> Arc<dyn Algorithm> {
        algorithm
    }
}

/// Subject that is the code that trials run.
pub struct Trials;

impl Subject for Trials {
    fn choose(
        &self,
        set: &Evolutionary,
        fitness: &[f64],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        ParentSelection::new(set, None).choose_by(fitness, random, parents);
    }

    fn vary(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[u8],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<u8> {
        vary(problem, set, genes, parents, offspring, random)
    }

    fn vary_real(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[f64],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<f64> {
        vary(problem, set, genes, parents, offspring, random)
    }

    fn best(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32> {
        replacement::best(parents, count, random, &mut Order::default()).to_vec()
    }

    fn worst(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32> {
        replacement::worst(parents, count, random, &mut Order::default()).to_vec()
    }

    fn plus(&self, parents: &[f64], children: &[f64], ties: Ties, random: &mut Random) -> Vec<u32> {
        replacement::plus(parents, children, ties, random, &mut Order::default()).to_vec()
    }

    fn choose_constrained(
        &self,
        set: &Evolutionary,
        constraints: Constraints,
        rows: &[Row],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        let population = population(rows, 0);
        let mut ranking = Ranking::new(Some(constraints));
        let interrupt = Interrupt::default();
        let clock = Clock::start(&interrupt, None);
        ParentSelection::new(set, None)
            .choose(&population, &mut ranking, (random, &clock), parents)
            .expect("no plugin chooses");
    }

    fn survivors(
        &self,
        constraints: Constraints,
        parents: &[Row],
        children: &[Row],
        random: &mut Random,
    ) -> Vec<u32> {
        let replacement = Replacement::Plus { offspring: children.len(), ties: Ties::Random };
        let (mut living, mut children) =
            (population(parents, 0), population(children, parents.len()));
        let next = Population::constrained(parents.len(), 1, true);
        let mut ranking = Ranking::new(Some(constraints));
        let mut selection = SurvivorSelection::new(replacement, next);
        let interrupt = Interrupt::default();
        let clock = Clock::start(&interrupt, None);
        selection
            .replace(&mut living, &mut children, &mut ranking, (random, &clock))
            .expect("nothing ends it");
        living.genes().iter().map(|number| u32::from(*number)).collect()
    }
}

/// Creates a population whose genomes are the numbers of its rows.
fn population(rows: &[Row], first: usize) -> Population<u8> {
    let mut made = Population::constrained(rows.len(), 1, true);
    let (genes, fitness, violations) = made.parts_mut();
    for (place, row) in rows.iter().enumerate() {
        genes[place] = (first + place) as u8;
        (fitness[place], violations[place]) = *row;
    }
    made
}

fn vary<G: Gene>(
    problem: &Problem,
    set: &Evolutionary,
    genes: &[G],
    parents: &dyn Fn(usize) -> Vec<u32>,
    offspring: usize,
    random: &mut Random,
) -> Vec<G> {
    let length = problem.description().genome_length;
    let mut population = Population::new(genes.len() / length, length);
    population.genes_mut().copy_from_slice(genes);
    let mut children = Population::new(offspring, length);
    let mut variation = Variation::new(problem, set);
    let needed = variation.plan(offspring, random);
    variation
        .breed(&population, &parents(needed), &mut children, random)
        .expect("the runner's own operators cannot fail");
    children.genes().to_vec()
}
