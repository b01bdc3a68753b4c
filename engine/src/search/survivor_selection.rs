//! Survivor selection: from parents and children to the next population.

use super::merit::{Merits, Use};
use super::population::Population;
use crate::operators::{Constraints, Order, Replacement, replacement};
use crate::problem::Gene;
use crate::random::draws::Random;
use std::mem::swap;

/// Replaces populations; its buffers serve one generation after the other.
pub struct SurvivorSelection<G> {
    /// Takes the next population where it cannot be made in place.
    next: Population<G>,
    order: Order,
    constraints: Option<Constraints>,
    merits: Merits,
}

impl<G: Gene> SurvivorSelection<G> {
    /// `next`: one as large as those that are replaced.
    pub fn new(next: Population<G>, constraints: Option<Constraints>) -> Self {
        let (order, merits) = (Order::default(), Merits::default());
        SurvivorSelection { next, order, constraints, merits }
    }

    /// Turns `population` into the next one. The children's rows hold no meaning afterwards.
    #[inline]
    pub fn replace(
        &mut self,
        replacement: Replacement,
        population: &mut Population<G>,
        children: &mut Population<G>,
        random: &mut Random,
    ) {
        if replacement == Replacement::Generational {
            return swap(population, children);
        }
        let SurvivorSelection { next, order, constraints, merits } = self;
        // With constraints, of parents and children: what stands in place of their fitness.
        let merits = constraints
            .map(|constraints| merits.of(constraints, Use::Order, &[population, children]));
        let (old, new) = match merits {
            None => (&population.fitness[..], &children.fitness[..]),
            Some(merits) => merits.split_at(population.rows()),
        };
        match replacement {
            Replacement::Generational => {}
            Replacement::Elitism { elite } => {
                let survivors = replacement::best(old, elite, random, order);
                for (row, parent) in survivors.iter().enumerate() {
                    next.copy_row(row, population, *parent as usize);
                }
                next.copy_rest(population, numbered(survivors));
                next.copy_rows(elite, children, 0..children.rows());
                swap(population, next);
            }
            Replacement::Plus { ties, .. } => {
                let survivors = replacement::plus(old, new, ties, random, order);
                // Children are numbered after the parents.
                let parents = population.rows();
                for (row, survivor) in survivors.iter().enumerate() {
                    let survivor = *survivor as usize;
                    match survivor.checked_sub(parents) {
                        None => next.copy_row(row, population, survivor),
                        Some(child) => next.copy_row(row, children, child),
                    }
                }
                let is_parent = |row: &(usize, usize)| row.1 < parents;
                next.copy_rest(population, numbered(survivors).filter(is_parent));
                let of_children = numbered(survivors)
                    .filter_map(|(row, survivor)| Some((row, survivor.checked_sub(parents)?)));
                next.copy_rest(children, of_children);
                swap(population, next);
            }
            Replacement::Comma { .. } => {
                let survivors = replacement::best(new, population.rows(), random, order);
                for (row, child) in survivors.iter().enumerate() {
                    population.copy_row(row, children, *child as usize);
                }
                population.copy_rest(children, numbered(survivors));
            }
            Replacement::SteadyState { offspring } => {
                let replaced = replacement::worst(old, offspring, random, order);
                for (child, row) in replaced.iter().enumerate() {
                    population.copy_row(*row as usize, children, child);
                }
                let rows = numbered(replaced).map(|(child, row)| (row, child));
                population.copy_rest(children, rows);
            }
        }
    }
}

/// Each row with its place.
fn numbered(rows: &[u32]) -> impl Iterator<Item = (usize, usize)> {
    rows.iter().map(|row| *row as usize).enumerate()
}
