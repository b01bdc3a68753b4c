//! Progress of a submitted tuning: the trials of its experiments on the disk.

use super::Submission;
use crate::results::{Results, ResultsError, is_tuning_folder};

/// Progress of a tuning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TuningProgress {
    /// Number of trials that were taken in, of all experiments.
    pub trials: u64,
    /// Name of the experiment that runs; `None` before the first.
    pub experiment: Option<String>,
    /// Whether the table of settings is written.
    pub is_finished: bool,
}

impl Submission {
    /// Returns the progress of the tuning. A folder of another tuning counts as none.
    pub(super) fn tuning_progress(&self) -> Result<TuningProgress, ResultsError> {
        let mut progress = TuningProgress::default();
        let iterations = (1..).map(|number| format!("iteration-{number}"));
        for name in iterations.take_while(|name| self.has_experiment(name)) {
            if !self.add_experiment(&name, &mut progress)? {
                return Ok(progress);
            }
        }
        let test = "test";
        if self.has_experiment(test) {
            self.add_experiment(test, &mut progress)?;
            progress.is_finished = is_tuning_folder(&self.results());
        }
        Ok(progress)
    }

    fn has_experiment(&self, name: &str) -> bool {
        self.results().join(name).is_dir()
    }

    /// Adds the trials of an experiment. Returns whether it is of this tuning, as far as it has
    /// begun.
    fn add_experiment(
        &self,
        name: &str,
        progress: &mut TuningProgress,
    ) -> Result<bool, ResultsError> {
        let results = match Results::open(&self.results().join(name)) {
            Ok(results) => results,
            Err(ResultsError::None { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let seed = results.seed().map(|seed| seed.to_string());
        if progress.experiment.is_none() && seed.is_some_and(|seed| seed != self.first_seed) {
            return Ok(false);
        }
        progress.trials += results.summary()?.all_trials();
        progress.experiment = Some(name.to_owned());
        Ok(true)
    }
}
