//! Moves: values by what changes. All are whole numbers, or follow from them.

use crate::landscape::{self, TRAP};
use crate::layer::Layer;
use crate::problem::{Function, Pbo};
use runner_plugin::{Incremental, Moves};

impl Incremental for Pbo {
    /// First the count that the value follows from.
    type Number = i64;

    fn state_length(&self) -> usize {
        match &self.function {
            // The energy, and the autocorrelation of each distance from 1.
            Function::Labs => self.n,
            // Chosen vertices, and edges between them.
            Function::IndependentSet => 2,
            // Queens, those too many, and the queens of each line.
            Function::Queens { side } => 2 + 6 * side - 2,
            _ => 1,
        }
    }

    fn build(&self, genome: &[u8], state: &mut [i64]) {
        state.fill(0);
        match &self.function {
            Function::LeadingOnes(layer) => state[0] = leading(layer, genome, 0),
            Function::Labs => {
                for distance in 1..self.n {
                    let pairs = genome.iter().zip(&genome[distance..]);
                    state[distance] = pairs.map(|(one, other)| sign(*one) * sign(*other)).sum();
                }
                state[0] = state[1..].iter().map(|sum| sum * sum).sum();
            }
            Function::Trap => {
                state[0] =
                    genome.chunks_exact(TRAP).map(landscape::shortfall).sum::<usize>() as i64;
            }
            Function::Nk(landscape) => state[0] = landscape.sum(genome),
            Function::OneMax(layer) => {
                state[0] =
                    (0..layer.bits(self.n)).map(|bit| i64::from(layer.bit(genome, bit))).sum();
            }
            // All zeros or all alike, and then gene by gene.
            function => {
                let mut zeros = vec![0; genome.len()];
                state[0] = match function {
                    Function::IsingRing => self.n as i64,
                    Function::IsingTorus { .. } => 2 * self.n as i64,
                    Function::IsingTriangular { .. } => 3 * self.n as i64,
                    _ => 0,
                };
                for (position, gene) in genome.iter().enumerate() {
                    self.change(&mut zeros, state, position, *gene);
                }
            }
        }
    }

    fn state_fitness(&self, _: &[u8], state: &[i64]) -> f64 {
        let count = state[0];
        let value = match &self.function {
            Function::Trap => return count as f64 / TRAP as f64,
            Function::OneMax(layer) | Function::LeadingOnes(layer) => layer.worth(count as usize),
            Function::Labs => landscape::merit_of(self.n, count),
            Function::IndependentSet => count as f64 - (self.n & !1) as f64 * state[1] as f64,
            Function::Queens { side } => count as f64 - *side as f64 * state[1] as f64,
            Function::Jump { gap } => landscape::jump_of(self.n, self.n - count as usize, *gap),
            Function::Nk(_) => -landscape::mean_of(self.n, count),
            _ => count as f64,
        };
        self.fitness_of(value)
    }

    fn change(&self, genome: &mut [u8], state: &mut [i64], position: usize, gene: u8) {
        if genome[position] == gene {
            return;
        }
        match &self.function {
            Function::OneMax(layer) => {
                let Some(first) = layer.first_bit(position, self.n) else {
                    genome[position] = gene;
                    return;
                };
                let bits = first..first + layer.together(first, self.n);
                let ones = |genome: &[u8]| -> i64 {
                    bits.clone().map(|bit| i64::from(layer.bit(genome, bit))).sum()
                };
                let before = ones(genome);
                genome[position] = gene;
                state[0] += ones(genome) - before;
            }
            Function::LeadingOnes(layer) => {
                genome[position] = gene;
                if let Some(first) = layer.first_bit(position, self.n) {
                    self.change_leading(layer, genome, &mut state[0], first);
                }
            }
            Function::Linear => {
                genome[position] = gene;
                state[0] += (2 * i64::from(gene) - 1) * (position as i64 + 1);
            }
            Function::Jump { .. } => {
                genome[position] = gene;
                state[0] += 2 * i64::from(gene) - 1;
            }
            Function::Labs => flip_in_sequence(genome, state, position),
            Function::IsingRing => {
                let n = self.n;
                self.flip_spin(
                    genome,
                    state,
                    position,
                    &[(position + n - 1) % n, (position + 1) % n],
                );
            }
            Function::IsingTorus { side } => {
                let near = neighbors(*side, position);
                self.flip_spin(genome, state, position, &near[..4]);
            }
            Function::IsingTriangular { side } => {
                self.flip_spin(genome, state, position, &neighbors(*side, position));
            }
            Function::IndependentSet => flip_vertex(genome, state, position),
            Function::Queens { side } => flip_queen(*side, genome, state, position),
            Function::Trap => {
                let trap = position / TRAP * TRAP..position / TRAP * TRAP + TRAP;
                state[0] -= landscape::shortfall(&genome[trap.clone()]) as i64;
                genome[position] = gene;
                state[0] += landscape::shortfall(&genome[trap]) as i64;
            }
            Function::Nk(landscape) => landscape.flip(genome, &mut state[0], position),
        }
    }

    fn evaluate_moves(
        &self,
        genome: &mut [u8],
        state: &mut [i64],
        moves: &Moves<'_, u8>,
        fitness: &mut [f64],
    ) {
        if let Function::LeadingOnes(Layer::Plain | Layer::Ruggedness(_)) = self.function {
            for (number, fitness) in fitness.iter_mut().enumerate() {
                let ones = leading_after(genome, state[0], moves, number);
                *fitness = self.state_fitness(genome, &[ones]);
            }
            return;
        }
        if !is_sum(&self.function) {
            return self.evaluate_one_by_one(genome, state, moves, fitness);
        }
        let is_linear = matches!(self.function, Function::Linear);
        for (number, fitness) in fitness.iter_mut().enumerate() {
            let mut count = state[0];
            moves.changes(number, genome, |position, gene| {
                let weight = if is_linear { position as i64 + 1 } else { 1 };
                count += weight * (i64::from(gene) - i64::from(genome[position]));
            });
            *fitness = self.state_fitness(genome, &[count]);
        }
    }
}

/// Whether the count is a sum over the genes, each with a weight of its own.
fn is_sum(function: &Function) -> bool {
    matches!(
        function,
        Function::OneMax(Layer::Plain | Layer::Ruggedness(_))
            | Function::Linear
            | Function::Jump { .. }
    )
}

/// Leading ones of a layer's bits, of which those before `from` are ones.
fn leading(layer: &Layer, genome: &[u8], from: usize) -> i64 {
    let bits = from..layer.bits(genome.len());
    (from + bits.take_while(|bit| layer.bit(genome, *bit) == 1).count()) as i64
}

/// Leading ones of a genome after a move, which has so many before it.
fn leading_after(genome: &[u8], ones: i64, moves: &Moves<'_, u8>, number: usize) -> i64 {
    let mut leading = ones as usize;
    moves.changes(number, genome, |position, gene| {
        if gene == 0 && position < leading {
            leading = position;
        }
    });
    if leading < ones as usize {
        return leading as i64;
    }
    while let Some(mut gene) = genome.get(leading).copied() {
        moves.changes(number, genome, |position, value| {
            if position == leading {
                gene = value;
            }
        });
        if gene == 0 {
            break;
        }
        leading += 1;
    }
    leading as i64
}

fn sign(gene: u8) -> i64 {
    2 * i64::from(gene) - 1
}

/// The other gene has changed already.
impl Pbo {
    /// Bits from `first` on, as many as go together, may have changed.
    fn change_leading(&self, layer: &Layer, genome: &[u8], ones: &mut i64, first: usize) {
        let end = first + layer.together(first, self.n);
        if (*ones as usize) < first {
            return;
        }
        match (first..end).find(|bit| layer.bit(genome, *bit) == 0) {
            Some(zero) => *ones = zero as i64,
            // They were all ones before, if the ones went on beyond them.
            None if *ones as usize > end => {}
            None => *ones = leading(layer, genome, end),
        }
    }

    /// A place may be its own neighbour: it is alike whatever it is.
    fn flip_spin(&self, genome: &mut [u8], state: &mut [i64], position: usize, near: &[usize]) {
        let own = genome[position];
        for other in near.iter().filter(|other| **other != position) {
            state[0] += if genome[*other] == own { -1 } else { 1 };
        }
        genome[position] = 1 - own;
    }
}

/// A flipped sign changes the products with the genes at each distance to both sides.
fn flip_in_sequence(genome: &mut [u8], state: &mut [i64], position: usize) {
    let own = sign(genome[position]);
    for (distance, sum) in state.iter_mut().enumerate().skip(1) {
        let before = position.checked_sub(distance).map_or(0, |place| sign(genome[place]));
        let after = genome.get(position + distance).map_or(0, |gene| sign(*gene));
        *sum -= 2 * own * (before + after);
    }
    genome[position] ^= 1;
    state[0] = state[1..].iter().map(|sum| sum * sum).sum();
}

/// Neighbours of a square on a torus: right, below, left, above, and on the triangular lattice the
/// two on the falling diagonal.
fn neighbors(side: usize, position: usize) -> [usize; 6] {
    let (row, column) = (position / side, position % side);
    let (below, right) = ((row + 1) % side, (column + 1) % side);
    let (above, left) = ((row + side - 1) % side, (column + side - 1) % side);
    [
        row * side + right,
        below * side + column,
        row * side + left,
        above * side + column,
        below * side + right,
        above * side + left,
    ]
}

/// The graph of [`independent_set`](crate::graph::independent_set), from both ends of its edges.
fn flip_vertex(genome: &mut [u8], state: &mut [i64], position: usize) {
    let count = genome.len() & !1;
    let (half, vertex) = (count / 2, position + 1);
    let flip = 1 - 2 * i64::from(genome[position]);
    genome[position] ^= 1;
    if vertex > count {
        return;
    }
    state[0] += flip;
    let mut joined = |is_edge: bool, other: usize| {
        if is_edge {
            state[1] += flip * i64::from(genome[other - 1]);
        }
    };
    joined(vertex != half && vertex < count, vertex + 1);
    joined(vertex > 1 && vertex - 1 != half, vertex - 1);
    joined(vertex < half, vertex + half + 1);
    joined(vertex > half + 1 && vertex - half - 1 < half, vertex.wrapping_sub(half + 1));
    joined((2..=half).contains(&vertex), (vertex + half).wrapping_sub(1));
    let lower = (vertex + 1).wrapping_sub(half);
    joined(vertex + 1 > half && (2..=half).contains(&lower), lower);
}

/// A line with c queens has c - 1 too many, if it has any.
fn flip_queen(side: usize, genome: &mut [u8], state: &mut [i64], position: usize) {
    let (row, column) = (position / side, position % side);
    let diagonals = 2 * side;
    let lines = [
        row,
        side + column,
        diagonals + row + column,
        diagonals + 2 * side - 1 + row + side - 1 - column,
    ];
    let flip = 1 - 2 * i64::from(genome[position]);
    genome[position] ^= 1;
    state[0] += flip;
    for line in lines {
        let queens = &mut state[2 + line];
        let before = (*queens - 1).max(0);
        *queens += flip;
        let after = (*queens - 1).max(0);
        state[1] += after - before;
    }
}
