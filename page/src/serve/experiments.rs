//! The experiments of the results folder: their names, and what was read of them.

use super::error::Refusal;
use crate::live::Reading;
use crate::results::is_being_run;
use crate::results::storage::output_folder::is_submission;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};
use tokio::sync::Mutex as Turn;

/// Names, sizes and times of a folder's files when they were read.
pub(super) type Signature = Vec<(String, u64, Option<SystemTime>)>;
/// Lines that were read, each with the stamp at which it was.
pub(super) type Lines = BTreeMap<String, (u64, Value)>;
/// Texts that were read, each with its name.
pub(super) type Texts = Arc<Vec<(String, String)>>;

/// Outcome of a read.
#[derive(Debug)]
pub(super) struct CachedRead {
    pub signature: Signature,
    pub answer: Result<Texts, Refusal>,
    /// When it may be read again.
    pub due: Instant,
}

/// Place of a cached read. The reader has the turn.
pub(super) type Place = Arc<Turn<Option<CachedRead>>>;

/// The results folder.
#[derive(Debug)]
pub(super) struct Experiments {
    out: PathBuf,
    /// By experiment.
    kept: Mutex<BTreeMap<(String, Reading), Place>>,
    lines: Mutex<Lines>,
}

impl Experiments {
    pub(super) fn new(out: PathBuf) -> Self {
        Experiments { out, kept: Mutex::default(), lines: Mutex::default() }
    }

    /// The folder of an experiment.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, Refusal> {
        let folder = self.out.join(name);
        let none = || Refusal::missing(format!("there is no experiment `{name}` here"));
        let kind = folder.symlink_metadata().map_err(|_| none())?;
        // A link may lead anywhere.
        if is_plain(name) && kind.is_dir() { Ok(folder) } else { Err(none()) }
    }

    /// Names of the folders that may be experiments, the newest first.
    pub(super) fn names(&self) -> Vec<(String, Option<SystemTime>)> {
        let entries = std::fs::read_dir(&self.out).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| !is_submission(&entry.path()))
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let time = entry.metadata().ok().and_then(|found| found.modified().ok());
                is_plain(&name).then_some((name, time))
            })
            .collect();
        names.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        names
    }

    /// Looks at the lines that were read.
    pub(super) fn with_lines<R>(&self, look: impl FnOnce(&mut Lines) -> R) -> R {
        look(&mut self.lines.lock())
    }

    /// Returns the place of what was read of an experiment.
    pub(super) fn turn(&self, name: &str, reading: Reading) -> Place {
        let mut kept = self.kept.lock();
        Arc::clone(kept.entry((name.to_owned(), reading)).or_default())
    }
}

/// Returns whether a name is that of a folder in the results folder, and no path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

/// Returns the files of a folder with their sizes and times, and whether it is being written to.
pub(super) fn signature(folder: &Path) -> Signature {
    let of = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let found = entry.metadata().ok()?;
            let name = entry.file_name().to_string_lossy().into_owned();
            found.is_file().then(|| (name, found.len(), found.modified().ok()))
        })
    };
    let mut all: Signature = of(folder).chain(of(&folder.join("parts"))).collect();
    // A shard is written to in the folders of its attempts.
    let attempts = std::fs::read_dir(folder.join("attempts")).into_iter().flatten().flatten();
    all.extend(attempts.flat_map(|attempt| of(&attempt.path().join("parts"))));
    // A run that is killed changes no file.
    all.push(("running".to_owned(), is_being_run(folder).into(), None));
    all.sort();
    all
}
