//! ParentSelection: from fitness to parents, by way of weights where the selection draws by weight.

use crate::operators::{Evolutionary, Order, Scaling, Selection, scaling, selection};
use crate::random::draws::Random;

/// Chooses parents; its buffers serve one generation after the other.
#[derive(Default)]
pub struct ParentSelection {
    weights: Vec<f64>,
    scratch: selection::Scratch,
    order: Order,
}

impl ParentSelection {
    /// Fitness to weights, for the selections that draw by weight.
    fn scale(&mut self, scaling: Scaling, fitness: &[f64]) {
        let weights = &mut self.weights;
        weights.resize(fitness.len(), 0.0);
        match scaling {
            Scaling::None => {}
            Scaling::Complement { worst } => scaling::complement(fitness, worst, weights),
            Scaling::Reciprocal => scaling::reciprocal(fitness, weights),
            Scaling::ShareComplement => scaling::share_complement(fitness, weights),
            Scaling::Rank { pressure } => {
                scaling::rank(fitness, pressure, &mut self.order, weights)
            }
        }
    }

    /// Draws all `parents` at once: row numbers of the population that has this fitness.
    pub fn choose(
        &mut self,
        set: &Evolutionary,
        fitness: &[f64],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        self.scale(set.scaling, fitness);
        let ParentSelection { weights, scratch, .. } = self;
        match set.selection {
            Selection::Roulette => selection::roulette(weights, random, scratch, parents),
            Selection::Sus => selection::sus(weights, random, scratch, parents),
            Selection::Tournament { size } => {
                selection::tournament(fitness, size, random, scratch, parents)
            }
            Selection::Truncation { count } => {
                selection::truncation(fitness, count, random, scratch, parents)
            }
            Selection::Uniform => selection::uniform(fitness.len(), random, parents),
            Selection::NoisyRank => selection::noisy_rank(fitness, random, scratch, parents),
        }
    }
}
