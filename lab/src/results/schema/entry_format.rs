//! Format of entries: finished trials as bytes, each with all data that decide whether a config
//! still asks for it.

use crate::record::{Outcome, Timing, TrialRecord};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// A record, and what its trial ran with.
#[derive(Deserialize)]
struct Entry<'a> {
    _arm: u64,
    /// Trace and, where seeds do not follow from the budget, the budget as JSON on a second line.
    #[serde(borrow)]
    _ran_with: &'a str,
    /// Start of the BLAKE3 of the plugin's library.
    _plugin: u64,
    record: TrialRecord,
}

/// The first fields of an entry, which are read without the rest.
#[derive(Deserialize)]
pub(crate) struct EntryHead<'a> {
    pub arm: u64,
    #[serde(borrow)]
    pub ran_with: &'a str,
    pub plugin: u64,
    _place: usize,
    pub trial: u64,
    pub seed: u64,
    pub outcome: Outcome,
    pub success: bool,
}

impl<'a> EntryHead<'a> {
    /// Reads an entry; `None` if another version of the runner wrote it.
    pub(crate) fn read(entry: &'a [u8]) -> Option<Self> {
        postcard::take_from_bytes(entry).ok().map(|(head, _)| head)
    }
}

/// Returns the record of an entry, as that of arm `arm`; `None` if another version of the runner
/// wrote the entry.
pub(crate) fn record(entry: &[u8], arm: usize) -> Option<TrialRecord> {
    let read = |entry: &[u8]| Some(postcard::from_bytes::<Entry<'_>>(entry).ok()?.record);
    // Earlier versions end before one of the last four fields; a zero is none.
    let record = read(entry).or_else(|| read(&[entry, &[0; 4]].concat()))?;
    Some(TrialRecord { arm, ..record })
}

/// The fields of an entry up to the timing of its trial.
#[derive(Deserialize)]
struct EntryTiming<'a> {
    #[serde(borrow)]
    head: EntryHead<'a>,
    _best_fitness: Option<f64>,
    _best_violation: Option<f64>,
    _generations: u64,
    _evaluations: u64,
    _evaluations_to_success: Option<u64>,
    _valid: Option<bool>,
    _best: Option<SkippedGenome>,
    _best_text: Option<&'a str>,
    _error: Option<&'a str>,
    timing: Timing,
}

/// A [`Genome`] that is read over.
#[derive(Deserialize)]
enum SkippedGenome {
    U8(Skipped<u8>),
    U16(Skipped<u16>),
    U32(Skipped<u32>),
    F64(Skipped<f64>),
}

/// A sequence that is read over.
struct Skipped<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Skipped<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Skipped(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Skipped<T> {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<T>()?.is_some() {}
        Ok(self)
    }
}

/// Returns trial and timing of an entry without the rest of its record; `None` if another version
/// of the runner wrote the entry.
pub(crate) fn timing(entry: &[u8]) -> Option<(u64, Timing)> {
    let (EntryTiming { head, timing, .. }, _) = postcard::take_from_bytes(entry).ok()?;
    Some((head.trial, timing))
}
