//! Designs: the rows of a table that `[sweep]` names, as lists of values that go together.

use super::data_file::NoData;
use super::design_file::{Cell, Record, read, records};
use super::diagnostic::{Diagnostic, Faults};
use super::extends::lead_plugins;
use super::fields::wrong_type;
use super::named_file::Files;
use super::node::{Entry, Node, Shape};
use super::parse::parse_value;
use super::source::Origin;
use super::sweep_tables::{self, FROM, TOGETHER, is_rule};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Greatest number up to which all integers are exact as real numbers.
const EXACT: f64 = (1_u64 << 53) as f64;

/// Replaces the names of tables in sweeps by the columns of the tables. Returns whether any sweep
/// names a table; `None` if a table cannot be read.
pub(super) fn lay_out(root: &mut Node, files: &mut Files<'_>) -> Option<bool> {
    let (mut some, before) = (false, files.out.len());
    for sweep in sweep_tables::entries(root) {
        let Some(place) = sweep.iter().position(|entry| entry.key == FROM) else { continue };
        some = true;
        let from = sweep.remove(place).value;
        let columns = columns(&from, files);
        go_together(sweep, &columns, from.origin);
        sweep.splice(place..place, columns);
    }
    (files.out.len() == before).then_some(some)
}

/// Refuses tables that only the command line names: results record what the file names.
pub(super) fn refuse(root: &mut Node, out: &mut Faults) {
    for sweep in sweep_tables::entries(root) {
        for entry in sweep.extract_if(.., |entry| entry.key == FROM) {
            let error = entry.key_origin.error("the rows of a sweep cannot be set", "a table");
            out.push(error.help("write `from` in a file, which may extend another"));
        }
    }
}

/// Adds the rule that the values of columns go together.
fn go_together(sweep: &mut Vec<Entry>, columns: &[Entry], origin: Origin) {
    let keys = columns.iter().map(|column| Node { shape: Shape::Text(column.key.clone()), origin });
    let group = Node { shape: Shape::List(keys.collect()), origin };
    let list = |items| Node { shape: Shape::List(items), origin };
    let Some(rule) = sweep.iter_mut().find(|entry| entry.key == TOGETHER) else {
        let value = list(vec![group]);
        sweep.push(Entry { key: TOGETHER.into(), key_origin: origin, value });
        return;
    };
    let is_list = |item: &Node| matches!(item.shape, Shape::List(_));
    match &mut rule.value.shape {
        Shape::List(groups) if groups.iter().all(is_list) => groups.push(group),
        _ => rule.value = list(vec![rule.value.clone(), group]),
    }
}

/// Returns the columns of a table as lists of values; complains of what is wrong with it.
fn columns(from: &Node, files: &mut Files<'_>) -> Vec<Entry> {
    let Files { config, access, sources, out } = files;
    let Shape::Text(name) = &from.shape else {
        let error = wrong_type(from, FROM, "the path of a CSV or Parquet file");
        out.push(error.help("write from = \"design.csv\""));
        return Vec::new();
    };
    let path = config.with_file_name(name);
    let shown = path.display().to_string();
    let text = match read(&path, *access) {
        Ok(text) => text,
        Err(NoData { message, help, .. }) => {
            let message = format!("{shown}: {message}");
            out.push(from.error(message, "the rows of this sweep").help(help));
            return Vec::new();
        }
    };
    let mut records = records(&text).into_iter();
    let source = sources.add_table(shown.clone(), text, from.origin.source);
    // The folder of an extended file, as the config calls it and where it is.
    let own = config.parent().unwrap_or(Path::new(""));
    let folder = sources.folders().get(&source);
    let folder = folder.map(|folder| (folder.strip_prefix(own).unwrap_or(folder), folder));
    let at = |bytes: &Range<usize>| Origin { source, start: bytes.start, end: bytes.end };
    let header = records.next().map_or_else(Vec::new, |record| record.cells);
    let rows: Vec<Record> = records.collect();
    if rows.is_empty() {
        let error = from.error(format!("{shown}: it has no rows"), "no rows");
        let error = error.rule("its first line names swept keys, every other line makes arms");
        out.push(error.help("write at least one row, or remove `from`"));
        return Vec::new();
    }
    let width = header.len();
    for row in rows.iter().filter(|row| row.cells.len() != width) {
        let has = row.cells.len();
        let message = format!("{shown}: a row of {has} values, for {width} columns");
        let error = at(&row.bytes).error(message, format!("{has} values"));
        let error = error.rule("every row has one value for each column of the first line");
        out.push(error.help("mend the row; in R, write the table with row.names = FALSE"));
    }
    let mut seen: BTreeMap<&str, &Cell> = BTreeMap::new();
    let mut columns = Vec::new();
    for (column, head) in header.iter().enumerate() {
        // The index of a data frame of Pandas, or the names of rows that R writes.
        if column == 0 && head.text.is_empty() && width > 1 {
            continue;
        }
        if let Some(error) = fault(head, seen.insert(&head.text, head), &at) {
            out.push(error);
            continue;
        }
        let mut values = Vec::with_capacity(rows.len());
        for cell in rows.iter().filter_map(|row| row.cells.get(column)) {
            let shape = shape(&cell.text).unwrap_or_else(|| {
                let key = &head.text;
                let error =
                    at(&cell.bytes).error(format!("{shown}: no value for `{key}`"), "missing");
                let error = error.rule(format!("every row has a value for `{key}`"));
                out.push(error.help("write the value, or remove the row"));
                Shape::Boolean(false)
            });
            let mut value = Node { shape, origin: at(&cell.bytes) };
            value.move_to(at(&cell.bytes));
            if let Some((called, folder)) = folder {
                lead_plugins(called, folder, &mut value);
            }
            values.push(value);
        }
        let value = Node { shape: Shape::List(values), origin: at(&head.bytes) };
        columns.push(Entry { key: head.text.clone(), key_origin: at(&head.bytes), value });
    }
    columns
}

/// Returns the fault of a column's name; `None` if there is none. Does not check whether the name
/// may be a key.
fn fault(
    head: &Cell,
    before: Option<&Cell>,
    at: &impl Fn(&Range<usize>) -> Origin,
) -> Option<Diagnostic> {
    let name = &head.text;
    let rule = "a column is named like a swept key, such as problem.n";
    let error = |message: String, label: &str| at(&head.bytes).error(message, label).rule(rule);
    match (&**name, before) {
        ("", _) => Some(error("a column without a name".into(), "empty").help("name the column")),
        (name, _) if name == FROM || is_rule(name) => {
            let error = error(format!("`{name}` is no key to sweep"), "a rule of [sweep]");
            Some(error.help("write it in [sweep], and remove the column"))
        }
        (_, Some(first)) => {
            let error = error(format!("the column `{name}` occurs twice"), "again");
            let error = error.also(at(&first.bytes), "first used here");
            Some(error.help("remove or rename one of them"))
        }
        (_, None) => None,
    }
}

/// Returns the value of a cell: as TOML has it, or as SciPy, Pandas and R write it. A whole number
/// is an integer, however it is written. `None` if it is missing.
fn shape(cell: &str) -> Option<Shape> {
    let truth = match cell {
        "" | "NA" | "NaN" | "nan" => return None,
        "True" | "TRUE" => Some(true),
        "False" | "FALSE" => Some(false),
        _ => None,
    };
    let shape = truth.map_or_else(|| parse_value(cell, 0, 0).shape, Shape::Boolean);
    let number = match &shape {
        Shape::Real(number) => Some(*number),
        // Such as .5, which is no TOML; a text in quotes is a text.
        Shape::Text(text) if text == cell => text.parse().ok().filter(|it: &f64| it.is_finite()),
        Shape::Datetime => return Some(Shape::Text(cell.to_owned())),
        _ => None,
    };
    Some(match number {
        Some(whole) if whole.fract() == 0.0 && whole.abs() <= EXACT => Shape::Integer(whole as i64),
        Some(number) => Shape::Real(number),
        None => shape,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the numbers that SciPy, Pandas and R write, and the values of TOML.
    #[test]
    fn a_cell_is_what_toml_says_or_what_other_programs_mean() {
        for (cell, toml) in [
            ("32", "32"),
            ("32.0", "32"),
            ("-4e2", "-400"),
            (".5", "0.5"),
            ("1e-3", "0.001"),
            ("1E-3", "0.001"),
            ("0.1", "0.1"),
            ("1e300", "1e300"),
            ("18446744073709551615", "18446744073709551615"),
            ("True", "true"),
            ("FALSE", "false"),
            ("true", "true"),
            ("uniform", "\"uniform\""),
            ("\"6\"", "\"6\""),
            ("inf", "\"inf\""),
            ("2024-01-01", "\"2024-01-01\""),
            ("{ kind = \"tournament\", size = 2 }", "{ kind = \"tournament\", size = 2 }"),
        ] {
            let origin = Origin { source: 0, start: 0, end: 0 };
            let shape = shape(cell).unwrap_or_else(|| panic!("{cell}"));
            assert_eq!(Node { shape, origin }.to_toml(), toml, "{cell}");
        }
        for missing in ["", "NA", "NaN", "nan"] {
            assert!(shape(missing).is_none(), "{missing}");
        }
    }
}
