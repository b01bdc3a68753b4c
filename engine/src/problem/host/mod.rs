//! Hosts: the ways in which plugins are run, and what the rest of this room asks of each. A host is
//! one file of this folder and its place in [`HOSTS`].

mod library;
mod linked;
#[cfg(unix)]
mod program;
mod rows;

pub(super) use linked::linked;
pub(super) use rows::{Rows, RowsMut};

use super::boundary::{self, Declared};
use super::operator::DeclaredOperator;
use super::{Description, Format, GeneKind, Permitted, PluginError};
use crate::problem::parameter::Value;
use crate::system::guard::Call;
use std::time::Duration;

/// Runs a plugin: makes its problems and its operators.
pub(super) trait Host: Send + Sync {
    /// Makes and describes an instance of the problem, of checked values.
    fn create(
        &self,
        plugin: &Declared,
        values: &[Value],
    ) -> Result<(Box<dyn Instance>, Described), PluginError>;

    /// Makes the operator of this place, of checked values, for a problem; fails in the plugin's
    /// words.
    fn create_operator(
        &self,
        declared: &DeclaredOperator,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<Box<dyn OperatorInstance>, String>;

    /// Whether the plugin runs in processes of its own.
    fn is_program(&self) -> bool {
        false
    }

    /// As [`Library::wants_partners`](super::Library::wants_partners).
    fn wants_partners(&self, _idle_cores: f64) -> bool {
        false
    }

    /// As [`Library::blocks`](super::Library::blocks).
    fn blocks(&self) -> Option<u64> {
        None
    }

    /// As [`Library::is_silent`](super::Library::is_silent).
    fn is_silent(&self, _patience: Duration) -> Result<(), String> {
        Ok(())
    }
}

/// What problems and operators of plugins both do with genomes. All methods of instances pass whole
/// batches and fail in the plugin's words; they do not judge the answer.
///
/// # Panics
/// If rows are not whole, not of the instance's kind of gene, or not as many as the numbers beside
/// them: a caller's bug.
pub(super) trait Variation: Send + Sync {
    fn crossover(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        parents: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String>;

    fn mutate(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String>;
}

/// An instance of a plugin's problem.
pub(super) trait Instance: Variation {
    /// Whether the plugin offers this optional call.
    fn has(&self, call: Call) -> bool;

    fn sample(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String>;

    fn evaluate(&self, rows: Rows<'_>, fitness: &mut [f64]) -> Result<(), String>;

    fn evaluate_constrained(
        &self,
        rows: Rows<'_>,
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String>;

    fn is_valid(&self, rows: Rows<'_>, valid: &mut [u8]) -> Result<(), String>;

    /// Renders one row; none where the plugin has no such format.
    fn render(&self, row: Rows<'_>, format: Format) -> Result<Option<String>, String>;

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String>;

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String>;

    /// The calls of moves, which only libraries have: they are too short for anything between.
    fn moves(&self) -> Option<&boundary::Instance> {
        None
    }
}

/// A plugin's operator that was made for a problem.
pub(super) trait OperatorInstance: Variation {
    fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String>;
}

/// What a plugin said of an instance, copied but not yet judged beyond what calls need.
#[derive(Clone)]
pub(super) struct Described {
    pub encoding: u32,
    pub gene: GeneKind,
    pub genome_length: usize,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub ideal: f64,
    pub worst: f64,
    pub space_size: u64,
    pub tolerance: f64,
    pub state_size: u64,
}

/// An opened plugin.
pub(super) struct Opened {
    pub declared: Declared,
    pub host: Box<dyn Host>,
    /// BLAKE3 of the plugin's files; none: it is the one file.
    pub hash: Option<blake3::Hash>,
}

/// Opens the plugin of a file; none: the file is not for this host.
type Open = fn(&Permitted) -> Option<Result<Opened, PluginError>>;

/// The hosts, in the order in which they are asked.
const HOSTS: &[Open] = &[
    library::open,
    #[cfg(unix)]
    program::open,
];

/// Opens a plugin with the first host that its file is for.
pub(super) fn open(permitted: &Permitted) -> Result<Opened, PluginError> {
    HOSTS.iter().find_map(|open| open(permitted)).unwrap_or_else(|| {
        let message = "problems that are programs need a Unix system".to_owned();
        Err(PluginError::Program { path: permitted.path.clone(), message })
    })
}
