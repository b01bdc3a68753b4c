//! Selections: the choice of parents from the rows of the population. Each selection fills
//! `parents`; consecutive pairs mate.

mod wheel;

use super::Order;
use super::domain::Domain;
use super::operator::{Operator, Slot};
use super::registry::{Entry, Family};
use super::values::{Complaint, Make, whole_share};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::random::draws::{Random, below_each, shuffle, unit};
use crate::system::aligned::Aligned;
use std::hint::select_unpredictable;
use wheel::roulette;

/// Rule that draws parents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Independent draws in proportion to weight.
    Roulette,
    /// Evenly spaced pointers in proportion to weight, then shuffled.
    Sus,
    /// Best of `size` uniform draws with replacement.
    Tournament {
        /// Number of individuals per tournament; at least 1.
        size: usize,
    },
    /// Uniform among the best.
    Truncation {
        /// Share of the individuals that may become parents; above 0, at most 1.
        share: f64,
    },
    /// Uniform among all individuals.
    Uniform,
    /// Ranking by fitness times a new uniform number; neighbours in this order mate.
    NoisyRank,
    /// Selection of a plugin other than the problem's.
    Plugin,
}

impl Selection {
    /// Returns whether the selection draws by weight, and so needs a scaling.
    #[must_use]
    pub fn uses_weights(self) -> bool {
        matches!(self, Selection::Roulette | Selection::Sus)
    }

    /// Draws all parents from a population with this fitness; the scaling provides `weights`. Does
    /// nothing for a selection of a plugin, which the caller must call.
    pub fn choose(
        self,
        fitness: &[f64],
        weights: &[f64],
        random: &mut Random,
        scratch: &mut Scratch,
        parents: &mut [u32],
    ) {
        match self {
            Selection::Roulette => roulette(weights, random, scratch, parents),
            Selection::Sus => sus(weights, random, scratch, parents),
            Selection::Tournament { size } => tournament(fitness, size, random, scratch, parents),
            Selection::Truncation { share } => {
                let count = whole_share(share, fitness.len()).max(1);
                truncation(fitness, count, random, scratch, parents);
            }
            Selection::Uniform => uniform(fitness.len(), random, parents),
            Selection::NoisyRank => noisy_rank(fitness, random, scratch, parents),
            Selection::Plugin => {}
        }
    }
}

/// Selections, in documentation order.
pub static SELECTIONS: Family<Make<Selection>> = Family {
    slot: Slot::Selection,
    plugin: Some(Entry {
        operator: Operator {
            name: "plugin",
            summary: "A selection of a plugin.",
            domain: Domain::Any,
            parameters: &[],
            source: "the plugin",
        },
        make: |_, _| Ok(Selection::Plugin),
    }),
    entries: &[
        Entry {
            operator: Operator {
                name: "roulette",
                summary: "In proportion to weight, by independent spins of a wheel.",
                domain: Domain::Any,
                parameters: &[],
                source: "Holland (1975); Goldberg (1989)",
            },
            make: |_, _| Ok(Selection::Roulette),
        },
        Entry {
            operator: Operator {
                name: "sus",
                summary: "In proportion to weight, by evenly spaced pointers on one spin of the \
                    wheel.",
                domain: Domain::Any,
                parameters: &[],
                source: "Baker (1987), ICGA 2, 14-21",
            },
            make: |_, _| Ok(Selection::Sus),
        },
        Entry {
            operator: Operator {
                name: "tournament",
                summary: "The fittest of several uniform draws with replacement.",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "size",
                    Kind::Integer { low: 1, high: u32::MAX as i64 },
                    Fallback::integer(2),
                    "Number of draws; at most the population.",
                )],
                source: "Goldberg and Deb (1991), doi:10.1016/B978-0-08-050684-5.50008-2",
            },
            make: |values, context| {
                let (size, population) = (values.count("size"), context.population);
                if size > population {
                    let message = format!(
                        "a tournament of {size} is larger than the population of {population}"
                    );
                    let help = format!("choose a size from 1 to {population}");
                    return Err(Complaint::of("size", message, help));
                }
                Ok(Selection::Tournament { size })
            },
        },
        Entry {
            operator: Operator {
                name: "truncation",
                summary: "Uniformly among the fittest share of the population; ties are broken at \
                    random.",
                domain: Domain::Any,
                parameters: &[Parameter::new(
                    "share",
                    Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                    Fallback::real(0.5),
                    "Share of the population that may become parents; with `cellular`, share of a \
                    neighbourhood.",
                )],
                source: "Mühlenbein and Schlierkamp-Voosen (1993), doi:10.1162/evco.1993.1.1.25",
            },
            make: |values, context| {
                let share = values.real("share");
                context.whole_parents(share)?;
                Ok(Selection::Truncation { share })
            },
        },
        Entry {
            operator: Operator {
                name: "uniform",
                summary: "Uniformly among all individuals: no selection pressure.",
                domain: Domain::Any,
                parameters: &[],
                source: "-",
            },
            make: |_, _| Ok(Selection::Uniform),
        },
        Entry {
            operator: Operator {
                name: "noisy-rank",
                summary: "Ranked by fitness times a fresh uniform number; neighbours in that \
                    order mate.",
                domain: Domain::Any,
                parameters: &[],
                source: "Baljicki and Milović, Fischer random chess (Chess960)",
            },
            make: |_, context| {
                context.require_nonnegative_fitness("noisy-rank", "choose `tournament`")?;
                Ok(Selection::NoisyRank)
            },
        },
    ],
};

/// Buffers that selections reuse.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Cumulative weights, or fitness times noise.
    numbers: Vec<f64>,
    /// Acceptance probability of each row, times 2^52.
    limits: Aligned<u64>,
    /// Competitors in tournaments.
    rivals: Vec<u32>,
    /// Alias of each row in the alias table: the row that gets the rest of its slot.
    aliases: Vec<u32>,
    /// Rows whose weight is less than their slot.
    few: Vec<u32>,
    /// Rows whose weight fills their slot or exceeds it.
    many: Vec<u32>,
    order: Order,
}

/// Draws parents in proportion to weight, with evenly spaced pointers on one turn of the wheel.
/// Each row is drawn its expected number of times, rounded down or up. The parents are then
/// shuffled, so that mates are random.
///
/// Source: Baker (1987), "Reducing bias and inefficiency in the selection algorithm", ICGA 2, pp.
/// 14-21.
pub(crate) fn sus(
    weights: &[f64],
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let total = accumulate(weights, &mut scratch.numbers);
    if total <= 0.0 {
        return uniform(weights.len(), random, parents);
    }
    let step = total / parents.len() as f64;
    let start = unit(random);
    for (place, parent) in parents.iter_mut().enumerate() {
        *parent = find(&scratch.numbers, (start + place as f64) * step);
    }
    shuffle(parents, random);
}

/// Selects the fittest of `size` uniform draws with replacement; among equals, the first drawn.
///
/// Source: Goldberg and Deb (1991), "A comparative analysis of selection schemes used in genetic
/// algorithms", FOGA 1, doi:10.1016/B978-0-08-050684-5.50008-2.
pub(crate) fn tournament(
    fitness: &[f64],
    size: usize,
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    // Parents are drawn in batches, so that their rivals stay in cache.
    let some = (TOURNAMENT_DRAWS / size).max(1);
    scratch.rivals.resize(some * size, 0);
    for parents in parents.chunks_mut(some) {
        let rivals = &mut scratch.rivals[..parents.len() * size];
        below_each(random, fitness.len(), rivals);
        for (parent, rivals) in parents.iter_mut().zip(rivals.chunks_exact(size)) {
            let (mut best, mut least) = (rivals[0], fitness[rivals[0] as usize]);
            for rival in &rivals[1..] {
                let found = fitness[*rival as usize];
                best = select_unpredictable(found < least, *rival, best);
                least = select_unpredictable(found < least, found, least);
            }
            *parent = best;
        }
    }
}

/// Number of rivals drawn at a time.
const TOURNAMENT_DRAWS: usize = 512;

/// Draws uniformly among the `count` fittest. If only some of several equal rows fit, they are
/// drawn at random.
///
/// Source: Mühlenbein and Schlierkamp-Voosen (1993), "Predictive models for the breeder genetic
/// algorithm", doi:10.1162/evco.1993.1.1.25.
pub(crate) fn truncation(
    fitness: &[f64],
    count: usize,
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let best = super::replacement::best(fitness, count, random, &mut scratch.order);
    below_each(random, count, parents);
    parents.iter_mut().for_each(|parent| *parent = best[*parent as usize]);
}

/// Draws uniformly among all rows.
pub(crate) fn uniform(rows: usize, random: &mut Random, parents: &mut [u32]) {
    below_each(random, rows, parents);
}

/// Selects by noisy ranking: each row gets a new uniform number in [0, 1). Parents are ordered by
/// fitness times that number, and neighbours mate. Rows of fitness 0 come first, in random order.
/// If there are more parents than rows, a new round begins.
///
/// Fitness must be at least 0; infinity counts as the greatest finite number. (The source ranks by
/// fitness before it assigns the numbers. This makes no difference, because every row gets one.)
///
/// Source: Baljicki and Milović, "Fischer random chess (Chess960)", which calls it roulette.
pub(crate) fn noisy_rank(
    fitness: &[f64],
    random: &mut Random,
    scratch: &mut Scratch,
    parents: &mut [u32],
) {
    let Scratch { numbers, order, .. } = scratch;
    for round in parents.chunks_mut(fitness.len()) {
        numbers.clear();
        numbers.extend(fitness.iter().map(|value| {
            let noise = unit(random);
            // All products with 0 are equal, so the noise itself orders these rows, below all
            // others. Rounding can move fitness below an ideal of 0; such fitness counts as 0.
            if *value <= 0.0 { noise - 1.0 } else { value.min(f64::MAX) * noise }
        }));
        round.copy_from_slice(&order.all(numbers)[..round.len()]);
    }
}

/// Computes the running sums of the weights; returns their total.
fn accumulate(weights: &[f64], sums: &mut Vec<f64>) -> f64 {
    sums.clear();
    let mut total = 0.0;
    sums.extend(weights.iter().map(|weight| {
        total += weight;
        total
    }));
    total
}

/// Returns the first row whose running sum exceeds `point`, so a row of weight 0 is never returned.
/// The binary search has no branches, because half of them would be mispredicted.
#[inline]
fn find(sums: &[f64], point: f64) -> u32 {
    let (mut base, mut size) = (0usize, sums.len());
    while size > 1 {
        let half = size / 2;
        base = select_unpredictable(sums[base + half - 1] <= point, base + half, base);
        size -= half;
    }
    // Rounding can make the point equal to the total. The result is then the last row with weight.
    let mut row = base;
    while row > 0 && sums[row] == sums[row - 1] {
        row -= 1;
    }
    row as u32
}

#[cfg(test)]
mod tests;
