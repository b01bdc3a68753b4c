//! Diagnostics: what is wrong with a config, shown with the line that is to blame, the rule and the
//! way out.

use super::node::Origin;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;
use std::path::Path;

/// The texts that nodes come from: files, flags, presets.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<Text>,
}

#[derive(Debug)]
struct Text {
    name: String,
    text: String,
    is_flag: bool,
    is_table: bool,
}

impl Sources {
    /// Adds a text under the name that messages show.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let (name, text) = (name.into(), text.into());
        self.texts.push(Text { name, text, is_flag: false, is_table: false });
        self.texts.len() - 1
    }

    /// Adds the text of a table of values.
    pub(super) fn add_table(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let source = self.add(name, text);
        self.texts[source].is_table = true;
        source
    }

    /// Returns whether a source is a table of values.
    pub(super) fn is_table(&self, source: usize) -> bool {
        self.texts[source].is_table
    }

    /// Adds a flag and its value as they are on the command line. Also returns the place where the
    /// value begins.
    pub fn add_flag(&mut self, flag: &str, value: &str) -> (usize, usize) {
        let text = format!("{flag} {value}");
        let source = self.add("the command line", text);
        self.texts[source].is_flag = true;
        (source, flag.len() + 1)
    }

    /// Returns the name of a source, as messages give it: a path, or a flag.
    pub fn name(&self, source: usize) -> &str {
        &self.texts[source].name
    }

    /// Returns the whole text of a source.
    pub fn text(&self, source: usize) -> &str {
        &self.texts[source].text
    }

    /// Returns the lines of a text in which these bytes are, and the place where the lines begin.
    /// Messages show a file with its path and line numbers, and a flag as its only line. Only these
    /// lines are given to the renderer, because it reads all that it is given.
    fn snippet<'a, T: Clone>(
        &'a self,
        source: usize,
        bytes: Range<usize>,
    ) -> (Snippet<'a, T>, usize) {
        let Text { name, text, is_flag, .. } = &self.texts[source];
        if *is_flag {
            return (Snippet::source(text.as_str()).line_numbering(false), 0);
        }
        let lines = lines_around(text, bytes);
        let number = 1 + text[..lines.start].bytes().filter(|byte| *byte == b'\n').count();
        let snippet = Snippet::source(&text[lines.clone()]).line_start(number);
        (snippet.path(name.as_str()), lines.start)
    }
}

/// Returns the lines in which these bytes are, with one before and one after.
fn lines_around(text: &str, bytes: Range<usize>) -> Range<usize> {
    let line_start = |place: usize| text[..place].rfind('\n').map_or(0, |feed| feed + 1);
    let line_end =
        |place: usize| text[place..].find('\n').map_or(text.len(), |feed| place + feed + 1);
    line_start(line_start(bytes.start).saturating_sub(1))..line_end(line_end(bytes.end))
}

/// Degree to which a diagnostic prevents the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing runs.
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
    pub(super) fn by(error: Diagnostic, out: &mut Vec<Diagnostic>) -> Self {
        out.push(Diagnostic { severity: Severity::Error, ..error });
        Refused(())
    }

    /// Returns the refusal that follows from an earlier error; `None` if there is no error.
    pub(super) fn before(out: &[Diagnostic]) -> Option<Self> {
        out.iter().any(|one| one.severity == Severity::Error).then_some(Refused(()))
    }
}

/// One thing that is wrong. In order: errors first, then by source and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The text could not be read as TOML there.
    pub syntax: bool,
    /// Nor anywhere behind it.
    pub to_the_end: bool,
}

impl Diagnostic {
    /// Returns an error at a place, with the words under what is underlined.
    pub fn error(message: impl Into<String>, origin: Origin, label: impl Into<String>) -> Self {
        Diagnostic { origin: Some(origin), label: label.into(), ..Self::general(message) }
    }

    /// Returns a warning at a place, with the words under what is underlined.
    pub fn warning(message: impl Into<String>, origin: Origin, label: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(message, origin, label) }
    }

    /// Returns an error of a whole file: the message names it.
    pub fn general(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            origin: None,
            label: String::new(),
            also: Vec::new(),
            rule: None,
            help: None,
            plugin: false,
            absence: false,
            syntax: false,
            to_the_end: false,
        }
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
    pub(super) fn untold(path: &Path) -> Self {
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

/// Bytes to underline: at least one where there is text, within the text, on whole characters.
fn span(origin: Origin, text: &str) -> Range<usize> {
    let boundary = |mut place: usize| {
        place = place.min(text.len());
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        place
    };
    let (start, end) = (boundary(origin.start), boundary(origin.end));
    // A table that spans lines is shown by its first line.
    let line = text[start..end].find('\n').map_or(end, |length| start + length);
    start..line.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    let error =
                        Diagnostic::error("wrong", at(id, before + start, before + end), "here");
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

    #[test]
    fn the_renderer_is_given_a_few_lines() {
        let text = "x = 0\n".repeat(1_000);
        assert_eq!(lines_around(&text, 600..601), 594..612);
        assert_eq!(lines_around(&text, 0..1), 0..12);
        assert_eq!(lines_around(&text, 6_000..6_000), 5_994..6_000);
        assert_eq!(lines_around("", 0..0), 0..0);
    }
}
