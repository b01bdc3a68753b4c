//! Columns of a report.

use serde_json::Value;

/// A column: named values for programs, texts under a heading for readers.
#[derive(Clone, Debug)]
pub struct Column {
    /// Names of a row's values; none if only readers see the column.
    pub(super) keys: Vec<String>,
    /// One value per key, for each row.
    pub(super) values: Vec<Vec<Value>>,
    /// Type of the values, in a table in which all are missing.
    pub(super) missing: ValueType,
    /// Lines of the heading; empty if only programs see the column.
    pub(super) heading: String,
    pub(super) kind: Kind,
    pub(super) cells: Vec<Cell>,
    pub(super) detail: Option<Detail>,
    pub(super) medium: Medium,
    /// Whether the heading is a name, which pages do not capitalise.
    pub(super) is_named: bool,
    /// Order in which columns are left out of a narrow table, 1 first; `None` if never.
    pub(super) rank: Option<u8>,
    /// Part of each row that is the best one, 0 if rows have no parts; `None` if none is.
    pub(super) best: Vec<Option<usize>>,
}

/// Type of the values of a key, for tables with types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Reals,
    Counts,
    Texts,
}

/// Texts of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// One text, possibly of several lines.
    Whole(String),
    /// One text per part of the row. A part begins at the same height in all columns with parts,
    /// and all such cells of a row have equally many.
    Parts(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Subject of the row.
    Name,
    /// Setting of the subject.
    Setting,
    Figure,
    Text,
}

/// Media in which readers see a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    All,
    /// In the terminal and on pages, not in papers.
    Screen,
    Terminal,
}

/// Intervals or quartiles of a column's figures.
#[derive(Clone, Debug)]
pub(super) struct Detail {
    /// Level, such as "95 %"; may be empty.
    pub(super) level: String,
    /// Kind of the ends, such as "interval".
    pub(super) what: &'static str,
    pub(super) texts: Vec<String>,
    pub(super) rank: u8,
}

/// Indent of a row's parts after the first.
pub(super) const INDENT: &str = "  ";
/// Text of a missing value.
pub const NOTHING: &str = "–";

impl Column {
    fn shown(heading: impl Into<String>, kind: Kind, cells: Vec<Cell>) -> Self {
        Column {
            keys: Vec::new(),
            values: Vec::new(),
            missing: ValueType::Reals,
            heading: heading.into(),
            kind,
            best: vec![None; cells.len()],
            cells,
            detail: None,
            medium: Medium::All,
            is_named: false,
            rank: None,
        }
    }

    /// Creates a column for programs only.
    pub fn data(key: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let values = values.into_iter().map(|value| vec![value]).collect();
        Column::empty().keyed(&[key], values)
    }

    /// Creates a column of the rows' subjects.
    pub fn name(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column::shown(heading, Kind::Name, cells)
    }

    pub(crate) fn setting(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column::shown(heading, Kind::Setting, cells)
    }

    /// Returns a column of figures.
    pub fn figure(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column::shown(heading, Kind::Figure, cells)
    }

    pub(crate) fn text(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column::shown(heading, Kind::Text, cells)
    }

    /// Adds values for programs: one per key, for each row.
    #[must_use]
    pub fn keyed(self, keys: &[&str], values: Vec<Vec<Value>>) -> Self {
        Column { keys: keys.iter().map(|key| (*key).to_owned()).collect(), values, ..self }
    }

    /// Declares that the values are counts, also if all are missing.
    #[must_use]
    pub(crate) fn of_counts(self) -> Self {
        Column { missing: ValueType::Counts, ..self }
    }

    /// Declares that the values are texts, also if all are missing.
    #[must_use]
    pub(crate) fn of_texts(self) -> Self {
        Column { missing: ValueType::Texts, ..self }
    }

    /// Adds a value per row by which readers of a page sort.
    #[must_use]
    pub(crate) fn sorted_by(self, values: impl IntoIterator<Item = Value>) -> Self {
        Column { values: values.into_iter().map(|value| vec![value]).collect(), ..self }
    }

    /// Adds the intervals of the figures, at a level such as "95 %". A narrow table leaves them
    /// out at `rank`.
    #[must_use]
    pub fn intervals(self, level: String, texts: Vec<String>, rank: u8) -> Self {
        Column { detail: Some(Detail { level, what: "interval", texts, rank }), ..self }
    }

    /// Adds the quartiles of the figures, medians.
    #[must_use]
    pub(crate) fn quartiles(self, texts: Vec<String>, rank: u8) -> Self {
        self.details("quartiles", texts, rank)
    }

    /// Adds other texts that belong to the figures.
    #[must_use]
    pub fn details(self, what: &str, texts: Vec<String>, rank: u8) -> Self {
        let level = what.to_owned();
        Column { detail: Some(Detail { level, what: "", texts, rank }), ..self }
    }

    /// Lets narrow tables leave the column out; rank 1 goes first.
    #[must_use]
    pub fn giving_way(self, rank: u8) -> Self {
        Column { rank: Some(rank), ..self }
    }

    /// Leaves the column to programs unless `is_shown`.
    #[must_use]
    pub(crate) fn shown_if(self, is_shown: bool) -> Self {
        if is_shown {
            return self;
        }
        Column { keys: self.keys, values: self.values, missing: self.missing, ..Column::empty() }
    }

    /// Returns a column that readers do not see, without values.
    fn empty() -> Self {
        Column::shown("", Kind::Text, Vec::new())
    }

    /// Declares the heading a name, which stays as it is.
    #[must_use]
    pub(crate) fn named(self) -> Self {
        Column { is_named: true, ..self }
    }

    /// Leaves the column out of papers.
    #[must_use]
    pub(crate) fn on_screens(self) -> Self {
        Column { medium: Medium::Screen, ..self }
    }

    /// Leaves the column out of papers and pages.
    #[must_use]
    pub(crate) fn in_terminals(self) -> Self {
        Column { medium: Medium::Terminal, ..self }
    }

    /// Marks the best cells, for tables in which they are highlighted.
    #[must_use]
    pub(crate) fn best(self, best: Vec<Option<usize>>) -> Self {
        Column { best, ..self }
    }

    pub(super) fn rows(&self) -> usize {
        self.cells.len().max(self.values.len())
    }

    pub(super) fn at(&self, rows: &[usize]) -> Column {
        fn picked<T: Clone>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().filter_map(|row| all.get(*row).cloned()).collect()
        }
        let detail = self.detail.as_ref();
        Column {
            keys: self.keys.clone(),
            values: picked(&self.values, rows),
            heading: self.heading.clone(),
            cells: picked(&self.cells, rows),
            detail: detail.map(|one| Detail { texts: picked(&one.texts, rows), ..one.clone() }),
            best: picked(&self.best, rows),
            ..*self
        }
    }

    /// Returns the texts of a row, each with the indent of its lines.
    pub(super) fn texts(&self, row: usize) -> Vec<(&str, &str)> {
        match &self.cells[row] {
            Cell::Whole(text) => vec![("", text.as_str())],
            Cell::Parts(texts) => {
                let indent = |part| if part > 0 && self.kind == Kind::Name { INDENT } else { "" };
                texts.iter().enumerate().map(|(part, text)| (indent(part), text.as_str())).collect()
            }
        }
    }

    pub(super) fn has_parts(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Parts(texts) if texts.len() > 1))
    }

    /// Returns the heading in one line.
    pub(super) fn title(&self) -> String {
        self.heading.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Detail {
    /// Returns a heading such as "95 % interval".
    pub(super) fn heading(&self) -> String {
        format!("{} {}", self.level, self.what).trim().to_owned()
    }
}

/// Returns the lines of a row's cells. Each part begins at the same height in all cells.
pub(super) fn in_step<'a>(
    columns: impl Iterator<Item = &'a Column>,
    row: usize,
    cells: Vec<Vec<Vec<String>>>,
) -> Vec<Vec<String>> {
    let parted: Vec<bool> =
        columns.map(|column| matches!(column.cells[row], Cell::Parts(_))).collect();
    let mut heights: Vec<usize> = Vec::new();
    for parts in parted.iter().zip(&cells).filter(|(has, _)| **has).map(|(_, parts)| parts) {
        heights.resize(heights.len().max(parts.len()), 0);
        heights.iter_mut().zip(parts).for_each(|(most, part)| *most = part.len().max(*most));
    }
    let step = |(has_parts, parts): (&bool, Vec<Vec<String>>)| -> Vec<String> {
        if !has_parts {
            return parts.concat();
        }
        let mut lines = Vec::new();
        for (mut part, height) in parts.into_iter().zip(&heights) {
            part.resize(*height, String::new());
            lines.append(&mut part);
        }
        lines
    };
    parted.iter().zip(cells).map(step).collect()
}
