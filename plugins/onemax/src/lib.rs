//! OneMax: find the string of ones. Fitness counts the zeros.

mod moves;
mod zeros;

use runner_plugin::rand::RngExt;
use runner_plugin::{Description, Instance, Parameter, Parameters, Plugin, Problem, RowRng};

struct OneMax {
    length: usize,
}

impl Plugin for OneMax {
    const NAME: &'static str = "onemax";
    const SUMMARY: &'static str = "Number of zeros in a bit string; the optimum is all ones.";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::integer("length", 1..=1_000_000, "Bits per genome.").default_integer(100)];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        Ok(OneMax { length: parameters.integer("length") as usize }.into())
    }
}

impl Problem for OneMax {
    type Gene = u8;

    fn describe(&self) -> Description {
        Description::bits(self.length).ideal(0.0).worst(self.length as f64)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn sample_rows(&self, rngs: &runner_plugin::RowRngs, genomes: &mut [u8]) {
        rngs.fill_below(2, genomes);
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        zeros::count(genome) as f64
    }

    const MOVES: Option<runner_plugin::MoveCalls<Self>> = Some(runner_plugin::MoveCalls::new());
}

runner_plugin::export!(OneMax);
