//! The checksums of a release, for `sha256sum --check`.

use crate::Outcome;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The file that has them.
pub(crate) const FILE: &str = "SHA256SUMS";

/// Writes those of all files in a folder, in the order of their names. Returns the names.
pub(crate) fn write(folder: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != FILE {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut lines = String::new();
    for name in &names {
        writeln!(lines, "{}  {name}", sha256(&fs::read(folder.join(name))?))?;
    }
    fs::write(folder.join(FILE), lines)?;
    Ok(names)
}

/// Returns the SHA-256 of bytes in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}
