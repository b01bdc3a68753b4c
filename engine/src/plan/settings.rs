//! The validated experiment: the meaning of a config. All later stages trust it.

use crate::problem::parameter::Value;
use crate::search::{OperatorSet, Start};
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::search::{OnSuccess, Stop, Trace};

/// Revision of the engine; part of every arm's fingerprint. It is raised whenever the same trial
/// would have a different result.
pub const ENGINE_REVISION: u32 = 4;

/// Whether arms share their random numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// Separate random numbers for every arm.
    #[default]
    Independent,
    /// Common random numbers (Law 2015, Simulation Modeling and Analysis, section 11.2). Trial k of
    /// every arm of one problem starts from the same initial population. Arms can then be compared
    /// in pairs.
    Common,
}

/// Resolved combination of settings, before its problem instance is made. Arms share equal parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSettings {
    /// Values of the plugin's parameters, in the plugin's order, defaults filled in but those of
    /// parameters that were added later.
    pub parameters: Arc<[(String, Value)]>,
    /// Algorithm and operators, with every parameter.
    pub operators: Arc<OperatorSet>,
    /// Conditions that end a trial.
    pub stop: Stop,
    /// Given genomes of the first population; `None` if all are drawn.
    pub start: Option<Start>,
    /// Values of the swept keys, in the order of `Plan::swept_keys`. `None` if the arm is a
    /// baseline that serves several values.
    pub swept: Vec<Option<Value>>,
}

/// Origin of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The config file, as the user named it.
    pub path: PathBuf,
    /// Text of the config file, as read.
    pub text: String,
    /// Overrides of the config, such as `--set`, as given.
    pub overrides: Vec<String>,
}
