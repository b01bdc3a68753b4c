//! Faults of configs and flags, each shown at its position.

use super::message;
use crate::config::{Diagnostic, Outcome, Severity, Sources};
use crate::system::notice::Level;
use crate::system::output::tell_coloured;
use crate::system::streams::Stream;
use serde_json::{Value, json};

/// Faults of texts, with the texts.
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

/// Maximum number of faults shown to readers.
const SHOWN: usize = 100;

impl Faults {
    /// Returns the number of errors, without warnings.
    pub(crate) fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
    }

    /// Prints the faults to standard error. Programs get one event per fault. Readers get each with
    /// its lines, coloured on a terminal unless NO_COLOR is set.
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

    /// Returns a fault as an event. Its position counts from 1.
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
