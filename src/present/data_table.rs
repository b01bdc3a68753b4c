//! Sheets: rows of figures in the forms that people and programs ask for.

use crate::present::format::real;
use crate::present::terminal::table::plain_table;
use crate::system::output::{visible, visible_line};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, Width};
use polars::prelude::*;
use serde_json::Value;
use std::fs::File;
use std::path::Path;

/// A table of named columns. A column holds texts or numbers; null where there is nothing. Columns
/// whose names end in `_words` are for readers alone: programs get their figures apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Value>>,
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Csv,
    Json,
    Markdown,
    Latex,
}

impl DataTable {
    /// All columns, in full.
    #[must_use]
    pub fn text(&self, format: TableFormat) -> String {
        let figures = self.figures();
        match format {
            TableFormat::Csv => figures.csv(),
            TableFormat::Json => figures.json(),
            TableFormat::Markdown => figures.markdown(),
            TableFormat::Latex => figures.latex(),
        }
    }

    /// Without the columns for readers.
    fn figures(&self) -> DataTable {
        let kept: Vec<usize> = (0..self.columns.len())
            .filter(|place| !self.columns[*place].ends_with("_words"))
            .collect();
        DataTable {
            columns: kept.iter().map(|place| self.columns[*place]).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| kept.iter().map(|place| row[*place].clone()).collect())
                .collect(),
        }
    }

    /// For readers, at most `width` columns wide: those of its columns that are named, under these
    /// headings. Where there is no room for all, those go that say least, and a line says which.
    #[must_use]
    pub fn table(&self, headings: &[(&str, &str)], width: u16) -> String {
        let found = headings.iter().filter_map(|(name, heading)| {
            self.columns.iter().position(|column| column == name).map(|place| (place, *heading))
        });
        let mut shown: Vec<(usize, &str)> = found.collect();
        let mut without: Vec<String> = Vec::new();
        for name in DISPENSABLE {
            let least: u16 =
                shown.iter().map(|(place, heading)| self.least_width(*place, heading)).sum();
            let dispensable = shown.iter().position(|(place, _)| self.columns[*place] == name);
            if let Some(place) = dispensable.filter(|_| least + FRAME > width) {
                without.push(shown.remove(place).1.replace('\n', " "));
            }
        }
        let mut table = plain_table(width);
        table.set_header(shown.iter().map(|(_, heading)| *heading));
        for row in &self.rows {
            table.add_row(shown.iter().map(|(place, _)| {
                let cell = Cell::new(displayed(self.columns[*place], &row[*place]));
                if self.is_text(*place) { cell } else { cell.set_alignment(CellAlignment::Right) }
            }));
        }
        // Labels and verdicts give way to figures.
        table.set_constraints(shown.iter().map(|(place, heading)| match self.is_text(*place) {
            true => {
                ColumnConstraint::LowerBoundary(Width::Fixed(self.least_width(*place, heading)))
            }
            false => ColumnConstraint::ContentWidth,
        }));
        match without.as_slice() {
            [] => format!("{table}\n"),
            names => {
                format!(
                    "{table}\nNo room for: {}. A wider terminal shows it, and so does --csv.\n",
                    names.join(", ")
                )
            }
        }
    }

    /// Whether a column holds texts of which lines may be broken.
    fn is_text(&self, place: usize) -> bool {
        !self.columns[place].ends_with("_words")
            && self.rows.iter().any(|row| row[place].is_string())
    }

    /// Columns of the terminal that a column takes at least, with a space on either side: figures
    /// whole, texts by their words, if those are not too long.
    fn least_width(&self, place: usize, heading: &str) -> u16 {
        let text = self.is_text(place);
        let breaks: &[char] = if text { &[' ', '\n'] } else { &['\n'] };
        let longest =
            |text: &str| text.split(breaks).map(|word| word.chars().count()).max().unwrap_or(0);
        let column = self.columns[place];
        let cells =
            self.rows.iter().map(|row| longest(&displayed(column, &row[place]))).max().unwrap_or(0);
        let least = if text { cells.clamp(8, 24) } else { cells };
        least.max(longest(heading)) as u16 + 2
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // A vector takes all that it is given.
        _ = writer.write_record(&self.columns);
        for row in &self.rows {
            _ = writer.write_record(row.iter().map(csv_cell));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Value>| {
            // By hand: a map would lose the order of the columns.
            let members = self
                .columns
                .iter()
                .zip(row)
                .map(|(name, value)| format!("{}:{value}", Value::from(*name)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        format!("[\n  {}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n  "))
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

    fn latex(&self) -> String {
        let escape = |text: &str| escaped(text, in_latex);
        let numeric = |place: usize| self.rows.iter().all(|row| !row[place].is_string());
        let kinds: String =
            (0..self.columns.len()).map(|place| if numeric(place) { 'r' } else { 'l' }).collect();
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
                Column::new(
                    (*name).into(),
                    values().map(|value| value.as_str()).collect::<Vec<_>>(),
                )
            } else if values().all(|value| value.is_u64() || value.is_null()) {
                Column::new((*name).into(), values().map(Value::as_u64).collect::<Vec<_>>())
            } else {
                Column::new((*name).into(), values().map(Value::as_f64).collect::<Vec<_>>())
            }
        });
        let words = |error: &dyn std::fmt::Display| {
            format!("{}: cannot be written: {error}", path.display())
        };
        let mut frame =
            DataFrame::new(self.rows.len(), columns.collect()).map_err(|error| words(&error))?;
        let file = File::create(path).map_err(|error| words(&error))?;
        ParquetWriter::new(file).finish(&mut frame).map_err(|error| words(&error))?;
        Ok(())
    }
}

/// Columns that can be spared, the first one first.
const DISPENSABLE: [&str; 5] =
    ["restart_gain", "restart_cost", "ert_ratio", "effect_words", "trials"];
/// The frame's columns.
const FRAME: u16 = 2;

/// Columns that hold labels of arms.
const LABELS: [&str; 3] = ["arm", "first", "second"];

/// For readers, in a table of the terminal.
fn displayed(column: &str, value: &Value) -> String {
    let text = shown(value);
    // What is not a label may have line breaks of its own.
    if LABELS.contains(&column) {
        in_lines(&visible_line(&text))
    } else {
        visible(&text).into_owned()
    }
}

/// A label with each swept key on a line of its own, by its last word, so that no key is broken:
/// the set's name, `rate=0.1`, `n=8`.
fn in_lines(label: &str) -> String {
    let mut text = String::new();
    for word in label.split(' ') {
        let swept = ["problem.", "operators.", "stop."].iter().any(|table| word.starts_with(table));
        match word.split_once('=').filter(|_| swept) {
            Some((key, value)) => {
                let last = key.rsplit('.').next().unwrap_or(key);
                text.push_str(&format!("\n{last}={value}"));
            }
            None if text.is_empty() => text.push_str(word),
            None => text.push_str(&format!(" {word}")),
        }
    }
    text
}

/// For readers: few digits.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        value => value.as_f64().map_or_else(|| value.to_string(), real),
    }
}

/// For programs: all digits. A text that a spreadsheet would take for a formula has an apostrophe
/// before it (OWASP, CSV Injection); numbers are none.
pub(super) fn csv_cell(value: &Value) -> String {
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

fn escaped(text: &str, escape: fn(char) -> Option<&'static str>) -> String {
    visible_line(text).chars().fold(String::new(), |mut escaped, character| {
        match escape(character) {
            Some(words) => escaped.push_str(words),
            None => escaped.push(character),
        }
        escaped
    })
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
    fn formulas_are_texts_to_a_spreadsheet_and_numbers_stay_numbers() {
        let texts = ["=1+1", "@SUM(A1)", "+cmd", "-cmd", "\tx", "-0.5", "+3e4", "a=b"];
        let cells = texts.map(|text| csv_cell(&json!(text)));
        assert_eq!(cells, ["'=1+1", "'@SUM(A1)", "'+cmd", "'-cmd", "'\tx", "-0.5", "+3e4", "a=b"]);
        assert_eq!([json!(-0.5), json!(null)].map(|cell| csv_cell(&cell)), ["-0.5", ""]);
        assert!(sheet("=1").text(TableFormat::Csv).ends_with("\n'=1,-0.25\n"));
        assert!(sheet("=1").text(TableFormat::Json).contains("\"=1\""));
    }

    #[test]
    fn latex_sets_what_was_written() {
        let text = sheet("a\\b^c~d_e|<f>").text(TableFormat::Latex);
        let row = r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d\_e\textbar{}\textless{}f\textgreater{} & -0.25";
        assert!(text.contains(row) && text.contains(r"arm\_name & rate"), "{text}");
    }

    #[test]
    fn markdown_keeps_cells_and_shows_no_html() {
        let text = sheet("a|b\\|c <script>*_").text(TableFormat::Markdown);
        assert!(text.contains(r"| a\|b\\\|c &lt;script&gt;\*\_ | -0.25 |"), "{text}");
    }

    #[test]
    fn labels_break_between_what_is_swept() {
        let row = |text: &str| vec![json!(text), json!("0.1")];
        let label = "tournament operators.mutation.rate=0.1 problem.n=8";
        let sheet = DataTable {
            columns: vec!["first", "p_words"],
            rows: vec![row(label), row("an \u{1b}[2J set")],
        };
        let table = sheet.table(&[("first", "arm"), ("p_words", "p")], 30);
        for piece in [" tournament ", " rate=0.1 ", " n=8 ", "\\u001b[2J"] {
            assert!(table.contains(piece), "{piece}\n{table}");
        }
        assert!(table.lines().all(|line| line.chars().count() <= 30), "{table}");
    }

    #[test]
    fn a_narrow_table_says_what_it_leaves_out() {
        let row =
            vec![json!("tournament problem.n=8"), json!("0.123"), json!(12.5), json!("better")];
        let sheet = DataTable {
            columns: vec!["first", "difference_words", "ert_ratio", "verdict"],
            rows: vec![row],
        };
        let headings = [
            ("first", "arm"),
            ("difference_words", "difference"),
            ("ert_ratio", "ERT\nratio"),
            ("verdict", "verdict"),
        ];
        let (wide, narrow) = (sheet.table(&headings, 60), sheet.table(&headings, 40));
        assert!(
            wide.contains("ratio") && wide.contains("12.5") && !wide.contains("No room"),
            "{wide}"
        );
        assert!(!narrow.contains("12.5") && narrow.contains("No room for: ERT ratio."), "{narrow}");
        assert!(narrow.lines().take(6).all(|line| line.chars().count() <= 40), "{narrow}");
    }
}
