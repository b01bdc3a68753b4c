//! The run's entry in `run.toml`.

use super::ResultsFolder;
use crate::plan::Plan;
use crate::problem::PluginFile;
use crate::results::{FirstGenomes, KeptFile, OperatorPlugin, Provenance, ResultsError, Run};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Entries of `run.toml` about all runs, of which the last continues.
pub(super) struct RunLog {
    provenance: Provenance,
    folder: PathBuf,
}

impl RunLog {
    /// Notes that a run begins, after `trials_before` finished trials. Returns a notice for the
    /// user if the log of earlier runs cannot be read.
    pub(super) fn begin(
        plan: &Plan,
        jobs: usize,
        trials_before: u64,
        folder: &ResultsFolder,
    ) -> Result<(Self, Option<String>), ResultsError> {
        let folder = folder.path.clone();
        let (mut provenance, notice) = Provenance::read_or_quarantine(&folder)?;
        let given = plan.given_genomes();
        let first_genomes = given.map(|given| FirstGenomes::keep(&folder, given)).transpose()?;
        let keep = |file| KeptFile::keep(&folder, file);
        let data_files = plan.data_files.iter().map(keep).collect::<Result<_, _>>()?;
        provenance.runs.push(Run {
            first_genomes,
            data_files,
            swept: swept(plan),
            ideal: ideal(plan),
            aims_at_ideal: aims_at_ideal(plan),
            noisy: plan.arms.iter().any(|arm| arm.problem.description().is_noisy()),
            overrides: plan.source.overrides.clone(),
            plugin: PluginFile::of(&plan.library),
            summary: plan.library.summary().to_owned(),
            operator_plugins: plan
                .operator_libraries
                .iter()
                .map(|one| OperatorPlugin {
                    named: one.named.clone(),
                    file: PluginFile::of(&one.library),
                })
                .collect(),
            config_path: plan.source.path.display().to_string(),
            config: plan.source.text.clone(),
            ..Run::begin(jobs, trials_before)
        });
        provenance.write(&folder)?;
        Ok((RunLog { provenance, folder }, notice))
    }

    /// Notes how the run ended, after `trials` finished trials; `results` is the results hash.
    pub(super) fn end(
        mut self,
        ending: &str,
        trials: u64,
        results: Option<String>,
    ) -> Result<(), ResultsError> {
        let Some(mut run) = self.provenance.runs.pop() else { return Ok(()) };
        // Another attempt at the same shard may have noted its own meanwhile.
        if let Ok(noted) = Provenance::read(&self.folder) {
            self.provenance = noted;
            self.provenance.runs.retain(|other| *other != run);
        }
        run.end(ending, trials);
        self.provenance.results = results;
        self.provenance.runs.push(run);
        self.provenance.write(&self.folder)
    }
}

/// Returns the ideal that the problems of all arms state.
fn ideal(plan: &Plan) -> Option<f64> {
    let mut ideals = plan.arms.iter().map(|arm| arm.problem.description().ideal);
    let first = ideals.next()??;
    ideals.all(|ideal| ideal == Some(first)).then_some(first)
}

/// Returns whether the target of every arm is the ideal of its problem.
fn aims_at_ideal(plan: &Plan) -> bool {
    plan.arms.iter().all(|arm| {
        let ideal = arm.problem.description().ideal;
        ideal.is_some() && arm.resolved.target() == ideal
    })
}

/// Returns the descriptions of the swept parameters of the problem.
fn swept(plan: &Plan) -> BTreeMap<String, String> {
    let described = |key: &String| {
        let name = key.strip_prefix("problem.")?;
        let parameter = plan.library.parameters().iter().find(|one| one.key == name)?;
        Some((key.clone(), parameter.doc.to_string()))
    };
    plan.swept_keys.iter().filter_map(described).collect()
}
