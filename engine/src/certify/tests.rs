//! The suite passes for the actual operators, and fails for mutants of each.

mod algorithm_mutants;
mod faulty;

use super::constraints::Row;
use super::*;
use crate::operators::{
    Constraints, Crossover, CrossoverKind, Cut, Genes, Mix, Mutation, MutationKind, Scaling,
    Selection, Ties,
};
use crate::problem::Problem;
use crate::random::draws::{below, chance, unit};
use crate::search::{Algorithm, Evolutionary};
use crate::test_size::is_full;
use std::sync::Arc;

/// Runs the checks of every third operator once, or at full size of all operators ten times. Each
/// suite fails by chance for at most one seed in a million, and these seeds are fixed.
#[test]
fn the_operators_pass() {
    let (suites, step) = if is_full() { (10, 1) } else { (1, 3) };
    let mut operators: Vec<&str> = checks().iter().map(|check| check.operator).collect();
    operators.sort_unstable();
    operators.dedup();
    for seed in 0..suites {
        for operator in operators.iter().step_by(step) {
            let failed: Vec<Certificate> =
                certificates(&Trials, Some(operator), seed).filter(|one| !one.passed).collect();
            assert!(failed.is_empty(), "seed {seed}: {failed:#?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_certificates_whichever_are_asked_for() {
    let all = certify(&Trials, Some("selection"), 3);
    let some = certify(&Trials, Some("tournament"), 3);
    assert!(some.len() >= 5 && some.iter().all(|one| all.contains(one)));
    assert!(some.iter().all(|one| one.operator == "tournament"));
    assert_ne!(all, certify(&Trials, Some("selection"), 4));
}

/// Checks that all operators of the registry have checks, except a plugin's own and trivial ones.
#[test]
fn every_operator_is_certified() {
    let checks = checks();
    for (slot, operator) in crate::search::registry::all() {
        let name = operator.name;
        let exempt = slot != Slot::Algorithm && matches!(name, "problem" | "none" | "generational");
        let is_certified = checks.iter().any(|one| one.slot == slot && one.operator == name);
        let (place, section) = match slot {
            Slot::Algorithm => ("algorithms/", "Adding an algorithm"),
            _ => ("", "Adding an operator"),
        };
        assert!(
            exempt || is_certified,
            "{name} of the slot {slot} has no certificate: add one in engine/src/certify/{place}, \
            see CONTRIBUTING, {section}"
        );
    }
}

/// Faulty operator: its settings are changed, or parents or children are changed afterwards.
#[derive(Clone, Copy)]
struct Mutant {
    name: &'static str,
    /// Operator whose checks must detect the mutant.
    operator: &'static str,
    twist: fn(&mut Evolutionary),
    parents: fn(&Evolutionary, &mut [u32], &mut Random),
    children: fn(&Evolutionary, &mut [u8], usize, &mut Random),
    /// Change of fitness and violations before the operator reads them.
    rows: fn(&mut Constraints, &mut [Row]),
}

impl Mutant {
    fn constrained(&self, constraints: Constraints, rows: &[Row]) -> (Constraints, Vec<Row>) {
        let (mut constraints, mut rows) = (constraints, rows.to_vec());
        (self.rows)(&mut constraints, &mut rows);
        (constraints, rows)
    }

    fn twisted(&self, set: &Evolutionary) -> Evolutionary {
        let mut set = set.clone();
        (self.twist)(&mut set);
        set
    }
}

impl Subject for Mutant {
    fn choose(
        &self,
        set: &Evolutionary,
        fitness: &[f64],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        Trials.choose(&self.twisted(set), fitness, random, parents);
        (self.parents)(set, parents, random);
    }

    fn vary(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[u8],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<u8> {
        let mut made = Trials.vary(problem, &self.twisted(set), genes, parents, offspring, random);
        (self.children)(set, &mut made, problem.description().genome_length, random);
        made
    }

    fn vary_real(
        &self,
        problem: &Problem,
        set: &Evolutionary,
        genes: &[f64],
        parents: &dyn Fn(usize) -> Vec<u32>,
        offspring: usize,
        random: &mut Random,
    ) -> Vec<f64> {
        let mut made =
            Trials.vary_real(problem, &self.twisted(set), genes, parents, offspring, random);
        if self.name == "steps turn back at the bounds" {
            made.iter_mut().filter(|gene| gene.abs() == 100.0).for_each(|gene| *gene *= 0.99);
        }
        made
    }

    fn best(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32> {
        let mut rows = Trials.best(parents, count, random);
        match self.name {
            "elites lose the last" => _ = rows.pop(),
            "the earlier live on among equals" => rows = by_row(parents, count),
            _ => {}
        }
        rows
    }

    fn worst(&self, parents: &[f64], count: usize, random: &mut Random) -> Vec<u32> {
        let turned: Vec<f64> = parents.iter().map(|value| -value).collect();
        match self.name {
            "the best give way" => Trials.best(parents, count, random),
            "the earlier give way among equals" => by_row(&turned, count),
            _ => Trials.worst(parents, count, random),
        }
    }

    fn plus(&self, parents: &[f64], children: &[f64], ties: Ties, random: &mut Random) -> Vec<u32> {
        let ties = match self.name {
            "parents come first among equals" => Ties::Parents,
            "lots between parents and children" => Ties::Random,
            "children come first among equals" => Ties::Children,
            "the earlier live on among equals" => {
                return by_row(&[parents, children].concat(), parents.len());
            }
            _ => ties,
        };
        Trials.plus(parents, children, ties, random)
    }

    fn choose_constrained(
        &self,
        set: &Evolutionary,
        constraints: Constraints,
        rows: &[Row],
        random: &mut Random,
        parents: &mut [u32],
    ) {
        let (constraints, rows) = self.constrained(constraints, rows);
        Trials.choose_constrained(set, constraints, &rows, random, parents);
    }

    fn survivors(
        &self,
        constraints: Constraints,
        parents: &[Row],
        children: &[Row],
        random: &mut Random,
    ) -> Vec<u32> {
        let (constraints, all) = self.constrained(constraints, &[parents, children].concat());
        let (parents, children) = all.split_at(parents.len());
        let mut living = Trials.survivors(constraints, parents, children, random);
        if self.name == "all survivors are one row" {
            let first = living[0];
            living.fill(first);
        }
        living
    }

    fn algorithm(&self, algorithm: Arc<dyn Algorithm>) -> Arc<dyn Algorithm> {
        algorithm_mutants::mutant(self.name, algorithm)
    }
}

/// Returns the least rows; among equals, the earlier rows.
fn by_row(values: &[f64], count: usize) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..values.len() as u32).collect();
    rows.sort_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]));
    rows[..count].to_vec()
}

const SOUND: Mutant = Mutant {
    name: "",
    operator: "",
    twist: |_| {},
    parents: |_, _, _| {},
    children: |_, _, _, _| {},
    rows: |_, _| {},
};

fn twist(name: &'static str, operator: &'static str, twist: fn(&mut Evolutionary)) -> Mutant {
    Mutant { name, operator, twist, ..SOUND }
}

fn constrained(
    name: &'static str,
    operator: &'static str,
    rows: fn(&mut Constraints, &mut [Row]),
) -> Mutant {
    Mutant { name, operator, rows, ..SOUND }
}

fn kind(set: &mut Evolutionary, change: impl FnOnce(&mut CrossoverKind)) {
    if let Some(Crossover { kind, .. }) = &mut set.crossover {
        change(kind);
    }
}

fn mutation(set: &mut Evolutionary, change: impl FnOnce(&mut MutationKind)) {
    if let Some(Mutation { kind, .. }) = &mut set.mutation {
        change(kind);
    }
}

fn is(set: &Evolutionary, wanted: CrossoverKind) -> bool {
    set.crossover.is_some_and(|crossover| crossover.kind == wanted)
}

fn mutants() -> Vec<Mutant> {
    vec![
        twist("λ begins a tenth higher", "one-plus-lambda-lambda", |_| {}),
        twist("steps a twentieth too long", "cma-es", |_| {}),
        twist("bad children are ignored", "cma-es", |_| {}),
        twist("no runs of few children", "cma-es", |_| {}),
        twist("runs of few children", "cma-es", |_| {}),
        twist("a number of few children that never comes", "cma-es", |_| {}),
        twist("first steps that are never short", "cma-es", |_| {}),
        twist("a rule of a quarter", "one-plus-one-es", |_| {}),
        twist("too large a difference", "differential-evolution", |_| {}),
        twist("a gene too many is the mutant's", "differential-evolution", |_| {}),
        twist("a learning rate that is too high", "self-adaptive-gaussian", |_| {}),
        twist("a learning rate that is too high", "self-adaptive-bit-flip", |_| {}),
        twist("niches that reach too far", "roulette", |_| {}),
        twist("a schedule that ends too high", "bit-flip", |_| {}),
        twist("a schedule that ends too high", "reset", |_| {}),
        twist("a schedule that ends too high", "gaussian", |_| {}),
        twist("a schedule that ends too high", "one-point", |_| {}),
        twist("bits in random order", "greedy-hill-climbing", |_| {}),
        twist("a greater first rate", "self-adjusting-one-plus-lambda", |_| {}),
        twist("rounded in place of truncated", "self-adjusting-one-plus-lambda", |_| {}),
        twist("a variance that stays", "self-adjusting-one-plus-lambda", |_| {}),
        twist("another first rate", "self-adjusting-one-plus-lambda", |_| {}),
        twist("one too many are learned from", "umda", |_| {}),
        twist("too small a margin", "umda", |_| {}),
        twist("nothing learned from the worst", "pbil", |_| {}),
        twist("mutations that go too far", "pbil", |_| {}),
        twist("steps that are too short", "cga", |_| {}),
        twist("a random base in place of the best", "differential-evolution", |_| {}),
        twist("a third counts as the best", "differential-evolution", |_| {}),
        twist("means that hardly move", "jade", |_| {}),
        twist("no archive", "jade", |_| {}),
        twist("too large a share of the best", "shade", |_| {}),
        twist("too long a memory", "shade", |_| {}),
        twist("one individual too many", "l-shade", |_| {}),
        twist("a threshold that includes its end", "threshold-accepting", |_| {}),
        twist("a threshold that stays", "threshold-accepting", |_| {}),
        twist("a shorter history", "late-acceptance", |_| {}),
        twist("a longer history", "late-acceptance", |_| {}),
        twist("a tenure that is too short", "tabu-search", |_| {}),
        twist("a tenure without chance", "tabu-search", |_| {}),
        twist("a perturbation too short", "iterated-local-search", |_| {}),
        twist("a migration too early", "islands", |_| {}),
        twist("random emigrants in place of the best", "islands", |_| {}),
        twist("five neighbours in place of nine", "cellular", |_| {}),
        twist("children that take their cells at once", "cellular", |_| {}),
        twist("the better survive wherever they are", "deterministic-crowding", |_| {}),
        twist("a strength that ends too soon", "variable-neighborhood-search", |_| {}),
        twist("one strength alone", "variable-neighborhood-search", |_| {}),
        twist("exchanges in place of reversals", "variable-neighborhood-search", |_| {}),
        twist("exchanges in place of insertions", "variable-neighborhood-search", |_| {}),
        twist("the best value of any gene", "min-conflicts", |_| {}),
        twist("the best exchange", "conflict-minimization", |_| {}),
        twist("a little too much inertia", "particle-swarm", |_| {}),
        twist("a weaker pull to the best", "particle-swarm", |_| {}),
        twist("all particles in place of the ring", "particle-swarm", |_| {}),
        twist("nothing worse is accepted", "simulated-annealing", |_| {}),
        twist("twice the worsening", "simulated-annealing", |_| {}),
        twist("a temperature one step late", "simulated-annealing", |_| {}),
        twist("a temperature that stays", "simulated-annealing", |_| {}),
        twist("a threshold in place of a chance", "simulated-annealing", |_| {}),
        twist("the first of equal neighbours", "hill-climbing", |_| {}),
        twist("any better neighbour in place of the best", "hill-climbing", |_| {}),
        twist("the best in place of the first better", "hill-climbing", |_| {}),
        twist("a move sideways too many", "hill-climbing", |_| {}),
        twist("exchanges in place of reversals", "hill-climbing", |_| {}),
        twist("exchanges in place of insertions", "hill-climbing", |_| {}),
        twist("a restart in place of an end", "hill-climbing", |_| {}),
        twist("no genome like the one before", "random-search", |_| {}),
        twist("one sample too few", "random-search", |_| {}),
        twist("two genomes exchanged", "exhaustive", |_| {}),
        twist("one genome twice, another never", "exhaustive", |_| {}),
        twist("samples in place of all genomes", "exhaustive", |_| {}),
        twist("parents without a tournament", "evolutionary", |_| {}),
        twist("no crossover", "evolutionary", |_| {}),
        twist("one child of each pair", "evolutionary", |_| {}),
        twist("crossed children do not mutate", "evolutionary", |_| {}),
        twist("an elite that is too large", "evolutionary", |_| {}),
        twist("the best child whatever the parent", "evolutionary", |_| {}),
        twist("one child too many", "evolutionary", |_| {}),
        twist("ties to children alone", "evolutionary", |_| {}),
        twist("children in place of the worst", "evolutionary", |_| {}),
        Mutant {
            // With probability 0.01, a parent is replaced by the next row.
            parents: |set, parents, random| {
                for parent in parents.iter_mut().filter(|_| set.selection == Selection::Roulette) {
                    *parent = if chance(random, 0.01) { (*parent + 1) % 12 } else { *parent };
                }
            },
            ..twist("a biased wheel", "roulette", |_| {})
        },
        twist("a wheel in place of even pointers", "sus", |set| {
            if set.selection == Selection::Sus {
                set.selection = Selection::Roulette;
            }
        }),
        Mutant {
            parents: |set, parents, _| {
                if set.selection == Selection::Sus {
                    parents.sort_unstable();
                }
            },
            ..twist("mates in the order of the wheel", "sus", |_| {})
        },
        Mutant {
            parents: |set, parents, random| {
                if set.selection == Selection::Sus {
                    parents.sort_unstable();
                    parents.rotate_left(below(random, parents.len()));
                }
            },
            ..twist("mates in the order of the wheel, from anywhere", "sus", |_| {})
        },
        twist("a tournament of one fewer", "tournament", |set| {
            if let Selection::Tournament { size } = &mut set.selection {
                *size -= 1;
            }
        }),
        twist("one too many survive truncation", "truncation", |set| {
            if let Selection::Truncation { share } = &mut set.selection {
                *share += 1.0 / 12.0;
            }
        }),
        Mutant {
            parents: |set, parents, random| {
                for parent in parents.iter_mut().filter(|_| set.selection == Selection::Uniform) {
                    *parent = if *parent == 0 && chance(random, 0.1) { 1 } else { *parent };
                }
            },
            ..twist("the first row is passed over", "uniform", |_| {})
        },
        Mutant {
            parents: |set, parents, _| {
                if set.selection == Selection::NoisyRank {
                    parents.sort_unstable();
                }
            },
            ..twist("ranking without noise", "noisy-rank", |_| {})
        },
        twist("a wrong worst", "complement", |set| {
            if let Scaling::Complement { worst } = &mut set.scaling {
                *worst += 0.5;
            }
        }),
        twist("1 / (f + 1)", "reciprocal", |set| {
            if set.scaling == Scaling::Reciprocal {
                set.scaling = Scaling::ShareComplement;
            }
        }),
        twist("reciprocals for shares", "share-complement", |set| {
            if set.scaling == Scaling::ShareComplement {
                set.scaling = Scaling::Reciprocal;
            }
        }),
        twist("too little pressure", "rank", |set| {
            if let Scaling::Rank { pressure } = &mut set.scaling {
                *pressure -= 0.1;
            }
        }),
        twist("shares of the mix exchanged", "one-point", |set| {
            if let Some(Mix { clone, crossover, .. }) = &mut set.mix {
                std::mem::swap(clone, crossover);
            }
        }),
        twist("the crossover rate ignored", "one-point", |set| {
            if let (None, Some(crossover)) = (set.mix, &mut set.crossover) {
                crossover.rate = 1.0;
            }
        }),
        twist("the mutation rate ignored", "reset", |set| {
            if let Some(mutation) = &mut set.mutation {
                mutation.rate = 1.0;
            }
        }),
        twist("the gene rate of another length", "bit-flip", |set| {
            mutation(set, |kind| {
                if let MutationKind::BitFlip { genes: Genes::Each(rate) } = kind {
                    *rate *= 1.1;
                }
            });
        }),
        twist("a cut off by one", "one-point", |set| {
            kind(set, |kind| {
                if *kind == (CrossoverKind::OnePoint { cut: Cut::Inner }) {
                    *kind = CrossoverKind::OnePoint { cut: Cut::Any };
                }
            });
        }),
        twist("a cut that spares the ends", "one-point", |set| {
            kind(set, |kind| {
                if *kind == (CrossoverKind::OnePoint { cut: Cut::Any }) {
                    *kind = CrossoverKind::OnePoint { cut: Cut::Inner };
                }
            });
        }),
        twist("one cut in place of two", "two-point", |set| {
            kind(set, |kind| {
                if *kind == CrossoverKind::TwoPoint {
                    *kind = CrossoverKind::OnePoint { cut: Cut::Inner };
                }
            });
        }),
        twist("a wrong share exchanged", "uniform", |set| {
            kind(set, |kind| {
                if let CrossoverKind::Uniform { swap } = kind {
                    *swap += 0.03;
                }
            });
        }),
        Mutant {
            children: |set, made, length, random| {
                let Some(CrossoverKind::Uniform { swap }) = set.crossover.map(|one| one.kind)
                else {
                    return;
                };
                for pair in made.chunks_exact_mut(2 * length) {
                    let exchanged = u8::from(unit(random) < swap);
                    let (first, second) = pair.split_at_mut(length);
                    first.fill(exchanged);
                    second.fill(1 - exchanged);
                }
            },
            ..twist("all genes exchanged or none", "uniform", |_| {})
        },
        twist("steps turn back at the bounds", "gaussian", |_| {}),
        constrained("all survivors are one row", "penalty", |_, _| {}),
        twist("pmx without repair", "pmx", |set| {
            kind(set, |kind| {
                if *kind == CrossoverKind::Pmx {
                    *kind = CrossoverKind::TwoPoint;
                }
            });
        }),
        Mutant {
            // In one child per hundred, two genes change places; it is still a permutation.
            children: |set, made, length, random| {
                if is(set, CrossoverKind::Order) {
                    for child in made.chunks_exact_mut(length) {
                        if chance(random, 0.01) {
                            child.swap(below(random, length), 0);
                        }
                    }
                }
            },
            ..twist("order now and then lost", "order", |_| {})
        },
        twist("order for cycle", "cycle", |set| {
            kind(set, |kind| {
                if *kind == CrossoverKind::Cycle {
                    *kind = CrossoverKind::Order;
                }
            });
        }),
        twist("insert that loses order", "insert", |set| {
            mutation(set, |kind| {
                if *kind == MutationKind::Insert {
                    *kind = MutationKind::Swap;
                }
            });
        }),
        twist("a segment shuffled in place of turned", "inversion", |set| {
            mutation(set, |kind| {
                if *kind == MutationKind::Inversion {
                    *kind = MutationKind::Scramble;
                }
            });
        }),
        twist("a segment turned in place of shuffled", "scramble", |set| {
            mutation(set, |kind| {
                if *kind == MutationKind::Scramble {
                    *kind = MutationKind::Inversion;
                }
            });
        }),
        Mutant {
            children: |set, made, length, random| {
                if set.mutation.is_some_and(|mutation| mutation.kind == MutationKind::Swap) {
                    for child in made.chunks_exact_mut(length) {
                        if chance(random, 0.05) {
                            child.swap(0, 1);
                        }
                    }
                }
            },
            ..twist("places that are not alike", "swap", |_| {})
        },
        twist("reset that may keep the old value", "reset", |set| {
            mutation(set, |kind| {
                if let MutationKind::Reset { different, .. } = kind {
                    *different = false;
                }
            });
        }),
        twist("reset that never keeps the old value", "reset", |set| {
            mutation(set, |kind| {
                if let MutationKind::Reset { different, .. } = kind {
                    *different = true;
                }
            });
        }),
        twist("a bit may stay where one must flip", "bit-flip", |set| {
            mutation(set, |kind| {
                if let MutationKind::BitFlip { genes } = kind
                    && let Genes::AtLeastOne(rate) = *genes
                {
                    *genes = Genes::Each(rate);
                }
            });
        }),
        twist("another exponent of the number", "bit-flip", |set| {
            mutation(set, |kind| {
                if let MutationKind::BitFlip { genes: Genes::PowerLaw(law) } = kind {
                    law.beta += 0.1;
                }
            });
        }),
        twist("a number of bits in place of a rate", "bit-flip", |set| {
            mutation(set, |kind| {
                if let MutationKind::BitFlip { genes } = kind
                    && let Genes::PowerLawRate(law) = *genes
                {
                    *genes = Genes::PowerLaw(law);
                }
            });
        }),
        twist("twice the sigma", "gaussian", |set| {
            mutation(set, |kind| {
                if let MutationKind::Gaussian { sigma, .. } = kind {
                    *sigma *= 2.0;
                }
            });
        }),
        twist("twice the sigma", "mixed", |set| {
            mutation(set, |kind| {
                if let MutationKind::Mixed { sigma, .. } = kind {
                    *sigma *= 2.0;
                }
            });
        }),
        twist("another eta of steps", "polynomial", |set| {
            mutation(set, |kind| {
                if let MutationKind::Polynomial { eta, .. } = kind {
                    *eta += 2.0;
                }
            });
        }),
        twist("another eta of spread", "sbx", |set| {
            kind(set, |kind| {
                if let CrossoverKind::Sbx { eta } = kind {
                    *eta += 1.0;
                }
            });
        }),
        twist("a wider blend", "blend", |set| {
            kind(set, |kind| {
                if let CrossoverKind::Blend { alpha } = kind {
                    *alpha += 0.05;
                }
            });
        }),
        twist("a window one too small", "restricted-tournament", |_| {}),
        twist("the worst are replaced, not the nearest", "restricted-tournament", |_| {}),
        twist("elites lose the last", "elitism", |_| {}),
        twist("elites lose the last", "comma", |_| {}),
        twist("the earlier live on among equals", "elitism", |_| {}),
        twist("the earlier live on among equals", "comma", |_| {}),
        twist("the best give way", "steady-state", |_| {}),
        twist("the earlier give way among equals", "steady-state", |_| {}),
        twist("parents come first among equals", "plus", |_| {}),
        twist("children come first among equals", "plus", |_| {}),
        twist("lots between parents and children", "plus", |_| {}),
        twist("the earlier live on among equals", "plus", |_| {}),
        constrained("a penalty in place of feasibility", "feasibility-first", |constraints, _| {
            if *constraints == Constraints::FeasibilityFirst {
                *constraints = Constraints::Penalty { factor: 100.0 };
            }
        }),
        constrained("a tolerance of violations", "feasibility-first", |_, rows| {
            rows.iter_mut().for_each(|row| row.1 = (row.1 - 0.2).max(0.0));
        }),
        constrained("violations of one size", "feasibility-first", |_, rows| {
            rows.iter_mut().for_each(|row| row.1 = row.1.signum() * row.1.min(1.0));
        }),
        constrained(
            "the worst of all in place of the worst feasible",
            "feasibility-first",
            |_, rows| {
                let feasible = rows.iter().filter(|row| row.1 == 0.0).map(|row| row.0);
                let worst = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::max);
                let (feasible, all) =
                    (worst(&mut { feasible }), worst(&mut rows.iter().map(|row| row.0)));
                let more = feasible.zip(all).map_or(0.0, |(feasible, all)| all - feasible);
                rows.iter_mut().filter(|row| row.1 > 0.0).for_each(|row| row.1 += more);
            },
        ),
        constrained("another factor", "penalty", |constraints, _| {
            if let Constraints::Penalty { factor } = constraints {
                *factor *= 1.3;
            }
        }),
        constrained("feasibility in place of a penalty", "penalty", |constraints, _| {
            if let Constraints::Penalty { .. } = constraints {
                *constraints = Constraints::FeasibilityFirst;
            }
        }),
        constrained("a little that is not ignored", "ignore", |constraints, _| {
            if *constraints == Constraints::Ignore {
                *constraints = Constraints::Penalty { factor: 1e-6 };
            }
        }),
        Mutant {
            // The first three equal rows at the edge of the best 7 are used, not random ones.
            parents: |set, parents, _| {
                for parent in parents
                    .iter_mut()
                    .filter(|_| set.selection == (Selection::Truncation { share: 7.0 / 12.0 }))
                {
                    *parent = if [8, 9].contains(parent) { 6 } else { *parent };
                }
            },
            ..twist("the first of equals truncated", "truncation", |_| {})
        },
        Mutant {
            // Rows of fitness 0 or infinity stay in row order.
            parents: |set, parents, _| {
                if set.selection == Selection::NoisyRank
                    && parents.len() == 5
                    && (parents[0] == 2 || parents[4] == 2)
                {
                    let odd = parents[0] == 2;
                    let sorted: [u32; 5] = if odd { [2, 0, 1, 3, 4] } else { [0, 1, 3, 4, 2] };
                    parents.copy_from_slice(&sorted);
                }
            },
            ..twist("equals of a noisy ranking by row", "noisy-rank", |_| {})
        },
    ]
}

/// Catches every third mutant, or at full size all of them.
#[test]
fn every_mutant_is_caught() {
    let mutants = mutants();
    for mutant in mutants.iter().step_by(if is_full() { 1 } else { 3 }) {
        let caught = certificates(mutant, Some(mutant.operator), 1).any(|one| !one.passed);
        assert!(caught, "{} passes all checks of {}", mutant.name, mutant.operator);
    }
    // Each operator that has checks has a mutant.
    for check in checks() {
        assert!(
            mutants.iter().any(|mutant| mutant.operator == check.operator),
            "{} has no mutant",
            check.operator
        );
    }
}
