//! Entries of journals and segments: how they are made.

use super::frame::{self, Mark};
use crate::plan::ResultsSpec;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::entry_format::EntryHead;
use crate::results::storage::folder::{JOURNAL, PARTS};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Begins each entry of a journal.
pub(crate) const MARK: Mark = *b"\xF2trial2\n";

/// Returns the start of a library's BLAKE3, which is in hex; 0 if the text is no hash.
pub(crate) fn build(hex: &str) -> u64 {
    hex.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// Finished trials with their journal entries.
pub(crate) struct Batch {
    pub records: Vec<TrialRecord>,
    pub frames: Vec<u8>,
}

/// Maker of entries from records, on any thread.
#[derive(Debug)]
pub(crate) struct EntryWriter {
    spec: Arc<ResultsSpec>,
    /// The folder of the journal, for messages.
    folder: PathBuf,
    ran_with: String,
    plugin: u64,
}

impl EntryWriter {
    /// Returns the writer for the journal of a folder. `plugin` is the BLAKE3 of the library, in
    /// hex.
    pub(crate) fn new(folder: &Path, spec: Arc<ResultsSpec>, plugin: &str) -> Self {
        let (folder, ran_with) = (folder.to_owned(), ran_with(&spec));
        EntryWriter { spec, folder, ran_with, plugin: build(plugin) }
    }

    /// Makes finished trials ready to be taken in.
    pub(crate) fn prepare(&self, records: Vec<TrialRecord>) -> Result<Batch, ResultsError> {
        self.check(&records)?;
        let frames = self.frames(&records)?;
        Ok(Batch { records, frames })
    }

    /// Checks whether these are records of trials that the experiment has.
    ///
    /// # Errors
    /// Returns an error if one is of no arm, of no trial of its arm, or has another seed.
    pub(crate) fn check(&self, records: &[TrialRecord]) -> Result<(), ResultsError> {
        for TrialRecord { arm, trial, seed, .. } in records {
            let asked = *arm < self.spec.arms.len()
                && *trial < self.spec.limit(*arm)
                && *seed == self.spec.trial_seed(*arm, *trial);
            if !asked {
                let message = format!(
                    "a worker returned a result that was not requested (arm {arm}, trial {trial}, \
                    seed {seed}); it is discarded"
                );
                return Err(ResultsError::Record { path: self.folder.clone(), message });
            }
        }
        Ok(())
    }

    /// Returns entries of finished trials, each in a frame.
    pub(crate) fn frames(&self, records: &[TrialRecord]) -> Result<Vec<u8>, ResultsError> {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            arm: u64,
            ran_with: &'a str,
            plugin: u64,
            record: &'a TrialRecord,
        }
        let unwritable = |message: &dyn ToString| {
            ResultsError::unwritable(&self.folder.join(PARTS).join(JOURNAL), message.to_string())
        };
        let (mut bytes, ran_with, plugin) = (Vec::new(), self.ran_with.as_str(), self.plugin);
        for record in records {
            let (start, arm) = (frame::begin(&mut bytes), self.spec.arms[record.arm].id.0);
            bytes = postcard::to_extend(&Borrowed { arm, ran_with, plugin, record }, bytes)
                .map_err(|error| unwritable(&error))?;
            frame::end(&mut bytes, start, &MARK)
                .map_err(|_| unwritable(&"a trial takes more than 4 GiB"))?;
        }
        Ok(bytes)
    }
}

/// Returns the trace and the budget that trials run with.
fn ran_with(spec: &ResultsSpec) -> String {
    let budget = spec.budget().and_then(|budget| serde_json::to_string(&budget).ok());
    let budget = budget.map_or_else(String::new, |budget| format!("\n{budget}"));
    format!("{}{budget}", spec.trace.as_str())
}

/// Entries in memory, to be written in order.
#[derive(Default)]
pub(crate) struct Entries {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    /// Index of the arm.
    arm: usize,
    trial: u64,
    start: usize,
    end: usize,
}

impl Entries {
    pub(crate) fn push(&mut self, arm: usize, trial: u64, entry: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(entry);
        self.places.push(Place { arm, trial, start, end: self.bytes.len() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn append(&mut self, other: Entries) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let moved =
            |place: Place| Place { start: place.start + start, end: place.end + start, ..place };
        self.places.extend(other.places.into_iter().map(moved));
    }

    /// Returns the builds of the plugin that made them, by the start of their BLAKE3.
    pub(crate) fn builds(&self) -> BTreeSet<u64> {
        let entry = |place: &Place| EntryHead::read(&self.bytes[place.start..place.end]);
        self.places.iter().filter_map(entry).map(|head| head.plugin).collect()
    }

    /// Returns the entries by arm and trial; of several of one trial, the first that came.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = &[u8]> {
        let mut places = self.places.clone();
        places.sort_by_key(|place| (place.arm, place.trial));
        places.dedup_by_key(|place| (place.arm, place.trial));
        places.into_iter().map(|place| &self.bytes[place.start..place.end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::results::fixtures;
    use crate::results::schema::entry_format::{record, timing};

    /// Entries of earlier versions lack some of the last four fields.
    #[test]
    fn entries_without_the_last_fields_are_read() {
        let spec = fixtures::spec(&[10], 9, Trace::Best);
        let writer = EntryWriter::new(Path::new("folder"), Arc::new(spec.clone()), "");
        for trial in 0..9 {
            let whole = fixtures::record(&spec, 0, trial);
            let bytes = |record: &TrialRecord| {
                let framed = writer.frames(std::slice::from_ref(record)).expect("an entry");
                frame::body(&framed, &MARK).expect("a frame").to_vec()
            };
            assert_eq!(record(&bytes(&whole), 0).as_ref(), Some(&whole));
            assert_eq!(timing(&bytes(&whole)), Some((trial, whole.timing)));
            let entry = bytes(&whole);
            for missing in [1, 2, 3] {
                assert_eq!(record(&entry[..entry.len() - missing], 0), Some(whole.clone()));
            }
            let before = TrialRecord { evaluations_after_best: None, ..whole };
            let entry = bytes(&before);
            let (older, last) = entry.split_at(entry.len() - 4);
            assert_eq!((last, record(older, 0)), (&[0; 4][..], Some(before)));
            assert_eq!(record(&older[..older.len() - 1], 0), None);
        }
    }
}
