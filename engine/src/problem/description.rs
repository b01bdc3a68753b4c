//! What a problem says of itself: encoding, gene kind, genome length, bounds, ideal and worst
//! fitness.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a genome encodes a solution. Operators follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    /// Each gene is an integer within its bounds.
    Integer,
    /// Each of `0..genome_length` once.
    Permutation,
    /// Each gene is 0 or 1.
    Bits,
    /// Each gene is a number within its bounds.
    Real,
    /// Only the plugin knows; it brings its own crossover and mutation.
    Opaque,
}

impl Encoding {
    /// Every encoding, in the order of the documentation.
    pub const ALL: [Encoding; 5] = [
        Encoding::Integer,
        Encoding::Permutation,
        Encoding::Bits,
        Encoding::Real,
        Encoding::Opaque,
    ];

    /// The name in messages and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Integer => "integer",
            Encoding::Permutation => "permutation",
            Encoding::Bits => "bits",
            Encoding::Real => "real",
            Encoding::Opaque => "opaque",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The machine type of a gene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GeneKind {
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// A floating-point number of 64 bits.
    F64,
}

impl GeneKind {
    /// Bytes a gene takes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            GeneKind::U8 => 1,
            GeneKind::U16 => 2,
            GeneKind::U32 => 4,
            GeneKind::F64 => 8,
        }
    }

    /// Its name in Rust, such as `u8`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GeneKind::U8 => "u8",
            GeneKind::U16 => "u16",
            GeneKind::U32 => "u32",
            GeneKind::F64 => "f64",
        }
    }
}

/// The inclusive range of each gene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Bounds {
    /// The encoding needs none (opaque genes).
    None,
    /// One range for all genes.
    Uniform {
        /// The least value, inclusive.
        low: f64,
        /// The greatest value, inclusive.
        high: f64,
    },
    /// One range per gene, as many as the genome is long.
    PerGene {
        /// The least value of each gene, inclusive.
        low: Vec<f64>,
        /// The greatest value of each gene, inclusive.
        high: Vec<f64>,
    },
}

impl Bounds {
    /// The range of gene `locus`; without bounds, all numbers.
    #[must_use]
    pub fn of(&self, locus: usize) -> (f64, f64) {
        match self {
            Bounds::None => (f64::NEG_INFINITY, f64::INFINITY),
            Bounds::Uniform { low, high } => (*low, *high),
            Bounds::PerGene { low, high } => (low[locus], high[locus]),
        }
    }
}

/// What an instance of a problem is. Checked when the instance is made: genes fit their kind,
/// bounds are ordered and finite and there where the encoding needs them (permutation and bits
/// always have `Uniform` bounds here).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// What its genes mean; decides which operators work on it.
    pub encoding: Encoding,
    /// The machine type of its genes.
    pub gene: GeneKind,
    /// Genes a genome has; at least 1.
    pub genome_length: usize,
    /// The ranges of its genes.
    pub bounds: Bounds,
    /// The least fitness there can be (with constraints: of a feasible genome), if the problem
    /// knows it.
    pub ideal: Option<f64>,
    /// The greatest fitness there can be, if the problem knows it.
    pub worst: Option<f64>,
    /// How far rounding may take a fitness from the ideal that it is, to either side; at least 0,
    /// and 0 without an ideal.
    pub tolerance: f64,
    /// How far rounding may take a fitness above the worst; likewise.
    pub worst_tolerance: f64,
    /// How many genomes the plugin can enumerate, if it can.
    pub space_size: Option<u64>,
    /// Which optional calls the plugin brings.
    pub has_crossover: bool,
    /// Whether it mutates its own genomes.
    pub has_mutate: bool,
    /// Whether it can tell genomes that break its rules.
    pub has_is_valid: bool,
    /// Whether it can draw genomes.
    pub has_render: bool,
    /// Whether it has constraints, which genomes may violate.
    pub has_violations: bool,
    /// Bytes of the state that it keeps beside a genome to evaluate moves; 0 where it evaluates
    /// whole genomes alone.
    pub state_size: u64,
}

impl Description {
    /// The greatest fitness that reaches this target: the target itself, or, where that is the
    /// problem's ideal, what rounding may make of it.
    #[must_use]
    pub fn reaching(&self, target: f64) -> f64 {
        if self.ideal == Some(target) { target + self.tolerance } else { target }
    }
}
