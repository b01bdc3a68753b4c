//! The zip file of a pack. Its bytes follow from the names and the contents of its files: order,
//! times and permissions are fixed. Nothing is compressed: the tables are already, and other
//! versions of a compressor would make other bytes.

use super::part::{Measured, Part};
use crate::results::ResultsError;
use std::io::{Read, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

/// Size from which on an entry needs fields of 64 bits.
const LARGE: u64 = u32::MAX as u64;
/// Bytes that are copied at a time.
const BUFFER: usize = 1 << 18;

/// Writes the files to `out`, sorted by name. `path`: the file that errors name.
///
/// # Errors
/// Returns an error if a file cannot be read, is not as it was measured, or cannot be written.
pub(super) fn write<W: Write + Seek>(
    out: W,
    path: &Path,
    parts: &[(&Part, Measured)],
) -> Result<W, ResultsError> {
    let mut writer = ZipWriter::new(out);
    match add(&mut writer, path, parts) {
        Ok(()) => writer.finish().map_err(|error| writing(path)(error.into())),
        Err(error) => {
            // Dropped, it would try to go on and print to standard error.
            std::mem::forget(writer);
            Err(error)
        }
    }
}

/// Adds the files, sorted by name.
fn add<W: Write + Seek>(
    writer: &mut ZipWriter<W>,
    path: &Path,
    parts: &[(&Part, Measured)],
) -> Result<(), ResultsError> {
    let mut sorted: Vec<_> = parts.iter().collect();
    sorted.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    for (part, measured) in sorted {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .system(System::Unix)
            .unix_permissions(0o644)
            .last_modified_time(DateTime::DEFAULT)
            .large_file(measured.size >= LARGE);
        let begun = writer.start_file(part.name.as_str(), options);
        begun.map_err(|error| writing(path)(error.into()))?;
        copy(part, *measured, writer, path)?;
    }
    Ok(())
}

/// Copies the contents of a file.
fn copy(
    part: &Part,
    measured: Measured,
    out: &mut impl Write,
    path: &Path,
) -> Result<(), ResultsError> {
    let (mut reader, mut hasher) = (part.open()?, blake3::Hasher::new());
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = reader.read(&mut buffer);
        let read = read.map_err(ResultsError::reading(&part.path(), "read the file"))?;
        if read == 0 || hasher.count() > measured.size {
            break;
        }
        hasher.update(&buffer[..read]);
        out.write_all(&buffer[..read]).map_err(writing(path))?;
    }
    if (hasher.count(), hasher.finalize()) == (measured.size, measured.blake3) {
        return Ok(());
    }
    let message = "it changed while it was packed; start the command again".to_owned();
    Err(ResultsError::Unreadable { path: part.path(), message })
}

fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> ResultsError {
    ResultsError::writing(path, "write the file")
}
