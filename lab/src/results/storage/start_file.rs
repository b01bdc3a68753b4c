//! The genomes that trials begin with, which are kept next to the tables. The trials can therefore
//! be run again even if the genomes' source is moved or changed.

use crate::results::error::ResultsError;
use crate::results::storage::atomic::write_atomically;
use crate::results::storage::files::{kept_name, make_folder};
use crate::results::storage::folder::START;
use crate::search::start::{FITNESS, GivenGenomes};
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Entry of `run.toml` about the first genomes of the trials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstGenomes {
    /// Source in the config, such as `file = "first.csv"`.
    pub source: String,
    /// Number of genomes.
    pub rows: usize,
    /// BLAKE3 of the genomes, in hex; the file is named by its start.
    pub blake3: String,
    /// Whether the source states the fitness of the genomes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fitness: bool,
}

impl FirstGenomes {
    /// Keeps genomes in a results folder: `start/<16 digits>.csv`, a genome per line.
    pub(crate) fn keep(folder: &Path, given: &GivenGenomes) -> Result<Self, ResultsError> {
        let blake3 = given.hash();
        let (source, rows) = (given.source.clone(), given.rows().len());
        let fitness = !given.fitness().is_empty();
        let kept = FirstGenomes { source, rows, blake3, fitness };
        let path = kept.path(folder);
        if kept.read(folder).is_err() {
            make_folder(&folder.join(START))?;
            write_atomically(&path, given.to_csv().as_bytes())?;
        }
        Ok(kept)
    }

    /// Returns the genomes as they were kept.
    pub(crate) fn read(&self, folder: &Path) -> Result<GivenGenomes, ResultsError> {
        let path = self.path(folder);
        let bytes = regular::read(&path, regular::MOST_OF_DATA)
            .map_err(ResultsError::reading(&path, "read the genomes"))?;
        let fitness = self.fitness.then_some(FITNESS);
        let read = GivenGenomes::parse(self.source.clone(), &bytes, fitness, &[]);
        let message = match read {
            Ok((given, _)) if given.hash() == self.blake3 => return Ok(given),
            Ok(_) => "its genomes are not those that the trials began with".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(ResultsError::Unreadable { path, message })
    }

    /// Returns the path of the kept file.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(START).join(format!("{}.csv", kept_name(&self.blake3)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn genomes_are_kept_and_changed_ones_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let given = GivenGenomes::new("file = \"x\"".to_owned(), vec![vec![0.1, 2.0], vec![3.0]]);
        let kept = FirstGenomes::keep(folder.path(), &given).expect("written");
        assert_eq!(kept.read(folder.path()).expect("readable"), given);
        let path = kept.path(folder.path());
        fs::write(&path, "0.1,2\n4\n").expect("a file");
        let error = kept.read(folder.path()).expect_err("changed").to_string();
        assert!(error.contains("not those that the trials began with"), "{error}");
        // The next run puts them back.
        FirstGenomes::keep(folder.path(), &given).expect("written");
        assert_eq!(kept.read(folder.path()).expect("readable"), given);
    }
}
