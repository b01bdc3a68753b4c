//! The frames of the protocol: a length (u32, little endian), a byte that says what it is, and that
//! many bytes.

use crate::system::guard::Call;

/// The version of the protocol.
pub(super) const PROTOCOL: u64 = 1;
/// Bytes before those of the body.
pub(super) const HEAD: usize = 5;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Request {
    Hello = 0,
    Create,
    Evaluate,
    Sample,
    Crossover,
    Mutate,
    IsValid,
    Render,
    Enumerate,
    Number,
    EvaluateConstrained,
    Destroy,
    CreateOperator,
    Select,
}

impl Request {
    /// The call of a plugin that it is, if it is one.
    pub(super) fn call(self) -> Option<Call> {
        Some(match self {
            Request::Hello | Request::Destroy => return None,
            Request::Create | Request::CreateOperator => Call::Create,
            Request::Evaluate => Call::Evaluate,
            Request::Sample => Call::Sample,
            Request::Crossover => Call::Crossover,
            Request::Mutate => Call::Mutate,
            Request::IsValid => Call::IsValid,
            Request::Render => Call::Render,
            Request::Enumerate => Call::Enumerate,
            Request::Number => Call::Number,
            Request::EvaluateConstrained => Call::EvaluateConstrained,
            Request::Select => Call::Select,
        })
    }
}

/// How an answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// What was asked for follows.
    Done,
    /// There is no such thing.
    Nothing,
    /// Why it failed follows, as UTF-8.
    Failed,
}

impl Status {
    pub(super) fn of(byte: u8) -> Option<Status> {
        [Status::Done, Status::Nothing, Status::Failed].get(usize::from(byte)).copied()
    }
}

/// Writes a frame whose body are these pieces, one after the other.
///
/// # Errors
/// The length, if it does not fit.
pub(super) fn write(frame: &mut Vec<u8>, request: Request, pieces: &[&[u8]]) -> Result<(), usize> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    frame.clear();
    frame.extend(u32::try_from(length).map_err(|_| length)?.to_le_bytes());
    frame.push(request as u8);
    pieces.iter().for_each(|piece| frame.extend_from_slice(piece));
    Ok(())
}
