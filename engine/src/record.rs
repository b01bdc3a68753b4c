//! Records: what a finished trial leaves.

use crate::problem::Genome;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The best fitness reached the target.
    Solved,
    /// The budget of generations was spent.
    Generations,
    /// The budget of evaluations was spent.
    Evaluations,
    /// No improvement for as many generations as `stop.stagnation` allows; hill climbing without
    /// restarts is in a local optimum.
    Stagnated,
    /// Every genome of the space was evaluated.
    Exhausted,
    /// The plugin returned an error or broke its contract.
    Failed,
    /// `stop.trial-seconds` ran out.
    TimedOut,
    /// The worker process died.
    Crashed,
}

impl Outcome {
    /// Every outcome, in the order of the documentation.
    pub const ALL: [Outcome; 8] = [
        Outcome::Solved,
        Outcome::Generations,
        Outcome::Evaluations,
        Outcome::Stagnated,
        Outcome::Exhausted,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Crashed,
    ];

    /// The name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Solved => "solved",
            Outcome::Generations => "generations",
            Outcome::Evaluations => "evaluations",
            Outcome::Stagnated => "stagnated",
            Outcome::Exhausted => "exhausted",
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timed-out",
            Outcome::Crashed => "crashed",
        }
    }

    /// The outcome of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }

    /// Failed and crashed trials say nothing about the search: they are counted apart.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Crashed)
    }

    /// Failed, crashed and timed-out trials may come out otherwise once the plugin is mended or the
    /// machine has time: they can be run again.
    #[must_use]
    pub fn may_be_retried(self) -> bool {
        self.is_failure() || self == Outcome::TimedOut
    }

    /// A trial that ended so of itself, without a success: it would never have had one.
    #[must_use]
    pub fn is_stuck(self) -> bool {
        matches!(self, Outcome::Stagnated | Outcome::Exhausted)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Which trial it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialId {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm, from 0.
    pub trial: u64,
    /// Of the trial's own generator.
    pub seed: u64,
}

/// What a search comes to: follows from problem, settings and seeds alone.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialResult {
    /// How the trial ended.
    pub outcome: Outcome,
    /// Whether the best fitness reached the target. With `on-success = "continue"` a trial whose
    /// outcome is `generations` can be a success.
    pub success: bool,
    /// Fitness of the best genome: the least seen, of feasible genomes where there were some; none
    /// if the trial failed before its first evaluation.
    pub best_fitness: Option<f64>,
    /// Violation of the best genome, 0 if it is feasible; none if the problem has no constraints,
    /// or where there is no fitness.
    pub best_violation: Option<f64>,
    /// Generations completed; the initial population is generation 0.
    pub generations: u64,
    /// Fitness values computed.
    pub evaluations: u64,
    /// Fitness values computed up to and with the first that reached the target.
    pub evaluations_to_success: Option<u64>,
    /// Whether the best genome keeps the problem's rules; none if the plugin has none.
    pub valid: Option<bool>,
    /// The best genome; none if the trial failed before it had one.
    pub best: Option<Genome>,
    /// The plugin's one-line rendering of the best genome.
    pub best_text: Option<String>,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// Generations table, when the experiment asks for a trace.
    pub trace: Vec<TraceRow>,
    /// The genomes of the trace's rows, one after the other, when the trace has genomes.
    pub traced_genes: Option<Genome>,
    /// Every improvement of the best, when a trial is replayed to be looked at; in no table.
    pub improvements: Vec<Improvement>,
}

impl TrialResult {
    /// Of a trial that came to no result of its own: its process died, or was ended.
    #[must_use]
    pub fn lost(outcome: Outcome, error: String) -> Self {
        TrialResult {
            outcome,
            success: false,
            best_fitness: None,
            best_violation: None,
            generations: 0,
            evaluations: 0,
            evaluations_to_success: None,
            valid: None,
            best: None,
            best_text: None,
            error: Some(error),
            trace: Vec::new(),
            traced_genes: None,
            improvements: Vec::new(),
        }
    }
}

/// A finished trial: a [`TrialId`], its [`TrialResult`] and its timing, field by field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm, from 0.
    pub trial: u64,
    /// The trial's seed.
    pub seed: u64,
    /// How the trial ended.
    pub outcome: Outcome,
    /// Whether the best fitness reached the target.
    pub success: bool,
    /// Fitness of the best genome; none if the trial failed before it had one.
    pub best_fitness: Option<f64>,
    /// Its violation; none if the problem has no constraints.
    pub best_violation: Option<f64>,
    /// Generations run.
    pub generations: u64,
    /// Evaluations spent.
    pub evaluations: u64,
    /// Evaluations up to the success; none without it.
    pub evaluations_to_success: Option<u64>,
    /// Whether the best genome keeps the problem's rules; none if the plugin has none.
    pub valid: Option<bool>,
    /// The best genome.
    pub best: Option<Genome>,
    /// The plugin's one-line rendering of the best genome.
    pub best_text: Option<String>,
    /// Why a failed trial failed.
    pub error: Option<String>,
    /// Where and how long it ran.
    pub timing: Timing,
    /// What the generations table has of it.
    pub trace: Vec<TraceRow>,
    /// The genomes of the trace's rows, one after the other, when the trace has genomes.
    pub traced_genes: Option<Genome>,
    /// Genomes that were better than all before, for a replay.
    pub improvements: Vec<Improvement>,
}

impl TrialRecord {
    /// Puts its parts together.
    #[must_use]
    pub fn new(id: TrialId, result: TrialResult, timing: Timing) -> Self {
        let TrialId { arm, trial, seed } = id;
        TrialRecord {
            arm,
            trial,
            seed,
            outcome: result.outcome,
            success: result.success,
            best_fitness: result.best_fitness,
            best_violation: result.best_violation,
            generations: result.generations,
            evaluations: result.evaluations,
            evaluations_to_success: result.evaluations_to_success,
            valid: result.valid,
            best: result.best,
            best_text: result.best_text,
            error: result.error,
            timing,
            trace: result.trace,
            traced_genes: result.traced_genes,
            improvements: result.improvements,
        }
    }

    /// How it ended.
    #[must_use]
    pub fn end(&self) -> TrialEnd {
        let TrialRecord { outcome, generations, evaluations, .. } = *self;
        TrialEnd { outcome, generations, evaluations }
    }

    /// Which trial it is.
    #[must_use]
    pub fn id(&self) -> TrialId {
        TrialId { arm: self.arm, trial: self.trial, seed: self.seed }
    }

    /// Whether its best genome keeps the problem's constraints, or there are none.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.best_violation.unwrap_or(0.0) == 0.0
    }

    /// The fitness of the best feasible genome; none without one.
    #[must_use]
    pub fn feasible_fitness(&self) -> Option<f64> {
        self.best_fitness.filter(|_| self.is_feasible())
    }
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialEnd {
    /// What ended it.
    pub outcome: Outcome,
    /// Generations completed after the initial population.
    pub generations: u64,
    /// Genomes evaluated.
    pub evaluations: u64,
}

/// A genome that was better than all before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Generation that it was found in.
    pub generation: u64,
    /// Evaluations up to and with its own.
    pub evaluations: u64,
    /// Its fitness; lower is better.
    pub fitness: f64,
    /// Its violation; none if the problem has no constraints.
    pub violation: Option<f64>,
    /// Its genes.
    pub genome: Genome,
}

/// Where and how long a trial ran: the part of a record that depends on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Wall time, in seconds.
    pub seconds: f64,
    /// Number of the worker, from 0.
    pub worker: u32,
}

/// One row of the generations table: a generation's figures, or, when the whole population is
/// traced, one individual (`best`, `mean` and `worst` are then that individual's fitness).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// The generation, from 0.
    pub generation: u64,
    /// Evaluations spent up to the end of this generation.
    pub evaluations: u64,
    /// Lowest fitness of the generation.
    pub best: f64,
    /// Mean fitness of the generation.
    pub mean: f64,
    /// Highest fitness of the generation.
    pub worst: f64,
    /// Lowest fitness of the trial so far; with constraints, that of the best genome.
    pub best_so_far: f64,
    /// None if the problem has no constraints.
    pub violations: Option<ViolationTrace>,
}

impl TraceRow {
    /// The fitness of the best feasible genome of the trial so far; none without one.
    #[must_use]
    pub fn feasible_so_far(&self) -> Option<f64> {
        let feasible = self.violations.is_none_or(|violations| violations.best_so_far == 0.0);
        feasible.then_some(self.best_so_far)
    }
}

/// What a row of the generations table has besides, of a problem with constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViolationTrace {
    /// Violation of the generation's best genome, or of the individual.
    pub best: f64,
    /// Share of the generation's genomes that are feasible.
    pub feasible: f64,
    /// Violation of the best genome of the trial so far.
    pub best_so_far: f64,
}
