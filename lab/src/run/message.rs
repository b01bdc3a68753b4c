//! Messages between a run and its worker processes: frames of a length (u32, little endian), a
//! stamp (u64, little endian) and that many bytes. An answer carries the stamp of its request: what
//! a plugin writes to a descriptor that is not its own is no answer.

use super::generation_progress::GenerationFigures;
use crate::problem::parameter::Value;
use crate::problem::{DataFile, Declared, Description, Genome, Location, PluginError};
use crate::record::TrialRecord;
use crate::results::CheckpointFolder;
use crate::search::start::GivenGenomes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::num::NonZeroU64;

/// Request of the run to a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Load this plugin.
    Open { at: Location },
    /// Make a problem of that plugin.
    Describe { at: Location, values: Vec<Value> },
    /// Make an operator of that plugin for a problem that is described like this.
    TryOperator { at: Location, operator: usize, values: Vec<Value>, problem: Box<Description> },
    /// Whether these genomes keep the rules of a problem of that plugin.
    Validate { at: Location, values: Vec<Value>, genomes: Vec<Genome> },
    /// Make this plan.
    Plan(Box<PlanText>),
    /// Run these trials of an arm, one record each, as the worker of this number. Before a record
    /// come the trial's generations in this interval, if there is one.
    Trials { arm: usize, from: u64, to: u64, worker: u32, generations: Option<NonZeroU64> },
}

/// Data from which a worker process makes a plan.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PlanText {
    /// Path of the config; its text is next to it.
    pub path: OsString,
    pub text: String,
    pub overrides: Vec<String>,
    /// Folders in which plugins are searched for.
    pub folders: Vec<OsString>,
    /// First genomes of the trials, because the worker reads no file.
    pub given: Option<GivenGenomes>,
    /// Files of data that parameters name.
    pub data_files: Vec<DataFile>,
    /// The problems' values and descriptions, so that each is made only when it is needed.
    pub problems: Vec<(Vec<Value>, Description)>,
    /// Folder of the checkpoints of trials; `None` if they have none.
    pub checkpoints: Option<CheckpointFolder>,
}

/// Message of a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// Declaration of the plugin, and the hash of its files.
    Opened(Result<(Declared, [u8; 32]), PluginError>),
    Described(Result<Description, PluginError>),
    TriedOperator(Result<(), PluginError>),
    Validated(Result<Vec<bool>, String>),
    /// The worker has made its plan, with this digest.
    Ready {
        plan: [u8; 32],
    },
    /// The worker could not do that, for this reason.
    Unable(String),
    Record(Box<TrialRecord>),
    /// A generation of the trial that runs.
    Generation(GenerationFigures),
}

/// The longest frame that is believed: a record with the trace of a large population.
const LONGEST: u32 = 1 << 31;
/// Number of bytes before the message.
const HEAD: usize = 12;

/// Writes a message; the stream is flushed.
///
/// # Errors
/// Returns the stream's error.
pub fn send(stream: &mut impl Write, stamp: u64, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = vec![0; HEAD];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - HEAD).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..HEAD].copy_from_slice(&stamp.to_le_bytes());
    stream.write_all(&bytes)?;
    stream.flush()
}

/// The messages in a stream, as its bytes come in.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    /// Start of the next message in `bytes`.
    start: usize,
}

/// Number of bytes that are asked for at a time.
const PIECE: usize = 1 << 16;

impl Inbox {
    /// Returns the next message and its stamp. With `expected`, a message with another stamp is an
    /// error.
    ///
    /// # Errors
    /// Returns the stream's error, and keeps the received bytes for the next call. Returns
    /// `UnexpectedEof` if the stream ends, and `InvalidData` if the bytes are no message.
    pub fn receive<M: DeserializeOwned>(
        &mut self,
        stream: &mut impl Read,
        expected: Option<u64>,
    ) -> io::Result<(u64, M)> {
        loop {
            if let Some(found) = self.next(expected)? {
                return Ok(found);
            }
            self.bytes.drain(..self.start);
            self.start = 0;
            let held = self.bytes.len();
            self.bytes.resize(held + PIECE, 0);
            let read = stream.read(&mut self.bytes[held..]);
            self.bytes.truncate(held + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the first complete message, if there is one.
    fn next<M: DeserializeOwned>(&mut self, expected: Option<u64>) -> io::Result<Option<(u64, M)>> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let held = &self.bytes[self.start..];
        let Some((head, rest)) = held.split_at_checked(HEAD) else { return Ok(None) };
        let (mut length, mut stamp) = ([0; 4], [0; 8]);
        length.copy_from_slice(&head[..4]);
        stamp.copy_from_slice(&head[4..]);
        let (length, stamp) = (u32::from_le_bytes(length), u64::from_le_bytes(stamp));
        if length > LONGEST || expected.is_some_and(|expected| expected != stamp) {
            return Err(invalid());
        }
        let Some(bytes) = rest.get(..length as usize) else { return Ok(None) };
        let message = postcard::from_bytes(bytes).map_err(|_| invalid())?;
        self.start += HEAD + length as usize;
        Ok(Some((stamp, message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{OperatorCounts, Outcome, Timing, TraceRow, ViolationTrace};
    use proptest::prelude::*;

    /// Stream of bytes in small pieces, which sometimes has nothing to read.
    struct Trickle<'bytes>(&'bytes [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let length = self.0.len().min(7).min(out.len());
            out[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn received<M: DeserializeOwned>(bytes: &[u8], expected: Option<u64>) -> io::Result<M> {
        let (mut stream, mut inbox) = (Trickle(bytes, 0), Inbox::default());
        loop {
            match inbox.receive(&mut stream, expected) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other.map(|(_, message)| message),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn records_arrive_as_they_were_sent(
            numbers in any::<[u64; 5]>(), reals in any::<[f64; 4]>(), text in ".*",
            genes in prop::collection::vec(any::<f64>(), 0..20)
        ) {
            let [trial, seed, generations, evaluations, generation] = numbers;
            let [best, mean, worst, best_so_far] = reals;
            let record = TrialRecord {
                arm: 3, trial, seed, outcome: Outcome::Stagnated, success: true,
                best_fitness: Some(best), best_violation: Some(worst), generations, evaluations,
                evaluations_to_success: None, valid: Some(false),
                best: Some(Genome::F64(genes)), best_text: Some(text.clone()), error: Some(text),
                timing: Timing { seconds: mean, worker: 7 },
                trace: vec![
                    TraceRow {
                        generation, evaluations, best, mean, worst, best_so_far,
                        violations: Some(ViolationTrace { best, feasible: mean, best_so_far }),
                    };
                    3
                ],
                traced_genes: None,
                improvements: Vec::new(),
                evaluations_after_best: Some(generation),
                best_error: Some(mean),
                evaluations_saved: Some(evaluations),
                operator_counts: vec![OperatorCounts::from_array([generation; 7]); 2],
            };
            let mut bytes = Vec::new();
            send(&mut bytes, seed, &Reply::Record(Box::new(record.clone()))).expect("a vector \
                takes all");
            match received(&bytes, Some(seed)).expect("what was sent") {
                // Debug: a NaN is not equal to itself.
                Reply::Record(came) => prop_assert_eq!(format!("{came:?}"), format!("{record:?}")),
                other => panic!("{other:?}"),
            }
            prop_assert!(received::<Reply>(&bytes[..bytes.len() - 1], None).is_err());
            prop_assert!(received::<Reply>(&bytes, Some(seed.wrapping_add(1))).is_err());
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            stamp in any::<Option<u64>>(),
        ) {
            _ = received::<Reply>(&bytes, stamp);
            _ = received::<Request>(&bytes, stamp);
        }
    }
}
