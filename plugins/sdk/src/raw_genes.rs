//! Genes of mixed genomes in the format of the C interface, and back.

use crate::abi::{self, runner_description, runner_gene, runner_text};
use crate::entry::Fault;
use crate::export::{owned_text, rows, slice};
use crate::mixed::{MixedGene, MixedKind};

/// Genes as the host reads them. They point to the genes that they were made of, which must
/// outlive them and stay unchanged.
pub(crate) struct RawGenes {
    genes: Vec<runner_gene>,
    /// Words of the choices, to which the genes point.
    _words: Vec<Vec<runner_text>>,
}

// SAFETY: nobody writes to what the pointers lead to.
unsafe impl Sync for RawGenes {}
// SAFETY: as above.
unsafe impl Send for RawGenes {}

impl RawGenes {
    pub(crate) fn of(genes: &[MixedGene]) -> Self {
        let words: Vec<Vec<runner_text>> = genes
            .iter()
            .map(|gene| match &gene.kind {
                MixedKind::Choice(words) => {
                    words.iter().map(|word| runner_text::new(word)).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        let raw = genes.iter().zip(&words).map(|(gene, words)| {
            let (kind, low, high) = match gene.kind {
                MixedKind::Real(low, high) => (abi::RUNNER_REAL, low, high),
                MixedKind::Integer(low, high) => (abi::RUNNER_INTEGER, low, high),
                MixedKind::Choice(_) => (abi::RUNNER_CHOICE, 0.0, 0.0),
                MixedKind::Bit => (abi::RUNNER_BOOLEAN, 0.0, 0.0),
            };
            let (choices, choice_count) = match words.as_slice() {
                [] => (std::ptr::null(), 0),
                words => (words.as_ptr(), words.len() as u64),
            };
            let name = runner_text::new(&gene.name);
            runner_gene { kind, reserved: 0, low, high, name, choices, choice_count }
        });
        RawGenes { genes: raw.collect(), _words: words }
    }

    /// The first gene; null if there is none.
    pub(crate) fn first(&self) -> *const runner_gene {
        if self.genes.is_empty() { std::ptr::null() } else { self.genes.as_ptr() }
    }
}

/// Whether a description of this size has genes: that of 1.5 ends with them.
pub(crate) fn known(struct_size: u64) -> bool {
    struct_size >= std::mem::offset_of!(runner_description, move_kinds) as u64
}

/// The genes of the problem that an operator is made for; none unless it is mixed.
///
/// # Safety
/// The description is what the header says, for the length of the call.
pub(crate) unsafe fn given(problem: &runner_description) -> Result<Vec<MixedGene>, Fault> {
    if problem.encoding != abi::RUNNER_ENCODING_MIXED || problem.genes.is_null() {
        return Ok(Vec::new());
    }
    let one = |locus: usize| {
        // SAFETY: the caller's promise: as many genes as the genome has, at intervals of
        // `gene_size` bytes.
        let raw = unsafe { problem.genes.byte_add(locus * rows(problem.gene_size)).read() };
        // SAFETY: the caller's promise.
        let words = unsafe { slice(raw.choices, rows(raw.choice_count)) };
        // SAFETY: as above.
        let word = |word: &runner_text| unsafe { owned_text(*word) };
        let kind = match raw.kind {
            abi::RUNNER_REAL => MixedKind::Real(raw.low, raw.high),
            abi::RUNNER_INTEGER => MixedKind::Integer(raw.low, raw.high),
            abi::RUNNER_CHOICE => {
                MixedKind::Choice(words.iter().map(word).collect::<Result<_, _>>()?)
            }
            abi::RUNNER_BOOLEAN => MixedKind::Bit,
            kind => return Err(Fault::Failed(format!("a gene is of an unknown kind, {kind}"))),
        };
        Ok(MixedGene::new(word(&raw.name)?, kind))
    };
    (0..rows(problem.genome_length)).map(one).collect()
}
