//! Sheets: rows of figures in the forms that people and programs ask for.

use super::number::real;
use super::table::plain_table;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, Width};
use polars::prelude::*;
use serde_json::Value;
use std::fs::File;
use std::path::Path;

/// A table of named columns. A column holds texts or numbers; null where there is nothing. Columns whose names end in `_words` are
/// for readers alone: programs get their figures apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Value>>,
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetFormat {
    Csv,
    Json,
    Markdown,
    Latex,
}

impl Sheet {
    /// All columns, in full.
    #[must_use]
    pub fn text(&self, format: SheetFormat) -> String {
        let figures = self.figures();
        match format {
            SheetFormat::Csv => figures.csv(),
            SheetFormat::Json => figures.json(),
            SheetFormat::Markdown => figures.markdown(),
            SheetFormat::Latex => figures.latex(),
        }
    }

    /// Without the columns for readers.
    fn figures(&self) -> Sheet {
        let kept: Vec<usize> =
            (0..self.columns.len()).filter(|place| !self.columns[*place].ends_with("_words")).collect();
        Sheet {
            columns: kept.iter().map(|place| self.columns[*place]).collect(),
            rows: self.rows.iter().map(|row| kept.iter().map(|place| row[*place].clone()).collect()).collect(),
        }
    }

    /// For readers, at most `width` columns wide: those of its columns that are named, under these headings.
    #[must_use]
    pub fn table(&self, headings: &[(&str, &str)], width: u16) -> String {
        let mut table = plain_table(width);
        table.set_header(headings.iter().map(|(_, heading)| *heading));
        let places = headings.iter().filter_map(|(name, _)| self.columns.iter().position(|column| column == name));
        let places: Vec<usize> = places.collect();
        let is_text = |place: usize| {
            !self.columns[place].ends_with("_words") && self.rows.iter().any(|row| row[place].is_string())
        };
        for row in &self.rows {
            table.add_row(places.iter().map(|place| {
                let cell = Cell::new(shown(&row[*place]));
                if is_text(*place) { cell } else { cell.set_alignment(CellAlignment::Right) }
            }));
        }
        // Labels and verdicts give way to figures.
        table.set_constraints(places.iter().map(|place| match is_text(*place) {
            true => ColumnConstraint::LowerBoundary(Width::Fixed(longest_word(&self.rows, *place))),
            false => ColumnConstraint::ContentWidth,
        }));
        format!("{table}\n")
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // A vector takes all that it is given.
        _ = writer.write_record(&self.columns);
        for row in &self.rows {
            _ = writer.write_record(row.iter().map(plain));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Value>| {
            // By hand: a map would lose the order of the columns.
            let members = self.columns.iter().zip(row).map(|(name, value)| format!("{}:{value}", Value::from(*name)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        format!("[\n  {}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n  "))
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|name| (*name).to_owned()).collect());
        text.push_str(&line(self.columns.iter().map(|_| "---".to_owned()).collect()));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|value| shown(value).replace('|', "\\|")).collect()));
        }
        text
    }

    fn latex(&self) -> String {
        let escape = |text: &str| {
            text.chars().fold(String::new(), |mut escaped, character| {
                if "&%$#_{}".contains(character) {
                    escaped.push('\\');
                }
                escaped.push(character);
                escaped
            })
        };
        let numeric = |place: usize| self.rows.iter().all(|row| !row[place].is_string());
        let kinds: String = (0..self.columns.len()).map(|place| if numeric(place) { 'r' } else { 'l' }).collect();
        let line = |cells: Vec<String>| format!("  {} \\\\\n", cells.join(" & "));
        let mut text = format!("\\begin{{tabular}}{{{kinds}}}\n  \\hline\n");
        text.push_str(&line(self.columns.iter().map(|name| escape(name)).collect()));
        text.push_str("  \\hline\n");
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|value| escape(&shown(value))).collect()));
        }
        text.push_str("  \\hline\n\\end{tabular}\n");
        text
    }

    /// Writes a Parquet file.
    ///
    /// # Errors
    /// If it cannot be written; in words.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let figures = self.figures();
        let columns = figures.columns.iter().enumerate().map(|(place, name)| {
            let values = || figures.rows.iter().map(|row| &row[place]);
            if values().any(Value::is_string) {
                Column::new((*name).into(), values().map(|value| value.as_str()).collect::<Vec<_>>())
            } else if values().all(|value| value.is_u64() || value.is_null()) {
                Column::new((*name).into(), values().map(Value::as_u64).collect::<Vec<_>>())
            } else {
                Column::new((*name).into(), values().map(Value::as_f64).collect::<Vec<_>>())
            }
        });
        let words = |error: &dyn std::fmt::Display| format!("{}: cannot be written: {error}", path.display());
        let mut frame = DataFrame::new(self.rows.len(), columns.collect()).map_err(|error| words(&error))?;
        let file = File::create(path).map_err(|error| words(&error))?;
        ParquetWriter::new(file).finish(&mut frame).map_err(|error| words(&error))?;
        Ok(())
    }
}

/// Columns that keep the words of a column of texts in one piece, if they are not too long; with a space on either side.
fn longest_word(rows: &[Vec<Value>], place: usize) -> u16 {
    let words = rows.iter().filter_map(|row| row[place].as_str()).flat_map(|text| text.split(' '));
    words.map(|word| word.chars().count()).max().unwrap_or(0).clamp(12, 16) as u16 + 2
}

/// For readers: few digits.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        value => value.as_f64().map_or_else(|| value.to_string(), real),
    }
}

/// For programs: all digits.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
