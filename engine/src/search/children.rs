//! Notes on the children of a generation: births for a watcher, and counts for a trace.

use super::births::{Birth, Descent, NOTED, genome_of};
use super::population::Population;
use super::ranking::Ranking;
use super::snapshot::Snapshot;
use super::variation::Variation;
use crate::problem::Gene;
use crate::record::OperatorCounts;
use std::mem::take;

/// A child that is bred and not yet evaluated.
struct Bred {
    is_crossed: bool,
    is_mutated: bool,
    /// Fitness and violation of both parents.
    parents: [(f64, f64); 2],
    /// Birth without its fitness; `None` unless a watcher sees it.
    birth: Option<Box<Birth>>,
}

/// Notes on the children of a trial. There are none unless a watcher or the trace asks for them.
#[derive(Default)]
pub(super) struct ChildNotes {
    /// Whether counts are asked for.
    counts: bool,
    descents: Vec<Descent>,
    /// Children of the current generation that are not yet evaluated, row by row.
    bred: Vec<Bred>,
    /// Number of births of the current generation, with those that lack their fitness.
    noted: usize,
    /// Births of the first children of the current generation, which are evaluated.
    births: Vec<Birth>,
    /// Counts of the current generation.
    current: OperatorCounts,
    /// Counts of the last completed generation; `None` if none were asked for and none were made.
    completed: Option<OperatorCounts>,
    /// Counts of each completed generation, if the trace has rows.
    traced: Vec<OperatorCounts>,
}

impl ChildNotes {
    /// Returns empty notes. `counts` says whether counts are asked for.
    pub(super) fn new(counts: bool) -> Self {
        ChildNotes { counts, ..ChildNotes::default() }
    }

    /// Keeps the counts of the completed generations.
    pub(super) fn keep(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.keep(&mut self.traced);
    }

    /// Notes children that were bred from rows of `population`, which are not evaluated yet.
    #[inline]
    pub(super) fn bred<G: Gene>(
        &mut self,
        vary: &Variation<'_, G>,
        population: &Population<G>,
        parents: &[u32],
        children: &Population<G>,
    ) {
        if self.counts || vary.is_watched() {
            let all = self.describe(vary, (population, parents), children, NOTED - self.noted);
            self.noted += all.iter().filter(|child| child.birth.is_some()).count();
            self.bred.extend(all);
        }
    }

    /// Notes children that take the place of those at `rows`, like [`bred`](Self::bred).
    pub(super) fn bred_again<G: Gene>(
        &mut self,
        vary: &Variation<'_, G>,
        population: &Population<G>,
        parents: &[u32],
        (children, rows): (&Population<G>, &[usize]),
    ) {
        if self.bred.is_empty() {
            return;
        }
        let all = self.describe(vary, (population, parents), children, NOTED);
        for (child, row) in all.into_iter().zip(rows) {
            let birth = child.birth.filter(|_| self.bred[*row].birth.is_some());
            self.bred[*row] = Bred { birth, ..child };
        }
    }

    /// Describes all children, row by row: at most the first `most` with their births.
    #[cold]
    fn describe<G: Gene>(
        &mut self,
        vary: &Variation<'_, G>,
        (population, parents): (&Population<G>, &[u32]),
        children: &Population<G>,
        most: usize,
    ) -> Vec<Bred> {
        vary.descents(parents, children.rows(), &mut self.descents);
        let length = children.length();
        let unmutated = vary.unmutated();
        let describe = |(row, descent): (usize, &Descent)| {
            let Descent { is_crossed, is_mutated, cut, .. } = *descent;
            let rows = descent.parents.map(|parent| parent as usize);
            let is_noted = row < most && (row + 1) * length <= unmutated.len();
            let birth = is_noted.then(|| {
                let individual = |row: &usize| {
                    (genome_of(population.genes(), length, *row), population.fitness[*row])
                };
                Box::new(Birth {
                    parents: rows[..1 + usize::from(is_crossed)].iter().map(individual).collect(),
                    cut: cut.map(|cut| cut as usize),
                    bred: genome_of(unmutated, length, row),
                    mutates: is_mutated,
                    born: genome_of(children.genes(), length, row),
                    fitness: f64::NAN,
                })
            });
            let parents = rows.map(|row| population.figures_of(row));
            Bred { is_crossed, is_mutated, parents, birth }
        };
        self.descents.iter().enumerate().map(describe).collect()
    }

    /// Counts the noted children, which are evaluated by now.
    #[inline]
    pub(super) fn evaluated<G: Gene>(&mut self, children: &Population<G>, ranking: &Ranking) {
        if !self.bred.is_empty() {
            self.count(children, ranking);
        }
    }

    #[cold]
    fn count<G: Gene>(&mut self, children: &Population<G>, ranking: &Ranking) {
        for (row, child) in self.bred.drain(..).enumerate() {
            let figures = children.figures_of(row);
            let is_better = |parent| ranking.worsening(figures, parent) < 0.0;
            let is_better = child.parents.into_iter().all(is_better);
            self.current.add(child.is_crossed, child.is_mutated, is_better);
            let fitness = figures.0;
            self.births.extend(child.birth.map(|birth| Birth { fitness, ..*birth }));
        }
    }

    /// Returns the first children of the current generation, if the trial is watched.
    pub(super) fn births(&self) -> &[Birth] {
        &self.births
    }

    /// Completes the generation. `has_rows` says whether the trace has rows.
    pub(super) fn close_generation(&mut self, has_rows: bool) {
        let counts = take(&mut self.current);
        if self.counts && has_rows {
            self.traced.push(counts);
        }
        let is_counted = self.counts || counts != OperatorCounts::default();
        self.completed = is_counted.then_some(counts);
    }

    /// Returns the counts of the last completed generation; `None` if its children are not counted.
    pub(super) fn completed(&self) -> Option<OperatorCounts> {
        self.completed
    }

    /// Forgets the births of a generation that the watcher has seen.
    pub(super) fn forget_births(&mut self) {
        self.births.clear();
        self.noted = 0;
    }

    /// Returns the counts of each completed generation.
    pub(super) fn into_counts(self) -> Vec<OperatorCounts> {
        self.traced
    }
}
