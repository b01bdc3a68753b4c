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
    descent: Descent,
    is_mutated: bool,
}

/// A birth without its genes.
#[derive(Clone, Copy)]
struct Noted {
    child: Bred,
    /// Number of genes before the cut of one-point crossover; `None` without such a cut.
    cut: Option<usize>,
    /// Fitness of the parents.
    parents: [f64; 2],
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
    /// Key of the better parent of each of them, by the trial's ranking.
    parents: Vec<(f64, f64)>,
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
            parents: Vec::new(),
            noted: Vec::new(),
            genes: Vec::new(),
            evaluated: 0,
            current: OperatorCounts::default(),
            completed: None,
            traced: Vec::new(),
        }
    }

    /// Writes or reads the counts of the completed generations.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        snapshot.save_or_restore(&mut self.traced);
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
            self.parents[*row] = self.parents[bred + number];
            let (from, to) = (noted + number, self.evaluated + row);
            if to < noted {
                self.noted[to] = self.noted[from];
                self.genes.copy_within(from * size..(from + 1) * size, to * size);
            }
        }
        self.bred.truncate(bred);
        self.parents.truncate(bred);
        self.noted.truncate(noted);
        self.genes.truncate(noted * size);
    }

    /// Describes all children, row by row; notes at most the first `most` births.
    #[inline(never)]
    fn describe(
        &mut self,
        vary: &Variation<'_, G>,
        ranking: &Ranking,
        (population, parents): (&Population<G>, &[u32]),
        children: &Population<G>,
        most: usize,
    ) {
        let rows = children.rows();
        let start = self.bred.len();
        self.bred.resize(start + rows, Bred::default());
        let bred = &mut self.bred[start..];
        vary.lineage(parents, rows).each(|child, descent| bred[child].descent = descent);
        vary.mutants().iter().for_each(|mutant| bred[*mutant as usize].is_mutated = true);
        let better = |child: &Bred| ranking.better_key(population, child.descent.parents);
        self.parents.extend(bred.iter().map(better));
        if !vary.is_watched() {
            return;
        }
        let length = children.length();
        for (row, child) in bred.iter().enumerate().take(most.min(NOTED)) {
            let rows = child.descent.parents.map(|parent| parent as usize);
            rows.iter().for_each(|row| self.genes.extend_from_slice(population.row(*row)));
            self.genes.extend_from_slice(&vary.unmutated()[row * length..][..length]);
            self.genes.extend_from_slice(children.row(row));
            self.noted.push(Noted {
                child: *child,
                cut: child.descent.pair.and_then(|pair| vary.cut(pair)),
                parents: rows.map(|row| population.fitness[row]),
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

    #[inline(never)]
    fn count(&mut self, children: &Population<G>, ranking: &Ranking) {
        let mut counts = OperatorCounts::default();
        for (row, (child, parent)) in self.bred.iter().zip(&self.parents).enumerate() {
            let is_better = ranking.is_better(children, row, *parent);
            counts.add(child.descent.pair.is_some(), child.is_mutated, is_better);
        }
        self.current.add_all(counts);
        for (row, birth) in self.noted[self.evaluated..].iter_mut().enumerate() {
            birth.fitness = children.fitness[row];
        }
        self.evaluated = self.noted.len();
        self.bred.clear();
        self.parents.clear();
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
            let Noted { child, cut, parents, fitness } = *noted;
            let of_parents = 1 + usize::from(child.descent.pair.is_some());
            Birth {
                parents: (0..of_parents).map(|place| (genome(place), parents[place])).collect(),
                cut,
                bred: genome(2),
                mutates: child.is_mutated,
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
