//! OneMax: find the string of ones. Fitness counts the zeros.

mod moves;
mod zeros;

use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, Noise, NoisyFitness, Parameter, Parameters, Plugin, Problem, RowRng,
};

struct OneMax {
    length: usize,
    /// Probability that an evaluation is of a neighbour.
    noise: f64,
}

impl Plugin for OneMax {
    const NAME: &'static str = "onemax";
    const SUMMARY: &'static str = "Number of zeros in a bit string; the optimum is all ones.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("length", 1..=1_000_000, "Bits per genome.").default_integer(100),
        Parameter::real(
            "noise",
            0.0..=1.0,
            "Probability that an evaluation sees the genome with one bit flipped, drawn uniformly \
            (Droste 2004).",
        )
        .default_real(0.0)
        .added_later(),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let length = parameters.integer("length") as usize;
        Ok(OneMax { length, noise: parameters.real("noise") }.into())
    }
}

impl Problem for OneMax {
    type Gene = u8;

    fn describe(&self) -> Description {
        let noise = if self.noise > 0.0 { Noise::NoiselessKnown } else { Noise::Absent };
        Description::bits(self.length).ideal(0.0).worst(self.length as f64).noise(noise)
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

    /// Prior noise: Droste (2004), doi:10.1007/978-3-540-24854-5_107.
    const NOISY_FITNESS: Option<NoisyFitness<Self>> = Some(|problem, rng, genome| {
        let zeros = zeros::count(genome) as f64;
        if rng.random::<f64>() >= problem.noise {
            return zeros;
        }
        let flipped = genome[rng.random_range(0..genome.len())];
        zeros + if flipped == 0 { -1.0 } else { 1.0 }
    });

    const MOVES: Option<runner_plugin::MoveCalls<Self>> = Some(runner_plugin::MoveCalls::new());
}

runner_plugin::export!(OneMax);
