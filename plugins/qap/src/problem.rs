//! The problem: assignments as permutations.

use crate::matrices::Matrices;
use crate::{picture, qaplib};
use runner_plugin::data::DataText;
use runner_plugin::rand::seq::SliceRandom;
use runner_plugin::{
    Description, Gene, Instance, MoveCalls, Parameter, Parameters, Plugin, Problem, Render, RowRng,
};
use std::marker::PhantomData;

/// The plugin `qap`.
#[derive(Debug)]
pub struct QuadraticAssignment;

/// An instance: genes of `u8` up to 256 facilities, of `u16` beyond. Gene i is the location of
/// facility i, from 0.
#[derive(Clone, Debug)]
pub struct Assignments<G> {
    pub(crate) matrices: Matrices,
    gene: PhantomData<G>,
}

impl Plugin for QuadraticAssignment {
    const NAME: &'static str = "qap";
    const SUMMARY: &'static str =
        "Quadratic assignment: a location for each facility, so that flows go short ways.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "Two matrices in the format of QAPLIB (Burkard, Karisch and Rendl 1997). Without a \
            file, random ones.",
        )
        .optional(),
        Parameter::integer(
            "n",
            2..=qaplib::MOST as i64,
            "Facilities of random matrices, symmetric with entries of 0 to 99; a file has its own.",
        )
        .default_integer(12),
        Parameter::integer("instance", 0..=i64::MAX, "Seed of random matrices.").default_integer(1),
    ];
    type Problem = Assignments<u8>;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let matrices = match parameters.file("file") {
            Some(path) => {
                parameters.require_defaults(&["n", "instance"], "with a file")?;
                qaplib::parse(&DataText::read(path)?)?
            }
            None => {
                let n = parameters.integer("n") as usize;
                Matrices::random(n, parameters.integer("instance"))
            }
        };
        if matrices.n() <= 1 << 8 {
            return Ok(Assignments::<u8>::of(matrices).into());
        }
        Ok(Assignments::<u16>::of(matrices).into())
    }
}

impl<G: Gene> Assignments<G> {
    pub(crate) fn of(matrices: Matrices) -> Self {
        Assignments { matrices, gene: PhantomData }
    }

    /// Returns the cost of an assignment.
    pub(crate) fn cost(&self, locations: &[G]) -> i64 {
        self.matrices.cost(locations.iter().map(|location| location.to_index()))
    }
}

impl<G: Gene> Problem for Assignments<G> {
    type Gene = G;

    fn describe(&self) -> Description {
        // Integers: exact.
        Description::permutation(self.matrices.n()).tolerance(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [G]) {
        let rng = rng.stream();
        genome.iter_mut().enumerate().for_each(|(place, gene)| *gene = G::from_index(place));
        genome.shuffle(rng);
    }

    fn fitness(&self, genome: &[G]) -> f64 {
        self.cost(genome) as f64
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());

    const RENDER: Option<Render<Self>> = Some(|problem, genome, format| {
        let locations: Vec<usize> = genome.iter().map(|location| location.to_index()).collect();
        picture::render(&problem.matrices, &locations, format)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::tests::least;

    #[test]
    fn exchanges_from_many_starts_find_the_least_cost() {
        // The optimum is independent code: all assignments are tried.
        for instance in 1..=3 {
            let matrices = Matrices::random(7, instance);
            let (optimum, mut best) = (least(&matrices) as f64, f64::INFINITY);
            let problem = Assignments::<u8>::of(matrices);
            for start in 0..50 {
                let mut genome = [0; 7];
                problem.sample(&mut RowRng::new(&[instance as u8; 32], start), &mut genome);
                let pairs: Vec<(usize, usize)> =
                    (0..7).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
                while let Some((one, other)) = pairs.iter().find(|(one, other)| {
                    let mut next = genome;
                    next.swap(*one, *other);
                    problem.fitness(&next) < problem.fitness(&genome)
                }) {
                    genome.swap(*one, *other);
                }
                best = best.min(problem.fitness(&genome));
            }
            assert_eq!(best, optimum, "instance {instance}");
        }
    }
}
