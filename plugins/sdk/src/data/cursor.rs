//! Cursors: words, numbers and lines of a text, with the line of each in messages.

use std::ops::RangeInclusive;

/// Place in a text of data. Words are separated by spaces and ends of lines.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    name: &'a str,
    rest: &'a str,
    /// Line of the rest, from 1.
    line: usize,
    /// Line of what was read last.
    read: usize,
}

/// Longest part of a word in a message, in characters.
const SHOWN: usize = 40;

impl<'a> Cursor<'a> {
    /// Makes a cursor at the beginning of a text that messages call `name`.
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        Cursor { name, rest: text.trim_start_matches('\u{feff}'), line: 1, read: 1 }
    }

    /// Returns a message about what was read last: file, line, fault.
    #[must_use]
    pub fn fault(&self, message: impl std::fmt::Display) -> String {
        format!("{}, line {}: {message}", self.name, self.read)
    }

    /// Skips spaces and ends of lines.
    fn skip(&mut self) {
        let words = self.rest.trim_start();
        let skipped = &self.rest[..self.rest.len() - words.len()];
        self.line += skipped.matches('\n').count();
        self.rest = words;
    }

    /// Returns the next word; `None` at the end of the text.
    pub fn word(&mut self) -> Option<&'a str> {
        self.skip();
        self.read = self.line;
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }

    /// Returns the next word without going beyond it; `None` at the end of the text.
    #[must_use]
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().word()
    }

    /// Returns the rest of the line without spaces around it; `None` at the end of the text.
    pub fn line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.read = self.line;
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.line += 1;
        Some(line.trim())
    }

    /// Skips lines that begin with `sign`, and empty ones.
    pub fn skip_comments(&mut self, sign: &str) {
        self.skip();
        while self.rest.starts_with(sign) {
            self.line();
            self.skip();
        }
    }

    /// Returns the next word as an integer. `what` names it in messages, as in "the number of
    /// jobs".
    ///
    /// # Errors
    /// Returns a message if the text ends, or the word is no integer of the range.
    pub fn integer(&mut self, what: &str, range: RangeInclusive<i64>) -> Result<i64, String> {
        let word = self.expect(what)?;
        match word.parse::<i64>() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (low, high) = range.into_inner();
                let rule = format!("an integer from {low} to {high}");
                Err(self.fault(format!("{what} is `{}`, but must be {rule}", shown(word))))
            }
        }
    }

    /// Returns the next word as a count or an index, as [`integer`](Self::integer) does.
    ///
    /// # Errors
    /// Returns a message if the text ends, or the word is no integer of the range.
    pub fn count(&mut self, what: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
        let (low, high) = range.into_inner();
        self.integer(what, low as i64..=high as i64).map(|count| count as usize)
    }

    /// Returns the next word as a number.
    ///
    /// # Errors
    /// Returns a message if the text ends, or the word is no number of the range.
    pub fn real(&mut self, what: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
        let word = self.expect(what)?;
        match word.parse::<f64>() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (low, high) = range.into_inner();
                let rule = format!("a number from {low} to {high}");
                Err(self.fault(format!("{what} is `{}`, but must be {rule}", shown(word))))
            }
        }
    }

    /// Checks that nothing but spaces follows.
    ///
    /// # Errors
    /// Returns a message with the first word that follows. `whole` says what was read.
    pub fn end(&mut self, whole: &str) -> Result<(), String> {
        match self.word() {
            None => Ok(()),
            Some(word) => Err(self.fault(format!(
                "`{}` follows after {whole}; correct the counts, or remove it",
                shown(word)
            ))),
        }
    }

    /// Returns the next word.
    ///
    /// # Errors
    /// Returns a message if the text ends.
    pub fn expect(&mut self, what: &str) -> Result<&'a str, String> {
        self.word().ok_or_else(|| self.fault(format!("the file ends before {what}")))
    }
}

/// Returns the beginning of a word.
fn shown(word: &str) -> String {
    match word.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines_know_their_place() {
        let mut cursor = Cursor::new("x.txt", "\u{feff}NAME : a b\n\n 3 -4\r\n1e3");
        assert_eq!(cursor.peek(), Some("NAME"));
        assert_eq!(cursor.line(), Some("NAME : a b"));
        assert_eq!(cursor.integer("the size", 1..=9), Ok(3));
        let error = cursor.integer("the time", 0..=9).expect_err("below 0");
        assert_eq!(error, "x.txt, line 3: the time is `-4`, but must be an integer from 0 to 9");
        assert_eq!(cursor.real("the weight", 0.0..=1e4), Ok(1000.0));
        assert_eq!(cursor.fault("x"), "x.txt, line 4: x");
        let error = cursor.count("the size", 1..=9).expect_err("the end");
        assert_eq!(error, "x.txt, line 4: the file ends before the size");
        assert_eq!((cursor.end("all"), cursor.line()), (Ok(()), None));
    }

    #[test]
    fn long_words_are_cut_and_what_follows_is_named() {
        let text = format!("{} y", "9".repeat(50));
        let mut cursor = Cursor::new("x", &text);
        let error = cursor.integer("n", 1..=5).expect_err("too large");
        assert!(error.contains(&format!("`{}…`", "9".repeat(40))), "{error}");
        let error = cursor.end("1 number").expect_err("a word is left");
        assert!(error.contains("`y` follows after 1 number"), "{error}");
        for word in ["nan", "inf", "1e16", "x"] {
            assert!(Cursor::new("x", word).real("w", -1e9..=1e9).is_err(), "{word}");
        }
    }
}
