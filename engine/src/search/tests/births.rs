use super::{ENDLESS, FLIP, evolutionary, made, operator_set, run, seeds};
use crate::operators::{Crossover, CrossoverKind, Cut, Mix, Mutation, Replacement, Ties};
use crate::problem::fixtures::bits;
use crate::search::algorithms::{
    Cells, Cellular, DeterministicCrowding, Emigrants, Islands, Migration, Update,
};
use crate::search::births::NOTED;
use crate::search::{
    Algorithm, Birth, Evolutionary, Generation, Stop, Trace, Watcher, executor_for,
};
use crate::system::interrupt::Interrupt;
use std::sync::Arc;

const LENGTH: usize = 12;

/// Checks the births of each generation against the genomes of the one before.
struct Midwife<'set> {
    set: &'set Evolutionary,
    /// Number of children of a generation.
    offspring: usize,
    /// Whether the children are the next generation.
    replaces: bool,
    /// Whether children may have parents of their own generation.
    at_once: bool,
    /// Genomes of the generation before with their fitness.
    before: Vec<(Vec<f64>, f64)>,
    /// Births by crossover, by copy, with a mutation, and without.
    seen: [usize; 4],
}

impl Midwife<'_> {
    fn check(&mut self, birth: &Birth) {
        let Birth { parents, cut, bred, mutates, born, fitness } = birth;
        let genes: Vec<Vec<f64>> = parents.iter().map(|(genome, _)| genome.numbers()).collect();
        for (genes, (_, fitness)) in genes.iter().zip(parents) {
            let is_there = self.before.contains(&(genes.clone(), *fitness));
            assert!(self.at_once || is_there, "no such parent");
            assert_eq!(genes.iter().sum::<f64>(), *fitness);
        }
        let (bred, born) = (bred.numbers(), born.numbers());
        match (&genes[..], cut) {
            ([parent], None) => assert_eq!(&bred, parent),
            ([first, second], Some(cut)) => {
                assert!((1..LENGTH).contains(cut));
                assert_eq!(bred, [&first[..*cut], &second[*cut..]].concat());
            }
            ([first, second], None) => {
                let of_one = |place: usize| [first[place], second[place]].contains(&bred[place]);
                assert!((0..LENGTH).all(of_one));
            }
            other => panic!("{other:?}"),
        }
        let kind = self.set.crossover.map(|crossover| crossover.kind);
        let has_cut = matches!(kind, Some(CrossoverKind::OnePoint { .. }));
        assert_eq!(cut.is_some(), has_cut && parents.len() == 2);
        let changed = bred.iter().zip(&born).filter(|(bred, born)| bred != born).count();
        assert_eq!(changed, usize::from(*mutates), "a mutation flips one bit");
        assert_eq!(born.iter().sum::<f64>(), *fitness);
        self.seen[usize::from(parents.len() == 1)] += 1;
        self.seen[2 + usize::from(!mutates)] += 1;
    }
}

impl Watcher for Midwife<'_> {
    fn generation(&mut self, generation: &Generation<'_>) {
        let rows = generation.genes().split(LENGTH);
        let due = if generation.number == 0 { 0 } else { self.offspring.min(NOTED) };
        let births = generation.births();
        assert_eq!(births.len(), due);
        births.iter().for_each(|birth| self.check(birth));
        if self.replaces && due > 0 {
            let born: Vec<_> = births.iter().map(|birth| birth.born.clone()).collect();
            assert_eq!(born, rows[..due], "the children are the next generation");
        }
        let numbers = rows.iter().map(|row| row.numbers());
        self.before = numbers.zip(generation.fitness.iter().copied()).collect();
    }
}

/// Runs a watched trial of a genetic algorithm. Returns the births of each kind.
fn watched(set: &Evolutionary) -> [usize; 4] {
    let midwife = Midwife {
        set,
        offspring: set.replacement.offspring(set.population),
        replaces: set.replacement == Replacement::Generational,
        at_once: false,
        before: Vec::new(),
        seen: [0; 4],
    };
    watched_by(midwife, &made(set.clone()))
}

/// Runs a watched trial. Returns the births of each kind.
fn watched_by(mut midwife: Midwife<'_>, algorithm: &Arc<dyn Algorithm>) -> [usize; 4] {
    let problem = bits(LENGTH);
    let stop = Stop { generations: Some(60), ..ENDLESS };
    let operators = operator_set(algorithm);
    let mut executor = executor_for(&problem, &operators, &stop, None, Trace::Best);
    let result = executor.run_watched(seeds(1), &Interrupt::default(), Some(&mut midwife));
    let alone = run(&problem, algorithm, &stop, Trace::Best);
    assert_eq!(format!("{:?}", result.expect("nobody interrupts")), format!("{alone:?}"));
    // A trial that nobody watches notes nothing.
    assert!(executor.run(seeds(1), &Interrupt::default()).is_some());
    midwife.seen
}

#[test]
fn births_lead_from_the_generation_before_to_the_next() {
    let mutation = Some(Mutation { kind: FLIP, rate: 0.5 });
    let plus = Replacement::Plus { offspring: 5, ties: Ties::Children };
    for replacement in [Replacement::Generational, plus, Replacement::Elitism { elite: 2 }] {
        for kind in
            [CrossoverKind::OnePoint { cut: Cut::Inner }, CrossoverKind::Uniform { swap: 0.5 }]
        {
            for (rate, children) in [(0.6, 1), (0.6, 2), (1.0, 1), (1.0, 2)] {
                let crossover = Some(Crossover { kind, rate, children });
                let set = Evolutionary { crossover, mutation, ..evolutionary(8, replacement) };
                let [crossed, copied, mutated, unmutated] = watched(&set);
                assert!(crossed > 0 && mutated > 0 && unmutated > 0, "{set:?}");
                assert_eq!(copied > 0, rate < 1.0, "{set:?}");
            }
            let mix = Some(Mix { clone: 0.3, crossover: 0.4, mutate: 0.3 });
            let crossover = Some(Crossover { kind, rate: 1.0, children: 2 });
            let mutation = Some(Mutation { kind: FLIP, rate: 1.0 });
            let set = Evolutionary { crossover, mutation, mix, ..evolutionary(8, replacement) };
            assert!(watched(&set).iter().all(|count| *count > 0), "{set:?}");
        }
        let [crossed, copied, ..] = watched(&evolutionary(8, replacement));
        assert!(crossed == 0 && copied > 0);
    }
}

#[test]
fn births_in_structured_populations_lead_from_the_generation_before() {
    let crossover =
        Crossover { kind: CrossoverKind::OnePoint { cut: Cut::Inner }, rate: 0.6, children: 2 };
    let mutation = Some(Mutation { kind: FLIP, rate: 0.5 });
    let set = Evolutionary {
        crossover: Some(crossover),
        mutation,
        ..evolutionary(9, Replacement::Generational)
    };
    let midwife = |offspring, at_once| Midwife {
        set: &set,
        offspring,
        replaces: false,
        at_once,
        before: Vec::new(),
        seen: [0; 4],
    };
    let islands = Islands {
        count: 3,
        every: 2,
        migrants: 1,
        emigrants: Emigrants::Best,
        topology: Migration::Ring,
        operators: set.clone(),
    };
    let grid = |update| {
        let one = Some(Crossover { children: 1, ..crossover });
        let chosen = (set.scaling, set.selection);
        made(Cellular::new((9, 3), Cells::Linear5, update, chosen, (None, one, mutation)))
    };
    let crowding = made(DeterministicCrowding::new(9, Some(crossover), mutation));
    for (offspring, at_once, algorithm) in [
        (9, false, made(islands)),
        (9, false, grid(Update::Synchronous)),
        (9, true, grid(Update::LineSweep)),
        (8, false, crowding),
    ] {
        let seen = watched_by(midwife(offspring, at_once), &algorithm);
        assert!(seen.iter().all(|count| *count > 0), "{algorithm:?}: {seen:?}");
    }
}
