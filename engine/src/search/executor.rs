//! The executor: runs a search from its first generation until a stop rule ends the trial.

use super::arm::Arm;
use super::evaluation_log::{EvaluationLog, Speed};
use super::evaluator::Evaluator;
use super::halt::Halt;
use super::population::Population;
use super::seeds::Seeds;
use super::snapshot::Snapshot;
use super::snapshot_file::SnapshotFile;
use super::trial::Trial;
use super::watcher::Watcher;
use crate::problem::{CallError, Gene};
use crate::record::{Outcome, TrialRecord};
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::sync::Arc;
use std::time::Duration;

/// A search algorithm, run generation by generation. Its buffers are kept from trial to trial.
pub(crate) trait Search {
    type Gene: Gene;

    /// Clears the state of the previous trial or run, then creates and evaluates its initial
    /// population.
    fn start(&mut self, trial: &mut Trial<'_, Self::Gene>) -> Result<(), Halt>;

    /// Creates and evaluates the next generation.
    fn generation(&mut self, trial: &mut Trial<'_, Self::Gene>) -> Result<(), Halt>;

    /// Does what the next generation would begin with and what changes the state, because a
    /// snapshot is due.
    fn settle(&mut self, _trial: &mut Trial<'_, Self::Gene>) -> Result<(), Halt> {
        Ok(())
    }

    /// Writes the state that the next generation depends on to a snapshot, at the end of a
    /// completed generation, or reads it after a [`start`](Self::start). Buffers are left out.
    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>);

    /// Returns the population of the last completed generation.
    fn population(&self) -> &Population<Self::Gene>;

    /// Releases what only a running trial needs.
    fn finish(&mut self) {}

    /// Returns the number of rows that are in use.
    fn rows(&self) -> usize {
        self.population().rows()
    }

    /// Returns the outcome if the algorithm's own stop rule ends the trial, or with restarts the
    /// run. This rule takes precedence over budgets, but not over success.
    fn ended(&self) -> Option<Outcome> {
        None
    }
}

/// Executor of one arm's trials, for any algorithm and any kind of gene.
pub trait TrialExecutor {
    /// Runs the trial with these seeds. Returns `None` if it was interrupted; no result remains
    /// then.
    fn run(&mut self, seeds: Seeds, interrupt: &Interrupt) -> Option<TrialRecord> {
        self.run_watched(seeds, interrupt, None)
    }

    /// Runs the same trial while a watcher observes it.
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialRecord>;

    /// Also spreads slow evaluations over these workers from now on. Results stay the same.
    fn use_spare(&mut self, workers: Arc<SpareWorkers>);

    /// Keeps a log of the evaluations of the next trial. A trial whose log has results already goes
    /// on where they end, and becomes the trial that it would have become. `speed` is that of the
    /// arm's evaluations so far.
    fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed);

    /// Keeps snapshots of the next trial in this file while it has no log. A trial whose file has a
    /// snapshot already goes on from there, and becomes the trial that it would have become.
    fn keep_snapshots(&mut self, file: Box<dyn SnapshotFile>);

    /// Returns the time that the next trial took before it was interrupted, by its log or snapshot.
    fn spent(&self) -> Duration;

    /// Ends the log of the last trial and returns it, with the speed of the arm's evaluations.
    /// Returns `None` if they are so fast that it was given up.
    fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)>;
}

/// Executor of a search on one arm's problem, under the arm's stop rules.
pub(super) struct Executor<'arm, S: Search> {
    arm: Arm<'arm>,
    evaluator: Evaluator<S::Gene>,
    search: S,
    /// File with the snapshots of the next trial; `None` if none are taken.
    snapshots: Option<Box<dyn SnapshotFile>>,
}

impl<'arm, S: Search> Executor<'arm, S> {
    pub(super) fn new(arm: Arm<'arm>, search: S) -> Self {
        Executor { evaluator: Evaluator::new(&arm), arm, search, snapshots: None }
    }
}

/// Runs the loop that all searches share, from the first generation, or on from the snapshot that
/// was read. Returns `None` if the trial was interrupted.
fn run_search<S: Search>(
    search: &mut S,
    trial: &mut Trial<'_, S::Gene>,
    mut watcher: Option<&mut dyn Watcher>,
    mut snapshots: Option<&mut (dyn SnapshotFile + '_)>,
    is_read: bool,
) -> Result<Option<Outcome>, CallError> {
    let mut begins = !is_read || begins_run(search.ended(), trial);
    if is_read && trial.clock.has_deadline() {
        trial.note_reached();
    }
    loop {
        let generation = if begins { search.start(trial) } else { search.generation(trial) };
        let completed = match generation {
            Ok(()) => {
                trial.close_generation(search.population(), search.rows());
                if trial.clock.has_deadline() {
                    trial.note_reached();
                }
                true
            }
            Err(Halt::Stopped) => false,
            Err(Halt::Failed(error)) => return Err(*error),
        };
        let ended = search.ended();
        let ends = ended.filter(|_| !trial.has_restarts());
        let outcome = trial.solved().or(ends).or_else(|| trial.limit_reached());
        if completed && let Some(watcher) = &mut watcher {
            trial.show(search.population(), search.rows(), outcome.is_some(), *watcher);
        }
        if outcome.is_some() {
            return Ok(outcome);
        }
        let is_interrupted = trial.clock.is_interrupted();
        if completed && (trial.is_look_due() || is_interrupted) {
            let looked = look(search, trial, snapshots.as_deref_mut(), is_interrupted);
            if let Err(Halt::Failed(error)) = looked
                && !is_interrupted
            {
                return Err(*error);
            }
        }
        if is_interrupted {
            return Ok(None);
        }
        begins = begins_run(ended, trial);
    }
}

/// Begins the next run if the search or the rule for restarts has ended the last. Returns whether
/// it has.
#[inline]
fn begins_run<G: Gene>(ended: Option<Outcome>, trial: &mut Trial<'_, G>) -> bool {
    let begins = ended.is_some() || trial.is_run_over();
    if begins {
        trial.begin_run();
    }
    begins
}

/// Takes a snapshot of a trial if one is due, or if the trial is interrupted. A trial whose log
/// pays needs none.
#[cold]
fn look<S: Search>(
    search: &mut S,
    trial: &mut Trial<'_, S::Gene>,
    file: Option<&mut (dyn SnapshotFile + '_)>,
    is_interrupted: bool,
) -> Result<(), Halt> {
    let Some(file) = file else { return Ok(()) };
    trial.look_at = trial.evaluations() + file.evaluations();
    let is_wanted = if is_interrupted { file.is_worth_saving() } else { file.is_due() };
    if !is_wanted || trial.log().is_some_and(|log| log.pays()) {
        return Ok(());
    }
    search.settle(trial)?;
    let mut snapshot = Snapshot::take();
    trial.save_or_restore(&mut snapshot);
    search.save_or_restore(&mut snapshot);
    match snapshot.into_bytes() {
        Some(bytes) => {
            file.write(trial.evaluations(), &bytes);
            trial.give_up_log();
        }
        None => trial.look_at = u64::MAX,
    }
    Ok(())
}

/// Begins a trial, and reads a snapshot of it. Returns whether the snapshot is sound; otherwise the
/// trial is to be made anew.
fn read<S: Search>(search: &mut S, trial: &mut Trial<'_, S::Gene>, snapshot: &[u8]) -> bool {
    let mut snapshot = Snapshot::read(snapshot);
    let has_begun = search.start(trial).is_ok();
    trial.save_or_restore(&mut snapshot);
    search.save_or_restore(&mut snapshot);
    has_begun && snapshot.is_whole()
}

impl<S: Search> TrialExecutor for Executor<'_, S> {
    fn run_watched(
        &mut self,
        seeds: Seeds,
        interrupt: &Interrupt,
        watcher: Option<&mut dyn Watcher>,
    ) -> Option<TrialRecord> {
        let spent = self.spent();
        let Executor { arm, evaluator, search, snapshots } = self;
        let mut file = snapshots.take();
        let mut bytes = file.as_mut().and_then(|file| file.snapshot());
        let (mut trial, is_read) = loop {
            let mut trial = Trial::new(*arm, evaluator, seeds, interrupt, spent);
            trial.is_watched = watcher.is_some();
            let is_read = bytes.as_ref().is_some_and(|bytes| read(search, &mut trial, bytes));
            if is_read || bytes.take().is_none() {
                break (trial, is_read);
            }
        };
        let interval = file.as_ref().map_or(u64::MAX, |file| file.evaluations());
        trial.look_at = trial.evaluations().saturating_add(interval);
        let file = file.as_deref_mut();
        let outcome = run_search(search, &mut trial, watcher, file, is_read).transpose();
        search.finish();
        let outcome = outcome?;
        Some(trial.into_result(outcome))
    }

    fn keep_snapshots(&mut self, file: Box<dyn SnapshotFile>) {
        self.snapshots = Some(file);
    }

    fn use_spare(&mut self, workers: Arc<SpareWorkers>) {
        self.evaluator.use_spare(workers);
    }

    fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed) {
        self.evaluator.begin_log(log, speed);
    }

    fn spent(&self) -> Duration {
        let of_file = self.snapshots.as_ref().map_or(Duration::ZERO, |file| file.spent());
        of_file.max(self.evaluator.spent())
    }

    fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        self.evaluator.end_log()
    }
}

impl<'arm> Arm<'arm> {
    /// Returns an executor that runs this search.
    pub(super) fn run<S: Search + 'arm>(self, search: S) -> Box<dyn TrialExecutor + 'arm> {
        Box::new(Executor::new(self, search))
    }
}

/// Creates the executor of a search. The search is compiled for the listed kinds of genes, and for
/// no others.
macro_rules! executor_of {
    ($arm:expr, [$($kind:ident: $gene:ty),+], $search:ident::new $parts:tt) => {
        match $arm.problem.description().gene {
            $($crate::problem::GeneKind::$kind => $arm.run($search::<$gene>::new $parts),)+
            #[allow(unreachable_patterns, reason = "some searches are for all kinds")]
            other => unreachable!("the config checked that genes are not {other:?}"),
        }
    };
    ($arm:expr, all, $search:ident::new $parts:tt) => {
        $crate::search::executor::executor_of!(
            $arm, [U8: u8, U16: u16, U32: u32, F64: f64], $search::new $parts
        )
    };
}
pub(super) use executor_of;
