//! Mappings: which column holds what.

use super::source::Table;
use crate::parquet::not_read;
use crate::words::first_listed;
use std::borrow::Cow;

/// Possible contents of a column, besides swept keys.
pub(super) const KEYS: [&str; 8] =
    ["arm", "problem", "trial", "seed", "success", "evaluations", "fitness", "best"];

/// Places of columns by what they hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mapping {
    /// Columns of the arm's name; several columns make a name together.
    pub arm: Vec<usize>,
    pub problem: Option<usize>,
    pub trial: Option<usize>,
    pub seed: Option<usize>,
    pub success: Option<usize>,
    /// `None` if only fitness is known.
    pub evaluations: Option<usize>,
    pub fitness: Option<usize>,
    pub best: Option<usize>,
    /// Swept keys, such as `problem.n`, in the order of the mapping.
    pub swept: Vec<(String, usize)>,
    /// The fitness from which on a trial counts as successful, where no column says.
    pub target: Option<f64>,
    /// `KEY=COLUMN`, of all of them.
    pub words: Vec<String>,
}

impl Mapping {
    /// Returns the mapping of the request. A key that the request leaves out maps to the column of
    /// its name, if the file has one.
    ///
    /// # Errors
    /// Returns all faults of the mapping, one line each.
    pub(super) fn new(
        map: &[String],
        table: &Table,
        target: Option<f64>,
    ) -> Result<Self, super::ImportError> {
        let mut faults = Vec::new();
        let mut pairs: Vec<(String, usize)> = Vec::new();
        for words in map {
            match pair(words, table) {
                Ok((key, _)) if key != "arm" && pairs.iter().any(|(other, _)| *other == key) => {
                    faults.push(format!("--map: `{key}` is mapped twice; map it once"));
                }
                Ok(pair) => pairs.push(pair),
                Err(fault) => faults.push(fault),
            }
        }
        for key in KEYS {
            let place = table.columns.iter().position(|column| column == key);
            if let Some(place) = place.filter(|_| !pairs.iter().any(|(own, _)| own == key)) {
                pairs.push((key.to_owned(), place));
            }
        }
        for (place, column) in table.columns.iter().enumerate() {
            let is_free = pairs.iter().all(|(key, other)| key != column && *other != place);
            if column.contains('.') && is_free && swept(column).is_ok() {
                pairs.push((column.clone(), place));
            }
        }
        // Under these names they would have been taken.
        let is_key = |name: &str| KEYS.contains(&name) || name.contains('.') && swept(name).is_ok();
        for (name, kind) in &table.unread {
            if is_key(name) && pairs.iter().all(|(key, _)| key != name) {
                faults.push(format!("{}: {}", table.file, not_read(name, kind)));
            }
        }
        faults.extend(nested(&pairs));
        let of = |key: &str| pairs.iter().find(|(own, _)| own == key).map(|(_, place)| *place);
        let missing = |key: &str, what: &str| {
            format!(
                "{}: no column holds `{key}` ({what}); map one: --map {key}=COLUMN; the columns \
                are {}",
                table.file,
                columns_of(table)
            )
        };
        // Final fitness alone can be compared; what a success took cannot be left open.
        let succeeds = of("success").is_some() || target.is_some();
        let evaluations = of("evaluations");
        if evaluations.is_none() && succeeds {
            let what = "fitness evaluations until success, of an unsuccessful trial its budget";
            faults.push(missing("evaluations", what));
        }
        if of("success").is_none() && of("fitness").is_none() {
            let what = "0, 1, true or false; or map `fitness`, with --target if trials can succeed";
            faults.push(missing("success", what));
        }
        if !faults.is_empty() {
            return Err(super::ImportError::Faults(faults));
        }
        let word = |(key, place): &(String, usize)| format!("{key}={}", table.columns[*place]);
        let swept = pairs.iter().filter(|(key, _)| key.contains('.')).cloned().collect();
        Ok(Mapping {
            arm: pairs.iter().filter(|(key, _)| key == "arm").map(|(_, place)| *place).collect(),
            problem: of("problem"),
            trial: of("trial"),
            seed: of("seed"),
            success: of("success"),
            evaluations,
            fitness: of("fitness"),
            best: of("best"),
            swept,
            target,
            words: pairs.iter().map(word).collect(),
        })
    }
}

/// Maximum number of columns that a message lists.
const MOST_LISTED: usize = 12;
/// Maximum number of characters of a name in a message.
const LONGEST_NAME: usize = 60;

/// Returns the columns of a table for a message: the first ones, and how many there are.
fn columns_of(table: &Table) -> String {
    first_listed(table.columns.iter().map(|name| cut(name)), MOST_LISTED)
}

/// Returns a name for a message, cut if it is long.
fn cut(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// Returns a key and the place of its column.
fn pair(words: &str, table: &Table) -> Result<(String, usize), String> {
    let (key, column) = words.split_once('=').ok_or_else(|| {
        format!("--map: `{words}` is no KEY=COLUMN, such as success=solved; write it so")
    })?;
    if key.contains('.') {
        swept(key)?;
    } else if !KEYS.contains(&key) {
        return Err(format!(
            "--map: there is no key `{key}`; the keys are {}, and swept keys such as problem.n or \
            operators.mutation.rate",
            KEYS.join(", ")
        ));
    }
    if let Some((name, kind)) = table.unread.iter().find(|(name, _)| name == column) {
        return Err(format!("--map {}: {}: {}", cut(words), table.file, not_read(name, kind)));
    }
    let place = table.columns.iter().position(|one| one == column).ok_or_else(|| {
        format!(
            "--map {}: {} has no column `{}`; its columns are {}",
            cut(words),
            table.file,
            cut(column),
            columns_of(table)
        )
    })?;
    Ok((key.to_owned(), place))
}

/// Checks whether a key is one that a sweep may have.
fn swept(key: &str) -> Result<(), String> {
    let (table, names): (&str, Vec<&str>) = match key.split_once('.') {
        Some((table, rest)) => (table, rest.split('.').collect()),
        None => (key, Vec::new()),
    };
    let way_out = match (table, names.as_slice()) {
        ("problem", ["plugin"]) => "map the problem's name as `problem`",
        ("operators", ["name" | "preset"]) => "map the name of the operator set as `arm`",
        ("problem", [_]) | ("operators", [_, ..]) if names.iter().all(|name| is_bare(name)) => {
            return Ok(());
        }
        _ => {
            "write problem.PARAMETER, operators.KEY, operators.SLOT.PARAMETER or \
            operators.NAME.KEY, each part of letters, digits, - and _"
        }
    };
    Err(format!("--map: `{key}` is no swept key; {way_out}"))
}

/// Returns whether TOML has it as a key without quotes.
fn is_bare(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !name.is_empty() && name.chars().all(plain)
}

/// Keys of which one lies within the other, such as `operators.mutation` and
/// `operators.mutation.rate`: no arm has both.
fn nested(pairs: &[(String, usize)]) -> Vec<String> {
    let within = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
    };
    let swept = || pairs.iter().map(|(key, _)| key.as_str()).filter(|key| key.contains('.'));
    let mut faults = Vec::new();
    for outer in swept() {
        for inner in swept().filter(|inner| within(outer, inner)) {
            faults.push(format!(
                "--map: `{inner}` lies within `{outer}`, and an arm cannot have both; map one"
            ));
        }
    }
    let has = |key: &str| pairs.iter().any(|(own, _)| own == key);
    if has("problem") && has("problem.name") {
        faults.push("--map: `problem` is the swept key `problem.name`; map one".to_owned());
    }
    faults
}
