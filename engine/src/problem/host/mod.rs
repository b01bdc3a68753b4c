//! Hosts: the ways of running plugins, and the interface that they implement. A host is one file of
//! this folder and an entry in [`HOSTS`].

mod library;
mod linked;
#[cfg(unix)]
mod program;
mod rows;

pub(super) use linked::linked;
pub(super) use rows::{Rows, RowsMut};

use super::boundary::{self, Declared};
use super::declared_operator::DeclaredOperator;
use super::{Description, Format, GeneKind, Permitted, PluginError};
use crate::problem::parameter::Value;
use crate::system::guard::Call;
use std::time::Duration;

/// Host that runs a plugin and creates its problems and operators.
pub(super) trait Host: Send + Sync {
    /// Creates an instance of the problem from checked values and returns it with its description.
    fn create(
        &self,
        plugin: &Declared,
        values: &[Value],
    ) -> Result<(Box<dyn Instance>, Described), PluginError>;

    /// Creates the operator with this index from checked values for a problem. The error is the
    /// plugin's message.
    fn create_operator(
        &self,
        declared: &DeclaredOperator,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<Box<dyn OperatorInstance>, String>;

    /// Returns whether the plugin runs in separate processes.
    fn is_program(&self) -> bool {
        false
    }

    /// Returns the result of [`Library::blocks`](super::Library::blocks).
    fn blocks(&self) -> Option<u64> {
        None
    }

    /// Does the same as [`Library::ask_row_by_row`](super::Library::ask_row_by_row).
    fn ask_row_by_row(&self, _is_on: bool) {}

    /// Returns the result of [`Library::is_silent`](super::Library::is_silent).
    fn is_silent(&self, _patience: Duration) -> Result<(), String> {
        Ok(())
    }
}

/// Operations on genomes that problems and operators of plugins share. All methods of instances
/// pass whole batches, and their errors are the plugin's messages. They do not check the result.
///
/// # Panics
/// Panics if rows are not whole or not of the instance's kind of gene. Panics if the number of rows
/// differs from the length of the other slices. Each of these is a bug in the caller.
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

/// Instance of a plugin's problem.
pub(super) trait Instance: Variation {
    /// Returns whether the plugin provides this optional call.
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

    /// Renders one row; `None` if the plugin lacks the format.
    fn render(&self, row: Rows<'_>, format: Format) -> Result<Option<String>, String>;

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String>;

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String>;

    /// Returns the instance with the calls of moves. Only libraries have them, because these calls
    /// are too short for a pipe.
    fn moves(&self) -> Option<&boundary::Instance> {
        None
    }
}

/// Operator of a plugin, created for a problem.
pub(super) trait OperatorInstance: Variation {
    fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String>;
}

/// Description of an instance as the plugin states it. It is copied and checked only as far as
/// calls require.
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

/// Opened plugin.
pub(super) struct Opened {
    pub declared: Declared,
    pub host: Box<dyn Host>,
    /// BLAKE3 hash of the plugin's files; `None` if the plugin is a single file.
    pub hash: Option<blake3::Hash>,
}

/// Function that opens the plugin in a file; it returns `None` if the file is not for this host.
type Open = fn(&Permitted) -> Option<Result<Opened, PluginError>>;

/// Hosts, in the order in which they are tried.
const HOSTS: &[Open] = &[
    library::open,
    #[cfg(unix)]
    program::open,
];

/// Opens a plugin with the first host that supports its file.
pub(super) fn open(permitted: &Permitted) -> Result<Opened, PluginError> {
    HOSTS.iter().find_map(|open| open(permitted)).unwrap_or_else(|| {
        let message = "problems that are programs need a Unix system".to_owned();
        Err(PluginError::Program { path: permitted.path.clone(), message })
    })
}
