//! The validated experiment: what a config means. Everything downstream trusts it.

use crate::problem::parameter::Value;
use crate::search::{OperatorSet, Start};
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::search::{OnSuccess, Stop, Trace};

/// Raised whenever the same trial would come out differently; part of every arm's fingerprint.
pub const ENGINE_REVISION: u32 = 4;

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
