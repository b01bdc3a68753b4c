//! Facts of an experiment that the texts of a pack state.

use super::author::Author;
use super::license::License;
use crate::html::question_words;
use crate::problem::PluginFile;
use crate::results::{Provenance, Run};
use crate::suite::suite_words;
use crate::tuning::TuningRecord;

/// Facts of an experiment, and what its authors say of the pack.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Name of the experiment.
    pub experiment: &'a str,
    /// Origin of the results.
    pub provenance: &'a Provenance,
    /// Last run.
    pub run: &'a Run,
    /// Authors of the results.
    pub authors: &'a [Author],
    /// Licence of the results.
    pub license: Option<&'a License>,
    /// Plugins of the last run, each with its path in the pack; `None` if its file is not packed.
    pub plugins: &'a [(&'a PluginFile, Option<String>)],
    /// Results in the pack.
    pub kind: PackKind<'a>,
}

/// Kind of results in a pack.
#[derive(Clone, Copy, Debug)]
pub enum PackKind<'a> {
    /// An experiment, which its file repeats.
    Experiment,
    /// An experiment of a tuning, whose race decided the numbers of trials: its file alone does not
    /// repeat it.
    Race,
    /// A whole tuning. The run is that of the comparison at the end.
    Tuning(&'a TuningRecord),
}

impl PackKind<'_> {
    /// Returns the word for the results.
    pub(super) fn noun(self) -> &'static str {
        match self {
            PackKind::Tuning(_) => "tuning",
            PackKind::Experiment | PackKind::Race => "experiment",
        }
    }
}

impl Facts<'_> {
    /// Returns the time at which the last run ended. A run that was killed has only its start.
    pub(super) fn time(&self) -> &str {
        self.run.end.as_deref().unwrap_or(&self.run.start)
    }

    /// Returns the day on which the last run ended, as in 2026-11-26.
    pub(super) fn date(&self) -> &str {
        self.time().split('T').next().unwrap_or_default()
    }

    /// Returns the question in the comments of the experiment file, or else a plain sentence.
    pub(super) fn description(&self) -> String {
        let question = question_words(self.config());
        question.unwrap_or_else(|| {
            format!(
                "Results of the {} `{}` on the problem `{}`, run by runner.",
                self.kind.noun(),
                self.experiment,
                self.run.plugin.name
            )
        })
    }

    /// Returns the text of the experiment file.
    pub(super) fn config(&self) -> &str {
        match self.kind {
            PackKind::Tuning(tuning) => &tuning.config,
            PackKind::Experiment | PackKind::Race => &self.run.config,
        }
    }

    /// Returns the options that changed keys of the experiment file.
    pub(super) fn overrides(&self) -> &[String] {
        match self.kind {
            PackKind::Tuning(tuning) => &tuning.overrides,
            PackKind::Experiment | PackKind::Race => &self.run.overrides,
        }
    }

    /// Returns the suites that the results count for, each in words.
    pub(super) fn suites(&self) -> impl Iterator<Item = String> {
        self.provenance.suites.iter().map(suite_words)
    }

    /// Sentence in place of a licence that was not named.
    pub(super) const NO_LICENSE: &'static str = "No licence was named when these results were \
        packed. Ask the authors before you use them.";
}
