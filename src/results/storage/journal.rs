//! The journal: trials that finished since the last part was written, so that a run that is killed
//! loses none of them.
//!
//! Entries are appended as trials finish, without waiting for the disk: what the system was given
//! survives the end of the process, however it ends. Where trials stay in here for longer than a
//! second, it is flushed each second: a loss of power may take the last second's.
//! Each entry is a mark (8 bytes), the length of what follows (4 bytes) and the checksum of that (8
//! bytes, all little endian), then a record. The mark is where reading goes on behind an entry that
//! is damaged; an entry that the file's end cuts off was under way when its run was killed.

use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::plan::{ArmSpec, ResultsSpec};
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::create;
use crate::results::storage::regular;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Stands before each entry.
const MARK: &[u8; 8] = b"\xF1trial\r\n";
const HEAD: usize = 8 + 4 + 8;

/// A record, and what it takes to know whether a config still asks for it.
#[derive(Serialize, Deserialize)]
struct Entry {
    arm: u64,
    /// What it ran with besides its arm, as [`ran_with`] says.
    trace: String,
    /// The start of the BLAKE3 of the plugin's library.
    plugin: u64,
    record: TrialRecord,
}

/// The file, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Its length.
    length: u64,
    /// When it was on the disk last.
    flushed: Instant,
}

/// Makes entries of records, on any thread.
#[derive(Clone, Debug)]
pub(crate) struct EntryWriter {
    /// Of the journal, for messages.
    path: PathBuf,
    /// By their index.
    arms: Vec<ArmId>,
    trace: String,
    plugin: u64,
}

/// What a journal held.
#[derive(Default)]
pub(crate) struct JournalContents {
    /// Of trials that the spec asks for.
    pub records: Vec<TrialRecord>,
    /// Others.
    pub stale: u64,
    /// The builds of the plugin that made the records, by the start of their BLAKE3.
    pub plugins: Vec<u64>,
    /// Bytes that belong to no sound entry.
    pub damaged: usize,
}

/// The start of a library's BLAKE3, which is in hex; 0 for a text that is none.
pub(crate) fn build(hex: &str) -> u64 {
    hex.get(..16).and_then(|start| u64::from_str_radix(start, 16).ok()).unwrap_or(0)
}

/// First bytes of the entry's BLAKE3.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let hash = blake3::hash(bytes);
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    [a, b, c, d, e, f, g, h]
}

/// Reads the journal at `path`; without one, nothing.
pub(crate) fn read(path: &Path, spec: &ResultsSpec) -> Result<JournalContents, ResultsError> {
    let bytes = match regular::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(JournalContents::default());
        }
        Err(error) => return Err(ResultsError::reading(path, "read the journal")(error)),
    };
    let arms = spec.arms.iter().enumerate().map(|(arm, row)| (row.id, arm)).collect();
    let mut found = JournalContents::default();
    let (mut rest, mark) = (&bytes[..], memmem::Finder::new(MARK));
    while !rest.is_empty() {
        match next(rest) {
            Next::Entry(entry, length) => {
                found.take(*entry, spec, &arms);
                rest = &rest[length..];
            }
            // The one that was being written, unless another follows it.
            Next::Cut if mark.find(&rest[1..]).is_none() => break,
            Next::Cut | Next::Damaged => {
                let skipped = mark.find(&rest[1..]).map_or(rest.len(), |place| place + 1);
                found.damaged += skipped;
                rest = &rest[skipped..];
            }
        }
    }
    Ok(found)
}

impl JournalContents {
    /// Counts the trials that are to be run again among those that are not asked for.
    pub(crate) fn give_up_retried(&mut self) {
        let before = self.records.len();
        self.records.retain(|record| !record.outcome.may_be_retried());
        self.stale += (before - self.records.len()) as u64;
    }

    fn take(&mut self, entry: Entry, spec: &ResultsSpec, arms: &BTreeMap<ArmId, usize>) {
        let Entry { arm, trace, plugin, record } = entry;
        let arm = arms.get(&ArmId(arm)).copied();
        let (trace, budget) = trace.split_once('\n').unwrap_or((&trace, ""));
        let asked = |arm: usize| {
            record.trial < spec.limit(arm)
                && spec.trial_seed(arm, record.trial) == record.seed
                && trace == spec.trace.as_str()
                && is_within(budget, &record, &spec.arms[arm])
        };
        match arm.filter(|arm| asked(*arm)) {
            Some(arm) => {
                self.records.push(TrialRecord { arm, ..record });
                if !self.plugins.contains(&plugin) {
                    self.plugins.push(plugin);
                }
            }
            None => self.stale += 1,
        }
    }
}

/// What trials run with besides their arm: the trace and, where seeds do not follow from the
/// budget, that too, as JSON on a line of its own.
fn ran_with(spec: &ResultsSpec) -> String {
    let budget = spec.budget().and_then(|budget| serde_json::to_string(&budget).ok());
    let budget = budget.map_or_else(String::new, |budget| format!("\n{budget}"));
    format!("{}{budget}", spec.trace.as_str())
}

/// Whether a trial that ran within this budget, as JSON, is what the arm asks for.
fn is_within(ran: &str, record: &TrialRecord, arm: &ArmSpec) -> bool {
    let Some(asked) = Budget::of(&arm.settings) else { return true };
    let ran: Option<Budget> = serde_json::from_str(ran).ok();
    ran.is_some_and(|ran| ran.keeps(record.end(), &asked))
}

enum Next {
    /// And its length.
    Entry(Box<Entry>, usize),
    /// The file ends before the entry does.
    Cut,
    Damaged,
}

fn next(bytes: &[u8]) -> Next {
    let Some((head, body)) = bytes.split_first_chunk::<HEAD>() else {
        return if bytes.starts_with(&MARK[..bytes.len().min(MARK.len())]) {
            Next::Cut
        } else {
            Next::Damaged
        };
    };
    let Some((mark, [a, b, c, d, ..])) = head.split_first_chunk::<8>() else {
        return Next::Damaged;
    };
    if mark != MARK {
        return Next::Damaged;
    }
    let Some(entry) = body.get(..u32::from_le_bytes([*a, *b, *c, *d]) as usize) else {
        return Next::Cut;
    };
    if checksum(entry) != head[12..] {
        return Next::Damaged;
    }
    match postcard::from_bytes(entry) {
        Ok(read) => Next::Entry(Box::new(read), HEAD + entry.len()),
        Err(_) => Next::Damaged,
    }
}

impl EntryWriter {
    /// For the journal at `path`. `plugin`: the library's BLAKE3, in hex.
    pub(crate) fn new(path: &Path, spec: &ResultsSpec, plugin: &str) -> Self {
        let arms = spec.arms.iter().map(|arm| arm.id).collect();
        EntryWriter { path: path.to_owned(), arms, trace: ran_with(spec), plugin: build(plugin) }
    }

    /// The entries of finished trials.
    pub(crate) fn entries(&self, records: &[TrialRecord]) -> Result<Vec<u8>, ResultsError> {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            arm: u64,
            trace: &'a str,
            plugin: u64,
            record: &'a TrialRecord,
        }
        let (mut bytes, trace, plugin) = (Vec::new(), self.trace.as_str(), self.plugin);
        for record in records {
            let (start, arm) = (bytes.len(), self.arms[record.arm].0);
            bytes.extend([0; HEAD]);
            bytes = postcard::to_extend(&Borrowed { arm, trace, plugin, record }, bytes)
                .map_err(|error| self.unwritable(&error.to_string()))?;
            let body = &bytes[start + HEAD..];
            let length = u32::try_from(body.len())
                .map_err(|_| self.unwritable("a trial takes more than 4 GiB"))?;
            let (length, sum) = (length.to_le_bytes(), checksum(body));
            let head = &mut bytes[start..start + HEAD];
            head[..8].copy_from_slice(MARK);
            head[8..12].copy_from_slice(&length);
            head[12..].copy_from_slice(&sum);
        }
        Ok(bytes)
    }

    fn unwritable(&self, message: &str) -> ResultsError {
        ResultsError::Unwritable { path: self.path.clone(), message: message.to_owned() }
    }
}

impl Journal {
    /// The journal at `path`, as it is; to be cleared before anything is appended.
    pub(crate) fn open(path: &Path) -> Result<Self, ResultsError> {
        let file =
            regular::open_with(path, OpenOptions::new().create(true).truncate(false).write(true));
        let file = file.map_err(ResultsError::writing(path, "open the journal"))?;
        Ok(Journal { file, path: path.to_owned(), length: 0, flushed: Instant::now() })
    }

    /// Adds entries.
    pub(crate) fn append(&mut self, entries: &[u8]) -> Result<(), ResultsError> {
        self.length += entries.len() as u64;
        self.file.write_all(entries).map_err(ResultsError::writing(&self.path, "write the journal"))
    }

    /// Waits until all of it is on the disk, if the last time was so long ago.
    pub(crate) fn flush_every(&mut self, interval: Duration) -> Result<(), ResultsError> {
        if self.flushed.elapsed() < interval {
            return Ok(());
        }
        self.flushed = Instant::now();
        self.file.sync_all().map_err(ResultsError::writing(&self.path, "flush the journal"))
    }

    /// How long it is.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Forgets all: the trials are in parts.
    pub(crate) fn clear(&mut self) -> Result<(), ResultsError> {
        self.length = 0;
        self.file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .map_err(ResultsError::writing(&self.path, "empty the journal"))
    }

    /// Forgets all but the trials of these entries: the others are in parts. Whoever reads it
    /// meanwhile finds all that it had, or what it has now.
    pub(crate) fn replace(
        &mut self,
        entries: impl Iterator<Item = Result<Vec<u8>, ResultsError>>,
    ) -> Result<(), ResultsError> {
        let (unfinished, file) = create(&self.path)?;
        let (path, flushed) = (self.path.clone(), Instant::now());
        let mut other = Journal { file, path, length: 0, flushed };
        for entries in entries {
            other.append(&entries?)?;
        }
        other.flush_every(Duration::ZERO)?;
        fs::rename(&unfinished, &self.path)
            .map_err(ResultsError::writing(&self.path, "shorten the journal"))?;
        *self = other;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::results::fixtures::{record, spec};
    use proptest::prelude::*;

    #[test]
    fn records_come_back_but_for_damaged_entries() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("journal");
        let spec = spec(&[20, 40], 10, Trace::Best);
        assert!(read(&path, &spec).expect("no file").records.is_empty());
        let records: Vec<TrialRecord> =
            (0..10).map(|trial| record(&spec, trial as usize % 2, trial)).collect();
        let writer = EntryWriter::new(&path, &spec, "0123456789abcdef01");
        let entries = |records: &[TrialRecord]| writer.entries(records).expect("small records");
        let mut journal = Journal::open(&path).expect("a new file");
        journal.append(&entries(&records[..3])).expect("written");
        journal.append(&entries(&records[3..])).expect("written");
        let found = read(&path, &spec).expect("readable");
        assert_eq!(
            (found.records, found.damaged, found.plugins),
            (records.clone(), 0, vec![0x0123_4567_89ab_cdef])
        );
        let whole = std::fs::read(&path).expect("a file");
        let ends: Vec<usize> =
            memmem::find_iter(&whole, MARK).skip(1).chain([whole.len()]).collect();
        assert_eq!(ends.len(), 10);
        proptest!(|(cut in 0..whole.len(), bit in 0..8u32)| {
            // A run that is killed leaves a cut entry, and says nothing of it.
            std::fs::write(&path, &whole[..cut]).expect("a file");
            let found = read(&path, &spec).expect("readable");
            let entries = ends.partition_point(|end| *end <= cut);
            prop_assert_eq!((&found.records[..], found.damaged), (&records[..entries], 0));
            // A flipped bit costs its entry alone, and is noticed; that of the last entry's length
            // may be taken for a cut.
            let mut flipped = whole.clone();
            flipped[cut] ^= 1 << bit;
            std::fs::write(&path, &flipped).expect("a file");
            let found = read(&path, &spec).expect("readable");
            let hit = ends.partition_point(|end| *end <= cut);
            let mut others = records[..10].to_vec();
            others.remove(hit);
            prop_assert_eq!(found.records, others);
            prop_assert!(found.damaged > 0 || hit == 9);
        });
        // What the config no longer asks for is counted, not taken.
        std::fs::write(&path, &whole).expect("a file");
        let fewer = crate::results::fixtures::spec(&[20], 5, Trace::Best);
        let found = read(&path, &fewer).expect("readable");
        assert_eq!((found.records.len(), found.stale), (3, 7));
        let mut journal = Journal::open(&path).expect("a file");
        journal.clear().expect("emptied");
        journal.append(&entries(&records[..4])).expect("written");
        let kept = [Ok(entries(&records[2..3])), Ok(entries(&records[6..8]))];
        journal.replace(kept.into_iter()).expect("written");
        journal.append(&entries(&records[9..])).expect("written");
        let found = read(&path, &spec).expect("readable").records;
        assert_eq!(found, [&records[2..3], &records[6..8], &records[9..]].concat());
        assert_eq!(journal.length(), fs::metadata(&path).expect("a file").len());
        journal.clear().expect("emptied");
        assert!(read(&path, &spec).expect("readable").records.is_empty());
    }
}
