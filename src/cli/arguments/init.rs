//! Arguments of `runner init`.

use super::{PluginDirs, values};
use clap::{Args, ValueEnum, ValueHint};
use runner_engine::named;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The file to write [default: PLUGIN-QUESTION.toml]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The plugin's name or a path to its library
    #[arg(long, value_name = "PLUGIN")]
    pub plugin: Option<String>,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What the experiment should answer
    #[arg(long, value_enum)]
    pub question: Option<Question>,
    /// Budget of evaluations per trial
    #[arg(
        long, value_name = "N", value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub evaluations: Option<u64>,
    /// Ask nothing: use defaults for everything that no flag sets
    #[arg(long, short)]
    pub yes: bool,
    /// Write a folder that is the repository of a study instead: config, problem in Python,
    /// notebook, Makefile, workflow and README
    #[arg(
        long, value_name = "FOLDER", value_hint = ValueHint::DirPath, num_args = 0..=1,
        default_missing_value = "study",
        conflicts_with_all = ["file", "plugin", "set", "question", "evaluations", "plugin_dir"]
    )]
    pub study: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

named! {
    #[derive(ValueEnum)]
    pub(crate) enum Question {
        /// How often does a search solve the problem?
        Success = "success",
        /// Which of two searches is better?
        Compare = "compare",
        /// How does the success rate change with the problem's size?
        Scale = "scale",
    }
}
