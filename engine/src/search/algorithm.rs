//! Algorithms: what a search algorithm says of itself, and how it is made from its settings.

use super::arm::Arm;
use super::executor::TrialExecutor;
use super::footprint::Footprint;
use super::stop::Stop;
use crate::operators::registry::Slot;
use crate::operators::values::{Complaint, Context, Values};
use crate::operators::{
    Constraints, Crossover, Mix, Mutation, MutationKind, Replacement, Scaling, Selection,
};
use crate::problem::Description;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// A search algorithm with its settings.
pub trait Algorithm: Settings {
    /// Individuals of the first generation, where the settings choose it.
    fn population_setting(&self) -> Option<usize>;

    /// Evaluations of each generation after the first. None: they differ between generations.
    fn evaluations_per_generation(&self) -> Option<usize>;

    /// What leads the search through the space.
    fn guidance(&self) -> Guidance {
        Guidance::Fitness
    }

    /// Maximum number of genomes whose states are kept to evaluate children by what changes; 0
    /// where that does not pay.
    fn anchors(&self, _: &Description) -> u64 {
        0
    }

    /// The memory that it takes for a trial.
    fn footprint(&self, problem: &Description) -> Footprint;

    /// The executor of an arm's trials.
    ///
    /// # Panics
    /// If the algorithm does not fit the problem: configs are checked for that.
    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm>;
}

/// What leads a search through the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// The fitness of the genomes before, and chance.
    Fitness,
    /// Chance alone: the baseline of every search.
    Chance,
    /// The order of the genomes: there is no chance, and no first population that could be given.
    Order,
}

impl dyn Algorithm {
    /// Individuals of the first generation; at least 1.
    #[must_use]
    pub fn population(&self) -> usize {
        self.population_setting().unwrap_or(1)
    }

    /// Evaluations of a trial that runs for so many generations. None: that is not settled
    /// beforehand.
    #[must_use]
    pub fn evaluations(&self, generations: u64) -> Option<u64> {
        let each = self.evaluations_per_generation()? as u64;
        generations.checked_mul(each)?.checked_add(self.population() as u64)
    }

    /// Most rows of a trial's trace that has a row for each individual. None: nothing bounds them
    /// but `stagnation` or the clock. An upper bound: a trial may end before.
    #[must_use]
    pub fn most_trace_rows(&self, stop: &Stop) -> Option<u64> {
        let population = self.population() as u64;
        // A generation takes one evaluation at least.
        let each = self.evaluations_per_generation().unwrap_or(1).max(1) as u64;
        let by_evaluations =
            stop.evaluations.map(|most| 1 + most.saturating_sub(population) / each);
        let by_generations = stop.generations.map(|most| most.saturating_add(1));
        let generations = by_evaluations.into_iter().chain(by_generations).min()?;
        Some(generations.saturating_mul(population))
    }
}

impl PartialEq for dyn Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.same_as(other)
    }
}

/// Settings that can be compared, whatever algorithm they are of.
pub trait Settings: Any + Debug + Send + Sync {
    /// Whether the other is of the same algorithm and has the same values.
    fn same_as(&self, other: &dyn Any) -> bool;
}

impl<T: Any + Debug + Send + Sync + PartialEq> Settings for T {
    fn same_as(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// An algorithm, or the rule that its settings break.
pub type Made = Result<Arc<dyn Algorithm>, Complaint>;

/// How an algorithm is made, and of what.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Whether it has a population to choose.
    pub population: PopulationKey,
    /// The slots that it uses besides its own parameters, in the order of the documentation. With
    /// both variations, a mix too.
    pub slots: &'static [Slot],
    /// Whether its trials draw random numbers; without them, all trials of an arm are the same.
    pub draws: bool,
    /// Makes it of its own values and of the operators of these slots.
    pub make: fn(&mut Values, &Parts, Context<'_>) -> Made,
}

impl Recipe {
    /// Whether it uses the slot.
    #[must_use]
    pub fn uses(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }

    /// Whether the shares of a mix say how often crossover and mutation happen.
    #[must_use]
    pub fn uses_mix(&self) -> bool {
        self.uses(Slot::Crossover) && self.uses(Slot::Mutation)
    }

    /// Whether each step is a mutation, so that a mutation has no rate.
    #[must_use]
    pub fn mutates_always(&self) -> bool {
        self.uses(Slot::Mutation) && !self.uses(Slot::Crossover)
    }
}

/// What the key `population` is to an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopulationKey {
    /// Individuals, of which selection chooses; it must be given.
    Required,
    /// Genomes per generation, [`BATCH`] by default.
    Batch,
    /// It has no meaning: the algorithm goes by one genome, or by parameters of its own.
    Unused,
}

/// Genomes per generation of an algorithm that goes through many, by default.
pub const BATCH: usize = 100;

/// The operators of an algorithm's slots, as the config chose them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Fitness to weights.
    pub scaling: Option<Scaling>,
    /// Which individuals become parents.
    pub selection: Option<Selection>,
    /// Exactly one operation a step, by these shares.
    pub mix: Option<Mix>,
    /// Two parents to children.
    pub crossover: Option<Crossover>,
    /// Changes a genome.
    pub mutation: Option<Mutation>,
    /// Which of parents and children make up the next generation.
    pub replacement: Option<Replacement>,
    /// What violations mean; none: the problem has none.
    pub constraints: Option<Constraints>,
}

impl Parts {
    /// The kind of mutation that proposes moves.
    #[must_use]
    pub fn proposes(&self) -> Option<MutationKind> {
        self.mutation.map(|mutation| mutation.kind)
    }
}
