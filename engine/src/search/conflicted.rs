//! Genes in conflict, as a problem's plugin tells them.

use super::halt::Halt;
use super::local::Local;
use super::propose::Propose;
use super::snapshot::Snapshot;
use super::trial::Trial;
use crate::operators::{Neighborhood, Rearrangement};
use crate::problem::{CallError, Description, Gene};

/// Positions of the current genome's genes in conflict.
pub(super) struct Conflicted {
    /// All positions, in order.
    all: Vec<u32>,
    /// Positions of the genes in conflict, in order.
    genes: Vec<u32>,
    /// Conflicts of the genes that were asked for last.
    numbers: Vec<u32>,
}

impl Conflicted {
    /// Creates the list for genomes of this length. It is empty.
    pub(super) fn new(length: usize) -> Self {
        Conflicted { all: (0..length as u32).collect(), genes: Vec::new(), numbers: Vec::new() }
    }

    /// Returns the memory that a list needs, in bytes.
    pub(super) fn bytes(problem: &Description) -> u128 {
        12 * problem.genome_length as u128
    }

    /// Checks that the plugin says which genes are in conflict, and that a gene has other values.
    ///
    /// # Errors
    /// Returns the reason why genes cannot be repaired.
    pub(super) fn are_known(problem: &Description) -> Result<(), String> {
        if !problem.has_conflicts {
            return Err("the plugin does not say which genes are in conflict".to_owned());
        }
        match Neighborhood::of(problem, Rearrangement::Swap) {
            Some(_) => Ok(()),
            None => Err(format!("the values of {} genes cannot be listed", problem.encoding)),
        }
    }

    /// Writes or reads the positions.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.genes);
    }

    /// Returns the positions of the genes in conflict, in order.
    pub(super) fn genes(&self) -> &[u32] {
        &self.genes
    }

    /// Begins a trial of a local search, and finds the genes in conflict. `greedy` says whether the
    /// plugin constructs the first genome.
    pub(super) fn start<G: Gene, P: Propose<G>>(
        &mut self,
        greedy: bool,
        local: &mut Local<'_, G, P>,
        trial: &mut Trial<'_, G>,
    ) -> Result<(), Halt> {
        match greedy {
            true => local.construct(trial)?,
            false => local.start(trial)?,
        }
        Ok(self.find(local)?)
    }

    /// Finds the genes in conflict among all.
    fn find<G: Gene, P: Propose<G>>(
        &mut self,
        local: &mut Local<'_, G, P>,
    ) -> Result<(), CallError> {
        self.genes.clone_from(&self.all);
        self.narrow(local)
    }

    /// Finds the genes in conflict after a repair that changed these genes. Conflicts are mutual:
    /// if the changed genes have none, no gene has a new one.
    pub(super) fn find_after<G: Gene, P: Propose<G>>(
        &mut self,
        changed: &[u32],
        local: &mut Local<'_, G, P>,
    ) -> Result<(), CallError> {
        if self.are_free(changed, local)? { self.narrow(local) } else { self.find(local) }
    }

    /// Returns whether none of these genes is in conflict.
    pub(super) fn are_free<G: Gene, P: Propose<G>>(
        &mut self,
        genes: &[u32],
        local: &mut Local<'_, G, P>,
    ) -> Result<bool, CallError> {
        self.numbers.resize(genes.len(), 0);
        local.conflicts(genes, &mut self.numbers)?;
        Ok(self.numbers.iter().all(|number| *number == 0))
    }

    /// Leaves out the genes that are not in conflict any more. No gene has a new conflict.
    pub(super) fn narrow<G: Gene, P: Propose<G>>(
        &mut self,
        local: &mut Local<'_, G, P>,
    ) -> Result<(), CallError> {
        let Conflicted { genes, numbers, .. } = self;
        numbers.resize(genes.len(), 0);
        local.conflicts(genes, numbers)?;
        let mut still = numbers.iter().map(|number| *number > 0);
        genes.retain(|_| still.next() == Some(true));
        Ok(())
    }
}
