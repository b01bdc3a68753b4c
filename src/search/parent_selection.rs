//! ParentSelection: from fitness to parents, by way of weights where the selection draws by weight.

use crate::operators::{Evolutionary, Order, selection};
use crate::random::draws::Random;

/// Chooses parents; its buffers serve one generation after the other.
#[derive(Default)]
pub struct ParentSelection {
    weights: Vec<f64>,
    scratch: selection::Scratch,
    order: Order,
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
        let ParentSelection { weights, scratch, order } = self;
        weights.resize(fitness.len(), 0.0);
        set.scaling.weigh(fitness, order, weights);
        set.selection.choose(fitness, weights, random, scratch, parents);
    }
}
