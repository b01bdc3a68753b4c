//! Moves: the state counts the satisfied literals of each clause, so that a flip looks at the
//! clauses of its variable alone.

use crate::problem::Assignments;
use runner_plugin::{Incremental, Moves};

/// Number of halves of the weight of unsatisfied clauses, which comes before the counts.
const FIRST: usize = 2;

fn weight(state: &[u32]) -> i64 {
    i64::from(state[0]) | i64::from(state[1]) << 32
}

fn set_weight(state: &mut [u32], weight: i64) {
    (state[0], state[1]) = (weight as u32, (weight >> 32) as u32);
}

impl Incremental for Assignments {
    type Number = u32;

    fn state_length(&self) -> usize {
        FIRST + self.formula.clauses()
    }

    fn build(&self, values: &[u8], state: &mut [u32]) {
        set_weight(state, self.formula.unsatisfied(values));
        for (clause, count) in state[FIRST..].iter_mut().enumerate() {
            *count = self.formula.satisfied(clause, values) as u32;
        }
    }

    fn state_fitness(&self, _: &[u8], state: &[u32]) -> f64 {
        weight(state) as f64
    }

    fn change(&self, values: &mut [u8], state: &mut [u32], variable: usize, value: u8) {
        if values[variable] == value {
            return;
        }
        let mut weight = weight(state);
        values[variable] = value;
        for (clause, satisfying) in self.formula.occurrences(variable) {
            let count = &mut state[FIRST + *clause as usize];
            if *satisfying == value {
                if *count == 0 {
                    weight -= self.formula.weight(*clause as usize);
                }
                *count += 1;
            } else {
                *count -= 1;
                if *count == 0 {
                    weight += self.formula.weight(*clause as usize);
                }
            }
        }
        set_weight(state, weight);
    }

    fn evaluate_moves(
        &self,
        values: &mut [u8],
        state: &mut [u32],
        moves: &Moves<'_, u8>,
        fitness: &mut [f64],
    ) {
        let Moves::Single { positions, values: wanted } = moves else {
            return self.evaluate_one_by_one(values, state, moves, fitness);
        };
        let before = weight(state);
        for ((position, value), fitness) in positions.iter().zip(*wanted).zip(fitness) {
            let variable = *position as usize;
            let changed =
                if values[variable] == *value { 0 } else { self.changed(variable, *value, state) };
            *fitness = (before + changed) as f64;
        }
    }
}

impl Assignments {
    /// Returns the change of the unsatisfied weight if a variable takes its other value.
    fn changed(&self, variable: usize, value: u8, state: &[u32]) -> i64 {
        let one = |(clause, satisfying): &(u32, u8)| {
            let (count, clause) = (state[FIRST + *clause as usize], *clause as usize);
            match (*satisfying == value, count) {
                (true, 0) => -self.formula.weight(clause),
                (false, 1) => self.formula.weight(clause),
                _ => 0,
            }
        };
        self.formula.occurrences(variable).iter().map(one).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Clauses, Formula, Literal};
    use runner_plugin::Problem;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn moves_have_the_fitness_of_whole_genomes() {
        let (mut rng, mut clauses) = (InstanceRng::new(4), Clauses::new());
        // Short clauses of few variables: some are empty, many have a variable in both forms.
        for _ in 0..60 {
            for _ in 0..rng.within(0, 4) {
                let (variable, value) = (rng.below(8) as u32, rng.below(2) as u8);
                clauses.put(Literal { variable, value });
            }
            clauses.end(rng.within(0, 5));
        }
        let problem = Assignments { formula: Formula::new(8, clauses), ideal: None };
        let mut values: Vec<u8> = (0..8).map(|_| rng.below(2) as u8).collect();
        let mut state = vec![7; problem.state_length()];
        problem.build(&values, &mut state);
        for _ in 0..300 {
            let positions: Vec<u32> = (0..8).collect();
            let wanted: Vec<u8> = (0..8).map(|_| rng.below(2) as u8).collect();
            let moves = Moves::Single { positions: &positions, values: &wanted };
            let mut fitness = vec![f64::NAN; 8];
            problem.evaluate_moves(&mut values, &mut state, &moves, &mut fitness);
            for (variable, fitness) in fitness.iter().enumerate() {
                let mut other = values.clone();
                other[variable] = wanted[variable];
                assert_eq!(*fitness, problem.fitness(&other));
            }
            problem.apply(&mut values, &mut state, &moves, rng.below(8) as usize);
            let mut anew = vec![0; state.len()];
            problem.build(&values, &mut anew);
            assert_eq!(state, anew);
        }
    }
}
