//! Opening what must be a regular file: links are not followed, and what is no file is named before
//! it is read. What is read whole is read up to a limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a text that a runner writes about an experiment, at most: a folder may come from
/// strangers, and what it has must not fill the memory.
pub const MOST_OF_TEXT: u64 = 1 << 28;
/// Maximum number of bytes of an experiment file.
pub const MOST_OF_CONFIG: u64 = 1 << 24;
/// Bytes of a file that grows with the experiment, at most.
pub const MOST_OF_DATA: u64 = 1 << 32;

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a file as `options` say.
///
/// # Errors
/// Those of the system; for a link, a folder, a pipe or a device, an error that names it.
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe must not be waited for.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) => return Err(named(path).unwrap_or(error)),
    };
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(named(path).unwrap_or_else(|| wrong("something else")))
    }
}

/// Opens a file for reading; a link to one is followed.
///
/// # Errors
/// As [`open_with`], but for links.
pub fn open_linked(path: &Path) -> io::Result<File> {
    let options = &mut OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.read(true).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let kind = std::fs::canonicalize(path).ok().and_then(|path| named(&path));
    Err(kind.unwrap_or_else(|| wrong("something else")))
}

/// Reads a file that a user names, of at most `most` bytes: a regular file, or a pipe. A link is
/// followed.
///
/// # Errors
/// Returns an error of the system, or one that names a device, or one that states the limit.
pub fn named_by_user(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let kind = file.metadata()?.file_type();
    #[cfg(unix)]
    {
        use std::io::IsTerminal;
        use std::os::unix::fs::FileTypeExt;
        if kind.is_block_device() || kind.is_char_device() && !file.is_terminal() {
            let message = "this is a device, not a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    }
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    bytes(&file, most)
}

/// All bytes of a file that has at most so many.
///
/// # Errors
/// As [`open`], and if it has more.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bytes(&open(path)?, most)
}

/// All bytes of an open file that has at most so many.
///
/// # Errors
/// Those of the system, and if it has more.
pub fn bytes(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    if file.metadata()?.len() <= most {
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= most {
            return Ok(bytes);
        }
    }
    let message = format!("it has more than {most} bytes, the limit for such a file");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

/// Fills `bytes` from this place of a file on. Several threads may read one file.
///
/// # Errors
/// Returns an error of the system, or one of the kind `UnexpectedEof` if the file ends before.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// Fills `bytes` from this place of a file on. Several threads may read one file.
///
/// # Errors
/// Returns an error of the system, or one of the kind `UnexpectedEof` if the file ends before.
#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, place) = (&mut bytes[read..], place + read as u64),
        }
    }
    Ok(())
}

/// BLAKE3 of a file; a link to one is followed.
///
/// # Errors
/// As [`open_linked`].
pub fn hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open_linked(path)?)?;
    Ok(hasher.finalize())
}

/// The text of an open file that has at most so many bytes.
///
/// # Errors
/// As [`bytes`]; of the kind `InvalidData` if it is not UTF-8.
pub fn text(file: &File, most: u64) -> io::Result<String> {
    let bytes = bytes(file, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// What stands in a file's place, if it is something else.
fn named(path: &Path) -> Option<io::Error> {
    let kind = std::fs::symlink_metadata(path).ok()?.file_type();
    if kind.is_file() {
        None
    } else if kind.is_symlink() {
        Some(wrong("a symbolic link (links are not followed here)"))
    } else if kind.is_dir() {
        Some(wrong("a folder"))
    } else {
        Some(wrong("a pipe, a socket or a device"))
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("there is {what} where a regular file should be; move it away"),
    )
}
