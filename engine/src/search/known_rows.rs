//! Known rows: fitness of genomes that a trial evaluated before, so that none is evaluated twice.

use super::batch::Batch;
use super::population::{Population, population_of};
use super::snapshot::Snapshot;
use super::spread::{Spread, evaluate_batch};
use crate::problem::{CallError, Gene, Problem};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::mem::take;

/// Maximum number of bytes of the genomes of each of the two tables, with what the table needs per
/// genome.
const TABLE: usize = 32 << 20;
/// Number of bytes that a table needs per genome, next to the genome.
const PER_GENOME: usize = 64;

/// Fitness and violation of a genome.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Entry {
    Known((f64, f64)),
    /// Row of the batch that is evaluated now.
    Pending(usize),
}

/// Genomes with their fitness, in two tables. Once the recent one is full it replaces the earlier
/// one, and a new one begins: what was not met for the longest time is forgotten, and memory stays
/// bounded. All decisions follow from the trial's genomes alone.
pub(super) struct KnownRows<G> {
    /// Number of genomes that fill the recent table.
    full: usize,
    recent: HashMap<Box<[u8]>, Entry>,
    earlier: HashMap<Box<[u8]>, Entry>,
    /// Genomes of a batch that are not known.
    fresh: Population<G>,
    /// Entry of each row of a batch.
    entries: Vec<Entry>,
    /// Number of rows of the trial whose fitness was known.
    pub saved: u64,
}

impl<G: Gene> KnownRows<G> {
    pub(super) fn new(problem: &Problem) -> Self {
        let description = problem.description();
        let genome = size_of::<G>() * description.genome_length + PER_GENOME;
        KnownRows {
            full: (TABLE / genome).max(1),
            recent: HashMap::new(),
            earlier: HashMap::new(),
            fresh: population_of(problem, 1),
            entries: Vec::new(),
            saved: 0,
        }
    }

    /// Takes in the fitness of a genome that was evaluated elsewhere.
    pub(super) fn learn(&mut self, genome: &[G], fitness: f64) {
        self.recent.insert(bytes_of(genome).into(), Entry::Known((fitness, 0.0)));
    }

    /// Forgets the genomes of the previous trial.
    pub(super) fn forget(&mut self) {
        (self.recent, self.earlier, self.saved) = (HashMap::new(), HashMap::new(), 0);
    }

    /// Writes or reads both tables.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.recent);
        snapshot.save_or_restore(&mut self.earlier);
        snapshot.save_or_restore(&mut self.saved);
    }

    /// Evaluates the first rows of a population: each genome that is not known, once.
    pub(super) fn evaluate(
        &mut self,
        problem: &Problem,
        spread: Option<&Spread>,
        (population, rows): (&mut Population<G>, usize),
    ) -> Result<(), CallError> {
        if self.recent.len() >= self.full {
            self.earlier = take(&mut self.recent);
        }
        if self.fresh.rows() < rows {
            self.fresh = population_of(problem, rows);
        }
        self.entries.clear();
        let mut unknown = 0;
        for row in 0..rows {
            let genome = population.row(row);
            let entry = self.find(bytes_of(genome)).unwrap_or_else(|| {
                let entry = Entry::Pending(unknown);
                self.fresh.row_mut(unknown).copy_from_slice(genome);
                self.recent.insert(bytes_of(genome).into(), entry);
                unknown += 1;
                entry
            });
            self.entries.push(entry);
        }
        if unknown > 0 {
            evaluate_batch(problem, spread, &mut Batch::first(&mut self.fresh, unknown))?;
        }
        for row in 0..unknown {
            if let Some(entry) = self.recent.get_mut(bytes_of(self.fresh.row(row))) {
                *entry = Entry::Known(self.fresh.figures_of(row));
            }
        }
        self.saved += (rows - unknown) as u64;
        for (row, entry) in self.entries.iter().enumerate() {
            let figures = match *entry {
                Entry::Known(figures) => figures,
                Entry::Pending(row) => self.fresh.figures_of(row),
            };
            population.set_figures(row, figures);
        }
        Ok(())
    }

    /// Returns the rows whose genome is known, or the same as that of an earlier row.
    pub(super) fn repeated(&self, population: &Population<G>) -> Vec<usize> {
        let mut met = HashSet::new();
        let is_repeated = |row: &usize| {
            let genome = bytes_of(population.row(*row));
            let is_known = self.recent.contains_key(genome) || self.earlier.contains_key(genome);
            !met.insert(genome) || is_known
        };
        (0..population.rows()).filter(is_repeated).collect()
    }

    /// Returns the entry of a genome, which is among the recent ones from then on.
    fn find(&mut self, genome: &[u8]) -> Option<Entry> {
        if let Some(entry) = self.recent.get(genome) {
            return Some(*entry);
        }
        let (genome, entry) = self.earlier.remove_entry(genome)?;
        self.recent.insert(genome, entry);
        Some(entry)
    }
}

/// Returns the bytes of a genome.
fn bytes_of<G: Gene>(genome: &[G]) -> &[u8] {
    bytemuck::cast_slice(genome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::fixtures::digits;

    /// Full tables forget what was not met for the longest time, and stay correct.
    #[test]
    fn memory_is_bounded() {
        let problem = digits(1);
        let mut known = KnownRows::<u8>::new(&problem);
        known.full = 2;
        let mut evaluate = |genes: &[u8]| {
            let mut population = population_of(&problem, genes.len());
            population.genes_mut().copy_from_slice(genes);
            let before = known.saved;
            known.evaluate(&problem, None, (&mut population, genes.len())).expect("it evaluates");
            let sums: Vec<f64> = genes.iter().map(|gene| f64::from(*gene)).collect();
            assert_eq!(*population.fitness, sums);
            assert!(known.recent.len() + known.earlier.len() <= 2 * 2 + 2 * genes.len());
            known.saved - before
        };
        assert_eq!(evaluate(&[1, 1]), 1);
        assert_eq!(evaluate(&[2, 1]), 1);
        // 1 and 2 are the earlier ones from here on; 1 is met again.
        assert_eq!(evaluate(&[3, 1]), 1);
        assert_eq!(evaluate(&[4, 5]), 0);
        // 3 and 1 are the earlier ones; 2 is forgotten.
        assert_eq!(evaluate(&[2]), 0);
        assert_eq!(evaluate(&[4]), 1);
    }
}
