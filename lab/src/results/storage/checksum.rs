//! The checksum in a table's file, so that damage is found before a decoder believes it.
//!
//! A Parquet file ends with its footer, the footer's length (4 bytes, little endian) and a magic
//! word. Readers find the other parts from there, and ignore the bytes just before the footer. The
//! checksum is in these bytes: a word of 8 bytes, then the BLAKE3 of all other bytes.

use parking_lot::{Mutex, MutexGuard};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

const WORD: &[u8; 8] = b"runnerB3";
const LENGTH: u64 = 8 + 32;
/// Length of the footer and the magic word.
const TAIL: u64 = 8;
/// Bytes that are written at a time.
const BUFFER: usize = 1 << 18;

/// BLAKE3 of a file's other bytes: names the file's content.
pub(crate) type Checksum = blake3::Hash;

/// A file that is written with its checksum: buffers what comes, and counts it in. Clones share the
/// file.
#[derive(Clone)]
pub(crate) struct ChecksummedFile(Arc<Mutex<Hashed>>);

struct Hashed {
    file: File,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    /// Whether the end of the file has begun, in which the checksum has its place.
    ending: bool,
}

impl ChecksummedFile {
    pub(crate) fn new(file: File) -> Self {
        let buffer = Vec::with_capacity(BUFFER);
        ChecksummedFile(Arc::new(Mutex::new(Hashed {
            file,
            buffer,
            hasher: blake3::Hasher::new(),
            ending: false,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Hashed> {
        self.0.lock()
    }

    /// Begins the end of the file. Call it before the footer is written.
    pub(crate) fn begin_end(&self) -> io::Result<()> {
        let mut hashed = self.lock();
        hashed.ending = true;
        hashed.drain()
    }

    /// Writes the end with the checksum in it, and puts all bytes on the disk.
    pub(crate) fn end(&self) -> io::Result<Checksum> {
        let Hashed { file, buffer, hasher, .. } = &mut *self.lock();
        let footer = split(buffer).ok_or(io::ErrorKind::InvalidData)?;
        hasher.update(buffer);
        let checksum = hasher.finalize();
        let (before, footer) = buffer.split_at(footer);
        file.write_all(&[before, WORD, checksum.as_bytes(), footer].concat())?;
        file.sync_all()?;
        Ok(checksum)
    }
}

impl Hashed {
    fn drain(&mut self) -> io::Result<()> {
        self.hasher.update(&self.buffer);
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written
    }
}

impl Write for ChecksummedFile {
    /// Takes all bytes, always: some callers write a byte at a time and do not look how many were
    /// taken.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut hashed = self.lock();
        hashed.buffer.extend_from_slice(bytes);
        if hashed.buffer.len() >= BUFFER && !hashed.ending {
            hashed.drain()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the start of the footer in the last bytes of a Parquet file; `None` if it is not in
/// them.
fn split(end: &[u8]) -> Option<usize> {
    let (rest, tail) = end.split_last_chunk::<8>()?;
    let [a, b, c, d, magic @ ..] = *tail;
    rest.len().checked_sub(u32::from_le_bytes([a, b, c, d]) as usize).filter(|_| &magic == b"PAR1")
}

/// Result of checking a file's checksum.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// The bytes are those that were written.
    Sound { footer: Vec<u8>, checksum: Checksum },
    /// The bytes are damaged, with the reason.
    Broken(&'static str),
}

/// Checks that the bytes are unchanged since they were written. Reads damaged bytes a second time,
/// because the disk may have erred.
///
/// # Errors
/// Returns the system's error, which means nothing about the bytes.
pub(crate) fn check(file: &File) -> io::Result<Checked> {
    match check_once(file)? {
        Checked::Broken(_) => check_once(file),
        sound => Ok(sound),
    }
}

/// Reads a file's checksum and footer, without the other bytes.
pub(crate) fn read(file: &File) -> io::Result<Checked> {
    Ok(match read_end(file)? {
        Ok(End { footer, checksum, .. }) => Checked::Sound { footer, checksum },
        Err(words) => Checked::Broken(words),
    })
}

fn check_once(mut file: &File) -> io::Result<Checked> {
    let End { place, footer, checksum } = match read_end(file)? {
        Ok(end) => end,
        Err(words) => return Ok(Checked::Broken(words)),
    };
    let mut hasher = blake3::Hasher::new();
    file.seek(SeekFrom::Start(0))?;
    hasher.update_reader(file.take(place))?;
    hasher.update(&footer);
    Ok(if hasher.finalize() == checksum {
        Checked::Sound { footer, checksum }
    } else {
        Checked::Broken("its checksum does not match: its bytes changed after they were written")
    })
}

/// Last part of a file.
struct End {
    /// Start of the checksum in the file.
    place: u64,
    footer: Vec<u8>,
    checksum: Checksum,
}

/// Returns the end of a file, or the reason why no runner wrote the file.
fn read_end(mut file: &File) -> io::Result<Result<End, &'static str>> {
    let length = file.seek(SeekFrom::End(0))?;
    if length < TAIL {
        return Ok(Err("it is not a complete Parquet file"));
    }
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(length - TAIL))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let footer = (length - TAIL).checked_sub(u64::from(u32::from_le_bytes([a, b, c, d])));
    let Some(start) = footer.filter(|_| &magic == b"PAR1") else {
        return Ok(Err("it is not a complete Parquet file"));
    };
    let Some(place) = start.checked_sub(LENGTH) else { return Ok(Err("it has no checksum")) };
    let mut checksum = [0; LENGTH as usize];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut checksum)?;
    let mut footer = Vec::new();
    file.take(length - start).read_to_end(&mut footer)?;
    let checksum = checksum.strip_prefix(WORD).and_then(|sum| Checksum::from_slice(sum).ok());
    Ok(checksum
        .map(|checksum| End { place, footer, checksum })
        .ok_or("it has no checksum: it is damaged, or another program wrote it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_damage_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("table");
        let open = || File::open(&path).expect("a file");
        // What a file looks like from outside: data, a footer of 3 bytes.
        let (data, end) = (b"PAR1data", b"\x01\x02\x03\x03\x00\x00\x00PAR1");
        std::fs::write(&path, [&data[..], end].concat()).expect("a file");
        assert_eq!(check(&open()).expect("readable"), Checked::Broken("it has no checksum"));
        let mut file = ChecksummedFile::new(File::create(&path).expect("a file"));
        file.write_all(data).expect("taken");
        file.begin_end().expect("written");
        file.write_all(end).expect("taken");
        let checksum = file.end().expect("written");
        assert_eq!(
            check(&open()).expect("readable"),
            Checked::Sound { footer: end.to_vec(), checksum }
        );
        let whole = std::fs::read(&path).expect("a file");
        assert!(whole.ends_with(b"\x01\x02\x03\x03\x00\x00\x00PAR1"));
        let broken = || matches!(check(&open()).expect("readable"), Checked::Broken(_));
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                std::fs::write(&path, &damaged).expect("a file");
                assert!(broken(), "bit {bit} of byte {at}");
            }
            std::fs::write(&path, &whole[..at]).expect("a file");
            assert!(broken(), "cut at {at}");
        }
    }
}
