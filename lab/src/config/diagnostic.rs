//! Diagnostics: what is wrong with a config, shown with the line that is to blame, the rule and the
//! way out.

use super::source::{Origin, Sources, span};
use crate::words::{counted, nearest};
use annotate_snippets::{AnnotationKind, Level, Renderer};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Degree to which a diagnostic prevents the experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing runs.
    #[default]
    Error,
    /// The experiment runs all the same.
    Warning,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file as the user named it; or "the command line".
    pub file: &'a str,
    /// Number of the line, from 1.
    pub line: usize,
    /// Characters from the line's start, from 1.
    pub column: usize,
}

/// Proof that an error was reported. A function that makes a plan returns the plan or this proof.
#[derive(Debug)]
pub(super) struct Refused(());

impl Refused {
    /// Reports the error.
    pub(super) fn by(error: Diagnostic, out: &mut Faults) -> Self {
        out.push(Diagnostic { severity: Severity::Error, ..error });
        Refused(())
    }

    /// Returns the refusal that follows from an earlier error; `None` if there is no error.
    pub(super) fn before(out: &[Diagnostic]) -> Option<Self> {
        out.iter().any(|one| one.severity == Severity::Error).then_some(Refused(()))
    }
}

/// All that is wrong, as it is found.
pub(super) type Faults = Vec<Diagnostic>;

/// One thing that is wrong. In order: errors first, then by source and place.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Whether it keeps the experiment from running.
    pub severity: Severity,
    /// Underlined text; `None` if the diagnostic is about a whole file.
    pub origin: Option<Origin>,
    /// The thing and the value, as a sentence without a full stop.
    pub message: String,
    /// Description of the underlined text.
    pub label: String,
    /// Other places in the text that belong to the fault, with their descriptions.
    pub also: Vec<(Origin, String)>,
    /// Rule or reason behind the message.
    pub rule: Option<String>,
    /// The way out.
    pub help: Option<String>,
    /// A plugin is to blame, not the config.
    pub plugin: bool,
    /// Whether the diagnostic is about something that is missing.
    pub absence: bool,
    /// Unknown key that belongs in no table of the runner: it may be a parameter of a plugin.
    pub stray: Option<String>,
    /// The text could not be read as TOML there.
    pub syntax: bool,
    /// Nor anywhere behind it.
    pub to_the_end: bool,
}

impl Origin {
    /// Returns an error at this place, with the words under what is underlined.
    pub(super) fn error(self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        let (origin, label) = (Some(self), label.into());
        Diagnostic { origin, label, ..Diagnostic::general(message) }
    }

    /// Returns a warning at this place, with the words under what is underlined.
    pub(super) fn warning(
        self,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self.error(message, label) }
    }
}

impl Diagnostic {
    /// Returns an error of a whole file: the message names it.
    pub fn general(message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), ..Diagnostic::default() }
    }

    /// Reports it, in place of a value.
    pub(super) fn to<T>(self, out: &mut Faults) -> Option<T> {
        out.push(self);
        None
    }

    /// Adds the rule that is broken.
    pub fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Adds the way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the one of these texts that is nearest; `otherwise` if none is like it.
    pub(super) fn help_nearest<'a>(
        self,
        wanted: &str,
        texts: impl IntoIterator<Item = &'a str>,
        otherwise: &str,
    ) -> Self {
        match nearest(wanted, texts) {
            Some(near) => self.help(format!("did you mean \"{near}\"?")),
            None => self.help(otherwise),
        }
    }

    /// Adds another place that has to do with it.
    pub fn also(mut self, origin: Origin, label: impl Into<String>) -> Self {
        self.also.push((origin, label.into()));
        self
    }

    /// Marks it as a fault of the TOML itself.
    pub fn of_syntax(mut self) -> Self {
        self.syntax = true;
        self
    }

    /// Marks it as about something that is missing.
    pub fn of_absence(mut self) -> Self {
        self.absence = true;
        self
    }

    /// Returns the diagnostic of a file that gives no plan although no error says why.
    pub(super) fn unexplained(path: &Path) -> Self {
        Diagnostic::general(format!("{}: this experiment cannot be planned", path.display()))
            .rule("this is a fault of runner: please report it with this file")
    }

    /// Marks it as about a plugin.
    pub fn of_plugin(mut self) -> Self {
        self.plugin = true;
        self
    }

    /// Returns the whole diagnostic on one line, for places that show no text next to it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let part = |before: &str, words: &Option<String>| {
            words.as_ref().map_or_else(String::new, |words| format!("{before}{words}"))
        };
        format!("{}{}{}", self.message, part(": ", &self.rule), part("; ", &self.help))
    }

    /// Returns the start of the text that the diagnostic is about; `None` if it is about a whole
    /// file or no file.
    #[must_use]
    pub fn place<'a>(&self, sources: &'a Sources) -> Option<Place<'a>> {
        let Origin { source, start, .. } = self.origin?;
        let text = sources.text(source);
        let before = &text[..span(self.origin?, text).start.min(start)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        Some(Place {
            file: sources.name(source),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        })
    }

    /// Returns the diagnostic as text, with ANSI colours if asked for.
    pub fn render(&self, sources: &Sources, coloured: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level
            .primary_title(self.message.as_str())
            .elements(Vec::<annotate_snippets::Element<'_>>::new());
        if let Some(origin) = self.origin {
            let bytes = |origin: Origin| span(origin, sources.text(origin.source));
            let here = || self.also.iter().filter(|(also, _)| also.source == origin.source);
            let all = here().map(|(also, _)| bytes(*also)).chain([bytes(origin)]);
            let all = all.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
            let (snippet, from) =
                sources.snippet(origin.source, all.unwrap_or_else(|| bytes(origin)));
            let within = |bytes: Range<usize>, from: usize| bytes.start - from..bytes.end - from;
            let primary = AnnotationKind::Primary.span(within(bytes(origin), from));
            let mut snippet = snippet.annotation(primary.label(self.label.as_str()));
            let mut others = Vec::new();
            for (also, label) in &self.also {
                let kind = AnnotationKind::Context;
                let annotation = |from| kind.span(within(bytes(*also), from)).label(label.as_str());
                if also.source == origin.source {
                    snippet = snippet.annotation(annotation(from));
                } else {
                    let (other, from) = sources.snippet(also.source, bytes(*also));
                    others.push(other.annotation(annotation(from)));
                }
            }
            group = group.element(snippet).elements(others);
        }
        if let Some(rule) = &self.rule {
            group = group.element(Level::NOTE.message(rule.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        format!("{}\n", renderer.render(&[group]))
    }
}

/// Keeps the first of several errors at one place that differ in a value, and adds how many more
/// values are wrong.
pub(super) fn merge_values(found: &mut Faults) {
    let mut firsts: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for (place, one) in std::mem::take(found).into_iter().enumerate() {
        let about = one.message.split(" = ").next().unwrap_or_default().to_owned();
        // Diagnostics without a place are each about something else.
        let apart = one.origin.is_none().then_some(place);
        let key = (one.severity, one.origin, about, one.label.clone(), one.also.clone(), apart);
        match firsts.get_mut(&key) {
            Some((_, more)) => *more += 1,
            None => {
                firsts.insert(key, (found.len(), 0));
                found.push(one);
            }
        }
    }
    for (place, more) in firsts.into_values().filter(|(_, more)| *more > 0) {
        let values = counted(more as u64, "more value");
        found[place].label = format!("{}, and {values}", found[place].label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annotate_snippets::Snippet;

    fn at(source: usize, start: usize, end: usize) -> Origin {
        Origin { source, start, end }
    }

    /// Whatever surrounds them: the lines that are shown are those of the whole text.
    #[test]
    fn what_is_shown_of_a_text_does_not_depend_on_its_length() {
        let block = "one = 1\ntwo = 2\nthree = 3\nfour = 4\n";
        for before in [0, 1, 2, 1_000] {
            for after in [0, 1, 2, 1_000] {
                let text = format!("{}{block}{}", "\n".repeat(before), "x = 0\n".repeat(after));
                for (start, end, also) in [(0, 3, 8), (8, 11, 0), (27, 31, 0), (36, 36, 27)] {
                    let mut sources = Sources::default();
                    let id = sources.add("a.toml", text.as_str());
                    let error = at(id, before + start, before + end).error("wrong", "here");
                    let error = error.also(at(id, before + also, before + also + 3), "and here");
                    let span =
                        |start, end| AnnotationKind::Primary.span(before + start..before + end);
                    let whole = Snippet::source(text.as_str()).path("a.toml");
                    let whole = whole.annotation(span(start, end).label("here")).annotation(
                        AnnotationKind::Context
                            .span(before + also..before + also + 3)
                            .label("and here"),
                    );
                    let whole = Renderer::plain()
                        .render(&[Level::ERROR.primary_title("wrong").element(whole)]);
                    assert_eq!(error.render(&sources, false), format!("{whole}\n"));
                }
            }
        }
    }
}
