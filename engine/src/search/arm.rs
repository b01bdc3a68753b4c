//! The arm of an executor: the problem, the parts of the operator set that trials need, and the
//! stop rules.

use super::duplicates::Duplicates;
use super::plugin_operators::PluginOperators;
use super::resampling::Resampling;
use super::restarts::Restarts;
use super::start::Start;
use super::stop::Stop;
use super::trace::Trace;
use crate::operators::Constraints;
use crate::problem::Problem;

/// Settings that the trials of an arm share.
#[derive(Clone, Copy)]
pub struct Arm<'arm> {
    /// The problem that is searched.
    pub problem: &'arm Problem,
    /// Rule that compares genomes; `None` if genomes are compared by fitness alone.
    pub constraints: Option<Constraints>,
    /// Operators of plugins other than the problem's.
    pub plugins: &'arm PluginOperators,
    /// Number of individuals in the first population.
    pub population: usize,
    /// Maximum number of anchors.
    pub anchors: u64,
    /// Rule that ends a run of the search; `None` if a trial is one run.
    pub restarts: Option<Restarts>,
    /// Rule by which genomes of a noisy problem are evaluated.
    pub resampling: Resampling,
    /// Rule for genomes that equal an earlier one of the trial.
    pub duplicates: Duplicates,
    /// Rules that end a trial.
    pub stop: &'arm Stop,
    /// Given genomes of the first population; `None` if all are drawn.
    pub start: Option<&'arm Start>,
    /// Data kept about the generations.
    pub trace: Trace,
    /// Whether the children of each generation are counted by operators, for the trace or for a
    /// watcher.
    pub counts_children: bool,
}
