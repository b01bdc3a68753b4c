//! Arguments that choose experiments and override their settings.

use super::PluginDirs;
use clap::{Args, ValueHint};
use std::path::PathBuf;

// Choice of experiments, and overrides of their settings.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExperimentArguments {
    /// Experiment files (TOML)
    #[arg(value_name = "CONFIG", required = true, value_hint = ValueHint::FilePath)]
    pub configs: Vec<PathBuf>,
    /// Override a key of every file, such as problem.n=12 or operators.population=50 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Trials per arm; overrides the file
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub repeats: Option<String>,
    /// The experiment's seed; overrides the file
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}
