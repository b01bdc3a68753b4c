//! The application: what all requests share.

use super::experiments::Experiments;
use super::limits::Limits;
use super::memory::Memory;
use super::runs::Runs;
use crate::problem::{Opener, PluginPolicy, SearchPath};
use crate::run::{PluginLoader, WorkerCommand};
use crate::system::interrupt::Interrupt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Address, folders and limits of a server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Address to listen to.
    pub host: IpAddr,
    /// 0: one that is free.
    pub port: u16,
    /// The folder that has a results folder for each experiment.
    pub out: PathBuf,
    /// Folder to which experiments are saved.
    pub configs: PathBuf,
    /// Folder whose files of data pages may choose; `None` if they may choose none.
    pub data: Option<PathBuf>,
    /// Beginning of addresses behind a proxy: empty, or a path with a slash at its start alone.
    pub base_path: String,
    /// Folders in which plugins are searched.
    pub search: SearchPath,
    /// Whether libraries that results name are loaded from wherever they are.
    pub trust: bool,
    /// Searches at a time.
    pub runs: u16,
    /// Bytes of memory that searches may take together.
    pub memory: u64,
    /// Time that a read of results may take.
    pub patience: Duration,
    /// Token that a browser must send; `None` if it needs none.
    pub token: Option<String>,
}

/// State that all requests share.
pub(super) struct App {
    pub options: ServeOptions,
    /// Its policy has the plugins that were there when the server started.
    pub command: WorkerCommand,
    /// Loader of the process that loads plugins for the form.
    pub loader: PluginLoader,
    pub runs: Arc<Runs>,
    pub memory: Arc<Memory>,
    pub limits: Arc<Limits>,
    pub experiments: Experiments,
    /// Raised when the server is to end.
    pub interrupt: Interrupt,
}

impl App {
    /// Returns the opener of plugins that are only described.
    pub(super) fn opener(&self) -> Opener {
        self.loader.opener()
    }

    /// Returns the way to start processes that load the plugin of results. A server started with
    /// `--trust` trusts the results, wherever their plugins are.
    pub(super) fn command_for_results(&self) -> WorkerCommand {
        let command = self.command.clone();
        if self.options.trust {
            WorkerCommand { policy: PluginPolicy::Any, ..command }
        } else {
            command
        }
    }

    /// A path of the page as addresses have it.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.options.base_path)
    }
}
