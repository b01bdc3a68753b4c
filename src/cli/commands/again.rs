//! An experiment again: its plan, made from what its folder says of its last run.

use super::trusted;
use crate::cli::{AgainArguments, Failure};
use crate::config::{Catalogue, Overrides, load_text};
use crate::plan::settings::Trace;
use crate::plan::{Arm, Plan};
use crate::problem::Genome;
use crate::problem::PluginFile;
use crate::record::{Timing, TrialRecord};
use crate::results::{Provenance, Results, Run};
use crate::run::TrialRunner;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::path::Path;

/// The results, the run that made them, and a plan of the same config.
pub struct Again {
    pub results: Results,
    pub run: Run,
    pub plan: Plan,
}

impl Again {
    /// Reads the folder and makes the plan.
    ///
    /// # Errors
    /// If there are no results or no run, the plugin is not found, or the config cannot be planned
    /// any more.
    pub fn open(folder: &Path, plugins: &AgainArguments) -> Result<Self, Failure> {
        let results = Results::open(folder)?;
        let provenance = Provenance::read(folder)?;
        let run = provenance.runs.into_iter().next_back();
        let run = run.ok_or_else(|| {
            Failure::results(format!("{}: its run.toml names no run", folder.display()))
        })?;
        let overrides = Overrides::from_words(&run.overrides);
        // What the library does when it is loaded is the plugin's doing too.
        let library = guard::aside(|| trusted::library(&run, plugins))?;
        let mut catalogue = Catalogue::only(library);
        let path = Path::new(&run.config_path);
        let mut outcome = guard::aside(|| load_text(path, &run.config, &overrides, &mut catalogue));
        let Some(plan) = outcome.plans.pop() else {
            let folder = folder.display();
            return Err(Failure::results(format!(
                "{folder}: the config of its last run cannot be planned here"
            ))
            .below(outcome.into()));
        };
        Ok(Again { results, run, plan })
    }

    /// What is not as it was when the run was made, for a trial that comes out otherwise.
    pub fn changes(&self) -> Vec<String> {
        let (then, now) = (&self.run.plugin, PluginFile::of(&self.plan.library));
        let mut changes = Vec::new();
        if then.version != now.version {
            changes.push(format!(
                "the plugin {} was version {} and is {}",
                now.name, then.version, now.version
            ));
        } else if then.blake3 != now.blake3 {
            changes.push(format!("the plugin {} {} is another build", now.name, now.version));
        }
        let (version, engine) = (env!("CARGO_PKG_VERSION"), crate::plan::settings::ENGINE_REVISION);
        if (self.run.runner_version.as_str(), self.run.engine_revision) != (version, engine) {
            let (was, revision) = (&self.run.runner_version, self.run.engine_revision);
            changes.push(format!(
                "the runner was {was} (engine {revision}) and is {version} (engine {engine})"
            ));
        }
        changes
    }

    /// The arm of this label, id, or operator set, if there is just one.
    ///
    /// # Errors
    /// If there is none, or several; in words.
    pub fn arm(&self, name: &str) -> Result<&Arm, String> {
        let arms = &self.plan.arms;
        let exact = arms.iter().find(|arm| arm.label == name || arm.id().to_string() == name);
        if let Some(arm) = exact {
            return Ok(arm);
        }
        let mut of_set = arms.iter().filter(|arm| arm.settings.operators.name == name);
        match (of_set.next(), of_set.next()) {
            (Some(arm), None) => Ok(arm),
            _ => {
                let labels: Vec<String> =
                    arms.iter().take(10).map(|arm| format!("`{}`", arm.label)).collect();
                let more = if arms.len() > 10 {
                    format!(" and {} more", arms.len() - 10)
                } else {
                    String::new()
                };
                Err(format!(
                    "there is no one arm called `{name}`; the arms are {}{more}",
                    labels.join(", ")
                ))
            }
        }
    }

    /// Runs a trial of an arm again, with its trace and every improvement.
    pub fn trial(&self, arm: &Arm, trial: u64) -> TrialRecord {
        guard::arm(&arm.label, None);
        let mut runner = TrialRunner::new(&self.plan, Trace::Improvements, 0);
        let record = runner.run(arm.index, trial, &Interrupt::default());
        guard::no_trial();
        record.expect("nobody interrupts a replay")
    }
}

/// A record as its table gives it back: without timing and trace, genes as numbers.
pub fn comparable(record: &TrialRecord, arm: usize) -> TrialRecord {
    TrialRecord {
        arm,
        timing: Timing::default(),
        trace: Vec::new(),
        improvements: Vec::new(),
        best: record.best.as_ref().map(|genome| Genome::F64(genome.numbers())),
        ..record.clone()
    }
}

/// What differs between two records of one trial, in words.
pub fn difference(table: &TrialRecord, again: &TrialRecord) -> Option<String> {
    let mut words = Vec::new();
    let mut compare = |what: &str, then: String, now: String| {
        if then != now {
            words.push(format!("{what} {then} in the table, {now} now"));
        }
    };
    let number =
        |number: Option<u64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
    compare("outcome", table.outcome.to_string(), again.outcome.to_string());
    compare(
        "best fitness",
        format!("{:?}", table.best_fitness),
        format!("{:?}", again.best_fitness),
    );
    compare("evaluations", table.evaluations.to_string(), again.evaluations.to_string());
    compare("generations", table.generations.to_string(), again.generations.to_string());
    compare(
        "to success",
        number(table.evaluations_to_success),
        number(again.evaluations_to_success),
    );
    if words.is_empty() && table != again {
        words.push("another best genome, text or error".to_owned());
    }
    (!words.is_empty()).then(|| words.join("; "))
}
