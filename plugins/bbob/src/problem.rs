//! The plugin: its parameters and the problem's instance.

use crate::functions::{Buffers, Function};
use crate::lanes::Lanes;
use multiversion::multiversion;
use runner_plugin::rand::RngExt;
use runner_plugin::{Description, Instance, Parameter, Parameters, Plugin, Problem, RowRng};
use std::array::from_fn;

/// An instance of `bbob`.
#[derive(Clone, Debug)]
pub struct Bbob {
    function: Function,
    n: usize,
}

impl Plugin for Bbob {
    const NAME: &'static str = "bbob";
    const SUMMARY: &'static str = "The 24 noiseless functions of the BBOB suite; fitness is the \
        distance to the optimum's value.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer(
            "function",
            1..=24,
            "Number of the function: 1 sphere, 2 and 10 ellipsoid, 3 and 15 Rastrigin, 4 \
            Büche-Rastrigin, 5 linear slope, 6 attractive sector, 7 step ellipsoid, 8 and 9 \
            Rosenbrock, 11 discus, 12 bent cigar, 13 sharp ridge, 14 different powers, 16 \
            Weierstrass, 17 and 18 Schaffer F7, 19 Griewank-Rosenbrock, 20 Schwefel, 21 and 22 \
            Gallagher, 23 Katsuura, 24 Lunacek.",
        )
        .default_integer(1),
        Parameter::integer("n", 2..=640, "Length of a genome.").default_integer(10),
        Parameter::integer(
            "instance",
            1..=100_000,
            "Number of the instance: its optimum, rotations and offset.",
        )
        .default_integer(1),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let n = parameters.integer("n") as usize;
        let [number, instance] =
            ["function", "instance"].map(|name| parameters.integer(name) as u32);
        Ok(Bbob::of(number, n, instance).into())
    }
}

impl Bbob {
    /// Returns the instance of the function with this number, 1 to 24, of `n` numbers.
    #[must_use]
    pub fn of(function: u32, n: usize, instance: u32) -> Self {
        Bbob { function: Function::new(function, n, instance), n }
    }
}

impl Problem for Bbob {
    type Gene = f64;

    fn describe(&self) -> Description {
        Description::reals(self.n, -5.0, 5.0).ideal(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [f64]) {
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(-5.0..=5.0));
    }

    fn fitness(&self, genome: &[f64]) -> f64 {
        let mut fitness = [0.0];
        evaluate(&self.function, self.n, genome, &mut fitness);
        fitness[0]
    }

    fn evaluate(&self, genomes: &[f64], fitness: &mut [f64]) -> Result<(), String> {
        evaluate(&self.function, self.n, genomes, fitness);
        Ok(())
    }
}

/// Number of points that are evaluated together.
const TOGETHER: usize = 8;

/// Evaluates genomes of `n` genes.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn evaluate(function: &Function, n: usize, genomes: &[f64], fitness: &mut [f64]) {
    if fitness.len() == 1 {
        return evaluate_in::<1>(function, n, genomes, fitness);
    }
    evaluate_in::<TOGETHER>(function, n, genomes, fitness);
}

/// Evaluates genomes in groups of `L`. The last point fills the rest of the last group.
#[inline(always)]
fn evaluate_in<const L: usize>(
    function: &Function,
    n: usize,
    genomes: &[f64],
    fitness: &mut [f64],
) {
    let (mut group, mut buffers) = (vec![Lanes([0.0; L]); n], Buffers::default());
    for (genomes, fitness) in genomes.chunks(L * n).zip(fitness.chunks_mut(L)) {
        for (at, lanes) in group.iter_mut().enumerate() {
            *lanes = Lanes(from_fn(|lane| genomes[lane.min(fitness.len() - 1) * n + at]));
        }
        let values = function.value(&group, &mut buffers);
        // Rounding could take a value at the optimum below 0.
        fitness.iter_mut().zip(values.0).for_each(|(fitness, value)| *fitness = value.max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_the_same_value_in_any_group_by_any_instructions() {
        for number in 1..=24 {
            for n in [2, 5, 11] {
                let problem = Bbob::of(number, n, 3);
                let mut rng = RowRng::new(&[7; 32], u64::from(number));
                let rows = 2 * TOGETHER + 3;
                let mut genomes = vec![0.0; rows * n];
                genomes.chunks_exact_mut(n).for_each(|genome| problem.sample(&mut rng, genome));
                genomes[..n].copy_from_slice(problem.function.optimum());
                let mut fitness = vec![0.0; rows];
                problem.evaluate(&genomes, &mut fitness).expect("numbers");
                let mut plain = [0.0];
                for (genome, fitness) in genomes.chunks_exact(n).zip(fitness) {
                    // Not compiled for the instructions of this processor.
                    evaluate_in::<1>(&problem.function, n, genome, &mut plain);
                    let own = problem.fitness(genome);
                    assert_eq!((fitness, own), (plain[0], plain[0]), "function {number} of {n}");
                }
            }
        }
    }
}
