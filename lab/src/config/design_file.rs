//! The file of a design, as the text of a table: CSV as it is, Parquet as the CSV of its rows.

use super::data_file::{self, NoData, damaged, is_parquet, unreadable};
use super::file_access::FileAccess;
use crate::parquet::{ParquetReader, ReadError, not_read};
use crate::plan::MOST_ARMS;
use crate::system::regular;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// A line of a table, or several where a cell has line breaks.
#[derive(Debug)]
pub(super) struct Record {
    /// Bytes in the text.
    pub bytes: Range<usize>,
    pub cells: Vec<Cell>,
}

/// A value without the quotes and spaces around it.
#[derive(Debug)]
pub(super) struct Cell {
    pub text: String,
    /// Bytes in the text: of the whole record where the cell is written otherwise.
    pub bytes: Range<usize>,
}

/// Returns the text of a file.
pub(super) fn read(path: &Path, files: FileAccess) -> Result<String, NoData> {
    let file = data_file::open(path, files, "the rows of a sweep", "give a CSV or Parquet file")?;
    if is_parquet(path) {
        return from_parquet(file).map_err(damaged);
    }
    let bytes =
        regular::bytes(&file, regular::MOST_OF_CONFIG).map_err(|error| unreadable(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        let byte = error.as_bytes()[good];
        let message = format!("line {line}: byte 0x{byte:02x} is not UTF-8");
        NoData::new(message, "save the file as UTF-8")
    })?;
    // A mark that spreadsheets write.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the header and the rows of a table of texts, without the index that Pandas adds.
fn from_parquet(file: File) -> Result<String, String> {
    let in_words = |error: ReadError| error.to_string();
    let reader = ParquetReader::open(file).map_err(in_words)?;
    let is_index = |name: &str| name.starts_with("__index_level_");
    if let Some((name, kind)) = reader.unread().find(|(name, _)| !is_index(name)) {
        return Err(not_read(name, kind));
    }
    let rows: usize = (0..reader.groups()).map(|group| reader.rows_of(group)).sum();
    if rows > MOST_ARMS {
        return Err(format!("it has {rows} rows, and an experiment at most {MOST_ARMS} arms"));
    }
    let names = reader.schema().iter_names().map(|name| name.as_str());
    let names: Vec<&str> = names.filter(|name| !is_index(name)).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&names).map_err(|error| error.to_string())?;
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&names)).map_err(in_words)?;
        let cells = names.iter().map(|name| frame.column(name)?.cells());
        let cells = cells.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        for row in 0..frame.height() {
            let row = cells.iter().map(|column| &column[row]);
            out.write_record(row).map_err(|error| error.to_string())?;
        }
    }
    let bytes = out.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Returns the records of a text: values between commas, semicolons or tabs, whichever is the most
/// frequent in the first line. Empty lines are not records.
pub(super) fn records(text: &str) -> Vec<Record> {
    let head = text.lines().next().unwrap_or_default();
    let count = |mark: &char| head.matches(*mark).count();
    let delimiter = [';', '\t', ','].into_iter().max_by_key(count).unwrap_or(',');
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter as u8);
    let read = builder.from_reader(text.as_bytes()).into_records();
    // A text has no other errors than those of lengths, which are flexible.
    let read: Vec<csv::StringRecord> = read.filter_map(Result::ok).collect();
    let start = |record: &csv::StringRecord| record.position().map_or(0, |at| at.byte() as usize);
    let ends = read.iter().skip(1).map(start).chain([text.len()]);
    let record = |(record, end): (&csv::StringRecord, usize)| {
        let feed = ['\r', '\n'];
        let end = start(record) + text[start(record)..end].trim_end_matches(feed).len();
        let mut at = end - text[start(record)..end].trim_start_matches(feed).len();
        let bytes = at..end;
        let cell = |field: &str| {
            let field = field.trim();
            let found = text[at..end].find(field).map(|place| at + place..at + place + field.len());
            if let Some(found) = &found {
                let next = text[found.end..end].find(delimiter);
                at = next.map_or(end, |next| found.end + next + 1);
            }
            Cell { text: field.to_owned(), bytes: found.unwrap_or_else(|| bytes.clone()) }
        };
        let cells = record.iter().map(cell).collect();
        Record { bytes: bytes.clone(), cells }
    };
    read.iter().zip(ends).map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells of each record, each with the text at its place.
    fn cells(text: &str) -> Vec<Vec<(String, &str)>> {
        let cell = |cell: Cell| (cell.text, &text[cell.bytes]);
        let row = |record: Record| record.cells.into_iter().map(cell).collect();
        records(text).into_iter().map(row).collect()
    }

    #[test]
    fn cells_know_where_they_stand() {
        for text in ["a,b\n1,12\n", "a;b\r\n\r\n1;12", "\"a\"\tb\n\n\"1\"\t 12 \n"] {
            let expected = [[("a", "a"), ("b", "b")], [("1", "1"), ("12", "12")]];
            let expected = expected.map(|row| row.map(|(cell, at)| (cell.to_owned(), at)));
            assert_eq!(cells(text), expected.map(Vec::from), "{text:?}");
        }
        let quoted = &cells("a,b,c\n\"x \"\"y\"\"\",,1\n,\"2\n3\",1,4\n")[1..];
        let cell = |text: &str, at| (text.to_owned(), at);
        assert_eq!(quoted[0][0], cell("x \"y\"", "\"x \"\"y\"\"\",,1"));
        assert_eq!(quoted[1], [cell("", ""), cell("2\n3", "2\n3"), cell("1", "1"), cell("4", "4")]);
        assert!(records("").is_empty());
    }

    #[test]
    fn a_page_and_the_results_of_others_read_no_table() {
        for (files, who) in [(FileAccess::None, "a page"), (FileAccess::Recorded, "the config")] {
            let refused = read(Path::new("/design.csv"), files).expect_err("it is refused");
            assert!(refused.message.starts_with(who), "{refused:?}");
            assert!(refused.message.ends_with("cannot read the rows of a sweep"), "{refused:?}");
        }
    }
}
