//! The journal: trials that finished since the last part was written, so that a run that is killed loses none of them.
//!
//! Entries are appended as trials finish, without waiting for the disk: what the system was given survives the end of the
//! process, however it ends. A loss of power may take the last second's. Each entry is its length and checksum (4 bytes each,
//! little endian) and a record; what follows a torn entry counts for nothing.

use super::error::ResultsError;
use super::layout::Layout;
use crate::fingerprint::ArmId;
use crate::record::TrialRecord;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A record, and what it takes to know whether a config still asks for it.
#[derive(Serialize, Deserialize)]
struct Entry {
    arm: u64,
    trace: String,
    record: TrialRecord,
}

/// The file, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Reused from entry to entry.
    bytes: Vec<u8>,
}

/// What a journal held.
#[derive(Default)]
pub(crate) struct Found {
    /// Of trials that the layout asks for.
    pub records: Vec<TrialRecord>,
    /// Others.
    pub stale: u64,
}

/// First bytes of the entry's BLAKE3.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let hash = blake3::hash(bytes);
    let [a, b, c, d, ..] = *hash.as_bytes();
    [a, b, c, d]
}

/// Reads the journal at `path`; without one, nothing.
pub(crate) fn read(path: &Path, layout: &Layout) -> Result<Found, ResultsError> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::default()),
        Err(error) => return Err(ResultsError::reading(path, "read the journal")(error)),
    }
    let mut found = Found::default();
    let mut rest = &bytes[..];
    while let Some(entry) = next(&mut rest) {
        let arm = layout.arms.iter().position(|row| row.id == ArmId(entry.arm));
        let asked = |arm: usize| {
            entry.record.trial < layout.limit(arm)
                && layout.trial_seed(arm, entry.record.trial) == entry.record.seed
                && entry.trace == layout.trace.word()
        };
        match arm.filter(|arm| asked(*arm)) {
            Some(arm) => found.records.push(TrialRecord { arm, ..entry.record }),
            None => found.stale += 1,
        }
    }
    Ok(found)
}

fn next(rest: &mut &[u8]) -> Option<Entry> {
    let (head, body) = rest.split_first_chunk::<8>()?;
    let [a, b, c, d, sum @ ..] = *head;
    let (entry, after) = body.split_at_checked(u32::from_le_bytes([a, b, c, d]) as usize)?;
    if checksum(entry) != sum {
        return None;
    }
    *rest = after;
    postcard::from_bytes(entry).ok()
}

impl Journal {
    /// The journal at `path`, as it is; to be cleared before anything is appended.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(ResultsError::Link { path: path.to_owned() });
        }
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(ResultsError::writing(path, "open the journal"))?;
        Ok(Journal { file, path: path.to_owned(), bytes: Vec::new() })
    }

    /// Adds finished trials.
    pub fn append(&mut self, records: &[TrialRecord], layout: &Layout) -> Result<(), ResultsError> {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            arm: u64,
            trace: &'a str,
            record: &'a TrialRecord,
        }
        self.bytes.clear();
        for record in records {
            let entry = Borrowed { arm: layout.arms[record.arm].id.0, trace: layout.trace.word(), record };
            let start = self.bytes.len();
            self.bytes.extend([0; 8]);
            let bytes = std::mem::take(&mut self.bytes);
            self.bytes = postcard::to_extend(&entry, bytes).map_err(|error| self.unwritable(&error))?;
            let body = &self.bytes[start + 8..];
            let (length, sum) = ((body.len() as u32).to_le_bytes(), checksum(body));
            self.bytes[start..start + 4].copy_from_slice(&length);
            self.bytes[start + 4..start + 8].copy_from_slice(&sum);
        }
        self.file.write_all(&self.bytes).map_err(ResultsError::writing(&self.path, "write the journal"))
    }

    fn unwritable(&self, error: &postcard::Error) -> ResultsError {
        ResultsError::Unwritable { path: self.path.clone(), message: error.to_string() }
    }

    /// Forgets all: the trials are in parts.
    pub fn clear(&mut self) -> Result<(), ResultsError> {
        self.file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .map_err(ResultsError::writing(&self.path, "empty the journal"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{layout, record};
    use super::*;
    use crate::experiment::Trace;
    use proptest::prelude::*;

    #[test]
    fn records_come_back_until_the_first_torn_entry() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("journal");
        let layout = layout(&[20, 40], 10, Trace::Best);
        assert!(read(&path, &layout).expect("no file").records.is_empty());
        let records: Vec<TrialRecord> = (0..10).map(|trial| record(&layout, trial as usize % 2, trial)).collect();
        let mut journal = Journal::open(&path).expect("a new file");
        journal.append(&records[..3], &layout).expect("written");
        journal.append(&records[3..], &layout).expect("written");
        assert_eq!(read(&path, &layout).expect("readable").records, records);
        let whole = std::fs::read(&path).expect("a file");
        proptest!(|(cut in 0..whole.len(), bit in 0..8u32)| {
            std::fs::write(&path, &whole[..cut]).expect("a file");
            let found = read(&path, &layout).expect("readable");
            prop_assert!(found.records[..] == records[..found.records.len()] && found.records.len() < 10);
            let mut flipped = whole.clone();
            flipped[cut] ^= 1 << bit;
            std::fs::write(&path, &flipped).expect("a file");
            let found = read(&path, &layout).expect("readable");
            prop_assert!(found.records[..] == records[..found.records.len()] && found.records.len() < 10);
        });
        // What the config no longer asks for is counted, not taken.
        std::fs::write(&path, &whole).expect("a file");
        let fewer = super::super::tests::layout(&[20], 5, Trace::Best);
        let found = read(&path, &fewer).expect("readable");
        assert_eq!((found.records.len(), found.stale), (3, 7));
        let mut journal = Journal::open(&path).expect("a file");
        journal.clear().expect("emptied");
        journal.append(&records[..1], &layout).expect("written");
        assert_eq!(read(&path, &layout).expect("readable").records, records[..1]);
    }
}
