//! A session: one run of an experiment, from its plan to its tables. It opens the results folder
//! and continues from its contents, runs trials until none is missing, and writes the tables. It
//! reports its progress to an [`Observer`] and prints nothing.
//!
//! [`run_experiment`] does all of it. A program that runs trials elsewhere, such as on a cluster,
//! opens a [`Session`]. It runs the trials of [`missing`](Session::missing) there by
//! [`collect_trials`](super::collect_trials) and hands their records to [`add`](Session::add). It
//! calls [`decide`](Session::decide) until no trial is missing any more.

mod ended;
mod error;
mod failed_trials;
mod missing;
mod options;
mod plugin_builds;
mod progress;
mod record_sink;
mod run_log;
#[cfg(test)]
mod tests;

pub use ended::{Conclusion, Ended};
pub use error::SessionError;
pub use missing::Missing;
pub use options::{ResultsFolder, SessionOptions};
pub use plugin_builds::refuse_other_build;

use super::event::{Event, Observer};
use super::pool::{RunError, run_trials};
use crate::plan::{Plan, ResultsSpec};
use crate::record::TrialRecord;
use crate::results::{CheckpointFolder, Opened, ResultsError, ShardState, Store, shard_state};
use crate::system::notice::{Level, Notice};
use crate::words::count;
use failed_trials::OpenOutcome;
use progress::Progress;
use record_sink::{RecordSink, Stopped};
use run_log::RunLog;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Runs an experiment to its end, or until `options.interrupt` is raised or the time limit is over.
///
/// # Errors
/// Returns an error if results cannot be read or written, another build of the plugin made the
/// trials that are there, no worker can be had, or trials are missing though all were run.
pub fn run_experiment(
    plan: &Plan,
    options: &SessionOptions,
    observer: &mut dyn Observer,
) -> Result<Ended, SessionError> {
    let ended = Session::open(plan, options, observer).and_then(|mut session| {
        session.run(observer)?;
        session.finish(observer)
    });
    match (ended, &options.share) {
        (Err(error), Some(share)) if is_removed(&error) => {
            let folder = options.results.path.join(share.folder(&plan.name));
            done_elsewhere(error, options.results.holding(&folder), observer)
        }
        (ended, _) => ended,
    }
}

/// Returns whether the error may be that of a folder which another run has removed.
fn is_removed(error: &SessionError) -> bool {
    match error {
        SessionError::Results(error @ ResultsError::File { .. }) => error.is_missing(),
        SessionError::Results(_) => true,
        SessionError::PluginChanged { .. }
        | SessionError::PluginOverwritten { .. }
        | SessionError::PluginEdited { .. }
        | SessionError::Worker { .. } => false,
    }
}

/// An attempt at a shard fails where another one, which ran at the same time, was done first and
/// removed its folder: then there is nothing left to do.
fn done_elsewhere(
    error: SessionError,
    folder: ResultsFolder,
    observer: &mut dyn Observer,
) -> Result<Ended, SessionError> {
    let Ok(Some(ShardState { is_done: true, arms, .. })) = shard_state(&folder.path) else {
        return Err(error);
    };
    let shown = folder.shown.display();
    let notice = format!("{shown}: another run of this shard was done first; its trials stay");
    tell(Level::Note, &[notice], observer);
    let trials = arms.iter().map(|arm| arm.trials + arm.failures).sum();
    Ok(Ended::ShardDone { folder, trials })
}

/// Number of trials after which a run stops if every one failed; or one per arm, if that is more.
const ENOUGH_FAILED: u64 = 20;

/// Time between two reports of how much of the tables is written.
const WRITING_REPORTS: Duration = Duration::from_secs(1);

/// An experiment on its way from plan to tables. It holds the lock of its results folder.
pub struct Session<'run> {
    plan: &'run Plan,
    options: &'run SessionOptions,
    started: Instant,
    spec: ResultsSpec,
    folder: ResultsFolder,
    store: Store,
    run_log: RunLog,
    progress: Progress,
    /// Whether each arm is to be run.
    chosen: Vec<bool>,
    /// Missing trials of the arms that are to be run.
    missing: Missing,
    /// Folder of the checkpoints of running trials; `None` if they have none.
    checkpoints: Option<CheckpointFolder>,
    /// A warning if another build of a plugin made some of the trials.
    other_build: Option<String>,
    /// Whether the run stopped because every trial failed.
    all_failed: bool,
}

impl<'run> Session<'run> {
    /// Opens the experiment's results folder, or makes it, and goes on from what is there.
    ///
    /// # Errors
    /// Returns an error if another process holds the folder, its files cannot be read or written,
    /// or another build of the plugin made the trials that are there and `options` do not accept
    /// that.
    pub fn open(
        plan: &'run Plan,
        options: &'run SessionOptions,
        observer: &mut dyn Observer,
    ) -> Result<Self, SessionError> {
        let (started, spec) = (Instant::now(), ResultsSpec::from(plan));
        let OpenOutcome { opened, folder, progress } =
            failed_trials::open(plan, &spec, options, observer)?;
        let chosen = options.arms.chosen(&plan.arms);
        let targets = &progress.state.target_trials;
        let missing =
            Missing::of(plan, options.share.as_ref(), &opened.finished, targets).only(&chosen);
        let other_build = match plugin_builds::check(plan, &opened, &missing, &folder, options) {
            Ok(notice) => notice,
            Err(error) => {
                opened.abandon()?;
                return Err(error);
            }
        };
        // Without missing trials it is reported below the table, which a shard does not have.
        if !missing.is_empty() || options.share.is_some() {
            tell(Level::Warning, other_build.as_slice(), observer);
        }
        let Opened { mut store, finished, .. } = opened;
        if !missing.is_empty() {
            store.accept_plugins()?;
        }
        let checkpoints = match plan.checkpoint_interval() {
            Some(interval) if !missing.is_empty() => {
                let left = store.checkpoints(interval, |arm, trial| missing.has(arm, trial))?;
                tell(Level::Note, &left.notices, observer);
                tell(Level::Note, go_on(left.going_on).as_slice(), observer);
                Some(left.folder)
            }
            _ => None,
        };
        let (run_log, notice) = RunLog::begin(plan, options.jobs, finished.total(), &folder)?;
        tell(Level::Warning, notice.as_slice(), observer);
        observer.observe(&Event::Started {
            plan,
            finished: &progress.arms,
            target_trials: &progress.targets(&chosen),
            jobs: options.jobs,
        });
        Ok(Session {
            plan,
            options,
            started,
            spec,
            folder,
            store,
            run_log,
            progress,
            chosen,
            missing,
            checkpoints,
            other_build,
            all_failed: false,
        })
    }

    /// Returns the folder of the results.
    #[must_use]
    pub fn folder(&self) -> &ResultsFolder {
        &self.folder
    }

    /// Returns the trials that are to be run next. With none, the experiment is decided.
    #[must_use]
    pub fn missing(&self) -> &Missing {
        &self.missing
    }

    /// Runs trials on this machine until none is missing, the interrupt is raised, or the time is
    /// up.
    ///
    /// # Errors
    /// Returns an error if records cannot be kept, no worker can be had, or trials are missing
    /// though they were run.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<(), SessionError> {
        let Session { plan, options, .. } = *self;
        // Where a stopping rule ends the trials: look after look. Otherwise once.
        while !self.missing.is_empty() && !self.is_stopped() {
            let missing = self.missing.runs();
            let most_failed = match options.keep_going {
                true => u64::MAX,
                false => ENOUGH_FAILED.max(plan.arms.len() as u64),
            };
            let (store, progress) = (&mut self.store, &mut self.progress);
            let checkpoints = self.checkpoints.clone();
            let mut sink = RecordSink { store, progress, observer, most_failed, checkpoints };
            let (jobs, isolation) = (options.jobs, &options.isolation);
            let (interrupt, limit) = (&options.interrupt, options.time_limit);
            let ran = run_trials(plan, missing, jobs, isolation, interrupt, limit, &mut sink);
            plugin_builds::refuse_overwritten(plan, &self.folder)?;
            match ran {
                Ok(_) => self.decide(observer)?,
                Err(RunError::Sink(Stopped::AllFailed)) => {
                    self.missing = self.lacks().only(&self.chosen);
                    self.all_failed = !self.missing.is_empty();
                    return Ok(());
                }
                Err(RunError::Sink(Stopped::Results(error))) => return Err(error.into()),
                Err(RunError::Sink(Stopped::PluginEdited(message))) => {
                    return Err(SessionError::PluginEdited { message });
                }
                Err(RunError::Worker(message)) => return Err(SessionError::Worker { message }),
            }
        }
        Ok(())
    }

    /// Returns whether the run is to end though trials are missing.
    fn is_stopped(&self) -> bool {
        self.options.interrupt.is_raised() || self.options.time_limit.is_over()
    }

    /// Keeps records of finished trials, in any order, and ignores those that are already kept.
    /// Call it a few times per second, even without records, because it also writes buffered
    /// records.
    ///
    /// # Errors
    /// Returns an error if a record is of no trial of this experiment, or cannot be written.
    pub fn add(
        &mut self,
        mut records: Vec<TrialRecord>,
        observer: &mut dyn Observer,
    ) -> Result<(), SessionError> {
        self.store.check(&records)?;
        let mut seen = BTreeSet::new();
        records.retain(|TrialRecord { arm, trial, .. }| {
            !self.store.finished().contains(*arm, *trial) && seen.insert((*arm, *trial))
        });
        let batch = self.store.encoder().prepare(records);
        let (store, progress) = (&mut self.store, &mut self.progress);
        let most_failed = u64::MAX;
        let checkpoints = None;
        let mut sink = RecordSink { store, progress, observer, most_failed, checkpoints };
        Ok(sink.keep(vec![batch])?)
    }

    /// Decides, after the missing trials were run, which trials are missing now. More trials are
    /// missing if the stopping rule asks for more.
    ///
    /// # Errors
    /// Returns an error if trials are missing that were missing before, though nothing has stopped
    /// the run.
    pub fn decide(&mut self, observer: &mut dyn Observer) -> Result<(), SessionError> {
        self.progress.decide(self.plan);
        let left = self.lacks().only(&self.chosen);
        if !left.is_empty() && !self.is_stopped() {
            if self.missing.common(&left) > 0 {
                self.store.flush()?;
                return Err(self.lacking(&left).into());
            }
            let target_trials = &self.progress.targets(&self.chosen);
            observer.observe(&Event::TargetsRaised { target_trials });
        }
        self.missing = left;
        Ok(())
    }

    /// Returns the error of a run that ended without these trials.
    fn lacking(&self, left: &Missing) -> ResultsError {
        let example = left.first().map_or_else(String::new, |(arm, trial)| {
            format!("trial {trial} of `{}`", self.plan.arms[arm].label)
        });
        ResultsError::MissingTrials {
            folder: self.folder.shown.clone(),
            lacking: left.trials(),
            wanted: Missing::all(self.plan, self.options.share.as_ref()).trials(),
            example,
        }
    }

    /// Ends the session: writes the tables, if no trial is missing and this is no shard.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written. Every finished trial is still on the
    /// disk then.
    pub fn finish(self, observer: &mut dyn Observer) -> Result<Ended, SessionError> {
        let (trials, started) = (self.trials(), self.started);
        let interrupted = !self.missing.is_empty();
        // Arms that are not to be run may lack trials.
        let partial = !self.lacks().is_empty();
        let ended = if interrupted || partial || self.options.share.is_some() {
            let ending = if interrupted { "interrupted" } else { "done" };
            // The next run must not begin before this one is noted as ended.
            let _lock = self.store.lock();
            self.store.close()?;
            self.run_log.end(ending, trials, None)?;
            let folder = self.folder;
            match (interrupted, partial) {
                (true, _) if self.all_failed => Ended::AllFailed { folder, trials },
                (true, _) => {
                    let is_time_up = !self.options.interrupt.is_raised();
                    Ended::Interrupted { folder, trials, is_time_up }
                }
                (_, true) => Ended::Partial { folder, chosen: self.chosen, trials },
                _ => Ended::ShardDone { folder, trials },
            }
        } else {
            Ended::Finished(self.write_tables(trials, observer)?)
        };
        observer.observe(&Event::Ended { interrupted, elapsed: started.elapsed() });
        Ok(ended)
    }

    /// Returns the number of finished trials. Those that an earlier run of a shard made for more
    /// `repeats` do not count.
    fn trials(&self) -> u64 {
        match &self.options.share {
            Some(share) => Missing::all(self.plan, Some(share)).trials() - self.lacks().trials(),
            None => self.store.finished().total(),
        }
    }

    /// Ends the session though trials are missing: others run them. `ending`: what `run.toml` says
    /// of that.
    pub(crate) fn leave(self, ending: &str) -> Result<(), SessionError> {
        let trials = self.store.finished().total();
        let _lock = self.store.lock();
        self.store.close()?;
        Ok(self.run_log.end(ending, trials, None)?)
    }

    /// Returns the missing trials of all arms. What the store has counts, and not what workers
    /// said.
    fn lacks(&self) -> Missing {
        let (share, targets) = (self.options.share.as_ref(), &self.progress.state.target_trials);
        Missing::of(self.plan, share, self.store.finished(), targets)
    }

    /// Writes the tables. They are the same whatever was in the folder before, because they leave
    /// out trials beyond those that the stopping rule asks for.
    fn write_tables(
        mut self,
        trials: u64,
        observer: &mut dyn Observer,
    ) -> Result<Conclusion, ResultsError> {
        let state = self.progress.state;
        let finished = self.store.finished();
        let more = |arm: usize| finished.count(arm) > state.target_trials[arm];
        if (0..self.plan.arms.len()).any(more) {
            self.store.close()?;
            let spec = ResultsSpec { limits: Some(state.target_trials.clone()), ..self.spec };
            let opened = Store::open(&self.options.results.path, &spec)?;
            tell(Level::Note, &opened.notices, observer);
            self.store = opened.store;
        }
        self.store.want(state.target_trials.clone());
        let _lock = self.store.lock();
        observer.observe(&Event::Writing { share: 0.0 });
        let mut reported = Instant::now();
        let summary = self.store.finish(&mut |share| {
            if reported.elapsed() >= WRITING_REPORTS {
                reported = Instant::now();
                observer.observe(&Event::Writing { share });
            }
        })?;
        self.run_log.end("done", trials, summary.results_hash.clone())?;
        Ok(Conclusion { folder: self.folder, summary, state, other_build: self.other_build })
    }
}

/// Returns a notice on the trials that go on from checkpoints; `None` if there are none.
fn go_on((trials, evaluations): (u64, u64)) -> Option<String> {
    let words = match trials {
        0 => return None,
        1 => "1 trial goes on where it was".to_owned(),
        more => format!("{} trials go on where they were", count(more)),
    };
    Some(format!("{words}: {} evaluations are not made again", count(evaluations)))
}

fn tell(level: Level, notices: &[String], observer: &mut dyn Observer) {
    for message in notices {
        observer.observe(&Event::Notice(&Notice::new(level, message)));
    }
}
