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
    U8,
    U16,
    U32,
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
    Uniform { low: f64, high: f64 },
    /// One range a gene, as many as the genome is long.
    PerGene { low: Vec<f64>, high: Vec<f64> },
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
    pub encoding: Encoding,
    pub gene: GeneKind,
    /// Genes a genome has; at least 1.
    pub genome_length: usize,
    pub bounds: Bounds,
    /// The least fitness there can be, if the problem knows it.
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
    pub has_mutate: bool,
    pub has_is_valid: bool,
    pub has_render: bool,
}

impl Description {
    /// The greatest fitness that reaches this target: the target itself, or, where that is the
    /// problem's ideal, what rounding may make of it.
    #[must_use]
    pub fn reaching(&self, target: f64) -> f64 {
        if self.ideal == Some(target) { target + self.tolerance } else { target }
    }
}
