//! Attempts: runs of one shard, each in a separate folder.
//!
//! A shard may run twice, even at the same moment on two machines: a scheduler starts it again
//! elsewhere while a node that it has lost still runs it. Locks do not help, because many shared
//! file systems have none. So an attempt writes to `attempts/<unique>/` in the shard's folder, to
//! which no other process writes. It begins with the existing segments: those that other attempts
//! published, and those of attempts that ended without publishing. They are links to the files if
//! the file system has links, and copies otherwise. At its end it publishes by renaming files into
//! the shard's `parts/`. A shard with all of its trials is published as one segment, `whole`.
//! Anything else is published under a name that no other attempt uses.

use crate::results::error::ResultsError;
use crate::results::storage::atomic::{
    UNFINISHED, copy_atomically, remove_if_there, remove_shared_folder, rename, sync_folder,
};
use crate::results::storage::checkpoint::evaluations;
use crate::results::storage::files::{list, make_folder};
use crate::results::storage::folder::{
    ATTEMPTS, PARTS, PLAN, RETRYING, SUPERSEDED, checkpoint_path, list_checkpoints, list_journals,
    list_segments, refuse_old_parts, segment_path, whole_path,
};
use crate::results::storage::journal::JournalBytes;
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::segment::Segment;
use crate::system::host::{host_name, unique};
use crate::system::regular;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of others come and go: so often is looked for what came meanwhile.
const LOOKS: usize = 20;

/// A run of a shard on its way.
pub(crate) struct Attempt {
    /// The shard's folder.
    home: PathBuf,
    /// Folder of the attempt.
    pub folder: PathBuf,
    /// Published segments that it began with.
    adopted: Vec<Adopted>,
    /// Attempts of this machine that ended without publishing: what they had is in here.
    ended: Vec<PathBuf>,
}

/// A published segment.
struct Adopted {
    path: PathBuf,
    /// `None` if it cannot be read.
    segment: Option<Segment>,
}

/// A journal of an earlier run.
pub(crate) struct LeftJournal {
    pub path: PathBuf,
    pub bytes: JournalBytes,
    /// Another run may be writing to it.
    pub is_live: bool,
}

/// Reads the journals of a folder.
///
/// # Errors
/// Returns an error if one cannot be read, or another version of the runner wrote it.
pub(crate) fn left_journals(
    folder: &Path,
    is_live: bool,
) -> Result<Vec<LeftJournal>, ResultsError> {
    let mut left = Vec::new();
    for path in list_journals(folder)? {
        if let Some(bytes) = JournalBytes::read(&path)? {
            left.push(LeftJournal { path, bytes, is_live });
        }
    }
    Ok(left)
}

impl Attempt {
    /// Begins an attempt at a shard, with the files that are there.
    pub(crate) fn begin(home: &Path) -> Result<(Self, Vec<LeftJournal>), ResultsError> {
        let others = attempts(home)?;
        let folder = home.join(ATTEMPTS).join(unique_name());
        make_folder(&home.join(PARTS))?;
        make_folder(&folder.join(PARTS))?;
        refuse_old_parts(home)?;
        let (adopted, ended) = (Vec::new(), Vec::new());
        let mut attempt = Attempt { home: home.to_owned(), folder, adopted, ended };
        // The journals first: what leaves them meanwhile is in a segment by then.
        let mut journals = left_journals(home, false)?;
        for other in &others {
            journals.extend(left_journals(other, !Lock::is_free(other))?);
        }
        let mut number = 0;
        attempt.take_checkpoints(home, true)?;
        for other in others {
            attempt.take_checkpoints(&other, Lock::is_free(&other))?;
            attempt.adopt(&other, &mut number)?;
            if Lock::is_free(&other) {
                attempt.ended.push(other);
            }
        }
        let known =
            |(path, copy): (PathBuf, PathBuf)| Adopted { path, segment: Segment::open(&copy).ok() };
        attempt.adopted = attempt.adopt(home, &mut number)?.into_iter().map(known).collect();
        Ok((attempt, journals))
    }

    /// Takes the checkpoints of a folder that have more evaluations than its own. They are moved
    /// from a folder to which nobody writes, and copied otherwise: what follows the last sound
    /// frame of a copy does not count.
    fn take_checkpoints(&self, folder: &Path, is_free: bool) -> Result<(), ResultsError> {
        for (arm, trial) in list_checkpoints(folder)? {
            let from = checkpoint_path(folder, arm, trial);
            let to = checkpoint_path(&self.folder, arm, trial);
            if evaluations(&from) <= evaluations(&to) {
                continue;
            }
            let taken = if is_free { fs::rename(&from, &to) } else { copy_atomically(&from, &to) };
            match taken {
                // Another attempt took it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                taken => taken.map_err(ResultsError::reading(&from, "take the checkpoint"))?,
            }
        }
        Ok(())
    }

    /// Leaves the checkpoints of trials that are not finished to the next attempt.
    pub(crate) fn leave_checkpoints(&self) -> Result<(), ResultsError> {
        list_checkpoints(&self.folder)?.into_iter().try_for_each(|(arm, trial)| {
            let to = checkpoint_path(&self.home, arm, trial);
            rename(&checkpoint_path(&self.folder, arm, trial), &to)
        })
    }

    /// Takes the segments of a folder; returns which they were, each with its copy.
    fn adopt(
        &self,
        folder: &Path,
        number: &mut u64,
    ) -> Result<Vec<(PathBuf, PathBuf)>, ResultsError> {
        let mut adopted: Vec<(PathBuf, PathBuf)> = Vec::new();
        for _ in 0..LOOKS {
            let mut gone = false;
            for path in list_segments(folder)? {
                if adopted.iter().any(|(known, _)| *known == path) {
                    continue;
                }
                let copy = segment_path(&self.folder, *number);
                *number += 1;
                match take(&path, &copy)? {
                    true => adopted.push((path, copy)),
                    false => gone = true,
                }
            }
            if !gone {
                break;
            }
        }
        Ok(adopted)
    }

    /// Returns whether these are the segments that it began with, and the shard was published as a
    /// whole.
    pub(crate) fn is_published(&self, segments: &[Segment]) -> bool {
        // A segment whose index alone is damaged gave its trials, and is to be written anew.
        let [Adopted { path, segment: Some(_) }] = &self.adopted[..] else { return false };
        segments.len() == 1 && self.ended.is_empty() && *path == whole_path(&self.home)
    }

    /// Checks that nobody removed its folder so far.
    pub(crate) fn check_folder_exists(&self) -> Result<(), ResultsError> {
        let found = fs::metadata(&self.folder);
        found.map(|_| ()).map_err(ResultsError::reading(&self.folder, "look at the folder"))
    }

    /// Publishes the whole shard, unless another attempt published the same trials meanwhile. Those
    /// of another plan are moved to `superseded/`.
    pub(crate) fn publish_whole(&self, whole: &Segment) -> Result<(), ResultsError> {
        let path = whole_path(&self.home);
        let before = self.adopted.iter().any(|one| one.path == path);
        if let (Ok(other), false) = (Segment::open(&path), before) {
            if !other.origin.is_of_plan_of(&whole.origin) {
                Quarantine::new(&self.home, SUPERSEDED).take(&path)?;
            } else if other.has_trials_of(whole) {
                return Ok(());
            }
        }
        rename(&whole.path, &path)?;
        // Another attempt may have begun with another plan meanwhile.
        let plan = self.folder.join(PARTS).join(PLAN);
        copy_atomically(&plan, &self.home.join(PARTS).join(PLAN))
            .map_err(ResultsError::reading(&plan, "copy the plan"))
    }

    /// Publishes segments under names that no other attempt takes.
    pub(crate) fn publish(&self, segments: &[Segment]) -> Result<(), ResultsError> {
        let first = unique() >> 12;
        for (segment, number) in segments.iter().zip(first..) {
            rename(&segment.path, &segment_path(&self.home, number))?;
        }
        // What has a new content by now is another attempt's.
        let is_same = |one: &&Adopted| match &one.segment {
            None => true,
            Some(known) => Segment::open(&one.path).is_ok_and(|now| now.blocks == known.blocks),
        };
        self.adopted.iter().filter(is_same).try_for_each(|one| remove_if_there(&one.path))
    }

    /// Ends the attempt after the whole shard was published: whatever else of this plan is there is
    /// a part of that. Another attempt that still runs finds its folder gone, and the shard done.
    pub(crate) fn end_done(self, origin: &Origin) -> Result<(), ResultsError> {
        let done = whole_path(&self.home);
        let is_part = |path: &PathBuf| {
            Segment::open(path).map_or(true, |segment| segment.origin.is_of_plan_of(origin))
        };
        let mut rest = list_segments(&self.home)?;
        rest.retain(|path| *path != done && is_part(path));
        for path in rest.into_iter().chain(list_journals(&self.home)?) {
            remove_if_there(&path)?;
        }
        for (arm, trial) in list_checkpoints(&self.home)? {
            remove_if_there(&checkpoint_path(&self.home, arm, trial))?;
        }
        let plan = own_plan(&self.folder)?;
        for other in all_attempts(&self.home)? {
            let is_same = || match (&plan, own_plan(&other)) {
                (Some(plan), Ok(Some(other))) => plan.has_trials_of(&other),
                _ => false,
            };
            if Lock::is_free(&other) || is_unfinished(&other) || is_same() {
                remove(&other)?;
            }
        }
        self.end()
    }

    /// Ends the attempt after its segments were published.
    pub(crate) fn end(self) -> Result<(), ResultsError> {
        remove_if_there(&self.home.join(PARTS).join(RETRYING))?;
        self.ended.iter().try_for_each(|other| remove(other))?;
        remove(&self.folder)?;
        // Others may have theirs in it.
        _ = fs::remove_dir(self.home.join(ATTEMPTS));
        sync_folder(&self.home.join(ATTEMPTS))
    }
}

/// Lists the folders of a shard's attempts; empty in the folder of a whole experiment.
pub(crate) fn attempts(home: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let mut folders = all_attempts(home)?;
    folders.retain(|folder| !is_unfinished(folder));
    Ok(folders)
}

/// Returns whether a folder is one whose removal was cut short.
fn is_unfinished(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
}

/// Reads the plan of an attempt; `None` if it has not written it yet.
fn own_plan(folder: &Path) -> Result<Option<PlanFile>, ResultsError> {
    PlanFile::read(&folder.join(PARTS).join(PLAN))
}

/// Lists them with those whose removal was cut short.
fn all_attempts(home: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let mut entries = list(&home.join(ATTEMPTS))?;
    // A link would lead elsewhere.
    entries.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    found.sort();
    Ok(found)
}

/// Links or copies a file; false if it has gone meanwhile.
pub(crate) fn take(from: &Path, to: &Path) -> Result<bool, ResultsError> {
    // A pipe or a link is reported under the name that it has here.
    let link = || fs::hard_link(from, to).or_else(|_| copy_atomically(from, to));
    match regular::open(from).and_then(|_| link()) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        taken => taken.map(|()| true).map_err(ResultsError::reading(from, "copy the file")),
    }
}

/// Removes an attempt's folder: at once for its owner, who finds it gone and not half of it.
fn remove(folder: &Path) -> Result<(), ResultsError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if is_unfinished(folder) {
        return remove_shared_folder(folder);
    }
    let gone = folder.with_file_name(format!("{UNFINISHED}{name}"));
    match fs::rename(folder, &gone) {
        // Another attempt removed it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(ResultsError::writing(folder, "remove the folder")(error)),
        Ok(()) => remove_shared_folder(&gone),
    }
}

/// Returns a name that no other attempt has, on whatever machine.
fn unique_name() -> String {
    let host = host_name().unwrap_or_default();
    let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("{host}.{}.{:016x}", std::process::id(), unique())
}
