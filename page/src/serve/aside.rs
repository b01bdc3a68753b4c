//! Work aside from the server's own threads: in a thread and a process that end when nobody waits
//! for them any more.

use super::app::App;
use super::error::Refusal;
use crate::live::{LiveProcess, Setting, Task};
use crate::run::WorkerCommand;
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

/// Ends work when nobody waits for it any more.
struct Wanted(Interrupt);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// Does work in a separate thread. Its interrupt is raised when nobody waits for it any more.
pub(super) async fn in_thread<R: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App, Interrupt) -> Result<R, Refusal> + Send + 'static,
) -> Result<R, Refusal> {
    let wanted = Wanted(app.interrupt.child());
    let (asked, interrupt) = (Arc::clone(app), wanted.0.clone());
    let work = move || work(&asked, interrupt);
    tokio::task::spawn_blocking(work).await.map_err(Refusal::failed)?
}

/// Begins a task in a process, which ends when the process is dropped.
pub(super) fn begin(
    command: &WorkerCommand,
    setting: Setting,
    task: Task,
    interrupt: Interrupt,
) -> Result<LiveProcess, Refusal> {
    let begun = LiveProcess::begin(command, setting, task, interrupt);
    let none = |error| Refusal::failed(format!("no process can be started: {error}"));
    Ok(begun.map_err(none)?.0)
}
