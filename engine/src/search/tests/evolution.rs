use super::{ENDLESS, evolutionary, made, run};
use crate::operators::{Replacement, Scaling, Selection, Ties};
use crate::problem::fixtures::{bits, digits};
use crate::random::draws::Random;
use crate::search::algorithms::{Cells, Cellular, Update};
use crate::search::clock::Clock;
use crate::search::population::Population;
use crate::search::ranking::Ranking;
use crate::search::survivor_selection::SurvivorSelection;
use crate::search::{Stop, Trace};
use crate::system::interrupt::Interrupt;

/// Returns rows of one gene, which is also the fitness.
fn population(fitness: &[u8]) -> Population<u8> {
    let mut population = Population::new(fitness.len(), 1);
    population.genes_mut().copy_from_slice(fitness);
    let rows = population.fitness.iter_mut().zip(fitness);
    rows.for_each(|(row, fitness)| *row = f64::from(*fitness));
    population
}

/// Returns the next population, in ascending order.
fn next(replacement: Replacement, parents: &[u8], children: &[u8]) -> Vec<u8> {
    let (mut parents, mut children) = (population(parents), population(children));
    let mut selection = SurvivorSelection::new(replacement, Population::new(parents.rows(), 1));
    let random = &mut Random::seed_from_u64(1);
    let (interrupt, ranking) = (Interrupt::default(), &mut Ranking::new(None));
    let clock = Clock::start(&interrupt, None);
    let replaced = selection.replace(&mut parents, &mut children, ranking, (random, &clock));
    replaced.expect("nothing ends it");
    let genes = parents.genes().to_vec();
    assert!(genes.iter().zip(&parents.fitness[..]).all(|(gene, fit)| f64::from(*gene) == *fit));
    let mut sorted = genes;
    sorted.sort_unstable();
    sorted
}

#[test]
fn each_replacement_keeps_whom_it_says() {
    let ties = Ties::Children;
    let parents = [40, 10, 30, 20];
    for (replacement, children, due) in [
        (Replacement::Generational, &[91, 92, 93, 94][..], [91, 92, 93, 94]),
        (Replacement::Elitism { elite: 1 }, &[91, 92, 93], [10, 91, 92, 93]),
        (Replacement::Elitism { elite: 3 }, &[5], [5, 10, 20, 30]),
        (Replacement::Plus { offspring: 2, ties }, &[15, 50], [10, 15, 20, 30]),
        (Replacement::Plus { offspring: 5, ties }, &[1, 2, 3, 4, 5], [1, 2, 3, 4]),
        (Replacement::Plus { offspring: 1, ties }, &[50], [10, 20, 30, 40]),
        (Replacement::Comma { offspring: 6 }, &[96, 91, 95, 93, 92, 94], [91, 92, 93, 94]),
        (Replacement::SteadyState { offspring: 2 }, &[90, 50], [10, 20, 50, 90]),
    ] {
        assert_eq!(next(replacement, &parents, children), due, "{replacement:?}");
    }
}

/// Every child differs from its parent in one bit, so that its fitness is one more or less. The
/// trace shows the population, not the children.
#[test]
fn plus_never_loses_its_best_and_generational_can() {
    let worsens = |replacement| {
        let stop = Stop { generations: Some(50), ..ENDLESS };
        let algorithm = made(evolutionary(2, replacement));
        let result = run(&bits(20), &algorithm, &stop, Trace::Best);
        assert_eq!(result.trace.len(), 51);
        result.trace.windows(2).any(|pair| pair[1].best > pair[0].best)
    };
    assert!(!worsens(Replacement::Plus { offspring: 3, ties: Ties::Children }));
    assert!(!worsens(Replacement::Elitism { elite: 1 }));
    assert!(worsens(Replacement::Generational));
    assert!(worsens(Replacement::Comma { offspring: 2 }));
}

/// Without variation, every generation consists of genomes of the first.
#[test]
fn without_variation_nothing_new_appears() {
    let mut set = evolutionary(6, Replacement::Generational);
    set.mutation = None;
    let stop = Stop { generations: Some(10), ..ENDLESS };
    let result = run(&digits(30), &made(set), &stop, Trace::Population);
    let (first, later) = result.trace.split_at(6);
    assert!(later.iter().all(|row| first.iter().any(|start| start.best == row.best)));
}

/// The best of each neighbourhood passes on its genome, which so reaches all cells of a grid of 6
/// times 6 in 3 generations. A share of 1 is no selection, and takes longer.
#[test]
fn truncation_on_a_grid_takes_a_share_of_the_neighbourhood() {
    for (share, cells, ends) in
        [(0.1, Cells::Compact9, true), (0.2, Cells::Linear5, false), (1.0, Cells::Compact9, false)]
    {
        let chosen = (Scaling::None, Selection::Truncation { share });
        let copies = (None, None, None);
        let grid = Cellular::new((36, 6), cells, Update::Synchronous, chosen, copies);
        let stop = Stop { generations: Some(6), ..ENDLESS };
        let trace = run(&bits(12), &made(grid), &stop, Trace::Best).trace;
        assert_eq!(trace[3].best == trace[3].worst, ends, "{share} {cells:?}");
        let all = trace[6].best == trace[6].worst;
        assert_eq!(all, share < 1.0, "{share} {cells:?}");
    }
}
