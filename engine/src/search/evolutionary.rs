//! Settings of the evolutionary algorithm, whose slots hold operators.

use super::sharing::Sharing;
use crate::operators::{
    Crossover, Mix, Mutation, Replacement, Scaling, Schedule, Schedules, Selection, Unit,
};

/// Operators that turn one population into the next. Rates are probabilities, shares parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Number of individuals; at least 2, or 1 with mutation only and the replacement plus or
    /// comma.
    pub population: usize,
    /// Scaling from fitness to weights, for selections in proportion to weight.
    pub scaling: Scaling,
    /// Selection of parents.
    pub selection: Selection,
    /// Rule by which individuals that are alike share their weights; `None` if they keep them.
    pub sharing: Option<Sharing>,
    /// Shares of a mix, which applies exactly one operation per step. `None` if crossover and then
    /// mutation apply, each with its rate.
    pub mix: Option<Mix>,
    /// Crossover; `None` if children are copies of their parents.
    pub crossover: Option<Crossover>,
    /// Mutation; `None` if children are not mutated.
    pub mutation: Option<Mutation>,
    /// Selection of the next generation from parents and children.
    pub replacement: Replacement,
    /// Parameters that change during a trial. The operators have the greatest value of each.
    pub schedules: Schedules,
}

impl Evolutionary {
    /// Sets the parameters that change to their values when these shares of the budgets are spent,
    /// each from 0 to 1.
    pub(super) fn follow_schedules(&mut self, spent: impl Fn(Unit) -> f64) {
        let Schedules { crossover_rate, mutation_rate, gene_rate, sigma } = self.schedules;
        let value = |schedule: Schedule| schedule.at(spent(schedule.over));
        if let (Some(crossover), Some(rate)) = (&mut self.crossover, crossover_rate) {
            crossover.rate = value(rate);
        }
        let Some(mutation) = &mut self.mutation else { return };
        if let Some(rate) = mutation_rate {
            mutation.rate = value(rate);
        }
        if let Some(rate) = gene_rate {
            mutation.kind = mutation.kind.with_gene_rate(value(rate));
        }
        if let Some(sigma) = sigma {
            mutation.kind = mutation.kind.with_sigma(value(sigma));
        }
    }
}
