//! Rows for programs, written one by one: CSV or JSON, with all digits.

use serde_json::Value;
use std::io::{self, Write};

/// Form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Comma-separated (RFC 4180), with a header; nulls are empty, lists are in brackets.
    Csv,
    /// One array of objects.
    Json,
}

/// Writer of rows with named columns.
pub struct RowWriter<W: Write>(Form<W>);

enum Form<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json {
        out: W,
        /// Names as JSON strings.
        names: Vec<String>,
        any: bool,
    },
}

impl<W: Write> RowWriter<W> {
    /// Writes the header, if the form has one.
    pub(crate) fn new(format: RowFormat, columns: &[&str], out: W) -> io::Result<Self> {
        Ok(RowWriter(match format {
            RowFormat::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(columns).map_err(csv_error)?;
                Form::Csv(Box::new(writer))
            }
            RowFormat::Json => {
                let names = columns.iter().map(|name| Value::from(*name).to_string()).collect();
                Form::Json { out, names, any: false }
            }
        }))
    }

    /// Writes a row, with one value per column.
    pub(crate) fn row<'a>(&mut self, row: impl IntoIterator<Item = &'a Value>) -> io::Result<()> {
        match &mut self.0 {
            Form::Csv(writer) => {
                writer.write_record(row.into_iter().map(csv_cell)).map_err(csv_error)
            }
            Form::Json { out, names, any } => {
                let before = if std::mem::replace(any, true) { "," } else { "[" };
                // A map would lose the order of the columns.
                let members = names.iter().zip(row).map(|(name, value)| format!("{name}:{value}"));
                write!(out, "{before}\n  {{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// Writes the rest, and returns `out`.
    pub(crate) fn end(self) -> io::Result<W> {
        match self.0 {
            Form::Csv(writer) => writer.into_inner().map_err(csv::IntoInnerError::into_error),
            Form::Json { mut out, any, .. } => {
                out.write_all(if any { b"\n]\n" } else { b"[]\n" })?;
                Ok(out)
            }
        }
    }
}

fn csv_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Returns the cell of a value. A text that a spreadsheet would take for a formula is prefixed with
/// an apostrophe (OWASP, CSV Injection). Numbers are not.
fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if is_formula(text) => format!("'{text}"),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(format: RowFormat, rows: &[[Value; 2]]) -> String {
        let mut writer = RowWriter::new(format, &["name", "of \"rate\""], Vec::new()).expect("ok");
        rows.iter().for_each(|row| writer.row(row).expect("a vector takes all"));
        String::from_utf8(writer.end().expect("a vector takes all")).expect("UTF-8")
    }

    #[test]
    fn rows_are_written_in_both_forms() {
        let rows = [[json!("a,b"), json!(0.5)], [json!(null), json!([1, 2])]];
        assert_eq!(
            written(RowFormat::Csv, &rows),
            "name,\"of \"\"rate\"\"\"\n\"a,b\",0.5\n,\"[1,2]\"\n"
        );
        assert_eq!(
            written(RowFormat::Json, &rows),
            "[\n  {\"name\":\"a,b\",\"of \\\"rate\\\"\":0.5},\n  \
            {\"name\":null,\"of \\\"rate\\\"\":[1,2]}\n]\n"
        );
        assert_eq!(written(RowFormat::Json, &[]), "[]\n");
        assert_eq!(written(RowFormat::Csv, &[]), "name,\"of \"\"rate\"\"\"\n");
    }

    #[test]
    fn formulas_are_texts_to_a_spreadsheet_and_numbers_stay_numbers() {
        let texts = ["=1+1", "@SUM(A1)", "+cmd", "-cmd", "\tx", "-0.5", "+3e4", "a=b"];
        let cells = texts.map(|text| csv_cell(&json!(text)));
        assert_eq!(cells, ["'=1+1", "'@SUM(A1)", "'+cmd", "'-cmd", "'\tx", "-0.5", "+3e4", "a=b"]);
        assert_eq!([json!(-0.5), json!(null)].map(|cell| csv_cell(&cell)), ["-0.5", ""]);
        let rows = [[json!("=1"), json!(-0.25)]];
        assert!(written(RowFormat::Csv, &rows).ends_with("\n'=1,-0.25\n"));
        assert!(written(RowFormat::Json, &rows).contains("\"=1\""));
    }
}
