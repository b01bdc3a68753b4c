//! Algorithms: properties of search algorithms, and their construction from settings.

use super::arm::Arm;
use super::executor::TrialExecutor;
use super::footprint::Footprint;
use super::sharing::Sharing;
use crate::operators::operator::Slot;
use crate::operators::values::{Complaint, Context, Values};
use crate::operators::{
    Constraints, Crossover, Mix, Mutation, MutationKind, Replacement, Scaling, Schedules,
    Selection, Unit,
};
use crate::problem::Description;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// A search algorithm with its settings.
///
/// Algorithms are files of this crate, because their loop, counts and trace are private to it
/// (CONTRIBUTING.md, "Adding an algorithm"). Other crates add an algorithm as a plugin.
pub trait Algorithm: Settings {
    /// Returns the number of individuals in the first generation; `None` if no setting chooses it.
    fn population_setting(&self) -> Option<usize> {
        None
    }

    /// Returns the key of the operator set or of the algorithm that chooses the number of
    /// individuals; `None` if no setting does.
    fn size_key(&self) -> Option<&'static str> {
        self.population_setting().map(|_| "population")
    }

    /// Returns the number of evaluations in each generation after the first; `None` if it differs
    /// between generations.
    fn evaluations_per_generation(&self) -> Option<usize> {
        self.population_setting()
    }

    /// Returns the maximum number of individuals of a generation in a trace. `None` if generations
    /// differ in size and have only individuals that they evaluate, so that a trace has at most a
    /// row per evaluation.
    fn traced_individuals(&self) -> Option<usize> {
        Some(self.population_setting().unwrap_or(1))
    }

    /// Returns whether the search keeps several individuals, whose diversity can end a trial.
    fn has_diversity(&self) -> bool {
        let is_led = self.guidance() == Guidance::Fitness;
        is_led && self.population_setting().is_some_and(|individuals| individuals > 1)
    }

    /// Returns whether crossover and mutation make children, which a trace can count.
    fn has_children(&self) -> bool {
        false
    }

    /// Returns the information that guides the search through the space.
    fn guidance(&self) -> Guidance {
        Guidance::Fitness
    }

    /// Returns whether genomes of the first population can be given.
    fn takes_start(&self) -> bool {
        self.guidance() != Guidance::Order && !self.chooses_start()
    }

    /// Returns whether the search asks for its first genomes by itself.
    fn chooses_start(&self) -> bool {
        false
    }

    /// Returns whether the search plans with the budget of this unit, which must then be given.
    fn plans_over(&self, _: Unit) -> bool {
        false
    }

    /// Returns whether the search has restarts of its own.
    fn restarts_itself(&self) -> bool {
        false
    }

    /// Returns the number of genomes that are evaluated anew in the first `generations`
    /// generations, if the search evaluates survivors anew. `None` if the search cannot do so.
    fn reevaluations(&self, generations: u64) -> Option<u64> {
        let _ = generations;
        None
    }

    /// Returns the maximum number of genomes whose states are kept to evaluate children
    /// incrementally; 0 if that does not pay.
    fn anchors(&self, _: &Description) -> u64 {
        0
    }

    /// Returns the revision of the algorithm with these settings and under this rule, which is part
    /// of the arm's fingerprint unless it is 0. It is raised if they would give other trials than
    /// before, where no other settings do.
    fn revision(&self, _constraints: Option<Constraints>) -> u32 {
        0
    }

    /// Returns the memory that one trial needs.
    fn footprint(&self, problem: &Description) -> Footprint;

    /// Returns the executor of an arm's trials.
    ///
    /// # Panics
    /// If the algorithm does not fit the problem; the check of configs prevents this.
    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm>;
}

/// Information that guides a search through the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// Fitness of earlier genomes, and chance.
    Fitness,
    /// Chance alone; such a search is the baseline of every other search.
    Chance,
    /// Order of the genomes. There is no chance, and the first population cannot be given.
    Order,
}

impl dyn Algorithm {
    /// Returns the number of individuals in the first generation; at least 1.
    #[must_use]
    pub fn population(&self) -> usize {
        self.population_setting().unwrap_or(1)
    }

    /// Returns the number of evaluations of a trial that runs for this number of generations.
    /// `None` if the number is not known beforehand, or overflows.
    #[must_use]
    pub fn evaluations(&self, generations: u64) -> Option<u64> {
        let each = self.evaluations_per_generation()? as u64;
        generations.checked_mul(each)?.checked_add(self.population() as u64)
    }
}

impl PartialEq for dyn Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.same_as(other)
    }
}

/// Settings of any algorithm, which can be compared with those of any other.
pub trait Settings: Any + Debug + Send + Sync {
    /// Returns whether `other` belongs to the same algorithm and has the same values.
    fn same_as(&self, other: &dyn Any) -> bool;
}

impl<T: Any + Debug + Send + Sync + PartialEq> Settings for T {
    fn same_as(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// A constructed algorithm, or the rule that its settings break.
pub type Made = Result<Arc<dyn Algorithm>, Complaint>;

/// Inputs of an algorithm, and the function that constructs it.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Meaning of the key `population` for the algorithm.
    pub population: PopulationKey,
    /// Slots that the algorithm uses besides its own parameters, in the order of the documentation.
    /// An algorithm with both variation slots uses a mix too.
    pub slots: &'static [Slot],
    /// Whether trials draw random numbers. Without random numbers, all trials of an arm are
    /// identical.
    pub draws: bool,
    /// Constructs the algorithm from its own values and from the operators of these slots.
    pub make: fn(&mut Values, &Parts, Context<'_>) -> Made,
}

impl Recipe {
    /// Returns whether the algorithm uses the slot.
    #[must_use]
    pub fn uses(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }

    /// Returns whether the shares of a mix can determine how often crossover and mutation happen.
    #[must_use]
    pub fn uses_mix(&self) -> bool {
        self.uses(Slot::Crossover) && self.uses(Slot::Mutation)
    }

    /// Returns whether the algorithm breeds generations of children by selection, variation and
    /// replacement. Its individuals can share their weights.
    #[must_use]
    pub fn breeds(&self) -> bool {
        self.uses(Slot::Scaling) && self.uses(Slot::Replacement)
    }

    /// Returns whether a trial can consist of several runs. Samples and enumerations have no runs.
    #[must_use]
    pub fn has_runs(&self) -> bool {
        self.population != PopulationKey::Batch
    }

    /// Returns whether each step is a mutation, so that a mutation has no rate.
    #[must_use]
    pub fn mutates_always(&self) -> bool {
        self.uses(Slot::Mutation) && !self.uses(Slot::Crossover)
    }
}

/// Meaning of the key `population` for an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopulationKey {
    /// Number of individuals from which selection chooses; it must be given.
    Required,
    /// Number of genomes per generation, [`BATCH`] by default, of a sample or an enumeration.
    Batch,
    /// Number of genomes per generation, [`BATCH`] by default, from which the search learns.
    Learned,
    /// No meaning: the algorithm works on one genome, or has its own parameters for this.
    Unused,
}

/// Default number of genomes per generation, for an algorithm that samples or enumerates genomes,
/// or learns from samples.
pub const BATCH: usize = 100;

/// Operators of an algorithm's slots, as chosen in the config.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Scaling from fitness to weights.
    pub scaling: Option<Scaling>,
    /// Selection of parents.
    pub selection: Option<Selection>,
    /// Rule by which individuals that are alike share their weights.
    pub sharing: Option<Sharing>,
    /// Shares of a mix, which applies exactly one operation per step.
    pub mix: Option<Mix>,
    /// Crossover of two parents into children.
    pub crossover: Option<Crossover>,
    /// Mutation of a genome.
    pub mutation: Option<Mutation>,
    /// Selection of the next generation from parents and children.
    pub replacement: Option<Replacement>,
    /// Rule for violations; `None` if the problem has no constraints.
    pub constraints: Option<Constraints>,
    /// Parameters of crossover and mutation that change during a trial.
    pub schedules: Schedules,
}

impl Parts {
    /// Returns the kind of mutation that proposes moves; `None` without a mutation.
    #[must_use]
    pub fn proposes(&self) -> Option<MutationKind> {
        self.mutation.map(|mutation| mutation.kind)
    }
}
