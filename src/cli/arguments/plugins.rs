//! Arguments that say where plugins are looked for; those of `runner plugins`.

use super::values;
use crate::problem::PluginPolicy;
use clap::{Args, ValueHint};
use std::path::PathBuf;

// Where plugins are looked for, besides the usual places.
#[derive(Debug, Args)]
pub(crate) struct PluginDirs {
    /// Look for plugins here first (repeatable); then in RUNNER_PLUGIN_PATH, the program's folder,
    /// and ../lib/runner/plugins
    #[arg(
        long = "plugin-dir", value_name = "DIR", value_hint = ValueHint::DirPath,
        value_parser = values::folder
    )]
    pub plugin_dir: Vec<PathBuf>,
}

// Where the plugin of results is looked for.
#[derive(Debug, Args)]
pub(crate) struct RecordedPluginArguments {
    #[command(flatten)]
    pub plugins: PluginDirs,
    /// Load the plugin library that the results name, wherever it is; use this only if you trust
    /// whoever made them
    #[arg(long)]
    pub trust: bool,
    /// Plugin files that alone may be opened, by name, as JSON: `runner serve` has reports made so
    #[arg(long, hide = true, value_name = "JSON", value_parser = plugin_list)]
    pub only_plugins: Option<PluginPolicy>,
}

fn plugin_list(text: &str) -> Result<PluginPolicy, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}
