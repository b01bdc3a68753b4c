//! The ground that operators are tested on: a problem of each encoding, and operator sets of one
//! operator.

use crate::operators::{
    Crossover, CrossoverKind, Evolutionary, Mix, Mutation, MutationKind, Replacement, Scaling,
    Selection,
};
use crate::problem::parameter::Value;
use crate::problem::{Library, Problem};
use runner_plugin::rand::RngExt;
use runner_plugin::{Description, Instance, Parameter, Parameters, Plugin, RowRng, words};

/// Genes of the integer genomes, each in 0..=7.
pub const DIGITS: usize = 8;
/// Genes of the genomes of bits.
pub const BITS: usize = 20;
/// Genes of the permutations.
pub const PLACES: usize = 6;
/// Genes of the real genomes, each in -100..=100.
pub const REALS: usize = 4;

/// A problem of each encoding.
pub struct Ground {
    pub digits: Problem,
    pub bits: Problem,
    pub permutation: Problem,
    pub reals: Problem,
}

impl Ground {
    pub fn new() -> Self {
        let library = Library::linked::<Meadow>("1").expect("the ground is a good plugin");
        let make = |word: &'static str| {
            library.create(&[Value::Text(word.into())]).expect("a problem of each encoding")
        };
        Ground {
            digits: make("digits"),
            bits: make("bits"),
            permutation: make("permutation"),
            reals: make("reals"),
        }
    }
}

/// Generational, without variation: what the checks put operators into.
pub fn bare(selection: Selection, scaling: Scaling) -> Evolutionary {
    Evolutionary {
        population: 2,
        scaling,
        selection,
        mix: None,
        crossover: None,
        mutation: None,
        replacement: Replacement::Generational,
    }
}

/// Crossover alone.
pub fn crossing(kind: CrossoverKind, rate: f64, children: usize) -> Evolutionary {
    Evolutionary {
        crossover: Some(Crossover { kind, rate, children }),
        ..bare(Selection::Uniform, Scaling::None)
    }
}

/// Mutation alone.
pub fn mutating(kind: MutationKind, rate: f64) -> Evolutionary {
    Evolutionary {
        mutation: Some(Mutation { kind, rate }),
        ..bare(Selection::Uniform, Scaling::None)
    }
}

/// A mix of one-child crossover and mutation.
pub fn mixing(mix: Mix, crossover: CrossoverKind, mutation: MutationKind) -> Evolutionary {
    Evolutionary {
        mix: Some(mix),
        mutation: mutating(mutation, 1.0).mutation,
        ..crossing(crossover, 1.0, 1)
    }
}

struct Meadow {
    description: Description,
}

impl Plugin for Meadow {
    const NAME: &'static str = "meadow";
    const SUMMARY: &'static str = "The ground of the certificates.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::choice(
        "encoding",
        words!["digits", "bits", "permutation", "reals"],
        "The encoding.",
    )];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let description = match parameters.text("encoding") {
            "digits" => Description::integers(DIGITS, 0, 7),
            "bits" => Description::bits(BITS),
            "permutation" => Description::permutation(PLACES),
            _ => return Ok(Air.into()),
        };
        Ok(Meadow { description }.into())
    }
}

impl runner_plugin::Problem for Meadow {
    type Gene = u8;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        genome.iter().map(|gene| f64::from(*gene)).sum()
    }
}

struct Air;

impl runner_plugin::Problem for Air {
    type Gene = f64;

    fn describe(&self) -> Description {
        Description::reals(REALS, -100.0, 100.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [f64]) {
        genome.fill_with(|| rng.random_range(-100.0..=100.0));
    }

    fn fitness(&self, genome: &[f64]) -> f64 {
        genome.iter().map(|gene| gene * gene).sum()
    }
}
