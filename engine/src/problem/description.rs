//! Description of a problem: encoding, gene kind, genome length, bounds, ideal and worst fitness.

use super::mixed::MixedGene;
use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// Encoding of a solution in a genome. It determines the applicable operators.
    #[derive(Hash, Serialize, Deserialize)]
    pub enum Encoding {
        /// Each gene is an integer within its bounds.
        Integer = "integer",
        /// A permutation: each of `0..genome_length` occurs once.
        Permutation = "permutation",
        /// Each gene is 0 or 1.
        Bits = "bits",
        /// Each gene is a number within its bounds.
        Real = "real",
        /// Each gene is of a kind of its own: a number, a whole number, a choice or a bit.
        Mixed = "mixed",
        /// The format is known only to the plugin, which provides its own crossover and mutation.
        Opaque = "opaque",
    }
}

named! {
    /// Machine type of a gene.
    #[derive(Hash, Serialize, Deserialize)]
    pub enum GeneKind {
        /// Unsigned 8-bit integer.
        U8 = "u8",
        /// Unsigned 16-bit integer.
        U16 = "u16",
        /// Unsigned 32-bit integer.
        U32 = "u32",
        /// 64-bit floating-point number.
        F64 = "f64",
    }
}

impl GeneKind {
    /// Returns the size of a gene in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            GeneKind::U8 => 1,
            GeneKind::U16 => 2,
            GeneKind::U32 => 4,
            GeneKind::F64 => 8,
        }
    }
}

/// Inclusive range of each gene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Bounds {
    /// No bounds (opaque genes).
    None,
    /// One range for all genes.
    Uniform {
        /// Minimum, inclusive.
        low: f64,
        /// Maximum, inclusive.
        high: f64,
    },
    /// One range per gene; the number of ranges equals the genome length.
    PerGene {
        /// Minimum of each gene, inclusive.
        low: Vec<f64>,
        /// Maximum of each gene, inclusive.
        high: Vec<f64>,
    },
    /// One kind of values per gene, for the mixed encoding alone; as many as the genome has genes.
    Mixed(Vec<MixedGene>),
}

impl Bounds {
    /// Returns the range of gene `locus`; without bounds, the range is all numbers.
    #[must_use]
    pub fn of(&self, locus: usize) -> (f64, f64) {
        match self {
            Bounds::None => (f64::NEG_INFINITY, f64::INFINITY),
            Bounds::Uniform { low, high } => (*low, *high),
            Bounds::PerGene { low, high } => (low[locus], high[locus]),
            Bounds::Mixed(genes) => genes[locus].bounds(),
        }
    }

    /// Returns all minima and all maxima: none, one for all genes, or one per gene.
    #[must_use]
    pub fn ends(&self) -> (Vec<f64>, Vec<f64>) {
        match self {
            Bounds::None => (Vec::new(), Vec::new()),
            Bounds::Uniform { low, high } => (vec![*low], vec![*high]),
            Bounds::PerGene { low, high } => (low.clone(), high.clone()),
            Bounds::Mixed(genes) => genes.iter().map(MixedGene::bounds).unzip(),
        }
    }

    /// Returns the kinds of a mixed genome's genes; empty for other encodings.
    #[must_use]
    pub fn mixed(&self) -> &[MixedGene] {
        if let Bounds::Mixed(genes) = self { genes } else { &[] }
    }
}

/// Noise of a problem's fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Noise {
    /// None: the same genome has the same fitness each time.
    Absent,
    /// Each evaluation draws, and the noiseless fitness is not known.
    NoiselessUnknown,
    /// Each evaluation draws, and the problem also has the noiseless fitness.
    NoiselessKnown,
}

/// Description of an instance of a problem. It is checked when the instance is created: genes fit
/// their kind; bounds are ordered, finite, and present where the encoding needs them. Permutation
/// and bits always have `Uniform` bounds here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Encoding of the genomes; it determines the applicable operators.
    pub encoding: Encoding,
    /// Machine type of the genes.
    pub gene: GeneKind,
    /// Number of genes per genome; at least 1.
    pub genome_length: usize,
    /// Ranges of the genes.
    pub bounds: Bounds,
    /// Minimum possible fitness, or `None` if unknown. With constraints, it is the minimum for
    /// feasible genomes.
    pub ideal: Option<f64>,
    /// Maximum possible fitness, or `None` if unknown.
    pub worst: Option<f64>,
    /// Maximum rounding error of a fitness that equals the ideal, in either direction. At least 0,
    /// and 0 without an ideal.
    pub tolerance: f64,
    /// Maximum amount by which rounding may raise a fitness above the worst. At least 0, and 0
    /// without a worst fitness.
    pub worst_tolerance: f64,
    /// Number of genomes that the plugin can enumerate; `None` if it cannot enumerate.
    pub space_size: Option<u64>,
    /// Whether the plugin provides its own crossover.
    pub has_crossover: bool,
    /// Whether the plugin provides its own mutation.
    pub has_mutate: bool,
    /// Whether the plugin can detect genomes that violate its rules.
    pub has_is_valid: bool,
    /// Whether the plugin can render genomes.
    pub has_render: bool,
    /// Whether the problem has constraints, which genomes may violate.
    pub has_violations: bool,
    /// Whether the plugin can tell which genes are in conflict.
    pub has_conflicts: bool,
    /// Whether the plugin can construct genomes with few conflicts.
    pub has_construct: bool,
    /// Size in bytes of the state that the plugin keeps per genome to evaluate moves. 0 if it
    /// evaluates only whole genomes.
    pub state_size: u64,
    /// Whether the plugin evaluates reversals of segments of a permutation as moves.
    pub has_reversals: bool,
    /// Whether the plugin evaluates insertions of a gene of a permutation as moves.
    pub has_insertions: bool,
    /// Noise of the fitness. A noisy problem has neither constraints nor states.
    pub noise: Noise,
}

impl Description {
    /// Returns whether each evaluation draws its fitness.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.noise != Noise::Absent
    }

    /// Returns the greatest fitness that counts as reaching this target. It is the target itself,
    /// plus the tolerance if the target is the problem's ideal.
    #[must_use]
    pub fn reaching(&self, target: f64) -> f64 {
        if self.ideal == Some(target) { target + self.tolerance } else { target }
    }
}

/// Output format of a rendered genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line of text, for a table cell.
    Line,
    /// Text of several lines, for a terminal.
    Board,
    /// One `<svg>` element.
    Svg,
}
