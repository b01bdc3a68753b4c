//! Moves: the cost after two facilities exchange their locations, from their rows and columns
//! (Taillard 1991, doi:10.1016/S0167-8191(05)80147-4).

use crate::problem::Assignments;
use runner_plugin::{Gene, Incremental, Moves};

impl<G: Gene> Assignments<G> {
    /// Returns the cost of all pairs with a facility.
    fn part(&self, locations: &[G], facility: usize) -> i64 {
        let (matrices, here) = (&self.matrices, locations[facility].to_index());
        let others = locations.iter().enumerate().filter(|(other, _)| *other != facility);
        let pairs = others.map(|(other, at)| {
            let at = at.to_index();
            matrices.flow(facility, other) * matrices.way(here, at)
                + matrices.flow(other, facility) * matrices.way(at, here)
        });
        pairs.sum::<i64>() + matrices.flow(facility, facility) * matrices.way(here, here)
    }

    /// Returns the change of the cost if two facilities exchange their locations.
    fn exchanged(&self, locations: &[G], [one, other]: [usize; 2]) -> i64 {
        let matrices = &self.matrices;
        let [here, there] = [one, other].map(|facility| locations[facility].to_index());
        let flow = |from, to| matrices.flow(from, to);
        let way = |from, to| matrices.way(from, to);
        let own = (flow(one, one) - flow(other, other)) * (way(there, there) - way(here, here))
            + (flow(one, other) - flow(other, one)) * (way(there, here) - way(here, there));
        let third = |(facility, at): (usize, &G)| {
            if facility == one || facility == other {
                return 0;
            }
            let at = at.to_index();
            (flow(facility, one) - flow(facility, other)) * (way(at, there) - way(at, here))
                + (flow(one, facility) - flow(other, facility)) * (way(there, at) - way(here, at))
        };
        own + locations.iter().enumerate().map(third).sum::<i64>()
    }
}

impl<G: Gene> Incremental for Assignments<G> {
    type Number = i64;

    /// The cost.
    fn state_length(&self) -> usize {
        1
    }

    fn build(&self, locations: &[G], state: &mut [i64]) {
        state[0] = self.cost(locations);
    }

    fn state_fitness(&self, _: &[G], state: &[i64]) -> f64 {
        state[0] as f64
    }

    fn change(&self, locations: &mut [G], state: &mut [i64], facility: usize, location: G) {
        state[0] -= self.part(locations, facility);
        locations[facility] = location;
        state[0] += self.part(locations, facility);
    }

    fn evaluate_moves(
        &self,
        locations: &mut [G],
        state: &mut [i64],
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) {
        let Moves::Exchange { pairs } = moves else {
            return self.evaluate_one_by_one(locations, state, moves, fitness);
        };
        for (pair, fitness) in pairs.iter().zip(fitness) {
            let pair = pair.map(|place| place as usize);
            *fitness = (state[0] + self.exchanged(locations, pair)) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::Matrices;
    use runner_plugin::Problem;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn every_exchange_has_the_cost_of_the_whole_assignment() {
        let mut rng = InstanceRng::new(6);
        let mut matrix = |n: usize| (0..n * n).map(|_| rng.within(-9, 9)).collect::<Vec<_>>();
        for n in [2, 3, 7] {
            let matrices = Matrices::new(n, matrix(n), matrix(n)).expect("small");
            let problem = Assignments::<u8>::of(matrices);
            let mut locations: Vec<u8> = (0..n as u8).rev().collect();
            let mut state = [0];
            problem.build(&locations, &mut state);
            let pairs: Vec<[u32; 2]> = (0..n as u32)
                .flat_map(|one| (0..n as u32).map(move |other| [one, other]))
                .filter(|[one, other]| one != other)
                .collect();
            let moves = Moves::Exchange { pairs: &pairs };
            let mut fitness = vec![f64::NAN; pairs.len()];
            problem.evaluate_moves(&mut locations, &mut state, &moves, &mut fitness);
            for (number, fitness) in fitness.iter().enumerate() {
                let (mut other, mut changed) = (locations.clone(), state);
                problem.apply(&mut other, &mut changed, &moves, number);
                assert_eq!(*fitness, problem.fitness(&other), "{n} {:?}", pairs[number]);
                assert_eq!(changed[0] as f64, *fitness);
            }
        }
    }
}
