//! Sources: the rows of a CSV or Parquet file, as texts.

use crate::parquet::{ParquetReader, ReadError};
use crate::system::regular;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// A file's columns and rows. A cell without a value is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// The file, as the user named it.
    pub file: String,
    pub columns: Vec<String>,
    /// Columns of types that are not read, with the names of the types.
    pub unread: Vec<(String, String)>,
    pub rows: Vec<Vec<String>>,
    /// Number of each row: that of its first line if `word` is "line", or from 1 if it is "row".
    places: Vec<u64>,
    word: &'static str,
}

impl Table {
    /// Returns the place of a row, such as "trials.csv, line 17".
    pub(super) fn place(&self, row: usize) -> String {
        format!("{}, {} {}", self.file, self.word, self.places[row])
    }
}

/// Reads a file by its ending.
///
/// # Errors
/// Returns a message if the file is neither CSV nor Parquet, or cannot be read.
pub(super) fn read(path: &Path) -> Result<Table, String> {
    let file = path.display().to_string();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let wrong = |error: &dyn std::fmt::Display| format!("{file}: cannot be read: {error}");
    let table = match ending.as_deref() {
        Some("csv" | "tsv" | "txt") => {
            let opened = regular::open_linked(path);
            let bytes = opened.and_then(|file| regular::bytes(&file, regular::MOST_OF_DATA));
            csv(file.clone(), &bytes.map_err(|error| wrong(&error))?)
        }
        Some("parquet") => {
            let opened = regular::open_linked(path).map_err(|error| wrong(&error))?;
            parquet(file.clone(), opened).map_err(|error| wrong(&error))
        }
        _ => Err(format!(
            "{file}: it must be a CSV file (.csv, .tsv or .txt), a Parquet file (.parquet) or a \
            folder in IOHprofiler's format; rename the file or convert it"
        )),
    }?;
    let mut seen = BTreeSet::new();
    match table.columns.iter().find(|column| !seen.insert(column.as_str())) {
        Some(twice) => Err(format!(
            "{file}: two of its columns are called `{twice}`, so it is not clear which is meant; \
            rename one of them"
        )),
        None => Ok(table),
    }
}

/// Values between commas, semicolons or tabs: whichever the first line has most of.
fn csv(file: String, bytes: &[u8]) -> Result<Table, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // Marks between quotes are part of a name.
    let count = |mark: &u8| {
        let mut is_quoted = false;
        let is_mark = |byte: &&u8| {
            is_quoted ^= **byte == b'"';
            !is_quoted && *byte == mark
        };
        head.iter().filter(is_mark).count()
    };
    let delimiter = *[b'\t', b';', b','].iter().max_by_key(|mark| count(mark)).unwrap_or(&b',');
    let wrong = |error: csv::Error| match error.position().map(csv::Position::line) {
        Some(line) => format!("{file}, line {line}: {}; mend the line", reason(&error)),
        None => format!("{file}: {}", reason(&error)),
    };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(bytes);
    let columns = reader.headers().map_err(wrong)?.iter().map(|one| one.trim().to_owned());
    let columns = columns.collect();
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        places.push(record.position().map_or(0, csv::Position::line));
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect());
    }
    Ok(Table { file, columns, unread: Vec::new(), rows, places, word: "line" })
}

fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} values, and the first line has {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

/// Columns whose values have no texts, such as structures, are left out.
fn parquet(file: String, opened: File) -> Result<Table, ReadError> {
    let reader = ParquetReader::open(opened)?;
    let (mut columns, mut rows) = (Vec::new(), Vec::<Vec<String>>::new());
    for group in 0..reader.groups() {
        let frame = reader.group(group, None)?;
        let first = rows.len();
        rows.resize(first + frame.height(), Vec::with_capacity(frame.columns().len()));
        columns.clear();
        for column in frame.columns() {
            let Ok(cells) = column.cells() else { continue };
            columns.push(column.name().to_owned());
            rows[first..].iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
        }
    }
    if reader.groups() == 0 {
        columns = reader.schema().iter_names().map(|name| name.to_string()).collect();
    }
    if rows.iter().any(|row| row.len() != columns.len()) {
        return Err(ReadError::Damaged("its row groups have different columns".to_owned()));
    }
    let places = (1..=rows.len() as u64).collect();
    let unread = reader.unread().map(|(name, kind)| (name.to_owned(), kind.to_owned()));
    Ok(Table { file, columns, unread: unread.collect(), rows, places, word: "row" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_size::{is_full, repository};

    /// Whatever bytes of a small file of another writer are changed, the answer is a table or
    /// words, and no panic.
    #[test]
    fn a_damaged_file_of_another_writer_is_refused_in_words() {
        let folder = repository("tests/fixtures/parquet");
        let damaged = tempfile::tempdir().expect("a folder");
        let damaged = damaged.path().join("f.parquet");
        let step = if is_full() { 1 } else { 97 };
        for entry in std::fs::read_dir(folder).expect("files") {
            let path = entry.expect("a file").path();
            let whole = std::fs::read(&path).expect("a file");
            let sound = read(&path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((sound.rows.len(), sound.columns.len()), (12, 6), "{}", path.display());
            for place in (0..whole.len()).step_by(step) {
                let byte = whole[place];
                for other in [byte ^ 1, byte ^ 0x40, byte ^ 0x80, 0, 0xFF] {
                    let mut bytes = whole.clone();
                    bytes[place] = other;
                    std::fs::write(&damaged, &bytes).expect("a file");
                    _ = read(&damaged);
                }
                std::fs::write(&damaged, &whole[..place]).expect("a file");
                assert!(read(&damaged).is_err());
            }
        }
    }

    #[test]
    fn values_stand_between_commas_semicolons_or_tabs() {
        for (text, mark) in
            [("a,b\n1,\"x,y\"\n", ','), ("a;b\n1;x,y\n", ';'), ("a\tb\n1\tx,y\n", '\t')]
        {
            let table = csv("f.csv".to_owned(), text.as_bytes()).expect("a table");
            assert_eq!(table.columns, ["a", "b"], "{mark}");
            assert_eq!(table.rows, [["1", "x,y"]], "{mark}");
            assert_eq!(table.place(0), "f.csv, line 2");
        }
        let bom = csv("f.csv".to_owned(), b"\xef\xbb\xbfa\r\n 7 \r\n").expect("a table");
        assert_eq!((bom.columns[0].as_str(), bom.rows[0][0].as_str()), ("a", "7"));
        let ragged = csv("f.csv".to_owned(), b"a,b\n1,2\n3\n").expect_err("a short line");
        assert_eq!(
            ragged,
            "f.csv, line 3: it has 1 values, and the first line has 2 columns; mend the line"
        );
    }
}
