//! The rows of a table, read arm by arm in any order of arms, with a row group in memory at a time.

use crate::parquet::{Column, Frame, FrameError, Naturals};
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::columns::{GENOME, OPERATOR_COUNTS, SAVED, STANDARD_ERROR};
use crate::results::schema::row::{Row, RowReader, whole_numbers};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::ahead::Ahead;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::merge::{MOST_OPEN, Stream};
use crate::results::storage::reader::TableReader;
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
) -> Result<(), ResultsError> {
    scan(reader, &[], |_, _| Ok(()), |id, trial, _, ()| visit(id, trial))
}

/// Calls `visit` with each row's arm, trial and place in its group, in order, and with what `read`
/// makes of the group: of these further columns, and the number of its first row.
pub(crate) fn scan<T>(
    reader: &TableReader,
    columns: &[&str],
    read: impl Fn(&Frame, usize) -> Result<T, FrameError>,
    mut visit: impl FnMut(ArmId, u64, usize, &T) -> Result<(), String>,
) -> Result<(), ResultsError> {
    let columns = [&["arm_id", "trial"], columns].concat();
    let mut last = (String::new(), ArmId(0));
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&columns))?;
        let ids = reader.sound(frame.column("arm_id").and_then(Column::str))?;
        let trials = reader.sound(frame.column("trial").and_then(Column::u64))?;
        let others = reader.sound(read(&frame, reader.start(group)))?;
        for row in 0..frame.height() {
            let (Some(hex), Some(trial)) = (ids.get(row), trials.get(row)) else {
                return Err(reader.damaged("a row has no arm_id or no trial"));
            };
            if last.0 != hex {
                let id = ArmId::from_hex(hex).ok_or_else(|| {
                    reader.damaged(format!("the arm_id `{hex}` is not 16 hex digits"))
                })?;
                last = (hex.to_owned(), id);
            }
            visit(last.1, trial, row, &others).map_err(|message| reader.damaged(message))?;
        }
    }
    Ok(())
}

/// Path and checksum of a closed file, so that it can be reopened.
struct ClosedFile {
    path: PathBuf,
    checksum: Checksum,
}

/// A row group in memory.
struct Group<R> {
    /// Its rows in the file.
    rows: Range<usize>,
    trials: Naturals,
    read: RowReader<R>,
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
    /// The group that was read last.
    held: Option<Group<R>>,
    /// Whether the next group is read while one is worked on.
    reads_ahead: bool,
    ahead: Option<Ahead>,
    arm: usize,
    /// Rows of the arm that were not taken yet.
    left: Range<usize>,
}

impl<R: Row> TableRows<R> {
    /// Opens a table. Rows of arms that `schema` lacks are left out.
    pub(crate) fn open(path: &Path, schema: &TableSchema) -> Result<Self, ResultsError> {
        Self::of_file(TableReader::open(path, R::TABLE)?, schema)
    }

    /// Opens a table whose checksum was just verified, if it is still the same table.
    pub(crate) fn open_again(
        path: &Path,
        schema: &TableSchema,
        checksum: Checksum,
    ) -> Result<Self, ResultsError> {
        match TableReader::reopen(path, R::TABLE, checksum) {
            Ok(reader) => Self::of_file(reader, schema),
            Err(_) => Self::open(path, schema),
        }
    }

    fn of_file(reader: TableReader, schema: &TableSchema) -> Result<Self, ResultsError> {
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
            return Err(reader.damaged(format!("the rows of arm {id} are not next to each other")));
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

    /// Reads a group more, which a thread decodes in the meantime.
    pub(crate) fn read_ahead(&mut self) {
        self.reads_ahead = true;
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
            self.reader = Some(Arc::new(TableReader::reopen(path, R::TABLE, *checksum)?));
            self.closed = None;
        }
        Ok(())
    }

    fn segment(&self, arm: usize) -> Option<Segment> {
        let place = self.segments.binary_search_by_key(&arm, |segment| segment.arm).ok()?;
        Some(self.segments[place])
    }

    /// Returns the group that holds a row of the file, and the row's place in it.
    fn group(&mut self, row: usize) -> Result<(&Group<R>, usize), ResultsError> {
        if self.held.as_ref().is_none_or(|group| !group.rows.contains(&row)) {
            self.held = None;
            self.held = Some(self.read_group(row)?);
        }
        let group = self.held.as_ref().expect("it was just read");
        Ok((group, row - group.rows.start))
    }

    /// Reads the group that holds a row.
    fn read_group(&mut self, row: usize) -> Result<Group<R>, ResultsError> {
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
        let trials = reader.sound(whole_numbers(&frame, "trial", start))?;
        let read = reader.sound(R::reader(&frame, start))?;
        Ok(Group { rows: start..start + frame.height(), trials, read })
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
        let (group, place) = self.group(self.left.start)?;
        Ok(Some(group.trials.get(place).unwrap_or(u64::MAX)))
    }

    fn take(&mut self) -> Result<R, ResultsError> {
        let (arm, row) = (self.arm, self.left.start);
        self.left.start += 1;
        let (group, place) = self.group(row)?;
        Ok((group.read)(place, arm))
    }

    fn skip(&mut self) {
        self.left.start += 1;
    }

    /// Forgets the rows that were read last, unless the group has rows of other arms and may be
    /// kept with those of all files. A group of many short arms would otherwise be read once per
    /// arm.
    fn end(&mut self, streams: usize) {
        let end = self.left.end;
        let keeps = |Group { rows, .. }: &Group<R>| {
            end < rows.end && rows.len().saturating_mul(streams) <= KEPT
        };
        if !self.held.as_ref().is_some_and(keeps) {
            self.held = None;
        }
        if streams > MOST_OPEN {
            self.close();
        }
    }

    /// Reads nothing but numbers of the groups that may have the trial, until it is found.
    fn find(&mut self, arm: usize, trial: u64) -> Result<Option<R>, ResultsError> {
        let Some(Segment { start, end, .. }) = self.segment(arm) else { return Ok(None) };
        self.reopen()?;
        let mut row = start;
        while row < end {
            let reader = self.reader.as_ref().expect("it was opened above");
            let (group, first) = reader.group_of(row);
            let frame = reader.group(group, Some(&["trial"]))?;
            let trials = reader.sound(frame.column("trial").and_then(Column::u64))?;
            let rows = row..end.min(first + frame.height());
            let found = rows.clone().find(|row| trials.get(row - first) == Some(trial));
            if let Some(row) = found {
                let (group, place) = self.group(row)?;
                return Ok(Some((group.read)(place, arm)));
            }
            row = rows.end;
        }
        Ok(None)
    }

    fn only(&mut self, columns: &'static [&'static str]) {
        self.columns = Some(columns);
    }

    /// Reads all columns, and nothing ahead: a row here and there is asked for.
    fn whole(&mut self) {
        (self.ahead, self.held, self.columns, self.reads_ahead) = (None, None, None, false);
    }
}
