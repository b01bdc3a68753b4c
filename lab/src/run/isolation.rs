//! Isolation: where plugins are loaded and trials run.

#[cfg(unix)]
use super::plugin_process::PluginProcess;
#[cfg(unix)]
use super::worker_process::WorkerCommand;
use crate::problem::{Opener, OpenerPlace, PluginPolicy};
use crate::system::interrupt::Interrupt;
#[cfg(unix)]
use std::sync::Arc;

/// Place in which trials run.
#[derive(Clone, Debug)]
pub enum Isolation {
    /// In threads of this process.
    Threads,
    /// In one process per worker.
    #[cfg(unix)]
    Processes(WorkerCommand),
}

impl Isolation {
    /// Returns the loader of the plugins. With processes, the loader's process stops answering once
    /// `interrupt` is raised.
    #[must_use]
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are no worker processes"))]
    pub fn plugin_loader(&self, interrupt: &Interrupt) -> PluginLoader {
        match self {
            Isolation::Threads => PluginLoader {
                opener: Opener::here(PluginPolicy::Any),
                #[cfg(unix)]
                process: None,
            },
            #[cfg(unix)]
            Isolation::Processes(command) => {
                let process = Arc::new(PluginProcess::new(command.clone(), interrupt.clone()));
                let place = OpenerPlace::Remote(process.clone());
                let opener = Opener { policy: command.policy.clone(), place };
                PluginLoader { opener, process: Some(process) }
            }
        }
    }
}

/// Loader of plugins, here or in a process. When the loader is dropped, its process ends. The
/// process starts again when a plugin that it loaded is needed again.
#[derive(Debug)]
pub struct PluginLoader {
    opener: Opener,
    #[cfg(unix)]
    process: Option<Arc<PluginProcess>>,
}

impl PluginLoader {
    /// Returns an opener for a catalogue.
    #[must_use]
    pub fn opener(&self) -> Opener {
        self.opener.clone()
    }
}

impl Drop for PluginLoader {
    fn drop(&mut self) {
        #[cfg(unix)]
        self.process.iter().for_each(|process| process.end());
    }
}
