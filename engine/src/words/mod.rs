//! Words of messages: numbers, lists and the names that users probably meant.

mod named;
mod nearest;

pub use nearest::{nearest, nearest_key};
use std::borrow::Borrow;
use std::fmt::Display;

/// Formats a count with separators: 12,345.
#[must_use]
pub fn count(value: u64) -> String {
    separated(&value.to_string())
}

/// Separates the digits of a whole number in groups of three.
#[must_use]
pub fn separated(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count of things whose plural ends in "s": "1 trial" or "1,200 trials".
#[must_use]
pub fn counted(value: u64, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(value))
}

/// Joins words into a list such as "a, b and c"; `last` is the word before the last item.
#[must_use]
pub fn listed<W: Borrow<str>>(words: &[W], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.borrow().to_owned(),
        [most @ .., end] => format!("{} {last} {}", most.join(", "), end.borrow()),
    }
}

/// Joins the first words into a list such as "a, b and 1,200 more". A single one that is left is
/// named.
#[must_use]
pub fn first_listed(words: impl IntoIterator<Item = impl Display>, shown: usize) -> String {
    let mut words = words.into_iter();
    let mut first: Vec<String> = words.by_ref().take(shown).map(|word| word.to_string()).collect();
    let last = words.next();
    match words.count() {
        0 => {
            first.extend(last.map(|word| word.to_string()));
            first.join(", ")
        }
        more => format!("{} and {} more", first.join(", "), count(more as u64 + 1)),
    }
}

/// Returns the first texts, and one more if others are left: "and 1,200 more", then `rest`.
#[must_use]
pub fn first_texts(
    texts: impl IntoIterator<Item = impl Display>,
    shown: usize,
    rest: &str,
) -> Vec<String> {
    let mut texts = texts.into_iter();
    let mut first: Vec<String> = texts.by_ref().take(shown).map(|text| text.to_string()).collect();
    match texts.count() as u64 {
        0 => {}
        more => first.push(format!("and {} more{rest}", count(more))),
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators_and_plurals() {
        assert_eq!([999, 1_000, 1_234_567].map(count), ["999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 1_200].map(|n| counted(n, "arm")), ["0 arms", "1 arm", "1,200 arms"]);
    }

    #[test]
    fn lists_read_as_english() {
        let words = ["a", "b", "c"];
        assert_eq!([1, 2, 3].map(|n| listed(&words[..n], "or")), ["a", "a or b", "a, b or c"]);
        assert_eq!(listed::<&str>(&[], "or"), "");
        let first = [1, 2, 3].map(|shown| first_listed(words, shown));
        assert_eq!(first, ["a and 2 more", "a, b, c", "a, b, c"]);
        assert_eq!(first_listed(0..1_002, 1), "0 and 1,001 more");
        assert_eq!(first_texts(words, 3, ""), words);
        assert_eq!(first_texts(words, 2, " of them"), ["a", "b", "and 1 more of them"]);
    }
}
