//! Diagnostics: what is wrong with a config, shown with the line that is to blame, the rule and the
//! way out.

use super::node::Origin;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
}

impl Sources {
    /// Adds a text under the name that messages show.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        self.texts.push(Text { name: name.into(), text: text.into(), is_flag: false });
        self.texts.len() - 1
    }

    /// Adds a flag and its value as they stand on the command line. Also the place where the value
    /// begins.
    pub fn add_flag(&mut self, flag: &str, value: &str) -> (usize, usize) {
        let text = format!("{flag} {value}");
        self.texts.push(Text { name: "the command line".into(), text, is_flag: true });
        (self.texts.len() - 1, flag.len() + 1)
    }

    pub fn name(&self, source: usize) -> &str {
        &self.texts[source].name
    }

    pub fn text(&self, source: usize) -> &str {
        &self.texts[source].text
    }

    /// A text as messages show it: a file with its path and lines, a flag as the one line that it
    /// is.
    fn snippet<'a, T: Clone>(&'a self, source: usize) -> Snippet<'a, T> {
        let Text { name, text, is_flag } = &self.texts[source];
        if *is_flag {
            Snippet::source(text.as_str()).line_numbering(false)
        } else {
            Snippet::source(text.as_str()).path(name.as_str())
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that is wrong. In order: errors first, then by source and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    pub severity: Severity,
    /// What is underlined; none: it is about a whole file.
    pub origin: Option<Origin>,
    /// The thing and the value, as a sentence without a full stop.
    pub message: String,
    /// What the underlined text is.
    pub label: String,
    /// What else has to do with it.
    pub also: Vec<(Origin, String)>,
    /// What holds.
    pub rule: Option<String>,
    /// The way out.
    pub help: Option<String>,
    /// A plugin is to blame, not the config.
    pub plugin: bool,
    /// It is about something that is not there.
    pub absence: bool,
    /// The text could not be read as TOML there.
    pub syntax: bool,
}

impl Diagnostic {
    pub fn error(message: impl Into<String>, origin: Origin, label: impl Into<String>) -> Self {
        Diagnostic { origin: Some(origin), label: label.into(), ..Self::general(message) }
    }

    pub fn warning(message: impl Into<String>, origin: Origin, label: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(message, origin, label) }
    }

    /// An error of a whole file: the message names it.
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
        }
    }

    pub fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn also(mut self, origin: Origin, label: impl Into<String>) -> Self {
        self.also.push((origin, label.into()));
        self
    }

    pub fn of_syntax(mut self) -> Self {
        self.syntax = true;
        self
    }

    pub fn of_absence(mut self) -> Self {
        self.absence = true;
        self
    }

    pub fn of_plugin(mut self) -> Self {
        self.plugin = true;
        self
    }

    /// The diagnostic as text, with ANSI colours if asked for.
    pub fn render(&self, sources: &Sources, coloured: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level
            .primary_title(self.message.as_str())
            .elements(Vec::<annotate_snippets::Element<'_>>::new());
        if let Some(origin) = self.origin {
            let text = sources.text(origin.source);
            let span = span(origin, text);
            let mut snippet = sources
                .snippet(origin.source)
                .annotation(AnnotationKind::Primary.span(span).label(self.label.as_str()));
            let mut others = Vec::new();
            for (also, label) in &self.also {
                let text = sources.text(also.source);
                let annotation =
                    AnnotationKind::Context.span(self::span(*also, text)).label(label.as_str());
                if also.source == origin.source {
                    snippet = snippet.annotation(annotation);
                } else {
                    others.push(sources.snippet(also.source).annotation(annotation));
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
fn span(origin: Origin, text: &str) -> std::ops::Range<usize> {
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
