//! Question of an experiment: the comments at the head of its file.

use super::heading;
use maud::{Markup, html};

/// A heading with its paragraphs. The first part may have no heading.
#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    heading: String,
    paragraphs: Vec<String>,
}

/// Writes the comments before the file's first key. `alone` is true if the page has one experiment.
pub(super) fn question(config: &str, alone: bool) -> Markup {
    let parts = parts(config);
    html! {
        @for part in &parts {
            @if !part.heading.is_empty() {
                (heading(&part.heading, None, alone))
            }
            @for paragraph in &part.paragraphs { p { (paragraph) } }
        }
    }
}

/// Returns the question in words: the paragraphs under the heading "Question", or else the first
/// ones. `None` if the file begins with no comment.
pub(crate) fn question_words(config: &str) -> Option<String> {
    let parts = parts(config);
    let asked = parts.iter().find(|part| part.heading == "Question").or(parts.first())?;
    Some(asked.paragraphs.join(" ")).filter(|words| !words.is_empty())
}

/// Divides the comments into parts. A line without indent is a heading if the next line is
/// indented. All other lines are paragraphs.
fn parts(config: &str) -> Vec<Part> {
    // Directives for editors and shells, such as `#:schema …`, are not for readers.
    let is_directive = |line: &str| line.starts_with("#:") || line.starts_with("#!");
    let before = |line: &&str| is_directive(line) || line.trim().is_empty();
    let lines = config.lines().skip_while(before).filter(|line| !is_directive(line));
    let comments = lines.map_while(|line| line.trim_end().strip_prefix('#'));
    let mut parts: Vec<Part> = Vec::new();
    let mut open = false;
    let lines: Vec<&str> = comments.collect();
    for (place, line) in lines.iter().enumerate() {
        let words = line.trim();
        if words.is_empty() {
            open = false;
            continue;
        }
        let indented = |line: &str| line.starts_with("   ") || line.starts_with('\t');
        let heads = !indented(line) && lines.get(place + 1).is_some_and(|next| indented(next));
        if heads {
            parts.push(Part { heading: words.to_owned(), paragraphs: Vec::new() });
            open = false;
            continue;
        }
        if parts.is_empty() {
            parts.push(Part::default());
        }
        let Some(part) = parts.last_mut() else { continue };
        match part.paragraphs.last_mut().filter(|_| open) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(words);
            }
            None => part.paragraphs.push(words.to_owned()),
        }
        open = true;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_stand_above_what_is_indented() {
        let found = parts(
            "# Question\n#   How often,\n#   and how soon?\n#\n#   Really?\n# Source\n#   A \
            book.\n\nseed = 1\n# not this\n",
        );
        let part = |heading: &str, paragraphs: &[&str]| Part {
            heading: heading.to_owned(),
            paragraphs: paragraphs.iter().map(|words| (*words).to_owned()).collect(),
        };
        assert_eq!(
            found,
            [
                part("Question", &["How often, and how soon?", "Really?"]),
                part("Source", &["A book."])
            ]
        );
        assert_eq!(
            parts("# Just words\n# of mine.\nseed = 1"),
            [part("", &["Just words of mine."])]
        );
        assert_eq!(parts("seed = 1"), []);
        let part = [part("", &["Just words."])];
        assert_eq!(parts("#:schema ./runner.schema.json\n\n# Just words.\nseed = 1"), part);
        assert_eq!(parts("#!/usr/bin/env runner\n# Just\n#:schema x\n# words.\n"), part);
        assert_eq!(parts("#:schema x\nseed = 1\n# not this\n"), []);
    }

    #[test]
    fn the_question_is_told_in_words() {
        let config = "# Source\n#   A book.\n# Question\n#   How often?\n#\n#   How soon?\n";
        assert_eq!(question_words(config).as_deref(), Some("How often? How soon?"));
        assert_eq!(question_words("# Just words.\nseed = 1").as_deref(), Some("Just words."));
        assert_eq!(question_words("seed = 1\n# not this"), None);
    }
}
