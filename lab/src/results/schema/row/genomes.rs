//! Genomes as columns of lists, and back.

use crate::parquet::{Column, FrameError, ListColumn, Lists, Reals, Words};
use crate::plan::{ArmSpec, BestType};
use crate::problem::{Genome, written_values};

/// Returns a column of lists: genomes, and nulls if there is no genome.
pub(super) fn genome_column<'a>(
    name: &str,
    genomes: impl ExactSizeIterator<Item = Option<&'a Genome>> + Clone,
    best: BestType,
) -> Column {
    match best {
        // A spec without real genes: these are integers that an earlier spec, which had arms of
        // both kinds, wrote as reals.
        BestType::Integers => Column::lists(name, &lists(genomes, |gene| gene as u32)),
        BestType::Reals => Column::lists(name, &lists(genomes, |gene| gene)),
    }
}

/// Returns lists of genes; `real` converts real ones.
fn lists<'a, T: From<u8> + From<u16> + From<u32>>(
    genomes: impl ExactSizeIterator<Item = Option<&'a Genome>> + Clone,
    real: impl Fn(f64) -> T,
) -> Lists<T> {
    let genes = genomes.clone().flatten().map(Genome::length).sum();
    let mut lists = Lists::with_capacity(genomes.len(), genes);
    for genome in genomes {
        match genome {
            None => lists.push_none(),
            Some(Genome::U8(genes)) => lists.push(genes.iter().map(|&gene| gene.into())),
            Some(Genome::U16(genes)) => lists.push(genes.iter().map(|&gene| gene.into())),
            Some(Genome::U32(genes)) => lists.push(genes.iter().map(|&gene| gene.into())),
            Some(Genome::F64(genes)) => lists.push(genes.iter().map(|&gene| real(gene))),
        }
    }
    lists
}

/// Returns a column of the values of genomes, choices by name: nulls if there is no genome, or it
/// is not mixed.
pub(super) fn named_column<'a>(
    name: &str,
    genomes: impl Iterator<Item = (usize, Option<&'a Genome>)>,
    arms: &[ArmSpec],
) -> Column {
    let named = |(arm, genome): (usize, Option<&Genome>)| match (&arms[arm].genes, genome) {
        (Some(genes), Some(Genome::F64(values))) => Some(written_values(genes, values)),
        _ => None,
    };
    Column::text_lists(name, genomes.map(named))
}

/// Returns a genome with the type of genes that tables have.
pub(super) fn widened(genome: Genome) -> Genome {
    match genome {
        Genome::U8(genes) => Genome::U32(genes.into_iter().map(u32::from).collect()),
        Genome::U16(genes) => Genome::U32(genes.into_iter().map(u32::from).collect()),
        wide => wide,
    }
}

/// A column of lists of genes, read row by row.
pub(super) struct GenomeLists {
    lists: ListColumn,
    genes: Genes,
}

enum Genes {
    Integers(Words),
    Reals(Reals),
}

impl GenomeLists {
    /// # Errors
    /// Returns an error if it is a column of another type.
    pub(super) fn new(column: &Column) -> Result<Self, FrameError> {
        let lists = column.list()?;
        let genes = match lists.values.f64() {
            Ok(genes) => Genes::Reals(genes.clone()),
            Err(_) => Genes::Integers(lists.values.u32()?.clone()),
        };
        Ok(GenomeLists { lists, genes })
    }

    pub(super) fn get(&self, row: usize) -> Option<Genome> {
        let range = self.lists.range(row)?;
        Some(match &self.genes {
            Genes::Integers(genes) => Genome::U32(genes.cont_slice().ok()?[range].to_vec()),
            Genes::Reals(genes) => Genome::F64(genes.cont_slice().ok()?[range].to_vec()),
        })
    }
}
