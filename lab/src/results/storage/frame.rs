//! Frames: pieces of a file, each with a checksum, so that damage costs one piece alone.
//!
//! A frame is a mark (8 bytes), the length of its body (4 bytes), a checksum of these two (4
//! bytes), a checksum of the body (8 bytes), the body, and the byte [`END`]; numbers are little
//! endian. Behind a damaged frame, reading continues at the next mark. A crash leaves a last frame
//! that the end of the file cuts off, or whose last bytes are zeros that never reached the disk:
//! since the head has its own checksum and no complete frame ends with a zero, neither looks like
//! damage.

use memchr::memmem;
use std::ops::Range;

/// Bytes at the start of each frame. The digit in them is the version of the format.
pub(crate) type Mark = [u8; 8];

/// Length of everything before the body.
pub(crate) const HEAD: usize = 8 + 4 + 4 + 8;
/// Ends each frame. No flipped bit makes it a zero.
const END: u8 = b'\n';

/// A body is longer than a frame can hold: 4 GiB.
#[derive(Debug, thiserror::Error)]
#[error("it is longer than 4 GiB")]
pub(crate) struct TooLong;

/// Begins a frame at the end of `bytes`; returns its place. The body is appended next.
pub(crate) fn begin(bytes: &mut Vec<u8>) -> usize {
    bytes.extend([0; HEAD]);
    bytes.len() - HEAD
}

/// Ends the frame that began at `start`.
pub(crate) fn end(bytes: &mut Vec<u8>, start: usize, mark: &Mark) -> Result<(), TooLong> {
    let body = &bytes[start + HEAD..];
    let length = u32::try_from(body.len()).map_err(|_| TooLong)?;
    let sum = checksum(body);
    let head = &mut bytes[start..start + HEAD];
    head[..8].copy_from_slice(mark);
    head[8..12].copy_from_slice(&length.to_le_bytes());
    let of_head = short(checksum(&head[..12]));
    head[12..16].copy_from_slice(&of_head);
    head[16..].copy_from_slice(&sum);
    bytes.push(END);
    Ok(())
}

/// Returns the number of bytes of a frame with a body of this length.
pub(crate) fn length(body: usize) -> usize {
    HEAD + body + 1
}

/// Returns the length of the body of the frame that this head begins; `None` if it is cut.
pub(crate) fn body_length(head: &[u8]) -> Option<usize> {
    let head = head.first_chunk::<HEAD>()?;
    Some(u32::from_le_bytes(*head[8..].first_chunk()?) as usize)
}

/// Returns the body of the frame that `bytes` are; `None` if they are not a sound frame.
pub(crate) fn body<'a>(bytes: &'a [u8], mark: &Mark) -> Option<&'a [u8]> {
    match next(bytes, bytes.len(), mark) {
        Next::Body(body) if length(body.len()) == bytes.len() => Some(&bytes[body]),
        _ => None,
    }
}

/// Returns the bodies of frames that this process made, none of which is looked at for damage.
pub(crate) fn bodies(mut frames: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = body_length(frames)?;
        let (body, rest) = frames[HEAD..].split_at_checked(length)?;
        frames = rest.get(1..)?;
        Some(body)
    })
}

/// The sound frames of a file, in order.
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    mark: Mark,
    finder: memmem::Finder<'static>,
    /// Place behind the last frame.
    pub place: usize,
    /// Zeros from here on were never written.
    written: usize,
    /// Number of bytes that belong to no sound frame.
    pub damaged: usize,
    /// Place of the first of them.
    pub first_damaged: usize,
}

impl<'a> Frames<'a> {
    pub(crate) fn new(bytes: &'a [u8], mark: &Mark) -> Self {
        Frames {
            bytes,
            mark: *mark,
            finder: memmem::Finder::new(mark).into_owned(),
            place: 0,
            written: bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1),
            damaged: 0,
            first_damaged: 0,
        }
    }

    /// Returns the place of the next body.
    pub(crate) fn next_range(&mut self) -> Option<Range<usize>> {
        while self.place < self.bytes.len() {
            let (start, rest) = (self.place, &self.bytes[self.place..]);
            let next_mark = || self.finder.find(&rest[1..]).map(|found| found + 1);
            match next(rest, self.written.saturating_sub(start), &self.mark) {
                Next::Body(body) => {
                    self.place += length(body.len());
                    return Some(start + body.start..start + body.end);
                }
                // The one that was being written, unless another follows it.
                Next::Cut if next_mark().is_none() => break,
                Next::Cut | Next::Damaged => {
                    let skipped = next_mark().unwrap_or(rest.len());
                    if self.damaged == 0 {
                        self.first_damaged = start;
                    }
                    self.damaged += skipped;
                    self.place += skipped;
                }
            }
        }
        self.place = self.bytes.len();
        None
    }
}

enum Next {
    /// Place of the body.
    Body(Range<usize>),
    /// The file ends, or its zeros begin, before the frame ends.
    Cut,
    Damaged,
}

/// Returns what `bytes` begin with; those from `written` on are zeros.
fn next(bytes: &[u8], written: usize, mark: &Mark) -> Next {
    let Some(head) = bytes.first_chunk::<HEAD>() else {
        return cut_head(&bytes[..written.min(bytes.len())], mark);
    };
    let [own @ .., a, b, c, d] = head[..12].first_chunk::<12>().expect("a head is longer");
    if own != mark || short(checksum(&head[..12])) != head[12..16] {
        return if written < HEAD { cut_head(&bytes[..written], mark) } else { Next::Damaged };
    }
    let end = HEAD + u32::from_le_bytes([*a, *b, *c, *d]) as usize;
    if written <= end {
        return Next::Cut;
    }
    match bytes[end] == END && checksum(&bytes[HEAD..end]) == head[16..] {
        true => Next::Body(HEAD..end),
        false => Next::Damaged,
    }
}

/// Returns [`Next::Cut`] if only a part of a head was written, otherwise [`Next::Damaged`].
fn cut_head(written: &[u8], mark: &Mark) -> Next {
    let common = written.len().min(mark.len());
    if written[..common] == mark[..common] { Next::Cut } else { Next::Damaged }
}

/// Returns the first bytes of the BLAKE3.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let hash = blake3::hash(bytes);
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    [a, b, c, d, e, f, g, h]
}

fn short([a, b, c, d, ..]: [u8; 8]) -> [u8; 4] {
    [a, b, c, d]
}
