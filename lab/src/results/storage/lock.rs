//! The lock that keeps two runs from writing to one folder at once.

use crate::results::error::ResultsError;
use crate::system::host::{host_name, now};
use crate::system::regular;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const LOCK: &str = ".lock";
/// Bytes of a lock or a claim that are read.
const MOST_WORDS: u64 = 1 << 10;
/// Maximum time for which a lock may outlive its run.
const AFTERLIFE: Duration = Duration::from_secs(1);

/// A lock that is held while a run writes to the folder. The system releases it when the process
/// ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    /// Whether the file system has locks.
    held: bool,
}

impl Drop for Lock {
    /// Closing the file is not enough: a process that a plugin forked off may have it open too.
    fn drop(&mut self) {
        _ = self.file.unlock();
    }
}

impl Lock {
    /// Takes the lock. If it is held, the error names the holder.
    pub(crate) fn take(folder: &Path) -> Result<Self, ResultsError> {
        let path = folder.join(LOCK);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(ResultsError::Link { path });
        }
        let options = &mut OpenOptions::new();
        let mut file =
            regular::open_with(&path, options.create(true).truncate(false).read(true).write(true))
                .map_err(ResultsError::writing(&path, "open the lock"))?;
        match lock_soon(&file) {
            Ok(()) => {}
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                return Ok(Lock { file, held: false });
            }
            Err(TryLockError::WouldBlock) => {
                // On some systems a held lock cannot be read: the message then says less.
                let words = words_of(&file).filter(|words| !words.trim().is_empty());
                let holder = match words {
                    Some(words) => words.trim().to_owned(),
                    None => "it did not say which".to_owned(),
                };
                return Err(ResultsError::Locked { folder: folder.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => {
                return Err(ResultsError::writing(&path, "lock the folder")(error));
            }
        }
        let mut note = || -> std::io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(holder().as_bytes())
        };
        note().map_err(ResultsError::writing(&path, "write the lock"))?;
        Ok(Lock { file, held: true })
    }

    /// Returns whether the lock keeps others out.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Returns whether a process of this machine took the lock of a folder and no process holds it
    /// now. Returns false if that is unknown.
    pub(crate) fn is_free(folder: &Path) -> bool {
        let Ok(file) = regular::open(&folder.join(LOCK)) else { return false };
        // A lock of another machine may not be seen from here.
        let is_ours = words_of(&file).is_some_and(|words| words.contains(&host_words()));
        is_ours && file.try_lock().is_ok()
    }
}

/// Locks a file. A run that was killed a moment ago holds its locks until the system has put its
/// processes away: they are waited for.
pub(crate) fn lock_soon(file: &File) -> Result<(), TryLockError> {
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if since.elapsed() < AFTERLIFE => {
                std::thread::sleep(AFTERLIFE / 50);
            }
            locked => return locked,
        }
    }
}

/// Returns whether a process holds the lock of a results folder now. Returns false if that is
/// unknown, such as on a file system without locks.
pub(crate) fn is_running(folder: &Path) -> bool {
    let Ok(file) = regular::open(&folder.join(LOCK)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Returns whether the error is that of a file system without locks, such as Lustre or NFS have
/// them depending on how they are mounted.
fn has_no_locks(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let number = error.raw_os_error();
        [Errno::NOSYS, Errno::NOLCK, Errno::NOTSUP, Errno::OPNOTSUPP]
            .iter()
            .any(|one| number == Some(one.raw_os_error()))
    }
    #[cfg(not(unix))]
    {
        error.kind() == std::io::ErrorKind::Unsupported
    }
}

/// Returns the words of a lock or a claim; `None` if they cannot be read.
pub(super) fn words_of(mut file: &File) -> Option<String> {
    let mut words = String::new();
    file.take(MOST_WORDS).read_to_string(&mut words).ok()?;
    file.rewind().ok()?;
    Some(words)
}

/// Returns the machine, in the words of the lock.
pub(super) fn host_words() -> String {
    format!(" on {}, since ", host_name().unwrap_or_else(|| "this host".to_owned()))
}

/// Describes this process as the holder of the lock.
pub(super) fn holder() -> String {
    format!("process {}{}{}", std::process::id(), host_words(), now())
}
