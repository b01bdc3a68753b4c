//! Encodes finished trials on the threads that ran them.

use crate::plan::ResultsSpec;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::storage::entry::EntryWriter;
use std::path::PathBuf;
use std::sync::Arc;

/// Checks records, and makes journal entries of them.
#[derive(Debug)]
pub(crate) struct RecordEncoder {
    spec: Arc<ResultsSpec>,
    /// The folder to which the store writes, for messages.
    work: PathBuf,
    writer: EntryWriter,
}

/// Finished trials with their journal entries.
pub(crate) struct Batch {
    pub records: Vec<TrialRecord>,
    pub frames: Vec<u8>,
}

impl RecordEncoder {
    pub(super) fn new(spec: Arc<ResultsSpec>, work: PathBuf, writer: EntryWriter) -> Self {
        RecordEncoder { spec, work, writer }
    }

    /// Makes finished trials ready to be taken in.
    ///
    /// # Errors
    /// Returns an error if a record is of no trial of this experiment.
    pub(crate) fn prepare(&self, records: Vec<TrialRecord>) -> Result<Batch, ResultsError> {
        self.check(&records)?;
        let frames = self.writer.frames(&records)?;
        Ok(Batch { records, frames })
    }

    /// Checks whether these are records of trials that the experiment has.
    ///
    /// # Errors
    /// Returns an error if one is of no arm, of no trial of its arm, or has another seed.
    pub(super) fn check(&self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        for TrialRecord { arm, trial, seed, .. } in records {
            let asked = *arm < self.spec.arms.len()
                && *trial < self.spec.limit(*arm)
                && *seed == self.spec.trial_seed(*arm, *trial);
            if !asked {
                let message = format!(
                    "a worker returned a result that was not requested (arm {arm}, trial {trial}, \
                    seed {seed}); it is discarded"
                );
                return Err(ResultsError::Record { path: self.work.clone(), message });
            }
        }
        Ok(())
    }
}
