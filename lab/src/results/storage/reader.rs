//! One table in one Parquet file, read a row group at a time.

use crate::parquet::{Frame, ParquetReader, ReadError, Schema};
use crate::results::error::ResultsError;
use crate::results::schema::columns::{FORMAT, Table, has_column};
use crate::results::storage::checksum::{self, Checked, Checksum};
use crate::results::storage::metadata::TableMetadata;
use crate::system::regular;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a file could not be opened as a table.
#[derive(Debug)]
pub(crate) enum Refusal {
    Missing,
    /// The bytes have changed since they were written, or are not a table of this kind; with a
    /// description.
    Damaged(String),
    /// An error that means nothing about the file, such as an error of the system.
    Other(ResultsError),
}

impl From<ResultsError> for Refusal {
    fn from(error: ResultsError) -> Self {
        Refusal::Other(error)
    }
}

impl Refusal {
    pub(crate) fn into_error(self, path: &Path) -> ResultsError {
        match self {
            Refusal::Missing => ResultsError::reading(path, "open the table")(io::Error::from(
                io::ErrorKind::NotFound,
            )),
            Refusal::Damaged(message) => {
                ResultsError::Unreadable { path: path.to_owned(), message }
            }
            Refusal::Other(error) => error,
        }
    }
}

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
    /// Opens a table and looks whether its bytes are those that were written.
    pub(crate) fn open(path: &Path, table: Table) -> Result<Self, Refusal> {
        Self::open_checked(path, table, checksum::check)
    }

    /// Opens a table without a look at its bytes: for a report on the way, which is renewed.
    pub(crate) fn peek(path: &Path, table: Table) -> Result<Self, Refusal> {
        Self::open_checked(path, table, checksum::read)
    }

    /// Opens a table again whose bytes were looked at right before.
    pub(crate) fn reopen(path: &Path, table: Table, checksum: Checksum) -> Result<Self, Refusal> {
        let reader = Self::open_checked(path, table, checksum::read)?;
        match reader.checksum == checksum {
            true => Ok(reader),
            false => Err(Refusal::Damaged("it was replaced while it was read".to_owned())),
        }
    }

    fn open_checked(
        path: &Path,
        table: Table,
        check: fn(&File) -> io::Result<Checked>,
    ) -> Result<Self, Refusal> {
        let file = match regular::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Missing),
            Err(error) => {
                return Err(Refusal::Other(ResultsError::reading(path, "open the table")(error)));
            }
        };
        let (footer, checksum) = match check(&file) {
            Ok(Checked::Sound { footer, checksum }) => (footer, checksum),
            Ok(Checked::Broken(message)) => return Err(Refusal::Damaged(message.to_owned())),
            Err(error) => {
                return Err(Refusal::Other(ResultsError::reading(path, "read the table")(error)));
            }
        };
        let file = ParquetReader::with_footer(file, footer).map_err(|error| match error {
            ReadError::Damaged(message) => Refusal::Damaged(message),
            ReadError::Io(error) => {
                Refusal::Other(ResultsError::reading(path, "read the table")(error))
            }
        })?;
        let metadata = TableMetadata::of(file.pairs())
            .ok_or_else(|| Refusal::Damaged("it has no runner metadata".to_owned()))?;
        if !metadata.is_known() {
            let (path, found) = (path.to_owned(), metadata.format.to_string());
            return Err(Refusal::Other(ResultsError::Format { path, found, known: FORMAT }));
        }
        if metadata.table != table.as_str() {
            return Err(Refusal::Damaged(format!(
                "it contains the table {}, not {table}",
                metadata.table
            )));
        }
        let names = table.columns().iter().map(|column| column.name);
        let names = names.filter(|name| has_column(metadata.format, name));
        if let Some(missing) = names.into_iter().find(|name| !file.schema().contains(name)) {
            return Err(Refusal::Damaged(format!("the column `{missing}` is missing")));
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
        self.file.group(group, columns).map_err(|error| self.unread(error))
    }

    fn unread(&self, error: ReadError) -> ResultsError {
        match error {
            ReadError::Io(error) => ResultsError::reading(&self.path, "read the table")(error),
            ReadError::Damaged(message) => self.damaged(message),
        }
    }

    pub(crate) fn damaged(&self, message: String) -> ResultsError {
        ResultsError::Unreadable { path: self.path.clone(), message }
    }

    /// Returns the file's own metadata, for a copy of some of its rows.
    pub(crate) fn key_values(&self) -> Vec<(String, String)> {
        let ours = self.file.pairs().filter(|(key, _)| *key == "runner" || *key == "columns");
        ours.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}
