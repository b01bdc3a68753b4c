//! The process of a watched search, or of a read, as a page sees it.

use super::frame::{Frame, State};
use super::order::{Order, Setting, Task};
use crate::run::{Duty, Line, Silence, WorkerCommand, WorkerProcess};
use crate::system::interrupt::Interrupt;
use std::io;
use std::time::Instant;

/// A process that does a task. It ends with this value.
#[derive(Debug)]
pub(crate) struct LiveProcess {
    worker: WorkerProcess,
    interrupt: Interrupt,
}

impl LiveProcess {
    /// Starts a process on this task. Once `interrupt` is raised, no frames come any more.
    pub(crate) fn begin(
        command: &WorkerCommand,
        setting: Setting,
        task: Task,
        interrupt: Interrupt,
    ) -> io::Result<(Self, Line)> {
        let mut worker = WorkerProcess::start(command, Duty::Live)?;
        worker.ask(&Order::Begin(Box::new(setting), task));
        let line = worker.line()?;
        Ok((LiveProcess { worker, interrupt }, line))
    }

    /// Waits for the next frame, until `deadline` at most.
    pub(crate) fn frame(&mut self, deadline: Option<Instant>) -> Result<Frame, Lost> {
        self.worker.answer(deadline, &self.interrupt).map_err(|silence| {
            let call = self.worker.call().map_or_else(String::new, |call| {
                format!(" in the problem's call `{}`", call.name())
            });
            Lost { late: matches!(silence, Silence::Late), words: silence.words() + &call }
        })
    }

    /// Whether it is, or was, in a plugin's call.
    pub(crate) fn is_in_plugin(&self) -> bool {
        self.worker.call().is_some()
    }
}

/// Why a process sends no frames any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    /// It took too long.
    pub late: bool,
    /// Ending of the process, and its last call, after its name.
    pub words: String,
}

impl Frame {
    /// One text that was read.
    pub(super) fn text(text: String) -> Self {
        Frame::Texts(vec![(String::new(), text)])
    }

    /// Whether no frame comes after it.
    pub(crate) fn is_last(&self) -> bool {
        match self {
            Frame::Trial(frame) => frame.state == State::Ended,
            Frame::Repeats(repeats) => repeats.state == State::Ended,
            Frame::Needs(..) => false,
            Frame::Checked(_) | Frame::Replayed(_) | Frame::Texts(_) | Frame::Unable(_) => true,
        }
    }
}
