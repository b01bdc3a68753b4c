//! Claims of a process that runs a shard of a tuning: on its shard as long as it runs, on other
//! shards that it runs in place of other processes, and on the rounds.

use crate::plan::shard::Shard;
use crate::results::storage::output_folder;
use crate::results::{Claim, ResultsError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the claim on taking in a round and beginning the next.
const ROUND: &str = ".round";

/// Claims of a process in the folder of a tuning.
#[derive(Debug)]
pub(super) struct ShardClaims {
    folder: PathBuf,
    /// Shard of the process.
    pub shard: Shard,
    /// Claim on that shard; `None` as long as another process runs it.
    own: Option<Claim>,
    /// Shards that this process has run because no other process did.
    pub vacant: BTreeSet<u64>,
}

impl ShardClaims {
    /// Claims the shard of this process. Makes the folder of the tuning, if need be.
    pub(super) fn new(folder: &Path, shard: Shard) -> Result<Self, ResultsError> {
        output_folder::create(folder)?;
        let folder = folder.to_owned();
        let mut claims = ShardClaims { folder, shard, own: None, vacant: BTreeSet::new() };
        claims.take_own()?;
        Ok(claims)
    }

    /// Claims the shard of this process. Without the claim it runs all the same: the process that
    /// has it may be dead.
    pub(super) fn take_own(&mut self) -> Result<(), ResultsError> {
        if self.own.is_none() {
            self.own = self.take(self.shard.number)?;
        }
        Ok(())
    }

    /// Claims a shard; `None` if a process may be running it.
    pub(super) fn take(&self, number: u64) -> Result<Option<Claim>, ResultsError> {
        self.claim(&Shard { number, of: self.shard.of }.folder(""))
    }

    /// Claims the rounds; `None` if a process may be taking in a round.
    pub(super) fn take_round(&self) -> Result<Option<Claim>, ResultsError> {
        self.claim(ROUND)
    }

    fn claim(&self, name: &str) -> Result<Option<Claim>, ResultsError> {
        Claim::take(&self.folder.join(name), &format!("shard {}", self.shard))
    }
}
