//! Archive of parents that better children have replaced.
//!
//! Zhang and Sanderson (2009), doi:10.1109/TEVC.2009.2014613.

use crate::random::draws::{Random, below};
use crate::search::snapshot::Snapshot;

/// Genomes of replaced parents, row by row.
#[derive(Debug, Default)]
pub(super) struct Archive {
    genes: Vec<f64>,
    length: usize,
}

impl Archive {
    /// Creates an archive of genomes of this length.
    pub(super) fn new(length: usize) -> Self {
        Archive { genes: Vec::new(), length }
    }

    pub(super) fn clear(&mut self) {
        self.genes.clear();
    }

    /// Writes or reads the genomes.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.genes);
    }

    pub(super) fn count(&self) -> usize {
        self.genes.len() / self.length
    }

    pub(super) fn row(&self, number: usize) -> &[f64] {
        &self.genes[number * self.length..][..self.length]
    }

    pub(super) fn add(&mut self, genome: &[f64]) {
        self.genes.extend_from_slice(genome);
    }

    /// Removes random genomes until at most `most` are left.
    pub(super) fn shrink(&mut self, most: usize, random: &mut Random) {
        for count in (most + 1..=self.count()).rev() {
            let (gone, last) = (below(random, count), count - 1);
            let last = last * self.length..count * self.length;
            self.genes.copy_within(last.clone(), gone * self.length);
            self.genes.truncate(last.start);
        }
    }
}
