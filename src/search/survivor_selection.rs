//! Survivor selection: from parents and children to the next population.

use super::population::Population;
use crate::operators::{Order, Replacement, replacement};
use crate::problem::Gene;
use crate::random::draws::Random;
use std::mem::swap;

/// Replaces populations; its buffers serve one generation after the other.
pub(super) struct SurvivorSelection<G> {
    /// Takes the next population where it cannot be made in place.
    next: Population<G>,
    order: Order,
}

impl<G: Gene> SurvivorSelection<G> {
    pub(super) fn new(population: usize, genome_length: usize) -> Self {
        let next = Population::new(population, genome_length);
        SurvivorSelection { next, order: Order::default() }
    }

    /// Turns `population` into the next one. The children's rows hold no meaning afterwards.
    #[inline]
    pub(super) fn replace(
        &mut self,
        replacement: Replacement,
        population: &mut Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) {
        let (next, order) = (&mut self.next, &mut self.order);
        match replacement {
            Replacement::Generational => swap(population, children),
            Replacement::Elitism { elite } => {
                let survivors = replacement::best(&population.fitness, elite, random, order);
                for (row, parent) in survivors.iter().enumerate() {
                    next.copy_row(row, population, *parent as usize);
                }
                next.copy_rows(elite, children, 0..children.rows());
                swap(population, next);
            }
            Replacement::Plus { ties, .. } => {
                let (parents, fitness) = (&population.fitness, &children.fitness);
                let survivors = replacement::plus(parents, fitness, ties, random, order);
                // Children are numbered after the parents.
                let parents = population.rows();
                for (row, survivor) in survivors.iter().enumerate() {
                    let survivor = *survivor as usize;
                    match survivor.checked_sub(parents) {
                        None => next.copy_row(row, population, survivor),
                        Some(child) => next.copy_row(row, children, child),
                    }
                }
                swap(population, next);
            }
            Replacement::Comma { .. } => {
                let count = population.rows();
                let survivors = replacement::best(&children.fitness, count, random, order);
                for (row, child) in survivors.iter().enumerate() {
                    population.copy_row(row, children, *child as usize);
                }
            }
            Replacement::SteadyState { offspring } => {
                let replaced = replacement::worst(&population.fitness, offspring, random, order);
                for (child, row) in replaced.iter().enumerate() {
                    population.copy_row(*row as usize, children, child);
                }
            }
        }
    }
}
