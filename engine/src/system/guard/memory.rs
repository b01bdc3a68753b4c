//! Memory that several processes share.
#![expect(unsafe_code, reason = "mapped memory is a system's, not the language's")]

use super::board::{Board, Call, PLUGIN_NAME, SLOTS, Slot};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::fd::AsFd;

const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Maps a board that this process shares with the processes that it forks.
///
/// # Errors
/// Returns an error if the system has no memory for the board.
pub(super) fn shared() -> io::Result<&'static Board> {
    // SAFETY: the pages are fresh, zeroed and never unmapped. A board consists of atomics, for
    // which zeros are valid values.
    unsafe {
        let pages =
            mmap_anonymous(std::ptr::null_mut(), size_of::<Board>(), READ_WRITE, MapFlags::SHARED)?;
        Ok(&*pages.cast::<Board>())
    }
}

/// Creates a file without a name that is large enough for a board.
///
/// # Errors
/// Returns an error of the system.
pub fn file() -> io::Result<File> {
    #[cfg(target_os = "linux")]
    let file = File::from(rustix::fs::memfd_create("runner", rustix::fs::MemfdFlags::CLOEXEC)?);
    #[cfg(not(target_os = "linux"))]
    let file = tempfile::tempfile()?;
    file.set_len(size_of::<Board>() as u64)?;
    Ok(file)
}

/// Maps the board in such a file. The file can be closed afterwards.
///
/// # Errors
/// Returns an error of the system, or one that states that the file is too short.
pub(super) fn in_file(file: impl AsFd) -> io::Result<&'static Board> {
    let length = rustix::fs::fstat(&file)?.st_size;
    if length < size_of::<Board>() as i64 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // SAFETY: the pages are never unmapped. The file begins as zeros, which are a valid board. The
    // file is long enough, and no process shortens it.
    unsafe {
        let pages =
            mmap(std::ptr::null_mut(), size_of::<Board>(), READ_WRITE, MapFlags::SHARED, file, 0)?;
        Ok(&*pages.cast::<Board>())
    }
}

/// Returns the call that a thread of the process with this board is in. The main thread is read
/// first, then the threads that help it. `None` if no thread is in a call.
#[must_use]
pub fn call_in(file: &File) -> Option<Call> {
    word_in(file).and_then(Call::decode)
}

/// Returns the name of the plugin whose call [`call_in`] returns; `None` if it has none.
#[must_use]
pub fn plugin_in(file: &File) -> Option<String> {
    let place = (word_in(file)? >> 8).checked_sub(1)?;
    let at = Board::plugin_at(place as usize)?;
    let length = u32::from_ne_bytes(read_at(file, at)?) as usize;
    let bytes: [u8; PLUGIN_NAME] = read_at(file, at + size_of::<u32>())?;
    let name = String::from_utf8_lossy(bytes.get(..length)?).into_owned();
    (!name.is_empty()).then_some(name)
}

/// Returns the number of the call of [`call_in`] among the calls of its thread.
#[must_use]
pub fn call_number_in(file: &File) -> Option<u64> {
    let at = slot_in(file)?.0 + offset_of!(Slot, calls);
    read_at(file, at).map(u64::from_ne_bytes)
}

/// Returns call and plugin of the first thread that is in a call.
fn word_in(file: &File) -> Option<u32> {
    slot_in(file).map(|(_, word)| word)
}

/// Returns the offset of the first slot whose thread is in a call, with its call and plugin.
fn slot_in(file: &File) -> Option<(usize, u32)> {
    (0..SLOTS).find_map(|slot| {
        let at = offset_of!(Board, slots) + slot * size_of::<Slot>();
        let word = u32::from_ne_bytes(read_at(file, at + offset_of!(Slot, call))?);
        Call::decode(word).map(|_| (at, word))
    })
}

/// Reads bytes at an offset of a file; `None` if that fails. The file is not mapped, so that a
/// damaged file causes no fault.
fn read_at<const BYTES: usize>(file: &File, at: usize) -> Option<[u8; BYTES]> {
    use std::os::unix::fs::FileExt;
    let mut bytes = [0; BYTES];
    file.read_exact_at(&mut bytes, at as u64).ok().map(|()| bytes)
}

/// Grants `workers` workers, in addition to its own, to the process with this board.
pub fn grant(file: &File, workers: u32) {
    use std::os::unix::fs::FileExt;
    // Errors are ignored because the process is merely slower without these workers.
    _ = file.write_all_at(&workers.to_ne_bytes(), offset_of!(Board, granted) as u64);
}
