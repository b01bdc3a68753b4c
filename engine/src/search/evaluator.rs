//! Evaluator: computes the fitness of a generation's rows.

use super::anchors::{Anchors, Family};
use super::arm::Arm;
use super::batch::Batch;
use super::duplicates::Duplicates;
use super::evaluation_log::{EvaluationLog, Speed};
use super::known_rows::KnownRows;
use super::logged::SharedLog;
use super::noisy_rows::NoisyRows;
use super::population::Population;
use super::snapshot::Snapshot;
use super::spread::{Spread, evaluate_batch};
use super::variation::Lineage;
use crate::problem::{CallError, Gene, Problem};
use crate::system::spare_workers::SpareWorkers;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

/// Evaluator of rows: in full or incrementally from [anchors](super::anchors), with batches spread
/// over idle workers. The method is chosen once per arm. No algorithm and no result depends on it.
pub(super) struct Evaluator<G> {
    spread: Option<Spread>,
    anchors: Option<Anchors<G>>,
    /// Evaluator of noisy rows; `None` if the problem has no noise.
    pub noisy: Option<NoisyRows<G>>,
    /// Genomes with their fitness; `None` if duplicates are evaluated again.
    pub known: Option<KnownRows<G>>,
}

impl<G: Gene> Evaluator<G> {
    pub(super) fn new(arm: &Arm<'_>) -> Self {
        let anchors = Anchors::new(arm.problem, arm.anchors, arm.population);
        let remembers = arm.duplicates != Duplicates::Allow;
        Evaluator {
            spread: None,
            anchors,
            noisy: NoisyRows::of(arm.problem, arm.resampling),
            known: remembers.then(|| KnownRows::new(arm.problem)),
        }
    }

    /// Also spreads slow batches over these workers from now on.
    pub(super) fn use_spare(&mut self, workers: Arc<SpareWorkers>) {
        self.spread = Some(Spread::new(workers));
    }

    /// Keeps a log of the next trial's evaluations.
    pub(super) fn begin_log(&mut self, log: Box<dyn EvaluationLog>, speed: Speed) {
        self.spread.get_or_insert_with(|| Spread::new(Arc::default())).begin_log(log, speed);
    }

    /// Ends the log and returns it, unless it was given up.
    pub(super) fn end_log(&mut self) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        self.spread.as_ref()?.end_log()
    }

    /// Writes or reads what later evaluations depend on.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        if let Some(known) = &mut self.known {
            known.save_or_restore(snapshot);
        }
    }

    /// Returns the time that the trial took before it was interrupted.
    pub(super) fn spent(&self) -> Duration {
        self.spread.as_ref().map_or(Duration::ZERO, Spread::spent)
    }

    /// Returns the log of the trial; `None` if none is kept.
    pub(super) fn log(&self) -> Option<SharedLog> {
        self.spread.as_ref()?.log()
    }

    /// Clears the state of the previous trial; `population` is the first of the new trial.
    pub(super) fn begin(&mut self, population: &mut Population<G>) {
        if let Some(anchors) = &mut self.anchors {
            anchors.forget(population);
        }
    }

    /// Evaluates the first rows of a population. `first` is the number of the trial's evaluations
    /// so far.
    #[inline]
    pub(super) fn evaluate(
        &mut self,
        problem: &Problem,
        population: &mut Population<G>,
        rows: usize,
        first: u64,
    ) -> Result<(), CallError> {
        if let Some(noisy) = &mut self.noisy {
            return noisy.evaluate(problem, self.spread.as_ref(), (population, rows), first);
        }
        if let Some(known) = &mut self.known {
            return known.evaluate(problem, self.spread.as_ref(), (population, rows));
        }
        evaluate_batch(problem, self.spread.as_ref(), &mut Batch::first(population, rows))
    }

    /// Evaluates the first rows of a population anew, if the problem is noisy. What the rows are
    /// judged by stays as it was.
    pub(super) fn evaluate_anew(
        &mut self,
        problem: &Problem,
        population: &mut Population<G>,
        rows: usize,
        first: u64,
    ) -> Result<(), CallError> {
        let Some(noisy) = &mut self.noisy else { return Ok(()) };
        noisy.evaluate_anew(problem, self.spread.as_ref(), (population, rows), first)
    }

    /// Evaluates the first rows of `children`, which were bred from `parents`.
    #[inline]
    pub(super) fn evaluate_children(
        &mut self,
        problem: &Problem,
        (parents, lineage): (&mut Population<G>, Lineage<'_>),
        children: &mut Population<G>,
        rows: usize,
        first: u64,
    ) -> Result<(), CallError> {
        let Some(anchors) = &mut self.anchors else {
            return self.evaluate(problem, children, rows, first);
        };
        let mut origins = take(&mut children.origins);
        origins.resize(children.rows(), 0);
        let family = Family { population: parents, lineage, origins: &mut origins };
        let mut batch = Batch::first(children, rows);
        let evaluated = anchors.evaluate(problem, family, &mut batch, self.spread.as_ref());
        children.origins = origins;
        evaluated
    }
}
