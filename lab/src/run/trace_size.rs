//! Maximum size of an experiment's trace, before anything runs.

use crate::plan::{Arm, BestType, Plan, ResultsSpec};
use crate::problem::MixedGene;
use crate::search::OF_TRACE_ROW;

/// Maximum size of the generations table, before compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceSize {
    /// Rows of all trials, at most.
    pub rows: u128,
    /// Bytes of these, before compression.
    pub bytes: u128,
}

/// Returns the maximum trace of all trials of a plan, in which each individual has a row. `None` if
/// nothing bounds it, or if no individuals are traced.
#[must_use]
pub fn trace_size(plan: &Plan) -> Option<TraceSize> {
    if !plan.trace.has_individuals() {
        return None;
    }
    // As the table has them: all integers take 4 bytes.
    let spec = ResultsSpec::from(plan);
    let gene: u128 = match spec.best {
        BestType::Integers => 4,
        BestType::Reals => 8,
    };
    // Seven numbers of children.
    let counts: u128 = if plan.trace.has_operators() { 7 * 8 } else { 0 };
    let mut size = TraceSize { rows: 0, bytes: 0 };
    for (place, Arm { settings, problem, .. }) in plan.arms.iter().enumerate() {
        let rows = settings.operators.most_trace_rows(&settings.stop)?;
        let rows = u128::from(rows).saturating_mul(plan.repeats.into());
        let genes = if plan.trace.has_genomes() { problem.description().genome_length } else { 0 };
        let named = spec.arms[place].genes.iter().filter(|_| genes > 0);
        let named: u128 = named.flat_map(|genes| genes.iter()).map(text_bytes).sum();
        let row = OF_TRACE_ROW + counts + gene * genes as u128 + named;
        size.rows = size.rows.saturating_add(rows);
        size.bytes = size.bytes.saturating_add(rows.saturating_mul(row));
    }
    Some(size)
}

/// Returns the maximum number of bytes of a gene as text: its length and itself.
fn text_bytes(gene: &MixedGene) -> u128 {
    /// Longest number: a sign, 17 digits, a point and leading zeros or an exponent.
    const NUMBER: usize = 25;
    4 + gene.words().iter().map(String::len).max().unwrap_or(NUMBER) as u128
}

/// Returns the arm whose trials can have the largest trace, and the bytes of one trace in memory.
/// `None` if the trace has no genomes or nothing bounds it.
#[must_use]
pub fn largest_trace(plan: &Plan) -> Option<(&Arm, u128)> {
    let of_arm = |arm: &'_ Arm| -> Option<u128> {
        let description = arm.problem.description();
        let rows = arm.settings.operators.most_trace_rows(&arm.settings.stop)?;
        let genome = description.genome_length as u128 * description.gene.size() as u128;
        Some(u128::from(rows).saturating_mul(OF_TRACE_ROW + genome))
    };
    let arms = plan.arms.iter().filter(|_| plan.trace.has_genomes());
    arms.filter_map(|arm| Some((arm, of_arm(arm)?))).max_by_key(|(_, bytes)| *bytes)
}
