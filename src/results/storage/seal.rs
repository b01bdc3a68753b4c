//! The seal of a table's file: a checksum of its bytes, so that damage is found before a decoder
//! believes it.
//!
//! A Parquet file ends with its footer, the footer's length (4 bytes, little endian) and a magic
//! word; readers find the rest from there, and what stands just before the footer is no concern of
//! theirs. There the seal is put: a word of 8 bytes and the BLAKE3 of all other bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const WORD: &[u8; 8] = b"runnerB3";
const LENGTH: u64 = 8 + 32;
/// Length of the footer and the magic word.
const TAIL: u64 = 8;
/// Bytes that are written at a time.
const BUFFER: usize = 1 << 18;

/// BLAKE3 of a sealed file's other bytes: names the file's content.
pub(crate) type Seal = blake3::Hash;

/// A file on its way to its seal: buffers what is written, and counts it in. Clones share the file.
#[derive(Clone)]
pub(crate) struct SealedFile(Arc<Mutex<Unsealed>>);

struct Unsealed {
    file: File,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    /// Nothing more goes to the file: what comes now is its end, in which the seal has its place.
    ending: bool,
}

impl SealedFile {
    pub fn new(file: File) -> Self {
        let buffer = Vec::with_capacity(BUFFER);
        SealedFile(Arc::new(Mutex::new(Unsealed {
            file,
            buffer,
            hasher: blake3::Hasher::new(),
            ending: false,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Unsealed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called before the footer is written.
    pub fn begin_end(&self) -> io::Result<()> {
        let mut unsealed = self.lock();
        unsealed.ending = true;
        unsealed.drain()
    }

    /// Writes the end with the seal in it, and puts all bytes on the disk.
    pub fn seal(&self) -> io::Result<Seal> {
        let Unsealed { file, buffer, hasher, .. } = &mut *self.lock();
        let footer = split(buffer).ok_or(io::ErrorKind::InvalidData)?;
        hasher.update(buffer);
        let seal = hasher.finalize();
        let (before, footer) = buffer.split_at(footer);
        file.write_all(&[before, WORD, seal.as_bytes(), footer].concat())?;
        file.sync_all()?;
        Ok(seal)
    }
}

impl Unsealed {
    fn drain(&mut self) -> io::Result<()> {
        self.hasher.update(&self.buffer);
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written
    }
}

impl Write for SealedFile {
    /// Takes all bytes, always: some callers write a byte at a time and do not look how many were
    /// taken.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut unsealed = self.lock();
        unsealed.buffer.extend_from_slice(bytes);
        if unsealed.buffer.len() >= BUFFER && !unsealed.ending {
            unsealed.drain()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where the footer begins in the end of a Parquet file; none if it is not in there.
fn split(end: &[u8]) -> Option<usize> {
    let (rest, tail) = end.split_last_chunk::<8>()?;
    let [a, b, c, d, magic @ ..] = *tail;
    rest.len().checked_sub(u32::from_le_bytes([a, b, c, d]) as usize).filter(|_| &magic == b"PAR1")
}

/// What a look at a file's seal found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// The bytes are those that were written.
    Sound { footer: Vec<u8>, seal: Seal },
    /// They are not: why, in words.
    Broken(&'static str),
}

/// Looks whether the bytes are those that were written. What does not agree is read once more: a
/// disk may have erred.
///
/// # Errors
/// Those of the system, which say nothing about the bytes.
pub(crate) fn check(file: &File) -> io::Result<Checked> {
    match check_once(file)? {
        Checked::Broken(_) => check_once(file),
        sound => Ok(sound),
    }
}

fn check_once(mut file: &File) -> io::Result<Checked> {
    let broken = |words| Ok(Checked::Broken(words));
    let length = file.seek(SeekFrom::End(0))?;
    if length < TAIL {
        return broken("it is not a whole Parquet file");
    }
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(length - TAIL))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let footer = (length - TAIL).checked_sub(u64::from(u32::from_le_bytes([a, b, c, d])));
    let Some(start) = footer.filter(|_| &magic == b"PAR1") else {
        return broken("it is not a whole Parquet file");
    };
    let Some(place) = start.checked_sub(LENGTH) else { return broken("it has no seal") };
    let mut seal = [0; LENGTH as usize];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut seal)?;
    let mut footer = Vec::new();
    file.take(length - start).read_to_end(&mut footer)?;
    let Some(seal) = seal.strip_prefix(WORD) else {
        return broken("it has no seal: it is damaged, or another program wrote it");
    };
    let mut hasher = blake3::Hasher::new();
    file.seek(SeekFrom::Start(0))?;
    hasher.update_reader(file.take(place))?;
    hasher.update(&footer);
    let found = hasher.finalize();
    Ok(if found.as_bytes()[..] == *seal {
        Checked::Sound { footer, seal: found }
    } else {
        Checked::Broken("its bytes are not those that were written")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_damage_breaks_the_seal() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("table");
        let open = || File::open(&path).expect("a file");
        // What a file looks like from outside: data, a footer of 3 bytes.
        let (data, end) = (b"PAR1data", b"\x01\x02\x03\x03\x00\x00\x00PAR1");
        std::fs::write(&path, [&data[..], end].concat()).expect("a file");
        assert_eq!(check(&open()).expect("readable"), Checked::Broken("it has no seal"));
        let mut file = SealedFile::new(File::create(&path).expect("a file"));
        file.write_all(data).expect("taken");
        file.begin_end().expect("written");
        file.write_all(end).expect("taken");
        let seal = file.seal().expect("sealed");
        assert_eq!(
            check(&open()).expect("readable"),
            Checked::Sound { footer: end.to_vec(), seal }
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
