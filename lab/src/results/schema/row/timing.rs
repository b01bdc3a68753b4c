//! Rows of the timings table.

use super::{Row, RowReader, complete, ids, real_numbers, whole_numbers};
use crate::parquet::{Column, Frame, FrameError};
use crate::record::Timing;
use crate::results::schema::columns::Table;
use crate::results::schema::entry_format;
use crate::results::schema::table_schema::TableSchema;

/// One row of the timings table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimingRow {
    /// Index of the arm.
    pub arm: usize,
    /// Number of the trial within its arm.
    pub trial: u64,
    /// Worker and duration of the trial.
    pub timing: Timing,
}

impl Row for TimingRow {
    const TABLE: Table = Table::Timings;
    const COMPLETE: &'static [&'static str] = &["trial", "seconds", "worker"];
    const FIGURES: &'static [&'static str] = Self::COMPLETE;

    fn key(&self) -> (usize, u64) {
        (self.arm, self.trial)
    }

    fn add_of_entry(entry: &[u8], arm: usize, rows: &mut Vec<Self>) -> Option<()> {
        let (trial, timing) = entry_format::timing(entry)?;
        rows.push(TimingRow { arm, trial, timing });
        Some(())
    }

    fn frame(rows: &[Self], schema: &TableSchema) -> Result<Frame, FrameError> {
        let columns = vec![
            ids(rows.iter().map(|row| row.arm), schema),
            Column::numbers("trial", rows.iter().map(|row| row.trial)),
            Column::numbers("seconds", rows.iter().map(|row| row.timing.seconds)),
            Column::numbers("worker", rows.iter().map(|row| row.timing.worker)),
        ];
        Frame::new(rows.len(), columns)
    }

    fn reader(frame: &Frame, first: usize) -> Result<RowReader<Self>, FrameError> {
        let trials = whole_numbers(frame, "trial", first)?;
        let seconds = real_numbers(frame, "seconds", first)?;
        let workers = complete(frame, "worker", first)?.u32()?.clone();
        Ok(Box::new(move |row, arm| {
            let trial = trials.get(row).unwrap_or(u64::MAX);
            let seconds = seconds.get(row).unwrap_or(0.0);
            let timing = Timing { seconds, worker: workers.get(row).unwrap_or(0) };
            TimingRow { arm, trial, timing }
        }))
    }
}
