//! `run.toml`: the origin of the tables. Next to the timings, it is the only file that differs
//! between machines.

use crate::plan::settings::ENGINE_REVISION;
use crate::problem::PluginFile;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::write_toml;
use crate::results::storage::files::read_toml_if_there;
use crate::results::storage::folder::{DAMAGED, create_folder};
use crate::results::storage::kept_file::KeptFile;
use crate::results::storage::lock::Lock;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::start_file::FirstGenomes;
use crate::results::storage::suite_version::SuiteVersion;
use crate::system::host::{host_name, now, processor_name, seconds_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file's name in the results folder.
pub(crate) const RUN_FILE: &str = "run.toml";

/// Contents of `run.toml`: one entry per run, so that a continued experiment shows each run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Results hash of the tables; `None` as long as trials are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<String>,
    /// Runs in the order in which they ran.
    #[serde(default)]
    pub runs: Vec<Run>,
    /// Suites whose pages have these results, as their files defined them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<SuiteVersion>,
    /// Source of imported trials; `None` if the runner ran the trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// Source of imported trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Imported {
    /// The file or folder, as the user named it.
    pub file: String,
    /// BLAKE3 of the file, or of all files of the folder.
    pub blake3: String,
    /// Rows or runs that it has.
    pub rows: u64,
    /// Mapping of the columns, as `KEY=COLUMN`.
    pub map: Vec<String>,
    /// The fitness from which on a trial counts as successful, where that was asked for.
    pub target: Option<f64>,
    /// Results folder whose arms are next to the imported ones.
    pub beside: Option<String>,
    /// Time of the import in RFC 3339, UTC.
    pub time: String,
    /// Version of the runner that imported it.
    pub runner_version: String,
}

/// A plugin whose operators an experiment uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperatorPlugin {
    /// Name or path of the plugin, as the config has it.
    pub named: String,
    /// The plugin, and its file.
    #[serde(flatten)]
    pub file: PluginFile,
}

/// One run of the runner over an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// RFC 3339, UTC.
    pub start: String,
    /// Time in RFC 3339, UTC; `None` if the run was killed.
    pub end: Option<String>,
    /// End of the run: "complete", "interrupted", or the error.
    pub ending: Option<String>,
    /// Trials that were finished before it began.
    pub trials_before: u64,
    /// Trials that were finished when it ended.
    pub trials_after: Option<u64>,
    /// The runner's version.
    pub runner_version: String,
    /// Git revision of the runner's source; `None` if it was built outside of a repository.
    pub git_revision: Option<String>,
    /// "release" or "debug".
    pub build: String,
    /// The generator behind every trial.
    pub generator: String,
    /// `ENGINE_REVISION` of the runner.
    pub engine_revision: u32,
    /// Name of the machine; `None` if the system does not report it.
    pub host: Option<String>,
    /// Operating system and processor architecture.
    pub platform: String,
    /// Name of the processor; `None` if the system does not report it.
    #[serde(default)]
    pub processor: Option<String>,
    /// Processors (cores, or threads of cores) that the system offers.
    pub processors: usize,
    /// Trials at a time.
    pub jobs: usize,
    /// `--set` and the like, as given.
    pub overrides: Vec<String>,
    /// The plugin, and its file.
    pub plugin: PluginFile,
    /// Summary of the problem, as its plugin states it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Plugins of operators that operator sets name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operator_plugins: Vec<OperatorPlugin>,
    /// First genomes of the trials, if the config gives genomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_genomes: Option<FirstGenomes>,
    /// Files of data that parameters name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data_files: Vec<KeptFile>,
    /// Descriptions of the swept parameters of the problem, by key, as the plugin words them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub swept: BTreeMap<String, String>,
    /// Ideal fitness that the problems of all arms state; `None` without one, or if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal: Option<f64>,
    /// Whether the target of every arm is the ideal of its problem.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aims_at_ideal: bool,
    /// Whether the fitness of a problem is noisy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noisy: bool,
    /// The config file, as the user named it.
    pub config_path: String,
    /// The config file's text, as read.
    pub config: String,
}

impl Run {
    /// Returns a run that starts now on this machine; the caller fills in the rest.
    #[must_use]
    pub fn begin(jobs: usize, trials_before: u64) -> Self {
        Run {
            start: now(),
            end: None,
            ending: None,
            trials_before,
            trials_after: None,
            runner_version: env!("CARGO_PKG_VERSION").to_owned(),
            git_revision: option_env!("RUNNER_GIT_REVISION").map(str::to_owned),
            build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            generator: "xoshiro256++, four lanes (Blackman & Vigna 2021)".to_owned(),
            engine_revision: ENGINE_REVISION,
            host: host_name(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: processor_name(),
            processors: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            jobs,
            overrides: Vec::new(),
            plugin: PluginFile::default(),
            summary: String::new(),
            operator_plugins: Vec::new(),
            first_genomes: None,
            data_files: Vec::new(),
            swept: BTreeMap::new(),
            ideal: None,
            aims_at_ideal: false,
            noisy: false,
            config_path: String::new(),
            config: String::new(),
        }
    }

    /// Returns the build of the plugins, as [`PluginFile::build`] has it.
    #[must_use]
    pub fn plugin_build(&self) -> String {
        let operators: Vec<PluginFile> =
            self.operator_plugins.iter().map(|plugin| plugin.file.clone()).collect();
        PluginFile::build(&self.plugin, &operators)
    }

    /// Returns the machine in words: "Intel Xeon, 2 of 8 processors, linux x86_64".
    #[must_use]
    pub fn machine(&self) -> String {
        let name = self.processor.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
        format!("{name}{} of {} processors, {}", self.jobs, self.processors, self.platform)
    }

    /// Returns the seconds from the start of the run to its end, or to now without an end. `None`
    /// if a time is not in RFC 3339.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        let end = self.end.clone().unwrap_or_else(now);
        Some((seconds_of(&end)? - seconds_of(&self.start)?).max(0.0))
    }

    /// Notes that the run ends now.
    pub fn end(&mut self, ending: &str, trials_after: u64) {
        self.end = Some(now());
        self.ending = Some(ending.to_owned());
        self.trials_after = Some(trials_after);
    }
}

impl Provenance {
    /// Checks whether these trials can be run again or continued, which imported trials cannot.
    ///
    /// # Errors
    /// If they were; or the file cannot be read.
    pub fn refuse_imported(folder: &Path) -> Result<(), ResultsError> {
        match Self::read(folder) {
            Ok(Provenance { imported: Some(Imported { file, .. }), .. }) => {
                Err(ResultsError::Imported { folder: folder.to_owned(), file })
            }
            // What cannot be understood is no import of ours.
            Ok(_) | Err(ResultsError::Unreadable { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the machines that the runs ran on, each once, in their order.
    #[must_use]
    pub fn machines(&self) -> Vec<String> {
        let mut machines: Vec<String> = Vec::new();
        for machine in self.runs.iter().map(Run::machine) {
            if !machines.contains(&machine) {
                machines.push(machine);
            }
        }
        machines
    }

    /// Reads `run.toml` of an experiment's folder; without one, there were no runs.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or is not what a runner writes.
    pub fn read(folder: &Path) -> Result<Self, ResultsError> {
        Ok(read_toml_if_there(&folder.join(RUN_FILE))?.unwrap_or_default())
    }

    /// Reads the file for a run. Moves a file that cannot be understood to quarantine, and returns
    /// a notice for the user. Nothing else depends on the file, because the tables themselves name
    /// the builds of the plugin.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or moved.
    pub fn read_or_quarantine(folder: &Path) -> Result<(Self, Option<String>), ResultsError> {
        match Self::read(folder) {
            Ok(provenance) => Ok((provenance, None)),
            Err(ResultsError::Unreadable { path, message }) => {
                let mut quarantine = Quarantine::new(folder, DAMAGED);
                quarantine.take(&path)?;
                let to = quarantine.folder()?.display();
                let notice = format!(
                    "{}: cannot be read ({message}); moved to {to}, and a new one was started: its \
                    record of earlier runs is in no other file",
                    path.display()
                );
                Ok((Provenance::default(), Some(notice)))
            }
            Err(error) => Err(error),
        }
    }

    /// Notes in `run.toml` of a finished experiment that its results count for a suite. Writes
    /// nothing if the file says so.
    ///
    /// # Errors
    /// Returns an error if another run holds the folder, or the file cannot be read or written.
    pub fn note_suite(folder: &Path, suite: SuiteVersion) -> Result<(), ResultsError> {
        if Self::read(folder)?.suites.contains(&suite) {
            return Ok(());
        }
        let _lock = Lock::take(folder)?;
        let mut provenance = Self::read(folder)?;
        provenance.suites.push(suite);
        provenance.write(folder)
    }

    /// Writes `run.toml` atomically.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ResultsError> {
        create_folder(folder)?;
        write_toml(&folder.join(RUN_FILE), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_kept_side_by_side() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut provenance = Provenance::read(folder.path()).expect("no file is no runs");
        assert!(provenance.runs.is_empty());
        let mut run = Run::begin(2, 0);
        run.config = "name = \"x\"\n# ends in ''' quotes\n".to_owned();
        run.overrides = vec!["problem.n=12".to_owned()];
        provenance.runs.push(run.clone());
        provenance.write(folder.path()).expect("the file can be written");
        run.end("complete", 10);
        provenance.runs.push(run);
        provenance.write(folder.path()).expect("the file can be written");
        assert_eq!(Provenance::read(folder.path()).expect("the file can be read"), provenance);
    }
}
