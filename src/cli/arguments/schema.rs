//! Arguments of `runner schema`.

use super::PluginDirs;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Print every key with its type, default and meaning, as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Only the parameters of this plugin (repeatable) [default: all available plugins]
    #[arg(long = "plugin", value_name = "PLUGIN")]
    pub plugin: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}
