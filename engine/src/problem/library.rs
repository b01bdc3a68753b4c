//! Loaded plugin libraries.

use super::declared::Declared;
use super::host::{self, Opened};
use super::remote::{Known, Opener, OpenerPlace, PluginPlacement};
use super::{Genome, Location, PluginError, SearchPath};
use crate::problem::parameter::{Kind, Parameter, Value};
use crate::system::regular;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Loaded plugin: its declaration, and the factory of its problems and operators. It is shared and
/// never unloaded.
pub struct Library {
    location: Location,
    file_hash: blake3::Hash,
    /// Inode of the file when it was loaded.
    inode: Option<u64>,
    declared: Declared,
    placement: PluginPlacement,
}

impl Library {
    /// Loads any library into this process.
    #[cfg(test)]
    pub fn load(path: &Path) -> Result<Arc<Library>, PluginError> {
        Library::open(&Location::new(path), &Opener::here(super::PluginPolicy::Any))
    }

    /// Loads a library and checks its table, in this process or in another. Runs the library's
    /// initialisers.
    ///
    /// # Errors
    /// Returns an error if the opener's policy does not permit the library, or if the file cannot
    /// be read or loaded. Returns an error if the library exports no table, or its table violates
    /// the ABI. Returns an error if the other process ends or times out.
    pub fn open(location: &Location, opener: &Opener) -> Result<Arc<Library>, PluginError> {
        let path = &location.path;
        let unreadable = |source| PluginError::Unreadable { path: path.clone(), source };
        // The path is absolute, because the system would search its own folders for a bare file
        // name.
        let full = std::path::absolute(path).map_err(unreadable)?;
        let interpreter = location.interpreter.clone();
        let location = opener.policy.permit(Location { path: full.clone(), interpreter })?;
        // The file is read here so that the error is the same wherever the library is opened.
        let file_hash = regular::hash(&full).map_err(unreadable)?;
        let known = match &opener.place {
            OpenerPlace::Here => None,
            OpenerPlace::Known(known) => Some(Arc::clone(known)),
            OpenerPlace::Remote(remote) => {
                let (declared, file_hash) = remote.open(&location)?;
                let inode = inode_of(&full);
                let (location, placement) =
                    (Location::clone(&location), PluginPlacement::Remote(Arc::clone(remote)));
                return Ok(Arc::new(Library { location, file_hash, inode, declared, placement }));
            }
        };
        let opened = host::open(&location)?;
        Ok(Library::of(opened, Location::clone(&location), file_hash, known))
    }

    fn of(
        opened: Opened,
        location: Location,
        file_hash: blake3::Hash,
        known: Option<Arc<Known>>,
    ) -> Arc<Library> {
        let Opened { declared, host, hash } = opened;
        let file_hash = hash.unwrap_or(file_hash);
        let inode = inode_of(&location.path);
        Arc::new(Library {
            location,
            file_hash,
            inode,
            declared,
            placement: PluginPlacement::Here { host, known },
        })
    }

    /// Returns whether the plugin is a program, which runs in separate processes.
    pub fn is_program(&self) -> bool {
        match &self.placement {
            PluginPlacement::Here { host, .. } => host.is_program(),
            PluginPlacement::Remote(_) => !self.location.is_library(),
        }
    }

    /// Returns whether somebody wrote to the library's file since it was loaded, which may change
    /// code that is in use. A new file in its place changes nothing, and programs report changes
    /// themselves.
    #[must_use]
    pub fn is_overwritten(&self) -> bool {
        !self.is_program()
            && self.inode.is_some()
            && inode_of(&self.location.path) == self.inode
            && regular::hash(&self.location.path).is_ok_and(|hash| hash != self.file_hash)
    }

    /// Returns the number of memory blocks that a program has in use. `None` for a library, and for
    /// a program that does not count them.
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        match &self.placement {
            PluginPlacement::Here { host, .. } => host.blocks(),
            PluginPlacement::Remote(_) => None,
        }
    }

    /// Sets whether each request to a program has a single genome from now on, so that batches
    /// become many requests. A library has no requests.
    pub fn ask_row_by_row(&self, is_on: bool) {
        if let PluginPlacement::Here { host, .. } = &self.placement {
            host.ask_row_by_row(is_on);
        }
    }

    /// Waits for `patience` and checks that the program sends nothing that was not requested.
    ///
    /// # Errors
    /// Returns an error if something arrives, in words that follow "the program".
    pub fn is_silent(&self, patience: Duration) -> Result<(), String> {
        match &self.placement {
            PluginPlacement::Here { host, .. } => host.is_silent(patience),
            PluginPlacement::Remote(_) => Ok(()),
        }
    }

    /// Creates a plugin that is linked into this program (for benchmarks and tests). Its path is
    /// `(linked in)`, and its hash is that of its name and version.
    ///
    /// # Errors
    /// Returns an error if its table violates the ABI.
    pub fn linked<P: runner_plugin::Plugin>(
        version: &'static str,
    ) -> Result<Arc<Library>, PluginError> {
        let path = PathBuf::from("(linked in)");
        let opened = host::linked::<P>(version, &path)?;
        Ok(Library::of(opened, Location::new(path), blake3::hash(&[]), None))
    }

    /// Returns the plugin's name, as used in configs.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// Returns the plugin's version, as its author writes it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.declared.version
    }

    /// Returns the plugin's description in one sentence.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.declared.summary
    }

    /// Returns the parameters that users may set, in the plugin's order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.declared.parameters
    }

    /// Returns the absolute path of the plugin's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.location.path
    }

    /// Returns the interpreter of the file; `None` if the config names none.
    #[must_use]
    pub fn interpreter(&self) -> Option<&Path> {
        self.location.interpreter.as_deref()
    }

    /// Returns the plugin's files: its own, and those that a program imports from its folder.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let beside = |file: &PathBuf| self.path().with_file_name(file);
        std::iter::once(self.path().to_owned()).chain(self.declared.files.iter().map(beside))
    }

    /// Returns the BLAKE3 hash of the plugin's file; for a program, the hash also covers the files
    /// that it imports.
    #[must_use]
    pub fn file_hash(&self) -> blake3::Hash {
        self.file_hash
    }

    /// Returns the plugin's ABI version: major, minor.
    #[must_use]
    pub fn abi(&self) -> (u32, u32) {
        self.declared.abi
    }

    /// Returns whether the library states that it was built without optimisation.
    #[must_use]
    pub fn is_debug_build(&self) -> bool {
        self.declared.debug_build
    }

    /// Returns the plugin's declaration.
    #[must_use]
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    pub(super) fn placement(&self) -> &PluginPlacement {
        &self.placement
    }

    /// Returns, for each genome, whether it satisfies the rules of the problem with these values,
    /// as determined by another process. `None` if this process has the plugin.
    pub(super) fn validate_remotely(
        &self,
        values: &[Value],
        genomes: &[Genome],
    ) -> Option<Result<Vec<bool>, String>> {
        let PluginPlacement::Remote(remote) = &self.placement else { return None };
        Some(remote.validate(&self.location, self.name(), values, genomes))
    }

    /// Checks that the plugin has a problem, not only operators.
    ///
    /// # Errors
    /// Returns [`PluginError::NoProblem`] if it has only operators.
    pub fn check_problem(&self) -> Result<(), PluginError> {
        if self.declared.has_problem {
            return Ok(());
        }
        let plugin = self.name().to_owned();
        let first = self.declared.operators.first();
        let example = first.map_or_else(String::new, |one| {
            format!("{} = {{ plugin = \"{plugin}\", operator = \"{}\" }}", one.kind, one.name)
        });
        Err(PluginError::NoProblem { plugin, example })
    }
}

pub(super) fn check_values(parameters: &[Parameter], values: &[Value]) -> Result<(), String> {
    if values.len() != parameters.len() {
        return Err(format!(
            "it declares {} parameters, but got {} values",
            parameters.len(),
            values.len()
        ));
    }
    for (parameter, value) in parameters.iter().zip(values) {
        check_value(parameter, value)
            .map_err(|rule| format!("`{} = {value}`: {rule}", parameter.key))?;
    }
    Ok(())
}

/// Checks every file among the values of parameters, as
/// [`DataFile::check`](super::DataFile::check) does.
///
/// # Errors
/// Returns an error, in words, for the first file that is not as it was.
pub(super) fn check_files(values: &[Value]) -> Result<(), String> {
    let file = |value: &Value| if let Value::File(file) = value { file.check() } else { Ok(()) };
    values.iter().try_for_each(file)
}

/// Returns the key of a problem in [`Known`](super::Known). Equal values have equal keys.
#[must_use]
pub fn key(values: &[Value]) -> String {
    format!("{values:?}")
}

fn check_value(parameter: &Parameter, value: &Value) -> Result<(), String> {
    let fits = match (&parameter.kind, value) {
        (Kind::Integer { low, high }, Value::Integer(value)) => (low..=high).contains(&value),
        (Kind::Real { low, high, low_open, high_open }, Value::Real(value)) => {
            let above = if *low_open { value > low } else { value >= low };
            above && if *high_open { value < high } else { value <= high }
        }
        (Kind::Choice(words), Value::Text(value)) => words.contains(value),
        (Kind::File, Value::Text(value)) => value.is_empty(),
        (Kind::Boolean, Value::Boolean(_))
        | (Kind::Text, Value::Text(_))
        | (Kind::File, Value::File(_)) => true,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(match &parameter.kind {
        Kind::Integer { low, high } => format!("it must be an integer from {low} to {high}"),
        Kind::Real { low, high, .. } => {
            format!("it must be a real number between {low} and {high}")
        }
        Kind::Boolean => "it must be true or false".to_owned(),
        Kind::Choice(words) => format!("it must be one of {}", words.join(", ")),
        Kind::Text => "it must be a text".to_owned(),
        Kind::File => "it must be a file that was found, or empty".to_owned(),
    })
}

/// Returns the inode of a file, which a new file in its place does not have.
fn inode_of(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        path.metadata().ok().map(|file| file.ino())
    }
    #[cfg(not(unix))]
    {
        _ = path;
        None
    }
}

impl SearchPath {
    /// Loads the plugin `name`, whatever its file, into this process.
    #[cfg(test)]
    pub fn load(&self, name: &str) -> Result<Arc<Library>, PluginError> {
        self.open(name, None, &Opener::here(super::PluginPolicy::Any))
    }

    /// Finds and loads the plugin `name`, in this process or in another.
    ///
    /// # Errors
    /// Returns an error if there is no such plugin; the message lists the folders and the nearest
    /// name. Returns an error if the plugin's own name differs from `name`, and the errors of
    /// [`Library::open`].
    pub fn open(
        &self,
        name: &str,
        interpreter: Option<PathBuf>,
        opener: &Opener,
    ) -> Result<Arc<Library>, PluginError> {
        let Some(path) = opener.policy.find(name, self)? else {
            return Err(PluginError::NotFound {
                name: name.to_owned(),
                dirs: self.dirs().to_vec(),
                nearest: self.nearest(name),
            });
        };
        let library = Library::open(&Location { path: path.clone(), interpreter }, opener)?;
        if library.name() != name.strip_suffix(".py").unwrap_or(name) {
            let (expected, actual) = (name.to_owned(), library.name().to_owned());
            return Err(PluginError::Name { path, expected, actual });
        }
        Ok(library)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Library({} {} at {})", self.name(), self.version(), self.path().display())
    }
}
