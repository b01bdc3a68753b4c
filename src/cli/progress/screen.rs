//! Screen: the terminal behind standard error, on which bars are drawn.

use crate::system::output::draw;
use crate::system::streams::Stream;
use indicatif::{ProgressDrawTarget, TermLike};
use parking_lot::{Mutex, MutexGuard};
use std::io;

/// Default numbers of rows and columns.
const USUAL: (u16, u16) = (24, 80);

/// Returns the target for bars, with at most `redraws` redraws per second. It is hidden if there is
/// no terminal that supports drawing.
pub(super) fn target(redraws: u8) -> ProgressDrawTarget {
    let size = || Stream::Error.size().unwrap_or(USUAL);
    match Stream::Error.is_terminal() && !console::is_dumb() {
        true => Screen::target(redraws, draw, size),
        false => ProgressDrawTarget::hidden(),
    }
}

/// Moves the cursor to the line below the bars. Text that a terminal echoes there, such as the
/// user's `^C`, does not move the bars.
const TO_OWN_LINE: &str = "\n";
/// Clears the cursor's line, and returns to the last bar.
const TO_BARS: &str = "\r\u{1b}[2K\u{1b}[1A";

#[derive(Debug)]
struct Screen {
    drawn: Mutex<Drawn>,
    write: fn(&str),
    size: fn() -> (u16, u16),
}

/// Buffer of a redraw. A redraw is written at once when it is complete, to avoid flicker.
#[derive(Debug, Default)]
struct Drawn {
    text: String,
    /// Whether there is anything on the last line of the bars.
    has_bars: bool,
    /// Whether the cursor is on the line below the bars.
    below: bool,
}

impl Screen {
    fn target(redraws: u8, write: fn(&str), size: fn() -> (u16, u16)) -> ProgressDrawTarget {
        let screen = Screen { drawn: Mutex::default(), write, size };
        ProgressDrawTarget::term_like_with_hz(Box::new(screen), redraws)
    }

    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        let mut drawn = self.drawn.lock();
        if std::mem::take(&mut drawn.below) {
            drawn.text.push_str(TO_BARS);
        }
        drawn
    }

    /// Moves the cursor by `places` with a control sequence of ECMA-48.
    fn go(&self, places: usize, direction: char) -> io::Result<()> {
        if places > 0 {
            self.drawn().text.push_str(&format!("\u{1b}[{places}{direction}"));
        }
        Ok(())
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        (self.size)().1
    }

    fn height(&self) -> u16 {
        (self.size)().0
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.go(lines, 'A')
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.go(lines, 'B')
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.go(columns, 'C')
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.go(columns, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        let mut drawn = self.drawn();
        drawn.text.push_str(text);
        drawn.text.push('\n');
        drawn.has_bars = false;
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let mut drawn = self.drawn();
        drawn.text.push_str(text);
        drawn.has_bars |= !text.trim_start_matches('\r').is_empty();
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        let mut drawn = self.drawn();
        drawn.text.push_str("\r\u{1b}[2K");
        drawn.has_bars = false;
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut drawn = self.drawn.lock();
        if drawn.text.is_empty() {
            return Ok(());
        }
        if drawn.has_bars {
            drawn.text.push_str(TO_OWN_LINE);
            drawn.below = true;
        }
        (self.write)(&drawn.text);
        drawn.text.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

    /// Text written to the terminal. Only one test uses it.
    static WRITTEN: Mutex<String> = Mutex::new(String::new());
    const COLUMNS: usize = 20;

    fn written() -> MutexGuard<'static, String> {
        WRITTEN.lock()
    }

    /// Returns a terminal's lines after it was written to. The cursor leaves a full line only with
    /// the next letter.
    fn lines(written: &str) -> Vec<String> {
        let mut lines: Vec<Vec<char>> = vec![Vec::new()];
        let (mut row, mut column) = (0, 0);
        let mut rest = written;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            match letter {
                '\u{1b}' => {
                    let end = rest.find(|c: char| c.is_ascii_alphabetic()).expect("a command");
                    let places = rest[1..end].parse().unwrap_or(1);
                    match &rest[end..=end] {
                        "A" => row -= places,
                        "B" => row += places,
                        "K" => lines[row].clear(),
                        other => panic!("{other}"),
                    }
                    rest = &rest[end + 1..];
                }
                '\r' => column = 0,
                '\n' => (row, column) = (row + 1, 0),
                letter => {
                    if column == COLUMNS {
                        (row, column) = (row + 1, 0);
                    }
                    lines.resize(lines.len().max(row + 1), Vec::new());
                    let length = lines[row].len().max(column + 1);
                    lines[row].resize(length, ' ');
                    lines[row][column] = letter;
                    column += 1;
                }
            }
            lines.resize(lines.len().max(row + 1), Vec::new());
        }
        lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    /// Bars appear and disappear while the user types `^C`, and the screen shows only the current
    /// ones.
    #[test]
    fn bars_stay_in_their_lines_whatever_the_terminal_writes_below_them() {
        let screen = Screen::target(255, |text| written().push_str(text), || (24, COLUMNS as u16));
        let style = ProgressStyle::with_template("{msg}").expect("a literal");
        let bars = MultiProgress::with_draw_target(screen);
        let add = |words: &'static str| {
            let bar = bars.add(ProgressBar::new(10).with_style(style.clone()));
            bar.set_message(words);
            bar.tick();
            bar
        };
        let (first, second) = (add("first"), add("second"));
        assert_eq!(lines(&written()), ["first", "second", ""]);
        written().push_str("^C");
        second.set_message("changed");
        second.tick();
        assert_eq!(lines(&written()), ["first", "changed", ""]);
        written().push_str("^C");
        bars.suspend(|| written().push_str("a message\n"));
        assert_eq!(lines(&written()), ["a message", "first", "changed", ""]);
        first.finish_and_clear();
        bars.remove(&first);
        assert_eq!(lines(&written()), ["a message", "changed", "", ""]);
        written().push_str("^C");
        second.finish_and_clear();
        written().push_str("done\n");
        assert_eq!(lines(&written()), ["a message", "done", "", ""]);
    }
}
