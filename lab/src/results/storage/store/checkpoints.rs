//! The checkpoints of a store's running trials.

use super::Store;
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::remove_if_there;
use crate::results::storage::checkpoint::{CheckpointFolder, Identity, Survey};
use crate::results::storage::folder::{checkpoint_path, list_checkpoints};
use std::time::{Duration, Instant};

/// Interval at which checkpoints of finished trials are removed.
const REMOVE_EVERY: Duration = Duration::from_secs(10);

/// Checkpoints that earlier runs left.
pub(crate) struct LeftCheckpoints {
    pub folder: CheckpointFolder,
    /// Number of trials that go on from one, and of their evaluations that are not made again.
    pub going_on: (u64, u64),
    /// Notices on those that cannot be used, or not as a whole.
    pub notices: Vec<String>,
}

impl Store {
    /// Returns the folder of the checkpoints, and what earlier runs left there. `is_missing` says
    /// of which arms and trials the run has to make.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or a file cannot be removed.
    pub(crate) fn checkpoints(
        &mut self,
        interval: Duration,
        is_missing: impl Fn(usize, u64) -> bool,
    ) -> Result<LeftCheckpoints, ResultsError> {
        self.remove_checkpoints()?;
        let (mut going_on, mut notices) = ((0, 0), Vec::new());
        let left = list_checkpoints(&self.work)?;
        for &(id, trial) in &left {
            let arm = self.schema.arm_index(id);
            let Some(arm) = arm.filter(|arm| is_missing(*arm, trial)) else { continue };
            let path = checkpoint_path(&self.work, id, trial);
            let survey = Survey::of(&path, Identity::of(&self.spec, arm, trial));
            let (label, path) = (&self.spec.arms[arm].label, path.display());
            match survey {
                Ok(Survey { is_same: true, evaluations, rest, .. }) => {
                    if rest > 0 {
                        notices.push(format!(
                            "{path}: {rest} bytes at the end of the checkpoint are damaged or cut; \
                            trial {trial} of `{label}` goes on from the evaluations before them"
                        ));
                    }
                    going_on = (going_on.0 + 1, going_on.1 + evaluations);
                }
                Ok(_) => notices.push(format!(
                    "{path}: the checkpoint is damaged, or of another build of the plugin or the \
                    runner; trial {trial} of `{label}` begins anew"
                )),
                Err(error) => notices.push(format!(
                    "{path}: cannot read the checkpoint: {error}; trial {trial} of `{label}` \
                    begins anew"
                )),
            }
        }
        let left = left.into_iter().collect();
        let folder = CheckpointFolder { folder: self.work.clone().into(), interval, left };
        Ok(LeftCheckpoints { folder, going_on, notices })
    }

    /// Removes checkpoints of finished trials, unless that was done a moment ago.
    pub(super) fn remove_checkpoints_if_due(&mut self) -> Result<(), ResultsError> {
        match self.checkpoints_removed.elapsed() >= REMOVE_EVERY {
            true => {
                self.flush()?;
                self.remove_checkpoints()
            }
            false => Ok(()),
        }
    }

    /// Removes checkpoints of finished trials, whose records are on the disk.
    pub(super) fn remove_checkpoints(&mut self) -> Result<(), ResultsError> {
        self.checkpoints_removed = Instant::now();
        self.remove_checkpoints_of(|store, id, trial| {
            store.schema.arm_index(id).is_some_and(|arm| store.finished.contains(arm, trial))
        })
    }

    /// Removes all checkpoints, once there are tables.
    pub(super) fn remove_all_checkpoints(&self) -> Result<(), ResultsError> {
        self.remove_checkpoints_of(|_, _, _| true)
    }

    fn remove_checkpoints_of(
        &self,
        is_over: impl Fn(&Store, ArmId, u64) -> bool,
    ) -> Result<(), ResultsError> {
        let there = list_checkpoints(&self.work)?.into_iter();
        let mut over = there.filter(|(id, trial)| is_over(self, *id, *trial));
        over.try_for_each(|(id, trial)| remove_if_there(&checkpoint_path(&self.work, id, trial)))
    }
}
