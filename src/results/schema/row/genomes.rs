//! Genomes as columns of lists, and back.

use crate::plan::BestType;
use crate::problem::Genome;
use polars::prelude::*;

/// A column of lists: genomes, and null where there is none.
pub(super) fn genome_column<'a>(
    name: &str,
    genomes: impl ExactSizeIterator<Item = Option<&'a Genome>> + Clone,
    best: BestType,
) -> Column {
    let genes = genomes.clone().flatten().map(Genome::length).sum();
    let rows = genomes.len();
    match best {
        BestType::Integers => {
            let mut builder = ListPrimitiveChunkedBuilder::<UInt32Type>::new(
                name.into(),
                rows,
                genes,
                DataType::UInt32,
            );
            for genome in genomes {
                match genome {
                    None => builder.append_null(),
                    Some(Genome::U8(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| u32::from(gene)))
                    }
                    Some(Genome::U16(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| u32::from(gene)))
                    }
                    Some(Genome::U32(genes)) => builder.append_slice(genes),
                    // The spec says that no arm has real genes: these are integers that an
                    // earlier spec, which had arms of both kinds, wrote as reals.
                    Some(Genome::F64(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| gene as u32))
                    }
                }
            }
            builder.finish().into_column()
        }
        BestType::Reals => {
            let mut builder = ListPrimitiveChunkedBuilder::<Float64Type>::new(
                name.into(),
                rows,
                genes,
                DataType::Float64,
            );
            for genome in genomes {
                match genome {
                    None => builder.append_null(),
                    Some(Genome::U8(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::U16(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::U32(genes)) => {
                        builder.append_values_iter(genes.iter().map(|&gene| f64::from(gene)))
                    }
                    Some(Genome::F64(genes)) => builder.append_slice(genes),
                }
            }
            builder.finish().into_column()
        }
    }
}

/// A column of lists of genes, read row by row.
pub(super) struct GenomeLists {
    lists: ListChunked,
    genes: Genes,
}

enum Genes {
    Integers(UInt32Chunked),
    Reals(Float64Chunked),
}

impl GenomeLists {
    /// # Errors
    /// If the column is missing, or of another type.
    pub(super) fn new(frame: &DataFrame, name: &str) -> PolarsResult<Self> {
        let lists = frame.column(name)?.list()?.rechunk().into_owned();
        let inner = lists.get_inner();
        let genes = match inner.dtype() {
            DataType::Float64 => Genes::Reals(inner.f64()?.clone()),
            _ => Genes::Integers(inner.u32()?.clone()),
        };
        Ok(GenomeLists { lists, genes })
    }

    pub(super) fn get(&self, row: usize) -> Option<Genome> {
        let lists = self.lists.downcast_as_array();
        if lists.validity().is_some_and(|valid| !valid.get_bit(row)) {
            return None;
        }
        let offsets = lists.offsets();
        let range = offsets[row] as usize..offsets[row + 1] as usize;
        Some(match &self.genes {
            Genes::Integers(genes) => {
                Genome::U32(genes.downcast_as_array().values()[range].to_vec())
            }
            Genes::Reals(genes) => Genome::F64(genes.downcast_as_array().values()[range].to_vec()),
        })
    }
}
