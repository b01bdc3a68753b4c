//! The genetic algorithm of Baljicki and Milović for Chess960, hand-written: one trial of 260
//! evaluations that keeps invalid ranks.

use super::{Loop, below};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const ROOK: u8 = 1;
const KNIGHT: u8 = 2;
const BISHOP: u8 = 3;
const QUEEN: u8 = 4;
const KING: u8 = 5;
const CLASSICAL: [u8; 8] = [ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK];
const SIZE: usize = 10;
const ELITE: usize = 5;

type Rank = [u8; 8];

pub(crate) struct Paper {
    random: Xoshiro256PlusPlus,
    ranks: [(u32, Rank); SIZE],
    best: u32,
}

/// The files of a piece that there are two of; those of the king and the queen twice.
fn files(rank: &Rank, piece: u8) -> (usize, usize) {
    let first = rank.iter().position(|other| *other == piece).unwrap_or(0);
    (first, rank.iter().rposition(|other| *other == piece).unwrap_or(0))
}

fn cost(rank: &Rank) -> u32 {
    let mut cost = 0;
    for piece in [ROOK, KNIGHT, BISHOP] {
        let ((a, b), (c, d)) = (files(rank, piece), files(&CLASSICAL, piece));
        cost += a.abs_diff(c) + b.abs_diff(d);
    }
    for (piece, file) in [(QUEEN, 3), (KING, 4)] {
        cost += files(rank, piece).0.abs_diff(file);
    }
    cost as u32
}

impl Paper {
    pub(crate) fn new(seed: u64) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut paper = Paper { random, ranks: [(0, [0; 8]); SIZE], best: u32::MAX };
        for place in 0..SIZE {
            let king = 1 + below(&mut paper.random, 6);
            let rooks =
                (below(&mut paper.random, king), king + 1 + below(&mut paper.random, 7 - king));
            let rank = paper.fill(king, rooks, None, [8, 8]);
            paper.ranks[place] = (cost(&rank), rank);
        }
        paper.note();
        paper
    }

    fn note(&mut self) {
        self.best = self.ranks.iter().map(|(cost, _)| *cost).min().unwrap_or(0).min(self.best);
    }

    /// A free file of the given colour, or any.
    fn free(&mut self, rank: &Rank, colour: Option<usize>) -> usize {
        loop {
            let file = below(&mut self.random, 8);
            if rank[file] == 0 && colour.is_none_or(|colour| file % 2 == colour) {
                return file;
            }
        }
    }

    fn fill(
        &mut self,
        king: usize,
        rooks: (usize, usize),
        bishops: Option<(usize, usize)>,
        queens: [usize; 2],
    ) -> Rank {
        let mut rank = [0; 8];
        rank[king] = KING;
        rank[rooks.0] = ROOK;
        rank[rooks.1] = ROOK;
        let (one, other) =
            bishops.unwrap_or_else(|| (self.free(&rank, Some(0)), self.free(&rank, Some(1))));
        rank[one] = BISHOP;
        rank[other] = BISHOP;
        let queen = queens.into_iter().find(|queen| *queen < 8 && rank[*queen] == 0);
        let queen = queen.unwrap_or_else(|| self.free(&rank, None));
        rank[queen] = QUEEN;
        rank.iter_mut().filter(|piece| **piece == 0).for_each(|piece| *piece = KNIGHT);
        rank
    }

    fn child(&mut self, p: &Rank, q: &Rank) -> Rank {
        let (p_king, q_king) = (files(p, KING).0, files(q, KING).0);
        let (p_rooks, q_rooks) = (files(p, ROOK), files(q, ROOK));
        let between = |king: usize, rooks: (usize, usize)| rooks.0 < king && king < rooks.1;
        let (king, rooks) = if between(p_king, q_rooks) {
            (p_king, q_rooks)
        } else if between(q_king, p_rooks) {
            (q_king, p_rooks)
        } else {
            (p_king, p_rooks)
        };
        let ((a, b), (c, d)) = (files(p, BISHOP), files(q, BISHOP));
        let fits = |(one, other): &(usize, usize)| {
            (one + other) % 2 == 1
                && [*one, *other].iter().all(|file| ![king, rooks.0, rooks.1].contains(file))
        };
        let bishops = [(a, d), (b, c), (a, c), (b, d), (c, d), (a, b)].into_iter().find(fits);
        self.fill(king, rooks, bishops, [files(q, QUEEN).0, files(p, QUEEN).0])
    }
}

impl Loop for Paper {
    fn generation(&mut self) {
        self.ranks.sort_by_key(|(cost, _)| *cost);
        let mut order: [(f64, usize); SIZE] = std::array::from_fn(|place| {
            let unit = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            (f64::from(self.ranks[place].0) * unit, place)
        });
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut children = [(0, [0; 8]); SIZE - ELITE];
        for (child, pair) in children.iter_mut().zip(order.chunks_exact(2)) {
            let (p, q) = (self.ranks[pair[0].1].1, self.ranks[pair[1].1].1);
            let mut rank = self.child(&p, &q);
            if below(&mut self.random, 10) == 0 {
                loop {
                    let (one, other) = (below(&mut self.random, 8), below(&mut self.random, 8));
                    if rank[one] != rank[other] {
                        rank.swap(one, other);
                        break;
                    }
                }
            }
            *child = (cost(&rank), rank);
        }
        self.ranks[ELITE..].copy_from_slice(&children);
        self.note();
    }

    /// The best so far: what a trial of the paper ends with.
    fn mean(&self) -> f64 {
        f64::from(self.best)
    }
}
