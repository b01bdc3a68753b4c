//! Text in charts: width, lines and markup.

use crate::system::output::visible_line;
use crate::words::counted;

/// Draws a line of text that begins at `x`.
pub(super) fn text_at(x: f64, y: f64, size: f64, ink: &str, words: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{ink}\">{}</text>",
        escaped(words)
    )
}

/// Returns the words of a note on what a picture leaves out and why; empty if it is nothing.
pub(super) fn not_shown(count: u64, noun: &str, why: &str) -> String {
    match count {
        0 => String::new(),
        _ => format!("; not shown: {} {why}", counted(count, noun)),
    }
}

/// Escapes a text for an attribute or an element.
pub(super) fn escaped(text: &str) -> String {
    let text = visible_line(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Wraps a text into lines of at most `room` pixels. A longer word is broken.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width_of(&longer, size) <= room {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            if width_of(&line, size) + width_of(letter.encode_utf8(&mut [0; 4]), size) > room
                && !line.is_empty()
            {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Estimates the pixels of a line in DejaVu Sans, too many rather than too few.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let width = |letter: char| match letter {
        ' ' | ',' | '.' | '|' => 0.33,
        'i' | 'j' | 'l' | '\'' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ':' | ';' | '/' | '-' => 0.42,
        'm' | 'M' | 'W' | '%' | '@' | '…' => 1.0,
        'w' | 'O' | 'Q' | 'N' | 'H' | '=' | '+' | '±' | '<' | '>' | '≤' | '≥' => 0.84,
        'A'..='Z' => 0.72,
        '0'..='9' => 0.64,
        'a'..='z' => 0.63,
        letter if (letter as u32) < 0x370 => 0.8,
        _ => 1.1,
    };
    size * text.chars().map(width).sum::<f64>()
}

/// Character in place of `$`, between two of which the drawing library reads a formula.
const DOLLAR: char = '\u{e000}';

/// Returns words that the drawing library draws as they are, once [`as_written`] has its output.
pub(super) fn verbatim(words: &str) -> String {
    words.replace('$', &DOLLAR.to_string())
}

/// Returns what was drawn with the words as they were written.
pub(super) fn as_written(drawn: &str) -> String {
    drawn.replace(DOLLAR, "$")
}

/// Returns the SVG with at most two decimals in its tags' numbers: a hundredth of a pixel.
pub(super) fn rounded(svg: &str) -> String {
    let mut text = String::with_capacity(svg.len());
    let (mut in_tag, mut decimals) = (false, None::<usize>);
    for letter in svg.chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ => {}
        }
        decimals = match (letter, decimals) {
            ('.', _) if in_tag => Some(0),
            ('0'..='9', Some(before)) => Some(before + 1),
            _ => None,
        };
        if decimals.is_none_or(|decimals| decimals <= 2) {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_all_words_and_break_those_that_are_too_long() {
        let text = "5,000 trials per arm; bars: Wilson 95 %";
        let lines = wrapped(text, 11.0, 120.0);
        assert_eq!(lines.join(" "), text);
        assert!(
            lines.len() > 1 && lines.iter().all(|line| width_of(line, 11.0) <= 120.0),
            "{lines:?}"
        );
        let long = "x".repeat(100);
        let lines = wrapped(&long, 11.0, 120.0);
        assert_eq!(lines.concat(), long);
        assert!(lines.iter().all(|line| width_of(line, 11.0) <= 120.0));
        assert!(wrapped("", 11.0, 10.0).is_empty());
    }
}
