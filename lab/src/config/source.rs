//! Sources: the texts that a config comes from, and spans in them.

use annotate_snippets::Snippet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Span in a source: the source and bytes of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Number of the source text.
    pub source: usize,
    /// Byte at which the span begins.
    pub start: usize,
    /// Byte after the span.
    pub end: usize,
}

/// The texts that nodes come from: files, flags, presets.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<Text>,
    /// Folders of files that others name, by the number of the source.
    folders: BTreeMap<usize, PathBuf>,
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

    /// Adds the text of a file that another one extends, or takes presets from. Its paths are
    /// relative to its folder.
    pub(super) fn add_extended(&mut self, path: &Path, text: impl Into<String>) -> usize {
        let source = self.add(path.display().to_string(), text);
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        self.folders.insert(source, folder);
        source
    }

    /// Returns the folders of files that others name, by the number of the source.
    pub(super) fn folders(&self) -> &BTreeMap<usize, PathBuf> {
        &self.folders
    }

    /// Adds the text of a table of values that the source `namer` names. Its paths are relative to
    /// the folder of that source.
    pub(super) fn add_table(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        namer: usize,
    ) -> usize {
        let source = self.add(name, text);
        self.texts[source].is_table = true;
        if let Some(folder) = self.folders.get(&namer).cloned() {
            self.folders.insert(source, folder);
        }
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
    pub(super) fn snippet<'a, T: Clone>(
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

/// Bytes to underline: at least one where there is text, within the text, on whole characters.
pub(super) fn span(origin: Origin, text: &str) -> Range<usize> {
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

    #[test]
    fn the_renderer_is_given_a_few_lines() {
        let text = "x = 0\n".repeat(1_000);
        assert_eq!(lines_around(&text, 600..601), 594..612);
        assert_eq!(lines_around(&text, 0..1), 0..12);
        assert_eq!(lines_around(&text, 6_000..6_000), 5_994..6_000);
        assert_eq!(lines_around("", 0..0), 0..0);
    }
}
