//! Construction of operators whose settings depend on another slot: selections that need weights,
//! and rates under a mix.

use super::crossover::{Crossover, CrossoverKind};
use super::mutation::{Mutation, MutationKind};
use super::registry::Entry;
use super::scaling::Scaling;
use super::selection::Selection;
use super::values::{Complaint, Context, Make, Values};
use crate::problem::section::Section;

/// Builds the selection and checks that the scaling provides the weights it needs.
///
/// # Errors
/// Returns the selection's own error, or an error if the selection needs weights and there is no
/// scaling.
pub fn selection(
    entry: &Entry<Make<Selection>>,
    values: Values,
    scaling: Scaling,
    context: Context<'_>,
) -> Result<(Selection, Section), Complaint> {
    let (selection, section) = entry.build(values, context)?;
    if selection.uses_weights() && scaling == Scaling::None {
        let message = format!(
            "`{}` draws in proportion to weight, and the operator set has no scaling",
            entry.operator.name
        );
        let help = "add one, such as scaling = \"rank\", or choose a selection that compares \
            fitness, such as \"tournament\"";
        return Err(Complaint::new(message, help));
    }
    Ok((selection, section))
}

/// Builds the crossover. Under a mix, its rate is 1 and is not a setting.
///
/// # Errors
/// Returns the crossover's own error.
pub fn crossover(
    entry: &Entry<Make<CrossoverKind>>,
    mut values: Values,
    mixed: bool,
    context: Context<'_>,
) -> Result<(Crossover, Section), Complaint> {
    let (rate, children) = (rate(&mut values, mixed), values.count("children"));
    let (kind, section) = entry.build(values, context)?;
    Ok((Crossover { kind, rate, children }, section))
}

/// Builds the mutation. If `mixed` is true, its rate is 1 and is not a setting. `mixed` is true
/// under a mix, and in algorithms that mutate in every step.
///
/// # Errors
/// Returns the mutation's own error.
pub fn mutation(
    entry: &Entry<Make<MutationKind>>,
    mut values: Values,
    mixed: bool,
    context: Context<'_>,
) -> Result<(Mutation, Section), Complaint> {
    let rate = rate(&mut values, mixed);
    let (kind, section) = entry.build(values, context)?;
    Ok((Mutation { kind, rate }, section))
}

fn rate(values: &mut Values, mixed: bool) -> f64 {
    let rate = values.real("rate");
    if !mixed {
        return rate;
    }
    values.leave_out("rate");
    1.0
}
