//! Words as a shell takes them: for commands that a user is to type.

use super::output::visible_line;
use std::path::Path;

/// A word as a shell takes it, on one line: for commands that a user is to type.
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

/// A path as a shell takes it; what is not UTF-8 is shown in part.
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
