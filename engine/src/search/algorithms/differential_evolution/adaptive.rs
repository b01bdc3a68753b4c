//! Differential evolution whose parameters adapt: current-to-pbest/1/bin with an archive.
//!
//! Zhang and Sanderson (2009), doi:10.1109/TEVC.2009.2014613 (JADE); Tanabe and Fukunaga (2013),
//! doi:10.1109/CEC.2013.6557555 (SHADE); Tanabe and Fukunaga (2014),
//! doi:10.1109/CEC.2014.6900380 (L-SHADE).

use super::adaptation::{Drawn, Memory, Rule};
use super::archive::Archive;
use super::donors::{LEAST, best_rows, find_best, other_than, others};
use crate::operators::Order;
use crate::random::draws::{Random, below, chance, unit};
use crate::search::algorithms::prelude::*;
use crate::search::ranking::Use;
use std::iter::once;

/// Share of the population that counts as the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Best {
    /// One share for all children.
    Share(f64),
    /// Drawn for each child, up to this share.
    UpTo(f64),
}

/// Differences of the algorithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Design {
    /// Number of individuals in the first generation; at least 4.
    pub population: usize,
    /// Size of the archive, as a multiple of the population.
    pub archive: f64,
    pub best: Best,
    pub rule: Rule,
    /// Whether a child that equals its parent in fitness replaces it.
    pub takes_equal: bool,
    /// Whether the population shrinks to the least as the budget is spent.
    pub shrinks: bool,
}

impl Design {
    /// Returns the memory that a trial needs: individuals, children, and the archive.
    pub(super) fn footprint(&self, problem: &Description) -> Footprint {
        // Until the generation ends, the archive has all replaced parents.
        let archive = self.archive_size(self.population) + self.population;
        Footprint::of_batch(problem, 2 * self.population + archive)
    }

    fn archive_size(&self, rows: usize) -> usize {
        (self.archive * rows as f64).round() as usize
    }
}

/// State of the search.
pub(super) struct Adaptive<'arm> {
    problem: &'arm Problem,
    design: Design,
    population: Population<f64>,
    children: Population<f64>,
    /// Weight and crossover rate of each child.
    drawn: Vec<Drawn>,
    memory: Memory,
    archive: Archive,
    order: Order,
    /// Rows, the best first, as many as a child may choose from.
    best: Vec<u32>,
    /// Evaluations of the whole trial.
    budget: usize,
}

impl<'arm> Adaptive<'arm> {
    pub(super) fn new(problem: &'arm Problem, design: Design) -> Self {
        Adaptive {
            problem,
            design,
            population: population_of(problem, design.population),
            children: population_of(problem, design.population),
            drawn: Vec::new(),
            memory: Memory::new(design.rule),
            archive: Archive::new(problem.description().genome_length),
            order: Order::default(),
            best: Vec::new(),
            budget: 0,
        }
    }

    /// Finds the best rows that children choose from.
    fn find_best(&mut self, trial: &mut Trial<'_, f64>) {
        let (Best::Share(share) | Best::UpTo(share)) = self.design.best;
        let count = best_rows(share, self.population.rows());
        find_best(count, &self.population, trial, &mut self.order, &mut self.best);
    }

    /// Draws the number of best rows that a child chooses from.
    fn draw_best(&self, random: &mut Random) -> usize {
        let rows = self.population.rows();
        match self.design.best {
            Best::Share(_) => self.best.len(),
            Best::UpTo(high) => {
                let low = 2.0 / rows as f64;
                best_rows(low + unit(random) * (high - low).max(0.0), rows)
            }
        }
    }

    /// Makes the child of a row: current-to-pbest/1/bin with an archive (L-SHADE: equations 3 to
    /// 5).
    fn breed(&mut self, row: usize, random: &mut Random) {
        let drawn = self.memory.draw(random);
        self.drawn.push(drawn);
        let count = self.draw_best(random);
        let Adaptive { problem, population, children, archive, best, .. } = self;
        let rows = population.rows();
        let toward = best[below(random, count)] as usize;
        let [plus] = others(row, rows, random);
        // One of the population and the archive.
        let minus = other_than(&mut [row, plus], rows + archive.count(), random);
        let minus = match minus.checked_sub(rows) {
            Some(number) => archive.row(number),
            None => population.row(minus),
        };
        let [parent, toward, plus] = [row, toward, plus].map(|at| population.row(at));
        let child = children.row_mut(row);
        let always = below(random, child.len());
        for (locus, gene) in child.iter_mut().enumerate() {
            // The gene that always comes from the mutant draws no number.
            *gene = if locus == always || chance(random, drawn.crossover_rate) {
                let mutant = parent[locus]
                    + drawn.weight * (toward[locus] - parent[locus])
                    + drawn.weight * (plus[locus] - minus[locus]);
                halfway(mutant, parent[locus], problem.description().bounds.of(locus))
            } else {
                parent[locus]
            };
        }
    }

    /// Shrinks the population to its size at this number of evaluations (equation 10). The best
    /// stay.
    fn shrink(&mut self, trial: &mut Trial<'_, f64>) {
        let (first, left) = (self.design.population, trial.budget());
        // Without a budget there is nothing to plan for.
        if left == usize::MAX {
            return;
        }
        let spent = (self.budget - left) as f64 / self.budget as f64;
        let rows = (first as f64 - (first - LEAST) as f64 * spent).round() as usize;
        if rows >= self.population.rows() {
            return;
        }
        let scores = trial.ranking.scores(Use::Order, &self.population).iter().copied();
        let kept = self.order.least(scores, rows, 0, &mut trial.random);
        kept.sort_unstable();
        let mut population = population_of(self.problem, rows);
        let pairs = kept.iter().enumerate().map(|(to, from)| (to, *from as usize));
        population.copy_pairs(&self.population, pairs);
        self.population = population;
        self.children = population_of(self.problem, rows);
    }
}

/// Returns a gene within its bounds. A gene beyond a bound becomes the midpoint of the parent's
/// gene and the bound.
fn halfway(gene: f64, parent: f64, (low, high): (f64, f64)) -> f64 {
    if gene < low {
        0.5 * low + 0.5 * parent
    } else if gene > high {
        0.5 * high + 0.5 * parent
    } else {
        gene
    }
}

impl Search for Adaptive<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        if self.population.rows() != self.design.population {
            self.population = population_of(self.problem, self.design.population);
            self.children = population_of(self.problem, self.design.population);
        }
        self.memory.clear();
        self.archive.clear();
        self.budget = trial.budget();
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        self.find_best(trial);
        self.drawn.clear();
        for row in 0..self.population.rows() {
            self.breed(row, &mut trial.random);
        }
        trial.evaluate(&mut self.children)?;
        let Adaptive { population, children, archive, memory, drawn, design, .. } = self;
        for (row, drawn) in drawn.iter().enumerate() {
            let (new, old) = (children.figures_of(row), population.figures_of(row));
            let worse = trial.ranking.worsening(new, old);
            if worse < 0.0 {
                archive.add(population.row(row));
                memory.note(*drawn, -worse);
            }
            if worse < 0.0 || worse <= 0.0 && design.takes_equal {
                population.copy_pairs(children, once((row, row)));
            }
        }
        memory.learn();
        if design.shrinks {
            self.shrink(trial);
        }
        let most = self.design.archive_size(self.population.rows());
        self.archive.shrink(most, &mut trial.random);
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.population.save_or_restore(snapshot);
        self.memory.save_or_restore(snapshot);
        self.archive.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.budget);
        if self.children.rows() != self.population.rows() {
            self.children = population_of(self.problem, self.population.rows());
        }
    }

    fn population(&self) -> &Population<f64> {
        &self.population
    }
}
