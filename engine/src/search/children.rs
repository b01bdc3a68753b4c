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
#[derive(Clone, Copy, Default)]
struct Bred {
    is_crossed: bool,
    is_mutated: bool,
    /// Key of the better parent, by the trial's ranking.
    parent: (f64, f64),
}

/// A birth without its genes.
#[derive(Clone, Copy)]
struct Noted {
    descent: Descent,
    /// Fitness of the parents.
    parents: [f64; 2],
    is_mutated: bool,
    /// Fitness of the child; NaN until it is evaluated.
    fitness: f64,
}

/// Number of genomes that are noted per birth: two parents, the child before its mutation, and the
/// child.
const GENOMES: usize = 4;

/// Notes on the children of a trial. There are none unless a watcher or the trace asks for them.
/// Nothing here allocates per generation, because a search that is watched at full speed notes
/// births that nobody looks at.
pub(super) struct ChildNotes<G> {
    /// Whether counts are asked for.
    counts: bool,
    /// Children of the current generation that are not yet evaluated, row by row.
    bred: Vec<Bred>,
    /// Births of the first children of the current generation, if the trial is watched.
    noted: Vec<Noted>,
    /// Genes of the births: [`GENOMES`] genomes per birth.
    genes: Vec<G>,
    /// Number of births whose children are evaluated.
    evaluated: usize,
    /// Counts of the current generation.
    current: OperatorCounts,
    /// Counts of the last completed generation; `None` if none were asked for and none were made.
    completed: Option<OperatorCounts>,
    /// Counts of each completed generation, if the trace has rows.
    traced: Vec<OperatorCounts>,
}

impl<G: Gene> ChildNotes<G> {
    /// Returns empty notes. `counts` says whether counts are asked for.
    pub(super) fn new(counts: bool) -> Self {
        ChildNotes {
            counts,
            bred: Vec::new(),
            noted: Vec::new(),
            genes: Vec::new(),
            evaluated: 0,
            current: OperatorCounts::default(),
            completed: None,
            traced: Vec::new(),
        }
    }

    /// Keeps the counts of the completed generations.
    pub(super) fn keep(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.keep(&mut self.traced);
    }

    /// Notes children that were bred from rows of `population`, which are not evaluated yet.
    #[inline]
    pub(super) fn bred(
        &mut self,
        vary: &Variation<'_, G>,
        ranking: &Ranking,
        population: &Population<G>,
        parents: &[u32],
        children: &Population<G>,
    ) {
        if self.counts || vary.is_watched() {
            let most = NOTED.saturating_sub(self.noted.len());
            self.describe(vary, ranking, (population, parents), children, most);
        }
    }

    /// Notes children that take the place of those at `rows`, like [`bred`](Self::bred).
    pub(super) fn bred_again(
        &mut self,
        vary: &Variation<'_, G>,
        ranking: &Ranking,
        population: &Population<G>,
        parents: &[u32],
        (children, rows): (&Population<G>, &[usize]),
    ) {
        if self.bred.is_empty() {
            return;
        }
        let (bred, noted) = (self.bred.len(), self.noted.len());
        self.describe(vary, ranking, (population, parents), children, NOTED);
        let size = GENOMES * children.length();
        for (number, row) in rows.iter().enumerate() {
            self.bred[*row] = self.bred[bred + number];
            let (from, to) = (noted + number, self.evaluated + row);
            if to < noted {
                self.noted[to] = self.noted[from];
                self.genes.copy_within(from * size..(from + 1) * size, to * size);
            }
        }
        self.bred.truncate(bred);
        self.noted.truncate(noted);
        self.genes.truncate(noted * size);
    }

    /// Describes all children, row by row; notes at most the first `most` births.
    #[cold]
    fn describe(
        &mut self,
        vary: &Variation<'_, G>,
        ranking: &Ranking,
        (population, parents): (&Population<G>, &[u32]),
        children: &Population<G>,
        most: usize,
    ) {
        let rows = children.rows();
        let births = if vary.is_watched() { most.min(NOTED).min(rows) } else { 0 };
        let mut descents = [Descent::default(); NOTED];
        let start = self.bred.len();
        self.bred.resize(start + rows, Bred::default());
        let bred = &mut self.bred[start..];
        let key = |row: u32| ranking.key(population, row as usize);
        vary.descents(parents, rows, |child, descent| {
            let [first, second] = descent.parents.map(key);
            let parent = if second < first { second } else { first };
            bred[child] = Bred { is_crossed: descent.is_crossed, is_mutated: false, parent };
            if child < births {
                descents[child] = descent;
            }
        });
        vary.mutants().iter().for_each(|mutant| bred[*mutant as usize].is_mutated = true);
        let length = children.length();
        for (row, descent) in descents[..births].iter().enumerate() {
            let [first, second] = descent.parents.map(|parent| parent as usize);
            self.genes.extend_from_slice(population.row(first));
            self.genes.extend_from_slice(population.row(second));
            self.genes.extend_from_slice(&vary.unmutated()[row * length..][..length]);
            self.genes.extend_from_slice(children.row(row));
            self.noted.push(Noted {
                descent: *descent,
                parents: [first, second].map(|parent| population.fitness[parent]),
                is_mutated: self.bred[start + row].is_mutated,
                fitness: f64::NAN,
            });
        }
    }

    /// Counts the noted children, which are evaluated by now.
    #[inline]
    pub(super) fn evaluated(&mut self, children: &Population<G>, ranking: &Ranking) {
        if !self.bred.is_empty() {
            self.count(children, ranking);
        }
    }

    #[cold]
    fn count(&mut self, children: &Population<G>, ranking: &Ranking) {
        // Indexed by whether a child is better, mutated and crossed.
        let mut numbers = [[[0; 2]; 2]; 2];
        for (row, child) in self.bred.iter().enumerate() {
            let is_better = ranking.key(children, row) < child.parent;
            let of_kind = &mut numbers[usize::from(is_better)][usize::from(child.is_mutated)];
            of_kind[usize::from(child.is_crossed)] += 1;
        }
        self.current.add_all(OperatorCounts::of(numbers));
        for (row, birth) in self.noted[self.evaluated..].iter_mut().enumerate() {
            birth.fitness = children.fitness[row];
        }
        self.evaluated = self.noted.len();
        self.bred.clear();
    }

    /// Returns the first children of the current generation, if the trial is watched.
    pub(super) fn births(&self) -> Vec<Birth> {
        let noted = &self.noted[..self.evaluated];
        if noted.is_empty() {
            return Vec::new();
        }
        let length = self.genes.len() / self.noted.len() / GENOMES;
        let birth = |(number, noted): (usize, &Noted)| {
            let genome = |place| genome_of(&self.genes, length, number * GENOMES + place);
            let Noted { descent, parents, is_mutated, fitness } = *noted;
            let of_parents = 1 + usize::from(descent.is_crossed);
            Birth {
                parents: (0..of_parents).map(|place| (genome(place), parents[place])).collect(),
                cut: descent.cut.map(|cut| cut as usize),
                bred: genome(2),
                mutates: is_mutated,
                born: genome(3),
                fitness,
            }
        };
        noted.iter().enumerate().map(birth).collect()
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
        self.noted.clear();
        self.genes.clear();
        self.evaluated = 0;
    }

    /// Returns the counts of each completed generation.
    pub(super) fn into_counts(self) -> Vec<OperatorCounts> {
        self.traced
    }
}
