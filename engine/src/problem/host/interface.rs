//! Interface that hosts implement.

use super::rows::{Rows, RowsMut};
use crate::problem::declared::Declared;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::parameter::Value;
use crate::problem::{Description, Format, GeneKind, MixedGene, PluginError};
use crate::system::guard::Call;
use std::any::Any;
use std::time::Duration;

/// Host that runs a plugin and creates its problems and operators.
pub(in crate::problem) trait Host: Send + Sync {
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

    /// Returns the result of [`Library::blocks`](crate::problem::Library::blocks).
    fn blocks(&self) -> Option<u64> {
        None
    }

    /// Does the same as [`Library::ask_row_by_row`](crate::problem::Library::ask_row_by_row).
    fn ask_row_by_row(&self, _is_on: bool) {}

    /// Returns the result of [`Library::is_silent`](crate::problem::Library::is_silent).
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
pub(in crate::problem) trait Variation: Send + Sync {
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
pub(in crate::problem) trait Instance: Variation + Any {
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

    /// Evaluates each row once. The numbers that row `i` draws follow from the seed and
    /// `first_row + i`.
    fn evaluate_noisy(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        rows: Rows<'_>,
        fitness: &mut [f64],
    ) -> Result<(), String>;

    fn is_valid(&self, rows: Rows<'_>, valid: &mut [u8]) -> Result<(), String>;

    /// Renders one row; `None` if the plugin lacks the format.
    fn render(&self, row: Rows<'_>, format: Format) -> Result<Option<String>, String>;

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String>;

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String>;
}

/// Operator of a plugin, created for a problem.
pub(in crate::problem) trait OperatorInstance: Variation {
    fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String>;

    /// Begins a search of an algorithm. All its random numbers follow from the seed.
    fn begin(&self, seed: &[u8; 32]) -> Result<Box<dyn SearchInstance + '_>, String>;
}

/// Search of a plugin's algorithm. It is asked and told in turn.
pub(in crate::problem) trait SearchInstance {
    /// Appends the genomes that the search asks for, at most `capacity`. No genome means that the
    /// search has come to its end.
    fn ask(&mut self, capacity: usize, genomes: &mut Vec<u8>) -> Result<(), String>;

    /// Tells the search the scores of all genomes of the last ask.
    fn tell(
        &mut self,
        genomes: Rows<'_>,
        fitness: &[f64],
        violations: Option<&[f64]>,
    ) -> Result<(), String>;

    /// Returns the state of the search; `None` if it has none that can be written.
    fn state(&mut self) -> Result<Option<Vec<u8>>, String>;

    /// Gives the search, which has just begun, the state of another.
    fn restore(&mut self, state: &[u8]) -> Result<(), String>;
}

/// Returns the number of genomes that a search asks for.
pub(in crate::problem) fn check_asked(rows: u64, capacity: usize) -> Result<usize, String> {
    match usize::try_from(rows) {
        Ok(rows) if rows <= capacity => Ok(rows),
        _ => Err(format!("it asked for {rows} genomes, but may ask for {capacity} at most")),
    }
}

/// Description of an instance as the plugin states it. It is copied and checked only as far as
/// calls require.
#[derive(Clone)]
pub(in crate::problem) struct Described {
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
    /// Kinds of moves besides changes and exchanges, as bits of the plugin interface.
    pub move_kinds: u64,
    pub noise: u64,
    /// Kinds of the genes of a mixed genome; empty for other encodings.
    pub mixed: Vec<MixedGene>,
}

/// Opened plugin.
pub(in crate::problem) struct Opened {
    pub declared: Declared,
    pub host: Box<dyn Host>,
    /// BLAKE3 hash of the plugin's files; `None` if the plugin is a single file.
    pub hash: Option<blake3::Hash>,
}
