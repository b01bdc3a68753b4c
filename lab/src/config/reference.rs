//! The reference of the experiment file as Markdown: docs/config.md, made of the keys that the
//! parser reads, the registry's operators and the parameters that plugins declare.

use super::keys::{self, Form, Table};
use super::presets::preset_texts;
use super::swept_keys;
use crate::operators::Domain;
use crate::operators::operator::{Operator, Slot};
use crate::problem::parameter::{Fallback, Parameter};
use crate::problem::{Encoding, Library};
use crate::search::registry::operators;
use std::fmt::Write;
use std::sync::Arc;

const BEGINNING: &str = include_str!("reference/beginning.md");
const PROBLEM: &str = include_str!("reference/problem.md");
const OPERATORS: &str = include_str!("reference/operators.md");
const START: &str = include_str!("reference/start.md");
const SWEEP: &str = include_str!("reference/sweep.md");
const TUNE: &str = include_str!("reference/tune.md");

/// Returns the reference, with the parameters of these plugins.
#[must_use]
pub fn reference(plugins: &[Arc<Library>]) -> String {
    let mut page = Page(String::from(BEGINNING));
    page.table("## The top of the file", &keys::TOP);
    page.table("### `repeats` as a table", &keys::REPEATS_TABLE);
    page.section(&keys::PROBLEM_TABLE);
    page.text(PROBLEM);
    for library in plugins {
        page.text(&format!("### The plugin `{}`\n\n{}\n", library.name(), library.summary()));
        page.parameters(library.parameters().iter().map(|one| (None, one)));
    }
    page.section(&keys::OPERATOR_SET);
    page.text(OPERATORS);
    let presets: Vec<String> =
        preset_texts().into_iter().map(|(name, _)| format!("`{name}`")).collect();
    page.text(&format!(
        "The presets are {}; `runner operators NAME` prints one.\n",
        presets.join(", ")
    ));
    page.table("### `mix`", &keys::MIX_TABLE);
    page.table("### `restarts`", &keys::RESTARTS_TABLE);
    page.table("### `noise`", &keys::NOISE_TABLE);
    page.table("### `sharing`", &keys::SHARING_TABLE);
    page.table("### Schedules", &keys::SCHEDULE_TABLE);
    for slot in Slot::ALL {
        page.slot(slot);
    }
    page.section(&keys::STOP_TABLE);
    page.section(&keys::START_TABLE);
    page.text(START);
    page.section(&keys::SWEEP_TABLE);
    page.text(SWEEP);
    page.paths();
    page.section(&keys::TUNE_TABLE);
    page.text(TUNE);
    page.section(&keys::OUTPUT_TABLE);
    page.0.truncate(page.0.trim_end().len());
    page.0.push('\n');
    page.0
}

/// Returns the keys of a suite's file as a table.
#[must_use]
pub fn suite_reference() -> String {
    let mut page = Page(String::new());
    page.head(["key of `[suite]`", "value", "default", "meaning"]);
    for key in keys::SUITE_TABLE.keys {
        let (name, takes) = (format!("`{}`", key.name), key.form.to_string());
        page.row([&name, &takes, &default(&key.fallback), key.doc]);
    }
    page.0
}

struct Page(String);

impl Page {
    fn text(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push_str("\n\n");
    }

    fn row<const N: usize>(&mut self, cells: [&str; N]) {
        // A bar would end the cell.
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(self.0, "| {} |", cells.join(" | "))
            .expect("a String takes all that is written to it");
    }

    /// Adds the head of a table.
    fn head<const N: usize>(&mut self, cells: [&str; N]) {
        self.row(cells);
        self.row(["---"; N]);
    }

    /// Adds a table of the file under its own header.
    fn section(&mut self, table: &Table) {
        self.table(&format!("## `{}`", table.header), table);
    }

    fn table(&mut self, heading: &str, table: &Table) {
        self.text(&format!("{heading}\n\n{}", table.doc));
        if table.keys.is_empty() {
            return;
        }
        self.head(["key", "value", "default", "meaning", "since"]);
        for key in table.keys {
            let takes = match &key.form {
                Form::Operator(slot) => {
                    format!("a name, or a table with [`kind`](#{slot}) and its parameters")
                }
                Form::Table(below) | Form::Tables(below) | Form::PathsOrTables(below) => {
                    format!("{}: `{}`", key.form, below.header)
                }
                Form::ValueOrTable(_, below) if below.header == keys::TUNE_BUDGET_TABLE.header => {
                    key.form.to_string()
                }
                Form::ValueOrTable(..) => format!("{} ([below](#repeats-as-a-table))", key.form),
                other => other.to_string(),
            };
            self.row([
                &format!("`{}`", key.name),
                &takes,
                &default(&key.fallback),
                key.doc,
                key.since,
            ]);
        }
        self.0.push('\n');
    }

    fn slot(&mut self, slot: Slot) {
        self.text(&format!("### `{slot}`"));
        self.head(["operator", "encodings", "what it does"]);
        for operator in operators(slot) {
            let encodings = operator.domain.encodings();
            let words: Vec<&str> = encodings.iter().map(|encoding| encoding.as_str()).collect();
            let problems = match operator.domain {
                Domain::Plugin => "plugins that provide one".to_owned(),
                _ if words.len() == Encoding::ALL.len() => "all".to_owned(),
                _ => words.join(", "),
            };
            self.row([&format!("`{}`", operator.name), &problems, operator.summary]);
        }
        self.0.push('\n');
        let own = |operator: &'static Operator| {
            operator.parameters.iter().map(|parameter| (Some(operator.name), parameter))
        };
        self.parameters(operators(slot).into_iter().flat_map(own));
    }

    /// A row for each parameter, with the operator where there are several.
    fn parameters<'a>(
        &mut self,
        parameters: impl Iterator<Item = (Option<&'a str>, &'a Parameter)>,
    ) {
        let mut parameters = parameters.peekable();
        match parameters.peek() {
            None => return,
            Some((None, _)) => self.head(["parameter", "value", "default", "meaning"]),
            Some(_) => self.head(["operator", "parameter", "value", "default", "meaning"]),
        }
        for (owner, parameter) in parameters {
            let takes = parameter.takes().replace("a schedule", "a [schedule](#schedules)");
            let (key, fallback) = (format!("`{}`", parameter.key), default(&parameter.fallback));
            let cells = [&*key, &takes, &fallback, &parameter.doc];
            match owner.map(|owner| format!("`{owner}`")) {
                Some(owner) => self.row([&*owner, cells[0], cells[1], cells[2], cells[3]]),
                None => self.row(cells),
            }
        }
        self.0.push('\n');
    }

    fn paths(&mut self) {
        self.head(["table", "paths"]);
        for (table, paths) in swept_keys::paths() {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
            self.row([&format!("`{table}`"), &paths.join(", ")]);
        }
        self.0.push('\n');
    }
}

fn default(fallback: &Fallback) -> String {
    match fallback {
        Fallback::Required => "required".to_owned(),
        Fallback::Value(value) => format!("`{value}`"),
        Fallback::Derived(words) => (*words).to_owned(),
    }
}
