//! Anchors: genomes whose states are kept, from which the children of a population are evaluated by
//! what changes.
//!
//! A row of the population remembers the anchor that it was evaluated from, or none. Its children
//! are compared with that anchor, gene by gene: at the speed of memory this costs less than most
//! evaluations. Where few genes differ, the plugin evaluates them as a move from the anchor. The
//! children remember the anchor in their turn, so that it serves a whole family, generation after
//! generation, until its members have gone too far. Then one of them becomes an anchor, by a copy
//! of the state in which a few genes are changed.
//!
//! What a row remembers is a guess of what is near it. Whether it is, the comparison tells: no
//! result depends on the guess.

use super::algorithms::Evolutionary;
use super::differences::differences;
use super::ledger::{Ledger, Step};
use super::population::Population;
use super::spread::{Batch, Spread, evaluate_batch};
use crate::operators::{MoveList, MoveMutation};
use crate::problem::moves::State;
use crate::problem::{CallError, Description, Encoding, Gene, Genomes, Problem};
use std::mem::take;
use std::ops::Range;

/// What a row remembers in place of an anchor's number: nothing.
const NONE: u32 = u32::MAX;
/// A child was near the row, which had no anchor. The next one is worth building it.
const WANTED: u32 = u32::MAX - 1;

/// Bytes that the anchors of a trial take, at most.
const ROOM: u64 = 64 << 20;
/// Bytes of the smallest state for which anchors are tried.
const LARGE_STATE: u64 = 8 << 10;
/// The largest share of children from two parents with which anchors are tried.
const FEW_CROSSED: f64 = 0.25;

/// A genome with its state and its fitness.
#[derive(Default)]
struct Anchor {
    genome: Genomes,
    state: State,
    fitness: f64,
}

/// The anchors of a population.
pub(super) struct Anchors<'arm, G> {
    problem: &'arm Problem,
    anchors: Vec<Anchor>,
    /// Numbers of those that no row remembers.
    free: Vec<u32>,
    /// How many there may be.
    most: usize,
    /// Whether they were looked through for free ones since the generation began.
    is_swept: bool,
    /// Genes in which a genome may differ from its anchor.
    few: usize,
    /// Where a child differs from the anchor or its parent, and a parent from its anchor.
    changes: Vec<u32>,
    way: Vec<u32>,
    list: MoveList<G>,
    /// Children of the generation that are evaluated whole.
    whole: Vec<Range<usize>>,
    ledger: Ledger,
}

/// Parents and children of a generation.
pub(super) struct Family<'generation, G> {
    pub population: &'generation mut Population<G>,
    /// Of each child, the row that it began as a copy of.
    pub parents: &'generation [u32],
    /// The anchor that each child is evaluated from.
    pub anchors: &'generation mut [u32],
}

/// How many anchors are kept at most, where children of this problem by these operators may be
/// near their parents and evaluations cost enough; otherwise 0.
pub(super) fn most(problem: &Description, operators: &Evolutionary) -> u64 {
    let Evolutionary { population, mix, crossover, mutation, .. } = operators;
    let crossed = match (mix, crossover) {
        (Some(mix), _) => mix.crossover,
        (None, crossover) => crossover.map_or(0.0, |crossover| crossover.rate),
    };
    let changes_few =
        mutation.is_none_or(|mutation| MoveMutation::is_one(mutation.kind, problem.genome_length));
    if problem.state_size == 0 || crossed > FEW_CROSSED || !changes_few || !is_costly(problem) {
        return 0;
    }
    // As many as there are rows find room while as many are looked for.
    (2 * *population as u64).min(ROOM / bytes(problem))
}

/// Bytes of an anchor.
pub(super) fn bytes(problem: &Description) -> u64 {
    problem.state_size + (problem.genome_length * problem.gene.size()) as u64
}

/// Whether an evaluation costs clearly more than to compare a child and now and then to copy a
/// state. The state tells: what needs a large one computes much. Measured: queens gain from some
/// 400 on, whatever the replacement; problems that read their genes once, and need no more than a
/// number, gain little from thousands of genes, or lose (LeadingOnes, which stops at a zero).
fn is_costly(problem: &Description) -> bool {
    problem.state_size >= LARGE_STATE
}

impl<'arm, G: Gene> Anchors<'arm, G> {
    /// None where moves of the problem are not to be evaluated, or gain nothing.
    pub(super) fn of(problem: &'arm Problem, operators: &'arm Evolutionary) -> Option<Self> {
        let description = problem.description();
        let most = most(description, operators) as usize;
        if most == 0 || !problem.has_moves() {
            return None;
        }
        let few = match description.encoding {
            // An exchange.
            Encoding::Permutation => 2,
            // A copy costs more the larger it is: then the way between two may be longer.
            _ => 2 + (bytes(description) / 256).isqrt() as usize,
        };
        Some(Anchors {
            problem,
            anchors: Vec::new(),
            free: Vec::new(),
            most,
            is_swept: false,
            few,
            changes: Vec::new(),
            way: Vec::new(),
            list: MoveList::default(),
            whole: Vec::new(),
            ledger: Ledger::new(operators.population),
        })
    }

    /// Another trial begins: its rows remember nothing.
    pub(super) fn forget(&mut self, population: &mut Population<G>) {
        population.anchors.clear();
        population.anchors.resize(population.rows(), NONE);
        self.free.clear();
        self.free.extend(0..self.anchors.len() as u32);
        self.ledger.clear();
    }

    /// Evaluates children: those that are near an anchor by what changes, the others as a batch.
    ///
    /// # Errors
    /// If the plugin fails.
    pub(super) fn evaluate(
        &mut self,
        mut family: Family<'_, G>,
        batch: &mut Batch<'_, G>,
        spread: Option<&Spread>,
    ) -> Result<(), CallError> {
        if self.ledger.rests(batch.fitness.len()) {
            family.anchors.fill(NONE);
            return evaluate_batch(self.problem, spread, batch);
        }
        self.is_swept = false;
        let done = self
            .evaluate_near(&mut family, batch)
            .and_then(|()| self.evaluate_whole(batch, spread));
        if done.is_err() {
            // It fails as it does without anchors, if it does: the same row, the same words.
            evaluate_batch(self.problem, spread, batch)?;
        }
        done
    }

    /// Evaluates the children that are near an anchor, and lists the others.
    fn evaluate_near(
        &mut self,
        family: &mut Family<'_, G>,
        batch: &mut Batch<'_, G>,
    ) -> Result<(), CallError> {
        self.whole.clear();
        let children = batch.genes.chunks_exact(family.population.length());
        for (row, (child, fitness)) in children.zip(batch.fitness.iter_mut()).enumerate() {
            let anchor = self.anchor_of(family, row, child)?;
            family.anchors[row] = anchor;
            if anchor != NONE {
                *fitness = self.evaluate_from(anchor, child)?;
                self.ledger.enter(Step::ByMoves);
                continue;
            }
            self.ledger.enter(Step::Compared);
            match self.whole.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => self.whole.push(row..row + 1),
            }
        }
        Ok(())
    }

    fn evaluate_whole(
        &mut self,
        batch: &mut Batch<'_, G>,
        spread: Option<&Spread>,
    ) -> Result<(), CallError> {
        for rows in self.whole.drain(..) {
            evaluate_batch(self.problem, spread, &mut batch.range(rows))?;
        }
        Ok(())
    }

    /// The number of an anchor that a child is near to, with the changes from there.
    #[inline]
    fn anchor_of(
        &mut self,
        family: &mut Family<'_, G>,
        row: usize,
        child: &[G],
    ) -> Result<u32, CallError> {
        let parent = family.parents[row] as usize;
        let known = family.population.anchors[parent];
        if let Some(anchor) = self.anchors.get(known as usize)
            && differences(anchor.genome.genes(), child, self.few, &mut self.changes)
        {
            return Ok(known);
        }
        if !differences(family.population.row(parent), child, self.few, &mut self.changes) {
            return Ok(NONE);
        }
        // The changes from the parent are those from an anchor that has its genome.
        self.anchor_at(family, row, parent)
    }

    /// Makes a parent an anchor, if that is worth it.
    fn anchor_at(
        &mut self,
        family: &mut Family<'_, G>,
        row: usize,
        parent: usize,
    ) -> Result<u32, CallError> {
        let Family { population, anchors: children, .. } = family;
        let genome = population.row(parent);
        let known = population.anchors[parent];
        let old = self.anchors.get(known as usize);
        let is_near =
            old.is_some_and(|old| differences(old.genome.genes(), genome, self.few, &mut self.way));
        if !is_near && known != WANTED {
            population.anchors[parent] = WANTED;
            return Ok(NONE);
        }
        let Some(number) = self.free_anchor(&population.anchors, &children[..row]) else {
            return Ok(NONE);
        };
        let mut anchor = take(&mut self.anchors[number as usize]);
        anchor.genome.resize::<G>(genome.len());
        let made = if is_near {
            self.ledger.enter(Step::Copied);
            self.copy(&mut anchor, known, genome)
        } else {
            self.ledger.enter(Step::Built);
            anchor.genome.genes_mut().copy_from_slice(genome);
            self.problem.build_state(genome, &mut anchor.state).map(|_| ())
        };
        anchor.fitness = population.fitness[parent];
        self.anchors[number as usize] = anchor;
        made?;
        population.anchors[parent] = number;
        Ok(number)
    }

    /// Makes an anchor of this genome from another, by the way that leads there.
    fn copy(&mut self, anchor: &mut Anchor, from: u32, genome: &[G]) -> Result<(), CallError> {
        let old = &self.anchors[from as usize];
        anchor.genome.genes_mut::<G>().copy_from_slice(old.genome.genes());
        let state = old.state.genes::<u8>();
        anchor.state.resize::<u8>(state.len());
        anchor.state.genes_mut().copy_from_slice(state);
        if self.way.is_empty() {
            return Ok(());
        }
        list_changes(&mut self.list, self.problem.description().encoding, &self.way, genome);
        let Anchor { genome, state, .. } = anchor;
        self.problem.apply_move(genome.genes_mut::<G>(), state, &self.list.all())
    }

    /// The number of an anchor that no row remembers; `children`: what those before remember.
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

    /// The fitness of a child that differs from an anchor by the changes.
    #[inline]
    fn evaluate_from(&mut self, anchor: u32, child: &[G]) -> Result<f64, CallError> {
        let Anchor { genome, state, fitness } = &mut self.anchors[anchor as usize];
        if self.changes.is_empty() {
            return Ok(*fitness);
        }
        list_changes(&mut self.list, self.problem.description().encoding, &self.changes, child);
        let mut fitness = [0.0];
        let moves = self.list.all();
        self.problem.evaluate_moves(genome.genes_mut::<G>(), state, &moves, &mut fitness)?;
        Ok(fitness[0])
    }
}

/// Lists the one move that changes these genes to those of another genome.
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
