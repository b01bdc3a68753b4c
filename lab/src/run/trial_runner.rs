//! The runner of trials: the one place that knows arm, trial, seed and timing of a result.

use super::checkpoints::{Begun, Checkpoints};
use super::generation_progress::{GenerationFigures, Reporter};
use crate::plan::settings::{Stop, Trace};
use crate::plan::{Arm, Plan};
use crate::record::{Outcome, Timing, TrialId, TrialRecord};
use crate::results::CheckpointFolder;
use crate::search::{TrialExecutor, Watcher, executor_for};
use crate::system::call_limit::{self, CallLimit, Loss};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for which a call continues after the trial's limit, because most trials notice the limit
/// themselves. It is shorter than the time for which a worker process is waited for.
const GRACE: Duration = Duration::from_millis(500);

/// Runner of a plan's trials, one after the other. It keeps the executor of the last arm.
pub struct TrialRunner<'plan> {
    plan: &'plan Plan,
    trace: Trace,
    worker: u32,
    /// Workers that share slow evaluations; `None` if evaluations are not shared.
    spare: Option<Arc<SpareWorkers>>,
    /// Checkpoints of the trials; `None` if they have none.
    checkpoints: Option<Checkpoints>,
    current: Option<(usize, Box<dyn TrialExecutor + 'plan>)>,
}

impl<'plan> TrialRunner<'plan> {
    /// `worker` is the number for the records' timing.
    #[must_use]
    pub fn new(plan: &'plan Plan, trace: Trace, worker: u32) -> Self {
        TrialRunner { plan, trace, worker, spare: None, checkpoints: None, current: None }
    }

    /// Shares slow evaluations with these workers.
    #[must_use]
    pub(crate) fn sharing(mut self, spare: Arc<SpareWorkers>) -> Self {
        self.spare = Some(spare);
        self
    }

    /// Keeps checkpoints of the trials in this folder, and lets trials go on from those that are
    /// there.
    #[must_use]
    pub fn checkpointing(mut self, folder: Option<CheckpointFolder>) -> Self {
        self.checkpoints = folder.map(|folder| Checkpoints::new(self.plan, folder));
        self
    }

    /// Returns the arm of the last trial.
    pub(crate) fn arm(&self) -> Option<usize> {
        self.current.as_ref().map(|(arm, _)| *arm)
    }

    /// Runs a trial; `None` if it was interrupted.
    pub(crate) fn run(
        &mut self,
        arm: usize,
        trial: u64,
        interrupt: &Interrupt,
    ) -> Option<TrialRecord> {
        self.run_watched(arm, trial, interrupt, None)
    }

    /// Runs a trial, and reports its generations in an interval, if there is one. Returns `None` if
    /// the trial was interrupted.
    pub(super) fn run_reporting(
        &mut self,
        arm: usize,
        trial: u64,
        interrupt: &Interrupt,
        generations: Option<NonZeroU64>,
        report: impl FnMut(GenerationFigures),
    ) -> Option<TrialRecord> {
        let trace = self.trace;
        let mut reporter = generations.map(|every| Reporter { every, trace, report });
        let watcher = reporter.as_mut().map(|reporter| reporter as &mut dyn Watcher);
        self.run_watched(arm, trial, interrupt, watcher)
    }

    /// Runs a trial that a watcher observes. Returns `None` if the trial was interrupted.
    pub fn run_watched(
        &mut self,
        arm: usize,
        trial: u64,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialRecord> {
        let Arm { problem, settings, .. } = &self.plan.arms[arm];
        let executor = match &mut self.current {
            Some((current, executor)) if *current == arm => executor,
            current => {
                let (stop, start) = (&settings.stop, settings.start.as_ref());
                let mut executor =
                    executor_for(problem, &settings.operators, stop, start, self.trace);
                if let Some(spare) = &self.spare {
                    executor.use_spare(Arc::clone(spare));
                }
                &mut current.insert((arm, executor)).1
            }
        };
        let started = Instant::now();
        guard::trial(trial);
        let mut checkpoints = self.checkpoints.as_mut();
        let mut logged = None;
        if let Some(all) = checkpoints.as_mut() {
            let Begun { log, snapshots } = all.begin(self.plan, arm, trial);
            executor.keep_snapshots(snapshots);
            if let Some((log, speed)) = log {
                executor.begin_log(log, speed);
                logged = checkpoints;
            }
        }
        // A trial that goes on has taken some of its time already.
        let spent = executor.spent();
        limit_calls(&settings.stop, spent, interrupt);
        let seeds = self.plan.arms[arm].seeds(self.plan.seed, trial);
        let result = executor.run_watched(seeds, interrupt, watcher);
        if let Some(checkpoints) = logged {
            let is_interrupted = result.is_none() || interrupt.is_raised();
            checkpoints.end(arm, executor.end_log(), is_interrupted);
        }
        let result = result?;
        let result = match (result.error, call_limit::loss()) {
            // It has not failed: it is run again.
            (Some(_), Some(Loss::Interrupted)) => return None,
            // A signal to a whole job may end a program or its start in any way. If the trial fails
            // by itself, it fails again.
            (Some(_), _) if interrupt.is_raised() => return None,
            (Some(error), Some(Loss::Gone)) => TrialRecord::lost(Outcome::Crashed, error),
            (error, _) => TrialRecord { error, ..result },
        };
        let elapsed = (spent + started.elapsed()).saturating_sub(call_limit::waited());
        let seconds = elapsed.as_secs_f64();
        let timing = Timing { seconds, worker: self.worker };
        Some(result.with_id(TrialId { arm, trial, seed: seeds.trial }, timing))
    }
}

/// Limits how long the calls of this thread may wait for a program, from now on: by the time limit
/// of a trial, of which `spent` has passed.
pub fn limit_calls(stop: &Stop, spent: Duration, interrupt: &Interrupt) {
    let limit = stop.time_limit().map(|limit| limit.saturating_sub(spent));
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit + GRACE));
    let (seconds, interrupt) = (stop.trial_seconds, interrupt.clone());
    call_limit::set(CallLimit { deadline, seconds, interrupt, waited: Duration::ZERO });
}
