//! Moves: the zeros that come and go.

use crate::{OneMax, zeros};
use runner_plugin::{Incremental, Moves};

/// The state is the number of zeros.
impl Incremental for OneMax {
    type Number = i64;

    fn state_length(&self) -> usize {
        1
    }

    fn build(&self, genome: &[u8], state: &mut [i64]) {
        state[0] = zeros::count(genome) as i64;
    }

    fn state_fitness(&self, _: &[u8], state: &[i64]) -> f64 {
        state[0] as f64
    }

    fn change(&self, genome: &mut [u8], state: &mut [i64], position: usize, bit: u8) {
        state[0] += i64::from(genome[position]) - i64::from(bit);
        genome[position] = bit;
    }

    fn evaluate_moves(
        &self,
        genome: &mut [u8],
        state: &mut [i64],
        moves: &Moves<'_, u8>,
        fitness: &mut [f64],
    ) {
        let (zeros, genome) = (state[0], &*genome);
        let gained = |position: u32, bit: u8| i64::from(genome[position as usize]) - i64::from(bit);
        match *moves {
            Moves::Single { positions, values } => {
                for ((position, bit), fitness) in positions.iter().zip(values).zip(fitness) {
                    *fitness = (zeros + gained(*position, *bit)) as f64;
                }
            }
            Moves::Several { starts, positions, values } => {
                for (ends, fitness) in starts.windows(2).zip(fitness) {
                    let changes = ends[0] as usize..ends[1] as usize;
                    let of_move = positions[changes.clone()].iter().zip(&values[changes]);
                    let gained = of_move.map(|(position, bit)| gained(*position, *bit));
                    *fitness = (zeros + gained.sum::<i64>()) as f64;
                }
            }
            // The other moves leave the number of zeros as it is.
            _ => fitness.fill(zeros as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_plugin::Problem;

    /// Every move of up to three bits of genomes of some lengths, and what they make of the state.
    #[test]
    fn moves_have_the_fitness_of_whole_genomes() {
        for length in [1, 2, 3, 64, 65, 1000] {
            let problem = OneMax { length, noise: 0.0 };
            let mut genome: Vec<u8> = (0..length).map(|i| (i * i / 3 % 2) as u8).collect();
            let mut state = [9];
            problem.build(&genome, &mut state);
            let places: Vec<u32> = (0..length as u32).collect();
            let bits: Vec<u8> = (0..length).map(|i| (i / 2 % 2) as u8).collect();
            let starts: Vec<u32> = (0..=length as u32).step_by(3.min(length)).collect();
            let changes = *starts.last().expect("an end") as usize;
            let (positions, values) = (&places[..changes], &bits[..changes]);
            for moves in [
                Moves::Single { positions: &places, values: &bits },
                Moves::Several { starts: &starts, positions, values },
            ] {
                let mut fitness = vec![0.0; moves.count()];
                problem.evaluate_moves(&mut genome, &mut state, &moves, &mut fitness);
                for (number, fitness) in fitness.into_iter().enumerate() {
                    let (mut other, mut changed) = (genome.clone(), state);
                    problem.apply(&mut other, &mut changed, &moves, number);
                    assert_eq!(fitness, problem.fitness(&other));
                    assert_eq!(fitness, problem.state_fitness(&other, &changed));
                }
            }
        }
    }
}
