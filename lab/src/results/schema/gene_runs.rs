//! Genes of the arms' genomes, as files keep them.

use crate::plan::ArmSpec;
use crate::problem::MixedGene;
use serde::{Deserialize, Serialize};
use std::iter::repeat_n;
use std::sync::Arc;

/// Consecutive arms whose genomes have the same genes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GeneRun {
    /// Number of arms.
    arms: usize,
    /// Genes of their genomes; `None` if these are not mixed.
    genes: Option<Vec<MixedGene>>,
}

/// Returns the genes of arms, in order; none if no arm has choices.
pub(crate) fn gene_runs(arms: &[ArmSpec]) -> Vec<GeneRun> {
    if arms.iter().all(|arm| arm.genes.is_none()) {
        return Vec::new();
    }
    let runs = arms.chunk_by(|one, next| one.genes == next.genes);
    let run = |arms: &[ArmSpec]| GeneRun {
        arms: arms.len(),
        genes: arms[0].genes.as_ref().map(|genes| genes.to_vec()),
    };
    runs.map(run).collect()
}

/// Gives arms their genes, which a file has. Runs of another number of arms are ignored.
pub(crate) fn give_genes(runs: &[GeneRun], arms: &mut [ArmSpec]) {
    let all = runs.iter().try_fold(0_usize, |all, run| all.checked_add(run.arms));
    if all != Some(arms.len()) {
        return;
    }
    let genes = runs.iter().flat_map(|run| {
        let genes: Option<Arc<[MixedGene]>> = run.genes.clone().map(Into::into);
        repeat_n(genes, run.arms)
    });
    arms.iter_mut().zip(genes).for_each(|(arm, genes)| arm.genes = genes);
}
