//! Files of data that parameters name: found, read and hashed once each.

use super::Catalogue;
use super::data_file::{NoData, open, unreadable};
use super::diagnostic::Faults;
use super::fields::text;
use super::file_access::FileAccess;
use super::node::Node;
use super::source::Sources;
use crate::problem::DataFile;
use crate::problem::parameter::{Fallback, Parameter, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files that the parameters of a config name.
pub(super) struct DataFiles {
    access: FileAccess,
    /// Folder that paths are relative to, unless their source has its own.
    base: PathBuf,
    /// Folders of extended files, by the number of the source.
    folders: BTreeMap<usize, PathBuf>,
    /// Files that an earlier plan of the config read, by their names in it.
    given: BTreeMap<String, DataFile>,
    /// Files that were read, by their paths.
    found: BTreeMap<PathBuf, DataFile>,
}

impl DataFiles {
    /// Returns the files of a config in the folder `base`. Those that the catalogue gives are not
    /// read again.
    pub(super) fn new(base: &Path, catalogue: &Catalogue, sources: &Sources) -> Self {
        let named = |file: &DataFile| (file.named.clone(), file.clone());
        DataFiles {
            access: catalogue.files,
            base: base.to_owned(),
            folders: sources.folders().clone(),
            given: catalogue.data_files.iter().map(named).collect(),
            found: BTreeMap::new(),
        }
    }

    /// Returns the files of a command line, whose paths are relative to the working folder.
    pub(super) fn of_command_line() -> Self {
        DataFiles {
            access: FileAccess::Any,
            base: PathBuf::new(),
            folders: BTreeMap::new(),
            given: BTreeMap::new(),
            found: BTreeMap::new(),
        }
    }

    /// Returns all files that were read or given, each once.
    pub(super) fn into_all(self) -> Vec<DataFile> {
        let mut all: BTreeMap<String, DataFile> = self.given;
        all.extend(self.found.into_values().map(|file| (file.named.clone(), file)));
        all.into_values().collect()
    }

    /// Returns the value of a parameter that is a file. An empty text is no file.
    pub(super) fn value(
        &mut self,
        node: &Node,
        parameter: &Parameter,
        out: &mut Faults,
    ) -> Option<Value> {
        let named = text(node, &parameter.key, out)?;
        if named.is_empty() && matches!(parameter.fallback, Fallback::Value(_)) {
            return Some(Value::Text("".into()));
        }
        match self.file(named, node.origin.source) {
            Ok(file) => Some(Value::File(file)),
            Err(NoData { message, help, .. }) => {
                let shown = self.path(named, node.origin.source);
                let message = format!("`{}`: {}: {message}", parameter.key, shown.display());
                node.error(message, "no file to read").help(help).to(out)
            }
        }
    }

    /// Returns the path of a file that a source names.
    fn path(&self, named: &str, source: usize) -> PathBuf {
        self.folders.get(&source).unwrap_or(&self.base).join(named)
    }

    fn file(&mut self, named: &str, source: usize) -> Result<DataFile, NoData> {
        if let Some(file) = self.given.get(named) {
            return Ok(file.clone());
        }
        if named.is_empty() {
            return Err(NoData::new("the path is empty", "write the path of a file"));
        }
        let path = self.path(named, source);
        if let Some(file) = self.found.get(&path) {
            return Ok(file.clone());
        }
        let file = self.read(named, &path)?;
        let other = self
            .found
            .iter()
            .find(|(_, other)| other.named == file.named && other.blake3 != file.blake3);
        if let Some((other, _)) = other {
            // A results folder keeps each file under its name in the config.
            return Err(NoData::new(
                format!("another file is called `{named}` too: {}", other.display()),
                "write one of the paths otherwise, such as with the folder before it",
            ));
        }
        self.found.insert(path, file.clone());
        Ok(file)
    }

    fn read(&self, named: &str, path: &Path) -> Result<DataFile, NoData> {
        let instead = "name a file; a folder, a pipe or a device has no contents to keep";
        let file =
            open(path, self.access, "a file of data", instead).map_err(|error| {
                match named.starts_with('~') {
                    true => NoData {
                        help: "write the path of the home folder in place of ~".into(),
                        ..error
                    },
                    false => error,
                }
            })?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(|error| unreadable(&error))?;
        let path = std::path::absolute(path).map_err(|error| unreadable(&error))?;
        let path = path.into_os_string().into_string().map_err(|_| {
            NoData::new("its path is not UTF-8", "move it to a folder whose name is UTF-8")
        })?;
        let blake3 = hasher.finalize().to_hex().to_string();
        Ok(DataFile { named: named.to_owned(), path, blake3 })
    }
}
