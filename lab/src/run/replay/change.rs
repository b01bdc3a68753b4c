//! Changes since a run was made.

use super::Replay;
use crate::problem::PluginFile;
use crate::results::Run;
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
    /// The plugin has the same version, but is another build.
    PluginBuild {
        /// The plugin's name.
        name: String,
        /// Version of both.
        version: String,
        /// BLAKE3 of the file that made results, and of the one that is here, in hex.
        builds: (String, String),
    },
    /// The plugin is a program, and its language has another version.
    Language {
        /// The plugin's name.
        name: String,
        /// Language and version that made the results, and those that are here.
        versions: (String, String),
    },
    /// The runner is another build.
    Runner {
        /// The one that made results.
        then: RunnerBuild,
        /// The present build.
        now: RunnerBuild,
    },
}

/// Properties that identify a build of the runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerBuild {
    /// The runner's version.
    pub version: String,
    /// `ENGINE_REVISION`.
    pub engine_revision: u32,
    /// Git revision of the source; `None` if the runner was built outside of a repository.
    pub git_revision: Option<String>,
}

impl fmt::Display for RunnerBuild {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunnerBuild { version, engine_revision, git_revision } = self;
        write!(out, "{version} (engine {engine_revision}")?;
        if let Some(revision) = git_revision {
            write!(out, ", source {}", first_digits(revision))?;
        }
        out.write_str(")")
    }
}

/// Returns as much of a hash as distinguishes builds.
fn first_digits(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

impl Replay {
    /// Returns the changes since the last run, and further changes since earlier runs.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = self.since(&self.run);
        for run in &self.earlier {
            for change in self.since(run) {
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
        }
        changes
    }

    /// Returns the changes since a run.
    fn since(&self, run: &Run) -> Vec<Change> {
        let operators = run.operator_plugins.iter().filter_map(|then| {
            let mut now = self.plan.operator_libraries.iter();
            let now = now.find(|now| now.named == then.named)?;
            Some((&then.file, PluginFile::of(&now.library)))
        });
        let problem = (&run.plugin, PluginFile::of(&self.plan.library));
        let plugins: Vec<(&PluginFile, PluginFile)> =
            std::iter::once(problem).chain(operators).collect();
        let mut changes: Vec<Change> =
            plugins.iter().filter_map(|(then, now)| Change::of_plugin(then, now)).collect();
        let own = Run::begin(0, 0);
        let build = |run: &Run| RunnerBuild {
            version: run.runner_version.clone(),
            engine_revision: run.engine_revision,
            git_revision: run.git_revision.clone(),
        };
        let (then, now) = (build(run), build(&own));
        if then != now {
            changes.push(Change::Runner { then, now });
        }
        changes.extend(plugins.iter().filter_map(|(then, now)| Change::of_language(then, now)));
        changes
    }
}

impl Change {
    /// Returns the change of a plugin; `None` if it did not change.
    fn of_plugin(then: &PluginFile, now: &PluginFile) -> Option<Self> {
        let PluginFile { name, version, blake3, .. } = now.clone();
        if then.version != version {
            return Some(Change::PluginVersion { name, then: then.version.clone(), now: version });
        }
        let builds = (then.blake3.clone(), blake3);
        (builds.0 != builds.1).then_some(Change::PluginBuild { name, version, builds })
    }

    /// Returns the change of a program's language; `None` if it did not change or is unknown.
    fn of_language(then: &PluginFile, now: &PluginFile) -> Option<Self> {
        let versions = (then.language.clone()?, now.language.clone()?);
        let name = now.name.clone();
        (versions.0 != versions.1).then_some(Change::Language { name, versions })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::PluginVersion { name, then, now } => {
                write!(out, "the plugin {name} was version {then} and is now {now}")
            }
            Change::PluginBuild { name, version, builds: (then, now) } => write!(
                out,
                "the plugin {name} {version} is a different build: {} made trials, and {} is here",
                first_digits(then),
                first_digits(now)
            ),
            Change::Language { name, versions: (then, now) } => {
                write!(out, "the plugin {name} ran in {then} and now runs in {now}")
            }
            Change::Runner { then, now } => {
                write!(out, "the runner was {then} and is now {now}")
            }
        }
    }
}
