//! Searches on problems with noise.

use super::*;
use crate::problem::fixtures::noisy::{draw, noisy};
use crate::search::{Resampling, Statistic};

const RESET: Mutation =
    Mutation { kind: MutationKind::Reset { genes: Genes::One, different: true }, rate: 1.0 };

fn set(algorithm: &Arc<dyn Algorithm>, evaluations: usize, reevaluates: bool) -> OperatorSet {
    let combine = Statistic::Mean;
    operator_set(algorithm).with_resampling(Some(Resampling { evaluations, combine, reevaluates }))
}

fn plus(population: usize, offspring: usize) -> Arc<dyn Algorithm> {
    let ties = crate::operators::Ties::Children;
    let mut settings = evolutionary(population, Replacement::Plus { offspring, ties });
    settings.mutation = Some(RESET);
    made(settings)
}

/// Every evaluation counts, of survivors too, and no genome is evaluated in part.
#[test]
fn evaluations_are_counted_one_by_one() {
    let problem = noisy(3, true);
    let stop = Stop { generations: Some(10), ..ENDLESS };
    for (population, offspring, each, anew) in [(1, 1, 1, false), (1, 3, 4, true), (5, 2, 3, true)]
    {
        let set = set(&plus(population, offspring), each, anew);
        let result = run_set(&problem, &set, &stop, Trace::None, seeds(3));
        let per_generation = offspring + if anew { population } else { 0 };
        let due = ((population + 10 * per_generation) * each) as u64;
        assert_eq!((result.evaluations, result.generations), (due, 10));
        assert_eq!(set.evaluations(10), Some(due));
        // A budget that ends within a genome is not spent to the end.
        let stop = Stop { evaluations: Some(due - 1), ..ENDLESS };
        let result = run_set(&problem, &set, &stop, Trace::None, seeds(3));
        assert_eq!(result.outcome, crate::record::Outcome::Evaluations);
        assert_eq!((result.evaluations, result.generations), (due - each as u64, 9));
    }
    let elitism = made(Evolutionary {
        mutation: Some(RESET),
        ..evolutionary(6, Replacement::Elitism { elite: 2 })
    });
    let set = set(&elitism, 3, true);
    let result = run_set(&problem, &set, &stop, Trace::None, seeds(3));
    assert_eq!(result.evaluations, (6 + 10 * 4 + 9 * 2) * 3);
    assert_eq!(set.evaluations(10), Some(result.evaluations));
}

/// The best genome has the least noiseless fitness, or else the least mean, of all that were
/// evaluated; its evaluations are those up to the last of its own.
#[test]
fn the_best_genome_is_the_best_by_what_genomes_are_judged_by() {
    let stop = Stop { evaluations: Some(200), target: Some(-1.0), ..ENDLESS };
    let set = set(&random_search(8), 5, false);
    for seed in 0..5 {
        let result = run_set(&noisy(1, true), &set, &stop, Trace::Genomes, seeds(seed));
        let Some(crate::problem::Genome::U8(genes)) = &result.traced_genes else { panic!("none") };
        let least = genes.iter().min().copied().expect("genomes");
        assert_eq!(result.best_fitness, Some(least.into()));
        assert_eq!((result.best_error, result.success), (None, false));
        let result = run_set(&noisy(1, false), &set, &stop, Trace::None, seeds(seed));
        let noise = seeds(seed).of_noise();
        let draws: Vec<f64> = (0..200).map(|number| draw(&noise, number)).collect();
        let means = draws.chunks(5).map(|five| five.iter().sum::<f64>() / 5.0);
        let (place, least) =
            means.enumerate().min_by(|one, other| one.1.total_cmp(&other.1)).expect("genomes");
        assert_eq!(result.best_fitness, Some(least));
        let after = 200 - 5 * (place as u64 + 1);
        assert_eq!(result.evaluations_after_best, Some(after));
        assert!(result.best_error.is_some_and(|error| error > 0.0 && error < 0.5));
    }
}

/// The best of evaluations of one genome that are made anew would be better by chance.
#[test]
fn evaluations_anew_make_no_genome_better() {
    let problem = noisy(1, false);
    let stop = Stop { generations: Some(50), ..ENDLESS };
    let set = set(&plus(1, 1), 1, true);
    let result = run_set(&problem, &set, &stop, Trace::None, seeds(8));
    // The first genome, then in each generation the parent anew and its child.
    let noise = seeds(8).of_noise();
    let new = (0..=100).step_by(2).map(|number| draw(&noise, number));
    assert_eq!(result.best_fitness, new.reduce(f64::min));
}
