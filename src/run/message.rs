//! Messages between a run and its worker processes: frames of a length (u32, little endian) and that many bytes.

use crate::record::TrialRecord;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// What the run asks of a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Run these trials of an arm, one record each.
    Trials { arm: usize, from: u64, to: u64 },
}

/// What a worker process says.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It has made its plan; the digest of it.
    Ready {
        plan: [u8; 32],
    },
    /// It could not make its plan: why is on its standard error.
    Unable,
    Record(Box<TrialRecord>),
}

/// The longest frame that is believed: a record with the trace of a large population.
const LONGEST: u32 = 1 << 31;

/// Writes a message; the stream is flushed.
///
/// # Errors
/// The stream's.
pub fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(&bytes)?;
    stream.flush()
}

/// Reads a message.
///
/// # Errors
/// The stream's; `UnexpectedEof` where it ends, `InvalidData` where the bytes are no message.
pub fn receive<M: DeserializeOwned>(stream: &mut impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    if length > LONGEST {
        return Err(invalid());
    }
    let mut bytes = Vec::new();
    stream.take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Genome;
    use crate::record::{Outcome, Timing, TraceRow};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_arrive_as_they_were_sent(
            numbers in any::<[u64; 5]>(), reals in any::<[f64; 4]>(), text in ".*", genes in prop::collection::vec(any::<f64>(), 0..20)
        ) {
            let [trial, seed, generations, evaluations, generation] = numbers;
            let [best, mean, worst, best_so_far] = reals;
            let record = TrialRecord {
                arm: 3, trial, seed, outcome: Outcome::Stagnated, success: true, best_fitness: Some(best),
                generations, evaluations, evaluations_to_success: None, valid: Some(false),
                best: Some(Genome::F64(genes)), best_text: Some(text.clone()), error: Some(text),
                timing: Timing { seconds: mean, worker: 7 },
                trace: vec![TraceRow { generation, evaluations, best, mean, worst, best_so_far }; 3],
                improvements: Vec::new(),
            };
            let mut bytes = Vec::new();
            send(&mut bytes, &Reply::Record(Box::new(record.clone()))).expect("a vector takes all");
            match receive(&mut &bytes[..]).expect("what was sent") {
                // Debug: a NaN is not equal to itself.
                Reply::Record(came) => prop_assert_eq!(format!("{came:?}"), format!("{record:?}")),
                other => panic!("{other:?}"),
            }
            prop_assert!(receive::<Reply>(&mut &bytes[..bytes.len() - 1]).is_err());
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            _ = receive::<Reply>(&mut &bytes[..]);
            _ = receive::<Request>(&mut &bytes[..]);
        }
    }
}
