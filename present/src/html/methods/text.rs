//! Text with citations, whose list of references has exactly what it cites.

use crate::references::{Reference, find};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Paragraphs. In them, "@wilson1927" cites the reference with this key.
#[derive(Clone, Debug)]
pub(super) struct Text(pub Vec<String>);

#[derive(Clone, Copy, Debug)]
enum Piece<'a> {
    Words(&'a str),
    Name(&'a str),
    Citation(&'static Reference),
}

/// Marker before and after a name.
const NAME: char = '\u{1}';

/// Returns the name of an operator set with its markers.
pub(super) fn name(name: &str) -> String {
    format!("{NAME}{name}{NAME}")
}

fn pieces(paragraph: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (place, part) in paragraph.split(NAME).enumerate() {
        if place % 2 == 1 {
            pieces.push(Piece::Name(part));
            continue;
        }
        for (place, part) in part.split('@').enumerate() {
            let end = part.find(|letter: char| !letter.is_ascii_alphanumeric());
            let (key, rest) = part.split_at(end.unwrap_or(part.len()));
            pieces.extend(match find(key) {
                Some(reference) if place > 0 => [Piece::Citation(reference), Piece::Words(rest)],
                _ => [Piece::Words(if place > 0 { "@" } else { "" }), Piece::Words(part)],
            });
        }
    }
    pieces
}

impl Text {
    fn paragraphs(&self) -> impl Iterator<Item = Vec<Piece<'_>>> {
        self.0.iter().filter(|paragraph| !paragraph.is_empty()).map(|words| pieces(words))
    }

    /// Returns the cited references by their citations.
    pub(super) fn cited(&self) -> BTreeMap<String, &'static Reference> {
        let cited = self.paragraphs().flatten().filter_map(|piece| match piece {
            Piece::Citation(reference) => Some((reference.citation(), reference)),
            Piece::Words(_) | Piece::Name(_) => None,
        });
        cited.collect()
    }

    /// Returns the text as HTML; its ids begin with `prefix`.
    pub(super) fn markup(&self, prefix: &str) -> Markup {
        let cited = self.cited();
        let id = |reference: &Reference| format!("{prefix}reference-{}", reference.key);
        html! {
            @for paragraph in self.paragraphs() {
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

    /// Returns the plain text, a line per paragraph.
    pub(super) fn plain(&self) -> String {
        let words = |piece: &Piece<'_>| match piece {
            Piece::Words(words) | Piece::Name(words) => (*words).to_owned(),
            Piece::Citation(reference) => reference.citation(),
        };
        let paragraph = |pieces: Vec<Piece<'_>>| pieces.iter().map(words).collect::<String>();
        self.paragraphs().map(paragraph).collect::<Vec<_>>().join("\n")
    }
}
