//! The plan: an experiment's arms with their problem instances and fingerprints, and the trials of each.

use crate::experiment::{ArmSettings, Source, Trace};
use crate::problem::{Library, Problem};
use std::sync::Arc;

pub use crate::fingerprint::{ArmId, Fingerprint};

/// One arm, ready to run.
#[derive(Debug)]
pub struct Arm {
    /// Place in the plan, from 0.
    pub index: usize,
    /// Readable and unique within the plan: the operator set's name, then the swept values ("tournament problem.n=8").
    pub label: String,
    pub fingerprint: Fingerprint,
    pub settings: ArmSettings,
    pub problem: Arc<Problem>,
    /// The resolved arm as TOML, every default written out.
    pub toml: String,
}

impl Arm {
    #[must_use]
    pub fn id(&self) -> ArmId {
        self.fingerprint.id()
    }
}

/// All that will be run for one experiment file.
#[derive(Debug)]
pub struct Plan {
    /// The experiment's name: the folder under the results directory.
    pub name: String,
    pub seed: u64,
    /// Trials an arm; at least 1.
    pub repeats: u64,
    pub trace: Trace,
    /// Keys of `[sweep]` in the order of the file, for example `problem.n`; a column each in the tables.
    pub swept_keys: Vec<String>,
    /// In the order of the file: operator sets outermost, then the sweep's combinations, the last key fastest.
    /// No two have the same fingerprint or label.
    pub arms: Vec<Arm>,
    pub library: Arc<Library>,
    pub source: Source,
}
