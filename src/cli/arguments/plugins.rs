//! Arguments for the search of plugins, and those of `runner plugins`.

use super::values;
use clap::{Args, ValueHint};
use std::path::PathBuf;

// Folders that are searched for plugins, in addition to the default ones.
#[derive(Clone, Debug, Args)]
pub(crate) struct PluginDirs {
    /// Look for plugins here first (repeatable); then in RUNNER_PLUGIN_PATH, the program's folder,
    /// and ../lib/runner/plugins
    #[arg(
        long = "plugin-dir", value_name = "DIR", value_hint = ValueHint::DirPath,
        value_parser = values::folder
    )]
    pub plugin_dir: Vec<PathBuf>,
}

// Search for the plugin of a results folder.
#[derive(Debug, Args)]
pub(crate) struct RecordedPluginArguments {
    #[command(flatten)]
    pub plugins: PluginDirs,
    /// Load the plugin library that the results name, wherever it is; use this only if you trust
    /// whoever made them
    #[arg(long)]
    pub trust: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// Only these plugins, by name or by file
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}
