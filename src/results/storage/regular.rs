//! Opening what must be a regular file: links are not followed, and what is no file is named before
//! it is read. What is read whole is read up to a limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a text that a runner writes about an experiment, at most: a folder may come from
/// strangers, and what it has must not fill the memory.
pub(crate) const MOST_OF_TEXT: u64 = 1 << 28;
/// Bytes of a file that grows with the experiment, at most.
pub(crate) const MOST_OF_DATA: u64 = 1 << 32;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a file as `options` say.
///
/// # Errors
/// Those of the system; for a link, a folder, a pipe or a device, an error that names it.
pub(crate) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
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

/// All bytes of a file that has at most so many.
///
/// # Errors
/// As [`open_with`], and if it has more.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    let too_long = file.metadata()?.len() > most;
    if !too_long {
        (&file).take(most + 1).read_to_end(&mut bytes)?;
    }
    if too_long || bytes.len() as u64 > most {
        let message = format!("it has more than {most} bytes, which no runner writes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
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
