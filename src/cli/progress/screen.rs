//! The screen: the terminal that standard error leads to, as bars are drawn on it.

use crate::system::output::draw;
use crate::system::streams::Stream;
use indicatif::{ProgressDrawTarget, TermLike};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Rows and columns of a terminal that does not say.
const USUAL: (u16, u16) = (24, 80);

/// Where bars are drawn, at most so many times a second; nowhere without a terminal that can be
/// drawn on.
pub fn target(redraws: u8) -> ProgressDrawTarget {
    match Stream::Error.is_terminal() && !console::is_dumb() {
        true => ProgressDrawTarget::term_like_with_hz(Box::<Screen>::default(), redraws),
        false => ProgressDrawTarget::hidden(),
    }
}

/// What is drawn, until it is whole: then it is written at once, so that nothing flickers.
#[derive(Debug, Default)]
struct Screen {
    drawn: Mutex<String>,
}

impl Screen {
    fn add(&self, text: &str) -> io::Result<()> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    /// The cursor by so many places: a control sequence of ECMA-48.
    fn go(&self, places: usize, direction: char) -> io::Result<()> {
        if places == 0 { Ok(()) } else { self.add(&format!("\u{1b}[{places}{direction}")) }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        Stream::Error.size().unwrap_or(USUAL).1
    }

    fn height(&self) -> u16 {
        Stream::Error.size().unwrap_or(USUAL).0
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
        self.add(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\u{1b}[2K")
    }

    fn flush(&self) -> io::Result<()> {
        draw(&std::mem::take(&mut *self.drawn.lock().unwrap_or_else(PoisonError::into_inner)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_waits_until_it_is_whole() {
        let screen = Screen::default();
        let drawn = |screen: &Screen| screen.drawn.lock().expect("no panic").clone();
        screen.move_cursor_up(2).expect("memory");
        screen.move_cursor_right(0).expect("memory");
        screen.clear_line().expect("memory");
        screen.write_line("one").expect("memory");
        screen.write_str("two").expect("memory");
        assert_eq!(drawn(&screen), "\u{1b}[2A\r\u{1b}[2Kone\ntwo");
    }
}
