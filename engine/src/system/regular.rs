//! Regular files. Links are followed only by functions whose documentation states it. Anything that
//! is not a regular file is named in an error before it is read. Files that are read whole have a
//! size limit.

use super::interrupt::is_asked_to_stop;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Maximum number of bytes of a text that a runner writes about an experiment. A folder may come
/// from an untrusted source, and its contents must not fill the memory.
pub const MOST_OF_TEXT: u64 = 1 << 28;
/// Maximum number of bytes of an experiment file.
pub const MOST_OF_CONFIG: u64 = 1 << 24;
/// Maximum number of bytes of a file that grows with the experiment.
pub const MOST_OF_DATA: u64 = 1 << 32;

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a file with these options.
///
/// # Errors
/// Returns an error of the system. For a link, a folder, a pipe or a device, the error names it.
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe must not block.
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

/// Opens a file for reading, and follows links.
///
/// # Errors
/// Returns an error of the system. For a folder, a pipe or a device, the error names it.
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
    let what = if path.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
    let message = format!("there is {what} where a regular file should be; name a file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Checks that a file may be made at a path, in place of a regular file, a link, or nothing.
///
/// # Errors
/// Returns an error that names what is there: a folder, a pipe or a device, or a link to one of the
/// system's.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    let leads = std::fs::read_link(path).unwrap_or_default();
    // /dev/stdout is such a link.
    let is_of_system = leads.starts_with("/proc") || leads.starts_with("/dev");
    match there.is_file() || there.is_symlink() && !is_of_system {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a folder, a pipe or a device, or leads to one; name another file",
        )),
    }
}

/// Reads a regular file or a pipe that a user names, of at most `most` bytes. Links are followed. A
/// pipe is waited for until a signal asks this process to stop.
///
/// # Errors
/// Returns an error of the system, or one that names a device, or one that states the limit. The
/// error of a signal has the kind `Interrupted`.
pub fn named_by_user(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        return read_named(path, most);
    }
    /// Time within which a signal is noticed.
    const NOTICED: Duration = Duration::from_millis(100);
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    // The process ends soon if nobody receives what was read.
    let reader = std::thread::spawn(move || sender.send(read_named(&path, most)));
    loop {
        match receiver.recv_timeout(NOTICED) {
            Ok(read) => {
                _ = reader.join();
                return read;
            }
            Err(mpsc::RecvTimeoutError::Timeout) if !is_asked_to_stop() => {}
            Err(_) => return Err(io::ErrorKind::Interrupted.into()),
        }
    }
}

fn read_named(path: &Path, most: u64) -> io::Result<Vec<u8>> {
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

/// Reads all bytes of a file of at most `most` bytes.
///
/// # Errors
/// Returns an error of the system, one that names what is not a regular file, or one that states
/// the limit.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bytes(&open(path)?, most)
}

/// Reads all bytes of an open file of at most `most` bytes.
///
/// # Errors
/// Returns an error of the system, or one that states the limit.
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

/// Fills `bytes` from the offset `place` of a file. Several threads may read one file.
///
/// # Errors
/// Returns an error of the system, or one of the kind `UnexpectedEof` if the file is too short.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// Fills `bytes` from the offset `place` of a file. Several threads may read one file.
///
/// # Errors
/// Returns an error of the system, or one of the kind `UnexpectedEof` if the file is too short.
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

/// Returns the BLAKE3 hash of a file, and follows links.
///
/// # Errors
/// Returns the errors of [`open_linked`], or an error of the system if the file cannot be read.
pub fn hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open_linked(path)?)?;
    Ok(hasher.finalize())
}

/// Reads the text of an open file of at most `most` bytes.
///
/// # Errors
/// Returns the errors of [`bytes`], or one of the kind `InvalidData` if the text is not UTF-8.
pub fn text(file: &File, most: u64) -> io::Result<String> {
    let bytes = bytes(file, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Returns an error that names what is at this path. `None` if it is a regular file or cannot be
/// inspected.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_a_user_names_stays_where_it_is() {
        let error = |opened: io::Result<File>| opened.expect_err("a folder").to_string();
        assert!(error(open_linked(Path::new("/"))).ends_with("; name a file"));
        assert!(error(open(Path::new("/"))).ends_with("; move it away"));
    }
}
