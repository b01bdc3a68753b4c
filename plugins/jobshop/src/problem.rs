//! The problem: orders of operations as permutations.

use crate::format::MOST;
use crate::schedule::Decoder;
use crate::shop::Shop;
use crate::{format, picture};
use runner_plugin::data::{DataText, MinimalStandard};
use runner_plugin::rand::seq::SliceRandom;
use runner_plugin::{
    Description, Gene, Instance, Parameter, Parameters, Plugin, Problem, Render, RowRng,
};
use std::marker::PhantomData;

/// The plugin `jobshop`.
#[derive(Debug)]
pub struct JobShop;

/// An instance: genes of `u8` up to 256 operations, of `u16` beyond. The genes j m to j m + m - 1
/// of a shop with m machines all stand for job j: each places the job's next operation.
#[derive(Clone, Debug)]
pub struct Orders<G> {
    shop: Shop,
    /// Job per value of a gene.
    job_of: Vec<u32>,
    gene: PhantomData<G>,
}

impl Plugin for JobShop {
    const NAME: &'static str = "jobshop";
    const SUMMARY: &'static str =
        "Job shop scheduling: the shortest makespan of jobs that go through all machines.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "A shop in the standard format: numbers of jobs and machines, then a line per job with \
            machine (from 0) and time of each operation. Without a file, a random shop.",
        )
        .optional(),
        Parameter::integer("jobs", 1..=65_536, "Jobs of a random shop; a file has its own.")
            .default_integer(10),
        Parameter::integer(
            "machines",
            1..=65_536,
            "Machines of a random shop; a file has its own.",
        )
        .default_integer(5),
        Parameter::integer(
            "time-seed",
            1..=MinimalStandard::MOST,
            "Seed of the times of a random shop, 1 to 99 (Taillard 1993).",
        )
        .default_integer(840_612_802),
        Parameter::integer(
            "machine-seed",
            1..=MinimalStandard::MOST,
            "Seed of the machines' order in each job of a random shop (Taillard 1993).",
        )
        .default_integer(398_197_754),
    ];
    type Problem = Orders<u8>;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let shop = match parameters.file("file") {
            Some(path) => {
                let idle = ["jobs", "machines", "time-seed", "machine-seed"];
                parameters.require_defaults(&idle, "with a file")?;
                format::parse(&DataText::read(path)?)?
            }
            None => random(parameters)?,
        };
        if shop.operations.len() <= 1 << 8 {
            return Ok(Orders::<u8>::of(shop).into());
        }
        Ok(Orders::<u16>::of(shop).into())
    }
}

fn random(parameters: &Parameters) -> Result<Shop, String> {
    let [jobs, machines] = ["jobs", "machines"].map(|key| parameters.integer(key) as usize);
    if jobs * machines > MOST {
        return Err(format!(
            "{jobs} jobs on {machines} machines have more than {MOST} operations; choose fewer"
        ));
    }
    let seeds = ["time-seed", "machine-seed"].map(|key| parameters.integer(key));
    Ok(Shop::random(jobs, machines, seeds))
}

impl<G: Gene> Orders<G> {
    fn of(shop: Shop) -> Self {
        let job_of = (0..shop.operations.len()).map(|gene| (gene / shop.machines) as u32).collect();
        Orders { shop, job_of, gene: PhantomData }
    }

    fn jobs<'a>(&'a self, genome: &'a [G]) -> impl Iterator<Item = usize> + 'a {
        genome.iter().map(|gene| self.job_of[gene.to_index()] as usize)
    }
}

impl<G: Gene> Problem for Orders<G> {
    type Gene = G;

    fn describe(&self) -> Description {
        // Integers: exact.
        Description::permutation(self.shop.operations.len()).tolerance(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [G]) {
        let rng = rng.stream();
        genome.iter_mut().enumerate().for_each(|(place, gene)| *gene = G::from_index(place));
        genome.shuffle(rng);
    }

    fn fitness(&self, genome: &[G]) -> f64 {
        Decoder::new(&self.shop).decode(self.jobs(genome), |_, _| {}) as f64
    }

    fn evaluate(&self, genomes: &[G], fitness: &mut [f64]) -> Result<(), String> {
        let mut decoder = Decoder::new(&self.shop);
        for (genome, fitness) in genomes.chunks_exact(self.job_of.len()).zip(fitness) {
            *fitness = decoder.decode(self.jobs(genome), |_, _| {}) as f64;
        }
        Ok(())
    }

    const RENDER: Option<Render<Self>> = Some(|orders, genome, format| {
        let jobs: Vec<usize> = orders.jobs(genome).collect();
        let is_drawn = format != runner_plugin::Format::Svg || jobs.len() <= picture::MOST_DRAWN;
        is_drawn.then(|| picture::render(&orders.shop, &jobs, format))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::tests::{ft06, shortest};
    use runner_plugin::rand::RngExt;

    /// Returns the best fitness of this number of steps, each of which moves an operation.
    fn climbed(orders: &Orders<u8>, starts: u64, steps: usize) -> f64 {
        let n = orders.job_of.len();
        let mut best = f64::INFINITY;
        for start in 0..starts {
            let mut rng = RowRng::new(&[1; 32], start);
            let mut genome = vec![0; n];
            orders.sample(&mut rng, &mut genome);
            for _ in 0..steps {
                let mut child = genome.clone();
                let gene = child.remove(rng.random_range(0..n));
                child.insert(rng.random_range(0..n), gene);
                if orders.fitness(&child) <= orders.fitness(&genome) {
                    genome = child;
                }
            }
            best = best.min(orders.fitness(&genome));
        }
        best
    }

    #[test]
    fn small_shops_are_solved() {
        // The optimum is independent code: all orders are tried.
        for seed in 1..=5 {
            let shop = Shop::random(3, 3, [seed, seed + 100]);
            let optimum = shortest(&shop) as f64;
            assert_eq!(climbed(&Orders::of(shop), 10, 300), optimum, "seed {seed}");
        }
    }

    #[test]
    fn the_instance_of_fisher_and_thompson_reaches_its_published_optimum() {
        assert_eq!(climbed(&Orders::of(ft06()), 40, 3000), 55.0);
    }

    #[test]
    fn batches_are_evaluated_as_genomes_are() {
        let orders = Orders::<u8>::of(ft06());
        let mut genomes = vec![0; 36 * 7];
        for (row, genome) in genomes.chunks_mut(36).enumerate() {
            orders.sample(&mut RowRng::new(&[2; 32], row as u64), genome);
        }
        let mut fitness = [0.0; 7];
        orders.evaluate(&genomes, &mut fitness).expect("good");
        for (genome, fitness) in genomes.chunks(36).zip(fitness) {
            assert_eq!(orders.fitness(genome), fitness);
        }
    }

    #[test]
    fn too_many_operations_are_refused() {
        let values = [0, 60_000, 60_000, 1, 1];
        let mut values: Vec<_> = values.map(runner_plugin::Value::Integer).to_vec();
        values[0] = runner_plugin::Value::Text(String::new());
        let parameters = Parameters::new(JobShop::PARAMETERS, values).expect("sound values");
        let refusal = JobShop::create(&parameters).err().expect("too many");
        assert!(refusal.contains("more than 65536 operations"), "{refusal}");
    }
}
