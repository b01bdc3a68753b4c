//! Shell quoting, for commands that the user is to type.

use super::output::visible_line;
use std::path::Path;

/// Quotes a word for a shell, on one line, for commands that the user is to type. A word with
/// invisible characters has the quotes `$'…'` of POSIX 2024.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if visible_line(word) != word {
        escaped(word.as_bytes())
    } else if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Quotes a path for a shell, as [`shell_word`] does.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    path.to_str().map_or_else(|| escaped(path.as_os_str().as_encoded_bytes()), shell_word)
}

/// Returns a word in the quotes `$'…'`, with bytes that cannot be shown as numbers.
fn escaped(word: &[u8]) -> String {
    let mut quoted = String::from("$'");
    let numbers =
        |bytes: &[u8]| bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    for chunk in word.utf8_chunks() {
        for character in chunk.valid().chars() {
            let text = character.to_string();
            match character {
                '\'' | '\\' => quoted.extend(['\\', character]),
                _ if visible_line(&text) == text => quoted.push(character),
                _ => quoted.push_str(&numbers(text.as_bytes())),
            }
        }
        quoted.push_str(&numbers(chunk.invalid()));
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_a_shell_takes_them() {
        let words = ["results/x", "t problem.n=8", "it's", "", "a\u{1b}b"].map(shell_word);
        assert_eq!(words, ["results/x", "'t problem.n=8'", "'it'\\''s'", "''", "$'a\\x1bb'"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_gets_the_bytes_of_any_path() {
        use std::os::unix::ffi::OsStrExt;
        let paths: [&[u8]; 4] = [b"a\nb's\\", b"o\xff/q", "\u{202e}x y".as_bytes(), b"it's"];
        for path in paths {
            let quoted = shell_path(Path::new(std::ffi::OsStr::from_bytes(path)));
            assert!(!quoted.contains('\n'), "{quoted}");
            let mut bash = std::process::Command::new("bash");
            let output = bash.args(["-c", &format!("printf %s {quoted}")]).output();
            assert_eq!(output.expect("bash").stdout, path, "{quoted}");
        }
    }
}
