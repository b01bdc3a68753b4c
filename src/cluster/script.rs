//! Scripts: text for a shell, which the user may edit.

use super::ClusterError;

/// A file of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptFile {
    /// File name in the submission's folder.
    pub name: &'static str,
    pub text: String,
}

/// Quotes a word for a shell.
///
/// # Errors
/// Returns an error if the word has a control character. A line break in a comment or a directive
/// would begin a new line of the script.
pub(crate) fn quoted(word: &str) -> Result<String, ClusterError> {
    let fault = || ClusterError::Word { what: "this word", word: word.to_owned() };
    if word.chars().any(char::is_control) {
        return Err(fault());
    }
    shlex::try_quote(word).map(|quoted| quoted.into_owned()).map_err(|_| fault())
}

/// Quotes a flag for a shell. In `--name=value`, only the value is quoted.
pub(crate) fn quoted_flag(word: &str) -> Result<String, ClusterError> {
    let plain = |name: &str| name.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric());
    match word.split_once('=').filter(|(name, _)| name.starts_with("--") && plain(name)) {
        Some((name, value)) => Ok(format!("{name}={}", quoted(value)?)),
        None => quoted(word),
    }
}

/// Quotes words for a shell and joins them with spaces.
pub(crate) fn quoted_words(words: &[String]) -> Result<String, ClusterError> {
    let words: Vec<String> =
        words.iter().map(|word| quoted_flag(word)).collect::<Result<_, _>>()?;
    Ok(words.join(" "))
}

/// Writes a command over several lines: first the program with its first argument, then one line
/// per further argument. The arguments are already quoted. Each further line begins with `indent`.
pub(super) fn in_lines(arguments: &[String], indent: &str) -> String {
    arguments.join(&format!(" \\\n{indent}    "))
}
