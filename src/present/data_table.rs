//! Sheets: rows of figures in the forms that people and programs ask for.

use crate::parquet::{Column, Frame, ParquetWriter};
use crate::present::format::real;
use crate::present::row_writer::{RowFormat, RowWriter};
use crate::system::output::visible_line;
use serde_json::Value;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// A table of named columns. A column holds texts or numbers; null where there is nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DataTable {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Value>>,
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Csv,
    Json,
    Markdown,
}

impl DataTable {
    /// All columns, in full.
    #[must_use]
    pub(crate) fn text(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Csv => self.rows_for_programs(RowFormat::Csv),
            TableFormat::Json => self.rows_for_programs(RowFormat::Json),
            TableFormat::Markdown => self.markdown(),
        }
    }

    /// The places of the rows in the order of a column, from the least or from the greatest, equal
    /// ones as they stand; where there is nothing, last. None without such a column.
    #[must_use]
    pub(crate) fn order(&self, column: &str, descending: bool) -> Option<Vec<usize>> {
        let place = self.columns.iter().position(|name| *name == column)?;
        Some(order_of(&self.rows.iter().map(|row| &row[place]).collect::<Vec<_>>(), descending))
    }

    fn rows_for_programs(&self, format: RowFormat) -> String {
        let written = || -> std::io::Result<Vec<u8>> {
            let mut writer = RowWriter::new(format, &self.columns, Vec::new())?;
            self.rows.iter().try_for_each(|row| writer.row(row))?;
            writer.end()
        };
        // A vector takes all that it is given.
        String::from_utf8(written().unwrap_or_default()).unwrap_or_default()
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escape = |text: &str| escaped(text, in_markdown);
        let mut text = line(self.columns.iter().map(|name| escape(name)).collect());
        text.push_str(&line(self.columns.iter().map(|_| "---".to_owned()).collect()));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|value| escape(&shown(value))).collect()));
        }
        text
    }

    /// Writes a Parquet file.
    ///
    /// # Errors
    /// If it cannot be written; in words.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let columns = self.columns.iter().enumerate().map(|(place, name)| {
            let values = || self.rows.iter().map(|row| &row[place]);
            if values().any(Value::is_string) {
                Column::texts(name, values().map(Value::as_str))
            } else if values().all(|value| value.is_u64() || value.is_null()) {
                Column::optional(name, values().map(Value::as_u64))
            } else {
                Column::optional(name, values().map(Value::as_f64))
            }
        });
        let words = |error: &dyn std::fmt::Display| {
            format!("{}: cannot be written: {error}", path.display())
        };
        let file = File::create(path).map_err(|error| words(&error))?;
        let written = Frame::new(self.rows.len(), columns.collect()).and_then(|frame| {
            let (schema, file) = (frame.schema(), BufWriter::new(file));
            let writer = ParquetWriter::new(file, schema, Vec::new())?;
            writer.write(frame)?;
            writer.finish()
        });
        written.map_err(|error| words(&error))
    }
}

/// The places of values in their order: numbers by size, texts by their letters.
#[must_use]
pub(crate) fn order_of(values: &[&Value], descending: bool) -> Vec<usize> {
    let compare = |one: &Value, other: &Value| match (one.as_f64(), other.as_f64()) {
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

/// For readers: few digits.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        value => value.as_f64().map_or_else(|| value.to_string(), real),
    }
}

fn escaped(text: &str, escape: fn(char) -> Option<&'static str>) -> String {
    visible_line(text).chars().fold(String::new(), |mut escaped, character| {
        match escape(character) {
            Some(words) => escaped.push_str(words),
            None => escaped.push(character),
        }
        escaped
    })
}

/// A text as LaTeX sets it: signs before numbers as in formulas, a thin space before per cent.
pub(crate) fn latex_text(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |place: usize| letters.get(place).is_some_and(char::is_ascii_digit);
    let open = |place: usize| {
        place.checked_sub(1).is_none_or(|before| matches!(letters[before], ' ' | '(' | '–'))
    };
    let mut signed = String::new();
    for (place, letter) in letters.iter().enumerate() {
        match letter {
            '+' | '-' if digit(place + 1) && open(place) => {
                // A placeholder that no text has: escaping comes after it.
                signed.push(if *letter == '+' { '\u{e000}' } else { '\u{e001}' });
            }
            ' ' if letters.get(place + 1) == Some(&'%') => signed.push('\u{e002}'),
            letter => signed.push(*letter),
        }
    }
    escaped(&signed, in_latex)
}

/// What stands for a sign that means something in LaTeX, or that its fonts do not have.
fn in_latex(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "\\&",
        '%' => "\\%",
        '$' => "\\$",
        '#' => "\\#",
        '_' => "\\_",
        '{' => "\\{",
        '}' => "\\}",
        '\\' => "\\textbackslash{}",
        '^' => "\\textasciicircum{}",
        '~' => "\\textasciitilde{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '∞' => "$\\infty$",
        '–' => "--",
        '−' => "$-$",
        '…' => "\\ldots{}",
        '\u{e000}' => "$+$",
        '\u{e001}' => "$-$",
        '\u{e002}' => "\\,",
        _ => return None,
    })
}

/// What stands for a sign that means something in Markdown, or in the HTML that it may hold.
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
    use serde_json::json;

    fn sheet(text: &str) -> DataTable {
        DataTable { columns: vec!["arm_name", "rate"], rows: vec![vec![json!(text), json!(-0.25)]] }
    }

    #[test]
    fn latex_sets_what_was_written() {
        let text = latex_text("a\\b^c~d_e|<f> {50 %} –");
        assert_eq!(
            text,
            concat!(
                r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d\_e",
                r"\textbar{}\textless{}f\textgreater{} \{50\,\%\} --"
            )
        );
        assert_eq!(latex_text("-0.5 (+1–-2) a-1"), "$-$0.5 ($+$1--$-$2) a-1");
    }

    #[test]
    fn rows_are_sorted_with_nothing_last() {
        let rows = [json!(2.0), json!(null), json!(-1.0), json!(10)];
        let numbers = DataTable {
            columns: vec!["value"],
            rows: rows.into_iter().map(|value| vec![value]).collect(),
        };
        assert_eq!(numbers.order("value", false), Some(vec![2, 0, 3, 1]));
        assert_eq!(numbers.order("value", true), Some(vec![3, 0, 2, 1]));
        assert_eq!(numbers.order("other", true), None);
        let texts = ["b", "a", "b"].map(|text| vec![json!(text)]).to_vec();
        let texts = DataTable { columns: vec!["value"], rows: texts };
        assert_eq!(texts.order("value", false), Some(vec![1, 0, 2]));
        assert_eq!(texts.order("value", true), Some(vec![0, 2, 1]));
    }

    #[test]
    fn markdown_keeps_cells_and_shows_no_html() {
        let text = sheet("a|b\\|c <script>*_").text(TableFormat::Markdown);
        assert!(text.contains(r"| a\|b\\\|c &lt;script&gt;\*\_ | -0.25 |"), "{text}");
    }
}
