//! The plugin process: a worker process that loads plugins and makes problems in place of the run,
//! which then runs nothing of them.

use super::message::{Reply, Request};
use super::worker_process::{Duty, Silence, WorkerCommand, WorkerProcess};
use crate::problem::parameter::Value;
use crate::problem::{Declared, Description, Genome, Location, PluginError, Remote};
use crate::system::interrupt::Interrupt;
use parking_lot::Mutex;
use std::time::Instant;

/// Started when it is first needed, and again after it ended.
#[derive(Debug)]
pub(super) struct PluginProcess {
    command: WorkerCommand,
    interrupt: Interrupt,
    worker: Mutex<Option<WorkerProcess>>,
}

impl PluginProcess {
    /// Returns a process that is started by this command, and that stops answering once `interrupt`
    /// is raised.
    pub(super) fn new(command: WorkerCommand, interrupt: Interrupt) -> Self {
        PluginProcess { command, interrupt, worker: Mutex::new(None) }
    }

    /// Ends the process until it is needed again.
    pub(super) fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Option<WorkerProcess>> {
        self.worker.lock()
    }

    fn ask(&self, plugin: &str, request: &Request) -> Result<Reply, PluginError> {
        let lost = |call: &str, message: String| {
            Err(PluginError::Lost { plugin: plugin.to_owned(), call: call.to_owned(), message })
        };
        let mut held = self.lock();
        let mut worker = match held.take() {
            Some(worker) => worker,
            None => match WorkerProcess::start(&self.command, Duty::Run) {
                Ok(worker) => worker,
                Err(error) => {
                    return lost("load", format!("cannot start a process for it: {error}"));
                }
            },
        };
        worker.ask(request);
        match worker.answer(Instant::now().checked_add(self.command.patience), &self.interrupt) {
            Ok(Reply::Unable(message)) => lost("load", message),
            Ok(reply) => {
                *held = Some(worker);
                Ok(reply)
            }
            Err(silence) => {
                let call = worker.call().map_or("load", |call| call.name());
                let words = match silence {
                    Silence::Late => format!(
                        "did not return within {} s, the limit set by --plugin-seconds",
                        self.command.patience.as_secs_f64()
                    ),
                    silence => format!("the process that loaded it {}", silence.words()),
                };
                lost(call, words)
            }
        }
    }
}

impl Remote for PluginProcess {
    fn open(&self, at: &Location) -> Result<(Declared, blake3::Hash), PluginError> {
        let name = at.path.file_name().unwrap_or(at.path.as_os_str()).to_string_lossy();
        match self.ask(&name, &Request::Open { at: at.clone() })? {
            Reply::Opened(answer) => answer.map(|(declared, hash)| (declared, hash.into())),
            _ => Err(no_answer(&name)),
        }
    }

    fn describe(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
    ) -> Result<Description, PluginError> {
        match self.ask(plugin, &Request::Describe { at: at.clone(), values: values.to_vec() })? {
            Reply::Described(answer) => answer,
            _ => Err(no_answer(plugin)),
        }
    }

    fn try_operator(
        &self,
        at: &Location,
        plugin: &str,
        operator: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<(), PluginError> {
        let (at, values, problem) = (at.clone(), values.to_vec(), Box::new(problem.clone()));
        match self.ask(plugin, &Request::TryOperator { at, operator, values, problem })? {
            Reply::TriedOperator(answer) => answer,
            _ => Err(no_answer(plugin)),
        }
    }

    fn validate(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
        genomes: &[Genome],
    ) -> Result<Vec<bool>, String> {
        let (at, values, genomes) = (at.clone(), values.to_vec(), genomes.to_vec());
        match self.ask(plugin, &Request::Validate { at, values, genomes }) {
            Ok(Reply::Validated(answer)) => answer,
            Ok(_) => Err(no_answer(plugin).to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn no_answer(plugin: &str) -> PluginError {
    let message = "the process that loaded it gave an answer to a different request".to_owned();
    PluginError::Lost { plugin: plugin.to_owned(), call: "load".to_owned(), message }
}
