//! Scripts: text that a shell reads, and a person can change.

use super::ClusterError;

/// A file of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptFile {
    /// In the folder of the submission.
    pub name: &'static str,
    pub text: String,
}

/// A word as a shell reads it.
///
/// # Errors
/// If it has a control character: a line break in a comment or a directive of a script would begin
/// a line of its own.
pub(crate) fn quoted(word: &str) -> Result<String, ClusterError> {
    let fault = || ClusterError::Word { what: "this word", word: word.to_owned() };
    if word.chars().any(char::is_control) {
        return Err(fault());
    }
    shlex::try_quote(word).map(|quoted| quoted.into_owned()).map_err(|_| fault())
}

/// A flag as a shell reads it: of `--name=value`, only the value is in quotes.
///
/// # Errors
/// As [`quoted`].
pub(crate) fn quoted_flag(word: &str) -> Result<String, ClusterError> {
    let plain = |name: &str| name.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric());
    match word.split_once('=').filter(|(name, _)| name.starts_with("--") && plain(name)) {
        Some((name, value)) => Ok(format!("{name}={}", quoted(value)?)),
        None => quoted(word),
    }
}

/// Words as a shell reads them, with spaces between.
///
/// # Errors
/// As [`quoted`].
pub(crate) fn quoted_words(words: &[String]) -> Result<String, ClusterError> {
    let words: Vec<String> =
        words.iter().map(|word| quoted_flag(word)).collect::<Result<_, _>>()?;
    Ok(words.join(" "))
}

/// A command over several lines: the program with its first argument, then a line for each of the
/// others. All are quoted already. `indent` stands before each line.
pub(super) fn in_lines(arguments: &[String], indent: &str) -> String {
    arguments.join(&format!(" \\\n{indent}    "))
}
