//! Calling the functions of a plugin's operator.

use super::call::{call, raw_value, with_aligned, with_aligned_mut};
use super::operator_table::{OperatorCalls, code};
use crate::problem::operator::DeclaredOperator;
use crate::problem::parameter::Value;
use crate::problem::{Bounds, Description, Gene, GeneKind};
use crate::system::guard::{self, Call};
use runner_plugin::abi::{self, runner_description, runner_value};
use std::ffi::c_void;

/// An operator that was made for a problem. Its methods pass whole rows, and do not judge the
/// answer.
pub(crate) struct OperatorInstance {
    calls: OperatorCalls,
    pointer: *mut c_void,
    gene: GeneKind,
    genome_length: usize,
}

// SAFETY: the header's rule 6: an instance is immutable and called from many threads at once.
unsafe impl Send for OperatorInstance {}
// SAFETY: as above.
unsafe impl Sync for OperatorInstance {}

impl OperatorInstance {
    /// Makes an operator of checked values for a problem; fails in the plugin's words.
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
        let (low, high) = match &problem.bounds {
            Bounds::None => (Vec::new(), Vec::new()),
            Bounds::Uniform { low, high } => (vec![*low], vec![*high]),
            Bounds::PerGene { low, high } => (low.clone(), high.clone()),
        };
        let described = described(problem, &low, &high);
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the header's `create`: as many values as parameters and a description, which live
        // through the call.
        call(calls.plugin, Call::Create, |error| unsafe {
            let (values, count) = (raw.as_ptr(), raw.len() as u64);
            (calls.create)(values, count, &raw const described, &raw mut pointer, error)
        })?;
        let Description { gene, genome_length, .. } = *problem;
        Ok(OperatorInstance { calls: *calls, pointer, gene, genome_length })
    }

    /// Rows in `genes`. The asserts make the calls below sound.
    fn rows<G: Gene>(&self, genes: &[G]) -> u64 {
        assert_eq!(G::KIND, self.gene, "a caller's bug: the genes are not of the problem's kind");
        assert_eq!(genes.len() % self.genome_length, 0, "a caller's bug: no whole rows");
        (genes.len() / self.genome_length) as u64
    }

    pub(crate) fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String> {
        let select = self.calls.select.ok_or("the plugin has none")?;
        let rows = fitness.len();
        assert!(violations.is_none_or(|all| all.len() == rows), "a caller's bug: one a row");
        let violations = violations.map_or(std::ptr::null(), <[f64]>::as_ptr);
        // SAFETY: a live instance, a number a row twice or null, and room for the parents.
        call(self.calls.plugin, Call::Select, |error| unsafe {
            select(
                self.pointer,
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

    pub(crate) fn mutate<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        let mutate = self.calls.mutate.ok_or("the plugin has none")?;
        let rows = self.rows(genes);
        with_aligned_mut(genes, |genes| {
            let genes = genes.as_mut_ptr().cast();
            // SAFETY: a live instance and `rows` genomes of its kind, aligned and exclusive.
            call(self.calls.plugin, Call::Mutate, |error| unsafe {
                mutate(self.pointer, seed.as_ptr(), first_row, rows, genes, error)
            })
        })
    }

    pub(crate) fn crossover<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        first: &[G],
        second: &[G],
        children: &mut [G],
    ) -> Result<(), String> {
        let crossover = self.calls.crossover.ok_or("the plugin has none")?;
        let rows = self.rows(children);
        assert!(
            rows == self.rows(first) && rows == self.rows(second),
            "a caller's bug: two parents a child"
        );
        with_aligned(0, first, |first| {
            with_aligned(1, second, |second| {
                with_aligned_mut(children, |children| {
                    let (first, second) = (first.as_ptr().cast(), second.as_ptr().cast());
                    let (seed, children) = (seed.as_ptr(), children.as_mut_ptr().cast());
                    // SAFETY: a live instance and three times `rows` genomes of its kind, aligned,
                    // the last exclusive.
                    call(self.calls.plugin, Call::Crossover, |error| unsafe {
                        let instance = self.pointer;
                        crossover(instance, seed, first_row, rows, first, second, children, error)
                    })
                })
            })
        })
    }
}

/// The problem as the header describes one. It borrows the bounds.
fn described(problem: &Description, low: &[f64], high: &[f64]) -> runner_description {
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
    }
}

impl Drop for OperatorInstance {
    fn drop(&mut self) {
        guard::enter(self.calls.plugin, Call::Destroy);
        // SAFETY: `create` gave it, and this is the only place that gives it back.
        unsafe { (self.calls.destroy)(self.pointer) };
        super::environment::restore();
        guard::leave();
    }
}
