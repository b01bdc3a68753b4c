//! Progress: the trials of a submission's shards on the disk.

use super::{ShardSet, Submission};
use crate::analysis::{SummaryRow, SummaryTable};
use crate::plan::ArmId;
use crate::plan::round::{Round, Share};
use crate::plan::shard::Shard;
use crate::results::{
    Results, ResultsError, RoundFile, ShardState, is_shard_running, is_shard_sound, shard_state,
};
use crate::stats::TrialCounts;
use std::path::{Path, PathBuf};

/// Progress of a shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShardProgress {
    /// Number of finished trials.
    pub trials: u64,
    /// Target number of trials.
    pub of: u64,
    /// Whether no trial is left to run.
    pub is_done: bool,
    /// Whether a task has begun to run the shard.
    pub begun: bool,
    /// Whether a run of the shard is under way on this machine.
    pub is_running: bool,
    /// Counts per arm; empty without a trial.
    pub counts: Vec<TrialCounts>,
    /// Labels of the arms, in the order of `counts`.
    pub labels: Vec<String>,
    /// Reason why the shard's folder cannot be read.
    pub damaged: Option<String>,
}

/// Returns a digest that identifies these arms in their order.
pub(crate) fn digest_of_arms(arms: impl IntoIterator<Item = ArmId>) -> String {
    let mut hasher = blake3::Hasher::new();
    arms.into_iter().for_each(|id| _ = hasher.update(id.to_string().as_bytes()));
    hasher.finalize().to_hex()[..16].to_owned()
}

impl Submission {
    /// Returns whether a folder has results of the arms that were submitted.
    pub(crate) fn has_results_in(&self, folder: &Path) -> bool {
        Results::open(folder).is_ok_and(|results| self.is_of(&results))
    }

    fn folder_of_share(&self, share: &Share) -> PathBuf {
        self.out.join(share.folder(&self.experiment))
    }

    /// Returns the folders of the shards that run now.
    pub(crate) fn shard_folders(&self) -> Result<Vec<PathBuf>, ResultsError> {
        let mut share = self.first_share()?;
        let folder = |number| {
            share.shard.number = number;
            self.folder_of_share(&share)
        };
        Ok((1..=self.shards).map(folder).collect())
    }

    /// Returns the shards of which a run is under way on this machine.
    pub(crate) fn running(&self) -> Result<ShardSet, ResultsError> {
        let folders = self.shard_folders()?;
        let is_running = |folder: &Path| is_shard_running(folder).unwrap_or(false);
        let numbered = (1..).zip(&folders).filter(|(_, folder)| is_running(folder));
        Ok(numbered.map(|(number, _)| number).collect())
    }

    /// Returns whether the results have the arms that were submitted.
    fn is_of(&self, results: &Results) -> bool {
        digest_of_arms(results.arms().iter().map(|arm| arm.id)) == self.arms_digest
    }

    /// Returns whether this is the seed of the first trial that was submitted.
    fn is_first_seed(&self, seed: Option<u64>) -> bool {
        seed.is_some_and(|seed| seed.to_string() == self.first_seed)
    }

    /// Returns the current round; `None` if the experiment has no rounds, or is in none.
    pub(crate) fn current_round(&self) -> Result<Option<Round>, ResultsError> {
        match self.round {
            None => Ok(None),
            Some(_) => {
                let Some(RoundFile { round, .. }) = RoundFile::read(&self.results())? else {
                    return Ok(None);
                };
                if round.fits(self.arms as usize, self.repeats) {
                    return Ok(Some(round));
                }
                Err(ResultsError::Foreign {
                    path: self.results(),
                    is: "a round of another experiment".to_owned(),
                    should: format!("the submission of `{}`", self.experiment),
                })
            }
        }
    }

    /// Returns the first of the shards that run now. The others differ only in their number.
    pub(super) fn first_share(&self) -> Result<Share, ResultsError> {
        let shard = Shard { number: 1, of: self.shards };
        Ok(Share { shard, round: self.current_round()? })
    }

    /// Returns the progress of a shard. A folder of another plan counts as none, because the task
    /// moves it aside.
    pub(super) fn shard_progress(&self, share: &Share) -> ShardProgress {
        let of = self.trials_of(share);
        let nothing = ShardProgress { of, ..ShardProgress::default() };
        let folder = self.folder_of_share(share);
        if !folder.is_dir() {
            return nothing;
        }
        match self.read_shard(&folder) {
            Ok(None) => nothing,
            Ok(Some((state, labels))) => {
                let trials = state.arms.iter().map(|arm| arm.trials + arm.failures).sum();
                let ShardState { is_done, is_running, arms: counts, .. } = state;
                ShardProgress {
                    trials,
                    is_done,
                    begun: true,
                    is_running,
                    counts,
                    labels,
                    ..nothing
                }
            }
            Err(error) => {
                ShardProgress { damaged: Some(error.to_string()), begun: true, ..nothing }
            }
        }
    }

    /// Returns the progress of the shard in a folder, with the labels of its arms. `None` if no run
    /// of it has begun, or it is of another plan.
    fn read_shard(&self, folder: &Path) -> Result<Option<(ShardState, Vec<String>)>, ResultsError> {
        let Some(state) = shard_state(folder)? else { return Ok(None) };
        let results = Results::open(folder)?;
        let planned = self.round.is_some() || results.planned() == Some(self.repeats);
        let labels = results.arms().iter().map(|arm| arm.label.clone()).collect();
        let same_seed = self.is_first_seed(results.first_seed());
        Ok((planned && same_seed && self.is_of(&results)).then_some((state, labels)))
    }

    /// Returns the target number of trials of a shard.
    fn trials_of(&self, share: &Share) -> u64 {
        if share.round.is_none() {
            return share.shard.total(self.arms, self.repeats);
        }
        let trials = |arm: u64| {
            let range = share.trials(arm as usize, self.repeats);
            range.end - range.start
        };
        (0..self.arms).map(trials).sum()
    }

    /// Returns the results of the earlier rounds; `None` if there was none.
    pub(super) fn rounds_before(&self) -> Result<Option<Results>, ResultsError> {
        if self.round.is_none() {
            return Ok(None);
        }
        match Results::open(&self.results()) {
            Ok(results) => Ok(Some(results).filter(|results| self.is_of(results))),
            Err(ResultsError::None { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the summary; `None` until the tables are written.
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
        let first = results.first_trials(1)?.first().map(|trial| trial.seed);
        let all = |row: &SummaryRow| row.figures.all_trials() == self.repeats;
        let whole = self.round.is_some() || summary.rows.iter().all(all);
        Ok((whole && self.is_first_seed(first)).then_some(summary))
    }

    /// Returns whether the tables are written.
    pub(crate) fn is_finished(&self) -> Result<bool, ResultsError> {
        match self.is_tuning {
            true => Ok(self.tuning_progress()?.is_finished),
            false => Ok(self.finished()?.is_some()),
        }
    }

    /// Returns the shards that are not done, or damaged. All shards of a tuning, because each has a
    /// part of every round. With `retry_failed`, the shards with failed trials as well.
    ///
    /// # Errors
    /// Returns an error if the file of the round, or a shard that is done, cannot be read.
    pub(crate) fn missing(&self, retry_failed: bool) -> Result<ShardSet, ResultsError> {
        if self.is_tuning {
            return Ok(self.all());
        }
        let mut share = self.first_share()?;
        let mut lacks = |number| {
            share.shard.number = number;
            let progress = self.shard_progress(&share);
            let has_failed = progress.counts.iter().any(|arm| arm.failures > 0);
            let folder = self.folder_of_share(&share);
            Ok(!progress.is_done || (retry_failed && has_failed) || !is_shard_sound(&folder)?)
        };
        let mut missing = Vec::new();
        for number in 1..=self.shards {
            if lacks(number)? {
                missing.push(number);
            }
        }
        Ok(missing.into_iter().collect())
    }
}
