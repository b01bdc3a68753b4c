//! The plugins that ship, as configs see them: the same names, parameters and descriptions, linked
//! in. The files under `tests/fixtures/wrong` are also run with the real ones.

use crate::problem::Library;
use runner_plugin::{
    ConflictCalls, ConflictingGenome, Crossover, Description, Instance, Mutate, Noise,
    NoisyFitness, Parameter, Parameters, Plugin, Problem, RowRng, Word,
};
use std::sync::Arc;

/// Returns all plugins.
pub(super) fn all() -> Vec<Arc<Library>> {
    let made = [
        Library::linked::<NQueens>("0.1.0"),
        Library::linked::<Chess960>("0.1.0"),
        Library::linked::<OneMax>("0.1.0"),
        Library::linked::<Sphere>("0.1.0"),
    ];
    made.into_iter().map(|library| library.expect("a good plugin")).collect()
}

macro_rules! never_searched {
    ($gene:ty) => {
        type Gene = $gene;
        fn sample(&self, _: &mut RowRng, _: &mut [$gene]) {
            unreachable!("configs are checked without a search")
        }
        fn fitness(&self, _: &[$gene]) -> f64 {
            unreachable!("configs are checked without a search")
        }
    };
}

struct NQueens {
    n: i64,
    permutation: bool,
    pair: i64,
}

impl Plugin for NQueens {
    const NAME: &'static str = "nqueens";
    const SUMMARY: &'static str =
        "n queens on an n x n board, one per column, so that none attacks another.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("n", 1..=8_388_608, "Number of queens, columns and rows.")
            .default_integer(8),
        Parameter::choice(
            "encoding",
            &[Word::new("rows"), Word::new("permutation")],
            "What a genome is.",
        )
        .default_choice(0),
        Parameter::choice(
            "counting",
            &[Word::new("pairs"), Word::new("per-queen")],
            "What fitness counts.",
        )
        .default_choice(0),
        Parameter::text("placed", "Queens that have their place.").default_text("").added_later(),
        Parameter::integer("placed-queens", 0..=8_388_608, "Queens placed at random.")
            .default_integer(0)
            .added_later(),
        Parameter::text("excluded", "Diagonals without queens.").default_text("").added_later(),
        Parameter::integer("excluded-diagonals", 0..=33_554_432, "Diagonals excluded at random.")
            .default_integer(0)
            .added_later(),
        Parameter::integer("open-squares", 1..=8_388_608, "Squares left open.")
            .default_integer(2)
            .added_later(),
        Parameter::integer("puzzle", 0..=i64::MAX, "Seed of the puzzle.")
            .default_integer(1)
            .added_later(),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let pair = if parameters.text("counting") == "pairs" { 1 } else { 2 };
        let permutation = parameters.text("encoding") == "permutation";
        if let placed @ ("x" | "y") = parameters.text("placed") {
            return Err(format!("`placed` has `{placed}`"));
        }
        Ok(NQueens { n: parameters.integer("n"), permutation, pair }.into())
    }
}

impl Problem for NQueens {
    never_searched!(u32);

    const CONFLICTS: Option<ConflictCalls<Self>> = Some(
        ConflictCalls::of_genome()
            .constructing(|_, _, _| unreachable!("configs are checked without a search")),
    );

    fn describe(&self) -> Description {
        let length = self.n as usize;
        let description = if self.permutation {
            Description::permutation(length)
        } else {
            Description::integers(length, 0, self.n as u32 - 1)
        };
        description.ideal(0.0).worst((self.n * (self.n - 1) / 2 * self.pair) as f64)
    }
}

impl ConflictingGenome for NQueens {
    fn conflicts(&self, _: &[u32], _: &[u32], _: &mut [u32]) {
        unreachable!("configs are checked without a search")
    }
}

struct Chess960;

impl Plugin for Chess960 {
    const NAME: &'static str = "chess960";
    const SUMMARY: &'static str =
        "Chess960 back ranks; fitness is the distance from the classical rank.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "placement",
            &[Word::new("king-first"), Word::new("uniform")],
            "How ranks are drawn.",
        )
        .default_choice(0),
        Parameter::choice(
            "invalid",
            &[Word::new("reject"), Word::new("keep"), Word::new("penalise"), Word::new("repair")],
            "What becomes of a mutant that breaks the rules.",
        )
        .default_choice(0),
    ];
    type Problem = Self;

    fn create(_: &Parameters) -> Result<Instance, String> {
        Ok(Chess960.into())
    }
}

impl Problem for Chess960 {
    never_searched!(u8);
    const CROSSOVER: Option<Crossover<Self>> = Some(|_, _, _, _, _| {});
    const MUTATE: Option<Mutate<Self>> = Some(|_, _, _| {});

    fn describe(&self) -> Description {
        Description::opaque(8).bounds(vec![1.0], vec![5.0]).ideal(0.0).worst(20.0)
    }
}

struct OneMax {
    length: i64,
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
        let length = parameters.integer("length");
        Ok(OneMax { length, noise: parameters.real("noise") }.into())
    }
}

impl Problem for OneMax {
    never_searched!(u8);

    fn describe(&self) -> Description {
        let noise = if self.noise > 0.0 { Noise::NoiselessKnown } else { Noise::Absent };
        let described = Description::bits(self.length as usize).noise(noise);
        described.ideal(0.0).worst(self.length as f64)
    }

    const NOISY_FITNESS: Option<NoisyFitness<Self>> =
        Some(|_, _, _| unreachable!("configs are checked without a search"));
}

/// No plugin that ships: it has a parameter of each type, demands one, refuses a pair of values,
/// and knows no ideal.
struct Sphere;

impl Plugin for Sphere {
    const NAME: &'static str = "sphere";
    const SUMMARY: &'static str = "The sum of squares.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("dimension", 1..=1000, "Numbers of a genome."),
        Parameter::real("radius", 0.5..=10.0, "Half the width of the box.").default_real(5.0),
        Parameter::boolean("shifted", "Whether the optimum is off the centre.")
            .default_boolean(false),
        Parameter::text("note", "Words that change nothing.").default_text(""),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        if parameters.boolean("shifted") && parameters.real("radius") < 1.0 {
            return Err("a shifted optimum needs a radius of at least 1".into());
        }
        Ok(Sphere.into())
    }
}

impl Problem for Sphere {
    never_searched!(f64);

    fn describe(&self) -> Description {
        Description::reals(3, -5.0, 5.0)
    }
}
