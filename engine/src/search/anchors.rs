//! Anchors: genomes whose states are kept, so that children can be evaluated incrementally.
//!
//! Each row of the population stores the anchor that it was evaluated from, if any. Its children
//! are compared with that anchor, gene by gene. The comparison runs at the speed of memory, so it
//! costs less than most evaluations. If few genes differ, the plugin evaluates the child as a move
//! from the anchor. The child then stores the same anchor, so that one anchor serves a whole family
//! over many generations. Once members of the family differ too much, one of them becomes a new
//! anchor. Its state is a copy of the old anchor's state in which a few genes are changed.
//!
//! The stored anchor is only a guess of a genome near the row. The comparison decides whether it is
//! near, so no result depends on the guess.

use super::batch::Batch;
use super::population::{NO_ORIGIN as NONE, Population};
use super::spread::{Spread, evaluate_batch};
use super::variation::Lineage;
use crate::operators::MoveList;
use crate::problem::moves::State;
use crate::problem::{CallError, Description, Encoding, Gene, Genomes, Problem};
use std::mem::take;
use std::ops::Range;

/// Value for a row without an anchor that was near one of its children. The next near child makes
/// it worth building the anchor.
const WANTED: u32 = u32::MAX - 1;

/// Maximum number of bytes of the anchors of a trial.
const ROOM: u64 = 64 << 20;
/// Minimum number of bytes of a state for which anchors are used.
const LARGE_STATE: u64 = 8 << 10;
/// Maximum share of children from two parents for which anchors are used.
const FEW_CROSSED: f64 = 0.25;

/// Number of bytes that are compared at once.
const BLOCK: usize = 128;
const WORD: usize = size_of::<u64>();

/// A genome with its state and its fitness.
#[derive(Default)]
struct Anchor {
    genome: Genomes,
    state: State,
    fitness: f64,
}

/// The anchors of a population.
pub(super) struct Anchors<G> {
    anchors: Vec<Anchor>,
    /// Numbers of the anchors that no row stores.
    free: Vec<u32>,
    /// Maximum number of anchors.
    most: usize,
    /// Whether free anchors were already searched for in this generation.
    is_swept: bool,
    /// Maximum number of genes in which a genome may differ from its anchor.
    few: usize,
    /// Positions at which a child differs from the anchor or from its parent.
    changes: Vec<u32>,
    /// Positions at which a parent differs from its anchor.
    way: Vec<u32>,
    list: MoveList<G>,
    /// Ranges of this generation's children that are evaluated in full.
    whole: Vec<Range<usize>>,
    /// Parent of which each child started as a copy.
    first_parents: Vec<u32>,
    budget: Budget,
}

/// Parents and children of a generation.
pub(super) struct Family<'generation, G> {
    pub population: &'generation mut Population<G>,
    pub lineage: Lineage<'generation>,
    /// Number of the anchor that each child is evaluated from.
    pub origins: &'generation mut [u32],
}

/// Returns the maximum number of anchors for a population of this size. It is 0 if evaluations cost
/// too little, or if children are seldom near their parents. `crossed` is the share of children
/// from two parents. `changes_few` is true if a mutation changes few genes.
pub(super) fn most(
    problem: &Description,
    population: usize,
    crossed: f64,
    changes_few: bool,
) -> u64 {
    if problem.state_size == 0 || crossed > FEW_CROSSED || !changes_few || !is_costly(problem) {
        return 0;
    }
    // Parents remember at most half of them, so a search for free anchors finds many.
    (2 * population as u64).min(ROOM / bytes(problem))
}

/// Returns the size of an anchor in bytes.
pub(super) fn bytes(problem: &Description) -> u64 {
    problem.state_size + (problem.genome_length * problem.gene.size()) as u64
}

/// Returns whether an evaluation costs clearly more than comparing a child and occasionally copying
/// a state. The size of the state decides, because a problem with a large state computes much.
///
/// Measured: queens gain from about 400 queens on, with any replacement. Some problems read their
/// genes once and need only one number as state. They gain little even with thousands of genes, or
/// lose (LeadingOnes, which stops at a zero).
fn is_costly(problem: &Description) -> bool {
    problem.state_size >= LARGE_STATE
}

impl<G: Gene> Anchors<G> {
    /// Creates an empty set of at most `most` anchors for a population of `rows` rows. Returns
    /// `None` if moves of the problem are not evaluated, or if anchors gain nothing.
    pub(super) fn new(problem: &Problem, most: u64, rows: usize) -> Option<Self> {
        if most == 0 || !problem.has_moves() {
            return None;
        }
        let description = problem.description();
        let few = match description.encoding {
            // An exchange changes two genes.
            Encoding::Permutation => 2,
            // A larger anchor costs more to copy, so a genome may differ from it in more genes.
            _ => 2 + (bytes(description) / 256).isqrt() as usize,
        };
        Some(Anchors {
            anchors: Vec::new(),
            free: Vec::new(),
            most: most as usize,
            is_swept: false,
            few,
            changes: Vec::new(),
            way: Vec::new(),
            list: MoveList::default(),
            whole: Vec::new(),
            first_parents: Vec::new(),
            budget: Budget::new(rows),
        })
    }

    /// Clears the state of the previous trial. The rows of the first population have no anchors.
    pub(super) fn forget(&mut self, population: &mut Population<G>) {
        population.origins.clear();
        population.origins.resize(population.rows(), NONE);
        self.free.clear();
        self.free.extend(0..self.anchors.len() as u32);
        self.budget.clear();
    }

    /// Evaluates children: those near an anchor incrementally, the others as a batch.
    pub(super) fn evaluate(
        &mut self,
        problem: &Problem,
        mut family: Family<'_, G>,
        batch: &mut Batch<'_, G>,
        spread: Option<&Spread>,
    ) -> Result<(), CallError> {
        if self.budget.rests(batch.fitness.len()) {
            family.origins.fill(NONE);
            return evaluate_batch(problem, spread, batch);
        }
        self.is_swept = false;
        family.lineage.first_parents(family.origins.len(), &mut self.first_parents);
        let done = self
            .evaluate_near(problem, &mut family, batch)
            .and_then(|()| self.evaluate_whole(problem, batch, spread));
        if done.is_err() {
            // Evaluating the whole batch gives the same error as without anchors: the same row, the
            // same message.
            evaluate_batch(problem, spread, batch)?;
        }
        done
    }

    /// Evaluates the children that are near an anchor, and lists the others.
    fn evaluate_near(
        &mut self,
        problem: &Problem,
        family: &mut Family<'_, G>,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        self.whole.clear();
        let children = batch.genes.chunks_exact(family.population.length());
        for (row, (child, fitness)) in children.zip(batch.fitness.iter_mut()).enumerate() {
            let anchor = self.anchor_of(problem, family, row, child)?;
            family.origins[row] = anchor;
            if anchor != NONE {
                *fitness = self.evaluate_from(problem, anchor, child)?;
                self.budget.enter(Step::ByMoves);
                continue;
            }
            self.budget.enter(Step::Compared);
            match self.whole.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => self.whole.push(row..row + 1),
            }
        }
        Ok(())
    }

    fn evaluate_whole(
        &mut self,
        problem: &Problem,
        batch: &mut Batch<'_, G>,
        spread: Option<&Spread>,
    ) -> Result<(), CallError> {
        for rows in self.whole.drain(..) {
            evaluate_batch(problem, spread, &mut batch.range(rows))?;
        }
        Ok(())
    }

    /// Returns the number of an anchor that a child is near, and writes the changes from it.
    /// Returns [`NONE`] if the child is evaluated in full.
    #[inline]
    fn anchor_of(
        &mut self,
        problem: &Problem,
        family: &mut Family<'_, G>,
        row: usize,
        child: &[G],
    ) -> Result<u32, CallError> {
        let parent = self.first_parents[row] as usize;
        let known = family.population.origins[parent];
        if let Some(anchor) = self.anchors.get(known as usize)
            && differences(anchor.genome.genes(), child, self.few, &mut self.changes)
        {
            return Ok(known);
        }
        if !differences(family.population.row(parent), child, self.few, &mut self.changes) {
            return Ok(NONE);
        }
        // The changes from the parent are also the changes from an anchor with the parent's genome.
        self.anchor_at(problem, family, row, parent)
    }

    /// Makes a parent an anchor if that pays. Returns the number of the anchor, or [`NONE`].
    fn anchor_at(
        &mut self,
        problem: &Problem,
        family: &mut Family<'_, G>,
        row: usize,
        parent: usize,
    ) -> Result<u32, CallError> {
        let Family { population, origins: children, .. } = family;
        let genome = population.row(parent);
        let known = population.origins[parent];
        let old = self.anchors.get(known as usize);
        let is_near =
            old.is_some_and(|old| differences(old.genome.genes(), genome, self.few, &mut self.way));
        if !is_near && known != WANTED {
            population.origins[parent] = WANTED;
            return Ok(NONE);
        }
        let Some(number) = self.free_anchor(&population.origins, &children[..row]) else {
            return Ok(NONE);
        };
        let mut anchor = take(&mut self.anchors[number as usize]);
        anchor.genome.resize::<G>(genome.len());
        let made = if is_near {
            self.budget.enter(Step::Copied);
            self.copy(problem, &mut anchor, known, genome)
        } else {
            self.budget.enter(Step::Built);
            anchor.genome.genes_mut().copy_from_slice(genome);
            problem.build_state(genome, &mut anchor.state).map(|_| ())
        };
        anchor.fitness = population.fitness[parent];
        self.anchors[number as usize] = anchor;
        made?;
        population.origins[parent] = number;
        Ok(number)
    }

    /// Makes an anchor of this genome by copying anchor `from` and applying the changes in `way`.
    fn copy(
        &mut self,
        problem: &Problem,
        anchor: &mut Anchor,
        from: u32,
        genome: &[G],
    ) -> Result<(), CallError> {
        let old = &self.anchors[from as usize];
        anchor.genome.genes_mut::<G>().copy_from_slice(old.genome.genes());
        let state = old.state.genes::<u8>();
        anchor.state.resize::<u8>(state.len());
        anchor.state.genes_mut().copy_from_slice(state);
        if self.way.is_empty() {
            return Ok(());
        }
        list_changes(&mut self.list, problem.description().encoding, &self.way, genome);
        let Anchor { genome, state, .. } = anchor;
        problem.apply_move(genome.genes_mut::<G>(), state, &self.list.all())
    }

    /// Returns the number of an anchor that no row stores. `children` holds the anchors of this
    /// generation's earlier children.
    fn free_anchor(&mut self, parents: &[u32], children: &[u32]) -> Option<u32> {
        if self.free.is_empty() {
            if self.anchors.len() < self.most {
                self.anchors.push(Anchor::default());
                return Some(self.anchors.len() as u32 - 1);
            }
            if !self.is_swept {
                self.is_swept = true;
                let mut is_free = vec![true; self.anchors.len()];
                for number in parents.iter().chain(children) {
                    if let Some(is_free) = is_free.get_mut(*number as usize) {
                        *is_free = false;
                    }
                }
                self.free.extend((0..).zip(is_free).filter_map(|(at, free)| free.then_some(at)));
            }
        }
        self.free.pop()
    }

    /// Returns the fitness of a child that differs from an anchor by `changes`.
    #[inline]
    fn evaluate_from(
        &mut self,
        problem: &Problem,
        anchor: u32,
        child: &[G],
    ) -> Result<f64, CallError> {
        let Anchor { genome, state, fitness } = &mut self.anchors[anchor as usize];
        if self.changes.is_empty() {
            return Ok(*fitness);
        }
        list_changes(&mut self.list, problem.description().encoding, &self.changes, child);
        let mut fitness = [0.0];
        let moves = self.list.all();
        problem.evaluate_moves(genome.genes_mut::<G>(), state, &moves, &mut fitness)?;
        Ok(fitness[0])
    }
}

/// Lists the one move that changes these genes to the genes of `to`.
#[inline]
fn list_changes<G: Gene>(list: &mut MoveList<G>, encoding: Encoding, places: &[u32], to: &[G]) {
    list.clear();
    if encoding == Encoding::Permutation {
        return list.exchange(places[0] as usize, places[1] as usize);
    }
    for place in places {
        list.change(*place as usize, to[*place as usize]);
    }
    list.end_move();
}

/// Gain of a step, in sixteenths of the cost of evaluating a whole genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
enum Step {
    /// A child is evaluated incrementally.
    ByMoves = 11,
    /// A child was compared, and is evaluated in full.
    Compared = -1,
    /// An anchor is copied from another anchor.
    Copied = -6,
    /// An anchor is built from a genome.
    Built = -28,
}

/// Initial and maximum number of full evaluations before anchors are tried again.
const RESTS: [u64; 2] = [512, 1 << 20];

/// Balance of the gains and losses by anchors in a trial. It counts steps and measures no time,
/// because a trial must depend on its seed alone.
#[derive(Debug)]
struct Budget {
    balance: i64,
    /// Maximum loss before anchors pause, and maximum gain that is remembered.
    credit: i64,
    /// Number of the next evaluations that are done in full.
    resting: u64,
    next_rest: u64,
}

impl Budget {
    /// Creates a budget for a population of `rows` rows, each of which may be worth an anchor.
    fn new(rows: usize) -> Self {
        let credit = 16 * (rows as i64 + 32);
        Budget { balance: 0, credit, resting: 0, next_rest: RESTS[0] }
    }

    /// Clears the state of the previous trial.
    fn clear(&mut self) {
        (self.balance, self.resting, self.next_rest) = (0, 0, RESTS[0]);
    }

    #[inline]
    fn enter(&mut self, step: Step) {
        self.balance += step as i64;
        if self.balance > self.credit {
            (self.balance, self.next_rest) = (self.credit, RESTS[0]);
        } else if self.balance < -self.credit && self.resting == 0 {
            // The next attempt may lose only half as much.
            self.balance = -self.credit / 2;
            self.resting = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(RESTS[1]);
        }
    }

    /// Returns whether the next evaluations are done in full, and counts them.
    #[inline]
    fn rests(&mut self, evaluations: usize) -> bool {
        let rests = self.resting > 0;
        self.resting = self.resting.saturating_sub(evaluations as u64);
        rests
    }
}

/// Writes the positions of the genes in which two genomes differ, ascending. Returns false if there
/// are more than `few`; the positions are then incomplete.
#[inline]
fn differences<G: Gene>(one: &[G], other: &[G], few: usize, places: &mut Vec<u32>) -> bool {
    places.clear();
    let (one, other) = (bytemuck::cast_slice::<G, u8>(one), bytemuck::cast_slice::<G, u8>(other));
    let ((blocks, rest), (others, other_rest)) =
        (one.as_chunks::<BLOCK>(), other.as_chunks::<BLOCK>());
    let mut start = 0;
    for (block, other) in blocks.iter().zip(others) {
        if !are_alike(block, other) {
            add_differences::<G>(start, block, other, places);
            if places.len() > few {
                return false;
            }
        }
        start += BLOCK;
    }
    add_differences::<G>(start, rest, other_rest, places);
    places.len() <= few
}

/// Returns whether two blocks are equal. It has no branch, so that it is vectorised.
#[inline]
fn are_alike(one: &[u8; BLOCK], other: &[u8; BLOCK]) -> bool {
    let words = one.as_chunks::<WORD>().0.iter().zip(other.as_chunks::<WORD>().0);
    words.fold(0, |unlike, (one, other)| unlike | unlike_bits(one, other)) == 0
}

#[inline]
fn unlike_bits(one: &[u8; WORD], other: &[u8; WORD]) -> u64 {
    u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other)
}

/// Adds the differences between two sequences of at most one block, which begin at byte `start`.
#[inline]
fn add_differences<G: Gene>(start: usize, one: &[u8], other: &[u8], places: &mut Vec<u32>) {
    let ((words, rest), (others, other_rest)) =
        (one.as_chunks::<WORD>(), other.as_chunks::<WORD>());
    let bits = u8::BITS as usize * size_of::<G>();
    let gene = u64::MAX >> (u64::BITS as usize - bits);
    let mut first = start / size_of::<G>();
    let mut add = |mut unlike: u64| {
        while unlike != 0 {
            let place = unlike.trailing_zeros() as usize / bits;
            places.push((first + place) as u32);
            unlike &= !(gene << (place * bits));
        }
        first += WORD / size_of::<G>();
    };
    words.iter().zip(others).for_each(|(one, other)| add(unlike_bits(one, other)));
    let (mut last, mut other_last) = ([0; WORD], [0; WORD]);
    last[..rest.len()].copy_from_slice(rest);
    other_last[..rest.len()].copy_from_slice(other_rest);
    add(unlike_bits(&last, &other_last));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs single evaluations, and returns the number of full ones. Each remaining evaluation
    /// takes `step`.
    fn rested(budget: &mut Budget, step: Step, evaluations: usize) -> usize {
        let mut whole = 0;
        for _ in 0..evaluations {
            if budget.rests(1) {
                whole += 1;
            } else {
                budget.enter(step);
            }
        }
        whole
    }

    #[test]
    fn what_does_not_pay_becomes_rare_and_is_tried_again() {
        let mut budget = Budget::new(100);
        let whole = rested(&mut budget, Step::Compared, 1_000_000);
        assert!((950_000..1_000_000).contains(&whole), "{whole}");
        assert_eq!(rested(&mut Budget::new(100), Step::ByMoves, 10_000), 0);
        // A method that paid before is not given up at once.
        budget.clear();
        rested(&mut budget, Step::ByMoves, 1_000);
        assert_eq!(rested(&mut budget, Step::Compared, 2_000), 0);
    }

    /// Checks the differences between two genomes that differ at these positions. The expected
    /// result is a comparison gene by gene.
    fn compare<G: Gene>(length: usize, places: &[usize], few: usize) {
        let one: Vec<G> = (0..length).map(|place| G::from_index(place % 100)).collect();
        let mut other = one.clone();
        for place in places {
            other[place % length] = G::from_index(101 + place % 100);
        }
        let due: Vec<u32> =
            (0..length).filter(|at| one[*at] != other[*at]).map(|at| at as u32).collect();
        let mut found = vec![7];
        assert_eq!(differences(&one, &other, few, &mut found), due.len() <= few);
        if due.len() <= few {
            assert_eq!(found, due);
        }
    }

    proptest! {
        #[test]
        fn each_gene_that_differs_is_found(
            length in 1usize..700,
            places in prop::collection::vec(0usize..10_000, 0..12),
            few in 0usize..14,
        ) {
            compare::<u8>(length, &places, few);
            compare::<u16>(length, &places, few);
            compare::<u32>(length, &places, few);
            compare::<f64>(length, &places, few);
        }
    }

    /// Zero and minus zero are equal numbers, but different genes.
    #[test]
    fn genes_are_compared_by_their_bits() {
        let mut places = Vec::new();
        assert!(differences(&[0.0, 1.0], &[-0.0, 1.0], 1, &mut places));
        assert_eq!(places, [0]);
    }
}
