//! The problem: choices as bits.

use crate::class::Class;
use crate::items::Items;
use crate::{format, picture};
use runner_plugin::data::DataText;
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, Parameter, Parameters, Plugin, Problem, Render, RowRng, RowRngs,
    Violation, Word,
};

/// The plugin `knapsack`.
#[derive(Debug)]
pub struct Knapsacks;

/// An instance. Gene i says whether item i is chosen.
#[derive(Clone, Debug)]
pub struct Knapsack {
    items: Items,
    /// The greatest profit, where it is known.
    best: Option<i64>,
}

const WORDS: &[Word] = &{
    let mut words = [Word::new(Class::ALL[0].0); Class::ALL.len()];
    let mut place = 1;
    while place < Class::ALL.len() {
        words[place] = Word::new(Class::ALL[place].0);
        place += 1;
    }
    words
};

impl Plugin for Knapsacks {
    const NAME: &'static str = "knapsack";
    const SUMMARY: &'static str =
        "Knapsack: items of the greatest profit within a capacity; fitness is -profit.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "Items: their number and the capacity, then profit and weight of each. Without a file, \
            random items.",
        )
        .optional(),
        Parameter::integer("n", 1..=1_000_000, "Random items; a file has its own.")
            .default_integer(50),
        Parameter::choice(
            "class",
            WORDS,
            "Relation of profit and weight of random items (Pisinger 2005).",
        )
        .default_choice(0),
        Parameter::integer("range", 10..=1_000_000, "Range of random profits and weights.")
            .default_integer(1000),
        Parameter::real(
            "share",
            0.0..=1.0,
            "Capacity of random items, as a share of their weight.",
        )
        .default_real(0.5),
        Parameter::integer("instance", 0..=i64::MAX, "Seed of random items.").default_integer(1),
    ];
    type Problem = Knapsack;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let items = match parameters.file("file") {
            Some(path) => {
                let idle = ["n", "class", "range", "share", "instance"];
                parameters.require_defaults(&idle, "with a file")?;
                format::parse(&DataText::read(path)?)?
            }
            None => {
                let name = parameters.text("class");
                let class = Class::named(name).ok_or_else(|| format!("no class {name}"))?;
                let sizes = (parameters.integer("n") as usize, parameters.integer("range"));
                let (share, seed) = (parameters.real("share"), parameters.integer("instance"));
                Items::random(class, sizes, share, seed)
            }
        };
        Ok(Knapsack { best: items.best(), items }.into())
    }
}

impl Problem for Knapsack {
    type Gene = u8;

    fn describe(&self) -> Description {
        // Integers: exact.
        let description = Description::bits(self.items.items.len()).tolerance(0.0).worst(0.0);
        match self.best {
            Some(best) => description.ideal(-best as f64),
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

    /// Returns the profit, negative, since lower is better.
    fn fitness(&self, genome: &[u8]) -> f64 {
        -self.items.sums(genome).profit as f64
    }

    fn evaluate_constrained(
        &self,
        genomes: &[u8],
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let length = self.items.items.len();
        let rows = fitness.iter_mut().zip(violations);
        for (genome, (fitness, violation)) in genomes.chunks_exact(length).zip(rows) {
            let sums = self.items.sums(genome);
            *fitness = -sums.profit as f64;
            *violation = (sums.weight - self.items.capacity).max(0) as f64;
        }
        Ok(())
    }

    /// Weight beyond the capacity.
    const VIOLATION: Option<Violation<Self>> = Some(|knapsack, genome| {
        (knapsack.items.sums(genome).weight - knapsack.items.capacity).max(0) as f64
    });

    const RENDER: Option<Render<Self>> = Some(|knapsack, genome, format| {
        let is_drawn = format != runner_plugin::Format::Svg || genome.len() <= picture::MOST_DRAWN;
        is_drawn.then(|| picture::render(&knapsack.items, genome, format))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::Item;

    #[test]
    fn profit_and_excess_follow_from_the_choice() {
        let item = |profit, weight| Item { profit, weight };
        let items = Items { items: vec![item(6, 5), item(5, 4), item(8, 7)], capacity: 10 };
        let knapsack = Knapsack { best: items.best(), items };
        let genomes = [0, 0, 0, 1, 1, 0, 1, 1, 1];
        let (mut fitness, mut violations) = ([9.0; 3], [9.0; 3]);
        knapsack.evaluate_constrained(&genomes, &mut fitness, &mut violations).expect("good");
        assert_eq!((fitness, violations), ([0.0, -11.0, -19.0], [0.0, 0.0, 6.0]));
        let violation = Knapsack::VIOLATION.expect("it has constraints");
        for (row, genome) in genomes.chunks(3).enumerate() {
            assert_eq!(knapsack.fitness(genome), fitness[row]);
            assert_eq!(violation(&knapsack, genome), violations[row]);
        }
    }
}
