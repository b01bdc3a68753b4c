//! Greedy hill climbing on bits: goes through the string from left to right, again and again, and
//! flips one bit per step.
//!
//! Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), doi:10.1016/j.asoc.2019.106027.

use crate::operators::MoveList;
use crate::problem::CallError;
use crate::random::draws::Random;
use crate::search::algorithms::prelude::*;
use crate::search::local::Local;
use crate::search::propose::Propose;
use crate::search::ranking::Ranking;

/// Greedy hill climbing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GreedyHillClimbing;

impl Algorithm for GreedyHillClimbing {
    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(1)
    }

    fn reevaluations(&self, generations: u64) -> Option<u64> {
        Some(generations)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::new(problem, 2, 0)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, [U8: u8, U16: u16, U32: u32], Greedy::new(arm.problem))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const GREEDY_HILL_CLIMBING: Entry<Recipe> = Entry {
    operator: Operator {
        name: "greedy-hill-climbing",
        summary: "Greedy hill climbing (gHC): flips one bit per step, from left to right and again \
            from the start; keeps a string that is no worse. A generation is one step.",
        domain: Domain::Encodings(&[Encoding::Bits]),
        parameters: &[],
        source: "Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), doi:10.1016/j.asoc.2019.106027",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |_, _, _| Ok(Arc::new(GreedyHillClimbing)),
    },
};

/// State of the search on bits as genes of kind `G`.
struct Greedy<'arm, G: Gene> {
    local: Local<'arm, G, Cycle>,
}

impl<'arm, G: Gene> Greedy<'arm, G> {
    fn new(problem: &'arm Problem) -> Self {
        let cycle = Cycle { next: 0, length: problem.description().genome_length };
        Greedy { local: Local::new(problem, cycle, 1, true) }
    }
}

impl<G: Gene> Search for Greedy<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.local.source.next = 0;
        self.local.start(trial)
    }

    #[inline]
    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        if self.local.propose(trial)? <= 0.0 {
            self.local.accept(0)?;
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.local.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        self.local.current()
    }
}

/// Source of proposals: the current genome with the next bit flipped.
struct Cycle {
    /// Locus of the next flip.
    next: usize,
    length: usize,
}

impl Cycle {
    #[inline]
    fn step(&mut self) -> usize {
        let locus = self.next;
        self.next = if locus + 1 == self.length { 0 } else { locus + 1 };
        locus
    }
}

impl<G: Gene> Propose<G> for Cycle {
    #[inline]
    fn moves(&mut self, current: &Population<G>, _: &mut Random, list: &mut MoveList<G>) {
        let locus = self.step();
        list.change(locus, G::from_index(1 - current.row(0)[locus].to_index()));
        list.end_move();
    }

    fn rows(
        &mut self,
        _: &Population<G>,
        proposals: &mut Population<G>,
        _: &mut Ranking,
        _: &mut Random,
    ) -> Result<(), CallError> {
        let gene = &mut proposals.row_mut(0)[self.step()];
        *gene = G::from_index(1 - gene.to_index());
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.next);
    }

    #[inline]
    fn take_back(&mut self, turns: usize) {
        let back = turns % self.length;
        self.next = (self.next + self.length - back) % self.length;
    }
}
