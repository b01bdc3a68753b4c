//! One table in one Parquet file, read a row group at a time.

use crate::parquet::{Frame, FrameError, ParquetReader, ReadError, Schema};
use crate::results::error::ResultsError;
use crate::results::schema::columns::{FORMAT, Table, has_column};
use crate::results::storage::checksum::{self, Checked, Checksum};
use crate::results::storage::metadata::TableMetadata;
use crate::system::regular;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A table's file, open for reading. Stays readable while the writer replaces or removes the file.
pub(crate) struct TableReader {
    pub path: PathBuf,
    pub metadata: TableMetadata,
    /// Names the content.
    pub checksum: Checksum,
    file: ParquetReader,
    /// First row of each group, then the number of rows.
    starts: Vec<usize>,
}

impl TableReader {
    /// Opens a table and verifies its checksum.
    ///
    /// # Errors
    /// Returns an error that [is one of a missing file](ResultsError::is_missing) if there is none,
    /// and [`ResultsError::Unreadable`] if the bytes have changed since they were written, or are
    /// not a table of this kind.
    pub(crate) fn open(path: &Path, table: Table) -> Result<Self, ResultsError> {
        Self::open_checked(path, table, checksum::check)
    }

    /// Opens a table without verifying its checksum, for a progress report, which is repeated.
    pub(crate) fn peek(path: &Path, table: Table) -> Result<Self, ResultsError> {
        Self::open_checked(path, table, checksum::read)
    }

    /// Reopens a table whose checksum was just verified.
    pub(crate) fn reopen(
        path: &Path,
        table: Table,
        checksum: Checksum,
    ) -> Result<Self, ResultsError> {
        let reader = Self::open_checked(path, table, checksum::read)?;
        match reader.checksum == checksum {
            true => Ok(reader),
            false => Err(reader.damaged("it was replaced while it was read")),
        }
    }

    fn open_checked(
        path: &Path,
        table: Table,
        check: fn(&File) -> io::Result<Checked>,
    ) -> Result<Self, ResultsError> {
        let damaged = |message: String| ResultsError::unreadable(path, message);
        let file = regular::open(path).map_err(ResultsError::reading(path, "open the table"))?;
        let (footer, checksum) =
            match check(&file).map_err(ResultsError::reading(path, "read the table"))? {
                Checked::Sound { footer, checksum } => (footer, checksum),
                Checked::Broken(message) => return Err(damaged(message.to_owned())),
            };
        let file = ParquetReader::with_footer(file, footer).map_err(unread(path))?;
        let metadata = TableMetadata::of(file.pairs())
            .ok_or_else(|| damaged("it has no runner metadata".to_owned()))?;
        if !metadata.is_known() {
            let (path, found) = (path.to_owned(), metadata.format.to_string());
            return Err(ResultsError::Format { path, found, known: FORMAT });
        }
        if metadata.table != table.as_str() {
            let message = format!("it contains the table {}, not {table}", metadata.table);
            return Err(damaged(message));
        }
        let names = table.columns().iter().map(|column| column.name);
        let names = names.filter(|name| has_column(metadata.format, name));
        if let Some(missing) = names.into_iter().find(|name| !file.schema().contains(name)) {
            return Err(damaged(format!("the column `{missing}` is missing")));
        }
        let mut starts = vec![0];
        for group in 0..file.groups() {
            starts.push(starts[group] + file.rows_of(group));
        }
        Ok(TableReader { path: path.to_owned(), metadata, checksum, file, starts })
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.file.schema()
    }

    /// Returns whether a column has lists of real numbers.
    pub(crate) fn has_real_lists(&self, column: &str) -> bool {
        self.file.has_real_lists(column)
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    pub(crate) fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the first row of a group.
    pub(crate) fn start(&self, group: usize) -> usize {
        self.starts[group]
    }

    /// Returns the group that holds a row, and the first row of that group.
    pub(crate) fn group_of(&self, row: usize) -> (usize, usize) {
        let group = self.starts.partition_point(|&start| start <= row) - 1;
        (group, self.starts[group])
    }

    /// Returns the rows of one group. `columns`: these alone, otherwise all.
    pub(crate) fn group(
        &self,
        group: usize,
        columns: Option<&[&str]>,
    ) -> Result<Frame, ResultsError> {
        self.file.group(group, columns).map_err(unread(&self.path))
    }

    /// Returns the error of a file with such contents.
    pub(crate) fn damaged(&self, message: impl ToString) -> ResultsError {
        ResultsError::unreadable(&self.path, message)
    }

    /// Returns what was read of the file; an error if no runner writes that.
    pub(crate) fn sound<T>(&self, read: Result<T, FrameError>) -> Result<T, ResultsError> {
        read.map_err(|error| self.damaged(error))
    }

    /// Returns the file's own metadata, for a copy of some of its rows.
    pub(crate) fn key_values(&self) -> Vec<(String, String)> {
        let ours = self.file.pairs().filter(|(key, _)| *key == "runner" || *key == "columns");
        ours.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

/// Returns a function that wraps an error of reading the table at `path`.
fn unread(path: &Path) -> impl FnOnce(ReadError) -> ResultsError {
    move |error| match error {
        ReadError::Io(error) => ResultsError::reading(path, "read the table")(error),
        ReadError::Damaged(message) => ResultsError::unreadable(path, message),
    }
}
