//! The plugin: its parameters and the problem's instance.

use crate::functions::{FUNCTIONS, Function};
use crate::picture;
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, Parameter, Parameters, Plugin, Problem, Render, RowRng, words,
};

/// An instance of `continuous`.
#[derive(Clone, Copy, Debug)]
pub struct Continuous {
    function: Function,
    n: usize,
}

impl Plugin for Continuous {
    const NAME: &'static str = "continuous";
    const SUMMARY: &'static str = "Continuous test functions, each with minimum value 0.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "function",
            words![
                "sphere",
                "rosenbrock",
                "rastrigin",
                "ackley",
                "griewank",
                "schwefel",
                "styblinski-tang",
                "levy",
                "zakharov"
            ],
            "The function, with its usual domain and optimum.",
        )
        .default_choice(0),
        Parameter::integer("n", 1..=100_000, "Length of a genome; at least 2 for rosenbrock.")
            .default_integer(10),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let (word, n) = (parameters.text("function"), parameters.integer("n") as usize);
        let function = FUNCTIONS.into_iter().find(|function| function.word == word);
        let function = function.ok_or_else(|| format!("there is no function {word}"))?;
        if n < function.least_n {
            let least = function.least_n;
            return Err(format!(
                "{word} needs at least {least} numbers, and n = {n}; choose n = {least} or more"
            ));
        }
        Ok(Continuous { function, n }.into())
    }
}

impl Continuous {
    /// Bound of the rounding error at a fitness of 0: each term of `schwefel` has some 6e-14.
    fn tolerance(&self) -> f64 {
        (1e-13 * self.n as f64).max(1e-9)
    }
}

impl Problem for Continuous {
    type Gene = f64;

    const RENDER: Option<Render<Self>> =
        Some(|problem, genome, format| picture::render(genome, problem.function.domain, format));

    fn describe(&self) -> Description {
        let (low, high) = self.function.domain;
        Description::reals(self.n, low, high).ideal(0.0).tolerance(self.tolerance())
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [f64]) {
        let (low, high) = self.function.domain;
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(low..=high));
    }

    /// Rounding could take a value at the optimum below 0. What is no number has no fitness.
    fn fitness(&self, genome: &[f64]) -> f64 {
        let value = (self.function.value)(genome);
        if value.is_nan() { value } else { value.max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_is_no_number_is_no_optimum() {
        for function in FUNCTIONS {
            let fitness = Continuous { function, n: 3 }.fitness(&[f64::NAN; 3]);
            assert!(fitness.is_nan() || fitness > 1.0, "{fitness}");
        }
    }

    #[test]
    fn the_optimum_is_reached_at_every_size_and_its_neighbourhood_is_not_large() {
        for function in FUNCTIONS {
            for n in [function.least_n, 10, 1_000, 100_000] {
                let problem = Continuous { function, n };
                for steps in [0i32, 1, -1, 3] {
                    // The optimum's own number, and those a few units in the last place beside it.
                    let x =
                        function.optimum + f64::from(steps) * function.optimum.abs() * f64::EPSILON;
                    let fitness = problem.fitness(&vec![x; n]);
                    assert!(
                        fitness <= problem.tolerance(),
                        "{} of {n}: {fitness:e}",
                        function.word
                    );
                }
                let fitness = problem.fitness(&vec![function.optimum + 1e-3; n]);
                assert!(
                    fitness > 100.0 * problem.tolerance(),
                    "{} of {n}: {fitness:e}",
                    function.word
                );
            }
        }
    }
}
