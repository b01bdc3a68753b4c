//! Hand-written searches, each for one problem and one setting: no plugin, no choice of operators.

pub(crate) mod limit;
pub(crate) mod paper;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

/// A search that runs generation by generation; made, it has its first population.
pub(crate) trait Loop {
    fn generation(&mut self);
    /// What tells whether it searches as the runner does: the population's mean fitness, or the
    /// best so far.
    fn mean(&self) -> f64;
}

/// How a loop is made from a seed.
pub(crate) type Make = fn(u64) -> Box<dyn Loop>;

/// Seconds that trials of so many generations take.
pub(crate) fn seconds(make: Make, generations: u64, trials: std::ops::Range<u64>) -> f64 {
    let started = Instant::now();
    for seed in trials {
        let mut search = make(seed);
        (0..generations).for_each(|_| search.generation());
        assert!(search.mean().is_finite());
    }
    started.elapsed().as_secs_f64()
}

/// What each of some trials settles at: the mean over its last generations.
pub(crate) fn settled(make: Make, generations: u64, last: u64, trials: u64) -> Vec<f64> {
    let settle = |seed| {
        let mut search = make(seed);
        (0..generations - last).for_each(|_| search.generation());
        let one = |_| {
            search.generation();
            search.mean()
        };
        (0..last).map(one).sum::<f64>() / last as f64
    };
    (0..trials).map(settle).collect()
}

/// n queens as you would write it if you needed nothing else: in rows with one-point crossover to
/// one child and reset of one gene in 3 % of the children, or as permutations with partially mapped
/// crossover and a swap in 3 %; generational.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub n: usize,
    pub population: usize,
    pub permutation: bool,
    /// Tournament size, or `None` for a wheel with weights n(n-1)/2 - clashes.
    pub tournament: Option<usize>,
}

impl Plain {
    pub(crate) fn search(self, seed: u64) -> Box<dyn Loop> {
        Box::new(Search::new(self, seed))
    }
}

struct Search {
    plain: Plain,
    random: Xoshiro256PlusPlus,
    boards: Vec<u8>,
    children: Vec<u8>,
    cost: Vec<u32>,
    wheel: Vec<u32>,
    lines: Vec<u8>,
    /// Where each row is, in a board that is a permutation.
    places: Vec<usize>,
}

impl Search {
    fn new(plain: Plain, seed: u64) -> Self {
        let (n, size) = (plain.n, plain.population);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut boards: Vec<u8> = (0..n * size).map(|_| below(&mut random, n) as u8).collect();
        if plain.permutation {
            for board in boards.chunks_exact_mut(n) {
                board.iter_mut().enumerate().for_each(|(place, row)| *row = place as u8);
                for last in (1..n).rev() {
                    board.swap(last, below(&mut random, last + 1));
                }
            }
        }
        let mut search = Search {
            plain,
            random,
            boards,
            children: vec![0; n * size],
            cost: vec![0; size],
            wheel: vec![0; size],
            lines: vec![0; 5 * n],
            places: vec![0; n],
        };
        search.evaluate();
        search
    }

    fn parent(&mut self, total: u32) -> usize {
        match self.plain.tournament {
            None => {
                let point = below(&mut self.random, total as usize) as u32;
                self.wheel.partition_point(|sum| *sum <= point)
            }
            Some(size) => {
                let mut best = below(&mut self.random, self.plain.population);
                for _ in 1..size {
                    let rival = below(&mut self.random, self.plain.population);
                    best = if self.cost[rival] < self.cost[best] { rival } else { best };
                }
                best
            }
        }
    }

    /// A segment of rows comes from the second parent, by exchanges; then perhaps two are swapped.
    fn cross_permutations(&mut self, child: usize, one: usize, other: usize) {
        let n = self.plain.n;
        let (from, to) = loop {
            let (a, b) = (below(&mut self.random, n + 1), below(&mut self.random, n + 1));
            if a != b && a.abs_diff(b) < n {
                break (a.min(b), a.max(b));
            }
        };
        let row = &mut self.children[child * n..][..n];
        row.copy_from_slice(&self.boards[one * n..][..n]);
        for (place, gene) in row.iter().enumerate() {
            self.places[usize::from(*gene)] = place;
        }
        for place in from..to {
            let (wanted, displaced) = (self.boards[other * n + place], row[place]);
            let found = self.places[usize::from(wanted)];
            row.swap(place, found);
            self.places[usize::from(displaced)] = found;
        }
        if below(&mut self.random, 100) < 3 {
            let first = below(&mut self.random, n);
            let second = below(&mut self.random, n - 1);
            row.swap(first, second + usize::from(second >= first));
        }
    }

    /// Queens of the same row and diagonals are counted as they come.
    fn evaluate(&mut self) {
        let n = self.plain.n;
        for (board, cost) in self.boards.chunks_exact(n).zip(&mut self.cost) {
            self.lines.fill(0);
            *cost = 0;
            for (column, row) in board.iter().enumerate() {
                let row = usize::from(*row);
                for line in [row, n + column + row, 4 * n + row - column - 1] {
                    *cost += u32::from(self.lines[line]);
                    self.lines[line] += 1;
                }
            }
        }
    }
}

impl Loop for Search {
    fn generation(&mut self) {
        let (n, size) = (self.plain.n, self.plain.population);
        let most = (n * (n - 1) / 2) as u32;
        let mut total = 0;
        for (sum, cost) in self.wheel.iter_mut().zip(&self.cost) {
            total += most - cost;
            *sum = total;
        }
        for child in 0..size {
            let (one, other) = (self.parent(total), self.parent(total));
            if self.plain.permutation {
                self.cross_permutations(child, one, other);
                continue;
            }
            let cut = 1 + below(&mut self.random, n - 1);
            let row = &mut self.children[child * n..][..n];
            row[..cut].copy_from_slice(&self.boards[one * n..][..cut]);
            row[cut..].copy_from_slice(&self.boards[other * n + cut..][..n - cut]);
            if below(&mut self.random, 100) < 3 {
                let column = below(&mut self.random, n);
                let shift = 1 + below(&mut self.random, n - 1);
                row[column] = ((usize::from(row[column]) + shift) % n) as u8;
            }
        }
        std::mem::swap(&mut self.boards, &mut self.children);
        self.evaluate();
    }

    fn mean(&self) -> f64 {
        f64::from(self.cost.iter().sum::<u32>()) / self.plain.population as f64
    }
}

/// Uniform below a bound.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}
