//! Survivor selection: makes the next population from parents and children.

use super::clock::Clock;
use super::halt::Halt;
use super::population::Population;
use super::ranking::Ranking;
use crate::operators::{Order, Replacement, replacement};
use crate::problem::Gene;
use crate::random::draws::{Random, below};
use std::iter::once;
use std::mem::swap;

/// Replacement of populations. Its buffers are kept from generation to generation.
pub struct SurvivorSelection<G> {
    replacement: Replacement,
    /// Buffer for the next population if it cannot be made in place.
    next: Population<G>,
    order: Order,
}

impl<G: Gene> SurvivorSelection<G> {
    /// Creates the selection. `next` is a population as large as those that are replaced.
    pub fn new(replacement: Replacement, next: Population<G>) -> Self {
        SurvivorSelection { replacement, next, order: Order::default() }
    }

    /// Turns `population` into the next one. The children's rows have no meaning afterwards.
    ///
    /// # Errors
    /// With restricted tournaments, if the deadline passes, or the trial is interrupted.
    #[inline]
    pub(crate) fn replace(
        &mut self,
        population: &mut Population<G>,
        children: &mut Population<G>,
        ranking: &mut Ranking,
        (random, clock): (&mut Random, &Clock<'_>),
    ) -> Result<(), Halt> {
        match self.replacement {
            Replacement::Generational => {
                swap(population, children);
                return Ok(());
            }
            Replacement::RestrictedTournament { window, .. } => {
                let mut compared = 0;
                for child in 0..children.rows() {
                    restricted_tournament(window, population, (children, child), ranking, random);
                    clock.check_comparisons(&mut compared, window)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let SurvivorSelection { replacement, next, order } = self;
        let (old, new) = ranking.scores_of_both(population, children);
        match *replacement {
            Replacement::Generational | Replacement::RestrictedTournament { .. } => {}
            Replacement::Elitism { elite } => {
                next.copy_pairs(population, numbered(replacement::best(old, elite, random, order)));
                next.copy_rows(elite, children, 0..children.rows());
                swap(population, next);
            }
            Replacement::Plus { ties, .. } => {
                let survivors = numbered(replacement::plus(old, new, ties, random, order));
                // Children are numbered after the parents.
                let parents = population.rows();
                next.copy_pairs(population, survivors.clone().filter(|(_, row)| *row < parents));
                let of_children = |(to, row): (usize, usize)| Some((to, row.checked_sub(parents)?));
                next.copy_pairs(children, survivors.filter_map(of_children));
                swap(population, next);
            }
            Replacement::Comma { .. } => {
                let survivors = replacement::best(new, population.rows(), random, order);
                population.copy_pairs(children, numbered(survivors));
            }
            Replacement::SteadyState { offspring } => {
                let replaced = replacement::worst(old, offspring, random, order);
                population
                    .copy_pairs(children, numbered(replaced).map(|(child, row)| (row, child)));
            }
        }
        Ok(())
    }
}

/// Lets a child replace the individual that is most like it among `window` random ones, if the
/// child is better. Among equally like ones, the first drawn competes.
fn restricted_tournament<G: Gene>(
    window: usize,
    population: &mut Population<G>,
    (children, child): (&Population<G>, usize),
    ranking: &Ranking,
    random: &mut Random,
) {
    let draws = (0..window).map(|_| {
        let row = below(random, population.rows());
        (population.metric().distance(children.row(child), population.row(row)), row)
    });
    let nearest = draws.reduce(|nearest, next| if next.0 < nearest.0 { next } else { nearest });
    let Some((_, row)) = nearest else { return };
    if ranking.worsening(children.figures_of(child), population.figures_of(row)) < 0.0 {
        population.copy_pairs(children, once((row, child)));
    }
}

/// Returns each row with its place.
fn numbered(rows: &[u32]) -> impl Iterator<Item = (usize, usize)> + Clone {
    rows.iter().map(|row| *row as usize).enumerate()
}
