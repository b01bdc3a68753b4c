//! Faults of configs and flags, each shown where it stands.

use super::message;
use crate::config::{Diagnostic, Outcome, Severity, Sources};
use crate::system::notice::Level;
use crate::system::output::tell_coloured;
use crate::system::streams::Stream;
use serde_json::{Value, json};

/// What is wrong with texts, and the texts.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

impl From<Outcome> for Faults {
    fn from(Outcome { diagnostics, sources, .. }: Outcome) -> Self {
        Faults { diagnostics, sources }
    }
}

/// Faults that readers see; who has more mends these first.
const SHOWN: usize = 100;

impl Faults {
    /// How many of them are errors, and no warnings.
    #[must_use]
    pub(crate) fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
    }

    /// Prints them to standard error: for programs an event each, for readers each with its lines,
    /// coloured on a terminal unless NO_COLOR says otherwise.
    pub(crate) fn print(&self) {
        if message::are_json_lines() {
            self.diagnostics.iter().for_each(|one| message::show_object(&self.object(one)));
            return;
        }
        let coloured = Stream::Error.is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        for diagnostic in self.diagnostics.iter().take(SHOWN) {
            tell_coloured(&format!("{}\n", diagnostic.render(&self.sources, coloured)));
        }
        if self.diagnostics.len() > SHOWN {
            message!(
                "and {} more; fix the first ones, then check again\n",
                self.diagnostics.len() - SHOWN
            );
        }
    }

    /// A fault as an event, with its place, counted from 1.
    fn object(&self, fault: &Diagnostic) -> Value {
        let level = match fault.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
        };
        let place = fault.place(&self.sources);
        json!({
            "event": message::event(level),
            "message": fault.message,
            "file": place.as_ref().map(|place| place.file),
            "line": place.as_ref().map(|place| place.line),
            "column": place.as_ref().map(|place| place.column),
            "label": Some(&fault.label).filter(|label| !label.is_empty()),
            "rule": fault.rule,
            "help": fault.help,
        })
    }
}
