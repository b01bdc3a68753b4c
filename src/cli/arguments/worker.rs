//! Arguments of `runner worker` and `runner launch`, which the program starts on its own.

use clap::Args;
use std::ffi::OsString;
use std::num::NonZeroU64;

#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    #[arg(long)]
    pub memory: Option<NonZeroU64>,
    /// Write messages as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Serve a page that watches a search
    #[arg(long)]
    pub live: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LaunchArguments {
    /// The process that started this one
    #[arg(long)]
    pub parent: u32,
    /// Block the signals that ask to stop: the program unblocks them
    #[arg(long)]
    pub block: bool,
    /// The program and its arguments
    #[arg(required = true, last = true)]
    pub words: Vec<OsString>,
}
