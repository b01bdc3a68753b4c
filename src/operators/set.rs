//! Operator sets: what a search is made of, resolved and checked. Built by the registry from
//! settings.

use crate::problem::parameter::Value;
use std::borrow::Cow;

/// The settings of one slot as the user sees them: the kind's name and every parameter's value, in
/// the registry's order. This is what `settings` in the tables shows and what an arm's fingerprint
/// covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub kind: &'static str,
    pub values: Vec<(&'static str, Value)>,
}

impl Setting {
    /// The slot's value as TOML: an inline table with `kind` first.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!("{{ kind = {}", Value::Text(Cow::Borrowed(self.kind)));
        for (key, value) in &self.values {
            text.push_str(&format!(", {key} = {value}"));
        }
        text.push_str(" }");
        text
    }
}

/// What an arm searches with: an algorithm under the user's name for it.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorSet {
    /// The user's name for it; names the arm, changes no trial.
    pub name: String,
    pub algorithm: Algorithm,
    /// The same as settings, for tables and fingerprints: (slot, setting), in the order of the
    /// registry.
    pub settings: Vec<(&'static str, Setting)>,
}

/// A search algorithm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Algorithm {
    /// A population that selects, varies and replaces.
    Evolutionary(Evolutionary),
    /// Independent samples of the problem, so many a generation.
    RandomSearch {
        population: usize,
    },
    HillClimbing(HillClimbingSettings),
    SimulatedAnnealing(AnnealingSettings),
    /// Every genome of the space in order, so many a generation.
    Exhaustive {
        population: usize,
    },
}

/// How one population turns into the next. Rates are probabilities, shares are parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Individuals in the population; at least 2.
    pub population: usize,
    pub scaling: Scaling,
    pub selection: Selection,
    /// Exactly one operation a step, by these shares; none: crossover, then mutation, each with its
    /// rate.
    pub mix: Option<Mix>,
    pub crossover: Option<Crossover>,
    pub mutation: Option<Mutation>,
    pub replacement: Replacement,
}

/// How hill climbing moves in its `Neighborhood`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HillClimbingSettings {
    pub pivoting_rule: PivotingRule,
    /// The most moves in a row to neighbours of equal fitness.
    pub sideways: u64,
    /// Whether a local optimum leads to a restart at a random genome; otherwise it ends the trial.
    pub restarts: bool,
}

/// Which neighbour hill climbing moves to (Aarts and Lenstra 2003, Local Search in Combinatorial
/// Optimization, doi:10.2307/j.ctv346t9c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotingRule {
    /// The best of all; among equals a random one.
    Steepest,
    /// The first better one, in random order.
    FirstImprovement,
}

/// The cooling schedule of simulated annealing, and its proposals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnnealingSettings {
    /// Temperature of the first generation, in units of fitness; greater than 0.
    pub temperature: f64,
    /// Factor of the temperature from one generation to the next; in (0, 1].
    pub cooling: f64,
    /// Proposals a generation.
    pub moves: usize,
    /// What proposes.
    pub mutation: MutationKind,
}

impl Algorithm {
    /// Individuals of the first generation.
    #[must_use]
    pub fn population(&self) -> usize {
        match self {
            Algorithm::Evolutionary(Evolutionary { population, .. })
            | Algorithm::RandomSearch { population }
            | Algorithm::Exhaustive { population } => *population,
            Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_) => 1,
        }
    }

    /// Evaluations of a trial that runs for so many generations; none where that is not settled
    /// beforehand.
    #[must_use]
    pub fn evaluations(&self, generations: u64) -> Option<u64> {
        let each = match self {
            Algorithm::Evolutionary(set) => set.replacement.offspring(set.population),
            Algorithm::RandomSearch { population } | Algorithm::Exhaustive { population } => {
                *population
            }
            Algorithm::SimulatedAnnealing(annealing) => annealing.moves,
            Algorithm::HillClimbing(_) => return None,
        };
        generations.checked_mul(each as u64)?.checked_add(self.population() as u64)
    }
}

/// Shares of the operations; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    pub clone: f64,
    pub crossover: f64,
    pub mutate: f64,
}

/// How fitness f (lower is better) becomes a weight (higher is better).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// No weights: for selections that only compare fitness.
    None,
    /// `worst - f`, and 0 where f is greater than `worst`.
    Complement { worst: f64 },
    /// `1 / f`, and 1 at f = 0.
    Reciprocal,
    /// `1 - f / sum of the population's f`; 1 for all where the sum is 0.
    ShareComplement,
    /// Linear ranking: the best weighs `pressure`, the worst `2 - pressure`, 1 <= pressure <= 2;
    /// ties share the mean.
    Rank { pressure: f64 },
}

/// How parents are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// In proportion to weight, independent draws.
    Roulette,
    /// In proportion to weight, evenly spaced pointers, then shuffled.
    Sus,
    /// The best of `size` uniform draws with replacement.
    Tournament { size: usize },
    /// Uniformly among the best `count`.
    Truncation { count: usize },
    /// Uniformly among all.
    Uniform,
    /// Ranked by fitness times a fresh uniform number; neighbours in that order mate.
    NoisyRank,
}

impl Selection {
    /// Whether it draws by weight, and so needs a scaling.
    #[must_use]
    pub fn uses_weights(self) -> bool {
        matches!(self, Selection::Roulette | Selection::Sus)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    pub kind: CrossoverKind,
    /// Probability that a pair is crossed; otherwise the children copy their parents. 1 under a
    /// mix.
    pub rate: f64,
    /// Children a pair: 1 or 2.
    pub children: usize,
}

/// Where a single cut may fall, counted in genes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `1..=length-1`.
    Inner,
    /// `0..=length`: the ends copy a parent.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CrossoverKind {
    OnePoint {
        cut: Cut,
    },
    TwoPoint,
    /// Each gene comes from the other parent with probability `swap`.
    Uniform {
        swap: f64,
    },
    Order,
    Pmx,
    Cycle,
    Blend {
        alpha: f64,
    },
    Sbx {
        eta: f64,
    },
    /// The plugin's own.
    Problem,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mutation {
    pub kind: MutationKind,
    /// Probability that a child is mutated. 1 under a mix.
    pub rate: f64,
}

/// Which genes of a mutated child change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Genes {
    /// Exactly one, at a uniform position.
    One,
    /// Each with this probability.
    Each(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MutationKind {
    /// A uniform new value; `different`: never the old one.
    Reset {
        genes: Genes,
        different: bool,
    },
    Swap,
    Insert,
    Inversion,
    Scramble,
    BitFlip {
        genes: Genes,
    },
    /// Adds a normal number with standard deviation `sigma` times the gene's range; kept within
    /// bounds.
    Gaussian {
        sigma: f64,
        genes: Genes,
    },
    Polynomial {
        eta: f64,
        genes: Genes,
    },
    /// The plugin's own.
    Problem,
}

/// Who lives on. `offspring` counts the children made in a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The children replace the population.
    Generational,
    /// The best `elite` parents live on; children take the other places.
    Elitism { elite: usize },
    /// The best of parents and children.
    Plus { offspring: usize, ties: Ties },
    /// The best of the children; `offspring` is at least the population.
    Comma { offspring: usize },
    /// The children replace the worst of the population.
    SteadyState { offspring: usize },
}

/// Who comes first where a child is exactly as good as a parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The child, so that the search moves on plateaus: Droste, Jansen and Wegener (2002),
    /// doi:10.1016/S0304-3975(01)00182-7, for (1 + 1); Jansen, De Jong and Wegener (2005),
    /// doi:10.1162/106365605774666921, for (1 + lambda).
    Children,
    /// The parent: only what is better replaces it. Compared with the other on plateaus by Jansen
    /// and Wegener (2001), doi:10.1109/4235.974841.
    Parents,
    /// Neither: as likely one as the other. Witt (2006), doi:10.1162/evco.2006.14.1.65, for (mu +
    /// 1).
    Random,
}

impl Replacement {
    /// Children that a population of `population` individuals makes in a generation.
    #[must_use]
    pub fn offspring(self, population: usize) -> usize {
        match self {
            Replacement::Generational => population,
            Replacement::Elitism { elite } => population - elite,
            Replacement::Plus { offspring, .. }
            | Replacement::Comma { offspring }
            | Replacement::SteadyState { offspring } => offspring,
        }
    }
}
