//! Memory that processes share.
#![expect(unsafe_code, reason = "mapped memory is a system's, not the language's")]

use super::board::{Board, Call, PLUGIN_NAME, SLOTS, Slot};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::fd::AsFd;

const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// A board that this process shares with those it forks.
///
/// # Errors
/// When the system has no memory for it.
pub(super) fn shared() -> io::Result<&'static Board> {
    // SAFETY: fresh pages of zeros, never unmapped; a board is made of atomics, for which zeros are
    // values.
    unsafe {
        let pages =
            mmap_anonymous(std::ptr::null_mut(), size_of::<Board>(), READ_WRITE, MapFlags::SHARED)?;
        Ok(&*pages.cast::<Board>())
    }
}

/// A file without a name that a board fits in.
///
/// # Errors
/// The system's.
pub fn file() -> io::Result<File> {
    #[cfg(target_os = "linux")]
    let file = File::from(rustix::fs::memfd_create("runner", rustix::fs::MemfdFlags::CLOEXEC)?);
    #[cfg(not(target_os = "linux"))]
    let file = tempfile::tempfile()?;
    file.set_len(size_of::<Board>() as u64)?;
    Ok(file)
}

/// The board in such a file; the file can be closed.
///
/// # Errors
/// If the file is too short, and the system's.
pub(super) fn in_file(file: impl AsFd) -> io::Result<&'static Board> {
    let length = rustix::fs::fstat(&file)?.st_size;
    if length < size_of::<Board>() as i64 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // SAFETY: as above; the file is long enough, and no one shortens it.
    unsafe {
        let pages =
            mmap(std::ptr::null_mut(), size_of::<Board>(), READ_WRITE, MapFlags::SHARED, file, 0)?;
        Ok(&*pages.cast::<Board>())
    }
}

/// The call that a thread of the process with this board is in: that of its main thread, else that
/// of one that helps it.
#[must_use]
pub fn call_in(file: &File) -> Option<Call> {
    word_in(file).and_then(Call::decode)
}

/// The name of the plugin whose call that is.
#[must_use]
pub fn plugin_in(file: &File) -> Option<String> {
    let place = (word_in(file)? >> 8).checked_sub(1)?;
    let at = Board::plugin_at(place as usize)?;
    let length = u32::from_ne_bytes(read_at(file, at)?) as usize;
    let bytes: [u8; PLUGIN_NAME] = read_at(file, at + size_of::<u32>())?;
    let name = String::from_utf8_lossy(bytes.get(..length)?).into_owned();
    (!name.is_empty()).then_some(name)
}

/// The number of that call among those of its thread.
#[must_use]
pub fn call_number_in(file: &File) -> Option<u64> {
    let at = slot_in(file)?.0 + offset_of!(Slot, calls);
    read_at(file, at).map(u64::from_ne_bytes)
}

/// Call and plugin of the first thread that is in a call.
fn word_in(file: &File) -> Option<u32> {
    slot_in(file).map(|(_, word)| word)
}

/// The place of the first thread that is in a call, and its call and plugin.
fn slot_in(file: &File) -> Option<(usize, u32)> {
    (0..SLOTS).find_map(|slot| {
        let at = offset_of!(Board, slots) + slot * size_of::<Slot>();
        let word = u32::from_ne_bytes(read_at(file, at + offset_of!(Slot, call))?);
        Call::decode(word).map(|_| (at, word))
    })
}

/// Read, not mapped: whatever became of the file, this fails in peace.
fn read_at<const BYTES: usize>(file: &File, at: usize) -> Option<[u8; BYTES]> {
    use std::os::unix::fs::FileExt;
    let mut bytes = [0; BYTES];
    file.read_exact_at(&mut bytes, at as u64).ok().map(|()| bytes)
}

/// Grants so many workers, beside its own, to the process with this board.
pub fn grant(file: &File, workers: u32) {
    use std::os::unix::fs::FileExt;
    // Without them, it is no more than slower.
    _ = file.write_all_at(&workers.to_ne_bytes(), offset_of!(Board, granted) as u64);
}
