//! Arguments of `runner merge`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// Folders of shards, or a pattern in quotes, such as results/NAME.shard-*
    #[arg(value_name = "SHARD", required = true, value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// Leave each table as a folder with a file of each shard, which Polars and DuckDB read as one
    /// table
    #[arg(long)]
    pub partitioned: bool,
    /// Merge trials that different builds of the same plugin version made
    #[arg(long)]
    pub accept_plugin_change: bool,
}
