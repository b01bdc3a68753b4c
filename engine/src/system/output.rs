//! Output: the one place that writes to the standard streams.
//!
//! A stream that takes nothing any more must not end a run: what standard error does not take is
//! dropped, and so is what a closed pipe does not take (its reader, such as `head`, has seen
//! enough). What else goes wrong with standard output, such as a full disk, is kept for [`finish`],
//! which makes it the end of a command whose product that is.
//!
//! Texts may come from plugins, configs and results of strangers. For readers they are printed as
//! [`visible`] makes them, so that none of them drives the terminal.

use super::streams::Stream;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, LineWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Standard output: by lines, as terminals and pipes have it.
static OUT: Mutex<Option<LineWriter<Stream>>> = Mutex::new(None);
/// The first thing that went wrong with standard output, but for a closed pipe.
static FAULT: Mutex<Option<io::Error>> = Mutex::new(None);
/// Nobody reads standard output any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Prints text for readers to standard output.
pub fn put(text: &str) {
    noted(to_output(|out| out.write_all(visible(text).as_bytes())));
}

/// Prints text for programs to standard output: as it is, unless that is a terminal.
pub fn put_exactly(text: &str) {
    noted(Exactly::default().write_all(text.as_bytes()));
}

/// Prints text with colours, for readers, to standard output: they stay, all else is as [`put`]
/// does it.
pub fn put_coloured(text: &str) {
    noted(to_output(|out| out.write_all(visible_but_colours(text).as_bytes())));
}

/// Prints text for readers to standard error, as far as that takes it.
pub fn tell(text: &str) {
    to_error(&visible(text));
}

/// As [`tell`], with the colours that the text has.
pub fn tell_coloured(text: &str) {
    to_error(&visible_but_colours(text));
}

/// Prints a line for programs to standard error: as it is, unless that is a terminal.
pub fn tell_exactly(line: &str) {
    let line = if Stream::Error.is_terminal() { visible(line) } else { line.into() };
    to_error(&format!("{line}\n"));
}

/// Prints what drives the terminal that standard error is: bars.
pub fn draw(text: &str) {
    to_error(text);
}

fn to_output<R>(act: impl FnOnce(&mut LineWriter<Stream>) -> R) -> R {
    let mut out = OUT.lock().unwrap_or_else(PoisonError::into_inner);
    act(out.get_or_insert_with(|| LineWriter::new(Stream::Output)))
}

fn to_error(text: &str) {
    /// Texts of two threads do not mix.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _held = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody is left who could be told of an error.
    _ = Stream::Error.write_all(text.as_bytes());
}

/// Whether nobody reads standard output any more: then a command that only prints can end.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Writes out what is still held back of standard output. What was lost on the way, if anything
/// was.
///
/// # Errors
/// The first fault of standard output since the program began, unless it was a closed pipe.
pub fn finish() -> io::Result<()> {
    noted(to_output(LineWriter::flush));
    FAULT.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

fn noted(written: io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        CLOSED.store(true, Ordering::Relaxed);
    } else {
        FAULT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Standard output for programs, as a stream: as it is, unless it is a terminal.
#[derive(Debug, Default)]
pub struct Exactly {
    /// On a terminal: the bytes of the line that is being written.
    line: Vec<u8>,
}

impl Write for Exactly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !Stream::Output.is_terminal() {
            return to_output(|out| out.write(bytes));
        }
        // Line by line: a character may come in two pieces, a line feed cannot.
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') {
            let whole: Vec<u8> = self.line.drain(..=end).collect();
            let whole = String::from_utf8_lossy(&whole);
            to_output(|out| out.write_all(visible(&whole).as_bytes()))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        to_output(|out| {
            out.write_all(visible(&String::from_utf8_lossy(&rest)).as_bytes())?;
            out.flush()
        })
    }
}

impl Drop for Exactly {
    fn drop(&mut self) {
        noted(self.flush());
    }
}

/// Whether a terminal takes the character as a command, or as an order to show others in another
/// place: control characters but for line feed and tab, and those that set the direction of writing
/// (Boucher and Anderson 2023, Trojan Source).
fn is_command(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

/// The text as a terminal can show it: what would drive it stands as its number, such as `\u001b`.
/// In JSON that means the same as the character.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_command) { shown(text, is_command).into() } else { text.into() }
}

/// As [`visible`], on one line: for labels, and cells of tables.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    let breaks = |character: char| is_command(character) || character.is_control();
    if text.contains(breaks) { shown(text, breaks).into() } else { text.into() }
}

fn shown(text: &str, hidden: impl Fn(char) -> bool) -> String {
    let mut visible = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if hidden(character) {
            // All of them have four digits.
            write!(visible, "\\u{:04x}", u32::from(character))
                .expect("a String takes all that is written to it");
        } else {
            visible.push(character);
        }
    }
    visible
}

/// As [`visible`], but for colours and other faces of letters (SGR sequences: ESC [ numbers m).
fn visible_but_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut visible = visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let colour = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let colour = colour.filter(|(numbers, _)| {
            numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';')
        });
        match colour {
            Some((numbers, rest)) => {
                visible.push_str(&format!("\u{1b}[{numbers}m"));
                visible.push_str(&self::visible(rest));
            }
            None => {
                visible.push_str("\\u001b");
                visible.push_str(&self::visible(part));
            }
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_a_terminal_are_shown_and_not_obeyed() {
        assert_eq!(visible("plain, ♕ and é:\n\tas it is"), "plain, ♕ and é:\n\tas it is");
        assert_eq!(
            visible("\u{1b}]0;title\u{7}\r\u{9b}2J"),
            "\\u001b]0;title\\u0007\\u000d\\u009b2J"
        );
        assert_eq!(visible("a\u{202e}b\u{2066}c\u{200f}"), "a\\u202eb\\u2066c\\u200f");
        assert_eq!(visible_line("two\nlines\tof"), "two\\u000alines\\u0009of");
    }

    #[test]
    fn colours_stay_where_there_are_to_be_some() {
        assert_eq!(visible_but_colours("\u{1b}[1;31mred\u{1b}[0m"), "\u{1b}[1;31mred\u{1b}[0m");
        assert_eq!(visible_but_colours("a\u{1b}[2Jb\u{1b}[31"), "a\\u001b[2Jb\\u001b[31");
        assert_eq!(visible_but_colours("\u{1b}[?1049m\u{1b}"), "\\u001b[?1049m\\u001b");
    }

    #[test]
    fn json_means_the_same_when_it_is_visible() {
        let text = "a\u{9b}b\u{202e}c";
        let json = serde_json::to_string(text).expect("a text is JSON");
        assert_eq!(serde_json::from_str::<String>(&visible(&json)).expect("still JSON"), text);
    }
}
