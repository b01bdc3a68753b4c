//! A text that cites: what it cites is what its list of references has.

use super::references::{Reference, find, of_source};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Paragraphs of words, and what they cite.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    paragraphs: Vec<Vec<Piece>>,
    /// How the list has it, by how the text cites it.
    cited: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Words(String),
    /// Of an arm or an operator set.
    Name(String),
    Citation(String),
}

impl Text {
    pub(crate) fn paragraph(&mut self) {
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

    pub(crate) fn say(&mut self, words: impl AsRef<str>) {
        self.put(Piece::Words(words.as_ref().to_owned()));
    }

    pub(crate) fn name(&mut self, name: &str) {
        self.put(Piece::Name(name.to_owned()));
    }

    /// " (Wilson 1927; Newcombe 1998)". A key without a reference stands for itself.
    pub(crate) fn cite(&mut self, keys: &[&str]) {
        self.say(" (");
        self.citations(keys);
        self.say(")");
    }

    /// "Wilson 1927; Newcombe 1998", for parentheses that hold more.
    pub(crate) fn citations(&mut self, keys: &[&str]) {
        for (place, key) in keys.iter().enumerate() {
            if place > 0 {
                self.say("; ");
            }
            let text = find(key).map_or_else(|| format!("{key}."), Reference::text);
            self.cited.insert((*key).to_owned(), text);
            self.put(Piece::Citation((*key).to_owned()));
        }
    }

    /// The keys of an operator's source; what the list does not know stands for itself.
    pub(crate) fn keys_of(source: &str) -> Vec<String> {
        if ["-", "the plugin", ""].contains(&source) {
            return Vec::new();
        }
        let found = of_source(source);
        if found.is_empty() {
            vec![source.to_owned()]
        } else {
            found.into_iter().map(Reference::key).collect()
        }
    }

    /// With ids that begin so.
    pub(crate) fn markup(&self, prefix: &str) -> Markup {
        let id = |key: &str| {
            let place = self.cited.keys().position(|cited| cited == key).unwrap_or_default();
            format!("{prefix}reference-{}", place + 1)
        };
        html! {
            @for paragraph in &self.paragraphs {
                p {
                    @for piece in paragraph {
                        @match piece {
                            Piece::Words(words) => (words),
                            Piece::Name(name) => em { (name) },
                            Piece::Citation(key) => {
                                a.citation href=(format!("#{}", id(key))) { (key) }
                            }
                        }
                    }
                }
            }
            @if !self.cited.is_empty() {
                p { strong { "References" } }
                ul.references {
                    @for (key, text) in &self.cited { li id=(id(key)) { (text) } }
                }
            }
        }
    }

    /// The words alone.
    #[cfg(test)]
    pub(crate) fn plain(&self) -> String {
        let words = |piece: &Piece| match piece {
            Piece::Words(words) | Piece::Name(words) | Piece::Citation(words) => words.clone(),
        };
        self.paragraphs
            .iter()
            .map(|pieces| pieces.iter().map(words).collect::<String>())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// What the list has, by its keys.
    #[cfg(test)]
    pub(crate) fn cited(&self) -> &BTreeMap<String, String> {
        &self.cited
    }
}
