//! Replays: trials of an experiment run again, from what its results folder says of its last run.

mod change;
mod difference;
mod error;
mod plugin_not_found;
mod recorded_plugin;
mod unpacked;
mod verification;

pub use change::Change;
pub use difference::Difference;
pub use difference::differences;
pub use error::ReplayError;
pub use plugin_not_found::{PluginNotFound, RecordedFile};
pub use recorded_plugin::PluginSource;
pub use unpacked::beside_results;
pub use verification::{Choice, Chosen, DifferingTrial, Reason, Verification};

use crate::config::{Catalogue, FileAccess, Overrides, load_text};
use crate::plan::settings::Trace;
use crate::plan::{Arm, Plan};
use crate::record::TrialRecord;
use crate::results::{OperatorPlugin, Provenance, Results, ResultsError, Run};
use crate::run::TrialRunner;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::path::Path;

/// The results of an experiment, the run that made them, and a plan of the same config.
pub struct Replay {
    /// The tables.
    pub results: Results,
    /// Last run.
    pub run: Run,
    /// Earlier runs that finished trials, as far as is known.
    pub earlier: Vec<Run>,
    /// Plan of the run's config, made by this runner.
    pub plan: Plan,
}

impl Replay {
    /// Reads a results folder, loads its plugin, and plans its config.
    ///
    /// # Errors
    /// Returns an error if there are no results or no run, the plugin is not found or cannot be
    /// used, or the config cannot be planned any more.
    pub fn open(folder: &Path, source: &PluginSource) -> Result<Self, ReplayError> {
        let results = Results::open(folder)?;
        Provenance::refuse_imported(folder)?;
        let (run, earlier) = runs(folder)?;
        // What the library does when it is loaded is the plugin's doing too.
        let library = guard::in_own_surroundings(|| source.load(&run.plugin))?;
        let mut operators = Vec::new();
        for OperatorPlugin { named, file } in &run.operator_plugins {
            operators.push((named.clone(), guard::in_own_surroundings(|| source.load(file))?));
        }
        // The sources of the genomes and of the data may have changed since.
        let (given, data_files) = unpacked::kept(folder, &run)?;
        // The recorded config has all in itself: whatever else it names, its writer wants read.
        let files = if source.trust { FileAccess::Any } else { FileAccess::Recorded };
        let catalogue = Catalogue::only(library).with_operators(operators).giving(given);
        let mut catalogue = catalogue.with_data(data_files).reading(files);
        let (path, overrides) =
            (Path::new(&run.config_path), Overrides::from_words(&run.overrides));
        let mut outcome =
            guard::in_own_surroundings(|| load_text(path, &run.config, &overrides, &mut catalogue));
        match outcome.plans.pop() {
            Some(plan) => Ok(Replay { results, run, earlier, plan }),
            None => Err(ReplayError::Config { folder: folder.to_owned(), outcome }),
        }
    }

    /// Pairs results with a plan that the caller made.
    ///
    /// # Errors
    /// Returns an error if there is no run of the results, or `run.toml` cannot be read.
    pub fn of(plan: Plan, results: Results) -> Result<Self, ReplayError> {
        let (run, earlier) = runs(results.folder())?;
        Ok(Replay { results, run, earlier, plan })
    }

    /// Runs a trial of an arm again, with every improvement.
    #[must_use]
    pub fn trial(&self, arm: &Arm, trial: u64) -> TrialRecord {
        guard::arm(&arm.label, None);
        let mut runner = TrialRunner::new(&self.plan, Trace::Improvements, 0);
        let record = runner.run(arm.index, trial, &Interrupt::default());
        guard::no_trial();
        record.expect("nobody interrupts a replay")
    }

    /// Returns the trial as it is in the tables; `None` if the tables lack it.
    ///
    /// # Errors
    /// Returns an error if the tables cannot be read.
    pub fn recorded(&self, arm: &Arm, trial: u64) -> Result<Option<TrialRecord>, ResultsError> {
        let arms = self.results.arms();
        let Some(row) = arms.iter().position(|row| row.id == arm.id()) else { return Ok(None) };
        self.results.rows()?.find(row, trial)
    }
}

/// Returns the last run of a results folder, and those before it that finished trials.
fn runs(folder: &Path) -> Result<(Run, Vec<Run>), ReplayError> {
    let mut earlier = Provenance::read(folder)?.runs;
    let run = earlier.pop().ok_or_else(|| ReplayError::NoRun { folder: folder.to_owned() })?;
    earlier.retain(|run| run.trials_after.is_none_or(|trials| trials > run.trials_before));
    Ok((run, earlier))
}
