//! A batch of genomes, of any kind of gene.

use crate::problem::{Description, Gene, GeneKind, Genome};

/// Evaluates an expression with a name for the type of this kind of gene.
macro_rules! of_kind {
    ($kind:expr, $gene:ident => $body:expr) => {
        match $kind {
            GeneKind::U8 => {
                type $gene = u8;
                $body
            }
            GeneKind::U16 => {
                type $gene = u16;
                $body
            }
            GeneKind::U32 => {
                type $gene = u32;
                $body
            }
            GeneKind::F64 => {
                type $gene = f64;
                $body
            }
        }
    };
}
pub(super) use of_kind;

/// Genomes, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batch {
    genes: Genome,
    length: usize,
}

impl Batch {
    pub(super) fn of<G: Gene>(genes: &[G], length: usize) -> Self {
        Batch { genes: Genome::from_genes(genes), length }
    }

    /// Rows of numbers, of the problem's kind of gene.
    pub(super) fn of_numbers(description: &Description, rows: &[Vec<f64>]) -> Self {
        of_kind!(description.gene, G => {
            let genes: Vec<G> = rows.iter().flatten().map(|gene| G::from_f64(*gene)).collect();
            Batch::of(&genes, description.genome_length)
        })
    }

    pub(super) fn genes<G: Gene>(&self) -> Vec<G> {
        match &self.genes {
            Genome::U8(genes) => bytemuck::cast_slice(genes).to_vec(),
            Genome::U16(genes) => bytemuck::cast_slice(genes).to_vec(),
            Genome::U32(genes) => bytemuck::cast_slice(genes).to_vec(),
            Genome::F64(genes) => bytemuck::cast_slice(genes).to_vec(),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.genes.length() / self.length
    }

    /// Rows `from..to`.
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        let (from, to) = (from * self.length, to * self.length);
        let genes = match &self.genes {
            Genome::U8(genes) => Genome::U8(genes[from..to].to_vec()),
            Genome::U16(genes) => Genome::U16(genes[from..to].to_vec()),
            Genome::U32(genes) => Genome::U32(genes[from..to].to_vec()),
            Genome::F64(genes) => Genome::F64(genes[from..to].to_vec()),
        };
        Batch { genes, length: self.length }
    }

    /// One row.
    pub(super) fn row(&self, row: usize) -> Self {
        self.part(row, row + 1)
    }

    /// The genes of all rows.
    pub(super) fn genome(&self) -> &Genome {
        &self.genes
    }

    /// Number of different rows.
    pub(super) fn distinct(&self) -> usize {
        self.bytes()
            .chunks(self.bytes().len() / self.rows())
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    }

    /// The bytes of all genes.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.genes {
            Genome::U8(genes) => genes,
            Genome::U16(genes) => bytemuck::cast_slice(genes),
            Genome::U32(genes) => bytemuck::cast_slice(genes),
            Genome::F64(genes) => bytemuck::cast_slice(genes),
        }
    }
}
