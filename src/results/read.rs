//! Reading a results folder: a finished one, or one that a run is writing to or was interrupted in.

use super::columns::Table;
use super::error::ResultsError;
use super::file::{Refusal, TableReader};
use super::folder::{PARTS, PLAN, Unit, list_parts};
use super::layout::{ArmRow, BestType, Shape};
use super::merge::{Source, merge, merge_arm};
use super::plan_file::PlanFile;
use super::row::{GenerationRow, Row, TimingRow};
use super::summary::{SummaryTable, Tally};
use crate::experiment::Trace;
use crate::record::TrialRecord;
use polars::prelude::{DataFrame, DataType};
use std::fs;
use std::path::{Path, PathBuf};

/// A reader meets files that the writer just folded away: it looks again this often before it gives up.
const ATTEMPTS: usize = 20;

/// Rows of the frames that are made for other formats.
const FRAME_ROWS: usize = 4_096;

/// Ends a visit early.
enum Halt {
    Enough,
    Error(ResultsError),
}

impl From<ResultsError> for Halt {
    fn from(error: ResultsError) -> Self {
        Halt::Error(error)
    }
}

/// What the column `best` of a trials table holds; integers, as far as a file that cannot be read says: whoever reads
/// it meets the error.
fn best_type(path: &Path) -> BestType {
    let reals = DataType::List(Box::new(DataType::Float64));
    match TableReader::open(path, Table::Trials) {
        Ok(reader) if reader.schema.get("best") == Some(&reals) => BestType::Reals,
        _ => BestType::Integers,
    }
}

/// An experiment's results, opened for reading. Takes no lock, and holds a row group of each file at a time.
pub struct Results {
    folder: PathBuf,
    shape: Shape,
    /// Of a finished experiment; otherwise worked out from the trials.
    summary: Option<SummaryTable>,
    /// Trials an arm that an unfinished experiment is to have.
    planned: Option<u64>,
}

impl Results {
    /// Opens `results/<experiment>`.
    ///
    /// # Errors
    /// If there are no results, or the summary or the plan cannot be read.
    pub fn open(folder: &Path) -> Result<Self, ResultsError> {
        for _ in 0..ATTEMPTS {
            let plan = folder.join(PARTS).join(PLAN);
            match fs::read(&plan) {
                Ok(bytes) => {
                    let file = PlanFile::from_json(&bytes);
                    let Some((shape, file)) = file.and_then(|file| Some((file.shape()?, file))) else {
                        let message = "it is not a plan that this runner wrote".to_owned();
                        return Err(ResultsError::Unreadable { path: plan, message });
                    };
                    let planned = Some(file.repeats);
                    return Ok(Results { folder: folder.to_owned(), shape, summary: None, planned });
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(ResultsError::reading(&plan, "read the file")(error)),
            }
            let path = folder.join(Table::Summary.file_name());
            match SummaryTable::read(&path) {
                Ok((summary, mut shape)) => {
                    shape.best = best_type(&folder.join(Table::Trials.file_name()));
                    return Ok(Results { folder: folder.to_owned(), shape, summary: Some(summary), planned: None });
                }
                // Either there is nothing, or a run has just begun or ended.
                Err(Refusal::Missing) if plan.exists() || path.exists() => {}
                Err(Refusal::Missing) => {
                    let missing = if folder.is_dir() {
                        "it has neither summary.parquet nor parts"
                    } else {
                        "the folder does not exist"
                    };
                    return Err(ResultsError::None { path: folder.to_owned(), missing });
                }
                Err(refusal) => return Err(refusal.into_error(&path)),
            }
        }
        Err(ResultsError::None { path: folder.to_owned(), missing: "its tables come and go; is it being moved?" })
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    #[must_use]
    pub fn experiment(&self) -> &str {
        &self.shape.experiment
    }

    /// In plan order; rows name them by their index.
    #[must_use]
    pub fn arms(&self) -> &[ArmRow] {
        &self.shape.arms
    }

    #[must_use]
    pub fn swept_keys(&self) -> &[String] {
        &self.shape.swept_keys
    }

    #[must_use]
    pub fn trace(&self) -> Trace {
        self.shape.trace
    }

    /// Trials an arm that are planned, while the experiment is unfinished; none once its tables are complete.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        self.planned
    }

    fn units(&self) -> Result<Vec<Unit>, ResultsError> {
        let mut units = vec![Unit::tables(&self.folder)];
        if self.planned.is_some() {
            units.extend(list_parts(&self.folder, &[Table::Trials])?);
        }
        Ok(units)
    }

    /// Opens a table's files, all of one moment.
    fn sources<R: Row>(&self) -> Result<Vec<Source<R>>, ResultsError> {
        for attempt in 1.. {
            let units = self.units()?;
            let mut sources = Vec::new();
            let mut gone = false;
            for unit in &units {
                let path = unit.path(R::TABLE);
                match Source::open(&path, &self.shape) {
                    Ok(source) => sources.push(source),
                    // A part has no timings if they were broken, and none of the tables if it was folded just now.
                    Err(Refusal::Missing) => gone |= unit.part.is_some() && !unit.path(Table::Trials).exists(),
                    Err(refusal) => return Err(refusal.into_error(&path)),
                }
            }
            // Seen again unchanged, nothing was missed: a part folded meanwhile is listed under its new name.
            if (!gone && units == self.units()?) || attempt == ATTEMPTS {
                return Ok(sources);
            }
        }
        unreachable!("the loop ends at its last attempt")
    }

    /// Calls `visit` with every trial, arm by arm in plan order, within an arm by number.
    ///
    /// # Errors
    /// If a table cannot be read, and those of `visit`.
    pub fn trials<E: From<ResultsError>>(&self, visit: impl FnMut(TrialRecord) -> Result<(), E>) -> Result<(), E> {
        merge(&mut self.sources::<TrialRecord>()?, self.shape.arms.len(), |_, _| true, visit)
    }

    /// The trials of one arm, by number.
    ///
    /// # Errors
    /// If a table cannot be read, and those of `visit`.
    pub fn trials_of<E: From<ResultsError>>(
        &self,
        arm: usize,
        mut visit: impl FnMut(TrialRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        merge_arm(&mut self.sources::<TrialRecord>()?, arm, &|_, _| true, &mut visit)
    }

    /// The first `limit` trials.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn first_trials(&self, limit: usize) -> Result<Vec<TrialRecord>, ResultsError> {
        let mut first = Vec::new();
        if limit == 0 {
            return Ok(first);
        }
        let outcome = self.trials(|trial| {
            first.push(trial);
            if first.len() == limit { Err(Halt::Enough) } else { Ok(()) }
        });
        match outcome {
            Ok(()) | Err(Halt::Enough) => Ok(first),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    /// Calls `visit` with all trials as frames of the trials table, some thousand rows at a time.
    pub(crate) fn trial_frames(
        &self,
        mut visit: impl FnMut(&DataFrame) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let mut rows = Vec::new();
        let mut pass_on = |rows: &mut Vec<TrialRecord>| {
            let frame = TrialRecord::frame(rows, &self.shape)
                .map_err(|error| ResultsError::Unreadable { path: self.folder.clone(), message: error.to_string() })?;
            rows.clear();
            visit(&frame)
        };
        self.trials(|trial| {
            rows.push(trial);
            if rows.len() < FRAME_ROWS { Ok(()) } else { pass_on(&mut rows) }
        })?;
        pass_on(&mut rows)
    }

    /// A summary as a frame of the summary table.
    pub(crate) fn summary_frame(&self) -> Result<DataFrame, ResultsError> {
        let frame = self.summary()?.frame(&self.shape);
        frame.map_err(|error| ResultsError::Unreadable { path: self.folder.clone(), message: error.to_string() })
    }

    /// Calls `visit` with every row of the generations table, in the order of [`Results::trials`]; with none if the
    /// experiment has no trace.
    ///
    /// # Errors
    /// If a table cannot be read, and those of `visit`.
    pub fn generations<E: From<ResultsError>>(
        &self,
        visit: impl FnMut(GenerationRow) -> Result<(), E>,
    ) -> Result<(), E> {
        merge(&mut self.sources::<GenerationRow>()?, self.shape.arms.len(), |_, _| true, visit)
    }

    /// The rows of the generations table that belong to one arm, by trial.
    ///
    /// # Errors
    /// If a table cannot be read, and those of `visit`.
    pub fn generations_of<E: From<ResultsError>>(
        &self,
        arm: usize,
        mut visit: impl FnMut(GenerationRow) -> Result<(), E>,
    ) -> Result<(), E> {
        merge_arm(&mut self.sources::<GenerationRow>()?, arm, &|_, _| true, &mut visit)
    }

    /// Calls `visit` with every row of the timings table, in the order of [`Results::trials`].
    ///
    /// # Errors
    /// If a table cannot be read, and those of `visit`.
    pub fn timings<E: From<ResultsError>>(&self, visit: impl FnMut(TimingRow) -> Result<(), E>) -> Result<(), E> {
        merge(&mut self.sources::<TimingRow>()?, self.shape.arms.len(), |_, _| true, visit)
    }

    /// The summary: the table, or, of an unfinished experiment, that of the trials that are there.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn summary(&self) -> Result<SummaryTable, ResultsError> {
        if let Some(summary) = &self.summary {
            return Ok(summary.clone());
        }
        let mut sources = self.sources::<TrialRecord>()?;
        let mut figures = Vec::new();
        for (index, arm) in self.shape.arms.iter().enumerate() {
            let mut tally = Tally::default();
            merge_arm(&mut sources, index, &|_, _| true, &mut |trial: TrialRecord| -> Result<(), ResultsError> {
                tally.add(&trial);
                Ok(())
            })?;
            figures.push(tally.finish(arm.id));
        }
        Ok(SummaryTable::new(&self.shape, figures))
    }
}
