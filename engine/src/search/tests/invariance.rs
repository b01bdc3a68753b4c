//! Changes of a problem that searches must not notice.

use super::{ENDLESS, evolutionary, made, run_seed};
use crate::operators::{Genes, Mutation, MutationKind, Replacement, Selection, Ties};
use crate::problem::fixtures::ellipsoid;
use crate::search::algorithms::{
    CmaEs, Covariance, DifferentialEvolution, OnePlusOneEs, ParticleSwarm, Restarts, Strategy,
    Topology,
};
use crate::search::{Algorithm, Evolutionary, Stop, Trace};
use std::sync::Arc;

fn cma_es(covariance: Covariance, active: bool) -> Arc<dyn Algorithm> {
    // The range of the genes is 2e6.
    let sigma = 0.3 / 2e6;
    made(CmaEs { lambda: 8, sigma, covariance, active, restarts: Restarts::None })
}

fn differential_evolution(strategy: Strategy) -> Arc<dyn Algorithm> {
    made(DifferentialEvolution { population: 40, weight: 0.5, crossover_rate: 0.9, strategy })
}

fn swarm(topology: Topology) -> Arc<dyn Algorithm> {
    let (inertia, cognitive, social) = (0.7298, 1.49618, 1.49618);
    made(ParticleSwarm { population: 20, topology, inertia, cognitive, social })
}

/// Searches that compare fitness, and never calculate with it.
fn by_comparison() -> Vec<Arc<dyn Algorithm>> {
    let kind = MutationKind::Gaussian { sigma: 1e-8, genes: Genes::Each(1.0) };
    let replacement = Replacement::Plus { offspring: 10, ties: Ties::Children };
    let tournament = Evolutionary {
        selection: Selection::Tournament { size: 3 },
        mutation: Some(Mutation { kind, rate: 1.0 }),
        ..evolutionary(10, replacement)
    };
    vec![
        cma_es(Covariance::Full, true),
        cma_es(Covariance::Full, false),
        cma_es(Covariance::Diagonal, true),
        cma_es(Covariance::None, false),
        made(OnePlusOneEs { sigma: 1e-7, success_rate: 0.2 }),
        differential_evolution(Strategy::Rand),
        differential_evolution(Strategy::Best),
        differential_evolution(Strategy::CurrentToPBest { p: 0.2 }),
        swarm(Topology::Global),
        swarm(Topology::Ring),
        made(tournament),
    ]
}

/// Searches by comparison visit the same genomes where fitness is other numbers in the same order.
#[test]
fn other_numbers_in_the_same_order_change_no_trial() {
    let (plain, cubed) = (ellipsoid("axes"), ellipsoid("cubed"));
    let stop = Stop { generations: Some(40), ..ENDLESS };
    for algorithm in by_comparison() {
        for seed in 1..4 {
            let [one, other] = [&plain, &cubed]
                .map(|problem| run_seed(problem, &algorithm, &stop, Trace::Genomes, seed));
            assert_eq!(one.traced_genes, other.traced_genes, "{algorithm:?}");
            let best = one.best_fitness.expect("an evaluated genome");
            assert_eq!(other.best_fitness, Some(best * best * best), "{algorithm:?}");
        }
    }
}

/// Standardised difference of the mean logarithms of the evaluations that 150 trials need along the
/// axes, and turned.
fn difference(algorithm: &Arc<dyn Algorithm>) -> f64 {
    let stop = Stop { target: Some(1e-8), evaluations: Some(100_000), ..ENDLESS };
    let moments = ["axes", "turned"].map(|kind| {
        let problem = ellipsoid(kind);
        let needed = (0..150).map(|seed| {
            let result = run_seed(&problem, algorithm, &stop, Trace::None, seed);
            let needed = result.evaluations_to_success;
            (needed.unwrap_or_else(|| panic!("{kind} {seed}: {result:?}")) as f64).ln()
        });
        let needed: Vec<f64> = needed.collect();
        let mean = needed.iter().sum::<f64>() / needed.len() as f64;
        let squares = needed.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>();
        (mean, squares / (needed.len() - 1) as f64 / needed.len() as f64)
    });
    let [(one, of_one), (other, of_other)] = moments;
    (other - one) / (of_one + of_other).sqrt()
}

/// CMA-ES cannot tell in which directions the axes lie; differential evolution, which exchanges
/// genes, can. Normal: within 5 standard deviations, a false alarm in 6e-7.
#[test]
fn turned_axes_make_no_difference_to_cma_es() {
    for active in [true, false] {
        let found = difference(&cma_es(Covariance::Full, active));
        assert!(found.abs() < 5.0, "active {active}: {found}");
    }
    let found = difference(&differential_evolution(Strategy::Rand));
    assert!(found > 5.0, "{found}");
}

/// On a plateau every step succeeds, so the step size grows in each. The genes stay numbers.
#[test]
fn the_step_size_of_a_plateau_stays_a_number() {
    let problem = ellipsoid("flat");
    let algorithm = made(OnePlusOneEs { sigma: 1e6, success_rate: 0.2 });
    let stop = Stop { evaluations: Some(3_000), ..ENDLESS };
    let result = run_seed(&problem, &algorithm, &stop, Trace::Genomes, 1);
    assert_eq!((result.evaluations, result.trace.len()), (3_000, 3_000), "{:?}", result.error);
}
