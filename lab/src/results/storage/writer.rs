//! One table in one Parquet file, written in row groups.

use crate::parquet::{EncodedGroup, Frame, FrameError, ParquetWriter, Schema, Stack};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::gene_runs::gene_runs;
use crate::results::schema::row::Row;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{create, rename};
use crate::results::storage::checksum::{Checksum, ChecksummedFile};
use crate::results::storage::metadata::{Origin, TableMetadata};
use crate::results::storage::reader::TableReader;
use std::collections::VecDeque;
use std::mem::take;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Maximum number of rows per row group of a table that is not huge.
pub(crate) const GROUP_ROWS: usize = 50_000;
/// Maximum number of rows per row group of any table.
const MOST_ROWS: usize = 1 << 17;
/// Genes, or what weighs as much, from which on a row group ends: bounds the memory of a group.
const GROUP_WEIGHT: usize = 1 << 22;
/// Weight of a gene that is also a text.
const NAMED_WEIGHT: usize = 4;
/// Number of rows from which on a row group ends with its arm, so that an arm can be read alone.
const ARM_ROWS: usize = 4_096;
/// Trials per row group from which on groups grow with the table. The writer keeps some 0.1 MB per
/// group until the file ends.
const GROUPS: u64 = 1_024;
/// Number of groups from which on a group holds several arms.
const ARM_GROUPS: u64 = 256;
/// Rows that are made columns at a time.
const ROWS_AT_ONCE: usize = 4_096;
/// Maximum number of row groups of a table that are encoded at a time.
const MOST_ENCODED: usize = 2;

/// Writer of frames, one row group each, to an unfinished file next to `path`.
pub(crate) struct FrameWriter {
    path: PathBuf,
    unfinished: PathBuf,
    file: ChecksummedFile,
    writer: ParquetWriter<ChecksummedFile>,
    rows: usize,
}

impl FrameWriter {
    pub(crate) fn create(
        path: &Path,
        schema: &Schema,
        metadata: Vec<(String, String)>,
    ) -> Result<Self, ResultsError> {
        let (unfinished, file) = create(path)?;
        let file = ChecksummedFile::new(file);
        let writer = ParquetWriter::new(file.clone(), schema, metadata)
            .map_err(|error| ResultsError::unwritable(path, error))?;
        Ok(FrameWriter { path: path.to_owned(), unfinished, file, writer, rows: 0 })
    }

    /// Adds a row group; no rows, no group.
    pub(crate) fn write(&mut self, frame: Frame) -> Result<(), ResultsError> {
        self.write_stack(frame.into())
    }

    fn write_stack(&mut self, rows: Stack) -> Result<(), ResultsError> {
        let height = rows.height();
        let group = self.writer.encode(rows);
        self.write_group(height, group)
    }

    fn write_group(
        &mut self,
        rows: usize,
        group: Result<EncodedGroup, FrameError>,
    ) -> Result<(), ResultsError> {
        let written = group.and_then(|group| self.writer.write_group(group));
        self.rows += rows;
        written.map_err(|error| ResultsError::unwritable(&self.path, error))
    }

    /// Ends the file and puts its bytes on the disk; the table appears once [`Written::publish`] is
    /// called.
    pub(crate) fn finish(self) -> Result<Written, ResultsError> {
        let writing = |source| ResultsError::writing(&self.unfinished, "write the file")(source);
        self.file.begin_end().map_err(writing)?;
        self.writer.finish().map_err(|error| ResultsError::unwritable(&self.path, error))?;
        let checksum = self.file.end().map_err(writing)?;
        Ok(Written { path: self.path, unfinished: self.unfinished, checksum, rows: self.rows })
    }
}

/// A file whose bytes are on the disk under its unfinished name.
#[must_use = "the file appears only when it is published"]
pub(crate) struct Written {
    path: PathBuf,
    unfinished: PathBuf,
    pub checksum: Checksum,
    rows: usize,
}

impl Written {
    /// Reads the file once more: the disk must have what was written.
    pub(crate) fn check(&self, table: Table) -> Result<(), ResultsError> {
        let reader = TableReader::open(&self.unfinished, table).map_err(|error| match error {
            ResultsError::Unreadable { message, .. } => {
                ResultsError::unwritable(&self.path, message)
            }
            other => other,
        })?;
        if reader.rows() == self.rows && reader.checksum == self.checksum {
            return Ok(());
        }
        let message = format!("{} rows were written and {} can be read", self.rows, reader.rows());
        Err(ResultsError::unwritable(&self.path, message))
    }

    /// Gives the file its name, in place of what had it before.
    pub(crate) fn publish(self) -> Result<(), ResultsError> {
        rename(&self.unfinished, &self.path)
    }
}

/// Sizes at which row groups end.
#[derive(Clone, Copy, Debug)]
struct GroupLimits {
    rows: usize,
    /// Number of rows from which on a group ends with its arm.
    arm_rows: usize,
}

impl GroupLimits {
    /// Returns the limits for a table of `trials` trials. The groups of huge tables are larger, so
    /// that the writer's memory for all row groups stays bounded.
    fn new(trials: u64) -> Self {
        let per = |groups: u64| usize::try_from(trials.div_ceil(groups)).unwrap_or(usize::MAX);
        let rows = per(GROUPS).clamp(GROUP_ROWS, MOST_ROWS);
        GroupLimits { rows, arm_rows: per(ARM_GROUPS).clamp(ARM_ROWS, rows) }
    }
}

/// Returns the pairs in the footer of a table of rows.
pub(crate) fn key_values(
    table: Table,
    schema: &TableSchema,
    origin: &Origin,
) -> Vec<(String, String)> {
    let mut metadata = TableMetadata::new(table, schema.trace, origin.clone(), None);
    if table == Table::Trials {
        metadata.genes = gene_runs(&schema.arms);
    }
    metadata.key_values(table, schema)
}

/// Writer of rows in the order given. The ends of row groups depend on the rows alone, so that the
/// bytes of a table do not depend on the way its rows came. Other threads encode the groups.
pub(crate) struct RowWriter<R> {
    frames: FrameWriter,
    schema: Arc<TableSchema>,
    limits: GroupLimits,
    /// Rows that are not yet columns.
    rows: Vec<R>,
    /// The earlier rows of the row group.
    group: Stack,
    weight: usize,
    /// Factor of the weights: genes that are also texts take more.
    weighs: usize,
    /// Groups on their way to the file, in order, with their number of rows.
    encoding: VecDeque<(usize, JoinHandle<Result<EncodedGroup, FrameError>>)>,
    /// Maximum number of them.
    most: usize,
}

impl<R: Row> RowWriter<R> {
    /// `trials`: number of trials of the table.
    pub(crate) fn create(
        path: &Path,
        schema: &Arc<TableSchema>,
        origin: &Origin,
        trials: u64,
    ) -> Result<Self, ResultsError> {
        let empty = R::frame(&[], schema).map_err(|error| ResultsError::unwritable(path, error))?;
        let pairs = key_values(R::TABLE, schema, origin);
        let cores = available_parallelism().map_or(1, NonZero::get);
        Ok(RowWriter {
            frames: FrameWriter::create(path, empty.schema(), pairs)?,
            schema: Arc::clone(schema),
            limits: GroupLimits::new(trials),
            rows: Vec::new(),
            group: Stack::default(),
            weight: 0,
            weighs: if schema.has_names() { NAMED_WEIGHT } else { 1 },
            encoding: VecDeque::new(),
            most: (cores / 2).clamp(1, MOST_ENCODED),
        })
    }

    pub(crate) fn push(&mut self, row: R) -> Result<(), ResultsError> {
        if self.group.height() + self.rows.len() >= self.limits.arm_rows
            && self.rows.last().is_some_and(|last| last.key().0 != row.key().0)
        {
            self.end_group()?;
        }
        self.weight += row.weight() * self.weighs;
        self.rows.push(row);
        let rows = self.group.height() + self.rows.len();
        if rows >= self.limits.rows || self.weight >= GROUP_WEIGHT {
            return self.end_group();
        }
        // The last row stays, because its arm says whether the group ends.
        if self.rows.len() > ROWS_AT_ONCE {
            let last = self.rows.pop();
            self.stack_rows()?;
            self.rows.extend(last);
        }
        Ok(())
    }

    /// Makes the rows columns of the group.
    fn stack_rows(&mut self) -> Result<(), ResultsError> {
        let frame = R::frame(&self.rows, &self.schema);
        self.rows.clear();
        let stacked = frame.and_then(|frame| self.group.push(frame));
        stacked.map_err(|error| ResultsError::unwritable(&self.frames.path, error))
    }

    /// Has the group encoded by a thread; where the system has none to spare, by this one.
    fn end_group(&mut self) -> Result<(), ResultsError> {
        self.stack_rows()?;
        let group = take(&mut self.group);
        self.weight = 0;
        if self.encoding.len() >= self.most {
            self.write_first()?;
        }
        let (encoder, rows) = (self.frames.writer.clone(), group.height());
        // The copy shares the columns.
        let own = group.clone();
        let encode = move || encoder.encode(own);
        match Builder::new().name("encode".to_owned()).spawn(encode) {
            Ok(thread) => self.encoding.push_back((rows, thread)),
            Err(_) => {
                self.write_all()?;
                self.frames.write_stack(group)?;
            }
        }
        Ok(())
    }

    /// Writes the group that was begun first; false if there is none.
    fn write_first(&mut self) -> Result<bool, ResultsError> {
        let Some((rows, thread)) = self.encoding.pop_front() else { return Ok(false) };
        let group = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.frames.write_group(rows, group).map(|()| true)
    }

    fn write_all(&mut self) -> Result<(), ResultsError> {
        while self.write_first()? {}
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Written, ResultsError> {
        if self.group.height() + self.rows.len() > 0 {
            self.end_group()?;
        }
        self.write_all()?;
        self.frames.finish()
    }
}

/// Writes a table of one row group that is small enough to be a frame already.
pub(crate) fn write_frame(
    path: &Path,
    table: Table,
    frame: Frame,
    schema: &TableSchema,
    metadata: &TableMetadata,
) -> Result<Written, ResultsError> {
    let mut writer = FrameWriter::create(path, frame.schema(), metadata.key_values(table, schema))?;
    writer.write(frame)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_groups_are_few_in_tables_of_any_size() {
        let limits = |trials| {
            let GroupLimits { rows, arm_rows } = GroupLimits::new(trials);
            (rows, arm_rows)
        };
        assert_eq!(limits(0), (50_000, 4_096));
        assert_eq!(limits(1_000_000), (50_000, 4_096));
        assert_eq!(limits(10_000_000), (50_000, 39_063));
        assert_eq!(limits(100_000_000), (97_657, 97_657));
        assert_eq!(limits(u64::MAX), (131_072, 131_072));
        for trials in (0..100).map(|step| step * 1_342_177) {
            let (rows, arm_rows) = limits(trials);
            assert!(trials.div_ceil(rows as u64) <= 1_024 && arm_rows <= rows);
        }
    }
}
