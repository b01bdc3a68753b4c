//! The results folder: its files, and the lock that keeps two runs from writing to it at once.

use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::file::{UNFINISHED, sync_folder};
use crate::results::storage::regular;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Folder of part files, and of the plan that a running or interrupted experiment has.
pub(crate) const PARTS: &str = "parts";
/// In the folder of parts: what the readers of an unfinished experiment need to know.
pub(crate) const PLAN: &str = "plan.json";
/// Beside the parts: what finished since the last of them.
pub(crate) const JOURNAL: &str = "journal";
const LOCK: &str = ".lock";
/// How long a lock may outlive the run that held it.
const AFTERLIFE: Duration = Duration::from_secs(1);

/// Trials with their generations and timings, in files side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    folder: PathBuf,
    /// None: the finished tables. Otherwise how often its rows were folded, and its number.
    pub part: Option<(u32, u64)>,
}

impl Unit {
    pub fn tables(folder: &Path) -> Self {
        Unit { folder: folder.to_owned(), part: None }
    }

    pub fn part(folder: &Path, level: u32, number: u64) -> Self {
        Unit { folder: folder.join(PARTS), part: Some((level, number)) }
    }

    pub fn path(&self, table: Table) -> PathBuf {
        match self.part {
            None => self.folder.join(table.file_name()),
            Some((level, number)) => self.folder.join(part_name(table, level, number)),
        }
    }

    /// Removes the part's files. Trials first: what remains if this is cut short counts as
    /// unfinished.
    pub fn remove(&self) -> Result<(), ResultsError> {
        for table in [Table::Trials, Table::Generations, Table::Timings] {
            remove_if_there(&self.path(table))?;
        }
        Ok(())
    }
}

/// Whether there is a folder of this name.
///
/// # Errors
/// If the system does not say.
pub(crate) fn is_there(folder: &Path) -> Result<bool, ResultsError> {
    match fs::metadata(folder) {
        Ok(found) => Ok(found.is_dir()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(ResultsError::reading(folder, "look at the folder")(error)),
    }
}

/// Beyond these no part of a run ever gets: eight parts of a level make one of the next.
const LEVELS: u32 = 32;
const NUMBERS: u64 = 1 << 53;

/// `trials-2-000017.parquet` to table, level and number; none for a name that no run gives.
fn parse_part(name: &str) -> Option<(Table, u32, u64)> {
    let mut words = name.strip_suffix(".parquet")?.split('-');
    let (table, level, number) = (words.next()?, words.next()?, words.next()?);
    let table = Table::ALL.into_iter().find(|known| known.word() == table)?;
    if words.next().is_some() {
        return None;
    }
    let (level, number) = (level.parse().ok()?, number.parse().ok()?);
    let ours = level < LEVELS && number < NUMBERS && part_name(table, level, number) == name;
    ours.then_some((table, level, number))
}

fn part_name(table: Table, level: u32, number: u64) -> String {
    format!("{table}-{level}-{number:06}.parquet")
}

/// Tables in the folder of parts whose names no run gives: they are left alone.
pub(crate) fn strays(folder: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let parts = folder.join(PARTS);
    let mut strays = Vec::new();
    for entry in fs::read_dir(&parts).map_err(ResultsError::reading(&parts, "list the folder"))? {
        let entry = entry.map_err(ResultsError::reading(&parts, "list the folder"))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".parquet")
            && !name.starts_with(UNFINISHED)
            && parse_part(&name).is_none()
        {
            strays.push(entry.path());
        }
    }
    strays.sort();
    Ok(strays)
}

/// The parts that have a file of any of these tables, by number.
pub(crate) fn list_parts(folder: &Path, tables: &[Table]) -> Result<Vec<Unit>, ResultsError> {
    let parts = folder.join(PARTS);
    let mut found = Vec::new();
    let entries = match fs::read_dir(&parts) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ResultsError::reading(&parts, "list the folder")(error)),
    };
    for entry in entries {
        let entry = entry.map_err(ResultsError::reading(&parts, "list the folder"))?;
        if let Some((table, level, number)) = parse_part(&entry.file_name().to_string_lossy())
            && tables.contains(&table)
        {
            found.push((number, level));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|(number, level)| Unit::part(folder, level, number)).collect())
}

pub(crate) fn remove_if_there(path: &Path) -> Result<(), ResultsError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(ResultsError::writing(path, "remove the file")(error))
        }
        _ => Ok(()),
    }
}

/// Removes what a killed run left half written.
pub(crate) fn remove_unfinished(folder: &Path) -> Result<(), ResultsError> {
    let entries = fs::read_dir(folder).map_err(ResultsError::reading(folder, "list the folder"))?;
    for entry in entries {
        let entry = entry.map_err(ResultsError::reading(folder, "list the folder"))?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}

/// Makes the experiment's folder. Refuses a symbolic link in its place or in that of its
/// subfolders.
pub(crate) fn create_folder(folder: &Path) -> Result<(), ResultsError> {
    for path in
        [folder.to_owned(), folder.join(PARTS), folder.join(SUPERSEDED), folder.join(DAMAGED)]
    {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(ResultsError::Link { path });
        }
    }
    fs::create_dir_all(folder).map_err(ResultsError::writing(folder, "create the folder"))
}

/// Folder of rows that the config no longer asks for.
pub(crate) const SUPERSEDED: &str = "superseded";
/// Folder of files that cannot be read.
pub(crate) const DAMAGED: &str = "damaged";

/// A numbered folder for what is set aside, made at its first use.
pub(crate) struct Aside {
    parent: PathBuf,
    made: Option<PathBuf>,
}

impl Aside {
    pub fn new(folder: &Path, name: &str) -> Self {
        Aside { parent: folder.join(name), made: None }
    }

    /// The folder; makes it if need be.
    pub fn folder(&mut self) -> Result<&Path, ResultsError> {
        if self.made.is_none() {
            fs::create_dir_all(&self.parent)
                .map_err(ResultsError::writing(&self.parent, "create the folder"))?;
            let entries = fs::read_dir(&self.parent)
                .map_err(ResultsError::reading(&self.parent, "list the folder"))?;
            let mut last = 0;
            for entry in entries {
                let entry =
                    entry.map_err(ResultsError::reading(&self.parent, "list the folder"))?;
                let number = entry.file_name().to_string_lossy().parse().unwrap_or(0);
                last = last.max(if number < NUMBERS { number } else { 0 });
            }
            let path = self.parent.join(format!("{:03}", last + 1));
            fs::create_dir(&path).map_err(ResultsError::writing(&path, "create the folder"))?;
            sync_folder(&path)?;
            self.made = Some(path);
        }
        Ok(self.made.as_deref().expect("made above"))
    }

    /// Moves a file there, if it exists.
    pub fn take(&mut self, path: &Path) -> Result<(), ResultsError> {
        let there = match fs::symlink_metadata(path) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(ResultsError::reading(path, "look at the file")(error)),
        };
        if there {
            let name = path.file_name().unwrap_or_default().to_owned();
            let target = self.folder()?.join(name);
            fs::rename(path, &target).map_err(ResultsError::writing(path, "move the file"))?;
            sync_folder(&target)?;
            sync_folder(path)?;
        }
        Ok(())
    }

    /// Where things went, if any did.
    pub fn made(&self) -> Option<&Path> {
        self.made.as_deref()
    }
}

/// Held for as long as a run writes to the folder; the system lets go of it when the process ends,
/// however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Closing the file is not enough: a process that a plugin forked off may have it open too.
    fn drop(&mut self) {
        _ = self.file.unlock();
    }
}

impl Lock {
    /// `holder` says who holds it, to whoever finds it held.
    pub fn take(folder: &Path, holder: &str) -> Result<Self, ResultsError> {
        let path = folder.join(LOCK);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(ResultsError::Link { path });
        }
        let options = &mut OpenOptions::new();
        let mut file =
            regular::open_with(&path, options.create(true).truncate(false).read(true).write(true))
                .map_err(ResultsError::writing(&path, "open the lock"))?;
        // A run that was killed a moment ago holds it until the system has put its processes away.
        let since = Instant::now();
        let locked = loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if since.elapsed() < AFTERLIFE => {
                    std::thread::sleep(AFTERLIFE / 50);
                }
                locked => break locked,
            }
        };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut words = String::new();
                // On some systems a held lock cannot be read: the message then says less.
                let holder = match file.read_to_string(&mut words) {
                    Ok(_) if !words.trim().is_empty() => words.trim().to_owned(),
                    _ => "it did not say which".to_owned(),
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
            file.write_all(holder.as_bytes())
        };
        note().map_err(ResultsError::writing(&path, "write the lock"))?;
        Ok(Lock { file })
    }
}
