//! Reports for programs: all values, as CSV, JSON, Markdown and Parquet.

use super::column::{NOTHING, ValueType};
use super::latex::escaped;
use super::row_writer::{RowFormat, RowWriter};
use super::table::Report;
use crate::format::six_digits;
use crate::parquet::{Column, Frame, ParquetWriter};
use crate::results::storage::output_folder;
use serde_json::Value;
use std::path::Path;

/// Form of a report for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated values, a header first.
    Csv,
    /// An array with an object per row.
    Json,
    /// A table of GitHub's Markdown.
    Markdown,
}

impl Report {
    /// Returns all values with all digits.
    pub fn text(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Csv => self.rows_for_programs(RowFormat::Csv),
            TableFormat::Json => self.rows_for_programs(RowFormat::Json),
            TableFormat::Markdown => self.markdown(),
        }
    }

    /// Returns the names of a row's values.
    pub fn keys(&self) -> Vec<&str> {
        self.columns.iter().flat_map(|column| &column.keys).map(String::as_str).collect()
    }

    /// Returns the row numbers in the order of the values of a key, from the least or from the
    /// greatest. Equal values keep their order, and missing ones are last. `None` if there is no
    /// such key.
    pub fn order(&self, key: &str, descending: bool) -> Option<Vec<usize>> {
        let place = self.keys().iter().position(|name| *name == key)?;
        let rows = self.values();
        Some(order_of(&rows.iter().map(|row| row[place]).collect::<Vec<_>>(), descending))
    }

    /// Returns the values of each row, in the order of the keys.
    fn values(&self) -> Vec<Vec<&Value>> {
        let keyed = |column: &&super::column::Column| !column.keys.is_empty();
        let row = |row: usize| {
            self.columns.iter().filter(keyed).flat_map(|column| &column.values[row]).collect()
        };
        (0..self.rows()).map(row).collect()
    }

    fn rows_for_programs(&self, format: RowFormat) -> String {
        let written = || -> std::io::Result<Vec<u8>> {
            let mut writer = RowWriter::new(format, &self.keys(), Vec::new())?;
            self.values().into_iter().try_for_each(|row| writer.row(row))?;
            writer.end()
        };
        // Writing to a vector cannot fail.
        String::from_utf8(written().unwrap_or_default()).unwrap_or_default()
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escape = |text: &str| escaped(text, in_markdown);
        let keys = self.keys();
        let mut text = line(keys.iter().map(|name| escape(name)).collect());
        text.push_str(&line(keys.iter().map(|_| "---".to_owned()).collect()));
        for row in self.values() {
            text.push_str(&line(row.into_iter().map(|value| escape(&shown(value))).collect()));
        }
        text
    }

    /// Writes a Parquet file. The types of its columns do not depend on which values are missing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written; the error is a message.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let rows = self.values();
        let types =
            self.columns.iter().flat_map(|column| column.keys.iter().map(|_| column.missing));
        let typed = self.keys().into_iter().zip(types).enumerate();
        let columns = typed.map(|(place, (name, missing))| {
            let values = || rows.iter().map(|row| row[place]);
            let found = if values().all(Value::is_null) {
                missing
            } else if values().any(Value::is_string) {
                ValueType::Texts
            } else if values().all(|value| value.is_u64() || value.is_null()) {
                ValueType::Counts
            } else {
                ValueType::Reals
            };
            match found {
                ValueType::Texts => Column::texts(name, values().map(Value::as_str)),
                ValueType::Counts => Column::optional(name, values().map(Value::as_u64)),
                ValueType::Reals => Column::optional(name, values().map(Value::as_f64)),
            }
        });
        let mut bytes = Vec::new();
        let written = Frame::new(rows.len(), columns.collect()).and_then(|frame| {
            let writer = ParquetWriter::new(&mut bytes, frame.schema(), Vec::new())?;
            writer.write(frame)?;
            writer.finish()
        });
        written.map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        output_folder::write_named(path, &bytes).map_err(|error| error.to_string())
    }
}

/// Returns the number in a cell. Infinite numbers are texts, because JSON has none.
fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => value.as_f64(),
    }
}

/// Returns the positions of values in their order: numbers by size, texts alphabetically.
pub fn order_of(values: &[&Value], descending: bool) -> Vec<usize> {
    let compare = |one: &Value, other: &Value| match (number(one), number(other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => match (one.as_str(), other.as_str()) {
            (Some(one), Some(other)) => one.cmp(other),
            _ => one.to_string().cmp(&other.to_string()),
        },
    };
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| {
        let (one, other) = (values[*a], values[*b]);
        one.is_null().cmp(&other.is_null()).then_with(|| match descending {
            false => compare(one, other),
            true => compare(other, one),
        })
    });
    places
}

/// Formats a value with six digits.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        Value::String(text) => text.clone(),
        value => value.as_f64().map_or_else(|| value.to_string(), six_digits),
    }
}

/// Returns the escape of a character that is special in Markdown, or in the HTML that it may
/// contain.
fn in_markdown(character: char) -> Option<&'static str> {
    Some(match character {
        '\\' => "\\\\",
        '|' => "\\|",
        '`' => "\\`",
        '*' => "\\*",
        '_' => "\\_",
        '[' => "\\[",
        ']' => "\\]",
        '<' => "&lt;",
        '>' => "&gt;",
        '&' => "&amp;",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::ParquetReader;
    use serde_json::json;

    fn column(key: &str, values: impl IntoIterator<Item = Value>) -> super::super::column::Column {
        super::super::column::Column::data(key, values)
    }

    #[test]
    fn rows_are_sorted_with_nothing_last() {
        let rows = [json!(2.0), json!(null), json!(-1.0), json!(10)];
        let numbers = Report::new(vec![column("value", rows)]);
        assert_eq!(numbers.order("value", false), Some(vec![2, 0, 3, 1]));
        assert_eq!(numbers.order("value", true), Some(vec![3, 0, 2, 1]));
        assert_eq!(numbers.order("other", true), None);
        let costs = ["inf", "-inf"].map(|text| json!(text)).into_iter().chain([json!(3.5)]);
        let infinite = Report::new(vec![column("mean_cost", costs)]);
        assert_eq!(infinite.order("mean_cost", false), Some(vec![1, 2, 0]));
        let texts = Report::new(vec![column("value", ["b", "a", "b"].map(|text| json!(text)))]);
        assert_eq!(texts.order("value", false), Some(vec![1, 0, 2]));
        assert_eq!(texts.order("value", true), Some(vec![0, 2, 1]));
        assert_eq!(texts.at(&[1]).text(TableFormat::Csv), "value\na\n");
    }

    #[test]
    fn types_do_not_depend_on_missing_values() {
        let report = |values: [Value; 3]| {
            let [real, number, text] = values.map(|value| [value]);
            Report::new(vec![
                column("p", real),
                column("budget", number).of_counts(),
                column("ground", text).of_texts(),
            ])
        };
        for values in [[json!(0.5), json!(20), json!("effect")], [const { Value::Null }; 3]] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("table.parquet");
            report(values).write(&path).expect("it is written");
            let file = std::fs::File::open(&path).expect("a file");
            let reader = ParquetReader::open(file).expect("a table");
            let rows = reader.group(0, None).expect("a row");
            let [real, number, text] = rows.columns() else { panic!("three columns") };
            assert!(real.f64().is_ok() && number.u64().is_ok() && text.str().is_ok());
        }
    }

    #[test]
    fn markdown_keeps_cells_and_shows_no_html() {
        let text = "a|b\\|c <script>*_";
        let report =
            Report::new(vec![column("arm_name", [json!(text)]), column("rate", [json!(-0.25)])]);
        let text = report.text(TableFormat::Markdown);
        assert!(text.contains(r"| a\|b\\\|c &lt;script&gt;\*\_ | -0.25 |"), "{text}");
    }
}
