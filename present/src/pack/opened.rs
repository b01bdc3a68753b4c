//! Packs that are opened. A pack may come from strangers: nothing in it is run or followed, and its
//! files are unpacked to a temporary folder only.

use super::archive;
use super::layout::{METADATA, PLUGINS, RESULTS};
use super::metadata::{address, recorded};
use super::names;
use super::part::{Measured, Part, Source};
use crate::lists::distinct;
use crate::system::regular;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::{CompressionMethod, ZipArchive};

/// Bytes that are copied at a time.
const BUFFER: usize = 1 << 18;

/// A pack whose files are as they were packed, unpacked to a folder that is removed with this
/// value.
#[derive(Debug)]
pub struct OpenedPack {
    folder: TempDir,
    parts: Vec<(Part, Measured)>,
}

/// An entry of a zip file, as its list of files has it.
struct Entry {
    name: String,
    /// Position of the entry in the zip file.
    start: u64,
}

impl OpenedPack {
    /// Opens a pack, and checks every byte of it against its metadata and its checksums.
    ///
    /// # Errors
    /// Returns a message if the file is no pack, breaks a rule, or is not as it was packed.
    pub fn open(path: &Path) -> Result<Self, String> {
        let found = Self::checked(path);
        found.map_err(|fault| format!("{}: {fault}", path.display()))
    }

    fn checked(path: &Path) -> Result<Self, String> {
        let file = regular::open_linked(path).map_err(in_words)?;
        let length = file.metadata().map_err(in_words)?.len();
        let mut file = BufReader::new(file);
        let begins = file.fill_buf().map_err(in_words)?.starts_with(b"PK");
        let mut archive = ZipArchive::new(file).map_err(|error| {
            let fault = match begins {
                true => format!("it cannot be opened as a zip file ({error})"),
                false => "it is no zip file".to_owned(),
            };
            format!("{fault}; name a results folder, or a file that `runner pack` wrote")
        })?;
        let entries = entries(&mut archive, length)?;
        let folder = tempfile::tempdir().map_err(in_words)?;
        let mut parts = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            let to = folder.path().join(&entry.name);
            let measured = unpack(&mut archive, place, &to)
                .map_err(|error| changed(&entry.name, &error.to_string()))?;
            let part = Part {
                name: entry.name.clone(),
                description: String::new(),
                source: Source::File(to),
            };
            parts.push((part, measured));
        }
        let opened = OpenedPack { folder, parts };
        opened.compare_with_metadata()?;
        opened.compare_with_bytes(path, &entries, archive.central_directory_start())?;
        Ok(opened)
    }

    /// Returns the results folder among the unpacked files.
    pub fn results(&self) -> PathBuf {
        self.folder.path().join(RESULTS)
    }

    /// Returns the folders of packed plugins, each once.
    pub fn plugin_folders(&self) -> Vec<PathBuf> {
        let plugins = self.folder.path().join(PLUGINS);
        let paths = self.parts.iter().map(|(part, _)| self.folder.path().join(&part.name));
        let paths = paths.filter(|path| path.starts_with(&plugins));
        distinct(paths.filter_map(|path| path.parent().map(Path::to_owned)))
    }

    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.parts.len()
    }

    /// Compares the files with the metadata: all are there, with their sizes and hashes, and no
    /// others.
    fn compare_with_metadata(&self) -> Result<(), String> {
        let metadata = self.folder.path().join(METADATA);
        let read = regular::read(&metadata, regular::MOST_OF_TEXT);
        let read = read.map_err(|_| format!("it has no {METADATA}, so it is no pack of runner"))?;
        let recorded = recorded(&read).map_err(|fault| changed(METADATA, &fault))?;
        let mut missing: BTreeMap<_, _> = recorded.into_iter().collect();
        for (part, Measured { size, blake3 }) in &self.parts {
            if part.name == METADATA {
                continue;
            }
            let Some(due) = missing.remove(&address(&part.name)) else {
                return Err(changed(&part.name, &format!("{METADATA} does not have it")));
            };
            if (due.size, due.blake3) != (size.to_string(), blake3.to_string()) {
                let fault = format!("its size or its hash is not that in {METADATA}");
                return Err(changed(&part.name, &fault));
            }
        }
        match missing.keys().next() {
            Some(name) => Err(changed(name, &format!("it is missing, and {METADATA} has it"))),
            None => Ok(()),
        }
    }

    /// Packs the files again and compares the bytes, so that no byte around the files has changed.
    fn compare_with_bytes(&self, path: &Path, entries: &[Entry], end: u64) -> Result<(), String> {
        let again = tempfile::tempfile_in(self.folder.path()).map_err(in_words)?;
        let parts: Vec<(&Part, Measured)> =
            self.parts.iter().map(|(part, measured)| (part, *measured)).collect();
        let mut again = archive::write(again, path, &parts).map_err(|error| error.to_string())?;
        io::Seek::rewind(&mut again).map_err(in_words)?;
        let packed = regular::open_linked(path).map_err(in_words)?;
        let Some(place) = first_difference(packed, again).map_err(in_words)? else { return Ok(()) };
        let fault = format!("byte {place} of the zip file is not as it was packed");
        let before = entries.iter().filter(|entry| entry.start <= place);
        match before.max_by_key(|entry| entry.start).filter(|_| place < end) {
            Some(entry) => Err(changed(&entry.name, &fault)),
            None => Err(changed("the list of files at its end", &fault)),
        }
    }
}

/// Returns the entries of a zip file of `length` bytes, each of which is a stored regular file.
fn entries(archive: &mut ZipArchive<BufReader<File>>, length: u64) -> Result<Vec<Entry>, String> {
    let (mut entries, mut total) = (Vec::<Entry>::new(), 0_u64);
    for place in 0..archive.len() {
        let entry = archive.by_index_raw(place).map_err(|error| {
            let number = place + 1;
            changed(&format!("entry {number}"), &error.to_string())
        })?;
        let name = entry.name().map_err(|error| changed("a name", &error.to_string()))?;
        let refuse = |rule: &str| Err(format!("`{name}`: {rule}; it is no pack of runner"));
        if let Err(rule) = names::check(&name) {
            return refuse(rule);
        }
        if !entry.is_file() || entry.is_symlink() {
            return refuse("a pack has only regular files, no links and no folders");
        }
        if entry.compression() != CompressionMethod::Stored || entry.encrypted() {
            return refuse("a pack has no compressed and no encrypted files");
        }
        // A stored file takes its size in the zip file, so that unpacked files are no larger.
        total = total.saturating_add(entry.size());
        if total > length || entry.size() != entry.compressed_size() {
            return refuse("its size is more than the zip file has");
        }
        if entries.last().is_some_and(|last| *last.name >= *name) {
            return refuse("the files of a pack are sorted by name, each once");
        }
        let (name, start) = (name.into_owned(), entry.header_start());
        entries.push(Entry { name, start });
    }
    Ok(entries)
}

/// Writes the contents of an entry to a new file.
fn unpack(
    archive: &mut ZipArchive<BufReader<File>>,
    place: usize,
    to: &Path,
) -> io::Result<Measured> {
    let mut entry = archive.by_index(place)?;
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    let (mut file, mut hasher) = (File::create_new(to)?, blake3::Hasher::new());
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = entry.read(&mut buffer)?;
        if read == 0 {
            return Ok(Measured { size: hasher.count(), blake3: hasher.finalize() });
        }
        hasher.update(&buffer[..read]);
        file.write_all(&buffer[..read])?;
    }
}

/// Returns the position of the first byte in which two files differ.
fn first_difference(one: File, other: File) -> io::Result<Option<u64>> {
    let (mut one, mut other) = (BufReader::new(one).bytes(), BufReader::new(other).bytes());
    let mut place = 0;
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(None),
            (left, right) if left != right => return Ok(Some(place)),
            _ => place += 1,
        }
    }
}

fn changed(name: &str, fault: &str) -> String {
    format!("{name}: {fault}; the pack has changed since it was written: get it again")
}

fn in_words(error: io::Error) -> String {
    format!(
        "cannot be read or unpacked: {error}; check the path and the free space for \
        temporary files"
    )
}
