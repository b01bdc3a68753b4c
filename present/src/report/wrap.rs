//! Texts in lines that fit the terminal.

use super::column::INDENT;
use console::measure_text_width as columns_of;
use std::collections::BTreeMap;

/// Returns the columns of the terminal that the longest line of a text takes.
pub(super) fn longest_line(text: &str) -> usize {
    text.lines().map(columns_of).max().unwrap_or(0)
}

/// Returns the columns of the terminal that the longest word of a text takes.
pub(super) fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(columns_of).max().unwrap_or(0)
}

/// Returns the pieces of a word between which it may be broken. A dot is a breaking point in a
/// name, not in a number.
fn pieces(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, letter) in word.char_indices() {
        let end = at + letter.len_utf8();
        let ends = match letter {
            '-' | '_' | '/' => true,
            '.' => word[end..].starts_with(char::is_alphabetic),
            _ => false,
        };
        if ends {
            pieces.push(&word[start..end]);
            start = end;
        }
    }
    if start < word.len() {
        pieces.push(&word[start..]);
    }
    pieces
}

/// Returns the words of a line with the spaces after them. A number stays with its percent sign.
fn words(line: &str) -> Vec<&str> {
    let is_end = |at: &usize| !line[at + 1..].starts_with('%');
    let mut ends: Vec<usize> = line.match_indices(' ').map(|(at, _)| at).filter(is_end).collect();
    ends.push(line.len());
    let mut start = 0;
    let word = |end: usize| {
        let end = line.len().min(end + 1);
        let word = &line[start..end];
        start = end;
        word
    };
    ends.into_iter().map(word).filter(|word| !word.is_empty()).collect()
}

/// Wraps a text into lines of at most `width` columns. A longer word is broken after a character
/// such as a hyphen, otherwise at the end of the line.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        let mut add = |piece: &str, current: &mut String| {
            if columns_of(current) + columns_of(piece.trim_end()) > width && !current.is_empty() {
                lines.push(std::mem::take(current).trim_end().to_owned());
            }
            current.push_str(piece);
            while columns_of(current.trim_end()) > width {
                let head = head(current, width.max(1));
                let rest = current.split_off(head);
                lines.push(std::mem::replace(current, rest));
            }
        };
        for word in words(line) {
            if columns_of(word.trim_end()) > width {
                pieces(word).into_iter().for_each(|piece| add(piece, &mut current));
            } else {
                add(word, &mut current);
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// Returns the number of bytes of the first letters that fit into `width` columns, of at least one
/// letter.
fn head(text: &str, width: usize) -> usize {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let mut ends = ends.peekable();
    let first = ends.peek().copied().unwrap_or(0);
    ends.take_while(|end| columns_of(&text[..*end]) <= width).last().unwrap_or(first)
}

/// Cuts the middle out of texts so that each fits into `width` columns with its indent. `None` if
/// two different ones would look the same.
pub fn cut(texts: &[(usize, &str)], width: usize) -> Option<Vec<String>> {
    // A shorter tail gives a longer head: names may differ at either end.
    [2, 3, 4, usize::MAX].into_iter().find_map(|share| {
        let cut = |(indent, text): &(usize, &str)| {
            let room = width.saturating_sub(*indent);
            middle_cut(text, room, room / share)
        };
        let found: Vec<String> = texts.iter().map(cut).collect();
        let mut whole: BTreeMap<&str, &str> = BTreeMap::new();
        let clear = texts
            .iter()
            .zip(&found)
            .all(|((_, text), cut)| whole.insert(cut, text).is_none_or(|other| other == *text));
        clear.then_some(found)
    })
}

/// Cuts a text to at most `width` columns. Keeps its first letters and `tail` columns of its last.
fn middle_cut(text: &str, width: usize, tail: usize) -> String {
    if columns_of(text) <= width {
        return text.to_owned();
    }
    let tail = tail.min(width.saturating_sub(2));
    let start = text.char_indices().map(|(at, _)| at).find(|at| columns_of(&text[*at..]) <= tail);
    let end = start.map_or("", |start| &text[start..]);
    let begin = &text[..head(text, width.saturating_sub(1 + columns_of(end)))];
    format!("{}…{}", begin.trim_end(), end.trim_start())
}

/// Writes a text after `first`, with its further lines indented to the same column.
pub fn hanging(first: &str, text: &str, width: usize) -> String {
    let indent = columns_of(first);
    let lines = wrap(text, width.saturating_sub(indent).max(1));
    let line = |(number, line): (usize, &String)| match number {
        0 => format!("{first}{line}\n"),
        _ => format!("{}{line}\n", " ".repeat(indent)),
    };
    lines.iter().enumerate().map(line).collect()
}

/// Writes a text after `indent` in lines of at most `width` columns, with further lines indented by
/// two more columns. A word that does not fit, such as a path, stays whole.
pub fn outlined(indent: &str, text: &str, width: usize) -> String {
    let mut found = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let room = column + 1 + columns_of(word) <= width;
        let gap = match (found.is_empty(), room) {
            (true, _) => indent.to_owned(),
            (false, true) => " ".to_owned(),
            (false, false) => format!("\n{indent}{INDENT}"),
        };
        column = if room && column > 0 { column } else { 0 } + columns_of(gap.trim_matches('\n'));
        column += columns_of(word);
        found.push_str(&gap);
        found.push_str(word);
    }
    found + "\n"
}

/// Writes a text for readers in lines of at most `width` columns, each with a newline.
pub fn paragraph(text: &str, width: usize) -> String {
    hanging("", text, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one\n\ntwo", 7), ["one", "", "two"]);
        assert_eq!(wrap("order-crossover", 9), ["order-", "crossover"]);
        assert_eq!(wrap("orderlycrossover", 9), ["orderlycr", "ossover"]);
        assert_eq!(wrap("a-b order-crossover", 9), ["a-b", "order-", "crossover"]);
        let name = "lib/queens_notebook.intended";
        assert_eq!(wrap(name, 10), ["lib/", "queens_", "notebook.", "intended"]);
        assert_eq!(wrap("p = 0.00012", 7), ["p =", "0.00012"]);
        assert_eq!(wrap("at 95 % of", 5), ["at", "95 %", "of"]);
        assert_eq!(wrap("♕♕ ♕", 2), ["♕♕", "♕"]);
        assert_eq!(wrap("", 9), [""; 0]);
        assert_eq!(paragraph("one two three", 9), "one two\nthree\n");
    }

    #[test]
    fn a_text_that_hangs_breaks_no_word() {
        assert_eq!(outlined("  ", "one two three four", 11), "  one two\n    three\n    four\n");
        assert_eq!(outlined("  ", "/a/long/path/name x", 9), "  /a/long/path/name\n    x\n");
        assert_eq!(outlined("  ", "", 9), "\n");
    }

    #[test]
    fn names_are_cut_in_the_middle_and_never_alike() {
        let cut_to = |texts: &[&str], width| {
            cut(&texts.iter().map(|text| (0, *text)).collect::<Vec<_>>(), width)
        };
        let names = ["climbs, first improvement", "ga"];
        assert_eq!(cut_to(&names, 16), Some(vec!["climbs,…rovement".into(), "ga".into()]));
        assert_eq!(cut_to(&names, 30), Some(names.map(str::to_owned).to_vec()));
        // The texts differ where cutting half of each would remove.
        let alike = ["steepest climb one of queens", "steepest climb two of queens"];
        for width in 6..28 {
            let found = cut_to(&alike, width);
            assert!(found.is_none_or(|found| found[0] != found[1]), "{width}");
        }
        assert_eq!(cut_to(&alike, 12), None);
        for width in 2..40 {
            for text in names.iter().chain(&alike) {
                assert!(columns_of(&middle_cut(text, width, width / 2)) <= width, "{text} {width}");
            }
        }
    }
}
