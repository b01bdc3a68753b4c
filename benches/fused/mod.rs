//! Loops written by hand for n queens in rows, as one would who needs nothing else: no plugin, no choice of operators.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;
use std::time::Instant;

/// One-point crossover to one child, reset of one gene in 3 % of the children, generational.
pub struct Fused {
    pub n: usize,
    pub population: usize,
    /// A tournament of so many, or a wheel on n(n-1)/2 - clashes.
    pub tournament: Option<usize>,
    pub generations: u64,
}

impl Fused {
    /// Evaluations a second.
    pub fn rate(&self, seeds: Range<u64>) -> f64 {
        let (started, mut evaluations) = (Instant::now(), 0);
        for seed in seeds {
            let mut search = Search::new(self, seed);
            for _ in 0..self.generations {
                search.generation();
            }
            evaluations += (self.generations + 1) * self.population as u64;
            assert!(search.cost.iter().all(|cost| *cost < u32::MAX));
        }
        evaluations as f64 / started.elapsed().as_secs_f64()
    }

    /// The mean fitness of the last 50 generations of some trials, one number a trial.
    pub fn settled(&self, trials: u64) -> Vec<f64> {
        let mean = |seed| {
            let mut search = Search::new(self, seed);
            let mut sum = 0.0;
            for generation in 1..=self.generations {
                search.generation();
                if generation > self.generations - 50 {
                    sum += search.cost.iter().sum::<u32>() as f64 / self.population as f64;
                }
            }
            sum / 50.0
        };
        (0..trials).map(mean).collect()
    }
}

struct Search<'a> {
    fused: &'a Fused,
    random: Xoshiro256PlusPlus,
    boards: Vec<u8>,
    children: Vec<u8>,
    cost: Vec<u32>,
    wheel: Vec<u32>,
    lines: Vec<u8>,
}

impl<'a> Search<'a> {
    fn new(fused: &'a Fused, seed: u64) -> Self {
        let (n, size) = (fused.n, fused.population);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let boards = (0..n * size).map(|_| below(&mut random, n) as u8).collect();
        let mut search = Search {
            fused,
            random,
            boards,
            children: vec![0; n * size],
            cost: vec![0; size],
            wheel: vec![0; size],
            lines: vec![0; 5 * n],
        };
        search.evaluate();
        search
    }

    fn generation(&mut self) {
        let (n, size) = (self.fused.n, self.fused.population);
        let most = (n * (n - 1) / 2) as u32;
        let mut total = 0;
        for (sum, cost) in self.wheel.iter_mut().zip(&self.cost) {
            total += most - cost;
            *sum = total;
        }
        for child in 0..size {
            let (one, other) = (self.parent(total), self.parent(total));
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

    fn parent(&mut self, total: u32) -> usize {
        match self.fused.tournament {
            None => {
                let point = below(&mut self.random, total as usize) as u32;
                self.wheel.partition_point(|sum| *sum <= point)
            }
            Some(size) => {
                let mut best = below(&mut self.random, self.fused.population);
                for _ in 1..size {
                    let rival = below(&mut self.random, self.fused.population);
                    best = if self.cost[rival] < self.cost[best] { rival } else { best };
                }
                best
            }
        }
    }

    /// Queens of the same row and diagonals are counted as they come.
    fn evaluate(&mut self) {
        let n = self.fused.n;
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

/// Uniform below a bound.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}
