//! Shell quoting, for commands that the user is to type.

use super::output::visible_line;
use std::path::Path;

/// Quotes a word for a shell, on one line, for commands that the user is to type.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let word = visible_line(word);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Quotes a path for a shell. Bytes that are not UTF-8 are shown as replacement characters.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_a_shell_takes_them() {
        let words = ["results/x", "t problem.n=8", "it's", "", "a\u{1b}b"].map(shell_word);
        assert_eq!(words, ["results/x", "'t problem.n=8'", "'it'\\''s'", "''", "'a\\u001bb'"]);
    }
}
