//! Arguments of `runner schema`.

use super::PluginDirs;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Kind of file to describe
    #[arg(value_name = "FILE", value_enum, default_value_t = SchemaFile::Experiment)]
    pub file: SchemaFile,
    /// Print every key with its type, default and meaning, as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Only the parameters of this plugin (repeatable) [default: all available plugins]
    #[arg(long = "plugin", value_name = "PLUGIN")]
    pub plugin: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFile {
    /// Experiments, with or without a table [tune]
    Experiment,
    /// Suites
    Suite,
}
