//! Footprints: the memory that a search needs, calculated before any is allocated.

use crate::problem::Description;

/// Memory that a search needs for the trial that it runs. It is a lower bound, because it excludes
/// a plugin's own memory and small buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Number of genomes kept at a time.
    pub genomes: u64,
    /// Number of genes in a genome.
    pub genome_length: u64,
    /// Size of a gene in bytes.
    pub gene: u64,
    /// Bytes of everything else: fitness, parents, the plan of a generation.
    pub overhead: u128,
}

/// Bytes of a trace row without its genome.
pub const OF_TRACE_ROW: u128 = 48;
/// Bytes per gene of a finished trial's best genome, on the way into the tables.
const OF_RECORDED_GENE: u128 = 16;

impl Footprint {
    /// Creates the footprint of a search that keeps this number of genomes in addition to its best.
    /// `overhead` is the number of further bytes.
    #[must_use]
    pub fn new(problem: &Description, genomes: u64, overhead: u128) -> Self {
        Footprint {
            genomes: genomes + 1,
            genome_length: problem.genome_length as u64,
            gene: problem.gene.size() as u64,
            overhead,
        }
    }

    /// Creates the footprint of a search that keeps a batch of genomes with their fitness.
    #[must_use]
    pub fn of_batch(problem: &Description, rows: usize) -> Self {
        Footprint::new(problem, rows as u64, u128::from(rows as u64) * 8)
    }

    /// Adds a trace of `rows` rows with genomes. A trial keeps the genomes until it ends, and holds
    /// them twice when it passes them on. `None` if nothing bounds the number of rows; it adds
    /// nothing.
    #[must_use]
    pub fn with_trace(self, rows: Option<u64>) -> Self {
        let row = OF_TRACE_ROW + 2 * u128::from(self.genome_length) * u128::from(self.gene);
        let trace = u128::from(rows.unwrap_or(0)).saturating_mul(row);
        Footprint { overhead: self.overhead.saturating_add(trace), ..self }
    }

    /// Returns the total bytes of one search.
    #[must_use]
    pub fn bytes(&self) -> u128 {
        u128::from(self.genomes) * u128::from(self.genome_length) * u128::from(self.gene)
            + self.overhead
    }

    /// Returns the bytes of one finished trial on its way into the tables.
    #[must_use]
    pub fn record(&self) -> u128 {
        u128::from(self.genome_length) * (u128::from(self.gene) + OF_RECORDED_GENE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Bounds, Encoding, GeneKind, Noise};

    fn problem(encoding: Encoding, gene: GeneKind, genome_length: usize) -> Description {
        Description {
            encoding,
            gene,
            genome_length,
            bounds: Bounds::Uniform { low: 0.0, high: 1.0 },
            ideal: None,
            worst: None,
            tolerance: 0.0,
            worst_tolerance: 0.0,
            space_size: None,
            has_crossover: false,
            has_mutate: false,
            has_is_valid: false,
            has_render: false,
            has_violations: false,
            has_conflicts: false,
            has_construct: false,
            state_size: 0,
            has_reversals: false,
            has_insertions: false,
            noise: Noise::Absent,
        }
    }

    #[test]
    fn genomes_make_most_of_it() {
        let footprint =
            Footprint::of_batch(&problem(Encoding::Bits, GeneKind::U8, 1_000_000), 100_000);
        assert_eq!(footprint.bytes(), 100_001_000_000 + 800_000);
        assert_eq!(footprint.record(), 17_000_000);
    }

    #[test]
    fn the_largest_genomes_do_not_overflow() {
        let largest = problem(Encoding::Real, GeneKind::F64, u32::MAX as usize);
        let footprint = Footprint::of_batch(&largest, 10_000_000);
        assert_eq!(footprint.bytes(), 10_000_001 * 4_294_967_295 * 8 + 80_000_000);
    }
}
