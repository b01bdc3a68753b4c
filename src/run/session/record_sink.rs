//! Where the records of a session go.

use super::Progress;
use crate::record::TrialRecord;
use crate::results::{ResultsError, Store};
use crate::run::{Event, Observer, Sink};
use crate::system::notice::Notice;

/// Keeps records in the store, counts them, and tells the observer.
pub(super) struct RecordSink<'session> {
    pub store: &'session mut Store,
    pub progress: &'session mut Progress,
    pub observer: &'session mut dyn Observer,
}

impl RecordSink<'_> {
    /// Keeps these records, and writes what waits if that is due.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub(super) fn keep(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        let mut touched: Vec<usize> = Vec::new();
        for record in &records {
            self.progress.add(record);
            if !touched.contains(&record.arm) {
                touched.push(record.arm);
            }
        }
        if !records.is_empty() {
            self.store.append(records)?;
        }
        self.store.flush_if_due()?;
        for arm in touched {
            self.observer.observe(&Event::Advanced { arm, progress: self.progress.arms[arm] });
        }
        Ok(())
    }
}

impl Sink for RecordSink<'_> {
    type Error = ResultsError;

    fn running(&mut self, arm: usize) {
        self.observer.observe(&Event::Running { arm });
    }

    fn notice(&mut self, notice: &Notice) {
        self.observer.observe(&Event::Notice(notice));
    }

    fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        self.keep(records)
    }
}
