//! Best genome of a trial.

use super::restarts::Point;
use super::snapshot::Snapshot;
use crate::problem::{Gene, Genome, Genomes};
use std::marker::PhantomData;

/// First genome with the best fitness of a trial.
pub(super) struct Best<G> {
    /// Its violation (0 without constraints) and its fitness; `None` before the first evaluation.
    pub key: Option<(f64, f64)>,
    /// Standard error of its fitness; `None` if the fitness has none.
    pub error: Option<f64>,
    /// Generation in which it was found, and the trial's evaluations up to and including its own.
    pub found: Point,
    /// The genome, as one row.
    genome: Genomes,
    gene: PhantomData<G>,
}

impl<G: Gene> Best<G> {
    /// Creates the best genome of a trial that has none yet.
    pub(super) fn new(length: usize) -> Self {
        let genome = Genomes::new::<G>(length);
        Best { key: None, error: None, found: Point::default(), genome, gene: PhantomData }
    }

    /// Writes or reads the genome and its figures.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.key);
        snapshot.save_or_restore(&mut self.error);
        snapshot.save_or_restore(&mut self.found);
        snapshot.save_or_restore_genomes::<G>(&mut self.genome);
    }

    /// Replaces the genome by a better one with this key. `copy` writes its genes.
    #[inline]
    pub(super) fn replace(&mut self, key: (f64, f64), found: Point, copy: impl FnOnce(&mut [G])) {
        copy(self.genome.genes_mut());
        (self.key, self.found) = (Some(key), found);
    }

    /// Returns the genes.
    pub(super) fn genes(&self) -> &[G] {
        self.genome.genes()
    }

    /// Returns the genome as records have it.
    pub(super) fn genome(&self) -> Genome {
        Genome::from_genes(self.genes())
    }

    /// Returns the fitness; `None` before the first evaluation.
    pub(super) fn fitness(&self) -> Option<f64> {
        self.key.map(|(_, fitness)| fitness)
    }

    /// Returns the violation; 0 before the first evaluation.
    pub(super) fn violation(&self) -> f64 {
        self.key.map_or(0.0, |(violation, _)| violation)
    }
}
