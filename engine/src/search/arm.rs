//! The arm of an executor: the problem, what its trials need to know of the operator set, and the
//! stop rules.

use super::plugin_operators::PluginOperators;
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
    /// The rule that compares genomes; `None`: by fitness alone.
    pub constraints: Option<Constraints>,
    /// Operators of plugins other than the problem's.
    pub plugins: &'arm PluginOperators,
    /// Individuals of the first population.
    pub population: usize,
    /// Maximum number of anchors.
    pub anchors: u64,
    /// Rules that end a trial.
    pub stop: &'arm Stop,
    /// Given genomes of the first population; `None`: all are drawn.
    pub start: Option<&'arm Start>,
    /// What is kept of the generations.
    pub trace: Trace,
}
