//! The journal: trials that finished since the last segment was written, so that a run that is
//! killed loses none of them.
//!
//! Entries are appended as trials finish, without waiting for the disk: what the system was given
//! survives the end of the process, however it ends. Once a second the file is flushed: a power
//! failure may take the trials of the last second.
//!
//! Once it has grown to [`FULL`], it gets a number and a new journal begins; the old one is removed
//! when its trials are in a segment.

use super::entry::{self, Entries};
use super::frame::Frames;
use super::judge::{Judge, Judgement};
use crate::results::error::ResultsError;
use crate::results::storage::folder::{JOURNAL, PARTS};
use crate::system::regular;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Number of bytes from which on a journal becomes a segment.
pub(crate) const FULL: u64 = 8 << 20;
/// Mark of format 1, whose lengths had no checksum.
const MARK_1: &[u8; 8] = b"\xF1trial\r\n";

/// Maximum number of times that damage is looked at again, and the pause between two looks. While a
/// run writes, a reader may meet a file that is being emptied and filled.
const LOOKS: usize = 4;
const BETWEEN: Duration = Duration::from_millis(50);

/// The file, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Number of bytes.
    length: u64,
    /// Number of bytes that were on the disk at `flushed`.
    safe: u64,
    flushed: Instant,
}

impl Journal {
    /// Opens the journal of a folder, or makes it. Must be cleared before anything is appended.
    pub(crate) fn open(folder: &Path) -> Result<Self, ResultsError> {
        let path = folder.join(PARTS).join(JOURNAL);
        let file = create(&path)?;
        Ok(Journal { file, path, length: 0, safe: 0, flushed: Instant::now() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends entries in frames.
    pub(crate) fn append(&mut self, frames: &[u8]) -> Result<(), ResultsError> {
        self.length += frames.len() as u64;
        self.file.write_all(frames).map_err(ResultsError::writing(&self.path, "write the journal"))
    }

    /// Flushes the file to the disk, unless that was done less than `interval` ago. Returns
    /// whether it did.
    pub(crate) fn flush_every(&mut self, interval: Duration) -> Result<bool, ResultsError> {
        if self.safe == self.length || self.flushed.elapsed() < interval {
            return Ok(false);
        }
        (self.flushed, self.safe) = (Instant::now(), self.length);
        self.file.sync_all().map_err(ResultsError::writing(&self.path, "flush the journal"))?;
        Ok(true)
    }

    /// Returns whether the file is still where it was made. Returns false if another file has its
    /// name.
    pub(crate) fn is_in_place(&self) -> bool {
        match fs::symlink_metadata(&self.path) {
            Err(error) => error.kind() != ErrorKind::NotFound,
            Ok(there) => self.file.metadata().map_or(true, |own| is_same_file(&own, &there)),
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Empties it: its trials are in segments or tables.
    pub(crate) fn clear(&mut self) -> Result<(), ResultsError> {
        (self.length, self.safe) = (0, 0);
        self.file.set_len(0).map_err(ResultsError::writing(&self.path, "empty the journal"))
    }

    /// Renames the current journal to `to`, and begins a new one.
    pub(crate) fn rotate(&mut self, to: &Path) -> Result<(), ResultsError> {
        fs::rename(&self.path, to).map_err(ResultsError::writing(to, "rename the journal"))?;
        self.file = create(&self.path)?;
        (self.length, self.safe) = (0, 0);
        Ok(())
    }
}

/// Returns whether two files are one. Returns true where the system cannot tell.
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        _ = (one, other);
        true
    }
}

fn create(path: &Path) -> Result<File, ResultsError> {
    let file = regular::open_with(path, OpenOptions::new().create(true).append(true));
    file.map_err(ResultsError::writing(path, "open the journal"))
}

/// Bytes of a journal, and the sound entries in them.
pub(crate) struct JournalBytes {
    bytes: Vec<u8>,
    entries: Vec<Range<usize>>,
    pub damage: Damage,
    path: PathBuf,
}

/// Damaged bytes of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Number of bytes that belong to no sound entry.
    pub bytes: usize,
    /// Place of the first of them.
    pub first: usize,
}

impl JournalBytes {
    fn new(bytes: Vec<u8>, path: &Path) -> Self {
        let mut frames = Frames::new(&bytes, &entry::MARK);
        let mut entries = Vec::new();
        while let Some(range) = frames.next_range() {
            entries.push(range);
        }
        let damage = Damage { bytes: frames.damaged, first: frames.first_damaged };
        JournalBytes { bytes, entries, damage, path: path.to_owned() }
    }

    /// Reads the journal at `path`; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or another version of the runner wrote it.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ResultsError> {
        let mut before: Option<(usize, blake3::Hash)> = None;
        for look in 1.. {
            let bytes = match regular::read(path, regular::MOST_OF_DATA) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(ResultsError::reading(path, "read the journal")(error)),
            };
            let found = JournalBytes::new(bytes, path);
            if found.bytes.starts_with(MARK_1) {
                return Err(found.foreign("format 1"));
            }
            // The bytes up to the damage and the first of its own.
            let end = found.bytes.len().min(found.damage.first + super::frame::HEAD);
            let seen = (found.damage.first, blake3::hash(&found.bytes[..end]));
            if found.damage.bytes == 0 || before == Some(seen) || look == LOOKS {
                return Ok(Some(found));
            }
            before = Some(seen);
            std::thread::sleep(BETWEEN);
        }
        unreachable!("the loop ends at its last look")
    }

    /// Returns the sound entries, in the order in which they were written.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Checks that nothing is damaged.
    pub(crate) fn must_be_sound(&self) -> Result<(), ResultsError> {
        match self.damage {
            Damage { bytes: 0, .. } => Ok(()),
            Damage { bytes, first } => {
                Err(ResultsError::DamagedJournal { path: self.path.clone(), bytes, first })
            }
        }
    }

    /// Adds the entries that are asked for, for a reader, to whom a damaged journal is an error:
    /// without its trials, numbers would be others.
    ///
    /// # Errors
    /// Returns an error if the journal is damaged, or another version of the runner wrote it.
    pub(crate) fn asked(&self, judge: &Judge<'_>, into: &mut Entries) -> Result<(), ResultsError> {
        for entry in self.entries() {
            match judge.judge(entry) {
                Some(Judgement::Asked { arm, trial, .. }) => into.push(arm, trial, entry),
                Some(Judgement::Stale { .. }) => {}
                None => return Err(self.foreign("another format")),
            }
        }
        self.must_be_sound()
    }

    pub(crate) fn foreign(&self, found: &str) -> ResultsError {
        ResultsError::JournalFormat { path: self.path.clone(), found: found.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ResultsSpec;
    use crate::plan::settings::Trace;
    use crate::record::TrialRecord;
    use crate::results::fixtures::{record, spec};
    use crate::results::schema::entry_format::record as record_of;
    use crate::results::storage::entry::{EntryWriter, MARK};
    use crate::results::storage::judge::FailedTrials;
    use memchr::memmem;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Returns the records that a config asks for, how many entries it does not ask for, and the
    /// damage.
    fn contents(bytes: &[u8], spec: &ResultsSpec) -> (Vec<TrialRecord>, usize, Damage) {
        let journal = JournalBytes::new(bytes.to_vec(), Path::new(""));
        let judge = Judge::new(spec, FailedTrials::Keep);
        let (mut records, mut stale) = (Vec::new(), 0);
        for one in journal.entries() {
            match judge.judge(one).expect("of this format") {
                Judgement::Asked { arm, .. } => records.extend(record_of(one, arm)),
                Judgement::Stale { .. } => stale += 1,
            }
        }
        (records, stale, journal.damage)
    }

    #[test]
    fn records_come_back_but_for_damaged_entries() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join(PARTS)).expect("a folder");
        let spec = spec(&[20, 40], 10, Trace::Best);
        let records: Vec<TrialRecord> =
            (0..10).map(|trial| record(&spec, trial as usize % 2, trial)).collect();
        let mut journal = Journal::open(folder.path()).expect("a new file");
        let path = journal.path().to_owned();
        let writer = EntryWriter::new(folder.path(), Arc::new(spec.clone()), "0123456789abcdef01");
        let frames = |records: &[TrialRecord]| writer.frames(records).expect("small records");
        journal.append(&frames(&records[..3])).expect("written");
        journal.append(&frames(&records[3..])).expect("written");
        let whole = fs::read(&path).expect("a file");
        assert_eq!(journal.length(), whole.len() as u64);
        assert_eq!(contents(&whole, &spec), (records.clone(), 0, Damage::default()));
        let ends: Vec<usize> =
            memmem::find_iter(&whole, &MARK).skip(1).chain([whole.len()]).collect();
        assert_eq!(ends.len(), 10);
        proptest!(|(cut in 0..whole.len())| {
            // A run that is killed leaves a cut entry, and says nothing of it.
            let number = ends.partition_point(|end| *end <= cut);
            let (found, _, damage) = contents(&whole[..cut], &spec);
            prop_assert_eq!((&found[..], damage.bytes), (&records[..number], 0));
            // A disk that got the file's length leaves zeros.
            let end = if cut % 2 == 0 { whole.len() } else { whole.len().min(cut + cut % 97) };
            let mut zeros = whole[..cut].to_vec();
            zeros.resize(end, 0);
            let (found, _, damage) = contents(&zeros, &spec);
            prop_assert_eq!((&found[..], damage.bytes), (&records[..number], 0));
        });
        // Each flipped bit costs its entry alone, and is noticed; readers refuse the journal.
        for place in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[place / 8] ^= 1 << (place % 8);
            let (found, _, damage) = contents(&flipped, &spec);
            let mut others = records.clone();
            others.remove(ends.partition_point(|end| *end <= place / 8));
            assert!(found == others && damage.bytes > 0, "bit {place}");
            assert!(damage.first <= place / 8);
        }
        fs::write(&path, [&whole[..30], b"x", &whole[31..]].concat()).expect("a file");
        let read = JournalBytes::read(&path).expect("readable").expect("a file");
        let judge = Judge::new(&spec, FailedTrials::Keep);
        let refused = read.asked(&judge, &mut Entries::default()).expect_err("damaged").to_string();
        assert!(refused.contains(" bytes from byte 0 on belong to no sound entry"), "{refused}");
        fs::write(&path, MARK_1).expect("a file");
        let refused = JournalBytes::read(&path).err().expect("an old one").to_string();
        assert!(refused.contains("another version of the runner wrote this journal"), "{refused}");
        // What the config no longer asks for is counted, not taken.
        let fewer = crate::results::fixtures::spec(&[20], 5, Trace::Best);
        let (found, stale, _) = contents(&whole, &fewer);
        assert_eq!((found.len(), stale), (3, 7));
        // A journal that became another file begins anew.
        journal.clear().expect("emptied");
        journal.append(&frames(&records[..4])).expect("written");
        journal.rotate(&path.with_file_name("other")).expect("renamed");
        journal.append(&frames(&records[9..])).expect("written");
        let found = |path: &Path| contents(&fs::read(path).expect("a file"), &spec).0;
        assert_eq!(found(&path), records[9..]);
        assert_eq!(found(&path.with_file_name("other")), records[..4]);
        journal.clear().expect("emptied");
        assert_eq!(found(&path), []);
    }
}
