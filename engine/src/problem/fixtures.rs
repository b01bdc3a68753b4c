//! Fixtures: small problems, linked into the program for certificates and tests.

mod clashes;
#[cfg(test)]
mod ellipsoid;
#[cfg(test)]
pub(crate) mod noisy;
#[cfg(test)]
mod table;

pub use clashes::{kings, ring};

#[cfg(test)]
pub(crate) use ellipsoid::ellipsoid;
#[cfg(test)]
pub(crate) use table::{constrained_table, table};

#[cfg(test)]
use super::PluginError;
use super::{Library, Problem};
use crate::problem::parameter::Value;
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, MixedGene, Parameter, Parameters, Plugin, RowRng, words,
};

/// Returns a problem with `length` genes, each in 0..=7; fitness is their sum.
pub fn digits(length: usize) -> Problem {
    sum_problem("digits", length)
}

/// Returns a problem with `length` bits; fitness is their sum.
pub fn bits(length: usize) -> Problem {
    sum_problem("bits", length)
}

/// Returns a problem with permutations of `length`; fitness is the sum of the genes.
pub fn permutation(length: usize) -> Problem {
    sum_problem("permutation", length)
}

/// Returns a problem with `length` genes, each in -100..=100; fitness is the sum of their squares.
pub fn reals(length: usize) -> Problem {
    sum_problem("reals", length)
}

/// Returns a problem with a number and a whole number, each in -100..=100, one of `words` words,
/// and a bit; fitness is the sum of their squares.
pub fn mixed(words: usize) -> Problem {
    sum_problem("mixed", words)
}

fn sum_problem(encoding: &'static str, length: usize) -> Problem {
    let library = Library::linked::<Sum>("1").expect("a sound table");
    let values = [Value::Text(encoding.into()), Value::Integer(length as i64)];
    library.create(&values).expect("sound values")
}

/// Returns the faulty plugin's problem with this fault: 8 bits, fitness their sum.
#[cfg(test)]
pub(crate) fn faulty(fault: &'static str) -> Result<Problem, PluginError> {
    let library = Library::linked::<faulty::Faulty>("1").expect("a sound table");
    let [fault, note] = [fault, ""].map(|text| Value::Text(text.into()));
    library.create(&[fault, Value::Integer(8), Value::Real(1.0), Value::Boolean(false), note])
}

/// Problem whose fitness is the sum of integer genes.
struct Sum {
    description: Description,
    is_permutation: bool,
}

impl Plugin for Sum {
    const NAME: &'static str = "sum";
    const SUMMARY: &'static str = "The sum of the genes.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "encoding",
            words!["digits", "bits", "permutation", "reals", "mixed"],
            "The encoding.",
        ),
        Parameter::integer("length", 1..=1_000_000, "Genes of a genome."),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let length = parameters.integer("length") as usize;
        let (description, is_permutation) = match parameters.text("encoding") {
            "digits" => (Description::integers(length, 0, 7), false),
            "bits" => (Description::bits(length), false),
            "permutation" => (Description::permutation(length), true),
            "mixed" => return Ok(SumOfSquares { description: mixed_genes(length) }.into()),
            _ => {
                let description = Description::reals(length, -100.0, 100.0);
                return Ok(SumOfSquares { description }.into());
            }
        };
        Ok(Sum { description, is_permutation }.into())
    }
}

impl runner_plugin::Problem for Sum {
    type Gene = u8;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        if self.is_permutation {
            for place in 0..genome.len() {
                let other = rng.random_range(0..=place);
                genome[place] = genome[other];
                genome[other] = place as u8;
            }
        } else {
            genome.fill_with(|| rng.random_range(0..=1));
        }
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        genome.iter().map(|gene| f64::from(*gene)).sum()
    }
}

/// Returns the description of one gene of each kind, with this number of words of the choice.
fn mixed_genes(words: usize) -> Description {
    let words: Vec<String> = (0..words).map(|word| format!("w{word}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Description::mixed(vec![
        MixedGene::real(-100.0, 100.0),
        MixedGene::integer(-100, 100).named("whole"),
        MixedGene::choice(&words),
        MixedGene::bit(),
    ])
}

struct SumOfSquares {
    description: Description,
}

impl runner_plugin::Problem for SumOfSquares {
    type Gene = f64;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [f64]) {
        for (locus, gene) in genome.iter_mut().enumerate() {
            *gene = match self.description.genes().get(locus) {
                Some(kind) => kind.sample(rng),
                None => rng.random_range(-100.0..=100.0),
            };
        }
    }

    fn fitness(&self, genome: &[f64]) -> f64 {
        genome.iter().map(|gene| gene * gene).sum()
    }
}
