//! The seal of a table's file: a checksum of its bytes, so that damage is found before a decoder believes it.
//!
//! A Parquet file ends with its footer, the footer's length (4 bytes, little endian) and a magic word; readers find the rest from
//! there, and what stands just before the footer is no concern of theirs. There the seal is put: a word of 8 bytes and the
//! BLAKE3 of all other bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

const WORD: &[u8; 8] = b"runnerB3";
const LENGTH: u64 = 8 + 32;
/// Length of the footer and the magic word.
const TAIL: u64 = 8;

/// Where the footer begins, and the file's length; none if the file is no Parquet.
fn footer(file: &mut &File) -> io::Result<Option<(u64, u64)>> {
    let length = file.seek(SeekFrom::End(0))?;
    if length < TAIL {
        return Ok(None);
    }
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(length - TAIL))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    Ok((&magic == b"PAR1")
        .then_some(())
        .and_then(|()| (length - TAIL).checked_sub(footer))
        .map(|start| (start, length)))
}

fn hash(file: &mut &File, hasher: &mut blake3::Hasher, from: u64, to: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    hasher.update_reader(file.take(to - from)).map(|_| ())
}

/// Seals a finished file, open for reading and writing.
pub(crate) fn seal(mut file: &File) -> io::Result<()> {
    let (start, length) = footer(&mut file)?.ok_or(io::ErrorKind::InvalidData)?;
    let mut hasher = blake3::Hasher::new();
    hash(&mut file, &mut hasher, 0, length)?;
    let mut end = Vec::new();
    end.extend_from_slice(WORD);
    end.extend_from_slice(hasher.finalize().as_bytes());
    file.seek(SeekFrom::Start(start))?;
    file.read_to_end(&mut end)?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&end)
}

/// Whether the bytes are those that were written; if not, why, in words.
pub(crate) fn check(mut file: &File) -> io::Result<Result<(), &'static str>> {
    let Some((start, length)) = footer(&mut file)? else { return Ok(Err("it is not a whole Parquet file")) };
    let Some(place) = start.checked_sub(LENGTH) else { return Ok(Err("it has no seal")) };
    let mut seal = [0; LENGTH as usize];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut seal)?;
    if &seal[..8] != WORD {
        return Ok(Err("it has no seal: it is damaged, or another program wrote it"));
    }
    let mut hasher = blake3::Hasher::new();
    hash(&mut file, &mut hasher, 0, place)?;
    hash(&mut file, &mut hasher, start, length)?;
    Ok(if hasher.finalize().as_bytes()[..] == seal[8..] {
        Ok(())
    } else {
        Err("its bytes are not those that were written")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    #[test]
    fn any_damage_breaks_the_seal() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("table");
        let open = || OpenOptions::new().read(true).write(true).open(&path).expect("a file");
        // What a file looks like from outside: data, a footer of 3 bytes.
        std::fs::write(&path, b"PAR1data\x01\x02\x03\x03\x00\x00\x00PAR1").expect("a file");
        assert_eq!(check(&open()).expect("readable"), Err("it has no seal"));
        seal(&open()).expect("sealed");
        assert_eq!(check(&open()).expect("readable"), Ok(()));
        let whole = std::fs::read(&path).expect("a file");
        assert!(whole.ends_with(b"\x01\x02\x03\x03\x00\x00\x00PAR1"));
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                std::fs::write(&path, &damaged).expect("a file");
                assert!(check(&open()).expect("readable").is_err(), "bit {bit} of byte {at}");
            }
            std::fs::write(&path, &whole[..at]).expect("a file");
            assert!(check(&open()).expect("readable").is_err(), "cut at {at}");
        }
    }
}
