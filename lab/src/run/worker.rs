//! Workers: threads that take chunks of trials, run them or have a process run them, and send their
//! records.

use super::channel::Channel;
#[cfg(unix)]
use super::grants::Grants;
#[cfg(unix)]
use super::message::Request;
#[cfg(unix)]
use super::process_runner::{ProcessRunner, Unavailable, plan_text};
use super::{Chunk, GenerationProgress, Isolation, Queue, TrialRunner};
use crate::plan::{Arm, Plan};
use crate::results::CheckpointFolder;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use parking_lot::{Mutex, MutexGuard};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Instant;

/// Descriptions of the faults that keep workers from their work.
#[derive(Debug, Default)]
pub(super) struct Faults {
    faults: Mutex<Vec<String>>,
}

impl Faults {
    pub(super) fn add(&self, words: String) {
        self.lock().push(words);
    }

    /// Returns the faults since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.faults.lock()
    }
}

/// State that all workers of a run share.
pub(super) struct Work<'run, T> {
    plan: &'run Plan,
    isolation: &'run Isolation,
    /// Asks a process for the plan.
    #[cfg(unix)]
    plan_request: Option<Request>,
    pub queue: Queue,
    pub channel: Channel<T>,
    /// Interrupt of this run alone; raised when the run ends, for whatever reason.
    pub interrupt: Interrupt,
    pub faults: Faults,
    /// Folder of the checkpoints of trials; `None` if they have none.
    checkpoints: Option<CheckpointFolder>,
    /// Interval of the generations that trials report; `None` if they report none.
    generations: Option<NonZeroU64>,
    /// Workers without trials, for those that have some.
    spare: Arc<SpareWorkers>,
    #[cfg(unix)]
    grants: Grants,
}

impl<'run, T: Send> Work<'run, T> {
    /// Returns the work with a queue and a channel for all workers with trials; `jobs` counts the
    /// others, too.
    pub(super) fn new(
        plan: &'run Plan,
        isolation: &'run Isolation,
        (queue, channel): (Queue, Channel<T>),
        jobs: usize,
        interrupt: Interrupt,
        checkpoints: Option<CheckpointFolder>,
    ) -> Self {
        #[cfg(unix)]
        let plan_request = match isolation {
            Isolation::Threads => None,
            Isolation::Processes(command) => {
                let text = plan_text(plan, command, checkpoints.clone());
                Some(Request::Plan(Box::new(text)))
            }
        };
        Work {
            plan,
            isolation,
            #[cfg(unix)]
            plan_request,
            queue,
            channel,
            interrupt,
            faults: Faults::default(),
            checkpoints,
            generations: None,
            spare: Arc::default(),
            #[cfg(unix)]
            grants: Grants::new(jobs),
        }
    }

    /// Makes trials report every n-th generation; `None` for none.
    pub(super) fn telling(self, generations: Option<NonZeroU64>) -> Self {
        Work { generations, ..self }
    }

    /// Notes that worker `number` runs no trials, or no more. It then helps the workers that do.
    pub(super) fn has_no_trials(&self, number: usize) {
        match self.isolation {
            Isolation::Threads => self.spare.add(number + 1),
            #[cfg(unix)]
            Isolation::Processes(_) => self.grants.ended(number as u32),
        }
    }
}

/// Worker: a thread that runs trials.
pub(super) struct Worker<'run, T> {
    /// Number of the worker, from 0.
    pub number: usize,
    pub work: &'run Work<'run, T>,
}

impl<T> Drop for Worker<'_, T> {
    /// On a panic too, so that the receiver does not wait for ever; the scope then passes the panic
    /// on.
    fn drop(&mut self) {
        self.work.channel.worker_ended();
    }
}

impl<T: Send> Worker<'_, T> {
    /// Works until there are no chunks any more, or the run ends.
    pub(super) fn run(&self) {
        match self.work.isolation {
            Isolation::Threads => {
                self.run_here();
                self.work.has_no_trials(self.number);
            }
            #[cfg(unix)]
            Isolation::Processes(command) => {
                let Work { plan, plan_request: Some(request), interrupt, grants, .. } = self.work
                else {
                    return;
                };
                let number = self.number as u32;
                let process = ProcessRunner::new(plan, command, request, interrupt, grants, number);
                self.run_outside(process);
                self.work.has_no_trials(self.number);
            }
        }
    }

    fn run_here(&self) {
        guard::own_surroundings();
        // Place 0 is that of the main thread.
        let _place = guard::Place::take(self.number + 1);
        let Work { plan, channel, queue, .. } = self.work;
        let mut runner = TrialRunner::new(plan, plan.trace, self.number as u32)
            .sharing(Arc::clone(&self.work.spare))
            .checkpointing(self.work.checkpoints.clone());
        while let Some(chunk) = queue.take() {
            let arm = chunk.arm;
            if runner.arm() != Some(arm) {
                channel.running(arm);
                let Arm { settings, label, .. } = &plan.arms[arm];
                guard::arm(label, settings.stop.trial_seconds);
            }
            if !self.run_chunk(&mut runner, chunk) {
                return;
            }
        }
    }

    /// Runs a chunk of trials. Returns false if the run ends before the chunk does.
    fn run_chunk(&self, runner: &mut TrialRunner<'_>, Chunk { arm, trials }: Chunk) -> bool {
        let Work { queue, channel, interrupt, generations, .. } = self.work;
        let (start, count) = (Instant::now(), trials.end - trials.start);
        for trial in trials {
            let report = |figures| channel.generation(GenerationProgress { arm, trial, figures });
            let Some(record) = runner.run_reporting(arm, trial, interrupt, *generations, report)
            else {
                return false;
            };
            if !channel.send(self.number, record) || interrupt.is_raised() {
                return false;
            }
        }
        queue.learn(arm, start.elapsed().as_secs_f64() / count as f64);
        true
    }

    #[cfg(unix)]
    fn run_outside(&self, mut process: ProcessRunner<'_>) {
        let Work { queue, channel, interrupt, faults, generations, .. } = self.work;
        let mut current = None;
        while let Some(Chunk { arm, trials }) = queue.take() {
            if current.replace(arm) != Some(arm) {
                channel.running(arm);
            }
            let (start, count, end) = (Instant::now(), trials.end - trials.start, trials.end);
            let send = |record| channel.send(self.number, record) && !interrupt.is_raised();
            let report = |progress| channel.generation(progress);
            let Err((next, why)) = process.run(arm, trials, *generations, report, send) else {
                queue.learn(arm, start.elapsed().as_secs_f64() / count as f64);
                continue;
            };
            queue.give_back(Chunk { arm, trials: next..end });
            match why {
                Unavailable::Interrupted => {}
                // The others may go on: there are fewer processes to be had than were asked for.
                Unavailable::System(words) => faults.add(words),
                Unavailable::Plugin(words) => {
                    faults.add(words);
                    interrupt.raise();
                }
            }
            return;
        }
    }
}
