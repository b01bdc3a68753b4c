//! The same work in the fastest peers on crates.io, in million children made and evaluated per
//! second, on one thread.
//!
//!     cargo run --release --manifest-path benches/peers/Cargo.toml
//!
//! Compare with `cargo bench --bench search`, run on the same machine just before or after. Each
//! peer uses its own operators where it has them; missing ones (such as a reset of one gene) are
//! written here. All use the same fitness function, which is fast for a single board and is first
//! checked against the definition.

use ecrs::ga::builder::GenericBuilder;
use ecrs::ga::individual::{Individual, IndividualTrait};
use ecrs::ga::operators::crossover::{CrossoverOperator, Pmx, SinglePoint};
use ecrs::ga::operators::fitness::FnBasedFitness;
use ecrs::ga::operators::mutation::MutationOperator;
use ecrs::ga::operators::replacement::BothParents;
use ecrs::ga::operators::selection::{RouletteWheel, SelectionOperator, Tournament};
use ecrs::ga::population::{PopulationGenerator, RandomPermutations};
use ecrs::ga::probe::EmptyProbe;
use genetic_algorithm::strategy::evolve::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

/// Pairs of queens that attack each other: counted line by line as the queens come.
fn clashes(board: &[u8]) -> u32 {
    let n = board.len();
    let (mut rows, mut rising, mut falling) = ([0u8; 64], [0u8; 128], [0u8; 128]);
    let mut pairs = 0;
    for (column, row) in board.iter().enumerate() {
        let row = usize::from(*row);
        for line in [
            &mut rows[row % 64],
            &mut rising[(column + row) % 128],
            &mut falling[(n + column - row) % 128],
        ] {
            pairs += u32::from(*line);
            *line += 1;
        }
    }
    pairs
}

/// The definition.
fn clashes_by_pairs(board: &[u8]) -> u32 {
    let mut pairs = 0;
    for right in 0..board.len() {
        for left in 0..right {
            let apart = board[right].abs_diff(board[left]) as usize;
            pairs += u32::from(apart == 0 || apart == right - left);
        }
    }
    pairs
}

/// What is to be done: the generation count makes a run last about a second in a good peer.
#[derive(Clone, Copy)]
struct Work {
    n: u8,
    population: usize,
    generations: usize,
    tournament: usize,
    /// Trials that share the generations.
    trials: usize,
}

const EIGHT: Work = Work { n: 8, population: 100, generations: 20_000, tournament: 2, trials: 1 };
const MANY: Work = Work { n: 64, population: 200, generations: 2_000, tournament: 3, trials: 1 };

/// Randomised local search: trials of as many flips as one usually takes to the optimum.
const ONES: Work = Work { n: 100, population: 2000, generations: 450, tournament: 0, trials: 1 };

/// CMA-ES: trials that end before they have converged.
const NORMAL: Work =
    Work { n: 20, population: 12, generations: 40_000, tournament: 0, trials: 200 };

/// Differential evolution: trials of 6,000 evaluations.
const DIFFERENCES: Work =
    Work { n: 10, population: 50, generations: 12_000, tournament: 0, trials: 100 };

mod with_genetic_algorithm {
    use super::*;
    use genetic_algorithm::strategy::hill_climb::prelude::{HillClimb, HillClimbVariant};

    #[derive(Clone, Debug)]
    struct Ones;

    impl Fitness for Ones {
        type Genotype = BinaryGenotype;

        fn calculate_for_chromosome(
            &mut self,
            chromosome: &FitnessChromosome<Self>,
            _genotype: &FitnessGenotype<Self>,
        ) -> Option<FitnessValue> {
            Some(chromosome.genes.iter().filter(|bit| **bit).count() as FitnessValue)
        }
    }

    /// One bit flips, and the string stays unless it is worse; `population` trials.
    pub fn local_search(work: Work) {
        let genotype =
            BinaryGenotype::builder().with_genes_size(work.n.into()).build().expect("a genotype");
        for trial in 0..work.population {
            let mut search = HillClimb::builder()
                .with_genotype(genotype.clone())
                .with_variant(HillClimbVariant::Stochastic)
                .with_max_generations(work.generations)
                .with_fitness(Ones)
                .with_replace_on_equal_fitness(true)
                .with_rng_seed_from_u64(trial as u64)
                .build()
                .expect("a search");
            search.call();
        }
    }

    #[derive(Clone, Debug)]
    struct Queens;

    impl Fitness for Queens {
        type Genotype = RangeGenotype<u8>;

        fn calculate_for_chromosome(
            &mut self,
            chromosome: &FitnessChromosome<Self>,
            _genotype: &FitnessGenotype<Self>,
        ) -> Option<FitnessValue> {
            Some(clashes(&chromosome.genes) as FitnessValue)
        }
    }

    /// Tournaments, one-point crossover, reset of one gene in 3 % of the children; all parents give
    /// way.
    pub fn run(work: Work) {
        let genotype = RangeGenotype::builder()
            .with_genes_size(work.n.into())
            .with_allele_range(0..=work.n - 1)
            .with_mutation_type(MutationType::Random)
            .build()
            .expect("a genotype");
        let mut evolve = Evolve::builder()
            .with_genotype(genotype)
            .with_target_population_size(work.population)
            .with_max_generations(work.generations)
            .with_fitness(Queens)
            .with_fitness_ordering(FitnessOrdering::Minimize)
            .with_mutate(MutateSingleGene::new(0.03))
            .with_crossover(CrossoverSinglePoint::new(1.0, 1.0))
            .with_select(SelectTournament::new(1.0, 0.0, work.tournament))
            .with_rng_seed_from_u64(1)
            .build()
            .expect("a search");
        evolve.call();
    }
}

mod with_ecrs {
    use super::*;

    type Board = Individual<Vec<u8>>;

    fn most(n: usize) -> u32 {
        (n * (n - 1) / 2) as u32
    }

    /// It maximises: the pairs that do not clash.
    #[allow(clippy::ptr_arg, reason = "the library wants a function of its chromosome")]
    fn fitness(board: &Vec<u8>) -> f64 {
        f64::from(most(board.len()) - clashes(board))
    }

    /// Boards of any rows.
    struct Rows(SmallRng, u8);

    impl PopulationGenerator<Board> for Rows {
        fn generate(&mut self, count: usize) -> Vec<Board> {
            let Rows(rng, n) = self;
            (0..count)
                .map(|_| Board::from((0..*n).map(|_| rng.gen_range(0..*n)).collect::<Vec<u8>>()))
                .collect()
        }
    }

    /// One gene gets another value.
    struct Reset(SmallRng);

    impl MutationOperator<Board> for Reset {
        fn apply(&mut self, individual: &mut Board, rate: f64) {
            let Reset(rng) = self;
            let board = individual.chromosome_mut();
            let n = board.len();
            if rng.gen_bool(rate) {
                let column = rng.gen_range(0..n);
                board[column] = (board[column] + 1 + rng.gen_range(0..n as u8 - 1)) % n as u8;
            }
        }
    }

    /// Two genes of a child change places.
    struct Swap(SmallRng);

    impl MutationOperator<Board> for Swap {
        fn apply(&mut self, individual: &mut Board, rate: f64) {
            let Swap(rng) = self;
            let board = individual.chromosome_mut();
            let n = board.len();
            if rng.gen_bool(rate) {
                board.swap(rng.gen_range(0..n), rng.gen_range(0..n));
            }
        }
    }

    fn search<M, C, S, P>(work: Work, mutation: M, crossover: C, selection: S, generator: P)
    where
        M: MutationOperator<Board>,
        C: CrossoverOperator<Board>,
        S: SelectionOperator<Board>,
        P: PopulationGenerator<Board>,
    {
        GenericBuilder::<Board, M, C, S, BothParents, P, FnBasedFitness<Board>, EmptyProbe>::new()
            .set_population_size(work.population)
            .set_max_generation_count(work.generations)
            .set_mutation_rate(0.03)
            .set_selection_rate(1.0)
            .set_max_duration(std::time::Duration::MAX)
            .set_fitness_fn(fitness)
            .set_mutation_operator(mutation)
            .set_crossover_operator(crossover)
            .set_selection_operator(selection)
            .set_replacement_operator(BothParents::new())
            .set_population_generator(generator)
            .set_probe(EmptyProbe::new())
            .build()
            .run();
    }

    fn random(seed: u64) -> SmallRng {
        SmallRng::seed_from_u64(seed)
    }

    pub fn roulette(work: Work) {
        let crossover = SinglePoint::with_rng(random(1));
        search(
            work,
            Reset(random(2)),
            crossover,
            RouletteWheel::with_rng(random(3)),
            Rows(random(4), work.n),
        );
    }

    pub fn tournament(work: Work) {
        let selection =
            Tournament::with_rng(work.tournament as f64 / work.population as f64, random(3));
        search(
            work,
            Reset(random(2)),
            SinglePoint::with_rng(random(1)),
            selection,
            Rows(random(4), work.n),
        );
    }

    pub fn pmx(work: Work) {
        let selection =
            Tournament::with_rng(work.tournament as f64 / work.population as f64, random(3));
        let generator = RandomPermutations::with_rng((0..work.n).collect(), random(4));
        search(work, Swap(random(2)), Pmx::with_rng(random(1)), selection, generator);
    }
}

mod with_cmaes {
    use super::*;
    use cmaes::{CMAESOptions, DVector};

    /// CMA-ES on a sphere around 0, from a start of its range of ±5.12, with the step size of the
    /// runner, 0.3 of the range.
    pub fn sphere(work: Work) {
        let mut rng = SmallRng::seed_from_u64(5);
        for seed in 0..work.trials as u64 {
            let start: Vec<f64> = (0..work.n).map(|_| rng.gen_range(-5.12..=5.12)).collect();
            let mut search = CMAESOptions::new(start, 0.3 * 10.24)
                .population_size(work.population)
                .max_generations(work.generations / work.trials)
                .seed(seed)
                .build(|genes: &DVector<f64>| genes.norm_squared())
                .expect("a search");
            search.run();
            assert_eq!(search.generation() * work.trials, work.generations);
        }
    }
}

mod with_metaheuristics_nature {
    use super::*;
    use metaheuristics_nature::methods::de::{De, Strategy};
    use metaheuristics_nature::{Bounded, ObjFunc, Solver};

    struct Sphere;

    impl Bounded for Sphere {
        fn bound(&self) -> &[[f64; 2]] {
            &[[-5.12, 5.12]; 10]
        }
    }

    impl ObjFunc for Sphere {
        type Ys = f64;

        fn fitness(&self, genes: &[f64]) -> f64 {
            genes.iter().map(|gene| gene * gene).sum()
        }
    }

    /// Differential evolution, rand/1/bin.
    pub fn sphere(work: Work) {
        let generations = (work.generations / work.trials) as u64;
        for seed in 0..work.trials as u64 {
            let solver =
                Solver::build(De::new().strategy(Strategy::C2F2).f(0.5).cross(0.9), Sphere)
                    .seed(seed)
                    .pop_num(work.population)
                    .task(move |state| state.r#gen == generations)
                    .solve();
            assert!(solver.get_best_eval() < 1.0, "{}", solver.get_best_eval());
        }
    }
}

/// What is done, by whom, how much of it, and how.
type Row = (&'static str, &'static str, Work, fn(Work));

fn main() {
    let mut rng = SmallRng::seed_from_u64(7);
    for _ in 0..10_000 {
        let n = rng.gen_range(1..=64);
        let board: Vec<u8> = (0..n).map(|_| rng.gen_range(0..n)).collect();
        assert_eq!(clashes(&board), clashes_by_pairs(&board), "{board:?}");
    }
    let fewer = Work { generations: 200, ..MANY };
    let rows: [Row; 8] = [
        (
            "OneMax of 100 bits, RLS",
            "genetic_algorithm",
            ONES,
            with_genetic_algorithm::local_search,
        ),
        (
            "8 queens, one-point, roulette",
            "ecrs",
            Work { generations: 10_000, ..EIGHT },
            with_ecrs::roulette,
        ),
        (
            "8 queens, one-point, tournament of 2",
            "genetic_algorithm",
            EIGHT,
            with_genetic_algorithm::run,
        ),
        (
            "64 queens, one-point, tournament of 3",
            "genetic_algorithm",
            MANY,
            with_genetic_algorithm::run,
        ),
        ("64 queens, one-point, tournament of 3", "ecrs", MANY, with_ecrs::tournament),
        ("64 queens, pmx, tournament of 3", "ecrs", fewer, with_ecrs::pmx),
        ("sphere of 20 numbers, CMA-ES", "cmaes", NORMAL, with_cmaes::sphere),
        (
            "sphere of 10 numbers, DE",
            "metaheuristics-nature",
            DIFFERENCES,
            with_metaheuristics_nature::sphere,
        ),
    ];
    println!("{:<40} {:<22} {:>20}", "work", "peer", "million children/s");
    for (name, peer, work, run) in rows {
        let mut rates = [0; 3].map(|_| {
            let started = Instant::now();
            run(work);
            (work.population * work.generations) as f64 / started.elapsed().as_secs_f64() / 1e6
        });
        rates.sort_by(f64::total_cmp);
        println!("{name:<40} {peer:<22} {:>20.2}", rates[1]);
    }
}
