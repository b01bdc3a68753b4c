//! The problem: bits.

use crate::nk::{Nk, UNIT};
use crate::picture;
use crate::w_model::WModel;
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Enumerate, Instance, MoveCalls, Parameter, Parameters, Plugin, Problem, Render,
    RowRng, RowRngs, words,
};

/// The plugin `landscapes`.
#[derive(Debug)]
pub struct Landscapes;

/// An instance.
#[derive(Clone, Debug)]
pub struct Landscape {
    pub(crate) kind: Kind,
    /// The least fitness, where it is known.
    pub(crate) ideal: Option<f64>,
}

/// Kind of landscape.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Nk(Nk),
    WModel(WModel),
}

/// Maximum number of genes of an NK landscape whose best genome is looked for.
const MOST_TRIED: usize = 16;
/// Maximum number of genes whose genomes have numbers.
const MOST_NUMBERED: usize = 62;

impl Plugin for Landscapes {
    const NAME: &'static str = "landscapes";
    const SUMMARY: &'static str =
        "NK landscapes, and the W-model with free neutrality, epistasis and ruggedness.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "landscape",
            words!["nk", "w-model"],
            "NK landscape (Kauffman and Weinberger 1989), or W-model (Weise and Wu 2018).",
        )
        .default_choice(0),
        Parameter::integer("n", 2..=10_000, "Genes; of the W-model bits behind the neutrality.")
            .default_integer(16),
        Parameter::integer("k", 0..=16, "NK: other genes that a contribution depends on.")
            .default_integer(2),
        Parameter::choice(
            "others",
            words!["adjacent", "random"],
            "NK: the other genes are those that follow, in a circle, or random ones.",
        )
        .default_choice(0),
        Parameter::integer("instance", 0..=i64::MAX, "NK: seed of the landscape.")
            .default_integer(1),
        Parameter::integer("neutrality", 1..=100, "W-model: genes that make one bit by majority.")
            .default_integer(1),
        Parameter::integer("epistasis", 1..=10_000, "W-model: bits of a block that are mixed.")
            .default_integer(1),
        Parameter::integer(
            "ruggedness",
            0..=49_995_000,
            "W-model: number of the order of fitness values, up to n (n - 1) / 2; the greatest \
            lead away from the optimum.",
        )
        .default_integer(0),
    ];
    type Problem = Landscape;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let count = |key: &str| parameters.integer(key) as usize;
        let n = count("n");
        if parameters.text("landscape") == "w-model" {
            parameters.require_defaults(&["k", "others", "instance"], "in the W-model")?;
            let [neutrality, epistasis, ruggedness] =
                ["neutrality", "epistasis", "ruggedness"].map(count);
            let model = WModel::new(n, neutrality, epistasis, ruggedness)?;
            return Ok(Landscape { kind: Kind::WModel(model), ideal: Some(0.0) }.into());
        }
        let idle = ["neutrality", "epistasis", "ruggedness"];
        parameters.require_defaults(&idle, "in an NK landscape")?;
        let adjacent = parameters.text("others") == "adjacent";
        let nk = Nk::new(n, count("k"), adjacent, parameters.integer("instance"))?;
        Ok(Landscape::of_nk(nk, n).into())
    }
}

impl Landscape {
    /// Returns an NK landscape of n genes, with its best fitness if few genomes have to be tried.
    fn of_nk(nk: Nk, n: usize) -> Self {
        let mut landscape = Landscape { kind: Kind::Nk(nk), ideal: None };
        if n <= MOST_TRIED {
            let mut genome = vec![0; n];
            let mut fitness = |number: u64| {
                write_number(number, &mut genome);
                landscape.fitness_of(landscape.count(&genome))
            };
            landscape.ideal = (0..1 << n).map(&mut fitness).reduce(f64::min);
        }
        landscape
    }

    /// Returns the number of genes.
    fn genes(&self) -> usize {
        match &self.kind {
            Kind::Nk(nk) => nk.genes(),
            Kind::WModel(model) => model.genes(),
        }
    }

    /// Returns the sum of contributions, or the distance from the optimum.
    pub(crate) fn count(&self, genome: &[u8]) -> u64 {
        match &self.kind {
            Kind::Nk(nk) => nk.sum(genome),
            Kind::WModel(model) => model.distance(genome) as u64,
        }
    }

    /// Returns the fitness of a count.
    pub(crate) fn fitness_of(&self, count: u64) -> f64 {
        match &self.kind {
            Kind::Nk(nk) => {
                // Integers up to 2^46: the quotient alone is rounded.
                let whole = nk.genes() as u64 * UNIT;
                (whole - count) as f64 / whole as f64
            }
            Kind::WModel(model) => model.worth(count as usize).into(),
        }
    }
}

/// Writes the bits of a number, the least first.
fn write_number(number: u64, genome: &mut [u8]) {
    genome.iter_mut().enumerate().for_each(|(gene, bit)| *bit = (number >> gene & 1) as u8);
}

impl Problem for Landscape {
    type Gene = u8;

    fn describe(&self) -> Description {
        let genes = self.genes();
        let worst = match &self.kind {
            Kind::Nk(_) => 1.0,
            Kind::WModel(model) => model.bits() as f64,
        };
        // Equal counts have exactly equal fitness.
        let mut description = Description::bits(genes).tolerance(0.0).worst(worst);
        if let Some(ideal) = self.ideal {
            description = description.ideal(ideal);
        }
        match genes <= MOST_NUMBERED {
            true => description.space_size(1 << genes),
            false => description,
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
        self.fitness_of(self.count(genome))
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());

    const RENDER: Option<Render<Self>> = Some(|_, genome, format| picture::render(genome, format));

    const ENUMERATE: Option<Enumerate<Self>> =
        Some(|_, number, genome| write_number(number, genome));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ideal_of_an_nk_landscape_is_its_best_fitness() {
        // By dynamic programming along the chain, with the first gene's value given: for K = 1 and
        // following genes, the best sum of contributions is that of a circle.
        for seed in 1..=5 {
            let nk = Nk::new(10, 1, true, seed).expect("small");
            let best = (0..2).map(|first| circle(&nk, first)).max().expect("two values");
            let ideal = Landscape::of_nk(nk, 10).ideal.expect("few genes");
            let whole = 10 * UNIT;
            assert_eq!(ideal, (whole - best) as f64 / whole as f64);
        }
    }

    /// The best sum of a circle whose first gene has this value.
    fn circle(nk: &Nk, first: u8) -> u64 {
        let mut best = [None, None];
        best[usize::from(first)] = Some(0);
        for gene in 0..10 {
            let mut next: [Option<u64>; 2] = [None, None];
            for (own, sum) in (0u8..2).zip(best) {
                for following in 0u8..2 {
                    if gene == 9 && following != first {
                        continue;
                    }
                    let Some(sum) = sum else { continue };
                    let reached = sum + nk.of_pair(gene, own, following);
                    let entry = &mut next[usize::from(following)];
                    *entry = Some(entry.map_or(reached, |other: u64| other.max(reached)));
                }
            }
            best = next;
        }
        best[usize::from(first)].expect("the circle is closed")
    }

    #[test]
    fn the_w_model_is_0_at_its_optimum_alone() {
        let model = WModel::new(5, 2, 2, 7).expect("good");
        let landscape = Landscape { kind: Kind::WModel(model), ideal: Some(0.0) };
        let mut zeros = 0;
        let mut genome = [0; 10];
        for number in 0..1 << 10 {
            write_number(number, &mut genome);
            let fitness = landscape.fitness(&genome);
            assert!((0.0..=5.0).contains(&fitness));
            zeros += u32::from(fitness == 0.0);
        }
        // The pairs (a, b) are mixed to (a, a + b), so that 0 1 0 1 0 comes of itself. A bit is 0
        // for one of four pairs of genes, and 1 for three.
        assert_eq!(zeros, 9);
    }
}
