//! Listed neighbours of a genome: one by one in random order, or the best of all.

use super::halt::Halt;
use super::local::{Local, Neighbors};
use super::look_ahead::LookAhead;
use super::population::Population;
use super::propose::Propose;
use super::random_order::RandomOrder;
use super::ranking::Ranking;
use super::snapshot::Snapshot;
use super::trial::Trial;
use crate::operators::kernels::minimum::minimum;
use crate::operators::{MoveList, Neighborhood, Rearrangement, Scope};
use crate::problem::{CallError, Gene, Problem};
use crate::random::draws::{Random, below};
use std::iter::once;

/// Number of bytes of the neighbours that are evaluated at a time as whole genomes.
const BATCH: usize = 1 << 16;
/// Number of moves evaluated at a time, so that they and their fitness stay in the fast cache.
const MOVES: usize = 1 << 10;
/// All neighbours of a genome, each identified by its number.
pub(super) struct Listed {
    pub neighborhood: Neighborhood,
    /// Neighbours among which the best are found.
    pub scope: Scope,
    /// Order in which single neighbours are proposed.
    pub order: RandomOrder,
    /// Places of the best neighbours in the scope.
    best: Vec<u32>,
    /// Fitness and violation of the best neighbours: of each with constraints, otherwise of the
    /// first.
    figures: Vec<(f64, f64)>,
}

impl Listed {
    pub(super) fn new(neighborhood: Neighborhood) -> Self {
        let order = RandomOrder::new(neighborhood.count());
        let (scope, best, figures) = (Scope::All, Vec::new(), Vec::new());
        Listed { neighborhood, scope, order, best, figures }
    }
}

impl<G: Gene> Propose<G> for Listed {
    #[inline]
    fn moves(&mut self, current: &Population<G>, random: &mut Random, list: &mut MoveList<G>) {
        let number = self.order.step(random);
        self.neighborhood.add(number, current.row(0), list);
    }

    #[inline]
    fn rows(
        &mut self,
        _: &Population<G>,
        proposals: &mut Population<G>,
        _: &mut Ranking,
        random: &mut Random,
    ) -> Result<(), CallError> {
        let number = self.order.step(random);
        self.neighborhood.apply(number, proposals.row_mut(0));
        Ok(())
    }

    #[inline]
    fn left(&self) -> usize {
        self.order.left()
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.order.save_or_restore(snapshot);
    }

    #[inline]
    fn take_back(&mut self, turns: usize) {
        self.order.take_back(turns);
    }
}

/// Rule that says which neighbours a search may move to.
pub(super) trait Admit<G> {
    /// Whether it admits all, so that it need not be asked.
    const ALL: bool;

    /// Returns whether the search may move to a neighbour, which has this number among those of
    /// `genome`, and this fitness and violation.
    fn admits(
        &self,
        neighborhood: &Neighborhood,
        number: u64,
        genome: &[G],
        figures: (f64, f64),
        ranking: &Ranking,
    ) -> bool;
}

/// Rule that admits all neighbours.
struct Any;

impl<G> Admit<G> for Any {
    const ALL: bool = true;

    fn admits(&self, _: &Neighborhood, _: u64, _: &[G], _: (f64, f64), _: &Ranking) -> bool {
        true
    }
}

impl<'arm, G: Gene> Local<'arm, G, Listed> {
    /// Creates the state of a search that evaluates all neighbours in each step, or, one by one, as
    /// many as it needs. The neighbours of a permutation are chosen.
    ///
    /// # Panics
    /// If the problem has no neighbourhood, which is a bug of the caller.
    pub(super) fn listed(
        problem: &'arm Problem,
        permuted: Rearrangement,
        one_by_one: bool,
    ) -> Self {
        let description = problem.description();
        let neighborhood = Neighborhood::of(description, permuted);
        let neighborhood = neighborhood.expect("the config checked the encoding");
        let batch = BATCH / (description.genome_length * G::KIND.size());
        let batch = if one_by_one { 1 } else { batch };
        let batch = batch.clamp(1, neighborhood.count().max(1) as usize);
        let by_moves = neighborhood.has_moves(description);
        Local::new(problem, Listed::new(neighborhood), batch, by_moves)
    }

    /// Makes random moves, whatever they lead to, and evaluates the genome.
    pub(super) fn perturb(&mut self, moves: usize, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let neighbors = self.source.neighborhood.count() as usize;
        for _ in 0..if neighbors > 0 { moves } else { 0 } {
            let number = below(&mut trial.random, neighbors) as u64;
            self.source.neighborhood.apply(number, self.current.row_mut(0));
        }
        self.forget();
        trial.evaluate(&mut self.current)
    }

    /// Moves to the best neighbour, among equals to a random one, until none is better.
    pub(super) fn climb(&mut self, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        while trial.solved().is_none() {
            let (worse, ties) = self.best_neighbors(trial)?;
            if ties == 0 || worse.is_nan() || worse >= 0.0 {
                break;
            }
            self.go_to(below(&mut trial.random, ties))?;
        }
        Ok(())
    }

    /// Evaluates all neighbours. Returns how much worse the best are than the current genome, and
    /// the number of best neighbours.
    pub(super) fn best_neighbors(
        &mut self,
        trial: &mut Trial<'_, G>,
    ) -> Result<(f64, usize), Halt> {
        self.best_admitted(trial, &Any)
    }

    /// Evaluates all neighbours like [`best_neighbors`](Self::best_neighbors), and finds the best
    /// that are admitted.
    pub(super) fn best_admitted(
        &mut self,
        trial: &mut Trial<'_, G>,
        rule: &impl Admit<G>,
    ) -> Result<(f64, usize), Halt> {
        let Local { source, current, neighbors, .. } = self;
        match neighbors {
            Neighbors::Rows(rows) => best_rows(source, current, rows, trial, rule)?,
            Neighbors::Moves(ahead) => best_moves(source, current, ahead, trial, rule)?,
        }
        let worse = match source.figures.first() {
            Some(best) => trial.ranking.worsening(*best, current.figures_of(0)),
            None => f64::INFINITY,
        };
        Ok((worse, source.best.len()))
    }

    /// Returns the number of the best neighbour with index `chosen`, from 0.
    pub(super) fn number(&self, chosen: usize) -> u64 {
        let Listed { neighborhood, scope, best, .. } = &self.source;
        neighborhood.number_in(*scope, best[chosen].into())
    }

    /// Moves to the neighbour with this number, whatever it is worth, and evaluates it.
    pub(super) fn visit(&mut self, number: u64, trial: &mut Trial<'_, G>) -> Result<(), Halt> {
        let Local { source, current, neighbors, .. } = self;
        let Neighbors::Moves(LookAhead { incumbent, .. }) = neighbors else {
            source.neighborhood.apply(number, current.row_mut(0));
            return trial.evaluate(current);
        };
        incumbent.list.clear();
        source.neighborhood.add(number, current.row(0), &mut incumbent.list);
        incumbent.evaluate(current, trial.budget())?;
        let Some(fitness) = incumbent.fitness.first().copied() else { return Err(Halt::Stopped) };
        trial.count_move(current.row(0), || incumbent.moves(), fitness)?;
        Ok(incumbent.apply(current, 0, fitness)?)
    }

    /// Moves to one of the best neighbours: the one with index `chosen`, from 0.
    pub(super) fn go_to(&mut self, chosen: usize) -> Result<(), CallError> {
        let figures = &self.source.figures;
        let of_best = *figures.get(chosen).unwrap_or(&figures[0]);
        self.move_to(self.number(chosen), of_best)
    }

    /// Moves to the neighbour with this number, which is evaluated already: it has this fitness and
    /// violation.
    pub(super) fn move_to(&mut self, number: u64, figures: (f64, f64)) -> Result<(), CallError> {
        let Local { source, current, neighbors, .. } = self;
        match neighbors {
            Neighbors::Rows(_) => {
                source.neighborhood.apply(number, current.row_mut(0));
                current.set_figures(0, figures);
                Ok(())
            }
            Neighbors::Moves(LookAhead { incumbent, .. }) => {
                incumbent.list.clear();
                source.neighborhood.add(number, current.row(0), &mut incumbent.list);
                incumbent.apply(current, 0, figures.0)
            }
        }
    }
}

/// Finds the best neighbours by evaluating whole genomes, one batch of rows at a time.
fn best_rows<G: Gene, A: Admit<G>>(
    source: &mut Listed,
    current: &Population<G>,
    batch: &mut Population<G>,
    trial: &mut Trial<'_, G>,
    rule: &A,
) -> Result<(), Halt> {
    let Listed { neighborhood, scope, best, figures, .. } = source;
    let (mut lowest, mut first) = ((f64::INFINITY, f64::INFINITY), 0);
    let is_constrained = !current.violations.is_empty();
    best.clear();
    figures.clear();
    while first < neighborhood.count_in(*scope) {
        trial.clock.check()?;
        let rows = (neighborhood.count_in(*scope) - first).min(batch.rows() as u64) as usize;
        for row in 0..rows {
            batch.copy_pairs(current, once((row, 0)));
            neighborhood
                .apply(neighborhood.number_in(*scope, first + row as u64), batch.row_mut(row));
        }
        trial.evaluate_rows(batch, rows)?;
        for row in 0..rows {
            let (number, figures_of) = (first + row as u64, batch.figures_of(row));
            if !A::ALL
                && !rule.admits(neighborhood, number, current.row(0), figures_of, &trial.ranking)
            {
                continue;
            }
            let key = trial.ranking.key(batch, row);
            if key < lowest {
                lowest = key;
                best.clear();
                figures.clear();
            }
            if key == lowest {
                if is_constrained || best.is_empty() {
                    figures.push(figures_of);
                }
                best.push(number as u32);
            }
        }
        first += rows as u64;
    }
    Ok(())
}

/// Finds the best neighbours by evaluating the moves to them.
fn best_moves<G: Gene, A: Admit<G>>(
    source: &mut Listed,
    current: &mut Population<G>,
    LookAhead { incumbent, .. }: &mut LookAhead<'_, G>,
    trial: &mut Trial<'_, G>,
    rule: &A,
) -> Result<(), Halt> {
    let Listed { neighborhood, scope, best, figures, .. } = source;
    let (mut lowest, mut first) = (f64::INFINITY, 0);
    best.clear();
    figures.clear();
    while first < neighborhood.count_in(*scope) {
        trial.clock.check()?;
        incumbent.list.clear();
        neighborhood.list_in(*scope, first, MOVES, current.row(0), &mut incumbent.list);
        let all = incumbent.list.count();
        incumbent.evaluate(current, trial.budget())?;
        trial.count_moves(current.row(0), &incumbent.moves(), &incumbent.fitness)?;
        if incumbent.fitness.len() < all {
            return Err(Halt::Stopped);
        }
        let numbered = incumbent.fitness.iter().zip(first..);
        let admitted = |(fitness, number): &(&f64, u64)| {
            rule.admits(neighborhood, *number, current.row(0), (**fitness, 0.0), &trial.ranking)
        };
        let found = match A::ALL {
            true => minimum(&incumbent.fitness),
            false => {
                numbered.clone().filter(admitted).map(|one| *one.0).fold(f64::INFINITY, f64::min)
            }
        };
        if found < lowest {
            lowest = found;
            best.clear();
        }
        if !A::ALL && found == lowest {
            let equal = numbered.filter(admitted).filter(|(fitness, _)| **fitness == lowest);
            best.extend(equal.map(|one| one.1 as u32));
        } else if found == lowest {
            let equal = incumbent.fitness.iter().zip(first as u32..);
            best.extend(equal.filter(|(fitness, _)| **fitness == lowest).map(|one| one.1));
        }
        first += all as u64;
    }
    figures.extend((!best.is_empty()).then_some((lowest, 0.0)));
    Ok(())
}
