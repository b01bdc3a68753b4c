//! The journal: trials that finished since the last part was written, so that a run that is killed
//! loses none of them.
//!
//! Entries are appended as trials finish, without waiting for the disk: what the system was given
//! survives the end of the process, however it ends. Where trials stay in here for longer than a
//! second, it is flushed each second: a loss of power may take the last second's.
//!
//! Each entry is a mark (8 bytes), the length of its record (4 bytes), the checksum of these two (4
//! bytes) and that of the record (8 bytes, all little endian), then the record and the byte
//! [`END`].
//! The mark is where reading goes on behind an entry that is damaged. A crash leaves a last entry
//! that the file's end cuts off, or whose last bytes are zeros that the disk never got: since the
//! head has a checksum of its own and no whole entry ends with a zero, neither looks like damage.

use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::plan::{ArmSpec, ResultsSpec};
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::create;
use crate::system::regular;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Stands before each entry. Its digit is the format's version.
const MARK: &[u8; 8] = b"\xF2trial2\n";
/// The mark of format 1, whose lengths had no checksum.
const MARK_1: &[u8; 8] = b"\xF1trial\r\n";
const HEAD: usize = 8 + 4 + 4 + 8;
/// Ends each entry. No flipped bit makes it a zero.
const END: u8 = b'\n';

/// How often damage is looked at again, and how long lies between: while a run writes, a reader may
/// meet a file that is just being emptied and filled.
const LOOKS: usize = 4;
const BETWEEN: Duration = Duration::from_millis(50);

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
    /// Bytes that belong to no sound entry, and where the first of them is.
    pub damaged: usize,
    first_damaged: usize,
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

/// Reads the journal at `path`, and skips what is damaged; without one, nothing.
///
/// # Errors
/// If it cannot be read, or another version of the runner wrote it.
pub(crate) fn read(path: &Path, spec: &ResultsSpec) -> Result<JournalContents, ResultsError> {
    let arms = spec.arms.iter().enumerate().map(|(arm, row)| (row.id, arm)).collect();
    let mut before: Option<(usize, blake3::Hash)> = None;
    for look in 1.. {
        let bytes = match regular::read(path, regular::MOST_OF_DATA) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(JournalContents::default());
            }
            Err(error) => return Err(ResultsError::reading(path, "read the journal")(error)),
        };
        let found = contents(&bytes, spec, &arms, path)?;
        // The bytes up to the damage and the first of its own.
        let seen = (
            found.first_damaged,
            blake3::hash(&bytes[..bytes.len().min(found.first_damaged + HEAD)]),
        );
        if found.damaged == 0 || before == Some(seen) || look == LOOKS {
            return Ok(found);
        }
        before = Some(seen);
        std::thread::sleep(BETWEEN);
    }
    unreachable!("the loop ends at its last look")
}

/// The same for who only reads, to whom a damaged journal is an error: without its trials, numbers
/// would be others.
///
/// # Errors
/// If it cannot be read, another version of the runner wrote it, or it is damaged.
pub(crate) fn read_whole(path: &Path, spec: &ResultsSpec) -> Result<JournalContents, ResultsError> {
    let found = read(path, spec)?;
    match found.damaged {
        0 => Ok(found),
        bytes => Err(ResultsError::DamagedJournal {
            path: path.to_owned(),
            bytes,
            first: found.first_damaged,
        }),
    }
}

fn contents(
    bytes: &[u8],
    spec: &ResultsSpec,
    arms: &BTreeMap<ArmId, usize>,
    path: &Path,
) -> Result<JournalContents, ResultsError> {
    let other = |found: &str| ResultsError::JournalFormat {
        path: path.to_owned(),
        found: found.to_owned(),
    };
    if bytes.starts_with(MARK_1) {
        return Err(other("format 1"));
    }
    // Zeros at the end were never written.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut found = JournalContents::default();
    let (mut place, mark) = (0, memmem::Finder::new(MARK));
    while place < bytes.len() {
        let rest = &bytes[place..];
        let next_mark = || mark.find(&rest[1..]).map(|found| found + 1);
        match next(rest, end.saturating_sub(place)) {
            Next::Entry(entry, length) => {
                found.take(*entry, spec, arms);
                place += length;
            }
            Next::Foreign => return Err(other("another format")),
            // The one that was being written, unless another follows it.
            Next::Cut if next_mark().is_none() => break,
            Next::Cut | Next::Damaged => {
                let skipped = next_mark().unwrap_or(rest.len());
                if found.damaged == 0 {
                    found.first_damaged = place;
                }
                found.damaged += skipped;
                place += skipped;
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
    /// A sound entry with a record of another version of the runner.
    Foreign,
    /// The file ends, or its zeros begin, before the entry ends.
    Cut,
    Damaged,
}

/// What `bytes` begin with, of which those from `end` on are zeros.
fn next(bytes: &[u8], end: usize) -> Next {
    let written = &bytes[..end];
    let Some((head, body)) = bytes.split_first_chunk::<HEAD>() else {
        return cut_head(written);
    };
    let [mark @ .., a, b, c, d] = head[..12].first_chunk::<12>().expect("a head is longer");
    if mark != MARK || short(checksum(&head[..12])) != head[12..16] {
        return if end < HEAD { cut_head(written) } else { Next::Damaged };
    }
    let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
    if end <= HEAD + length {
        return Next::Cut;
    }
    let (entry, last) = (&body[..length], body[length]);
    if last != END || checksum(entry) != head[16..] {
        return Next::Damaged;
    }
    match postcard::from_bytes(entry) {
        Ok(read) => Next::Entry(Box::new(read), HEAD + length + 1),
        Err(_) => Next::Foreign,
    }
}

/// Where only a part of a head was written: whether it is the beginning of one.
fn cut_head(written: &[u8]) -> Next {
    let mark = written.len().min(MARK.len());
    if written[..mark] == MARK[..mark] { Next::Cut } else { Next::Damaged }
}

/// The first half.
fn short([a, b, c, d, ..]: [u8; 8]) -> [u8; 4] {
    [a, b, c, d]
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
            let sum = checksum(body);
            let head = &mut bytes[start..start + HEAD];
            head[..8].copy_from_slice(MARK);
            head[8..12].copy_from_slice(&length.to_le_bytes());
            let of_head = short(checksum(&head[..12]));
            head[12..16].copy_from_slice(&of_head);
            head[16..].copy_from_slice(&sum);
            bytes.push(END);
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
        let arms = spec.arms.iter().enumerate().map(|(arm, row)| (row.id, arm)).collect();
        proptest!(|(cut in 0..whole.len())| {
            // A run that is killed leaves a cut entry, and says nothing of it.
            std::fs::write(&path, &whole[..cut]).expect("a file");
            let found = read(&path, &spec).expect("readable");
            let entries = ends.partition_point(|end| *end <= cut);
            prop_assert_eq!((&found.records[..], found.damaged), (&records[..entries], 0));
            // A disk that got the file's length leaves zeros.
            let end = if cut % 2 == 0 { whole.len() } else { whole.len().min(cut + cut % 97) };
            let mut zeros = whole[..cut].to_vec();
            zeros.resize(end, 0);
            std::fs::write(&path, &zeros).expect("a file");
            let found = read(&path, &spec).expect("readable");
            let entries = ends.partition_point(|end| *end <= cut);
            prop_assert_eq!((&found.records[..], found.damaged), (&records[..entries], 0));
        });
        // Of flipped bits each costs its entry alone, and is noticed; readers refuse the journal.
        for place in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[place / 8] ^= 1 << (place % 8);
            let found = contents(&flipped, &spec, &arms, &path).expect("of this format");
            let hit = ends.partition_point(|end| *end <= place / 8);
            let mut others = records[..10].to_vec();
            others.remove(hit);
            assert!(found.records == others && found.damaged > 0, "bit {place}");
            assert!(found.first_damaged <= place / 8);
        }
        std::fs::write(&path, [&whole[..30], b"x", &whole[31..]].concat()).expect("a file");
        assert_eq!(read(&path, &spec).expect("readable").records, records[1..]);
        let refused = read_whole(&path, &spec).err().expect("damaged").to_string();
        assert!(refused.contains(" bytes from byte 0 on belong to no sound entry"), "{refused}");
        std::fs::write(&path, MARK_1).expect("a file");
        let refused = read(&path, &spec).err().expect("an old one").to_string();
        assert!(refused.contains("another version of the runner wrote this journal"), "{refused}");
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
