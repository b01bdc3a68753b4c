//! A tuned loop for 8 queens only, which shows what is left to gain. Boards are words, weights are
//! small integers, and one random number makes a child; the plugin's own function, called directly,
//! counts the boards.

#[path = "../../plugins/nqueens/src/clashes.rs"]
#[allow(dead_code, unused_imports, reason = "only one of its functions is needed")]
mod clashes;

#[cfg(target_arch = "x86_64")]
#[path = "../../plugins/nqueens/src/eights.rs"]
mod eights;

use super::Loop;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const ROWS: usize = 100;
const WORST: usize = 28;

pub(crate) struct Limit {
    random: Xoshiro256PlusPlus,
    boards: [u64; ROWS],
    children: [u64; ROWS],
    fitness: [f64; ROWS],
    /// Each row as often as it weighs.
    wheel: Vec<u8>,
}

impl Limit {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut boards = [0; ROWS];
        // Eight rows of three bits, each in a byte.
        boards.fill_with(|| random.next_u64() & 0x0707_0707_0707_0707);
        let wheel = vec![0; (WORST + 1) * ROWS + 32];
        let mut limit = Limit { random, boards, children: [0; ROWS], fitness: [0.0; ROWS], wheel };
        limit.evaluate();
        limit
    }

    fn evaluate(&mut self) {
        let bytes: &[u8] = bytemuck::cast_slice(&self.boards);
        clashes::of_all_up_to_256(bytes, 8, false, 1, &mut self.fitness);
    }
}

impl Loop for Limit {
    fn generation(&mut self) {
        let mut total = 0;
        for (row, fitness) in (0u8..).zip(&self.fitness) {
            // More than the row weighs; the next row overwrites what is too much.
            self.wheel[total..][..32].fill(row);
            total += WORST - *fitness as usize;
        }
        for child in &mut self.children {
            let mut number = self.random.next_u64();
            let mut below = |bound: usize| {
                let product = u128::from(number) * bound as u128;
                number = product as u64;
                (product >> 64) as usize
            };
            let (one, other) = (self.wheel[below(total)], self.wheel[below(total)]);
            let mask = u64::MAX << (8 * (1 + below(7)));
            *child = self.boards[usize::from(one)] & !mask | self.boards[usize::from(other)] & mask;
            if below(1 << 16) < (3 << 16) / 100 {
                let column = 8 * (self.random.next_u64() & 7);
                let shift = 1 + ((u128::from(self.random.next_u64()) * 7) >> 64) as u64;
                let row = ((*child >> column) + shift) & 7;
                *child = *child & !(7 << column) | row << column;
            }
        }
        std::mem::swap(&mut self.boards, &mut self.children);
        self.evaluate();
    }

    fn mean(&self) -> f64 {
        self.fitness.iter().sum::<f64>() / ROWS as f64
    }
}
