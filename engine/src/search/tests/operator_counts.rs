//! Counts of children by operators, against counts of what a watcher and the trace show.

use super::*;
use crate::operators::{Constraints, Crossover, CrossoverKind, Mix, Ties, Unit};
use crate::problem::fixtures::noisy::noisy;
use crate::problem::fixtures::{bits, constrained_table, table};
use crate::record::{OperatorCounts, Successes};
use crate::search::algorithms::{
    Cells, Cellular, DeterministicCrowding, Emigrants, Islands, Migration, Update,
};
use crate::search::{
    Birth, Duplicates, Generation, Resampling, RestartRule, Restarts, Statistic, Watcher,
};

const UNIFORM: Crossover =
    Crossover { kind: CrossoverKind::Uniform { swap: 0.5 }, rate: 0.6, children: 2 };
const HALF: Mutation = Mutation { kind: FLIP, rate: 0.5 };

fn varied(population: usize, replacement: Replacement) -> Evolutionary {
    let (crossover, mutation) = (Some(UNIFORM), Some(HALF));
    Evolutionary { crossover, mutation, ..evolutionary(population, replacement) }
}

/// Returns algorithms with children, each with the number of its children per generation.
fn with_children() -> Vec<(u64, Arc<dyn Algorithm>)> {
    let plus = |offspring| Replacement::Plus { offspring, ties: Ties::Children };
    let set = varied(6, Replacement::Generational);
    let mix = Some(Mix { clone: 0.3, crossover: 0.4, mutate: 0.3 });
    let islands = Islands {
        count: 3,
        every: 2,
        migrants: 1,
        emigrants: Emigrants::Best,
        topology: Migration::Ring,
        operators: varied(4, Replacement::Generational),
    };
    let grid = |update| {
        let one = Some(Crossover { children: 1, ..UNIFORM });
        let chosen = (set.scaling, set.selection);
        made(Cellular::new((9, 3), Cells::Linear5, update, chosen, (None, one, set.mutation)))
    };
    vec![
        (5, made(varied(6, plus(5)))),
        (4, made(varied(6, Replacement::Elitism { elite: 2 }))),
        (6, made(Evolutionary { mix, ..set.clone() })),
        (6, made(evolutionary(6, Replacement::Generational))),
        (1, made(evolutionary(1, plus(1)))),
        (3, made(evolutionary(1, plus(3)))),
        (3, made(evolutionary(1, Replacement::Comma { offspring: 3 }))),
        (12, made(islands)),
        (9, grid(Update::Synchronous)),
        (9, grid(Update::LineSweep)),
        (6, made(DeterministicCrowding::new(7, Some(UNIFORM), Some(HALF)))),
        (6, made(set)),
    ]
}

fn children(counts: &OperatorCounts) -> u64 {
    let OperatorCounts { crossed, mutated, crossed_mutated, cloned } = counts;
    crossed.children + mutated.children + crossed_mutated.children + cloned
}

/// Runs a trial with and without counts, which must change nothing else. Returns the counts.
fn counted(problem: &Problem, set: &OperatorSet, stop: &Stop) -> Vec<OperatorCounts> {
    let plain = run_set(problem, set, stop, Trace::Genomes, seeds(3));
    let mut result = run_set(problem, set, stop, Trace::GenomesOperators, seeds(3));
    let counts = std::mem::take(&mut result.operator_counts);
    assert_eq!(result, plain, "{set:?}");
    assert_eq!(counts.len() as u64, result.generations + 1, "{set:?}");
    counts
}

/// Every algorithm with children, with each rule for duplicates.
#[test]
fn counts_add_up_to_the_children_and_change_nothing() {
    let (problem, stop) = (bits(9), Stop { generations: Some(25), ..ENDLESS });
    for (offspring, algorithm) in with_children() {
        for duplicates in Duplicates::ALL {
            let set = operator_set(&algorithm).with_duplicates(duplicates);
            let sums: Vec<u64> = counted(&problem, &set, &stop).iter().map(children).collect();
            assert_eq!(sums[0], 0);
            assert!(sums[1..].iter().all(|sum| *sum == offspring), "{set:?} {sums:?}");
        }
    }
}

/// A first population of a run has no parents, and a generation that the budget cuts short has no
/// counts. Survivors that are evaluated anew are no children.
#[test]
fn counts_are_of_whole_generations_of_children() {
    let stop = Stop { evaluations: Some(99), ..ENDLESS };
    let plus = Replacement::Plus { offspring: 3, ties: Ties::Children };
    for population in [1, 4] {
        let kind = MutationKind::Reset { genes: Genes::One, different: true };
        let mutation = Some(Mutation { kind, rate: 1.0 });
        let algorithm = made(Evolutionary { mutation, ..evolutionary(population, plus) });
        let rule = Restarts { rule: RestartRule::Every(5), unit: Unit::Generations };
        let set = operator_set(&algorithm).with_restarts(Some(rule));
        let sums: Vec<u64> = counted(&bits(30), &set, &stop).iter().map(children).collect();
        let due = |generation: usize| if generation.is_multiple_of(6) { 0 } else { 3 };
        assert_eq!(sums, (0..sums.len()).map(due).collect::<Vec<u64>>());

        let anew = Resampling { evaluations: 2, combine: Statistic::Mean, reevaluates: true };
        let set = operator_set(&algorithm).with_resampling(Some(anew));
        let counts = counted(&noisy(8, true), &set, &stop);
        assert!(counts[1..].iter().all(|counts| counts.mutated.children == 3), "{counts:?}");
    }
}

/// Counts births, where the watcher sees all children of a generation, and the counts that it is
/// shown.
#[derive(Default)]
struct Counter(Vec<OperatorCounts>, Vec<Option<OperatorCounts>>);

impl Watcher for Counter {
    fn generation(&mut self, generation: &Generation<'_>) {
        let births = generation.births();
        let kind = |crossed: bool, mutated: bool| {
            let is_kind =
                |birth: &&Birth| (birth.parents.len() == 2, birth.mutates) == (crossed, mutated);
            let own: Vec<&Birth> = births.iter().filter(is_kind).collect();
            let is_better =
                |birth: &&&Birth| birth.parents.iter().all(|(_, fitness)| birth.fitness < *fitness);
            let better = own.iter().filter(is_better).count() as u64;
            Successes { children: own.len() as u64, better }
        };
        self.0.push(OperatorCounts {
            crossed: kind(true, false),
            mutated: kind(false, true),
            crossed_mutated: kind(true, true),
            cloned: kind(false, false).children,
        });
        self.1.push(generation.operators);
    }
}

#[test]
fn counts_are_those_of_the_births() {
    let (problem, stop) = (bits(20), Stop { generations: Some(40), ..ENDLESS });
    let mut better = [0; 3];
    for (_, algorithm) in with_children().into_iter().filter(|(offspring, _)| *offspring <= 6) {
        for duplicates in [Duplicates::Allow, Duplicates::Avoid] {
            let set = operator_set(&algorithm).with_duplicates(duplicates);
            let mut executor = executor_for(&problem, &set, &stop, None, Trace::BestOperators);
            let mut seen = Counter::default();
            let watched = executor.run_watched(seeds(5), &Interrupt::default(), Some(&mut seen));
            let counts = watched.expect("nobody interrupts").operator_counts;
            assert_eq!(counts, seen.0, "{algorithm:?} {duplicates:?}");
            assert_eq!(counts.iter().copied().map(Some).collect::<Vec<_>>(), seen.1);
            for counts in counts {
                let kinds = [counts.crossed, counts.mutated, counts.crossed_mutated];
                better.iter_mut().zip(kinds).for_each(|(sum, kind)| *sum += kind.better);
            }
        }
    }
    assert!(better.iter().all(|sum| *sum > 10), "{better:?}");
}

/// There are two genomes, and each child is the other one than its parent. So the children that
/// are better than their parents are those with the better genome.
#[test]
fn better_follows_the_order_of_the_arm() {
    let kind = MutationKind::Reset { genes: Genes::One, different: true };
    let mutation = Some(Mutation { kind, rate: 1.0 });
    let set = Evolutionary { mutation, ..evolutionary(6, Replacement::Generational) };
    let stop = Stop { generations: Some(20), target: Some(-1.0), ..ENDLESS };
    let constrained = constrained_table("integer", "1 0", "0 3", "");
    let plain = table("integer", "1 0", "");
    for (problem, constraints, best) in [
        (&plain, None, 0.0),
        (&constrained, Some(Constraints::FeasibilityFirst), 1.0),
        (&constrained, Some(Constraints::Penalty { factor: 1.0 }), 1.0),
        (&constrained, Some(Constraints::Penalty { factor: 0.1 }), 0.0),
        (&constrained, Some(Constraints::Ignore), 0.0),
    ] {
        let set = OperatorSet { constraints, ..operator_set(&made(set.clone())) };
        let result = run_set(problem, &set, &stop, Trace::PopulationOperators, seeds(2));
        let of_generation = |number: usize| {
            let rows = result.trace.iter().filter(move |row| row.generation == number as u64);
            rows.filter(|row| row.best == best).count() as u64
        };
        for (number, counts) in result.operator_counts.iter().enumerate().skip(1) {
            let mutated = Successes { children: 6, better: of_generation(number) };
            assert_eq!(*counts, OperatorCounts { mutated, ..OperatorCounts::default() });
        }
    }
}

#[test]
fn other_searches_and_other_traces_count_nothing() {
    let (problem, stop) = (bits(6), Stop { evaluations: Some(50), ..ENDLESS });
    for algorithm in [random_search(5), hill_climbing(PivotingRule::Steepest), exhaustive(8)] {
        let counts = run(&problem, &algorithm, &stop, Trace::BestOperators).operator_counts;
        assert!(counts.is_empty(), "{algorithm:?}");
    }
    let (_, genetic) = with_children().remove(0);
    for trace in [Trace::None, Trace::Best, Trace::Genomes, Trace::Improvements] {
        assert!(run(&problem, &genetic, &stop, trace).operator_counts.is_empty());
    }
}

/// Keeps nothing but what a watcher is shown.
#[test]
fn counts_are_for_a_watcher_alone() {
    let (problem, stop) = (bits(20), Stop { generations: Some(30), ..ENDLESS });
    for (offspring, algorithm) in with_children() {
        let set = operator_set(&algorithm);
        let traced = run_set(&problem, &set, &stop, Trace::BestOperators, seeds(5));
        let mut executor = executor_for(&problem, &set, &stop, None, Trace::Operators);
        let mut seen = Counter::default();
        let watched = executor.run_watched(seeds(5), &Interrupt::default(), Some(&mut seen));
        let shown: Option<Vec<OperatorCounts>> = seen.1.into_iter().collect();
        assert_eq!(shown.as_ref(), Some(&traced.operator_counts), "{offspring} {algorithm:?}");
        let bare = TrialRecord { trace: Vec::new(), operator_counts: Vec::new(), ..traced };
        assert_eq!(watched, Some(bare));
    }
}
