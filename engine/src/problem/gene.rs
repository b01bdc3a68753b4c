//! Genes and the aligned rows that hold genomes.

use super::description::GeneKind;
use crate::system::aligned::Aligned;
use bytemuck::Pod;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Machine type of genes.
pub trait Gene:
    Pod + PartialEq + PartialOrd + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Kind that plugins declare.
    const KIND: GeneKind;
    /// Converts a number within the gene's bounds; integers are exact up to 2^32.
    fn from_f64(value: f64) -> Self;
    /// Converts the gene to a number, exactly.
    fn to_f64(self) -> f64;
    /// Converts an index (a permutation's element, an integer's offset).
    fn from_index(index: usize) -> Self;
    /// Converts the gene to an index; real genes are truncated to whole numbers.
    fn to_index(self) -> usize;
}

macro_rules! gene {
    ($type:ty, $kind:ident) => {
        impl Gene for $type {
            const KIND: GeneKind = GeneKind::$kind;
            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline]
            fn from_index(index: usize) -> Self {
                index as $type
            }
            #[inline]
            fn to_index(self) -> usize {
                self as usize
            }
        }
    };
}

gene!(u8, U8);
gene!(u16, U16);
gene!(u32, U32);
gene!(f64, F64);

/// Genomes, row-major and contiguous, with the first byte aligned to 64 bytes. The buffer holds one
/// kind of gene at a time.
#[derive(Clone, Default)]
pub struct Genomes(Aligned<u8>);

impl Genomes {
    /// Creates a buffer for `genes` genes (rows x genome length) of kind `G`, all zero.
    #[must_use]
    pub fn new<G: Gene>(genes: usize) -> Self {
        let mut rows = Genomes::default();
        rows.resize::<G>(genes);
        rows
    }

    /// Resizes the buffer to `genes` genes and keeps the genes that fit. Allocates only if the size
    /// exceeds all previous sizes.
    pub fn resize<G: Gene>(&mut self, genes: usize) {
        self.0.resize(genes * size_of::<G>());
    }

    /// Returns all genes, `rows x genome length`.
    #[must_use]
    pub fn genes<G: Gene>(&self) -> &[G] {
        bytemuck::cast_slice(&self.0)
    }

    /// Returns all genes for writing.
    #[must_use]
    pub fn genes_mut<G: Gene>(&mut self) -> &mut [G] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// Copies a genome over another of the same length. Short genomes are copied word by word, because
/// a `memcpy` call with a length unknown at compile time costs more.
#[inline]
pub fn copy_genes<G: Gene>(to: &mut [G], from: &[G]) {
    if size_of_val(from) > 64 {
        to.copy_from_slice(from);
        return;
    }
    let (to_words, to_rest) = bytemuck::cast_slice_mut::<G, u8>(to).as_chunks_mut::<8>();
    let (from_words, from_rest) = bytemuck::cast_slice::<G, u8>(from).as_chunks::<8>();
    for (to, from) in to_words.iter_mut().zip(from_words) {
        *to = *from;
    }
    for (to, from) in to_rest.iter_mut().zip(from_rest) {
        *to = *from;
    }
}

/// Single genome of any kind of gene, as stored in records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Genome {
    /// Genes of 8 bits.
    U8(Vec<u8>),
    /// Genes of 16 bits.
    U16(Vec<u16>),
    /// Genes of 32 bits.
    U32(Vec<u32>),
    /// Floating-point genes.
    F64(Vec<f64>),
}

impl Genome {
    /// Returns the genes as numbers; f64 represents each exactly.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Genome::U8(genes) => genes.iter().map(|gene| f64::from(*gene)).collect(),
            Genome::U16(genes) => genes.iter().map(|gene| f64::from(*gene)).collect(),
            Genome::U32(genes) => genes.iter().map(|gene| f64::from(*gene)).collect(),
            Genome::F64(genes) => genes.clone(),
        }
    }

    /// Converts the genome to another kind of gene, because tables have fewer kinds than problems.
    /// `None` if a gene does not fit.
    #[must_use]
    pub fn of_kind(&self, kind: GeneKind) -> Option<Self> {
        fn whole<G: TryFrom<u32>>(numbers: &[f64]) -> Option<Vec<G>> {
            let exact =
                |number: &f64| Some(*number as u32).filter(|whole| f64::from(*whole) == *number);
            numbers.iter().map(|number| G::try_from(exact(number)?).ok()).collect()
        }
        let numbers = self.numbers();
        Some(match kind {
            GeneKind::U8 => Genome::U8(whole(&numbers)?),
            GeneKind::U16 => Genome::U16(whole(&numbers)?),
            GeneKind::U32 => Genome::U32(whole(&numbers)?),
            GeneKind::F64 => Genome::F64(numbers),
        })
    }

    /// Returns the number of genes.
    #[must_use]
    pub fn length(&self) -> usize {
        match self {
            Genome::U8(genes) => genes.len(),
            Genome::U16(genes) => genes.len(),
            Genome::U32(genes) => genes.len(),
            Genome::F64(genes) => genes.len(),
        }
    }

    /// Splits concatenated genomes into genomes of this length (at least 1).
    pub fn split(&self, length: usize) -> Vec<Genome> {
        fn cut<G: Gene>(genes: &[G], length: usize) -> Vec<Genome> {
            genes.chunks(length).map(Genome::from_genes).collect()
        }
        match self {
            Genome::U8(genes) => cut(genes, length),
            Genome::U16(genes) => cut(genes, length),
            Genome::U32(genes) => cut(genes, length),
            Genome::F64(genes) => cut(genes, length),
        }
    }

    /// Creates a genome as a copy of these genes.
    #[must_use]
    pub fn from_genes<G: Gene>(genes: &[G]) -> Self {
        match G::KIND {
            GeneKind::U8 => Genome::U8(bytemuck::cast_slice(genes).to_vec()),
            GeneKind::U16 => Genome::U16(bytemuck::cast_slice(genes).to_vec()),
            GeneKind::U32 => Genome::U32(bytemuck::cast_slice(genes).to_vec()),
            GeneKind::F64 => Genome::F64(bytemuck::cast_slice(genes).to_vec()),
        }
    }
}

/// Writes the genes as numbers, separated by spaces.
impl fmt::Display for Genome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<G: fmt::Display>(genes: &[G], f: &mut fmt::Formatter<'_>) -> fmt::Result {
            genes.iter().enumerate().try_for_each(|(locus, gene)| {
                let space = if locus == 0 { "" } else { " " };
                write!(f, "{space}{gene}")
            })
        }
        match self {
            Genome::U8(genes) => list(genes, f),
            Genome::U16(genes) => list(genes, f),
            Genome::U32(genes) => list(genes, f),
            Genome::F64(genes) => list(genes, f),
        }
    }
}
