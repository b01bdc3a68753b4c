//! The workplace: where plugins are loaded, and trials run.

use crate::cli::{IsolationArguments, IsolationMode, PluginDirs};
use crate::problem::Opener;
#[cfg(unix)]
use crate::problem::SearchPath;
use crate::run::Isolation;
#[cfg(unix)]
use crate::run::{Describer, WorkerCommand};
use crate::system::interrupt::Interrupt;
#[cfg(unix)]
use std::{sync::Arc, time::Duration};

/// Where plugins are loaded, and trials run.
pub struct Workplace {
    pub opener: Opener,
    pub isolation: Isolation,
    #[cfg(unix)]
    describer: Option<Arc<Describer>>,
}

impl Workplace {
    /// As the command line asks.
    ///
    /// # Errors
    /// If this system has no worker processes; in words.
    #[cfg(unix)]
    pub fn of(
        arguments: &IsolationArguments,
        plugins: &PluginDirs,
        interrupt: &Interrupt,
    ) -> Result<Self, String> {
        if arguments.mode == IsolationMode::Thread {
            return Ok(Workplace {
                opener: Opener::Here,
                isolation: Isolation::Threads,
                describer: None,
            });
        }
        let command = WorkerCommand {
            memory: arguments.worker_memory,
            patience: Duration::from_secs(arguments.plugin_seconds.get()),
            ..WorkerCommand::of(&SearchPath::new(&plugins.plugin_dir))?
        };
        let describer = Arc::new(Describer::new(command.clone(), interrupt.clone()));
        Ok(Workplace {
            opener: Opener::Apart(describer.clone()),
            isolation: Isolation::Processes(command),
            describer: Some(describer),
        })
    }

    #[cfg(not(unix))]
    pub fn of(
        arguments: &IsolationArguments,
        _plugins: &PluginDirs,
        _interrupt: &Interrupt,
    ) -> Result<Self, String> {
        match arguments.mode {
            IsolationMode::Thread => {
                Ok(Workplace { opener: Opener::Here, isolation: Isolation::Threads })
            }
            IsolationMode::Process => {
                Err("--isolation process: worker processes need a Unix system".to_owned())
            }
        }
    }

    /// No plugin is to be loaded for a while.
    pub fn rest(&self) {
        #[cfg(unix)]
        self.describer.iter().for_each(|describer| describer.rest());
    }
}
