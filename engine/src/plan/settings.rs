//! The validated experiment: what a config means. Everything downstream trusts it.

use super::start::Start;
use crate::operators::OperatorSet;
use crate::problem::parameter::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Raised whenever the same trial would come out differently; part of every arm's fingerprint.
pub const ENGINE_REVISION: u32 = 4;

/// When a trial ends, whichever comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Success is a best fitness at or below this, or, where this is the problem's ideal, within
    /// its tolerance. None: the problem states no ideal and the config no target, so no trial
    /// succeeds.
    pub target: Option<f64>,
    /// Generations after the initial population.
    pub generations: Option<u64>,
    /// Fitness values; never exceeded: the last generation is cut short.
    pub evaluations: Option<u64>,
    /// Generations without improvement of the best fitness so far.
    pub stagnation: Option<u64>,
    /// Seconds of wall time.
    pub trial_seconds: Option<f64>,
    /// Whether the trial goes on once it reached the target.
    pub on_success: OnSuccess,
    /// Whether the seeds do not follow from the budget, so that trials that ended before it are
    /// those of another budget too.
    pub keep_ended: bool,
}

impl Stop {
    /// Whether nothing but the clock ends a trial that does not succeed.
    #[must_use]
    pub fn is_by_time_alone(&self) -> bool {
        let counted = [self.generations, self.evaluations, self.stagnation];
        self.trial_seconds.is_some() && counted.iter().all(Option::is_none)
    }

    /// How long a trial may take. None: there is no limit, or one beyond what a clock can hold.
    #[must_use]
    pub fn time_limit(&self) -> Option<Duration> {
        self.trial_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// What a trial does when it reaches the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSuccess {
    /// The trial ends.
    Stop,
    /// Run to the budget all the same (fixed-budget studies).
    Continue,
}

/// What the generations table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing; the table is not written.
    None,
    /// One row per generation: best, mean, worst.
    Best,
    /// One row an individual.
    Population,
    /// As `Population`, with the individual's genome.
    Genomes,
    /// As `Best`, and every improvement with its genome: for a trial that is replayed. No config
    /// asks for it.
    Improvements,
}

impl Trace {
    /// Those that a config can ask for.
    pub const ALL: [Trace; 4] = [Trace::None, Trace::Best, Trace::Population, Trace::Genomes];

    /// The one of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trace| trace.as_str() == name)
    }

    /// Whether each row is about an individual, and not a whole generation.
    #[must_use]
    pub fn has_individuals(self) -> bool {
        matches!(self, Trace::Population | Trace::Genomes)
    }

    /// Its word in configs and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trace::None => "none",
            Trace::Best => "best",
            Trace::Population => "population",
            Trace::Genomes => "genomes",
            Trace::Improvements => "improvements",
        }
    }
}

/// Whether arms share their random numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// Every arm draws its own.
    #[default]
    Independent,
    /// Trial k of every arm of one problem starts from the same initial population (common random
    /// numbers; Law 2015, Simulation Modeling and Analysis, section 11.2): arms can be compared in
    /// pairs.
    Common,
}

/// One resolved combination of settings, before its problem instance is made. Arms share what they
/// have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSettings {
    /// Values of the plugin's parameters, in the plugin's order, defaults filled in.
    pub parameters: Arc<[(String, Value)]>,
    /// Algorithm and operators, with every parameter.
    pub operators: Arc<OperatorSet>,
    /// What ends a trial.
    pub stop: Stop,
    /// Given genomes of the first population; none: all are drawn.
    pub start: Option<Start>,
    /// Values of the swept keys, in the order of `Experiment::swept_keys`.
    /// None: the arm is a baseline that serves several values.
    pub swept: Vec<Option<Value>>,
}

/// Where an experiment came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The config file, as the user named it.
    pub path: PathBuf,
    /// Its text, as read.
    pub text: String,
    /// `--set` and the like, as given.
    pub overrides: Vec<String>,
}
