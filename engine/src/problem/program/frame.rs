//! Frames of the protocol. A frame is a length (u32, little endian), a byte for its type, and that
//! many bytes. The frame's bytes begin with a seal. It distinguishes the frame from anything else
//! that a program or its children write to the pipe. They end with the secret again, which proves
//! that no byte is missing and none was added.

use crate::system::guard::Call;

/// Version of the protocol.
pub(super) const PROTOCOL: u64 = 2;
/// Bytes of an answer before its body: the length, the status, and the seal. The seal is the
/// secret, the number of the request, and the id of the process that answers.
pub(super) const HEAD: usize = 5 + 8 + 8 + 4;
/// Bytes of an answer after its body.
pub(super) const TAIL: usize = 8;

/// Type of a request.
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
    Memory,
    Begin,
    Ask,
    Tell,
    EvaluateNoisy,
    State,
    Restore,
}

impl Request {
    /// Returns the plugin call of this request; `None` if the request is not a plugin call.
    pub(super) fn call(self) -> Option<Call> {
        Some(match self {
            Request::Hello | Request::Destroy | Request::Memory => return None,
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
            Request::Begin => Call::Begin,
            Request::Ask => Call::Ask,
            Request::Tell => Call::Tell,
            Request::EvaluateNoisy => Call::EvaluateNoisy,
            Request::State => Call::State,
            Request::Restore => Call::Restore,
        })
    }
}

/// Status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Success; the result follows.
    Done,
    /// Not found.
    Nothing,
    /// Failure; the reason follows as UTF-8.
    Failed,
}

impl Status {
    pub(super) fn of(byte: u8) -> Option<Status> {
        [Status::Done, Status::Nothing, Status::Failed].get(usize::from(byte)).copied()
    }
}

/// Writes a request. `seal` is the secret and the number of the request; `body` appends the body.
///
/// # Errors
/// Returns the length of the body if it does not fit in a frame.
pub(super) fn write(
    frame: &mut Vec<u8>,
    request: Request,
    (secret, number): (u64, u64),
    body: impl FnOnce(&mut Vec<u8>),
) -> Result<(), usize> {
    frame.clear();
    frame.extend([0; 4]);
    frame.push(request as u8);
    frame.extend(secret.to_le_bytes());
    frame.extend(number.to_le_bytes());
    let start = frame.len();
    body(frame);
    let length = frame.len() - start;
    frame.extend(secret.to_le_bytes());
    let rest = u32::try_from(length + 16 + TAIL).map_err(|_| length)?;
    frame[..4].copy_from_slice(&rest.to_le_bytes());
    Ok(())
}

/// Header of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Number of bytes after the status.
    length: usize,
    status: u8,
    secret: u64,
    number: u64,
    /// Id of the process that answers, as it states.
    pub process: u32,
}

/// Requirements for a valid answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub secret: u64,
    /// Number of the request.
    pub number: u64,
    /// Id of the process that answered the first request; `None` before that answer.
    pub process: Option<u32>,
    /// Maximum length of the body in bytes: `longest` for a result, `words` for a failure message.
    pub longest: usize,
    pub words: usize,
}

/// Reason why bytes are not the expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The program uses version 1 of the protocol, whose frames have no seal.
    Version1,
    /// The secret is missing at the beginning or at the end.
    Unsealed,
    /// The answer belongs to another request: the received number and the expected number.
    Number(u64, u64),
    /// Another process answers: the received id and the expected id.
    Process(u32, u32),
    /// The status is unknown, or the length is impossible: the number of bytes after the status,
    /// and the status.
    Form(usize, u8),
    /// The answer is longer than it may be: the numbers of bytes.
    Long(usize, usize),
    /// Number of bytes that were not requested.
    Surplus(usize),
}

impl Head {
    pub(super) fn of(bytes: &[u8; HEAD]) -> Self {
        let number = |from: usize, bytes: &[u8]| {
            bytes[..from].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        Head {
            length: number(4, bytes) as usize,
            status: bytes[4],
            secret: number(8, &bytes[5..]),
            number: number(8, &bytes[13..]),
            process: number(4, &bytes[21..]) as u32,
        }
    }

    /// Checks the header. Returns the status and the length of the body.
    ///
    /// # Errors
    /// Returns the reason if it is not the expected header.
    pub(super) fn check(self, expected: &Expected) -> Result<(Status, usize), Fault> {
        let Head { length, status, secret, number, process } = self;
        if secret != expected.secret {
            // A JSON object in place of the seal indicates version 1.
            let is_older = expected.number == 0 && status == 0 && secret as u8 == b'{';
            return Err(if is_older { Fault::Version1 } else { Fault::Unsealed });
        }
        if number != expected.number {
            return Err(Fault::Number(number, expected.number));
        }
        if let Some(first) = expected.process
            && process != first
        {
            return Err(Fault::Process(process, first));
        }
        let most = if status == 0 { expected.longest } else { expected.words };
        let body = length.checked_sub(HEAD - 5 + TAIL);
        if let Some(body) = body.filter(|body| *body > most) {
            return Err(Fault::Long(body, most));
        }
        Status::of(status).zip(body).ok_or(Fault::Form(length, status))
    }
}

impl Fault {
    /// Describes the fault in words that follow "the program".
    pub(super) fn words(self) -> String {
        match self {
            Fault::Version1 => format!(
                "speaks version 1 of the protocol, in which an answer cannot be told from other \
                bytes, but this runner speaks version {PROTOCOL}: docs/programs.md says how to \
                change it"
            ),
            Fault::Unsealed => "sent what is no answer: it lacks the secret of this process. \
                Something besides the answers is written to their pipe, by a print or by another \
                process"
                .to_owned(),
            Fault::Number(number, expected) => format!(
                "sent the answer to request {number} in place of that to request {expected}: one \
                was sent twice, or left out"
            ),
            Fault::Process(process, first) => format!(
                "sent an answer of process {process}, but process {first} was asked: a copy of it, \
                made by fork, answers too"
            ),
            Fault::Long(length, most) => format!(
                "sent an answer of {length} bytes, more than the {most} that this one may have"
            ),
            Fault::Form(length, status) => format!(
                "sent what is no answer: a frame of {length} bytes with the status {status}"
            ),
            Fault::Surplus(bytes) => format!("sent {bytes} bytes that nobody asked for"),
        }
    }
}
