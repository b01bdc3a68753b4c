//! What one slot's operator means for another: weights for a selection, rates under a mix.

use super::crossover::{Crossover, CrossoverKind};
use super::mutation::{Mutation, MutationKind};
use super::registry::Entry;
use super::scaling::Scaling;
use super::selection::Selection;
use super::values::{Complaint, Context, Make, Values};
use crate::problem::section::Section;

/// The selection, where the scaling gives what it draws by.
///
/// # Errors
/// The selection's own; a wheel without weights.
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

/// The crossover. Under a mix its rate is 1 and no setting.
///
/// # Errors
/// The crossover's own.
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

/// The mutation. Under a mix, or where it makes every proposal, its rate is 1 and no setting.
///
/// # Errors
/// The mutation's own.
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
