//! Rows: a batch of genomes, independent of the kind of gene.

use crate::problem::{Gene, GeneKind, Genome};

/// Whole genomes to read, row-major.
#[derive(Clone, Copy)]
pub(in crate::problem) struct Rows<'genes> {
    pub kind: GeneKind,
    pub bytes: &'genes [u8],
}

/// Whole genomes to write, row-major.
pub(in crate::problem) struct RowsMut<'genes> {
    pub kind: GeneKind,
    pub bytes: &'genes mut [u8],
}

impl<'genes> Rows<'genes> {
    #[inline]
    pub(in crate::problem) fn of<G: Gene>(genes: &'genes [G]) -> Self {
        Rows { kind: G::KIND, bytes: bytemuck::cast_slice(genes) }
    }

    /// Returns the row of one genome.
    pub(in crate::problem) fn of_genome(genome: &'genes Genome) -> Self {
        match genome {
            Genome::U8(genes) => Rows::of(genes),
            Genome::U16(genes) => Rows::of(genes),
            Genome::U32(genes) => Rows::of(genes),
            Genome::F64(genes) => Rows::of(genes),
        }
    }
}

impl<'genes> RowsMut<'genes> {
    #[inline]
    pub(in crate::problem) fn of<G: Gene>(genes: &'genes mut [G]) -> Self {
        RowsMut { kind: G::KIND, bytes: bytemuck::cast_slice_mut(genes) }
    }

    /// Returns the rows for reading.
    pub(in crate::problem) fn as_rows(&self) -> Rows<'_> {
        Rows { kind: self.kind, bytes: self.bytes }
    }
}
