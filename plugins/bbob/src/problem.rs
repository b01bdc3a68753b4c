//! The plugin: its parameters and the problem's instance.

use crate::functions::{Buffers, Function};
use runner_plugin::rand::RngExt;
use runner_plugin::{Description, Instance, Parameter, Parameters, Plugin, Problem, RowRng};

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
        Ok(Bbob { function: Function::new(number, n, instance), n }.into())
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

    /// Rounding could take a value at the optimum below 0.
    fn fitness(&self, genome: &[f64]) -> f64 {
        self.function.value(genome, &mut Buffers::default()).max(0.0)
    }

    fn evaluate(&self, genomes: &[f64], fitness: &mut [f64]) -> Result<(), String> {
        let mut buffers = Buffers::default();
        for (genome, fitness) in genomes.chunks_exact(self.n).zip(fitness) {
            *fitness = self.function.value(genome, &mut buffers).max(0.0);
        }
        Ok(())
    }
}
