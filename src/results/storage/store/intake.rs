//! The intake of a store: finished trials are made ready to be kept on the threads that ran them.

use crate::plan::ResultsSpec;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::storage::journal::EntryWriter;
use std::path::PathBuf;
use std::sync::Arc;

/// Looks at records, and makes journal entries of them.
#[derive(Debug)]
pub(crate) struct Intake {
    spec: Arc<ResultsSpec>,
    /// Where the store works, for messages.
    work: PathBuf,
    writer: EntryWriter,
}

/// Finished trials with their journal entries.
pub(crate) struct Batch {
    pub records: Vec<TrialRecord>,
    pub entries: Vec<u8>,
}

impl Intake {
    pub(super) fn new(spec: Arc<ResultsSpec>, work: PathBuf, writer: EntryWriter) -> Self {
        Intake { spec, work, writer }
    }

    /// Makes finished trials ready to be taken in.
    ///
    /// # Errors
    /// If a record is of no trial of this experiment.
    pub(crate) fn prepare(&self, records: Vec<TrialRecord>) -> Result<Batch, ResultsError> {
        self.check(&records)?;
        let entries = self.entries(&records)?;
        Ok(Batch { records, entries })
    }

    pub(super) fn entries(&self, records: &[TrialRecord]) -> Result<Vec<u8>, ResultsError> {
        self.writer.entries(records)
    }

    /// Whether these are records of trials that the experiment has.
    ///
    /// # Errors
    /// If one is of no arm, of no trial of its arm, or has another seed.
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
