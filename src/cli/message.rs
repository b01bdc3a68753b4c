//! Messages that a command writes to standard error, as text for readers or as JSON lines for
//! programs. The whole process uses one form.

use crate::system::notice::{Level, Notice};
use crate::system::output::{tell, tell_exactly};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether messages are JSON lines.
static JSON_LINES: AtomicBool = AtomicBool::new(false);

/// Makes each later message a JSON object on a separate line, including that of a panic.
pub(super) fn use_json_lines() {
    JSON_LINES.store(true, Ordering::Relaxed);
    std::panic::set_hook(Box::new(|panic| show(&Notice::new(Level::Error, panic.to_string()))));
}

pub(super) fn are_json_lines() -> bool {
    JSON_LINES.load(Ordering::Relaxed)
}

/// Returns whether a command line asks for JSON lines, even if the rest of it is wrong.
pub(super) fn asks_for_json_lines<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> bool {
    let mut before = None;
    words.into_iter().any(|word| {
        let is_value = before.replace(word.as_ref() == "--progress") == Some(true);
        word.as_ref() == "--progress=json" || (is_value && word.as_ref() == "json")
    })
}

/// Shows a notice. Readers also see the word of its level.
pub(super) fn show(notice: &Notice) {
    if are_json_lines() { show_object(&object(notice)) } else { tell(&line(notice)) }
}

/// Shows a notice. Readers do not see the word of its level.
pub(super) fn show_plainly(notice: &Notice) {
    if are_json_lines() {
        show_object(&object(notice));
    } else {
        tell(&format!("{}\n", notice.message));
    }
}

/// Shows a notice that counts errors. Readers do not see the word of its level.
pub(super) fn show_count(notice: &Notice, errors: u64) {
    if are_json_lines() {
        let mut object = object(notice);
        object["errors"] = errors.into();
        show_object(&object);
    } else {
        tell(&format!("{}\n", notice.message));
    }
}

/// Writes a JSON object on a separate line.
pub(super) fn show_object(object: &Value) {
    tell_exactly(&object.to_string());
}

/// Returns the line that [`show`] writes.
pub(super) fn line(notice: &Notice) -> String {
    if are_json_lines() { format!("{}\n", object(notice)) } else { format!("{notice}\n") }
}

/// Returns a notice as an event.
pub(super) fn object(Notice { level, message }: &Notice) -> Value {
    json!({ "event": event(*level), "message": message })
}

/// Returns the event name of a level.
pub(super) fn event(level: Level) -> &'static str {
    match level {
        Level::Info | Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// Shows information about progress.
macro_rules! message {
    ($($words:tt)*) => { show_at!(Info, $($words)*) };
}

/// Shows a note.
macro_rules! note {
    ($($words:tt)*) => { show_at!(Note, $($words)*) };
}

/// Shows a warning.
macro_rules! warning {
    ($($words:tt)*) => { show_at!(Warning, $($words)*) };
}

/// Shows an error that does not end the command.
macro_rules! fault {
    ($($words:tt)*) => { show_at!(Error, $($words)*) };
}

macro_rules! show_at {
    ($level:ident, $($words:tt)*) => {
        $crate::cli::message::show(&$crate::system::notice::Notice::new(
            $crate::system::notice::Level::$level,
            format!($($words)*),
        ))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_are_asked_for_in_two_ways() {
        let asked = |line: &str| asks_for_json_lines(line.split(' '));
        assert!(asked("runner x.toml --progress json") && asked("runner --progress=json --jobs x"));
        assert!(!asked("runner json --progress plain") && !asked("runner --progress x json"));
    }

    #[test]
    fn readers_see_the_level_and_programs_the_event() {
        let notice = Notice::new(Level::Warning, "two\nlines");
        assert_eq!(line(&notice), "warning: two\nlines\n");
        let expected = r#"{"event":"warning","message":"two\nlines"}"#;
        assert_eq!(object(&notice).to_string(), expected);
    }
}
