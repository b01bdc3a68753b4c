//! Tabu search: one genome that moves to the best neighbour, even to a worse one. For some moves,
//! what a move has changed may not be changed back.
//!
//! Glover (1989), doi:10.1287/ijoc.1.3.190; Glover (1990), doi:10.1287/ijoc.2.1.4. The random part
//! of the tenure by Taillard (1991), doi:10.1016/S0167-8191(05)80147-4.

use super::entries::{NEIGHBORS, listed_neighbors};
use crate::operators::{Neighborhood, Rearrangement};
use crate::random::draws::below;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::neighbors::{Admit, Listed};
use crate::search::ranking::Ranking;

/// Tabu search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabuSearch {
    /// Least number of moves for which a change may not be undone.
    pub tenure: usize,
    /// Greatest number of further moves, which is drawn for each change.
    pub random_tenure: usize,
    /// Neighbours of a permutation.
    pub neighbors: Rearrangement,
}

impl Algorithm for TabuSearch {
    /// Returns the memory that a trial needs:
    /// the genomes, the state, and the attributes of moves.
    fn footprint(&self, problem: &Description) -> Footprint {
        let attributes =
            Neighborhood::of(problem, self.neighbors).map_or(0, |moves| moves.attributes());
        Footprint::new(problem, 2, u128::from(problem.state_size) + 8 * attributes as u128)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Tabu::new(arm.problem, *self))
    }
}

const TENURE: Kind = Kind::Integer { low: 0, high: 1_000_000_000 };

/// Entry of the algorithm in the registry.
pub(super) const TABU_SEARCH: Entry<Recipe> = Entry {
    operator: Operator {
        name: "tabu-search",
        summary: "A genome that moves to its best neighbour, better or not, and may not undo \
            recent changes unless that gives a new best; a generation is one move.",
        domain: Domain::Encodings(&[Encoding::Integer, Encoding::Permutation, Encoding::Bits]),
        parameters: &[
            Parameter::new(
                "tenure",
                TENURE,
                Fallback::integer(7),
                "Moves for which a bit may not flip again, a gene not take its old value or place, \
                or two positions not be swapped, or a segment reversed, again.",
            ),
            Parameter::new(
                "random-tenure",
                TENURE,
                Fallback::integer(0),
                "Greatest number of moves by which the tenure is longer, drawn for each move.",
            ),
            NEIGHBORS,
        ],
        source: "Glover (1989), doi:10.1287/ijoc.1.3.190; Glover (1990), doi:10.1287/ijoc.2.1.4; \
            Taillard (1991), doi:10.1016/S0167-8191(05)80147-4 (random tenure)",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |values, _, context| {
            let neighbors = listed_neighbors(values, context.problem, "tabu search")?;
            Ok(Arc::new(TabuSearch {
                tenure: values.count("tenure"),
                random_tenure: values.count("random-tenure"),
                neighbors,
            }))
        },
    },
};

/// Changes that may not be undone.
struct Forbidden {
    /// Last move at which each attribute is forbidden; moves are numbered from 1.
    until: Vec<u64>,
    /// Number of the move.
    now: u64,
    /// Fitness and violation of the best genome so far.
    best: (f64, f64),
}

impl<G: Gene> Admit<G> for Forbidden {
    const ALL: bool = false;

    #[inline]
    fn admits(
        &self,
        neighborhood: &Neighborhood,
        number: u64,
        genome: &[G],
        figures: (f64, f64),
        ranking: &Ranking,
    ) -> bool {
        let (attribute, _) = neighborhood.attributes_of(number, genome);
        // A new best is admitted always: the aspiration criterion.
        self.until[attribute] < self.now || ranking.worsening(figures, self.best) < 0.0
    }
}

/// State of tabu search on genes of kind `G`.
struct Tabu<'arm, G: Gene> {
    settings: TabuSearch,
    local: Local<'arm, G, Listed>,
    forbidden: Forbidden,
}

impl<'arm, G: Gene> Tabu<'arm, G> {
    fn new(problem: &'arm Problem, settings: TabuSearch) -> Self {
        let forbidden = Forbidden { until: Vec::new(), now: 0, best: (0.0, 0.0) };
        Tabu { settings, local: Local::listed(problem, settings.neighbors, false), forbidden }
    }
}

impl<G: Gene> Search for Tabu<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.local.start(trial)?;
        let Tabu { local, forbidden, .. } = self;
        forbidden.until.clear();
        forbidden.until.resize(local.source.neighborhood.attributes(), 0);
        forbidden.now = 0;
        forbidden.best = local.current().figures_of(0);
        Ok(())
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Tabu { settings, local, forbidden } = self;
        forbidden.now += 1;
        let (_, ties) = local.best_admitted(trial, forbidden)?;
        // If all moves are forbidden, the genome stays until one is not.
        if ties == 0 {
            return Ok(());
        }
        let chosen = below(&mut trial.random, ties);
        let number = local.number(chosen);
        let (_, back) = local.source.neighborhood.attributes_of(number, local.current().row(0));
        let longer = match settings.random_tenure {
            0 => 0,
            most => below(&mut trial.random, most + 1),
        };
        forbidden.until[back] = forbidden.now + (settings.tenure + longer) as u64;
        local.go_to(chosen)?;
        let current = local.current().figures_of(0);
        if trial.ranking.worsening(current, forbidden.best) < 0.0 {
            forbidden.best = current;
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        let Forbidden { until, now, best } = &mut self.forbidden;
        snapshot.save_or_restore(until);
        snapshot.save_or_restore(now);
        snapshot.save_or_restore(best);
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}
