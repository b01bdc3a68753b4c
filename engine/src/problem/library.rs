//! A loaded plugin library.

use super::apart::{Apart, Home, Known, Opener, OpenerPlace};
use super::boundary::Declared;
use super::host::{self, Opened};
use super::instance::Problem;
use super::operator::{DeclaredOperator, PluginOperator};
use super::{Description, Genome, Location, PluginError};
use crate::problem::parameter::{Kind, Parameter, Value};
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A loaded plugin: what it declares, and the maker of its problems. Shared; never unloaded.
pub struct Library {
    location: Location,
    file_hash: blake3::Hash,
    declared: Declared,
    home: Home,
}

impl Library {
    /// Any library, loaded into this process.
    #[cfg(test)]
    pub fn load(path: &Path) -> Result<Arc<Library>, PluginError> {
        Library::open(&Location::new(path), &Opener::here(super::PluginPolicy::Any))
    }

    /// Loads a library and checks its table, in this process or in another. Runs the library's
    /// initialisers.
    ///
    /// # Errors
    /// If the opener's policy does not permit it, the file cannot be read or loaded, exports no
    /// table, or its table breaks the ABI; if the other process ends or takes too long.
    pub fn open(location: &Location, opener: &Opener) -> Result<Arc<Library>, PluginError> {
        let path = &location.path;
        let unreadable = |source| PluginError::Unreadable { path: path.clone(), source };
        // Absolute: a bare file name would be looked for in the system's folders.
        let full = std::path::absolute(path).map_err(unreadable)?;
        let interpreter = location.interpreter.clone();
        let location = opener.policy.permit(Location { path: full.clone(), interpreter })?;
        // What cannot be read is said in the same words wherever it is opened.
        let file_hash = hash_of(&full).map_err(unreadable)?;
        let known = match &opener.place {
            OpenerPlace::Here => None,
            OpenerPlace::Knowing(known) => Some(Arc::clone(known)),
            OpenerPlace::Apart(apart) => {
                let (declared, file_hash) = apart.open(&location)?;
                let (location, home) = (Location::clone(&location), Home::Apart(Arc::clone(apart)));
                return Ok(Arc::new(Library { location, file_hash, declared, home }));
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
        Arc::new(Library { location, file_hash, declared, home: Home::Here { host, known } })
    }

    /// Whether it is a program, which runs in processes of its own.
    pub fn is_program(&self) -> bool {
        match &self.home {
            Home::Here { host, .. } => host.is_program(),
            Home::Apart(_) => !self.location.is_library(),
        }
    }

    /// Whether it is a program whose processes should be asked by two threads each, with so many
    /// idle cores for each process: then they have the next request when they have answered one.
    pub fn wants_partners(&self, idle_cores: f64) -> bool {
        matches!(&self.home, Home::Here { host, .. } if host.wants_partners(idle_cores))
    }

    /// Returns the blocks of memory that a program has in use; `None` for a library, and for a
    /// program that does not count them.
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        match &self.home {
            Home::Here { host, .. } => host.blocks(),
            Home::Apart(_) => None,
        }
    }

    /// Waits so long for what nobody asked a program for.
    ///
    /// # Errors
    /// If something comes: words that follow "the program".
    pub fn is_silent(&self, patience: Duration) -> Result<(), String> {
        match &self.home {
            Home::Here { host, .. } => host.is_silent(patience),
            Home::Apart(_) => Ok(()),
        }
    }

    /// A plugin that is linked into this program (for benchmarks and tests). Its path is `(linked
    /// in)`, and its hash is that of its name and version.
    ///
    /// # Errors
    /// If its table breaks the ABI.
    pub fn linked<P: runner_plugin::Plugin>(
        version: &'static str,
    ) -> Result<Arc<Library>, PluginError> {
        let path = PathBuf::from("(linked in)");
        let opened = host::linked::<P>(version, &path)?;
        Ok(Library::of(opened, Location::new(path), blake3::hash(&[]), None))
    }

    /// The plugin's name, as configs have it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// The plugin's version, in its author's words.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.declared.version
    }

    /// One sentence.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.declared.summary
    }

    /// What a user may set, in the plugin's order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.declared.parameters
    }

    /// The library's file, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.location.path
    }

    /// What runs the file, where the config says so.
    #[must_use]
    pub fn interpreter(&self) -> Option<&Path> {
        self.location.interpreter.as_deref()
    }

    /// The files that it is made of: its own, and what a program imports from its folder.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let beside = |file: &PathBuf| self.path().with_file_name(file);
        std::iter::once(self.path().to_owned()).chain(self.declared.files.iter().map(beside))
    }

    /// BLAKE3 of the library's file.
    #[must_use]
    pub fn file_hash(&self) -> blake3::Hash {
        self.file_hash
    }

    /// The ABI version that the plugin speaks: major, minor.
    #[must_use]
    pub fn abi(&self) -> (u32, u32) {
        self.declared.abi
    }

    /// Whether the library says that it was built without optimisation.
    #[must_use]
    pub fn is_debug_build(&self) -> bool {
        self.declared.debug_build
    }

    /// What the library says of itself.
    #[must_use]
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// Makes one of the plugin's operators, by its place among them, for a problem that is
    /// described like this; of one value for each parameter, in the operator's order.
    ///
    /// # Errors
    /// If a value is not what the parameter declares, or the plugin refuses the values or the
    /// problem.
    pub fn operator(
        self: &Arc<Self>,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<PluginOperator, PluginError> {
        let DeclaredOperator { parameters, .. } = &self.declared.operators[place];
        let plugin = || self.name().to_owned();
        check_values(parameters, values)
            .map_err(|message| PluginError::Values { plugin: plugin(), message })?;
        let known = match &self.home {
            Home::Apart(apart) => {
                let apart: &dyn Apart = apart.as_ref();
                apart.try_operator(&self.location, self.name(), place, values, problem)?;
                true
            }
            Home::Here { known, .. } => known.is_some(),
        };
        match known {
            true => Ok(PluginOperator::tried(Arc::clone(self), place, values, problem)),
            false => PluginOperator::new(Arc::clone(self), place, values, problem),
        }
    }

    /// Makes an instance of the problem out of one value for each parameter, in the plugin's order.
    ///
    /// # Errors
    /// If a value is not what the parameter declares, the plugin refuses the values, or it
    /// describes the instance wrongly.
    pub fn create(self: &Arc<Self>, values: &[Value]) -> Result<Problem, PluginError> {
        self.check_problem()?;
        check_values(self.parameters(), values)
            .map_err(|message| PluginError::Values { plugin: self.name().to_owned(), message })?;
        match &self.home {
            Home::Here { known: Some(known), .. } if known.contains_key(&key(values)) => {
                Ok(Problem::described(Arc::clone(self), values, known[&key(values)].clone()))
            }
            Home::Here { .. } => Problem::new(Arc::clone(self), values),
            Home::Apart(apart) => {
                let description =
                    Apart::describe(apart.as_ref(), &self.location, self.name(), values)?;
                Ok(Problem::described(Arc::clone(self), values, description))
            }
        }
    }

    /// Whether each of these genomes keeps the rules of the problem of these values, where another
    /// process has to be asked; none where this one has the plugin.
    pub(super) fn validate_apart(
        &self,
        values: &[Value],
        genomes: &[Genome],
    ) -> Option<Result<Vec<bool>, String>> {
        let Home::Apart(apart) = &self.home else { return None };
        Some(Apart::validate(apart.as_ref(), &self.location, self.name(), values, genomes))
    }

    /// Complains if the plugin has operators alone.
    ///
    /// # Errors
    /// [`PluginError::NoProblem`].
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

fn check_values(parameters: &[Parameter], values: &[Value]) -> Result<(), String> {
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

/// What problems are known by in [`Known`](super::Known): equal values, equal keys.
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
        (Kind::Boolean, Value::Boolean(_)) | (Kind::Text, Value::Text(_)) => true,
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
    })
}

/// BLAKE3 of a file, which is read piece by piece.
fn hash_of(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize())
}

impl fmt::Debug for Library {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Library({} {} at {})", self.name(), self.version(), self.path().display())
    }
}
