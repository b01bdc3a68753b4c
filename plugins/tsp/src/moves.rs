//! Moves: the length of a tour after two cities exchange their places, from the ways around them.

use crate::problem::Tours;
use runner_plugin::{Gene, Incremental, Moves};

impl<G: Gene> Tours<G> {
    /// Returns the sum of the ways to and from the cities at two places, each way once.
    #[inline]
    fn around(&self, tour: &[G], one: usize, other: usize) -> i64 {
        let last = tour.len() - 1;
        let before = |place: usize| if place == 0 { last } else { place - 1 };
        let way = |place: usize| {
            let next = if place == last { 0 } else { place + 1 };
            self.distances.way(tour[place].to_index(), tour[next].to_index())
        };
        // The ways that begin at these places, each once.
        let starts = [before(one), one, before(other), other];
        let fresh = |number: &usize| !starts[..*number].contains(&starts[*number]);
        (0..4).filter(fresh).map(|number| way(starts[number])).sum()
    }
}

impl<G: Gene> Incremental for Tours<G> {
    type Number = i64;

    /// The length of the tour.
    fn state_length(&self) -> usize {
        1
    }

    fn build(&self, tour: &[G], state: &mut [i64]) {
        state[0] = self.length(tour);
    }

    fn state_fitness(&self, _: &[G], state: &[i64]) -> f64 {
        state[0] as f64
    }

    fn change(&self, tour: &mut [G], state: &mut [i64], position: usize, value: G) {
        let before = self.around(tour, position, position);
        tour[position] = value;
        state[0] += self.around(tour, position, position) - before;
    }

    fn evaluate_moves(
        &self,
        tour: &mut [G],
        state: &mut [i64],
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) {
        let Moves::Exchange { pairs } = moves else {
            return self.evaluate_one_by_one(tour, state, moves, fitness);
        };
        for (pair, fitness) in pairs.iter().zip(fitness) {
            let [one, other] = pair.map(|place| place as usize);
            let before = self.around(tour, one, other);
            tour.swap(one, other);
            *fitness = (state[0] + self.around(tour, one, other) - before) as f64;
            tour.swap(one, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distances::Distances;
    use runner_plugin::Problem;

    #[test]
    fn every_exchange_has_the_length_of_the_whole_tour() {
        // Also where the ways back are other ways.
        let one_way = |n: usize| {
            let table = (0..n * n).map(|entry| (entry as u32 * 7919) % 101).collect();
            Distances::of_table(n, table, Vec::new())
        };
        for n in [3, 4, 5, 9] {
            for distances in [Distances::random(n, 1), one_way(n)] {
                let tours = Tours::<u8>::of(distances);
                let mut tour: Vec<u8> = (0..n as u8).rev().collect();
                let mut state = [0];
                tours.build(&tour, &mut state);
                let pairs: Vec<[u32; 2]> = (0..n as u32)
                    .flat_map(|one| (0..n as u32).map(move |other| [one, other]))
                    .filter(|[one, other]| one != other)
                    .collect();
                let moves = Moves::Exchange { pairs: &pairs };
                let mut fitness = vec![f64::NAN; pairs.len()];
                tours.evaluate_moves(&mut tour, &mut state, &moves, &mut fitness);
                for (number, fitness) in fitness.iter().enumerate() {
                    let (mut other, mut changed) = (tour.clone(), state);
                    tours.apply(&mut other, &mut changed, &moves, number);
                    assert_eq!(*fitness, tours.fitness(&other), "{n} {:?}", pairs[number]);
                    assert_eq!(changed[0] as f64, *fitness);
                }
            }
        }
    }
}
