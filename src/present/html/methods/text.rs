//! A text that cites: its list of references is what it cites.

use crate::present::references::{Reference, find};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Paragraphs of words, names and citations.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    paragraphs: Vec<Vec<Piece>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Words(String),
    /// Of an arm or an operator set.
    Name(String),
    Citation(&'static Reference),
}

impl Text {
    pub(super) fn paragraph(&mut self) {
        if self.paragraphs.last().is_none_or(|last| !last.is_empty()) {
            self.paragraphs.push(Vec::new());
        }
    }

    fn put(&mut self, piece: Piece) {
        if self.paragraphs.is_empty() {
            self.paragraphs.push(Vec::new());
        }
        let last = self.paragraphs.last_mut().expect("there is one");
        match (last.last_mut(), piece) {
            (Some(Piece::Words(before)), Piece::Words(words)) => before.push_str(&words),
            (_, piece) => last.push(piece),
        }
    }

    /// Adds words, in which "@wilson1927" cites the reference with this key.
    pub(super) fn say(&mut self, words: impl AsRef<str>) {
        let mut parts = words.as_ref().split('@');
        self.put(Piece::Words(parts.next().unwrap_or_default().to_owned()));
        for part in parts {
            let end = part.find(|letter: char| !letter.is_ascii_alphanumeric());
            let (key, rest) = part.split_at(end.unwrap_or(part.len()));
            if let Some(reference) = find(key) {
                self.put(Piece::Citation(reference));
                self.put(Piece::Words(rest.to_owned()));
            } else {
                self.put(Piece::Words(format!("@{part}")));
            }
        }
    }

    pub(super) fn name(&mut self, name: &str) {
        self.put(Piece::Name(name.to_owned()));
    }

    /// Returns what the text cites, by how it cites it.
    pub(super) fn cited(&self) -> BTreeMap<String, &'static Reference> {
        let cited = self.paragraphs.iter().flatten().filter_map(|piece| match piece {
            Piece::Citation(reference) => Some((reference.citation(), *reference)),
            Piece::Words(_) | Piece::Name(_) => None,
        });
        cited.collect()
    }

    /// Returns the text as HTML, with ids that begin so.
    pub(super) fn markup(&self, prefix: &str) -> Markup {
        let cited = self.cited();
        let id = |reference: &Reference| format!("{prefix}reference-{}", reference.key);
        html! {
            @for paragraph in &self.paragraphs {
                p {
                    @for piece in paragraph {
                        @match piece {
                            Piece::Words(words) => (words),
                            Piece::Name(name) => em { (name) },
                            Piece::Citation(reference) => {
                                a.citation href=(format!("#{}", id(reference))) {
                                    (reference.citation())
                                }
                            }
                        }
                    }
                }
            }
            @if !cited.is_empty() {
                p { strong { "References" } }
                ul.references {
                    @for reference in cited.values() {
                        li id=(id(reference)) { (reference.text()) }
                    }
                }
                @let entries: Vec<&str> = cited.values().map(|one| one.bibtex).collect();
                details {
                    summary { "References as BibTeX" }
                    pre tabindex="0" { code { (entries.join("\n\n")) } }
                }
            }
        }
    }

    /// Returns the words alone.
    #[cfg(test)]
    pub(super) fn plain(&self) -> String {
        let words = |piece: &Piece| match piece {
            Piece::Words(words) | Piece::Name(words) => words.clone(),
            Piece::Citation(reference) => reference.citation(),
        };
        self.paragraphs
            .iter()
            .map(|pieces| pieces.iter().map(words).collect::<String>())
            .collect::<Vec<_>>()
            .join("\n")
    }
}
