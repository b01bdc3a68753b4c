//! Memory that several processes share.
#![expect(unsafe_code, reason = "mapped memory is a system's, not the language's")]

use super::board::{Board, UnderWay};
use super::reached::Reached;
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::slice;

const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Maps a board that this process shares with the processes that it forks.
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
pub fn call_in(file: &File) -> Option<UnderWay> {
    copy(file)?.under_way().into_iter().find(|call| call.call.is_some())
}

/// Returns the figures that the trial of the process with this board had at the end of its last
/// generation; those of a trial that has not begun if they cannot be read.
#[must_use]
pub fn reached_in(file: &File) -> Reached {
    copy(file).map_or_else(Reached::default, |board| board.reached())
}

/// Returns a copy of the board in such a file; `None` if that fails. The file is not mapped, so
/// that a damaged file causes no fault.
fn copy(file: &File) -> Option<Box<Board>> {
    let mut board = Box::<Board>::new_zeroed();
    // SAFETY: the bytes are initialised and belong to this function alone. Any bytes are a valid
    // board, because it consists of atomic integers.
    unsafe {
        let bytes = slice::from_raw_parts_mut(board.as_mut_ptr().cast(), size_of::<Board>());
        file.read_exact_at(bytes, 0).ok()?;
        Some(board.assume_init())
    }
}

/// Grants `workers` workers, in addition to its own, to the process with this board.
pub fn grant(file: &File, workers: u32) {
    // Errors are ignored because the process is merely slower without these workers.
    _ = file.write_all_at(&workers.to_ne_bytes(), offset_of!(Board, granted) as u64);
}
