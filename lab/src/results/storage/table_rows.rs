//! The rows of a table, read arm by arm in any order of arms, with a row group in memory at a time.

use crate::parquet::{Column, FrameError};
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::columns::{GENOME, OPERATOR_COUNTS, SAVED, STANDARD_ERROR};
use crate::results::schema::row::{Row, View};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::ahead::Ahead;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::merge::{MOST_OPEN, Stream};
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::writer::GROUP_ROWS;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of rows of all files that are kept in memory from one arm to the next.
const KEPT: usize = 4 * GROUP_ROWS;

/// Rows of one arm, next to each other in a file, ascending by trial.
#[derive(Clone, Copy, Debug)]
struct Segment {
    arm: usize,
    /// Trial number of the first row.
    trial: u64,
    start: usize,
    end: usize,
}

/// Calls `visit` with each row's arm and trial, in order.
pub(crate) fn scan_keys(
    reader: &TableReader,
    mut visit: impl FnMut(ArmId, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    scan(reader, false, |id, trial, _| visit(id, trial))
}

/// Calls `visit` with each row's arm, trial and seed (0 where the table has none), in order.
pub(crate) fn scan_seeds(
    reader: &TableReader,
    visit: impl FnMut(ArmId, u64, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    scan(reader, reader.schema().contains("seed"), visit)
}

fn scan(
    reader: &TableReader,
    seeded: bool,
    mut visit: impl FnMut(ArmId, u64, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    let columns: &[&str] = if seeded { &["arm_id", "trial", "seed"] } else { &["arm_id", "trial"] };
    let mut last = (String::new(), ArmId(0));
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(columns))?;
        let words = |error: FrameError| Refusal::Damaged(error.to_string());
        let ids = frame.column("arm_id").and_then(Column::str).map_err(words)?;
        let trials = frame.column("trial").and_then(Column::u64).map_err(words)?;
        let seeds = if seeded {
            Some(frame.column("seed").and_then(Column::u64).map_err(words)?)
        } else {
            None
        };
        for row in 0..frame.height() {
            let (Some(hex), Some(trial)) = (ids.get(row), trials.get(row)) else {
                return Err(Refusal::Damaged("a row has no arm_id or no trial".to_owned()));
            };
            if last.0 != hex {
                let id = ArmId::from_hex(hex);
                let id = id.ok_or_else(|| {
                    Refusal::Damaged(format!("the arm_id `{hex}` is not 16 hex digits"))
                })?;
                last = (hex.to_owned(), id);
            }
            let seed = seeds.and_then(|seeds| seeds.get(row)).unwrap_or(0);
            visit(last.1, trial, seed).map_err(Refusal::Damaged)?;
        }
    }
    Ok(())
}

/// Path and checksum of a closed file, so that it can be reopened.
struct ClosedFile {
    path: PathBuf,
    checksum: Checksum,
}

/// A table with an index of its arms.
pub(crate) struct TableRows<R: Row> {
    /// `None` while the file is closed.
    pub reader: Option<Arc<TableReader>>,
    closed: Option<ClosedFile>,
    /// Ascending by arm, at most one per arm.
    segments: Vec<Segment>,
    /// Columns that are read; `None` for all.
    columns: Option<&'static [&'static str]>,
    /// Rows of the group that was read last.
    held: Option<(Range<usize>, R::View)>,
    /// Whether the next group is read while one is worked on.
    reads_ahead: bool,
    ahead: Option<Ahead>,
    arm: usize,
    /// Rows of the arm that were not taken yet.
    left: Range<usize>,
}

impl<R: Row> TableRows<R> {
    /// Opens a table. Rows of arms that `schema` lacks are left out.
    pub(crate) fn open(path: &Path, schema: &TableSchema) -> Result<Self, Refusal> {
        Self::of_file(TableReader::open(path, R::TABLE)?, schema)
    }

    /// Opens a table whose bytes were looked at right before, if it is still that one.
    pub(crate) fn open_again(
        path: &Path,
        schema: &TableSchema,
        checksum: Checksum,
    ) -> Result<Self, Refusal> {
        match TableReader::reopen(path, R::TABLE, checksum) {
            Ok(reader) => Self::of_file(reader, schema),
            Err(_) => Self::open(path, schema),
        }
    }

    fn of_file(reader: TableReader, schema: &TableSchema) -> Result<Self, Refusal> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut row = 0;
        // The row before: its arm, whether that is one of `schema`, and its trial.
        let mut before: Option<(ArmId, bool, u64)> = None;
        scan_keys(&reader, |id, trial| {
            match before {
                Some((last, known, earlier)) if last == id => {
                    if trial < earlier {
                        return Err(format!(
                            "trial {trial} of arm {id} comes after trial {earlier}"
                        ));
                    }
                    if let (Some(segment), true) = (segments.last_mut(), known) {
                        segment.end = row + 1;
                    }
                    before = Some((id, known, trial));
                }
                _ => {
                    let arm = schema.arm_index(id);
                    if let Some(arm) = arm {
                        segments.push(Segment { arm, trial, start: row, end: row + 1 });
                    }
                    before = Some((id, arm.is_some(), trial));
                }
            }
            row += 1;
            Ok(())
        })?;
        segments.sort_by_key(|segment| segment.arm);
        if let Some(pair) = segments.windows(2).find(|pair| pair[0].arm == pair[1].arm) {
            let id = schema.arms[pair[0].arm].id;
            return Err(Refusal::Damaged(format!(
                "the rows of arm {id} are not next to each other"
            )));
        }
        Ok(TableRows {
            reader: Some(Arc::new(reader)),
            closed: None,
            segments,
            columns: None,
            held: None,
            reads_ahead: false,
            ahead: None,
            arm: 0,
            left: 0..0,
        })
    }

    /// Reads these columns alone.
    pub(crate) fn only(&mut self, columns: &'static [&'static str]) {
        self.columns = Some(columns);
    }

    /// Reads a group more, which a thread decodes in the meantime.
    pub(crate) fn read_ahead(&mut self) {
        self.reads_ahead = true;
    }

    /// Reads all columns, and nothing ahead: a row here and there is asked for.
    pub(crate) fn whole(&mut self) {
        (self.ahead, self.held, self.columns, self.reads_ahead) = (None, None, None, false);
    }

    /// Closes the file until it is read again.
    pub(crate) fn close(&mut self) {
        if let Some(reader) = self.reader.take() {
            let (path, checksum) = (reader.path.clone(), reader.checksum);
            self.closed = Some(ClosedFile { path, checksum });
            (self.held, self.ahead) = (None, None);
        }
    }

    /// Opens the file if it is closed.
    fn reopen(&mut self) -> Result<(), ResultsError> {
        if let Some(ClosedFile { path, checksum }) = &self.closed {
            let reader = TableReader::reopen(path, R::TABLE, *checksum);
            self.reader = Some(Arc::new(reader.map_err(|refusal| refusal.into_error(path))?));
            self.closed = None;
        }
        Ok(())
    }

    /// Returns the first row of a trial. Of the groups that may have it, nothing but numbers is
    /// read until it is found.
    pub(crate) fn find(&mut self, arm: usize, trial: u64) -> Result<Option<R>, ResultsError> {
        let Some(Segment { start, end, .. }) = self.segment(arm) else { return Ok(None) };
        self.reopen()?;
        let mut row = start;
        while row < end {
            let reader = self.reader.as_ref().expect("it was opened above");
            let (group, first) = reader.group_of(row);
            let frame = reader.group(group, Some(&["trial"]))?;
            let trials = frame.column("trial").and_then(Column::u64);
            let trials = trials.map_err(|error| reader.damaged(error.to_string()))?;
            let rows = row..end.min(first + frame.height());
            let found = rows.clone().find(|row| trials.get(row - first) == Some(trial));
            if let Some(row) = found {
                let (view, place) = self.view(row)?;
                return Ok(Some(view.row(place, arm)));
            }
            row = rows.end;
        }
        Ok(None)
    }

    fn segment(&self, arm: usize) -> Option<Segment> {
        let place = self.segments.binary_search_by_key(&arm, |segment| segment.arm).ok()?;
        Some(self.segments[place])
    }

    /// Returns the view that holds a row of the file, and the row's place in it.
    fn view(&mut self, row: usize) -> Result<(&R::View, usize), ResultsError> {
        if self.held.as_ref().is_none_or(|(rows, _)| !rows.contains(&row)) {
            self.held = None;
            self.held = Some(self.read_group(row)?);
        }
        let (rows, view) = self.held.as_ref().expect("it was just read");
        Ok((view, row - rows.start))
    }

    /// Reads the group that holds a row.
    fn read_group(&mut self, row: usize) -> Result<(Range<usize>, R::View), ResultsError> {
        self.reopen()?;
        let reader = self.reader.as_ref().expect("it was opened above");
        let (group, start) = reader.group_of(row);
        // Only the table's own columns: those that describe arms come from the spec, which may have
        // changed.
        let described = ["experiment", "arm", "arm_id", "problem", "operators"];
        let all = R::TABLE.columns().iter().chain(R::TABLE.violation_columns());
        let names = all.map(|column| column.name);
        let present = OPERATOR_COUNTS.iter().chain(GENOME).chain([&STANDARD_ERROR, &SAVED]);
        let present = present.map(|column| column.name);
        let present = present.filter(|name| reader.schema().contains(name));
        let chosen = |name: &&str| self.columns.is_none_or(|columns| columns.contains(name));
        let own = names.filter(|name| !described.contains(name));
        let columns: Vec<&'static str> = own.chain(present).filter(chosen).collect();
        let ahead = self.ahead.take().and_then(|ahead| ahead.take(group));
        let frame = ahead.unwrap_or_else(|| reader.group(group, Some(&columns)))?;
        if self.reads_ahead {
            self.ahead = Ahead::begin(reader, group + 1, columns);
        }
        let view =
            R::View::new(&frame, start).map_err(|error| reader.damaged(error.to_string()))?;
        Ok((start..start + frame.height(), view))
    }
}

impl<R: Row> Stream for TableRows<R> {
    type Item = R;

    fn first(&self, arm: usize) -> Option<u64> {
        self.segment(arm).map(|segment| segment.trial)
    }

    fn begin(&mut self, arm: usize) {
        self.arm = arm;
        self.left = self.segment(arm).map_or(0..0, |segment| segment.start..segment.end);
    }

    fn next_trial(&mut self) -> Result<Option<u64>, ResultsError> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let (view, place) = self.view(self.left.start)?;
        Ok(Some(view.trial(place)))
    }

    fn take(&mut self) -> Result<R, ResultsError> {
        let (arm, row) = (self.arm, self.left.start);
        self.left.start += 1;
        let (view, place) = self.view(row)?;
        Ok(view.row(place, arm))
    }

    fn skip(&mut self) {
        self.left.start += 1;
    }

    /// Forgets the rows that were read last, unless the group has rows of other arms and may be
    /// kept with those of all files. A group of many short arms would otherwise be read once per
    /// arm.
    fn end(&mut self, streams: usize) {
        let end = self.left.end;
        let keeps = |(rows, _): &(Range<usize>, R::View)| {
            end < rows.end && rows.len().saturating_mul(streams) <= KEPT
        };
        if !self.held.as_ref().is_some_and(keeps) {
            self.held = None;
        }
        if streams > MOST_OPEN {
            self.close();
        }
    }
}
