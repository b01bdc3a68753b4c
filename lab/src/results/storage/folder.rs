//! The results folder: the names of its files, and which of them are there.

use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::atomic::{UNFINISHED, remove_folder_if_there, remove_if_there};
use crate::results::storage::files::{list, make_folder};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folder of part files, and of the plan that a running or interrupted experiment has.
pub(crate) const PARTS: &str = "parts";
/// Folder of unfinished runs of a shard, each in a separate folder.
pub(crate) const ATTEMPTS: &str = "attempts";
/// File in the folder of parts with the data that readers of an unfinished experiment need.
pub(crate) const PLAN: &str = "plan.json";
/// File in the folder of parts with the trials that finished since the last segment.
pub(crate) const JOURNAL: &str = "journal";
/// Start of the names of files in the folder of parts with the evaluations of running trials.
const CHECKPOINT: &str = "checkpoint";
/// File in the folder of parts of a shard with all of its trials.
const WHOLE: &str = "whole";
/// File next to the parts while failed trials are moved away to be run again. A run that finds it
/// continues the move.
pub(crate) const RETRYING: &str = "retrying";
/// Folder of rows that the config no longer asks for.
pub(crate) const SUPERSEDED: &str = "superseded";
/// Folder of files of data that parameters name.
pub(crate) const DATA: &str = "data";
/// Folder of first genomes.
pub(crate) const START: &str = "start";
/// Folder of files that cannot be read.
pub(crate) const DAMAGED: &str = "damaged";

/// File with the hash of what a tuning's iterations depend on, by which another tuning is refused
/// before anything in the folder changes.
pub(crate) const TUNING_DIGEST: &str = "tuning.digest";

/// File of a tuning's settings.
pub(crate) const SETTINGS_TABLE: &str = "settings.parquet";

/// Returns whether a folder is that of a finished tuning: it has experiments in it and is none
/// itself.
#[must_use]
pub fn is_tuning_folder(folder: &Path) -> bool {
    folder.join(SETTINGS_TABLE).is_file()
}

/// Returns whether a folder has an experiment, finished or not.
pub(crate) fn has_experiment(folder: &Path) -> bool {
    let tables = TableSet::tables(folder).path(Table::Trials);
    tables.exists() || folder.join(PARTS).join(PLAN).exists()
}

/// Returns whether a folder has a tuning, finished or not.
pub(crate) fn has_tuning(folder: &Path) -> bool {
    folder.join(TUNING_DIGEST).is_file() || is_tuning_folder(folder)
}

/// Trials with their generations and timings, in files side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableSet {
    folder: PathBuf,
    /// Number of times that the rows were folded, and number of the part; `None` for the finished
    /// tables.
    pub part: Option<(u32, u64)>,
    /// Number of the piece, if the set is a finished table in pieces.
    piece: Option<u64>,
}

impl TableSet {
    /// The order in which its files appear: the trials last, since a trial counts once its row is
    /// there.
    pub(crate) const APPEARING: [Table; 3] = [Table::Generations, Table::Timings, Table::Trials];

    pub(crate) fn tables(folder: &Path) -> Self {
        TableSet { folder: folder.to_owned(), part: None, piece: None }
    }

    pub(crate) fn part(folder: &Path, level: u32, number: u64) -> Self {
        TableSet { folder: folder.join(PARTS), part: Some((level, number)), piece: None }
    }

    /// Returns a piece of finished tables that are folders: `trials/trials-000017.parquet`.
    pub(crate) fn piece(folder: &Path, number: u64) -> Self {
        TableSet { folder: folder.to_owned(), part: None, piece: Some(number) }
    }

    pub(crate) fn path(&self, table: Table) -> PathBuf {
        match (self.part, self.piece) {
            (Some((level, number)), _) => self.folder.join(part_name(table, level, number)),
            (None, Some(number)) => {
                self.folder.join(table.as_str()).join(format!("{table}-{number:06}.parquet"))
            }
            (None, None) => self.folder.join(table.file_name()),
        }
    }

    /// Removes the part's files. Trials first: what remains if this is cut short counts as
    /// unfinished.
    pub(crate) fn remove(&self) -> Result<(), ResultsError> {
        for table in [Table::Trials, Table::Generations, Table::Timings] {
            remove_if_there(&self.path(table))?;
        }
        Ok(())
    }
}

/// Returns whether there is a folder of this name.
pub(crate) fn is_there(folder: &Path) -> Result<bool, ResultsError> {
    match fs::metadata(folder) {
        Ok(found) => Ok(found.is_dir()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(ResultsError::reading(folder, "look at the folder")(error)),
    }
}

/// Age from which on an unfinished file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Limits that no part of a run ever reaches, because eight parts of a level make one of the next.
const LEVELS: u32 = 32;
pub(crate) const NUMBERS: u64 = 1 << 53;

/// Parses `trials-2-000017.parquet` into table, level and number; `None` if no run gives that name.
fn parse_part(name: &str) -> Option<(Table, u32, u64)> {
    let mut words = name.strip_suffix(".parquet")?.split('-');
    let (table, level, number) = (words.next()?, words.next()?, words.next()?);
    let table = Table::parse(table)?;
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
    let is_stray = |name: &String| {
        name.ends_with(".parquet") && !name.starts_with(UNFINISHED) && parse_part(name).is_none()
    };
    let strays = names_of_parts(folder)?.into_iter().filter(is_stray);
    Ok(strays.map(|name| folder.join(PARTS).join(name)).collect())
}

/// Returns the path of the segment of this number in a folder.
pub(crate) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(PARTS).join(format!("segment-{number:06}"))
}

/// Returns the path of the journal that becomes the segment of this number.
pub(crate) fn rotated_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(PARTS).join(format!("{JOURNAL}-{number:06}"))
}

/// Returns the path of the checkpoint of a trial.
pub(crate) fn checkpoint_path(folder: &Path, arm: ArmId, trial: u64) -> PathBuf {
    folder.join(PARTS).join(checkpoint_name(arm, trial))
}

fn checkpoint_name(arm: ArmId, trial: u64) -> String {
    format!("{CHECKPOINT}-{arm}-{trial}")
}

/// Lists the trials that have a checkpoint in a folder.
pub(crate) fn list_checkpoints(folder: &Path) -> Result<Vec<(ArmId, u64)>, ResultsError> {
    let parse = |name: &String| {
        let (arm, trial) = name.strip_prefix(CHECKPOINT)?.strip_prefix('-')?.split_once('-')?;
        let (arm, trial) = (ArmId::from_hex(arm)?, trial.parse().ok()?);
        (checkpoint_name(arm, trial) == *name).then_some((arm, trial))
    };
    Ok(names_of_parts(folder)?.iter().filter_map(parse).collect())
}

/// Returns the path of the segment that has all trials of a shard.
pub(crate) fn whole_path(folder: &Path) -> PathBuf {
    folder.join(PARTS).join(WHOLE)
}

/// Returns the number of a segment or a rotated journal; `None` for any other file.
fn number_of(name: &str, prefix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?.strip_prefix('-')?;
    let number = digits.parse().ok().filter(|number| *number < NUMBERS)?;
    (format!("{number:06}") == digits).then_some(number)
}

/// Lists names in the folder of parts, sorted; empty if there is no such folder.
fn names_of_parts(folder: &Path) -> Result<Vec<String>, ResultsError> {
    let entries = list(&folder.join(PARTS))?;
    let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.iter().map(name).collect();
    names.sort();
    Ok(names)
}

/// Lists the segments of a folder.
pub(crate) fn list_segments(folder: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let is_segment = |name: &String| name == WHOLE || number_of(name, "segment").is_some();
    let names = names_of_parts(folder)?.into_iter().filter(is_segment);
    Ok(names.map(|name| folder.join(PARTS).join(name)).collect())
}

/// Lists the journals of a folder.
pub(crate) fn list_journals(folder: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let is_journal = |name: &String| name == JOURNAL || number_of(name, JOURNAL).is_some();
    let names = names_of_parts(folder)?.into_iter().filter(is_journal);
    Ok(names.map(|name| folder.join(PARTS).join(name)).collect())
}

/// Returns a number that no segment or journal of a folder has, nor any above it.
pub(crate) fn next_number(folder: &Path) -> Result<u64, ResultsError> {
    let names = names_of_parts(folder)?;
    let number = |name: &String| number_of(name, "segment").or_else(|| number_of(name, JOURNAL));
    Ok(names.iter().filter_map(number).max().map_or(0, |last| last + 1))
}

/// Lists the tables in the folder of parts, by number. Earlier builds kept finished trials in them.
pub(crate) fn list_parts(folder: &Path) -> Result<Vec<TableSet>, ResultsError> {
    let names = names_of_parts(folder)?;
    let part = |name: &String| parse_part(name).map(|(_, level, number)| (number, level));
    let mut found: Vec<(u64, u32)> = names.iter().filter_map(part).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|(number, level)| TableSet::part(folder, level, number)).collect())
}

/// Lists the pieces of finished tables that are folders, by number; empty if the tables are files.
pub(crate) fn list_pieces(folder: &Path) -> Result<Vec<TableSet>, ResultsError> {
    let trials = folder.join(Table::Trials.as_str());
    if !is_there(&trials)? {
        return Ok(Vec::new());
    }
    let number = |entry: fs::DirEntry| {
        let name = entry.file_name();
        name.to_str()?.strip_prefix("trials-")?.strip_suffix(".parquet")?.parse::<u64>().ok()
    };
    let mut numbers: Vec<u64> = list(&trials)?.into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers.into_iter().map(|number| TableSet::piece(folder, number)).collect())
}

/// Refuses to write tables next to tables in pieces.
pub fn refuse_pieces(folder: &Path) -> Result<(), ResultsError> {
    match list_pieces(folder)?.is_empty() {
        true => Ok(()),
        false => Err(ResultsError::InPieces { folder: folder.to_owned() }),
    }
}

/// Refuses a shard that an earlier build of the runner began.
pub(crate) fn refuse_old_parts(folder: &Path) -> Result<(), ResultsError> {
    match list_parts(folder)?.first() {
        None => Ok(()),
        Some(part) => Err(ResultsError::OldPart { path: part.path(Table::Trials) }),
    }
}

/// Removes half-written files, and folders of tables in pieces, of a killed run. `alone` means
/// that, by a lock, no other process writes to the folder. Otherwise only those that are a day old
/// are removed.
pub(crate) fn remove_all_unfinished(folder: &Path, alone: bool) -> Result<(), ResultsError> {
    remove_unfinished(folder, alone)?;
    [PARTS, DATA, START].iter().try_for_each(|name| remove_unfinished(&folder.join(name), alone))
}

fn remove_unfinished(folder: &Path, alone: bool) -> Result<(), ResultsError> {
    let is_old = |entry: &fs::DirEntry| {
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > ABANDONED)
    };
    for entry in list(folder)? {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) && (alone || is_old(&entry))
        {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => remove_folder_if_there(&entry.path())?,
                false => remove_if_there(&entry.path())?,
            }
        }
    }
    Ok(())
}

/// Makes the experiment's folder. Refuses a symbolic link in its place or in that of its
/// subfolders.
pub(crate) fn create_folder(folder: &Path) -> Result<(), ResultsError> {
    let below = [PARTS, ATTEMPTS, SUPERSEDED, DAMAGED, DATA, START].map(|name| folder.join(name));
    for path in below.into_iter().chain([folder.to_owned()]) {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(ResultsError::Link { path });
        }
    }
    make_folder(folder)
}
