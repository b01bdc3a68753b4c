//! What is not as it was when a run was made.

use super::Replay;
use crate::plan::settings::ENGINE_REVISION;
use crate::problem::PluginFile;
use std::fmt;

/// Something that changed since the run, for a trial that comes out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The plugin has another version.
    PluginVersion {
        /// The plugin's name.
        name: String,
        /// Version that made the results.
        then: String,
        /// Version that is here.
        now: String,
    },
    /// Of the same version.
    PluginBuild {
        /// The plugin's name.
        name: String,
        /// Version of both.
        version: String,
    },
    /// The version and engine revision of the runner.
    Runner {
        /// Those that made the results.
        then: (String, u32),
        /// Those of this runner.
        now: (String, u32),
    },
}

impl Replay {
    /// What changed since the last run.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let operators = self.run.operator_plugins.iter().filter_map(|then| {
            let mut now = self.plan.operator_libraries.iter();
            let now = now.find(|now| now.named == then.named)?;
            Some((&then.file, PluginFile::of(&now.library)))
        });
        let problem = (&self.run.plugin, PluginFile::of(&self.plan.library));
        let mut changes: Vec<Change> = std::iter::once(problem)
            .chain(operators)
            .filter_map(|(then, now)| Change::of_plugin(then, now))
            .collect();
        let then = (self.run.runner_version.clone(), self.run.engine_revision);
        let now = (env!("CARGO_PKG_VERSION").to_owned(), ENGINE_REVISION);
        if then != now {
            changes.push(Change::Runner { then, now });
        }
        changes
    }
}

impl Change {
    /// What changed of a plugin, if anything did.
    fn of_plugin(then: &PluginFile, now: PluginFile) -> Option<Self> {
        let PluginFile { name, version, blake3, .. } = now;
        if then.version != version {
            return Some(Change::PluginVersion { name, then: then.version.clone(), now: version });
        }
        (then.blake3 != blake3).then_some(Change::PluginBuild { name, version })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::PluginVersion { name, then, now } => {
                write!(out, "the plugin {name} was version {then} and is now {now}")
            }
            Change::PluginBuild { name, version } => {
                write!(out, "the plugin {name} {version} is a different build")
            }
            Change::Runner { then: (then, before), now: (now, after) } => {
                write!(
                    out,
                    "the runner was {then} (engine {before}) and is now {now} (engine \
                    {after})"
                )
            }
        }
    }
}
