//! A program that `cargo install` put in place, and the libraries that were built with it.

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Record that cargo keeps of the programs in a folder's `bin`.
const RECORD: &str = ".crates2.json";

#[derive(Deserialize)]
struct Record {
    /// Installed packages by name, version and source: `runner 0.1.0 (path+file:///home/me)`.
    installs: BTreeMap<String, Install>,
}

#[derive(Deserialize)]
struct Install {
    bins: Vec<String>,
    profile: String,
}

/// Returns the folder with the libraries that cargo built with a program that it installed from a
/// checkout; `None` if the program came in another way, or if the folder is gone.
///
/// Cargo installs no libraries, but leaves them in the checkout's target folder.
pub(super) fn built_libraries(program: &Path) -> Option<PathBuf> {
    let record = std::fs::read(program.parent()?.parent()?.join(RECORD)).ok()?;
    let record: Record = serde_json::from_slice(&record).ok()?;
    let bin = program.file_name()?.to_str()?;
    let has = |install: &Install| install.bins.iter().any(|name| name == bin);
    let (package, install) = record.installs.iter().find(|(_, install)| has(install))?;
    let source = package.split_once(" (path+file://")?.1.strip_suffix(')')?;
    let checkout = percent_decode_str(source).decode_utf8().ok()?;
    // Libraries of packages that others depend on are left in `deps`.
    let profile = if install.profile == "dev" { "debug" } else { &install.profile };
    let folder = Path::new(&*checkout).join("target").join(profile).join("deps");
    folder.is_dir().then_some(folder)
}
