//! The round that an experiment is in, in its folder, for the shards that run it.

use crate::plan::round::{Round, Share};
use crate::plan::shard::Shard;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::files::read_if_there;
use crate::system::regular::MOST_OF_TEXT;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file's name in the results folder.
const ROUND_FILE: &str = "round.json";

/// A round, and how many shards run it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundFile {
    /// Number of shards, at least 1.
    pub shards: u64,
    /// Trials of the round.
    pub round: Round,
}

impl RoundFile {
    /// Returns the round of an experiment's folder; `None` if the folder is in no round.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is none that a runner writes.
    pub fn read(folder: &Path) -> Result<Option<Self>, ResultsError> {
        let path = folder.join(ROUND_FILE);
        let Some(bytes) = read_if_there(&path, MOST_OF_TEXT)? else { return Ok(None) };
        match serde_json::from_slice::<RoundFile>(&bytes) {
            Ok(file) if file.exists() => Ok(Some(file)),
            Ok(_) => Err(ResultsError::unreadable(&path, "there is no such round")),
            Err(error) => Err(ResultsError::unreadable(&path, error)),
        }
    }

    /// Returns whether the numbers are possible numbers of a round.
    fn exists(&self) -> bool {
        let RoundFile { shards, round } = self;
        Shard { number: 1, of: *shards }.exists() && round.fits(round.trials.len(), u64::MAX)
    }

    /// Returns the folders of the round's shards, whether they are there or not.
    pub(crate) fn shard_folders(&self, out: &Path, experiment: &str) -> Vec<PathBuf> {
        let share = |number| Share {
            shard: Shard { number, of: self.shards },
            round: Some(self.round.clone()),
        };
        (1..=self.shards).map(|number| out.join(share(number).folder(experiment))).collect()
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), ResultsError> {
        let path = folder.join(ROUND_FILE);
        let bytes =
            serde_json::to_vec(self).map_err(|error| ResultsError::unwritable(&path, error))?;
        write_atomically(&path, &bytes)
    }

    pub(crate) fn remove(folder: &Path) -> Result<(), ResultsError> {
        remove_if_there(&folder.join(ROUND_FILE))
    }
}
