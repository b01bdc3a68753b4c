//! Calls the functions of a plugin's operator.

use super::handle::{Handle, call};
use super::instance::raw_value;
use super::mixed;
use super::operator_table::{OperatorCalls, code};
use super::search::Search;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::host::{
    OperatorInstance as HostOperator, Rows, RowsMut, SearchInstance, Variation,
};
use crate::problem::parameter::Value;
use crate::problem::{Description, GeneKind};
use crate::system::guard::Call;
use runner_plugin::abi::{self, runner_description, runner_gene, runner_text, runner_value};

/// Plugin operator, created for a problem.
pub(crate) struct OperatorInstance {
    calls: OperatorCalls,
    handle: Handle,
}

impl OperatorInstance {
    /// Creates an operator from checked values for a problem. The error is the plugin's message.
    pub(crate) fn create(
        declared: &DeclaredOperator,
        calls: &OperatorCalls,
        values: &[Value],
        problem: &Description,
    ) -> Result<Self, String> {
        let raw: Vec<runner_value> = declared
            .parameters
            .iter()
            .zip(values)
            .map(|(parameter, value)| raw_value(&parameter.kind, value))
            .collect();
        let (low, high) = problem.bounds.ends();
        let mixed = problem.bounds.mixed();
        let words: Vec<Vec<runner_text>> = mixed.iter().map(mixed::raw_words).collect();
        let genes: Vec<runner_gene> =
            mixed.iter().zip(&words).map(|(gene, words)| mixed::raw(gene, words)).collect();
        let described = described(problem, (&low, &high), &genes);
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the header's `create` gets one value per parameter and a description. All of them
        // outlive the call.
        call(calls.plugin, Call::Create, |error| unsafe {
            let (values, count) = (raw.as_ptr(), raw.len() as u64);
            (calls.create)(values, count, &raw const described, &raw mut pointer, error)
        })?;
        let Description { gene, genome_length, .. } = *problem;
        let (plugin, destroy) = (calls.plugin, calls.destroy);
        let handle = Handle { plugin, pointer, destroy, gene, genome_length };
        Ok(OperatorInstance { calls: *calls, handle })
    }
}

impl Variation for OperatorInstance {
    fn crossover(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        parents: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String> {
        let crossover = self.calls.crossover.ok_or("the plugin has none")?;
        self.handle.crossover(crossover, seed, first_row, parents, children)
    }

    fn mutate(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        let mutate = self.calls.mutate.ok_or("the plugin has none")?;
        self.handle.random(Call::Mutate, mutate, seed, first_row, rows)
    }
}

impl HostOperator for OperatorInstance {
    fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String> {
        let select = self.calls.select.ok_or("the plugin has none")?;
        let rows = fitness.len();
        assert!(violations.is_none_or(|all| all.len() == rows), "a caller's bug: one a row");
        parents.fill(u32::MAX);
        let violations = violations.map_or(std::ptr::null(), <[f64]>::as_ptr);
        // SAFETY: the instance is live. `fitness` has one number per row; so has `violations`
        // unless it is null. `parents` is writable in its full length.
        self.handle.call(Call::Select, |error| unsafe {
            select(
                self.handle.pointer,
                seed.as_ptr(),
                rows as u64,
                fitness.as_ptr(),
                violations,
                parents.len() as u64,
                parents.as_mut_ptr(),
                error,
            )
        })
    }

    fn begin(&self, seed: &[u8; 32]) -> Result<Box<dyn SearchInstance + '_>, String> {
        let search = self.calls.search.ok_or("the plugin has none")?;
        let (calls, pointer) = ((self.calls.plugin, search), self.handle.pointer);
        let genome = (self.handle.gene, self.handle.genome_length);
        // SAFETY: the instance lives as long as the borrow that the result keeps, and was created
        // for such genomes.
        Ok(Box::new(unsafe { Search::begin(calls, pointer, genome, seed) }?))
    }
}

/// Returns the problem in the header's format. It borrows the bounds and the genes.
fn described(
    problem: &Description,
    (low, high): (&[f64], &[f64]),
    genes: &[runner_gene],
) -> runner_description {
    runner_description {
        struct_size: size_of::<runner_description>() as u64,
        encoding: code(problem.encoding),
        gene: match problem.gene {
            GeneKind::U8 => abi::RUNNER_GENE_U8,
            GeneKind::U16 => abi::RUNNER_GENE_U16,
            GeneKind::U32 => abi::RUNNER_GENE_U32,
            GeneKind::F64 => abi::RUNNER_GENE_F64,
        },
        genome_length: problem.genome_length as u64,
        low: low.as_ptr(),
        high: high.as_ptr(),
        bound_count: low.len() as u64,
        ideal: problem.ideal.unwrap_or(f64::NAN),
        worst: problem.worst.unwrap_or(f64::NAN),
        space_size: 0,
        tolerance: problem.tolerance,
        state_size: 0,
        noise: abi::RUNNER_EXACT,
        genes: if genes.is_empty() { std::ptr::null() } else { genes.as_ptr() },
        gene_size: if genes.is_empty() { 0 } else { size_of::<runner_gene>() as u64 },
        move_kinds: 0,
    }
}
