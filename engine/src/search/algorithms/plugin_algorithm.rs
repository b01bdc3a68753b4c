//! Algorithms of plugins: a search asks for genomes, the runner evaluates them, and the search is
//! told their fitness. Budgets, targets and records are those of every other algorithm.

use crate::problem::{CallError, PluginOperator, PluginSearch};
use crate::record::Outcome;
use crate::search::algorithms::prelude::*;
use crate::search::call_seed;
use crate::system::guard;
use crate::system::notice::Level;
use std::mem::replace;

/// Number of asks, which may take any time, between two looks whether a snapshot is due.
const LOOK: u64 = 4;

/// Algorithm of a plugin, which the operator set holds among its operators of plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginAlgorithm;

impl Algorithm for PluginAlgorithm {
    fn traced_individuals(&self) -> Option<usize> {
        None
    }

    fn chooses_start(&self) -> bool {
        true
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 1)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        let algorithm = arm.plugins.algorithm.as_deref().expect("the set has the algorithm");
        executor_of!(arm, all, AskTell::new(arm.problem, algorithm))
    }
}

/// Entry in place of the algorithms of plugins.
pub(super) const PLUGIN_ALGORITHM: Entry<Recipe> = Entry {
    operator: Operator {
        name: "plugin",
        summary: "An algorithm of a plugin.",
        domain: Domain::Any,
        parameters: &[],
        source: "the plugin",
    },
    make: Recipe {
        population: PopulationKey::Unused,
        slots: &[Slot::Constraints],
        draws: true,
        make: |_, _, _| Ok(Arc::new(PluginAlgorithm)),
    },
};

/// State of a plugin's search on genes of kind `G`. A generation is the genomes of one ask.
struct AskTell<'arm, G: Gene> {
    problem: &'arm Problem,
    algorithm: &'arm PluginOperator,
    /// Search of the current run; `None` between trials.
    search: Option<PluginSearch<'arm>>,
    /// Number of asks, of all trials.
    asks: u64,
    /// Seed of the search.
    seed: [u8; 32],
    /// State of the search after the tell, for a snapshot; `None` if it has none.
    state: Option<Vec<u8>>,
    /// Whether the search was told of the population.
    is_told: bool,
    population: Population<G>,
    has_ended: bool,
}

impl<'arm, G: Gene> AskTell<'arm, G> {
    fn new(problem: &'arm Problem, algorithm: &'arm PluginOperator) -> Self {
        let population = population_of(problem, 1);
        AskTell {
            problem,
            algorithm,
            search: None,
            asks: 0,
            seed: [0; 32],
            state: None,
            is_told: false,
            population,
            has_ended: false,
        }
    }

    /// Begins the search of this run.
    fn begin(&mut self) -> Result<&mut PluginSearch<'arm>, CallError> {
        // The search of the run before ends first, so that its process is free.
        self.search = None;
        Ok(self.search.insert(self.algorithm.begin(&self.seed)?))
    }

    /// Fills the population with the genomes that the search asks for. Returns their number.
    fn ask(&mut self) -> Result<usize, CallError> {
        let search = self.search.as_mut().expect("a run has a search");
        let rows = search.ask()?;
        if rows > 0 {
            if rows != self.population.rows() {
                self.population = population_of(self.problem, rows);
            }
            search.genomes(self.population.genes_mut())?;
        }
        Ok(rows)
    }

    /// Tells the search the scores of the population, unless it was told.
    fn tell(&mut self, trial: &mut Trial<'_, G>) -> Result<(), CallError> {
        if replace(&mut self.is_told, true) {
            return Ok(());
        }
        let AskTell { search, population, .. } = self;
        let violations = (!population.violations.is_empty()).then_some(&*population.violations);
        let Description { worst, worst_tolerance, .. } = self.problem.description();
        let worst = worst.map(|worst| worst + worst_tolerance);
        let scores = trial.ranking.lasting_scores(population, worst);
        let search = search.as_mut().expect("a run has a search");
        search.tell(population.genes(), scores, violations)
    }
}

impl<G: Gene> Search for AskTell<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        (self.has_ended, self.is_told) = (false, false);
        self.seed = call_seed(&mut trial.random);
        self.begin()?;
        self.ask()?;
        trial.evaluate(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.tell(trial)?;
        if self.ask()? == 0 {
            self.has_ended = true;
            return Err(Halt::Stopped);
        }
        self.is_told = false;
        self.asks += 1;
        if self.asks.is_multiple_of(LOOK) {
            trial.look_soon();
        }
        trial.evaluate(&mut self.population)
    }

    fn settle(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.tell(trial)?;
        let search = self.search.as_mut().expect("a run has a search");
        self.state = search.state().unwrap_or_else(|error| {
            let words = format!("{error}; the trial runs on without snapshots");
            guard::report(Level::Warning, words);
            None
        });
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        let is_read = snapshot.is_read();
        snapshot.save_or_restore(&mut self.seed);
        snapshot.save_or_restore(&mut self.state);
        let restored = match self.state.take() {
            Some(state) if is_read => self.begin().and_then(|search| search.restore(&state)),
            Some(_) => Ok(()),
            None => return snapshot.refuse(),
        };
        if let Err(error) = restored {
            guard::report(Level::Warning, format!("{error}; the trial begins anew"));
            snapshot.refuse();
        }
        self.is_told = true;
    }

    fn population(&self) -> &Population<G> {
        &self.population
    }

    fn ended(&self) -> Option<Outcome> {
        self.has_ended.then_some(Outcome::Stagnated)
    }

    fn finish(&mut self) {
        self.search = None;
    }
}
