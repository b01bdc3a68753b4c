//! Records of finished trials.

use crate::problem::Genome;
use crate::system::guard::Reached;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason why a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The best fitness reached the target.
    Solved,
    /// The budget of generations was spent.
    Generations,
    /// The budget of evaluations was spent.
    Evaluations,
    /// No improvement within the number of generations that `stop.stagnation` allows. Also the
    /// outcome of hill climbing without restarts that is in a local optimum.
    Stagnated,
    /// Every genome of the space was evaluated.
    Exhausted,
    /// The plugin returned an error or broke its contract.
    Failed,
    /// `stop.trial-seconds` ran out.
    TimedOut,
    /// The worker process died.
    Crashed,
    /// The diversity of the population fell to `stop.diversity`.
    Converged,
}

impl Outcome {
    /// All outcomes, in the order of the documentation.
    pub const ALL: [Outcome; 9] = [
        Outcome::Solved,
        Outcome::Generations,
        Outcome::Evaluations,
        Outcome::Stagnated,
        Outcome::Converged,
        Outcome::Exhausted,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Crashed,
    ];

    /// Returns the name in the tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Solved => "solved",
            Outcome::Generations => "generations",
            Outcome::Evaluations => "evaluations",
            Outcome::Stagnated => "stagnated",
            Outcome::Converged => "converged",
            Outcome::Exhausted => "exhausted",
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timed-out",
            Outcome::Crashed => "crashed",
        }
    }

    /// Returns the outcome with this name; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }

    /// Returns whether the trial failed or crashed. Such trials say nothing about the search, so
    /// they are counted separately.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Crashed)
    }

    /// Returns whether the trial can be run again. A failed, crashed or timed-out trial can end
    /// differently once the plugin is fixed or the machine has time.
    #[must_use]
    pub fn may_be_retried(self) -> bool {
        self.is_failure() || self == Outcome::TimedOut
    }

    /// Returns whether the trial ended on its own without success and could never have succeeded.
    #[must_use]
    pub fn is_stuck(self) -> bool {
        matches!(self, Outcome::Stagnated | Outcome::Converged | Outcome::Exhausted)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Arm, number and seed of a trial, which identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialId {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm, from 0.
    pub trial: u64,
    /// Seed of the trial's own generator.
    pub seed: u64,
}

/// A finished trial. A search knows its result alone, which depends on the problem, the settings
/// and the seeds: [`TrialRecord::with_id`] adds the identity and the timing, which are 0 before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm, from 0.
    pub trial: u64,
    /// The trial's seed.
    pub seed: u64,
    /// Reason why the trial ended.
    pub outcome: Outcome,
    /// Whether the best fitness reached the target. With `on-success = "continue"` a trial whose
    /// outcome is `generations` can be a success.
    pub success: bool,
    /// Fitness of the best genome: the lowest fitness seen, among feasible genomes if there were
    /// any. `None` if the trial failed before its first evaluation.
    pub best_fitness: Option<f64>,
    /// Violation of the best genome; 0 if it is feasible. `None` if the problem has no constraints,
    /// or if there is no fitness.
    pub best_violation: Option<f64>,
    /// Number of generations completed after the initial population, which is generation 0.
    pub generations: u64,
    /// Number of fitness values that the search asked for.
    pub evaluations: u64,
    /// Number of fitness values computed up to and including the first that reached the target.
    /// `None` without success.
    pub evaluations_to_success: Option<u64>,
    /// Whether the best genome satisfies the problem's rules; `None` if the plugin cannot check
    /// them.
    pub valid: Option<bool>,
    /// The best genome; `None` if the trial failed before it had one.
    pub best: Option<Genome>,
    /// The plugin's one-line rendering of the best genome.
    pub best_text: Option<String>,
    /// Error message of a trial that failed or was lost.
    pub error: Option<String>,
    /// Wall time and worker of the trial.
    pub timing: Timing,
    /// Rows of the generations table, if the experiment asks for a trace.
    pub trace: Vec<TraceRow>,
    /// Genomes of the trace's rows, one after the other; `None` if the trace has no genomes.
    pub traced_genes: Option<Genome>,
    /// All improvements of the best genome, if a trial is replayed for inspection. No table
    /// contains them.
    pub improvements: Vec<Improvement>,
    /// Number of fitness values computed after the last improvement of the best genome. `None` if
    /// there is no best genome, or if the version of the runner did not count them.
    pub evaluations_after_best: Option<u64>,
    /// Standard error of the best fitness; `None` unless it is the mean of several noisy
    /// evaluations.
    pub best_error: Option<f64>,
    /// Number of evaluations that were known from an earlier one of the same genome; `None` if each
    /// was computed.
    pub evaluations_saved: Option<u64>,
    /// Children of each generation of the trace, by operators; empty unless the trace counts them.
    /// This field and the three before are the last, because journals of earlier versions lack
    /// them.
    pub operator_counts: Vec<OperatorCounts>,
}

impl TrialRecord {
    /// Returns the result of a trial that produced none itself, because its process died or was
    /// ended.
    #[must_use]
    pub fn lost(outcome: Outcome, error: String) -> Self {
        TrialRecord {
            arm: 0,
            trial: 0,
            seed: 0,
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
            timing: Timing::default(),
            trace: Vec::new(),
            traced_genes: None,
            improvements: Vec::new(),
            evaluations_after_best: None,
            best_error: None,
            evaluations_saved: None,
            operator_counts: Vec::new(),
        }
    }

    /// Returns the record with the figures that its trial had reached. The best genome remains
    /// unknown. `has_violations` states whether the problem has constraints.
    #[must_use]
    pub fn with_reached(self, reached: &Reached, has_violations: bool) -> Self {
        let Reached { generations, evaluations, evaluations_to_success, best } = *reached;
        TrialRecord {
            success: evaluations_to_success.is_some(),
            best_fitness: best.map(|best| best.fitness),
            best_violation: best.filter(|_| has_violations).map(|best| best.violation),
            generations,
            evaluations,
            evaluations_to_success,
            evaluations_after_best: best.map(|best| evaluations.saturating_sub(best.evaluations)),
            ..self
        }
    }

    /// Returns the record with the trial's identity and timing.
    #[must_use]
    pub fn with_id(self, id: TrialId, timing: Timing) -> Self {
        let TrialId { arm, trial, seed } = id;
        TrialRecord { arm, trial, seed, timing, ..self }
    }

    /// Returns the record without its timing, its trace and its improvements, as the trials table
    /// has it.
    #[must_use]
    pub fn without_trace(self) -> Self {
        TrialRecord {
            timing: Timing::default(),
            trace: Vec::new(),
            traced_genes: None,
            improvements: Vec::new(),
            operator_counts: Vec::new(),
            ..self
        }
    }

    /// Returns the outcome of the trial, with its generations and evaluations.
    #[must_use]
    pub fn end(&self) -> TrialEnd {
        let TrialRecord { outcome, generations, evaluations, .. } = *self;
        TrialEnd { outcome, generations, evaluations }
    }

    /// Returns the arm, the number and the seed of the trial.
    #[must_use]
    pub fn id(&self) -> TrialId {
        TrialId { arm: self.arm, trial: self.trial, seed: self.seed }
    }

    /// Returns whether the best genome satisfies the problem's constraints; true if there are none.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.best_violation.unwrap_or(0.0) == 0.0
    }

    /// Returns the fitness of the best feasible genome; `None` if there is no such genome.
    #[must_use]
    pub fn feasible_fitness(&self) -> Option<f64> {
        self.best_fitness.filter(|_| self.is_feasible())
    }
}

/// Outcome of a trial, with its generations and evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialEnd {
    /// Reason why the trial ended.
    pub outcome: Outcome,
    /// Number of generations completed after the initial population.
    pub generations: u64,
    /// Number of genomes evaluated.
    pub evaluations: u64,
}

/// A genome that was better than all earlier genomes of the trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Generation in which the genome was found.
    pub generation: u64,
    /// Number of evaluations up to and including that of the genome.
    pub evaluations: u64,
    /// Fitness of the genome; lower is better.
    pub fitness: f64,
    /// Violation of the genome; `None` if the problem has no constraints.
    pub violation: Option<f64>,
    /// Genes of the genome.
    pub genome: Genome,
}

/// Wall time and worker of a trial: the part of a record that depends on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Wall time, in seconds.
    pub seconds: f64,
    /// Number of the worker, from 0.
    pub worker: u32,
}

/// One row of the generations table, with the figures of one generation. If the whole population is
/// traced, each row is one individual. `best`, `mean` and `worst` are then that individual's
/// fitness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// Number of the generation, from 0.
    pub generation: u64,
    /// Number of evaluations up to the end of this generation.
    pub evaluations: u64,
    /// Lowest fitness of the generation.
    pub best: f64,
    /// Mean fitness of the generation.
    pub mean: f64,
    /// Highest fitness of the generation.
    pub worst: f64,
    /// Lowest fitness of the trial so far; with constraints, the fitness of the best genome.
    pub best_so_far: f64,
    /// Figures about violations; `None` if the problem has no constraints.
    pub violations: Option<ViolationTrace>,
}

impl TraceRow {
    /// Returns the fitness of the best feasible genome of the trial so far; `None` if there is no
    /// such genome.
    #[must_use]
    pub fn feasible_so_far(&self) -> Option<f64> {
        let feasible = self.violations.is_none_or(|violations| violations.best_so_far == 0.0);
        feasible.then_some(self.best_so_far)
    }
}

/// Numbers of a generation's children, by the operators that made them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorCounts {
    /// Children of crossover that are not mutated.
    pub crossed: Successes,
    /// Mutated copies of one parent.
    pub mutated: Successes,
    /// Children of crossover that are mutated.
    pub crossed_mutated: Successes,
    /// Copies that are not mutated, which cannot succeed.
    pub cloned: u64,
}

/// Number of children, and of those that are better than each of their parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Successes {
    /// Number of children.
    pub children: u64,
    /// Number of children that are better than each of their parents.
    pub better: u64,
}

impl Successes {
    #[inline]
    fn add(&mut self, other: Successes) {
        self.children += other.children;
        self.better += other.better;
    }
}

impl OperatorCounts {
    /// Adds a child.
    #[inline]
    pub(crate) fn add(&mut self, is_crossed: bool, is_mutated: bool, is_better: bool) {
        // Without branches, because which children are mutated and better cannot be predicted.
        let is_one = |is_kind: bool| Successes {
            children: u64::from(is_kind),
            better: u64::from(is_kind & is_better),
        };
        self.crossed.add(is_one(is_crossed & !is_mutated));
        self.mutated.add(is_one(!is_crossed & is_mutated));
        self.crossed_mutated.add(is_one(is_crossed & is_mutated));
        self.cloned += u64::from(!is_crossed & !is_mutated);
    }

    /// Adds the children of another generation.
    pub fn add_all(&mut self, other: Self) {
        let mut numbers = self.to_array();
        numbers.iter_mut().zip(other.to_array()).for_each(|(sum, number)| *sum += number);
        *self = OperatorCounts::from_array(numbers);
    }

    /// Returns the numbers in the order of the columns of the generations table.
    #[must_use]
    pub fn to_array(self) -> [u64; 7] {
        let OperatorCounts { crossed, mutated, crossed_mutated, cloned } = self;
        let [one, two, three] =
            [crossed, mutated, crossed_mutated].map(|kind| [kind.children, kind.better]);
        [one[0], one[1], two[0], two[1], three[0], three[1], cloned]
    }

    /// Returns the counts with these numbers, in the order of the columns of the generations table.
    #[must_use]
    pub fn from_array(numbers: [u64; 7]) -> Self {
        let [one, one_better, two, two_better, three, three_better, cloned] = numbers;
        let successes = |children, better| Successes { children, better };
        OperatorCounts {
            crossed: successes(one, one_better),
            mutated: successes(two, two_better),
            crossed_mutated: successes(three, three_better),
            cloned,
        }
    }
}

/// Additional figures of a row of the generations table, if the problem has constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViolationTrace {
    /// Violation of the generation's best genome, or of the individual.
    pub best: f64,
    /// Share of the generation's genomes that are feasible.
    pub feasible: f64,
    /// Violation of the best genome of the trial so far.
    pub best_so_far: f64,
}
