//! Claims: work that one of several processes does, on any machine.
//!
//! A claim is a file that lasts as long as the work. A lock alone is not enough, because some
//! shared file systems have none, or one per machine. A process that is killed leaves its file.
//! Another process takes it over if it is sure that nobody works: the file is of a process of this
//! machine that does not lock it any more, or of an earlier process with the same name.

use crate::results::error::ResultsError;
use crate::results::storage::atomic::remove_if_there;
use crate::results::storage::lock::{holder, host_words, words_of};
use crate::system::host::unique;
use crate::system::regular;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Age from which on a file without words is of a process that was killed before it wrote them.
const WORDLESS: Duration = Duration::from_secs(60);

/// Work that this process has claimed. The claim ends when it is dropped, or the process ends.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    file: File,
    words: String,
}

impl Drop for Claim {
    /// Another process may have taken the claim over: then the file is not removed.
    fn drop(&mut self) {
        if self.is_ours() {
            _ = remove_if_there(&self.path);
        }
        _ = self.file.unlock();
    }
}

impl Claim {
    /// Claims the work of this file. `claimant` is a name that no other process has at the same
    /// time. Returns `None` if another process may be at work.
    pub(crate) fn take(path: &Path, claimant: &str) -> Result<Option<Self>, ResultsError> {
        let failed = |error| ResultsError::writing(path, "claim its work")(error);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let mut file = match regular::open_with(path, options.clone().create_new(true)) {
            Ok(file) => match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                _ => file,
            },
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                match regular::open_with(path, &mut options) {
                    Ok(file) if is_left(&file, claimant) => file,
                    Ok(_) => return Ok(None),
                    // The work has just ended.
                    Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                    Err(error) => return Err(failed(error)),
                }
            }
            Err(error) => return Err(failed(error)),
        };
        let words = format!("{claimant}: {} ({:016x})", holder(), unique());
        let mut write = || {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(words.as_bytes())?;
            file.sync_all()
        };
        write().map_err(failed)?;
        let claim = Claim { path: path.to_owned(), file, words };
        // The process that had it may have removed the file meanwhile.
        Ok(claim.is_ours().then_some(claim))
    }

    /// Returns whether the file has the words of this claim.
    fn is_ours(&self) -> bool {
        // If others cannot read a locked file, they cannot take it over either.
        match regular::open(&self.path).map(|file| words_of(&file)) {
            Ok(words) => words.is_none_or(|words| words == self.words),
            Err(_) => false,
        }
    }
}

/// Returns whether a claim is left of a process that has ended. Locks it then, if it has a lock.
fn is_left(file: &File, claimant: &str) -> bool {
    let Some(words) = words_of(file) else { return false };
    let is_same = words.strip_prefix(claimant).is_some_and(|rest| rest.starts_with(':'));
    let is_of_this_machine = words.contains(&host_words());
    let is_wordless = words.is_empty() && age(file).is_some_and(|age| age > WORDLESS);
    if !(is_same || is_of_this_machine || is_wordless) {
        return false;
    }
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // Without locks, a process of this machine may be at work.
        Err(TryLockError::Error(_)) => is_same || is_wordless,
    }
}

/// Returns the time since a file was written; `None` if that is unknown.
fn age(file: &File) -> Option<Duration> {
    file.metadata().ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::SystemTime;

    #[test]
    fn one_process_at_a_time_has_the_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("work");
        let take = |claimant: &str| Claim::take(&path, claimant).expect("a file");
        let first = take("shard 1/2").expect("nobody has it");
        // A second process of the name, too, has to wait until the first has ended.
        assert!(take("shard 2/2").is_none() && take("shard 1/2").is_none());
        drop(first);
        assert!(!path.exists());
        assert!(take("shard 2/2").is_some());
    }

    #[test]
    fn a_claim_of_a_process_that_has_ended_is_taken_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("work");
        let take = |claimant: &str| Claim::take(&path, claimant).expect("a file");
        fs::write(&path, format!("shard 1/2: {} (0)", holder())).expect("a file");
        assert!(take("shard 2/2").is_some(), "of this machine, and not locked");
        let elsewhere = "shard 1/2: process 1 on another machine, since 2026-01-01T00:00:00Z (0)";
        fs::write(&path, elsewhere).expect("a file");
        assert!(take("shard 2/2").is_none() && take("shard 1/20").is_none());
        assert_eq!(fs::read_to_string(&path).expect("a file"), elsewhere);
        assert!(take("shard 1/2").is_some(), "it was started again");
        fs::write(&path, "").expect("a file");
        assert!(take("shard 1/2").is_none(), "its process may be about to write");
        let file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.set_modified(SystemTime::now() - 2 * WORDLESS).expect("a time");
        assert!(take("shard 1/2").is_some(), "it was killed before it wrote");
    }

    #[test]
    fn a_claim_that_another_process_took_over_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("work");
        let claim = Claim::take(&path, "shard 1/2").expect("a file").expect("nobody has it");
        fs::write(&path, "shard 1/2: another").expect("a file");
        drop(claim);
        assert!(path.exists());
    }
}
