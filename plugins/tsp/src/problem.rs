//! The problem: tours as permutations.

use crate::distances::Distances;
use crate::{edits, picture, tsplib};
use runner_plugin::data::DataText;
use runner_plugin::rand::seq::SliceRandom;
use runner_plugin::{
    Description, Gene, Instance, MoveCalls, Mutate, Parameter, Parameters, Plugin, Problem, Render,
    RowRng,
};
use std::marker::PhantomData;

/// The plugin `tsp`.
#[derive(Debug)]
pub struct TravellingSalesman;

/// An instance: genes of `u8` up to 256 cities, of `u16` beyond. Gene i is the city that is visited
/// as number i, from 0.
#[derive(Clone, Debug)]
pub struct Tours<G> {
    pub(crate) distances: Distances,
    gene: PhantomData<G>,
}

impl Plugin for TravellingSalesman {
    const NAME: &'static str = "tsp";
    const SUMMARY: &'static str =
        "Travelling salesman: the shortest round trip through all cities, of TSPLIB or random.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "Cities in the format of TSPLIB (Reinelt 1991): EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, \
            ATT and EXPLICIT, of the types TSP and ATSP. Without a file, n random cities.",
        )
        .optional(),
        Parameter::integer(
            "n",
            3..=65_536,
            "Number of random cities, at whole coordinates of a square with a side of 1,000,000; a \
            file has its own.",
        )
        .default_integer(30),
        Parameter::integer(
            "instance",
            0..=i64::MAX,
            "Seed of the random cities; a file has its own.",
        )
        .default_integer(1),
    ];
    type Problem = Tours<u8>;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let distances = match parameters.file("file") {
            Some(path) => {
                parameters.require_defaults(&["n", "instance"], "with a file")?;
                tsplib::parse(&DataText::read(path)?)?
            }
            None => {
                let n = parameters.integer("n") as usize;
                Distances::random(n, parameters.integer("instance"))
            }
        };
        if distances.cities() <= 1 << 8 {
            return Ok(Tours::<u8>::of(distances).into());
        }
        Ok(Tours::<u16>::of(distances).into())
    }
}

impl<G: Gene> Tours<G> {
    pub(crate) fn of(distances: Distances) -> Self {
        Tours { distances, gene: PhantomData }
    }

    /// Returns the length of a tour.
    pub(crate) fn length(&self, tour: &[G]) -> i64 {
        let last = tour.last().map_or(0, |city| city.to_index());
        let legs = tour.iter().scan(last, |from, city| {
            let to = city.to_index();
            Some(self.distances.way(std::mem::replace(from, to), to))
        });
        legs.sum()
    }
}

impl<G: Gene> Problem for Tours<G> {
    type Gene = G;

    fn describe(&self) -> Description {
        // Integers: exact.
        Description::permutation(self.distances.cities()).tolerance(0.0)
    }

    fn sample(&self, rng: &mut RowRng, tour: &mut [G]) {
        let rng = rng.stream();
        tour.iter_mut().enumerate().for_each(|(place, city)| *city = G::from_index(place));
        tour.shuffle(rng);
    }

    fn fitness(&self, tour: &[G]) -> f64 {
        self.length(tour) as f64
    }

    const MUTATE: Option<Mutate<Self>> = Some(|_, rng, tour| edits::edit(rng.stream(), tour));

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());

    const RENDER: Option<Render<Self>> = Some(|tours, genome, format| {
        let cities: Vec<usize> = genome.iter().map(|city| city.to_index()).collect();
        Some(picture::render(&tours.distances, &cities, format))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distances::tests::shortest;

    #[test]
    fn the_length_is_the_sum_of_all_ways() {
        let table = vec![0, 1, 10, 100, 0, 2, 3, 200, 0];
        let tours = Tours::<u8>::of(Distances::of_table(3, table, Vec::new()));
        assert_eq!(tours.fitness(&[0, 1, 2]), 6.0);
        assert_eq!(tours.fitness(&[2, 1, 0]), 310.0);
        assert_eq!(tours.fitness(&[1, 2, 0]), 6.0);
    }

    #[test]
    fn two_opt_and_or_opt_find_the_shortest_tour() {
        // The optimum is independent code: dynamic programming over sets of cities.
        for instance in 1..=3 {
            let distances = Distances::random(11, instance);
            let optimum = shortest(&distances) as f64;
            let tours = Tours::<u8>::of(distances);
            let mut best = f64::INFINITY;
            for start in 0..20 {
                let mut rng = RowRng::new(&[instance as u8; 32], start);
                let mut tour = [0u8; 11];
                tours.sample(&mut rng, &mut tour);
                for _ in 0..2000 {
                    let mut child = tour;
                    edits::edit(rng.stream(), &mut child);
                    if tours.fitness(&child) <= tours.fitness(&tour) {
                        tour = child;
                    }
                    assert!(tours.fitness(&tour) >= optimum);
                }
                best = best.min(tours.fitness(&tour));
            }
            assert_eq!(best, optimum, "instance {instance}");
        }
    }
}
