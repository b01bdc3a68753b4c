//! Import: trials of another program as a results folder, which readers can put next to ours. The
//! imported arms are marked: `NAME (imported)`.

mod added_results;
mod arms;
mod ioh;
mod mapping;
mod rules;
mod source;
mod tables;

use super::ResultsError;
use crate::words::first_texts;
use arms::Imports;
use mapping::Mapping;
use std::fmt;
use std::path::{Path, PathBuf};

/// Request for an import.
#[derive(Clone, Debug)]
pub struct Request {
    /// A CSV or Parquet file, or a folder in IOHprofiler's format.
    pub file: PathBuf,
    /// `KEY=COLUMN`.
    pub map: Vec<String>,
    /// The fitness from which on a trial counts as successful, where no column says.
    pub target: Option<f64>,
    /// The experiment's name.
    pub name: String,
    /// The folder of results folders.
    pub out: PathBuf,
    /// Results of ours next to which the trials are put.
    pub beside: Option<PathBuf>,
}

/// Result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Results folder that was written.
    pub folder: PathBuf,
    /// Number of arms.
    pub arms: usize,
    /// Number of trials.
    pub trials: u64,
}

/// A file cannot be imported.
#[derive(Debug)]
pub enum ImportError {
    /// Faults of the request or the file, one line each.
    Faults(Vec<String>),
    /// The results folder cannot be written.
    Results(ResultsError),
}

impl From<ResultsError> for ImportError {
    fn from(error: ResultsError) -> Self {
        ImportError::Results(error)
    }
}

impl From<String> for ImportError {
    fn from(fault: String) -> Self {
        ImportError::Faults(vec![fault])
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Faults that are shown.
        const SHOWN: usize = 10;
        let faults = match self {
            ImportError::Results(error) => return error.fmt(out),
            ImportError::Faults(faults) => faults,
        };
        out.write_str(&first_texts(faults, SHOWN, " faults").join("\n"))
    }
}

/// Reads the file, checks every row, and writes the results folder.
///
/// # Errors
/// Returns an error if a row breaks a rule, or a file cannot be read or written. Nothing is written
/// then.
pub fn import(request: &Request) -> Result<Report, ImportError> {
    let Imports { trials, keys, rows, map, defines_success } = if request.file.is_dir() {
        if !request.map.is_empty() {
            return Err(
                "--map: a folder in IOHprofiler's format has no columns to map; leave out \
                --map"
                    .to_owned()
                    .into(),
            );
        }
        ioh::read(&request.file, request.target)?
    } else {
        let table = source::read(&request.file)?;
        let mapping = Mapping::new(&request.map, &table, request.target)?;
        rules::trials(&table, &mapping)?
    };
    if trials.is_empty() {
        return Err(format!("{}: it has no trials", request.file.display()).into());
    }
    let (mut spec, mut records) = arms::experiment(&request.name, trials, keys, defines_success)?;
    if let Some(folder) = &request.beside {
        added_results::add(folder, &mut spec, &mut records)?;
    }
    tables::write(request, &spec, records, rows, map)
}

/// Returns the BLAKE3 of a file, or of the names and bytes of all files below a folder.
fn digest(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut all = vec![path.to_owned()];
    while let Some(path) = all.pop() {
        if path.is_dir() {
            let mut inner: Vec<PathBuf> = std::fs::read_dir(&path)?
                .map(|one| Ok(one?.path()))
                .collect::<std::io::Result<_>>()?;
            inner.sort_unstable_by(|a, b| b.cmp(a));
            all.extend(inner);
        } else {
            hasher.update(&std::fs::read(&path)?);
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}
