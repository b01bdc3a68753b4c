//! Names of files in a pack of a stranger.

/// Checks that a name leads to a file below the folder of the pack, on every system.
///
/// # Errors
/// Returns the rule that the name breaks.
pub(super) fn check(name: &str) -> Result<(), &'static str> {
    if name.contains(|letter: char| letter.is_control() || "\\:*?\"<>|".contains(letter)) {
        return Err("a name must have no control characters and none of \\ : * ? \" < > |");
    }
    let is_wrong = |part: &str| part.is_empty() || part.ends_with(['.', ' ']);
    match name.split('/').any(is_wrong) {
        true => Err("a name must lead to a file below the folder of the pack, without `..`"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_folder() {
        for right in ["README.md", "results/run.toml", "plugin/2/my é.so", "a/..b", ".x/-"] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../x",
            "a//x",
            "a/",
            "./a",
            "a/.",
            "C:x",
            "a\\b",
            "a\0",
            "a\n",
            "a/.. /x",
            "a.",
        ] {
            assert!(check(wrong).is_err(), "{wrong:?}");
        }
    }
}
