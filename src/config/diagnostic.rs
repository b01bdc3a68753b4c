//! Diagnostics: what is wrong with a config, shown with the line that is to blame, the rule and the way out.

use super::node::Origin;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// The texts that nodes come from: files, `--set` and the like, presets.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<(String, String)>,
}

impl Sources {
    /// Adds a text under the name that messages show.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        self.texts.push((name.into(), text.into()));
        self.texts.len() - 1
    }

    pub fn name(&self, source: usize) -> &str {
        &self.texts[source].0
    }

    pub fn text(&self, source: usize) -> &str {
        &self.texts[source].1
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The thing and the value, as a sentence without a full stop.
    pub message: String,
    pub origin: Option<Origin>,
    /// What the underlined text is.
    pub label: String,
    /// Something else that has to do with it.
    pub also: Option<(Origin, String)>,
    pub rule: Option<String>,
    pub help: Option<String>,
    /// A plugin is to blame, not the config.
    pub plugin: bool,
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
            also: None,
            rule: None,
            help: None,
            plugin: false,
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
        self.also = Some((origin, label.into()));
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
        let mut group =
            level.primary_title(self.message.as_str()).elements(Vec::<annotate_snippets::Element<'_>>::new());
        if let Some(origin) = self.origin {
            let text = sources.text(origin.source);
            let span = span(origin, text);
            let mut snippet = Snippet::source(text)
                .path(sources.name(origin.source))
                .annotation(AnnotationKind::Primary.span(span).label(self.label.as_str()));
            let mut other = None;
            if let Some((also, label)) = &self.also {
                let text = sources.text(also.source);
                let annotation = AnnotationKind::Context.span(self::span(*also, text)).label(label.as_str());
                if also.source == origin.source {
                    snippet = snippet.annotation(annotation);
                } else {
                    other = Some(Snippet::source(text).path(sources.name(also.source)).annotation(annotation));
                }
            }
            group = group.element(snippet);
            if let Some(other) = other {
                group = group.element(other);
            }
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
