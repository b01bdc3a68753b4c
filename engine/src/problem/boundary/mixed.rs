//! Reads the genes of mixed genomes from a plugin's description, and writes them for operators.

use super::fields::{SANE, text};
use crate::problem::{MixedGene, MixedKind};
use runner_plugin::abi::{self, runner_description, runner_gene, runner_text};

/// Reads the genes of a mixed genome of this length.
///
/// # Safety
/// `genes` must point to this number of genes at intervals of `gene_size` bytes, each as the header
/// requires.
pub(super) unsafe fn genes(
    raw: &runner_description,
    genome_length: usize,
) -> Result<Vec<MixedGene>, String> {
    let (stride, known) = (raw.gene_size, size_of::<runner_gene>() as u64);
    if raw.genes.is_null() {
        return Err("the encoding is mixed, but there is a null pointer to its genes".to_owned());
    }
    if !(known..=SANE).contains(&stride) || !stride.is_multiple_of(align_of::<runner_gene>() as u64)
    {
        return Err(format!("`gene_size` is {stride}, but a gene of ABI 1.5 has {known} bytes"));
    }
    let read = |locus: usize| {
        // SAFETY: guaranteed by the caller: each gene has at least `known` bytes.
        let gene = unsafe { raw.genes.byte_add(locus * stride as usize).read() };
        // SAFETY: guaranteed by the caller.
        unsafe { one(&gene, locus) }
    };
    (0..genome_length).map(read).collect()
}

/// # Safety
/// The gene's pointers must be as the header requires.
unsafe fn one(raw: &runner_gene, locus: usize) -> Result<MixedGene, String> {
    // SAFETY: guaranteed by the caller.
    let name = unsafe { text(raw.name, &format!("name of gene {locus}")) }?;
    let (low, high) = (raw.low, raw.high);
    let kind = match raw.kind {
        abi::RUNNER_REAL => MixedKind::Real { low, high },
        abi::RUNNER_INTEGER => MixedKind::Integer { low, high },
        abi::RUNNER_BOOLEAN => MixedKind::Bit,
        abi::RUNNER_CHOICE => {
            let count = raw.choice_count;
            if raw.choices.is_null() || count == 0 || count > SANE {
                return Err(format!(
                    "the choices of gene {locus} are {count} at {:p}",
                    raw.choices
                ));
            }
            // SAFETY: guaranteed by the caller, and the pointer is not null.
            let words = unsafe { std::slice::from_raw_parts(raw.choices, count as usize) };
            // SAFETY: guaranteed by the caller.
            let word =
                |word: &runner_text| unsafe { text(*word, &format!("choice of gene {locus}")) };
            MixedKind::Choice(words.iter().map(word).collect::<Result<_, _>>()?)
        }
        other => return Err(format!("gene {locus} is of the unknown kind {other}")),
    };
    Ok(MixedGene { name, kind })
}

/// Returns the words of a choice in the header's format; they borrow from the gene.
pub(super) fn raw_words(gene: &MixedGene) -> Vec<runner_text> {
    match &gene.kind {
        MixedKind::Choice(words) => words.iter().map(|word| runner_text::new(word)).collect(),
        _ => Vec::new(),
    }
}

/// Returns a gene in the header's format; it borrows from the gene and its words.
pub(super) fn raw(gene: &MixedGene, words: &[runner_text]) -> runner_gene {
    let (kind, (low, high)) = match &gene.kind {
        MixedKind::Real { .. } => (abi::RUNNER_REAL, gene.bounds()),
        MixedKind::Integer { .. } => (abi::RUNNER_INTEGER, gene.bounds()),
        MixedKind::Choice(_) => (abi::RUNNER_CHOICE, (0.0, 0.0)),
        MixedKind::Bit => (abi::RUNNER_BOOLEAN, (0.0, 0.0)),
    };
    let choices = if words.is_empty() { std::ptr::null() } else { words.as_ptr() };
    let (name, choice_count) = (runner_text::new(&gene.name), words.len() as u64);
    runner_gene { kind, reserved: 0, low, high, name, choices, choice_count }
}
