//! Moves: the length of a tour after two cities exchange their places, a segment is reversed, or a
//! city is inserted elsewhere, from the ways that change.

use crate::problem::Tours;
use runner_plugin::{Gene, Incremental, MoveKinds, Moves};

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

    /// Returns how much longer the tour is once the cities from one place to a later one are
    /// reversed (Croes 1958, doi:10.1287/opre.6.6.791). Where ways back are other ways, it goes
    /// through the segment.
    #[inline]
    fn reversed(&self, tour: &[G], first: usize, last: usize) -> i64 {
        let way =
            |from: usize, to: usize| self.distances.way(tour[from].to_index(), tour[to].to_index());
        let within = match self.distances.is_symmetric {
            true => 0,
            false => (first..last).map(|place| way(place + 1, place) - way(place, place + 1)).sum(),
        };
        let end = tour.len() - 1;
        if first == 0 && last == end {
            // Between the last city and the first is a single way.
            return within + way(first, last) - way(last, first);
        }
        let before = if first == 0 { end } else { first - 1 };
        let after = if last == end { 0 } else { last + 1 };
        within + way(before, last) + way(first, after) - way(before, first) - way(last, after)
    }

    /// Returns how much longer the tour is once the city at `from` is at the place `to` (Or 1976).
    #[inline]
    fn inserted(&self, tour: &[G], from: usize, to: usize) -> i64 {
        let others = tour.len() - 1;
        // The other cities in their order, at places from 0.
        let other = |place: usize| tour[place + usize::from(place >= from)].to_index();
        let around = |place: usize| {
            let before = if place == 0 { others - 1 } else { place - 1 };
            (other(before), other(if place == others { 0 } else { place }))
        };
        let city = tour[from].to_index();
        let detour = |(before, after): (usize, usize)| {
            let way = |from, to| self.distances.way(from, to);
            way(before, city) + way(city, after) - way(before, after)
        };
        detour(around(to)) - detour(around(from))
    }
}

impl<G: Gene> Incremental for Tours<G> {
    type Number = i64;

    /// The length of the tour.
    fn state_length(&self) -> usize {
        1
    }

    /// Both kinds, each in constant time; where ways back are other ways, a reversal takes the time
    /// of its segment.
    fn move_kinds(&self) -> MoveKinds {
        MoveKinds::ALL
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
        match *moves {
            Moves::Exchange { pairs } => {
                for (pair, fitness) in pairs.iter().zip(fitness) {
                    let [one, other] = pair.map(|place| place as usize);
                    let before = self.around(tour, one, other);
                    tour.swap(one, other);
                    *fitness = (state[0] + self.around(tour, one, other) - before) as f64;
                    tour.swap(one, other);
                }
            }
            Moves::Reversal { pairs } => {
                for ([first, last], fitness) in pairs.iter().zip(fitness) {
                    let longer = self.reversed(tour, *first as usize, *last as usize);
                    *fitness = (state[0] + longer) as f64;
                }
            }
            Moves::Insertion { pairs } => {
                for ([from, to], fitness) in pairs.iter().zip(fitness) {
                    let longer = self.inserted(tour, *from as usize, *to as usize);
                    *fitness = (state[0] + longer) as f64;
                }
            }
            _ => self.evaluate_one_by_one(tour, state, moves, fitness),
        }
    }

    fn apply(&self, tour: &mut [G], state: &mut [i64], moves: &Moves<'_, G>, number: usize) {
        state[0] += match *moves {
            Moves::Reversal { pairs } => {
                let [first, last] = pairs[number].map(|place| place as usize);
                self.reversed(tour, first, last)
            }
            Moves::Insertion { pairs } => {
                let [from, to] = pairs[number].map(|place| place as usize);
                self.inserted(tour, from, to)
            }
            _ => return self.apply_by_changes(tour, state, moves, number),
        };
        moves.make(number, tour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distances::Distances;
    use runner_plugin::Problem;

    /// Distances whose ways back are other ways.
    fn one_way(n: usize) -> Distances {
        let table = (0..n * n).map(|entry| (entry as u32 * 7919) % 101).collect();
        Distances::of_table(n, table, Vec::new())
    }

    /// Asserts that all of these moves lead to the lengths of the whole tours.
    fn lead_to_whole_tours(distances: Distances, moves: &Moves<'_, u8>) {
        let n = distances.cities();
        let tours = Tours::<u8>::of(distances);
        let mut tour: Vec<u8> = (0..n as u8).rev().collect();
        tour.rotate_left(n / 3);
        let mut state = [0];
        tours.build(&tour, &mut state);
        let mut fitness = vec![f64::NAN; moves.count()];
        tours.evaluate_moves(&mut tour, &mut state, moves, &mut fitness);
        let mut one_by_one = fitness.clone();
        tours.evaluate_one_by_one(&mut tour, &mut state, moves, &mut one_by_one);
        assert_eq!(fitness, one_by_one);
        for (number, fitness) in fitness.iter().enumerate() {
            let mut whole = tour.clone();
            moves.make(number, &mut whole);
            assert_eq!(*fitness, tours.fitness(&whole), "{n}: move {number} of {moves:?}");
            for by_changes in [false, true] {
                let (mut other, mut changed) = (tour.clone(), state);
                match by_changes {
                    false => tours.apply(&mut other, &mut changed, moves, number),
                    true => tours.apply_by_changes(&mut other, &mut changed, moves, number),
                }
                assert_eq!((&other, changed[0] as f64), (&whole, *fitness));
            }
        }
    }

    #[test]
    fn every_move_has_the_length_of_the_whole_tour() {
        for n in [2, 3, 4, 5, 9] {
            let pairs: Vec<[u32; 2]> = (0..n as u32)
                .flat_map(|one| (0..n as u32).map(move |other| [one, other]))
                .filter(|[one, other]| one != other)
                .collect();
            let segments: Vec<[u32; 2]> =
                pairs.iter().copied().filter(|[first, last]| first < last).collect();
            for distances in [Distances::random(n, 1), one_way(n)] {
                assert_eq!(distances.is_symmetric, distances.way(0, 1) == distances.way(1, 0));
                for moves in [
                    Moves::Exchange { pairs: &pairs },
                    Moves::Reversal { pairs: &segments },
                    Moves::Insertion { pairs: &pairs },
                ] {
                    lead_to_whole_tours(distances.clone(), &moves);
                }
            }
        }
    }
}
