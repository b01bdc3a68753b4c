//! Description of an instance.

use crate::{MixedGene, abi};

/// Noise of an instance's fitness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub enum Noise {
    /// None: the same genome has the same fitness each time.
    #[default]
    Absent = abi::RUNNER_EXACT,
    /// Each evaluation draws. The noiseless fitness is not known, and
    /// [`fitness`](crate::Problem::fitness) is not called.
    NoiselessUnknown = abi::RUNNER_NOISY,
    /// Each evaluation draws. [`fitness`](crate::Problem::fitness) is the noiseless fitness, which
    /// the ideal and the worst bound.
    NoiselessKnown = abi::RUNNER_NOISELESS,
}

/// Description of a problem's instance: encoding, genome length, bounds, ideal and worst fitness.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub(crate) encoding: u32,
    pub(crate) length: usize,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    pub(crate) ideal: f64,
    pub(crate) worst: f64,
    pub(crate) space_size: u64,
    pub(crate) tolerance: f64,
    pub(crate) noise: Noise,
    pub(crate) genes: Vec<MixedGene>,
}

impl Description {
    fn new(encoding: u32, length: usize) -> Self {
        Description {
            encoding,
            length,
            low: Vec::new(),
            high: Vec::new(),
            ideal: f64::NAN,
            worst: f64::NAN,
            space_size: 0,
            tolerance: f64::NAN,
            noise: Noise::Absent,
            genes: Vec::new(),
        }
    }

    /// Each of `length` genes is an integer in `low..=high`.
    #[must_use]
    pub fn integers(length: usize, low: u32, high: u32) -> Self {
        Description::new(abi::RUNNER_ENCODING_INTEGER, length)
            .bounds(vec![low.into()], vec![high.into()])
    }

    /// Each of `0..length` exactly once.
    #[must_use]
    pub fn permutation(length: usize) -> Self {
        Description::new(abi::RUNNER_ENCODING_PERMUTATION, length)
    }

    /// `length` genes, each 0 or 1. The gene is `u8`.
    #[must_use]
    pub fn bits(length: usize) -> Self {
        Description::new(abi::RUNNER_ENCODING_BITS, length)
    }

    /// Each of `length` genes is a number between `low` and `high`. The gene is `f64`.
    #[must_use]
    pub fn reals(length: usize, low: f64, high: f64) -> Self {
        Description::new(abi::RUNNER_ENCODING_REAL, length).bounds(vec![low], vec![high])
    }

    /// Describes genes that differ in kind: numbers, whole numbers, choices and bits. The gene is
    /// `f64`. A choice is the index of its word, and tables show the word.
    #[must_use]
    pub fn mixed(genes: Vec<MixedGene>) -> Self {
        let described = Description::new(abi::RUNNER_ENCODING_MIXED, genes.len());
        Description { genes, ..described }
    }

    /// The genes of a mixed genome; none for other encodings.
    #[must_use]
    pub fn genes(&self) -> &[MixedGene] {
        &self.genes
    }

    /// `length` genes that only this plugin understands: it provides its own crossover and
    /// mutation.
    #[must_use]
    pub fn opaque(length: usize) -> Self {
        Description::new(abi::RUNNER_ENCODING_OPAQUE, length)
    }

    /// Inclusive bounds: one pair for all genes, or one per gene.
    #[must_use]
    pub fn bounds(mut self, low: Vec<f64>, high: Vec<f64>) -> Self {
        assert_eq!(low.len(), high.len(), "as many lower as upper bounds are needed");
        self.low = low;
        self.high = high;
        self
    }

    /// Sets the lowest possible fitness: a genome with it, up to [`tolerance`](Self::tolerance), is
    /// a solution. The host reports a lower fitness as a fault. With constraints it is that of the
    /// best feasible genome; an infeasible one may have less.
    #[must_use]
    pub fn ideal(mut self, fitness: f64) -> Self {
        self.ideal = fitness;
        self
    }

    /// The highest possible fitness. The host reports a higher fitness, beyond rounding, as a
    /// fault.
    #[must_use]
    pub fn worst(mut self, fitness: f64) -> Self {
        self.worst = fitness;
        self
    }

    /// Sets the largest distance by which rounding may move the fitness of an ideal genome from it,
    /// in either direction; at least 0. A fitness within it counts as reaching the ideal. 0 means
    /// that fitness is exact, as counts are. The default is 1e-9, or 1e-12 x |ideal| if that is
    /// larger, and at most a millionth of worst - ideal: state it if the scale of fitness is far
    /// from 1.
    #[must_use]
    pub fn tolerance(mut self, fitness: f64) -> Self {
        self.tolerance = fitness;
        self
    }

    /// Sets the number of genomes of [`ENUMERATE`](crate::Problem::ENUMERATE); 0 if none.
    #[must_use]
    pub fn space_size(mut self, genomes: u64) -> Self {
        self.space_size = genomes;
        self
    }

    /// Noise of the fitness. A noisy instance needs
    /// [`NOISY_FITNESS`](crate::Problem::NOISY_FITNESS), has no constraints, and is not asked for
    /// moves.
    #[must_use]
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }
}
