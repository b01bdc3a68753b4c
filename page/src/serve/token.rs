//! Tokens: words that nobody guesses.

/// A word that nobody guesses.
///
/// # Errors
/// The system's, when it has no random numbers.
pub fn unguessable() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
