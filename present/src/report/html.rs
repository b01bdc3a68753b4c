//! Reports as tables of a page.

use super::column::{Column, Kind, Medium, NOTHING};
use super::table::Report;
use maud::{Markup, html};
use serde_json::{Value, json};

/// A report on a page, with its caption and its label for screen readers.
pub struct Sheet<'a> {
    /// Rows and columns of the table.
    pub report: &'a Report,
    /// Caption above the table.
    pub caption: Markup,
    /// Name of the table for screen readers.
    pub label: String,
}

impl Sheet<'_> {
    /// Returns the table; readers can sort its rows, and it scrolls if it is wider than the page.
    pub(crate) fn markup(&self) -> Markup {
        let columns: Vec<Shown<'_>> = self.report.shown(Medium::Screen).flat_map(parts).collect();
        // What comes after the first figure with an interval may be folded on a narrow screen.
        let has_detail = |one: &Shown<'_>| one.column.detail.is_some();
        let is_figure = |one: &Shown<'_>| one.column.kind == Kind::Figure;
        let key = columns.iter().position(has_detail);
        let key = key.or_else(|| columns.iter().position(is_figure)).unwrap_or(columns.len());
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.label) {
                table.sortable {
                    caption { (self.caption) }
                    thead { tr {
                        @for column in &columns {
                            th scope="col" class=[left(column.column).then_some("text")] {
                                (breaking(&column.title))
                            }
                        }
                    } }
                    tbody {
                        @for row in 0..self.report.rows() { tr {
                            @for (place, column) in columns.iter().enumerate() {
                                (cell(column, row, place == 0, place > key))
                            }
                        } }
                    }
                }
            }
        }
    }
}

impl Report {
    /// Returns the table for a page that draws it itself: the label, each heading with whether its
    /// column is of figures, and the texts of the rows.
    pub fn texts(&self, label: &str) -> Value {
        let columns: Vec<Shown<'_>> = self.shown(Medium::Screen).flat_map(parts).collect();
        let head = |one: &Shown<'_>| json!([one.title, !left(one.column)]);
        let text = |one: &Shown<'_>, row: usize| match one.detail(row) {
            Some(detail) => format!("{} [{detail}]", one.words(row)),
            None => one.words(row),
        };
        let row = |row: usize| columns.iter().map(|one| text(one, row)).collect::<Vec<_>>();
        json!({
            "label": label,
            "columns": columns.iter().map(head).collect::<Vec<_>>(),
            "rows": (0..self.rows()).map(row).collect::<Vec<_>>(),
        })
    }
}

/// A column of the page: one part of the names, or all of the texts.
struct Shown<'a> {
    column: &'a Column,
    title: String,
    part: Option<usize>,
}

impl Shown<'_> {
    /// Returns the text of a row in one line.
    fn words(&self, row: usize) -> String {
        let texts: Vec<&str> = self.column.texts(row).into_iter().map(|(_, text)| text).collect();
        match self.part {
            Some(part) => texts.get(part).copied().unwrap_or_default().to_owned(),
            None => texts.join(", ").lines().collect::<Vec<_>>().join(" "),
        }
    }

    /// Returns the interval or the quartiles of a row: "0.2, 0.4". `None` without any.
    fn detail(&self, row: usize) -> Option<String> {
        let detail = self.column.detail.as_ref()?.texts[row].replacen(" to ", ", ", 1);
        Some(detail).filter(|text| !text.is_empty())
    }
}

/// Returns the columns of the page. Names of several parts have one column per part.
fn parts(column: &Column) -> Vec<Shown<'_>> {
    let lines: Vec<&str> = column.heading.lines().collect();
    if column.kind == Kind::Name && column.has_parts() && lines.len() > 1 {
        let of = |(part, line): (usize, &&str)| Shown {
            column,
            title: capital(line.trim()),
            part: Some(part),
        };
        return lines.iter().enumerate().map(of).collect();
    }
    let title = column.title();
    let title = if column.is_named { title } else { capital(&title) };
    vec![Shown { column, title, part: None }]
}

fn left(column: &Column) -> bool {
    matches!(column.kind, Kind::Name | Kind::Text)
}

/// Capitalises a heading, except dotted keys and single letters.
fn capital(title: &str) -> String {
    let is_word = title.chars().nth(1).is_some_and(char::is_alphanumeric);
    match title.chars().next() {
        Some(first) if !title.contains('.') && is_word => {
            first.to_uppercase().chain(title.chars().skip(1)).collect()
        }
        _ => title.to_owned(),
    }
}

/// Returns a key with possible line breaks after its dots.
fn breaking(key: &str) -> Markup {
    html! { @for part in key.split_inclusive('.') { (part) wbr; } }
}

fn cell(shown: &Shown<'_>, row: usize, heads: bool, folds: bool) -> Markup {
    let Shown { column, title, part } = shown;
    let words = shown.words(row);
    let value = column.values.get(row).and_then(|values| values.first());
    let value = value.filter(|value| value.is_number()).map(ToString::to_string);
    let sorted = if words == NOTHING { Some(String::new()) } else { value };
    let sorted = sorted.filter(|_| !left(column));
    let best = column.best.get(row).copied().flatten();
    let best = best.is_some_and(|best| match part {
        Some(part) => *part == best,
        None => column.texts(row).len() == 1,
    });
    let classes = [("text", left(column)), ("better", best), ("more", folds)];
    let classes = classes.into_iter().filter_map(|(class, has)| has.then_some(class));
    let classes = classes.collect::<Vec<_>>().join(" ");
    let content = html! {
        (words)
        @if let Some(detail) = shown.detail(row) {
            " " span.small { "[" (detail) "]" }
        }
    };
    let classes = Some(classes).filter(|classes| !classes.is_empty());
    html! {
        @if heads {
            th class=[classes] scope="row" data-label=(title) { (content) }
        } @else {
            td class=[classes] data-label=(title) data-value=[sorted] { (content) }
        }
    }
}
