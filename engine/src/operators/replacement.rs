//! Replacements: the selection of survivors. Each returns row numbers. If only some of several
//! equally good rows survive, they are drawn at random, so that row numbers give no advantage.

use super::domain::Domain;
use super::operator::{Operator, Slot};
use super::order::Order;
use super::registry::{Entry, Family};
use super::values::{Complaint, Make};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::random::draws::{Random, below};
use std::borrow::Cow;

/// Rule that selects the survivors. `offspring` is the number of children made per generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The children replace the population.
    Generational,
    /// The best `elite` parents survive; children take the other places.
    Elitism {
        /// Number of parents that survive; at least 1, fewer than the population.
        elite: usize,
    },
    /// The best of parents and children survive.
    Plus {
        /// Number of children per generation; at least 1.
        offspring: usize,
        /// Order of parents and children with equal fitness.
        ties: Ties,
    },
    /// The best of the children survive; `offspring` is at least the population.
    Comma {
        /// Number of children per generation.
        offspring: usize,
    },
    /// The children replace the worst of the population.
    SteadyState {
        /// Number of children per generation; at least 1, at most the population.
        offspring: usize,
    },
    /// Each child replaces the individual most like it, of some random ones, if it is better.
    RestrictedTournament {
        /// Number of children per generation; at least 1.
        offspring: usize,
        /// Number of random individuals; at least 1.
        window: usize,
    },
}

/// Order of a child and a parent that are exactly equally good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The child comes first, so that the search moves on plateaus. Source: Droste, Jansen and
    /// Wegener (2002), doi:10.1016/S0304-3975(01)00182-7, for (1 + 1); Jansen, De Jong and Wegener
    /// (2005), doi:10.1162/106365605774666921, for (1 + lambda).
    Children,
    /// The parent comes first; only a better child replaces it. Jansen and Wegener (2001),
    /// doi:10.1109/4235.974841, compare this with `Children` on plateaus.
    Parents,
    /// Either comes first with equal probability. Source: Witt (2006),
    /// doi:10.1162/evco.2006.14.1.65, for (mu + 1).
    Random,
}

impl Replacement {
    /// Returns the number of children that a population of `population` individuals makes per
    /// generation.
    #[must_use]
    pub fn offspring(self, population: usize) -> usize {
        match self {
            Replacement::Generational => population,
            Replacement::Elitism { elite } => population - elite,
            Replacement::Plus { offspring, .. }
            | Replacement::Comma { offspring }
            | Replacement::SteadyState { offspring }
            | Replacement::RestrictedTournament { offspring, .. } => offspring,
        }
    }
}

/// Allowed number of children per generation.
const MANY: Kind = Kind::Integer { low: 1, high: 100_000_000 };
const TIES: &[Cow<'static, str>] =
    &[Cow::Borrowed("children"), Cow::Borrowed("parents"), Cow::Borrowed("random")];

/// Replacements, in documentation order.
pub static REPLACEMENTS: Family<Make<Replacement>> = Family {
    slot: Slot::Replacement,
    plugin: None,
    entries: &[
        Entry {
            operator: Operator {
                name: "generational",
                summary: "The children replace the population.",
                domain: Domain::Any,
                parameters: &[],
                source: "Holland (1975)",
            },
            make: |_, _| Ok(Replacement::Generational),
        },
        Entry {
            operator: Operator {
                name: "elitism",
                summary: "The best parents survive, with ties broken at random; children fill the \
                    other places.",
                domain: Domain::Any,
                parameters: &[
                    Parameter::new(
                        "share",
                        Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: true },
                        Fallback::Derived("from count; otherwise one parent"),
                        "Share of the next population that consists of the best parents, rounded \
                        to whole parents.",
                    ),
                    Parameter::new(
                        "count",
                        Kind::Integer { low: 0, high: 100_000_000 },
                        Fallback::Derived("from share; otherwise one parent"),
                        "Number of parents that survive; an alternative to share.",
                    ),
                ],
                source: "De Jong (1975)",
            },
            make: |values, context| {
                let population = context.population;
                let (key, elite) = match (values.given_real("share"), values.given_count("count")) {
                    (Some(_), Some(_)) => {
                        let message = "elitism has both a `share` and a `count`";
                        return Err(Complaint::of("count", message, "keep the intended one"));
                    }
                    (Some(share), None) => ("share", context.whole_parents(share)?),
                    (None, Some(count)) => ("count", count),
                    (None, None) => ("share", 1),
                };
                if elite >= population {
                    let message = format!(
                        "{elite} of {population} parents survive, which leaves no place for \
                        children"
                    );
                    let help = format!("let at most {} survive", population - 1);
                    return Err(Complaint::of(key, message, help));
                }
                // A share and a count with the same meaning give the same setting.
                values.leave_out("share");
                values.settle_count("count", elite);
                Ok(Replacement::Elitism { elite })
            },
        },
        Entry {
            operator: Operator {
                name: "plus",
                summary: "The best of parents and children: (mu + lambda).",
                domain: Domain::Any,
                parameters: &[
                    Parameter::new(
                        "offspring",
                        MANY,
                        Fallback::Derived("the population"),
                        "Children per generation.",
                    ),
                    Parameter::new(
                        "ties",
                        Kind::choice(TIES),
                        Fallback::text("children"),
                        "Who comes first when a child is as good as a parent; other ties are \
                        broken at random. children: Droste, Jansen and Wegener (2002), \
                        doi:10.1016/S0304-3975(01)00182-7; random: Witt (2006), \
                        doi:10.1162/evco.2006.14.1.65.",
                    ),
                ],
                source: "Schwefel (1977); Beyer and Schwefel (2002), doi:10.1023/A:1015059928466",
            },
            make: |values, context| {
                let offspring = values.given_count("offspring").unwrap_or(context.population);
                values.settle_count("offspring", offspring);
                let ties = match values.choice("ties") {
                    "parents" => Ties::Parents,
                    "random" => Ties::Random,
                    _ => Ties::Children,
                };
                Ok(Replacement::Plus { offspring, ties })
            },
        },
        Entry {
            operator: Operator {
                name: "comma",
                summary: "The best of the children, with ties broken at random: (mu, lambda).",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "offspring",
                    MANY,
                    Fallback::Derived("7 x the population"),
                    "Children per generation; at least the population.",
                )],
                source: "Schwefel (1977); Beyer and Schwefel (2002), doi:10.1023/A:1015059928466",
            },
            make: |values, context| {
                let population = context.population;
                let offspring = values.given_count("offspring").unwrap_or(7 * population);
                if offspring < population {
                    let message =
                        format!("{offspring} children cannot fill a population of {population}");
                    let help = format!("make at least {population}");
                    return Err(Complaint::of("offspring", message, help));
                }
                values.settle_count("offspring", offspring);
                Ok(Replacement::Comma { offspring })
            },
        },
        Entry {
            operator: Operator {
                name: "steady-state",
                summary: "The children replace the worst of the population, with ties broken at \
                    random, even if the children are worse.",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "offspring",
                    MANY,
                    Fallback::integer(1),
                    "Children per generation; at most the population.",
                )],
                source: "Eiben and Smith (2015), section 5.3.2, doi:10.1007/978-3-662-44874-8; \
                    Whitley (1989), ICGA 3, 116-121, whose program drops a child that is worse, \
                    as plus does",
            },
            make: |values, context| {
                let (offspring, population) = (values.count("offspring"), context.population);
                if offspring > population {
                    let message = format!(
                        "{offspring} children cannot replace more than the population of \
                        {population}"
                    );
                    let help = format!("make at most {population}");
                    return Err(Complaint::of("offspring", message, help));
                }
                Ok(Replacement::SteadyState { offspring })
            },
        },
        Entry {
            operator: Operator {
                name: "restricted-tournament",
                summary: "Each child, one after the other, competes with the individual most like \
                    it among `window` random ones, and replaces it if it is better: niches \
                    survive.",
                domain: Domain::Any,
                parameters: &[
                    Parameter::new(
                        "offspring",
                        MANY,
                        Fallback::Derived("the population"),
                        "Children per generation.",
                    ),
                    Parameter::new(
                        "window",
                        MANY,
                        Fallback::Derived(
                            "a twentieth of the population, at most the number of genes",
                        ),
                        "Random individuals, drawn with replacement; the default is Pelikan's.",
                    ),
                ],
                source: "Harik (1995), ICGA 6, 24-31; Pelikan (2005), doi:10.1007/b10910",
            },
            make: |values, context| {
                let (population, length) = (context.population, context.problem.genome_length);
                let offspring = values.given_count("offspring").unwrap_or(population);
                values.settle_count("offspring", offspring);
                let usual = || (population / 20).min(length).max(1);
                let window = values.given_count("window").unwrap_or_else(usual);
                values.settle_count("window", window);
                Ok(Replacement::RestrictedTournament { offspring, window })
            },
        },
    ],
};

/// Returns the rows of the `count` least values, ascending by value. If only some of several equal
/// rows fit, they are drawn at random.
pub fn best<'order>(
    fitness: &[f64],
    count: usize,
    random: &mut Random,
    order: &'order mut Order,
) -> &'order [u32] {
    order.least(fitness.iter().copied(), count, 0, random)
}

/// Returns the rows of the `count` greatest values, the greatest first. If only some of several
/// equal rows fit, they are drawn at random.
///
/// Source: replacing the worst, Eiben and Smith (2015), section 5.3.2,
/// doi:10.1007/978-3-662-44874-8. They name it after Whitley (1989), "The GENITOR algorithm and
/// selection pressure", ICGA 3, pp. 116-121. Neither says which of several equal rows is replaced.
/// (Whitley's program of 1990 drops a child that is worse than the worst, and accepts one that is
/// equally good. This is `plus` with one child.)
pub fn worst<'order>(
    fitness: &[f64],
    count: usize,
    random: &mut Random,
    order: &'order mut Order,
) -> &'order [u32] {
    order.least(fitness.iter().map(|value| -value), count, 0, random)
}

/// Returns the best of parents and children, as many as there are parents. Rows below
/// `parents.len()` are parents; the others are children. `ties` gives the order of parents and
/// children with equal fitness. Equal children, and equal parents, are drawn at random.
///
/// Source: Rechenberg (1973), Schwefel (1977): (mu + lambda); see Beyer and Schwefel (2002),
/// doi:10.1023/A:1015059928466. Ties: see [`Ties`].
pub fn plus<'order>(
    parents: &[f64],
    children: &[f64],
    ties: Ties,
    random: &mut Random,
    order: &'order mut Order,
) -> &'order [u32] {
    // (1 + 1) needs no sort.
    if let ([parent], [child]) = (parents, children) {
        let lives = child < parent
            || child == parent
                && match ties {
                    Ties::Children => true,
                    Ties::Parents => false,
                    Ties::Random => below(random, 2) == 1,
                };
        return order.only(u32::from(lives));
    }
    let (mu, lambda) = (parents.len() as u32, children.len() as u32);
    let privileged = match ties {
        Ties::Children => {
            let rows = order.least(
                children.iter().chain(parents).copied(),
                parents.len(),
                children.len(),
                random,
            );
            // These row numbers count the children first.
            rows.iter_mut()
                .for_each(|row| *row = if *row < lambda { mu + *row } else { *row - lambda });
            return rows;
        }
        Ties::Parents => parents.len(),
        Ties::Random => 0,
    };
    order.least(parents.iter().chain(children).copied(), parents.len(), privileged, random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::unit;
    use proptest::prelude::*;

    /// Returns the rows sorted by value and then by class, and the number of settled rows among the
    /// first `count`. If the class of the last of them fits as a whole, all are settled. Otherwise
    /// only the rows before that class are settled.
    fn settled(values: &[(u8, bool)], count: usize) -> (Vec<u32>, usize) {
        let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
        sorted.sort_by_key(|row| values[*row as usize]);
        let at = |place: usize| values[sorted[place] as usize];
        let settled = match count {
            0 => 0,
            count if count == values.len() || at(count - 1) != at(count) => count,
            count => (0..count).find(|place| at(*place) == at(count - 1)).unwrap_or(count),
        };
        (sorted, settled)
    }

    /// Asserts that the rows are the least ones. The settled rows come first, in order; different
    /// rows of one class follow.
    fn assert_least(rows: &[u32], values: &[(u8, bool)], count: usize) {
        let (sorted, settled) = settled(values, count);
        assert_eq!(rows.len(), count);
        assert_eq!(rows[..settled], sorted[..settled]);
        let mut rest = rows[settled..].to_vec();
        rest.sort_unstable();
        rest.dedup();
        assert_eq!(rest.len(), count - settled);
        assert!(
            rest.iter().all(|row| values[*row as usize] == values[sorted[settled] as usize]),
            "{rows:?} of {values:?}"
        );
    }

    proptest! {
        #[test]
        fn the_least_live_on(
            ranks in prop::collection::vec(0u8..6, 1..40),
            part in 0usize..40,
            seed: u64,
        ) {
            let fitness: Vec<f64> = ranks.iter().map(|rank| f64::from(*rank)).collect();
            let count = part.min(fitness.len());
            let (order, random) = (&mut Order::default(), &mut Random::seed_from_u64(seed));
            let alike = |turn: fn(u8) -> u8| -> Vec<_> {
                ranks.iter().map(|rank| (turn(*rank), false)).collect()
            };
            assert_least(best(&fitness, count, random, order), &alike(|rank| rank), count);
            assert_least(worst(&fitness, count, random, order), &alike(|rank| 6 - rank), count);
            let mu = fitness.len().div_ceil(2);
            let (parents, children) = fitness.split_at(mu);
            for ties in [Ties::Children, Ties::Parents, Ties::Random] {
                let second = |row: usize| match ties {
                    Ties::Children => row < mu,
                    Ties::Parents => row >= mu,
                    Ties::Random => false,
                };
                let ranked = ranks.iter().enumerate();
                let values: Vec<(u8, bool)> =
                    ranked.map(|(row, rank)| (*rank, second(row))).collect();
                let rows = plus(parents, children, ties, random, order).to_vec();
                // If all of several equal rows survive, those of the first class come first, each
                // class by row.
                let numbered: Vec<u32> = (0..values.len() as u32).collect();
                let turned: Vec<u32> = match ties {
                    Ties::Children => [&numbered[mu..], &numbered[..mu]].concat(),
                    _ => numbered,
                };
                let place = |row: u32| turned.iter().position(|other| *other == row).expect("a \
                    row") as u32;
                let placed: Vec<u32> = rows.iter().map(|row| place(*row)).collect();
                let values: Vec<(u8, bool)> =
                    turned.iter().map(|row| values[*row as usize]).collect();
                assert_least(&placed, &values, mu);
            }
        }

        #[test]
        fn nothing_is_drawn_where_no_lot_is_needed(
            ranks in prop::collection::vec(0u8..6, 2..40),
            seed: u64,
        ) {
            let fitness: Vec<f64> = ranks.iter().map(|rank| f64::from(*rank)).collect();
            let order = &mut Order::default();
            for count in 0..=fitness.len() {
                let mut random = Random::seed_from_u64(seed);
                let mut same = random.clone();
                best(&fitness, count, &mut random, order);
                let drawn = unit(&mut random).to_bits() != unit(&mut same).to_bits();
                let values: Vec<(u8, bool)> = ranks.iter().map(|rank| (*rank, false)).collect();
                prop_assert_eq!(drawn, settled(&values, count).1 < count);
            }
        }
    }

    #[test]
    fn the_right_rows_live_on() {
        let fitness = [3.0, 1.0, 3.0, 0.0, 1.0];
        let (order, random) = (&mut Order::default(), &mut Random::seed_from_u64(1));
        assert_eq!(best(&fitness, 3, random, order), [3, 1, 4]);
        assert_eq!(best(&fitness, 0, random, order), [] as [u32; 0]);
        assert_eq!(best(&fitness, 5, random, order), [3, 1, 4, 0, 2]);
        assert_eq!(worst(&fitness, 2, random, order), [0, 2]);
        assert_eq!(plus(&[2.0, 5.0], &[2.0, 1.0], Ties::Children, random, order), [3, 2]);
        assert_eq!(plus(&[2.0, 5.0], &[2.0, 1.0], Ties::Parents, random, order), [3, 0]);
        // Both zeros are the same fitness.
        assert_eq!(plus(&[-0.0], &[0.0], Ties::Children, random, order), [1]);
        assert_eq!(plus(&[0.0], &[-0.0], Ties::Parents, random, order), [0]);
    }

    /// Every set of equal rows of the right size is equally likely. This holds for each sorting
    /// algorithm, and whether included or excluded rows are drawn. The chi-square statistic of
    /// 20,000 draws exceeds its mean by 6 standard deviations and more with probability below 1e-6.
    #[test]
    fn lots_are_fair() {
        for (rows, equal, room) in
            [(5usize, 4usize, 2usize), (10, 5, 4), (10, 5, 1), (30, 5, 2), (30, 6, 4)]
        {
            // One better row, or one at each end; the equal rows between them; and worse rows.
            let better = if rows > equal + 1 { 2 } else { 1 };
            let fitness: Vec<f64> = (0..rows)
                .map(|row| match row {
                    0 => 0.0,
                    row if row <= equal => 1.0,
                    row if row + 1 == rows => 0.5,
                    _ => 2.0,
                })
                .collect();
            let mut random = Random::seed_from_u64(rows as u64);
            let mut order = Order::default();
            let mut counts = std::collections::BTreeMap::new();
            for _ in 0..20_000 {
                let mut lot =
                    best(&fitness, better + room, &mut random, &mut order)[better..].to_vec();
                lot.sort_unstable();
                *counts.entry(lot).or_insert(0.0) += 1.0;
            }
            let sets = (0..room)
                .fold(1.0, |sets, place| sets * (equal - place) as f64 / (place + 1) as f64);
            assert_eq!(counts.len() as f64, sets);
            let due = 20_000.0 / sets;
            let chi: f64 = counts.values().map(|count: &f64| (count - due).powi(2) / due).sum();
            let degrees = sets - 1.0;
            assert!(
                chi < degrees + 6.0 * (2.0 * degrees).sqrt() + 12.0,
                "{rows} {equal} {room}: {chi} {counts:?}"
            );
        }
    }
}
