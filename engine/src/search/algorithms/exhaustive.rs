//! Exhaustive search: evaluates every genome of the space in order.

use crate::operators::values::{Complaint, Context};
use crate::problem::{Space, Walk};
use crate::record::Outcome;
use crate::search::algorithm::Guidance;
use crate::search::algorithms::prelude::*;

/// Exhaustive search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhaustive {
    /// Number of genomes per generation; at least 1.
    pub population: usize,
}

impl Algorithm for Exhaustive {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn guidance(&self) -> Guidance {
        Guidance::Order
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, self.population)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        let space = Space::of(arm.problem.description()).expect("the config checked the space");
        executor_of!(arm, all, Enumerator::new(arm.problem, space, self.population))
    }
}

/// Maximum number of genomes in an exhaustive search: a day's work at 100 ns each.
const LARGEST_SPACE: u64 = 1_000_000_000_000;

/// Entry of the algorithm in the registry.
pub(super) const EXHAUSTIVE: Entry<Recipe> = Entry {
    operator: Operator {
        name: "exhaustive",
        summary: "Every genome in order, as the plugin or the encoding numbers them; a \
            generation is `population` of them.",
        domain: Domain::Where(numbered),
        parameters: &[],
        source: "-",
    },
    make: Recipe {
        population: PopulationKey::Batch,
        slots: &[],
        draws: false,
        make: |_, _, Context { population, problem, .. }| {
            small_enough(problem)?;
            Ok(Arc::new(Exhaustive { population }))
        },
    },
};

/// Checks that the genomes are numbered, by the encoding or by the plugin.
fn numbered(problem: &Description) -> Result<(), String> {
    if matches!(problem.encoding, Encoding::Real | Encoding::Mixed | Encoding::Opaque)
        && problem.space_size.is_none()
    {
        return Err(format!("the plugin does not enumerate its {} genomes", problem.encoding));
    }
    Ok(())
}

/// Checks that the space is small enough to enumerate.
fn small_enough(problem: &Description) -> Result<(), Complaint> {
    match Space::of(problem) {
        Some(space) if space.size() <= LARGEST_SPACE => Ok(()),
        space => {
            let size = space.map_or("2^64 or more".into(), |space| space.size().to_string());
            Err(Complaint::new(
                format!(
                    "the space has {size} genomes, and exhaustive search goes through at most \
                    {LARGEST_SPACE}"
                ),
                "choose `random-search` to sample it",
            ))
        }
    }
}

/// State of exhaustive search on genes of kind `G`. It draws no random numbers, so all its trials
/// are identical.
struct Enumerator<'arm, G: Gene> {
    walk: Walk<'arm, G>,
    batch: Population<G>,
    /// Number of the batch's rows that are in use; the last batch can be shorter.
    rows: usize,
    exhausted: bool,
}

impl<'arm, G: Gene> Enumerator<'arm, G> {
    fn new(problem: &'arm Problem, space: Space, population: usize) -> Self {
        Enumerator {
            walk: Walk::new(problem, space),
            batch: population_of(problem, population),
            rows: 0,
            exhausted: false,
        }
    }
}

impl<G: Gene> Search for Enumerator<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.walk.restart();
        self.exhausted = false;
        self.generation(trial)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let left = usize::try_from(self.walk.left()).unwrap_or(usize::MAX);
        self.rows = left.min(self.batch.rows());
        let genes = self.rows * self.batch.length();
        self.walk.fill(&mut self.batch.genes_mut()[..genes])?;
        trial.evaluate_rows(&mut self.batch, self.rows)?;
        self.exhausted = self.walk.left() == 0;
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        let (passed, last) = self.walk.place_mut();
        snapshot.save_or_restore(passed);
        snapshot.save_or_restore(last);
        snapshot.save_or_restore(&mut self.exhausted);
    }

    fn population(&self) -> &Population<G> {
        &self.batch
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn ended(&self) -> Option<Outcome> {
        self.exhausted.then_some(Outcome::Exhausted)
    }
}
