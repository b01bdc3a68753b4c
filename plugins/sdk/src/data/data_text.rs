//! Texts of data.

use super::cursor::Cursor;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Maximum length of a file of data in bytes.
pub const MOST_BYTES: u64 = 1 << 26;

/// Text of a file of data, with the name of the file for messages.
#[derive(Clone, Debug)]
pub struct DataText {
    name: String,
    text: String,
}

impl DataText {
    /// Makes a text that messages call `name`.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        DataText { name: name.into(), text: text.into() }
    }

    /// Reads a file of at most [`MOST_BYTES`]. Bytes that are not UTF-8 become replacement
    /// characters, since old files have names and comments in other encodings.
    ///
    /// # Errors
    /// Returns an error, in words, if the file cannot be read or is too long.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| format!("{name}: {error}; check the file"))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!(
                "{name}: the file has more than {MOST_BYTES} bytes, the most that is read; give a \
                smaller instance"
            ));
        }
        Ok(DataText { name, text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Returns a cursor at the beginning.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(&self.name, &self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whatever_its_bytes_and_a_missing_one_named() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("runner-data-text-{}", std::process::id()));
        std::fs::write(&path, b"caf\xe9 7\n").expect("a file");
        let text = DataText::read(&path).expect("readable");
        std::fs::remove_file(&path).expect("removed");
        let mut cursor = text.cursor();
        assert_eq!(cursor.word(), Some("caf\u{fffd}"));
        assert_eq!(cursor.integer("the number", 0..=9), Ok(7));
        let error = DataText::read(&path).expect_err("it is gone");
        assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
    }
}
