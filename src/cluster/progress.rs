//! Progress: what the shards of a submission have on the disk.

use super::{ShardSet, Submission};
use crate::analysis::SummaryTable;
use crate::plan::ArmId;
use crate::plan::shard::Shard;
use crate::results::{Results, ResultsError, ShardState, shard_state};
use crate::stats::TrialCounts;
use std::path::{Path, PathBuf};

/// What a shard has so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShardProgress {
    /// Finished trials.
    pub trials: u64,
    /// Trials that it is to have.
    pub of: u64,
    /// Whether nothing is to be run any more.
    pub is_done: bool,
    /// By arm; empty without a trial.
    pub counts: Vec<TrialCounts>,
    /// Labels of the arms; as `counts`.
    pub labels: Vec<String>,
    /// Why its folder cannot be read.
    pub damaged: Option<String>,
}

/// Names arms, in their order.
pub(crate) fn digest_of_arms(arms: impl IntoIterator<Item = ArmId>) -> String {
    let mut hasher = blake3::Hasher::new();
    arms.into_iter().for_each(|id| _ = hasher.update(id.to_string().as_bytes()));
    hasher.finalize().to_hex()[..16].to_owned()
}

impl Submission {
    /// Whether results are of the arms that were submitted.
    fn is_of(&self, results: &Results) -> bool {
        digest_of_arms(results.arms().iter().map(|arm| arm.id)) == self.arms_digest
    }

    /// What a shard has. A folder of another plan counts as none: the task moves it aside.
    pub(crate) fn shard_progress(&self, number: u64) -> ShardProgress {
        let of = self.trials_of(number);
        let nothing = ShardProgress { of, ..ShardProgress::default() };
        let folder = self.shard_folder(number);
        if !folder.is_dir() {
            return nothing;
        }
        match self.read_shard(&folder) {
            Ok(None) => nothing,
            Ok(Some((state, labels))) => {
                let ran = state.arms.iter().map(|arm| arm.trials + arm.failures).sum();
                ShardProgress {
                    trials: ran,
                    of,
                    is_done: state.is_done,
                    counts: state.arms,
                    labels,
                    damaged: None,
                }
            }
            Err(error) => ShardProgress { damaged: Some(error.to_string()), ..nothing },
        }
    }

    /// How far the shard in a folder is, with the labels of its arms; none if no run of it has
    /// begun, or it is of another plan.
    fn read_shard(&self, folder: &Path) -> Result<Option<(ShardState, Vec<String>)>, ResultsError> {
        let Some(state) = shard_state(folder)? else { return Ok(None) };
        let results = Results::open(folder)?;
        let same = self.is_of(&results) && results.planned() == Some(self.repeats);
        let labels = results.arms().iter().map(|arm| arm.label.clone()).collect();
        Ok(same.then_some((state, labels)))
    }

    /// The folder of a shard.
    pub(super) fn shard_folder(&self, number: u64) -> PathBuf {
        let shard = Shard { number, of: self.shards };
        self.out.join(shard.folder(&self.experiment))
    }

    /// Trials that a shard is to have.
    pub(super) fn trials_of(&self, number: u64) -> u64 {
        let shard = Shard { number, of: self.shards };
        let trials = |arm: u64| {
            let range = shard.trials(arm as usize, self.repeats);
            range.end - range.start
        };
        (0..self.arms).map(trials).sum()
    }

    /// The summary, once the tables are written.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn finished(&self) -> Result<Option<SummaryTable>, ResultsError> {
        let results = match Results::open(&self.results()) {
            Ok(results) => results,
            Err(ResultsError::None { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if results.planned().is_some() || !self.is_of(&results) {
            return Ok(None);
        }
        let summary = results.summary()?;
        let first = results.first_trials(1)?.first().map(|trial| trial.seed.to_string());
        let whole = summary
            .rows
            .iter()
            .all(|row| row.figures.trials + row.figures.failures == self.repeats);
        let same = first.as_deref() == Some(self.first_seed.as_str());
        Ok((whole && same).then_some(summary))
    }

    /// The shards that are not done.
    pub(crate) fn missing(&self) -> ShardSet {
        (1..=self.shards).filter(|shard| !self.shard_progress(*shard).is_done).collect()
    }
}
