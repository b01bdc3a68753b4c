//! Plugins that this user ran. Results name the file of their plugin, and may come from strangers:
//! that file is loaded unasked only if the user ran it as it is now, from where it is now. So each
//! run notes what it loaded, in the user's own state folder and not in the results.

use crate::problem::{Library, Location};
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folder of the notes, with one file per plugin; `None` if there is no such folder.
#[derive(Clone, Debug, Default)]
pub struct OwnPlugins {
    folder: Option<PathBuf>,
}

/// A plugin as it was when the user last ran it.
#[derive(PartialEq, Serialize, Deserialize)]
struct Note {
    path: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interpreter: Option<PathBuf>,
    /// BLAKE3, in hex, of each file that it is made of.
    files: BTreeMap<PathBuf, String>,
}

/// Bytes of a note that are read.
const MOST: u64 = 1 << 20;

impl OwnPlugins {
    /// Returns the notes of the user of this process. They are in `runner/plugins` in
    /// `XDG_STATE_HOME`, or else in `~/.local/state`.
    #[must_use]
    pub fn of_user() -> Self {
        let named = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let state = named
            .filter(|folder| folder.is_absolute())
            .or_else(|| env::home_dir().map(|home| home.join(".local/state")));
        let absolute = state.filter(|folder| folder.is_absolute());
        OwnPlugins { folder: absolute.map(|state| state.join("runner/plugins")) }
    }

    /// Notes a plugin that the user runs. What cannot be noted needs `--trust` later.
    pub fn note(&self, library: &Library) {
        _ = self.try_note(library);
    }

    fn try_note(&self, library: &Library) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let hashed = |file: PathBuf| Ok((file.clone(), regular::hash(&file)?.to_string()));
        let note = Note {
            path: library.path().to_owned(),
            interpreter: library.interpreter().map(Path::to_owned),
            files: library.files().map(hashed).collect::<io::Result<_>>()?,
        };
        let path = file_of(folder, &note.path);
        if read(&path).is_some_and(|noted| noted == note) {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&file, &note)?;
        file.persist(path)?;
        Ok(())
    }

    /// Returns the plugin at a path, if it is as the user ran it.
    pub(crate) fn find(&self, path: &Path) -> Option<Location> {
        let Note { path: noted, interpreter, files } = read(&file_of(self.folder.as_ref()?, path))?;
        let same = |(file, hash): (&PathBuf, &String)| {
            regular::hash(file).is_ok_and(|now| now.to_string() == *hash)
        };
        let is_own = noted == path && files.contains_key(path) && files.iter().all(same);
        is_own.then_some(Location { path: noted, interpreter })
    }
}

/// Returns the path of the note on the plugin at a path.
fn file_of(folder: &Path, path: &Path) -> PathBuf {
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes());
    folder.join(format!("{}.json", &hash.to_hex()[..32]))
}

fn read(path: &Path) -> Option<Note> {
    serde_json::from_slice(&regular::read(path, MOST).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_own_while_all_of_its_files_are_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = OwnPlugins { folder: Some(folder.path().join("state")) };
        let paths = ["a.py", "b.py"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| fs::write(path, "1").expect("a file"));
        let hashed = |path: &PathBuf| (path.clone(), blake3::hash(b"1").to_string());
        let note = Note {
            path: paths[0].clone(),
            interpreter: Some("python".into()),
            files: paths.iter().map(hashed).collect(),
        };
        let file = file_of(&folder.path().join("state"), &paths[0]);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, serde_json::to_vec(&note).expect("JSON")).expect("a file");
        let location = Location { path: paths[0].clone(), interpreter: note.interpreter };
        assert_eq!(own.find(&paths[0]), Some(location));
        assert_eq!(own.find(&paths[1]), None);
        // The note of one plugin is none of another.
        fs::copy(&file, file_of(&folder.path().join("state"), &paths[1])).expect("a copy");
        assert_eq!(own.find(&paths[1]), None);
        fs::write(&paths[1], "2").expect("a file");
        assert_eq!(own.find(&paths[0]), None);
        assert_eq!(OwnPlugins::default().find(&paths[0]), None);
    }
}
