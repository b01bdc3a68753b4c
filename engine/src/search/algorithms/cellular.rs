//! Cellular genetic algorithm: individuals live on a grid whose edges are joined, and choose their
//! mates among their neighbours.
//!
//! Alba and Dorronsoro (2008), Cellular Genetic Algorithms, doi:10.1007/978-0-387-77610-1.

use crate::operators::values::Complaint;
use crate::operators::{
    Crossover, Mix, Mutation, Replacement, Scaling, Schedules, Selection, Unit,
};
use crate::search::algorithms::prelude::*;
use crate::search::evolutionary::Evolutionary;
use crate::search::parent_selection::ParentSelection;
use crate::search::plugin_operators::PluginOperators;
use crate::search::variation::Variation;
use std::borrow::Cow;
use std::iter::once;

/// Cellular genetic algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Cellular {
    /// Number of columns of the grid; divides the population.
    pub width: usize,
    /// Cells from which an individual's parents are chosen.
    pub neighborhood: Cells,
    /// Time at which children take their cells.
    pub update: Update,
    /// Population, selection, crossover and mutation; the replacement has no meaning.
    pub operators: Evolutionary,
}

/// Cells from which an individual's parents are chosen: its own and those near it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// The four cells to the north, south, west and east, and the cell itself: L5, von Neumann's.
    Linear5,
    /// The eight cells around the cell, and the cell itself: C9, Moore's.
    Compact9,
}

/// Time at which children take their cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// All at once, at the end of a generation.
    Synchronous,
    /// Each at once, row by row: later cells of the generation have it as a neighbour.
    LineSweep,
}

const CELLS: &[Cow<'static, str>] = &[Cow::Borrowed("linear5"), Cow::Borrowed("compact9")];
const UPDATES: &[Cow<'static, str>] = &[Cow::Borrowed("synchronous"), Cow::Borrowed("line-sweep")];

impl Cellular {
    /// Creates the settings.
    ///
    /// # Panics
    /// If `width` does not divide the population.
    #[must_use]
    pub fn new(
        (population, width): (usize, usize),
        neighborhood: Cells,
        update: Update,
        (scaling, selection): (Scaling, Selection),
        (mix, crossover, mutation): (Option<Mix>, Option<Crossover>, Option<Mutation>),
    ) -> Self {
        assert!(population.is_multiple_of(width), "the grid is a rectangle");
        // Children are bred one by one, each for its cell.
        let replacement = Replacement::SteadyState { offspring: 1 };
        let schedules = Schedules::NONE;
        let operators = Evolutionary {
            population,
            scaling,
            selection,
            mix,
            crossover,
            mutation,
            replacement,
            sharing: None,
            schedules,
        };
        Cellular { width, neighborhood, update, operators }
    }
}

/// Returns the width of the grid that is most like a square, with no fewer columns than rows.
fn squarest(population: usize) -> usize {
    let rows = (1..=population.isqrt()).rev().find(|rows| population.is_multiple_of(*rows));
    population / rows.unwrap_or(1)
}

impl Algorithm for Cellular {
    fn population_setting(&self) -> Option<usize> {
        Some(self.operators.population)
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.operators.population)
    }

    fn has_children(&self) -> bool {
        true
    }

    fn plans_over(&self, unit: Unit) -> bool {
        self.operators.schedules.is_over(unit)
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        Footprint::of_batch(problem, 2 * self.operators.population + 1)
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        executor_of!(arm, all, Grid::new(arm.problem, arm.plugins, self))
    }
}

/// Entry of the algorithm in the registry.
pub(super) const CELLULAR: Entry<Recipe> = Entry {
    operator: Operator {
        name: "cellular",
        summary: "Individuals on a grid with joined edges, whose parents come from the cells \
            around them; a child takes its cell if it is better. The selection chooses among the \
            cells of a neighbourhood.",
        domain: Domain::Any,
        parameters: &[
            Parameter::new(
                "width",
                Kind::Integer { low: 1, high: 100_000_000 },
                Fallback::Derived("the grid is as near to a square as the population allows"),
                "Columns of the grid; divides the population.",
            ),
            Parameter::new(
                "neighborhood",
                Kind::choice(CELLS),
                Fallback::text("linear5"),
                "Cells around a cell: four neighbours (linear5) or eight (compact9), and the cell \
                itself.",
            ),
            Parameter::new(
                "update",
                Kind::choice(UPDATES),
                Fallback::text("synchronous"),
                "When children take their cells: all at the end of a generation, or one after the \
                other, row by row.",
            ),
        ],
        source: "Alba and Dorronsoro (2008), doi:10.1007/978-0-387-77610-1",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[
            Slot::Scaling,
            Slot::Selection,
            Slot::Crossover,
            Slot::Mutation,
            Slot::Constraints,
        ],
        draws: true,
        make: |values, parts, context| {
            let population = context.population;
            let width = values.given_count("width").unwrap_or_else(|| squarest(population));
            if !population.is_multiple_of(width) {
                let message =
                    format!("{population} individuals do not fill a grid of {width} columns");
                let help =
                    format!("choose a divisor of the population, such as {}", squarest(population));
                return Err(Complaint::of("width", message, help));
            }
            values.settle_count("width", width);
            let neighborhood = match values.choice("neighborhood") {
                "compact9" => Cells::Compact9,
                _ => Cells::Linear5,
            };
            let update = match values.choice("update") {
                "line-sweep" => Update::LineSweep,
                _ => Update::Synchronous,
            };
            let there = "the config asked for it";
            let chosen = (parts.scaling.expect(there), parts.selection.expect(there));
            let varied = (parts.mix, parts.crossover, parts.mutation);
            let size = (population, width);
            let mut cellular = Cellular::new(size, neighborhood, update, chosen, varied);
            cellular.operators.schedules = parts.schedules;
            Ok(Arc::new(cellular))
        },
    },
};

/// State of the cellular genetic algorithm on genes of kind `G`.
struct Grid<'arm, G: Gene> {
    settings: &'arm Cellular,
    population: Population<G>,
    /// Children, one per cell.
    children: Population<G>,
    /// Individuals of a neighbourhood.
    near: Population<G>,
    /// Child that is being made.
    child: Population<G>,
    /// Row numbers of a child's parents in the neighbourhood.
    parents: Vec<u32>,
    select: ParentSelection<'arm>,
    vary: Variation<'arm, G>,
}

impl<'arm, G: Gene> Grid<'arm, G> {
    fn new(
        problem: &'arm Problem,
        plugins: &'arm PluginOperators,
        settings: &'arm Cellular,
    ) -> Self {
        let operators = &settings.operators;
        let cells = match settings.neighborhood {
            Cells::Linear5 => 5,
            Cells::Compact9 => 9,
        };
        Grid {
            settings,
            population: population_of(problem, operators.population),
            children: population_of(problem, operators.population),
            near: population_of(problem, cells),
            child: population_of(problem, 1),
            parents: Vec::new(),
            select: ParentSelection::new(operators, plugins.selection.as_deref()),
            vary: Variation::new(problem, operators).by_plugins(plugins),
        }
    }

    /// Returns the cells of a neighbourhood: the cell itself, then those around it, row by row. In
    /// a narrow grid, a cell can be listed more than once.
    fn cells(&self, cell: usize) -> impl Iterator<Item = usize> + Clone + use<G> {
        let Cellular { width, neighborhood, .. } = *self.settings;
        let height = self.population.rows() / width;
        let (row, column) = (cell / width, cell % width);
        // Steps of -1, 0 and 1 are 0, 1 and 2 here.
        let at = move |down: usize, right: usize| {
            (row + height - 1 + down) % height * width + (column + width - 1 + right) % width
        };
        let steps = (0..9).map(|step| (step / 3, step % 3));
        let around = steps.filter(move |(down, right)| match neighborhood {
            Cells::Linear5 => (*down == 1) != (*right == 1),
            Cells::Compact9 => (*down, *right) != (1, 1),
        });
        once(cell).chain(around.map(move |(down, right)| at(down, right)))
    }

    /// Makes the child of a cell.
    fn breed(&mut self, cell: usize, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let cells = self.cells(cell);
        let Grid { population, near, child, parents, select, vary, .. } = self;
        near.copy_pairs(population, (0..).zip(cells));
        let Trial { random, clock, ranking, .. } = trial;
        parents.resize(vary.plan(1, random), 0);
        select.choose(near, ranking, (random, clock), parents)?;
        vary.breed(near, parents, child, random)?;
        trial.notes.bred(vary, &trial.ranking, near, parents, child);
        Ok(())
    }

    /// Puts a row of `children` into a cell if it is better than the cell's individual.
    fn settle(
        population: &mut Population<G>,
        children: &Population<G>,
        (cell, row): (usize, usize),
        trial: &Trial<'_, G>,
    ) {
        let (new, old) = (children.figures_of(row), population.figures_of(cell));
        if trial.ranking.worsening(new, old) < 0.0 {
            population.copy_pairs(children, once((cell, row)));
        }
    }
}

impl<G: Gene> Search for Grid<'_, G> {
    type Gene = G;

    fn start(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.vary.watch(trial.is_watched);
        self.vary.begin(&mut self.population);
        trial.begin(&mut self.population)
    }

    fn generation(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        self.vary.follow_schedules(|unit| trial.spent(unit));
        for cell in 0..self.population.rows() {
            self.breed(cell, trial)?;
            if self.settings.update == Update::LineSweep {
                trial.clock.evaluated(1)?;
                trial.evaluate(&mut self.child)?;
                trial.notes.evaluated(&self.child, &trial.ranking);
                Self::settle(&mut self.population, &self.child, (cell, 0), trial);
            } else {
                self.children.copy_pairs(&self.child, once((cell, 0)));
            }
        }
        if self.settings.update == Update::Synchronous {
            trial.evaluate(&mut self.children)?;
            trial.notes.evaluated(&self.children, &trial.ranking);
            for cell in 0..self.population.rows() {
                Self::settle(&mut self.population, &self.children, (cell, cell), trial);
            }
        }
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.population.save_or_restore(snapshot);
    }

    fn population(&self) -> &Population<G> {
        &self.population
    }
}
