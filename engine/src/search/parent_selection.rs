//! ParentSelection: from fitness to parents, by way of weights where the selection draws by weight.

use super::algorithms::Evolutionary;
use super::call_seed;
use super::merit::{Merits, Use};
use super::population::Population;
use crate::operators::{Constraints, Order, Scaling, Selection, selection};
use crate::problem::{CallError, Gene, PluginOperator};
use crate::random::draws::Random;
use crate::system::aligned::Aligned;

/// Chooses parents; its buffers serve one generation after the other.
#[derive(Default)]
pub struct ParentSelection {
    weights: Aligned<f64>,
    scratch: selection::Scratch,
    order: Order,
    merits: Merits,
}

impl ParentSelection {
    /// Draws all `parents` at once: row numbers of the population that has this fitness.
    pub fn choose(
        &mut self,
        set: &Evolutionary,
        fitness: &[f64],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        let ParentSelection { weights, scratch, order, .. } = self;
        weights.resize(fitness.len());
        set.scaling.weigh(fitness, order, weights);
        set.selection.choose(fitness, weights, random, scratch, parents);
    }

    /// The same of a population with violations, by what the constraints make of both.
    pub fn choose_constrained<G: Gene>(
        &mut self,
        set: &Evolutionary,
        constraints: Constraints,
        population: &Population<G>,
        random: &mut Random,
        parents: &mut [u32],
    ) {
        let used = match (set.selection, set.scaling) {
            (Selection::NoisyRank, _) => Use::Amount,
            (selection, Scaling::Rank { .. }) if selection.uses_weights() => Use::Order,
            (selection, _) if selection.uses_weights() => Use::Amount,
            _ => Use::Order,
        };
        let mut merits = std::mem::take(&mut self.merits);
        self.choose(set, merits.of(constraints, used, &[population]), random, parents);
        self.merits = merits;
    }

    /// The same by a plugin's selection. Of a population with violations it gets what the
    /// constraints make of both, as numbers to calculate with, and the violations themselves.
    ///
    /// # Errors
    /// Those of the plugin.
    pub(super) fn choose_by_plugin<G: Gene>(
        &mut self,
        plugin: &PluginOperator,
        constraints: Option<Constraints>,
        population: &Population<G>,
        random: &mut Random,
        parents: &mut [u32],
    ) -> Result<(), CallError> {
        let seed = call_seed(random);
        let (fitness, violations) = match constraints {
            None => (&population.fitness[..], None),
            Some(rule) => {
                let merits = self.merits.of(rule, Use::Amount, &[population]);
                (merits, Some(&population.violations[..]))
            }
        };
        plugin.select(&seed, fitness, violations, parents)
    }
}
