//! Arguments of `runner conformance`.

use super::{PluginDirs, values};
use clap::{Args, ValueHint};
use std::num::NonZeroU32;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ConformanceArguments {
    /// The plugin's name, or a path to its library or Python file
    #[arg(value_name = "PLUGIN")]
    pub plugin: String,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What runs a plugin that is a Python file: a program's name or path, such as .venv/bin/python
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub interpreter: Option<PathBuf>,
    /// Only this check (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub only: Vec<String>,
    /// Seconds for which a check repeats its calls; it is stopped after ten times as many
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = values::whole::<NonZeroU32>(1)
    )]
    pub seconds: NonZeroU32,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    /// Run the one check of --only in this process
    #[arg(long, hide = true)]
    pub here: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}
