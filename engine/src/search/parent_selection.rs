//! Parent selection: chooses parents by their scores, through weights if the selection draws by
//! weight.

use super::call_seed;
use super::clock::Clock;
use super::evolutionary::Evolutionary;
use super::halt::Halt;
use super::population::Population;
use super::ranking::{Ranking, Use};
use crate::operators::{Order, Scaling, Selection, selection};
use crate::problem::{Gene, PluginOperator};
use crate::random::draws::Random;
use crate::system::aligned::Aligned;

/// Selection of parents. Its buffers are kept from generation to generation.
pub struct ParentSelection<'arm> {
    set: &'arm Evolutionary,
    /// Plugin that chooses in place of the set's selection.
    plugin: Option<&'arm PluginOperator>,
    used: Use,
    weights: Aligned<f64>,
    scratch: selection::Scratch,
    order: Order,
}

impl<'arm> ParentSelection<'arm> {
    /// Creates the selection of an operator set, or that of a plugin in its place.
    #[must_use]
    pub fn new(set: &'arm Evolutionary, plugin: Option<&'arm PluginOperator>) -> Self {
        let used = match (set.selection, set.scaling) {
            _ if plugin.is_some() => Use::Amount,
            (Selection::NoisyRank, _) => Use::Amount,
            (_, Scaling::Rank { .. }) => Use::Order,
            (selection, _) if selection.uses_weights() => Use::Amount,
            _ => Use::Order,
        };
        ParentSelection {
            set,
            plugin,
            used,
            weights: Aligned::default(),
            scratch: selection::Scratch::default(),
            order: Order::default(),
        }
    }

    /// Returns the use that the selection makes of scores.
    pub(super) fn used(&self) -> Use {
        self.used
    }

    /// Draws all `parents` at once, as row numbers of the population.
    ///
    /// # Errors
    /// If a plugin's selection fails. With sharing, also if the deadline passes, or the trial is
    /// interrupted.
    #[inline]
    pub(crate) fn choose<G: Gene>(
        &mut self,
        population: &Population<G>,
        ranking: &mut Ranking,
        (random, clock): (&mut Random, &Clock<'_>),
        parents: &mut [u32],
    ) -> Result<(), Halt> {
        if let Some(plugin) = self.plugin {
            let seed = call_seed(random);
            let scores = ranking.scores(self.used, population);
            let violations = &population.violations;
            let violations = (!violations.is_empty()).then_some(&violations[..]);
            return Ok(plugin.select(&seed, scores, violations, parents)?);
        }
        let scores = ranking.scores(self.used, population);
        let Some(sharing) = self.set.sharing else {
            self.choose_by(scores, random, parents);
            return Ok(());
        };
        self.weigh(scores);
        sharing.divide(population, &mut self.weights, clock)?;
        self.draw(scores, random, parents);
        Ok(())
    }

    /// Draws all `parents` at once, as row numbers of a population with these scores. Not inlined,
    /// so that searches with one parent stay small.
    #[inline(never)]
    pub fn choose_by(&mut self, scores: &[f64], random: &mut Random, parents: &mut [u32]) {
        self.weigh(scores);
        self.draw(scores, random, parents);
    }

    fn weigh(&mut self, scores: &[f64]) {
        let ParentSelection { set, weights, order, .. } = self;
        weights.resize(scores.len());
        set.scaling.weigh(scores, order, weights);
    }

    fn draw(&mut self, scores: &[f64], random: &mut Random, parents: &mut [u32]) {
        let ParentSelection { set, weights, scratch, .. } = self;
        set.selection.choose(scores, weights, random, scratch, parents);
    }
}
