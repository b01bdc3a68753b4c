//! Moves: what the cut gains if a vertex changes its side.
//!
//! The state has the cut, then the gain of each vertex: the weight of its edges within its side,
//! less that of its edges to the other side. A move changes the gains of the neighbours alone.

use crate::problem::Cuts;
use runner_plugin::{Incremental, Moves};

impl Incremental for Cuts {
    type Number = i64;

    fn state_length(&self) -> usize {
        1 + self.graph.vertices()
    }

    fn build(&self, sides: &[u8], state: &mut [i64]) {
        let (cut, gains) = state.split_at_mut(1);
        cut[0] = self.graph.cut(sides);
        for (vertex, gain) in gains.iter_mut().enumerate() {
            let signed = |(other, weight): &(u32, i64)| match sides[*other as usize] {
                side if side == sides[vertex] => *weight,
                _ => -weight,
            };
            *gain = self.graph.neighbors(vertex).iter().map(signed).sum();
        }
    }

    fn state_fitness(&self, _: &[u8], state: &[i64]) -> f64 {
        -state[0] as f64
    }

    fn change(&self, sides: &mut [u8], state: &mut [i64], vertex: usize, side: u8) {
        if sides[vertex] == side {
            return;
        }
        let (cut, gains) = state.split_at_mut(1);
        cut[0] += gains[vertex];
        gains[vertex] = -gains[vertex];
        sides[vertex] = side;
        for (other, weight) in self.graph.neighbors(vertex) {
            let joins = sides[*other as usize] == side;
            gains[*other as usize] += if joins { 2 * weight } else { -2 * weight };
        }
    }

    fn evaluate_moves(
        &self,
        sides: &mut [u8],
        state: &mut [i64],
        moves: &Moves<'_, u8>,
        fitness: &mut [f64],
    ) {
        let Moves::Single { positions, values } = moves else {
            return self.evaluate_one_by_one(sides, state, moves, fitness);
        };
        for ((position, value), fitness) in positions.iter().zip(*values).zip(fitness) {
            let vertex = *position as usize;
            let gain = if sides[vertex] == *value { 0 } else { state[1 + vertex] };
            *fitness = -(state[0] + gain) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use runner_plugin::Problem;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn moves_have_the_fitness_of_whole_genomes() {
        let mut rng = InstanceRng::new(3);
        let graph = Graph::random(20, 0.4, &mut rng, |rng| rng.within(-5, 5));
        let cuts = Cuts { graph, side: None };
        let mut sides: Vec<u8> = (0..20).map(|_| rng.below(2) as u8).collect();
        let mut state = vec![7; cuts.state_length()];
        cuts.build(&sides, &mut state);
        for _ in 0..300 {
            let positions: Vec<u32> = (0..20).collect();
            let values: Vec<u8> = (0..20).map(|_| rng.below(2) as u8).collect();
            let moves = Moves::Single { positions: &positions, values: &values };
            let mut fitness = vec![f64::NAN; 20];
            cuts.evaluate_moves(&mut sides, &mut state, &moves, &mut fitness);
            for (vertex, fitness) in fitness.iter().enumerate() {
                let mut other = sides.clone();
                other[vertex] = values[vertex];
                assert_eq!(*fitness, cuts.fitness(&other));
            }
            cuts.apply(&mut sides, &mut state, &moves, rng.below(20) as usize);
            let mut anew = vec![0; state.len()];
            cuts.build(&sides, &mut anew);
            assert_eq!(state, anew);
        }
    }
}
