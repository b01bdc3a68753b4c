//! Trials in worker processes: a plugin that dies takes its process along, and no more than the
//! trial it was in.

use super::generation_progress::GenerationProgress;
use super::grants::Grants;
use super::message::{PlanText, Reply, Request};
use super::worker_process::{Duty, Silence, WorkerCommand, WorkerProcess};
use crate::plan::{Arm, Plan};
use crate::problem::START_PATIENCE;
use crate::record::{Outcome, Timing, TrialId, TrialRecord};
use crate::results::CheckpointFolder;
use crate::search::start::GivenGenomes;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::notice::Level;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time after `stop.trial-seconds`, which the worker itself checks between generations, until the
/// worker counts as hanging.
const GRACE: Duration = Duration::from_secs(1);
/// A process that was ended from outside may be the first of several. For this long, the run
/// waits for its own end.
const SETTLE: Duration = Duration::from_millis(300);
/// Wait after a worker that ended because a signal asked its program to stop.
const SETTLE_ASKED: Duration = Duration::from_secs(3);

/// Returns the data from which workers make the plan.
pub(super) fn plan_text(
    plan: &Plan,
    command: &WorkerCommand,
    checkpoints: Option<CheckpointFolder>,
) -> PlanText {
    let mut problems: Vec<_> = plan.arms.iter().map(|arm| &arm.problem).collect();
    problems.sort_by_key(|problem| Arc::as_ptr(problem));
    problems.dedup_by_key(|problem| Arc::as_ptr(problem));
    PlanText {
        path: plan.source.path.clone().into(),
        text: plan.source.text.clone(),
        overrides: plan.source.overrides.clone(),
        given: plan.given_genomes().map(|given| GivenGenomes::clone(given)),
        data_files: plan.data_files.clone(),
        folders: command.folders.iter().map(|folder| folder.clone().into()).collect(),
        problems: problems
            .into_iter()
            .map(|problem| (problem.values().to_vec(), problem.description().clone()))
            .collect(),
        checkpoints,
    }
}

/// A worker's process, started when it is first needed and again when it died.
pub(super) struct ProcessRunner<'run> {
    plan: &'run Plan,
    command: &'run WorkerCommand,
    /// Asks for the plan.
    request: &'run Request,
    interrupt: &'run Interrupt,
    /// Learns which process runs trials.
    grants: &'run Grants,
    /// Number of the worker, for the records' timing.
    number: u32,
    running: Option<WorkerProcess>,
}

/// The call that a worker process is in, and since when.
#[derive(Default)]
struct LongCall {
    seen: Option<(u64, Instant)>,
    looked: Option<Instant>,
    /// The trial has been named.
    is_named: bool,
}

impl LongCall {
    /// Returns how long the call has taken, if the run has named none yet that took half as long.
    fn look(&mut self, worker: &WorkerProcess) -> Option<Duration> {
        /// Time of a call that is named next, in milliseconds.
        static NEXT: AtomicU64 = AtomicU64::new(guard::LONG.as_millis() as u64);
        let now = Instant::now();
        if self.is_named || self.looked.is_some_and(|looked| now - looked < guard::LONG / 20) {
            return None;
        }
        self.looked = Some(now);
        let number = worker.under_way()?.number;
        let (_, since) = match self.seen {
            Some(seen) if seen.0 == number => seen,
            _ => *self.seen.insert((number, now)),
        };
        let (time, next) = (now - since, NEXT.load(Relaxed));
        let milliseconds = time.as_millis() as u64;
        let is_next =
            milliseconds >= next && NEXT.compare_exchange(next, u64::MAX, Relaxed, Relaxed).is_ok();
        if is_next {
            self.is_named = true;
            NEXT.store(2 * milliseconds, Relaxed);
        }
        is_next.then_some(time)
    }
}

/// Reason why trials were not run.
#[derive(Debug)]
pub(super) enum Unavailable {
    /// The system gives no process.
    System(String),
    /// The run cannot go on with this plugin.
    Plugin(String),
    /// The run is over.
    Interrupted,
}

impl<'run> ProcessRunner<'run> {
    pub(super) fn new(
        plan: &'run Plan,
        command: &'run WorkerCommand,
        request: &'run Request,
        interrupt: &'run Interrupt,
        grants: &'run Grants,
        number: u32,
    ) -> Self {
        ProcessRunner { plan, command, request, interrupt, grants, number, running: None }
    }

    /// Starts the process, unless it runs.
    ///
    /// # Errors
    /// Returns an error if no process is available, or if the process makes another plan.
    pub(super) fn ready(&mut self) -> Result<(), Unavailable> {
        if self.running.is_some() {
            return Ok(());
        }
        let mut worker = WorkerProcess::start(self.command, Duty::Run).map_err(|error| {
            Unavailable::System(format!("cannot start a worker process: {error}"))
        })?;
        worker.ask(self.request);
        let deadline = Instant::now().checked_add(self.command.patience);
        let plugin = self.plan.library.name();
        match worker.answer(deadline, self.interrupt) {
            Ok(Reply::Ready { plan }) if plan == self.plan.digest() => {
                if let Some(board) = worker.board() {
                    self.grants.started(self.number, board);
                }
                self.running = Some(worker);
                Ok(())
            }
            Ok(Reply::Ready { .. }) => Err(Unavailable::Plugin(
                "a worker process made a different plan: the plugin changed during the run, or \
                declares different things in another process; run the command again"
                    .to_owned(),
            )),
            Ok(Reply::Unable(words)) => Err(Unavailable::Plugin(format!(
                "a worker process could not make its plan: {words}"
            ))),
            Ok(_) => Err(Unavailable::Plugin(format!(
                "plugin `{plugin}`: a worker process gave no \
                answer"
            ))),
            Err(silence) => match self.settle(&silence) {
                true => Err(Unavailable::Interrupted),
                false => {
                    let call = worker.call().map_or("load", |call| call.name());
                    let words = silence.words();
                    let plugin = self.plugin_of(&worker);
                    Err(Unavailable::Plugin(format!(
                        "plugin `{plugin}`: {call}: a worker process \
                        {words}"
                    )))
                }
            },
        }
    }

    /// Returns whether there is no answer because the run ends.
    fn settle(&self, silence: &Silence) -> bool {
        if matches!(silence, Silence::Interrupted) {
            return true;
        }
        let patience = match silence {
            silence if silence.is_interrupted() => SETTLE_ASKED,
            silence if silence.is_from_outside() => SETTLE,
            _ => return false,
        };
        let since = Instant::now();
        while !self.interrupt.is_raised() && since.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.interrupt.is_raised()
    }

    /// Runs trials of an arm. `report` takes their generations in the interval `generations`, if
    /// there is one. `deliver` takes each record, in order, and says whether to go on.
    ///
    /// # Errors
    /// Returns the first remaining trial and the reason, if trials remain.
    pub(super) fn run(
        &mut self,
        arm: usize,
        trials: Range<u64>,
        generations: Option<NonZeroU64>,
        report: impl Fn(GenerationProgress),
        mut deliver: impl FnMut(TrialRecord) -> bool,
    ) -> Result<(), (u64, Unavailable)> {
        // A program's time to start does not count, and its worker ends its calls in time.
        let start = if self.plan.library.is_program() { START_PATIENCE } else { Duration::ZERO };
        let limit = self.plan.arms[arm].settings.stop.time_limit();
        let limit = limit.map(|limit| limit + GRACE + start);
        let mut next = trials.start;
        while next < trials.end {
            self.ready().map_err(|unavailable| (next, unavailable))?;
            let Some(worker) = &mut self.running else {
                return Err((next, Unavailable::Interrupted));
            };
            let (from, to) = (next, trials.end);
            worker.ask(&Request::Trials { arm, from, to, worker: self.number, generations });
            while next < trials.end && self.running.is_some() {
                let record = self
                    .trial(arm, next, limit, &report)
                    .ok_or((next, Unavailable::Interrupted))?;
                next += 1;
                if !deliver(record) {
                    return Err((next, Unavailable::Interrupted));
                }
            }
        }
        Ok(())
    }

    /// Returns the name of the plugin whose call a process is, or was, in.
    fn plugin_of(&self, worker: &WorkerProcess) -> String {
        worker.plugin().unwrap_or_else(|| self.plan.library.name().to_owned())
    }

    /// Reports a call that does not return.
    fn name(&self, worker: &WorkerProcess, arm: usize, trial: u64, time: Duration) {
        let plugin = self.plugin_of(worker);
        let call = worker.call().map_or("a call", |call| call.name());
        let (label, seconds) = (&self.plan.arms[arm].label, time.as_secs());
        let words = format!(
            "plugin `{plugin}`: {call} has not returned for {seconds} s in trial {trial} of \
            `{label}`; stop.trial-seconds ends such a call"
        );
        guard::report(Level::Warning, words);
    }

    /// Returns the record of the trial that the process is at; `None` if the run is over.
    fn trial(
        &mut self,
        arm: usize,
        trial: u64,
        limit: Option<Duration>,
        report: impl Fn(GenerationProgress),
    ) -> Option<TrialRecord> {
        let started = Instant::now();
        let deadline = limit.and_then(|limit| started.checked_add(limit));
        let seed = self.plan.arms[arm].seeds(self.plan.seed, trial).trial;
        let id = TrialId { arm, trial, seed };
        let mut worker = self.running.take()?;
        let mut long = LongCall::default();
        let mut look = |worker: &WorkerProcess| {
            // With a limit, the call ends.
            if deadline.is_none()
                && let Some(time) = long.look(worker)
            {
                self.name(worker, arm, trial, time);
            }
        };
        let answer = loop {
            match worker.answer_watched(deadline, self.interrupt, &mut look) {
                // Such a process may never be silent.
                Ok(Reply::Generation(..)) if self.interrupt.is_raised() => return None,
                Ok(Reply::Generation(figures)) => {
                    report(GenerationProgress { arm, trial, figures });
                }
                answer => break answer,
            }
        };
        let silence = match answer {
            Ok(Reply::Record(record)) if record.id() == id => {
                self.running = Some(worker);
                return Some(*record);
            }
            Ok(_) => Silence::Broken("answered another question than it was asked"),
            Err(silence) => silence,
        };
        if self.settle(&silence) {
            return None;
        }
        let plugin = self.plugin_of(&worker);
        let call = worker.call().map_or_else(String::new, |call| format!("{}: ", call.name()));
        let record = match silence {
            Silence::Late => {
                let Arm { problem, settings, .. } = &self.plan.arms[arm];
                let limit = settings.stop.trial_seconds.unwrap_or(0.0);
                let words = format!("did not come back within stop.trial-seconds = {limit}");
                let error = format!("plugin `{plugin}`: {call}{words}");
                let has_violations = problem.description().has_violations;
                TrialRecord::lost(Outcome::TimedOut, error)
                    .with_reached(&worker.reached(), has_violations)
            }
            silence => {
                let words = silence.words();
                let error = format!("plugin `{plugin}`: {call}the worker process {words}");
                TrialRecord::lost(Outcome::Crashed, error)
            }
        };
        let timing = Timing { seconds: started.elapsed().as_secs_f64(), worker: self.number };
        Some(record.with_id(id, timing))
    }
}
