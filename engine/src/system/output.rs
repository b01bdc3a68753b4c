//! Output: the single module that writes to the standard streams.
//!
//! A stream that cannot be written must not end a run. Text that standard error does not accept is
//! dropped. Text that a closed pipe does not accept is also dropped, because its reader, such as
//! `head`, has read enough. Any other fault of standard output, such as a full disk, is kept for
//! [`finish`]. A command whose product is standard output then fails with this fault.
//!
//! Text may come from untrusted plugins, configs and results. For human readers it is printed as
//! [`visible`] returns it, so that no text controls the terminal.

use super::streams::Stream;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, LineWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output, buffered by line, as terminals and pipes expect.
static OUT: Mutex<Option<LineWriter<Stream>>> = Mutex::new(None);
/// First fault of standard output, except a closed pipe.
static FAULT: Mutex<Option<io::Error>> = Mutex::new(None);
/// Whether standard output has no reader any more.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Prints text for readers to standard output.
pub fn put(text: &str) {
    noted(to_output(|out| out.write_all(visible(text).as_bytes())));
}

/// Prints text for programs to standard output. The text is unchanged unless standard output is a
/// terminal.
pub fn put_exactly(text: &str) {
    noted(Exactly::default().write_all(text.as_bytes()));
}

/// Prints coloured text for readers to standard output. Colours are kept; all other text is printed
/// as by [`put`].
pub fn put_coloured(text: &str) {
    noted(to_output(|out| out.write_all(visible_but_colours(text).as_bytes())));
}

/// Prints text for readers to standard error. Text that cannot be written is dropped.
pub fn tell(text: &str) {
    to_error(&visible(text));
}

/// Prints text for readers to standard error, as [`tell`] does, but keeps its colours.
pub fn tell_coloured(text: &str) {
    to_error(&visible_but_colours(text));
}

/// Prints a line for programs to standard error. The line is unchanged unless standard error is a
/// terminal.
pub fn tell_exactly(line: &str) {
    let line = if Stream::Error.is_terminal() { visible(line) } else { line.into() };
    to_error(&format!("{line}\n"));
}

/// Prints text unchanged to standard error, including commands to the terminal, for progress bars.
pub fn draw(text: &str) {
    to_error(text);
}

fn to_output<R>(act: impl FnOnce(&mut LineWriter<Stream>) -> R) -> R {
    let mut out = OUT.lock();
    act(out.get_or_insert_with(|| LineWriter::new(Stream::Output)))
}

fn to_error(text: &str) {
    /// Lock that keeps the texts of two threads separate.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _held = ONE_AT_A_TIME.lock();
    // Errors are ignored because there is no other stream to report them to.
    _ = Stream::Error.write_all(text.as_bytes());
}

/// Returns whether standard output has no reader any more. A command that only prints can then end.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Writes out the buffer of standard output, and reports whether any output was lost.
///
/// # Errors
/// Returns the first fault of standard output since the program began, unless it was a closed pipe.
pub fn finish() -> io::Result<()> {
    noted(to_output(LineWriter::flush));
    FAULT.lock().take().map_or(Ok(()), Err)
}

fn noted(written: io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        CLOSED.store(true, Ordering::Relaxed);
    } else {
        FAULT.lock().get_or_insert(error);
    }
}

/// Writer of standard output for programs. Bytes are unchanged unless standard output is a
/// terminal.
#[derive(Debug, Default)]
pub struct Exactly {
    /// Bytes of the unfinished line, if standard output is a terminal.
    line: Vec<u8>,
}

impl Write for Exactly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !Stream::Output.is_terminal() {
            return to_output(|out| out.write(bytes));
        }
        // Whole lines are printed because a character may arrive in two pieces, but a line feed
        // cannot.
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

/// Returns whether a terminal interprets the character as a command. These are control characters,
/// except line feed and tab. Characters that set the direction of writing are also included
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

/// Returns the text with each command to the terminal replaced by its number, such as `\u001b`. In
/// JSON, the number means the same as the character.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_command) { shown(text, is_command).into() } else { text.into() }
}

/// Returns the text as [`visible`] does, but on one line, for labels and table cells.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    let breaks = |character: char| is_command(character) || character.is_control();
    if text.contains(breaks) { shown(text, breaks).into() } else { text.into() }
}

fn shown(text: &str, hidden: impl Fn(char) -> bool) -> String {
    let mut visible = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if hidden(character) {
            // All hidden characters have at most four hex digits.
            write!(visible, "\\u{:04x}", u32::from(character))
                .expect("a String takes all that is written to it");
        } else {
            visible.push(character);
        }
    }
    visible
}

/// Returns the text as [`visible`] does, but keeps colours and text styles (SGR sequences: ESC [
/// numbers m).
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
