//! The plugin: its parameters and the problem's instance.

use crate::layer::Layer;
use crate::transformed::Transformed;
use crate::{graph, landscape, landscape::Landscape, lattice, picture};
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, MoveCalls, Parameter, Parameters, Plugin, Problem, Render, RowRng,
    RowRngs, Word,
};

/// An instance of `pbo`.
#[derive(Clone, Debug)]
pub struct Pbo {
    pub(crate) n: usize,
    pub(crate) function: Function,
}

/// Function that a value of the parameter stands for.
#[derive(Clone, Debug)]
pub(crate) enum Function {
    OneMax(Layer),
    LeadingOnes(Layer),
    Linear,
    Labs,
    IsingRing,
    IsingTorus { side: usize },
    IsingTriangular { side: usize },
    IndependentSet,
    Queens { side: usize },
    Trap,
    Nk(Landscape),
    Jump { gap: usize },
}

/// In the order of the suite's numbers, 1 to 25; then Jump, which is not in the suite.
const NAMES: [&str; 28] = [
    "one-max",
    "leading-ones",
    "linear",
    "one-max-dummy-1",
    "one-max-dummy-2",
    "one-max-neutrality",
    "one-max-epistasis",
    "one-max-ruggedness-1",
    "one-max-ruggedness-2",
    "one-max-ruggedness-3",
    "leading-ones-dummy-1",
    "leading-ones-dummy-2",
    "leading-ones-neutrality",
    "leading-ones-epistasis",
    "leading-ones-ruggedness-1",
    "leading-ones-ruggedness-2",
    "leading-ones-ruggedness-3",
    "labs",
    "ising-ring",
    "ising-torus",
    "ising-triangular",
    "mis",
    "n-queens",
    "concatenated-trap",
    "nk-landscape",
    "jump-2",
    "jump-3",
    "jump-4",
];

const WORDS: &[Word] = &{
    let mut words = [Word::new(NAMES[0]); NAMES.len()];
    let mut place = 1;
    while place < NAMES.len() {
        words[place] = Word::new(NAMES[place]);
        place += 1;
    }
    words
};

impl Plugin for Pbo {
    const NAME: &'static str = "pbo";
    const SUMMARY: &'static str = "The 25 pseudo-Boolean problems of the PBO suite (Doerr et al. \
        2020; the last two: de Nobel et al. 2024), and Jump.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "problem",
            WORDS,
            "The problem, in the order of the suite: OneMax and LeadingOnes, plain and with layers \
            of the W-model, Ising models, LABS, maximum independent set, n queens, traps and an NK \
            landscape; finally Jump with gaps of 2 to 4 bits, which is not in the suite.",
        )
        .default_choice(0),
        Parameter::integer(
            "n",
            1..=1_000_000,
            "Length of a genome in bits: a square number for ising-torus, ising-triangular and \
            n-queens, a multiple of 5 for concatenated-trap, 2 to 20,000 for labs, at least 3 for \
            neutrality, more than the gap for jump.",
        )
        .default_integer(100),
        Parameter::integer(
            "instance",
            1..=100,
            "Number of the instance. Beyond 1 values are scaled and shifted; 2 to 50 flip some \
            genes, 51 to 100 move them to other places.",
        )
        .default_integer(1)
        .added_later(),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let n = parameters.integer("n") as usize;
        let pbo = Pbo { n, function: function(parameters.text("problem"), n)? };
        Ok(match parameters.integer("instance") {
            1 => pbo.into(),
            instance => Transformed::new(pbo, instance as u64).into(),
        })
    }
}

/// Maximum number of bits of LABS: an evaluation takes some 0.2 s.
const MOST_OF_LABS: usize = 20_000;

fn function(word: &str, n: usize) -> Result<Function, String> {
    let square = || {
        let side = n.isqrt();
        if side * side == n {
            return Ok(side);
        }
        let (below, above) = (side * side, (side + 1) * (side + 1));
        Err(format!(
            "{word} needs a square board, and n = {n} is not a square number; choose {below} or \
            {above}"
        ))
    };
    let at_least = |least: usize, function: Function| match n {
        _ if n < least => {
            Err(format!("{word} needs at least {least} bits, and n = {n}; choose a larger n"))
        }
        _ => Ok(function),
    };
    Ok(match word {
        "one-max" => Function::OneMax(Layer::Plain),
        "leading-ones" => Function::LeadingOnes(Layer::Plain),
        "linear" => Function::Linear,
        "labs" if n > MOST_OF_LABS => {
            return Err(format!(
                "an evaluation of {word} takes n² steps, so that it has at most {MOST_OF_LABS} \
                bits, and n = {n}; choose a smaller n"
            ));
        }
        "labs" => at_least(2, Function::Labs)?,
        "ising-ring" => Function::IsingRing,
        "ising-torus" => Function::IsingTorus { side: square()? },
        "ising-triangular" => Function::IsingTriangular { side: square()? },
        "mis" => at_least(2, Function::IndependentSet)?,
        "n-queens" => Function::Queens { side: square()? },
        "concatenated-trap" if !n.is_multiple_of(landscape::TRAP) => {
            let (below, above) = (n / 5 * 5, n / 5 * 5 + 5);
            let near = if below == 0 { format!("{above}") } else { format!("{below} or {above}") };
            return Err(format!(
                "{word} consists of traps of 5 bits, and n = {n} is not a multiple of 5; choose \
                {near}"
            ));
        }
        "concatenated-trap" => Function::Trap,
        "nk-landscape" => Function::Nk(Landscape::new(n)),
        "jump-2" => at_least(3, Function::Jump { gap: 2 })?,
        "jump-3" => at_least(4, Function::Jump { gap: 3 })?,
        "jump-4" => at_least(5, Function::Jump { gap: 4 })?,
        _ => {
            let (ones, layer) = match word.strip_prefix("one-max-") {
                Some(layer) => (true, layer),
                None => (false, word.trim_start_matches("leading-ones-")),
            };
            let layer = match layer {
                "dummy-1" => Layer::dummy(n, 0.5),
                "dummy-2" => Layer::dummy(n, 0.9),
                "neutrality" => Layer::Neutrality,
                "epistasis" => Layer::Epistasis,
                "ruggedness-1" => Layer::ruggedness_1(n),
                "ruggedness-2" => Layer::ruggedness_2(n),
                _ => Layer::ruggedness_3(n),
            };
            if layer.best(n) == 0.0 {
                return Err(format!(
                    "{word} has no bits left to count for n = {n}; choose a larger n"
                ));
            }
            if ones { Function::OneMax(layer) } else { Function::LeadingOnes(layer) }
        }
    })
}

impl Pbo {
    /// Makes the first instance of a problem of the suite, by its number from 1 to 25.
    ///
    /// # Errors
    /// If the problem cannot have this length, or there is no such problem.
    pub fn numbered(number: usize, n: usize) -> Result<Self, String> {
        let name = number.checked_sub(1).and_then(|place| NAMES[..25].get(place));
        let name = name.ok_or_else(|| format!("the suite has no problem {number}"))?;
        Ok(Pbo { n, function: function(name, n)? })
    }

    /// The greatest value, where it is known.
    pub(crate) fn best(&self) -> Option<f64> {
        let n = self.n as f64;
        Some(match &self.function {
            Function::OneMax(layer) | Function::LeadingOnes(layer) => layer.best(self.n),
            Function::Linear => n * (n + 1.0) / 2.0,
            Function::IsingRing => n,
            Function::IsingTorus { .. } => 2.0 * n,
            Function::IsingTriangular { .. } => 3.0 * n,
            Function::IndependentSet => graph::greatest(self.n),
            Function::Queens { side } => lattice::most_queens(*side),
            Function::Trap => n / landscape::TRAP as f64,
            Function::Jump { gap } => n + *gap as f64,
            Function::Labs | Function::Nk(_) => return None,
        })
    }

    /// The fitness of a value.
    pub(crate) fn fitness_of(&self, value: f64) -> f64 {
        self.best().map_or(-value, |best| best - value)
    }

    /// The suite's value of a genome: the greater the better.
    #[must_use]
    pub fn value(&self, genome: &[u8]) -> f64 {
        match &self.function {
            Function::OneMax(layer) => layer.ones(genome),
            Function::LeadingOnes(layer) => layer.leading_ones(genome),
            Function::Linear => {
                genome.iter().zip(1..).map(|(gene, weight)| u64::from(*gene) * weight).sum::<u64>()
                    as f64
            }
            Function::Labs => landscape::merit_factor(genome),
            Function::IsingRing => lattice::ring(genome),
            Function::IsingTorus { side } => lattice::torus(genome, *side, false),
            Function::IsingTriangular { side } => lattice::torus(genome, *side, true),
            Function::IndependentSet => graph::independent_set(genome),
            Function::Queens { side } => lattice::queens(genome, *side),
            Function::Trap => {
                self.n as f64 / landscape::TRAP as f64 - landscape::trap_shortfall(genome)
            }
            Function::Nk(landscape) => -landscape::mean_of(self.n, landscape.sum(genome)),
            Function::Jump { gap } => landscape::jump(genome, *gap),
        }
    }

    /// Whether values fall below 0.
    pub(crate) fn falls_below_zero(&self) -> bool {
        matches!(self.function, Function::IndependentSet | Function::Queens { .. })
    }

    /// Bits of a row of the board.
    pub(crate) fn width(&self) -> usize {
        match &self.function {
            Function::IsingTorus { side }
            | Function::IsingTriangular { side }
            | Function::Queens { side } => *side,
            Function::Trap => 50,
            _ => 64,
        }
    }
}

impl Problem for Pbo {
    type Gene = u8;

    const RENDER: Option<Render<Self>> =
        Some(|pbo, genome, format| picture::render(genome, pbo.width(), format));

    fn describe(&self) -> Description {
        // Counts and fifths: exact where it matters, at the optimum.
        let description = Description::bits(self.n).tolerance(0.0);
        match self.best() {
            Some(_) if self.falls_below_zero() => description.ideal(0.0),
            Some(best) => description.ideal(0.0).worst(best),
            None => description,
        }
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [u8]) {
        rngs.fill_below(2, genomes);
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        match &self.function {
            // Exactly 0 at the optimum: no difference of rounded numbers.
            Function::Trap => landscape::trap_shortfall(genome),
            _ => self.fitness_of(self.value(genome)),
        }
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());
}

#[cfg(test)]
pub(crate) mod tests;
