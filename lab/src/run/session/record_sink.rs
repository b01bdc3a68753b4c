//! The sink of a session's records.

use super::Progress;
use crate::problem::FILE_CHANGED;
use crate::results::{Batch, CheckpointFolder, ResultsError, Store};
use crate::run::{Event, GenerationProgress, Intake, Observer, Sink};
use crate::system::notice::Notice;
use std::num::NonZeroU64;

/// Sink that keeps records in the store, counts them, and reports them to the observer.
pub(super) struct RecordSink<'session> {
    pub store: &'session mut Store,
    pub progress: &'session mut Progress,
    pub observer: &'session mut dyn Observer,
    /// Number of failed trials after which the run stops if no trial ran.
    pub most_failed: u64,
    /// Folder of the checkpoints of running trials; `None` if they have none.
    pub checkpoints: Option<CheckpointFolder>,
}

/// Reason why a run stops before all trials are done.
#[derive(Debug)]
pub(super) enum Stopped {
    Results(ResultsError),
    /// Every trial failed.
    AllFailed,
    /// A program's file was changed: the error of a trial.
    PluginEdited(String),
}

/// Records that were made ready to be kept.
pub(super) struct Ready {
    batch: Result<Batch, ResultsError>,
    /// Error of a trial that was not run because a program's file was changed.
    edited: Option<String>,
}

impl From<ResultsError> for Stopped {
    fn from(error: ResultsError) -> Self {
        Stopped::Results(error)
    }
}

impl RecordSink<'_> {
    /// Keeps records that were made ready, and writes what waits if that is due.
    pub(super) fn keep(
        &mut self,
        batches: Vec<Result<Batch, ResultsError>>,
    ) -> Result<(), ResultsError> {
        let mut touched: Vec<usize> = Vec::new();
        for batch in batches {
            let batch = batch?;
            for record in &batch.records {
                self.progress.add(record);
                if touched.last() != Some(&record.arm) && !touched.contains(&record.arm) {
                    touched.push(record.arm);
                }
            }
            self.store.take(batch)?;
        }
        self.store.flush_if_due()?;
        for arm in touched {
            self.observer.observe(&Event::Advanced { arm, progress: self.progress.arms[arm] });
        }
        Ok(())
    }
}

impl Sink for RecordSink<'_> {
    type Error = Stopped;
    type Batch = Ready;

    fn intake(&self) -> Intake<Self::Batch> {
        let encoder = self.store.encoder();
        Box::new(move |mut records| {
            // These trials are not failed, but open.
            let is_edit = |error: &String| error.contains(FILE_CHANGED);
            let of_edit = records.extract_if(.., |one| one.error.as_ref().is_some_and(is_edit));
            let edited = of_edit.last().and_then(|one| one.error);
            Ready { batch: encoder.prepare(records), edited }
        })
    }

    fn running(&mut self, arm: usize) {
        self.observer.observe(&Event::Running { arm });
    }

    fn generations(&self) -> Option<NonZeroU64> {
        self.observer.generations()
    }

    fn checkpoints(&self) -> Option<CheckpointFolder> {
        self.checkpoints.clone()
    }

    fn generation(&mut self, progress: &GenerationProgress) {
        self.observer.observe(&Event::Generation(progress));
    }

    fn notice(&mut self, notice: &Notice) {
        self.observer.observe(&Event::Notice(notice));
    }

    fn records(&mut self, batches: Vec<Self::Batch>) -> Result<(), Stopped> {
        let (ready, edited): (_, Vec<_>) =
            batches.into_iter().map(|one| (one.batch, one.edited)).unzip();
        self.keep(ready)?;
        if let Some(error) = edited.into_iter().flatten().next() {
            return Err(Stopped::PluginEdited(error));
        }
        match self.progress.all_failed().is_some_and(|failed| failed >= self.most_failed) {
            true => Err(Stopped::AllFailed),
            false => Ok(()),
        }
    }
}
