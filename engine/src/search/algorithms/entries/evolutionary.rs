//! The entry of the evolutionary algorithm, whose slots hold operators, in the registry.

use crate::operators::{MoveMutation, Mutation, Replacement, Unit};
use crate::search::algorithm::Parts;
use crate::search::algorithms::genetic::Genetic;
use crate::search::algorithms::one_plus_lambda::{self, OnePlusLambda};
use crate::search::algorithms::prelude::*;
use crate::search::anchors;
use crate::search::duplicates::Duplicates;
use crate::search::evolutionary::Evolutionary;
use std::any::Any;

/// Bytes of an individual besides its genes: fitness, weight, rank, and its part of the selection.
const OF_INDIVIDUAL: u128 = 32;
/// Bytes of a child besides its genes: its parents, and its part of the plan.
const OF_CHILD: u128 = 40;

impl Algorithm for Evolutionary {
    fn population_setting(&self) -> Option<usize> {
        Some(self.population)
    }

    fn evaluations_per_generation(&self) -> Option<usize> {
        Some(self.replacement.offspring(self.population))
    }

    fn reevaluations(&self, generations: u64) -> Option<u64> {
        // The first population of a run has survived nothing, unless all its individuals are
        // compared with children.
        let (survivors, generations) = match self.replacement {
            Replacement::Plus { .. } => (self.population, generations),
            Replacement::Elitism { elite } => (elite, generations.saturating_sub(1)),
            _ => return None,
        };
        Some(generations.saturating_mul(survivors as u64))
    }

    fn has_children(&self) -> bool {
        true
    }

    fn plans_over(&self, unit: Unit) -> bool {
        self.schedules.is_over(unit)
    }

    fn anchors(&self, problem: &Description) -> u64 {
        let crossed = match (self.mix, self.crossover) {
            (Some(mix), _) => mix.crossover,
            (None, crossover) => crossover.map_or(0.0, |crossover| crossover.rate),
        };
        let is_one =
            |mutation: Mutation| MoveMutation::is_one(mutation.kind, problem.genome_length);
        anchors::most(problem, self.population, crossed, self.mutation.is_none_or(is_one))
    }

    fn footprint(&self, problem: &Description) -> Footprint {
        let children = self.replacement.offspring(self.population) as u64;
        let population = self.population as u64;
        let rows = u128::from(population) * OF_INDIVIDUAL + u128::from(children) * OF_CHILD;
        let anchors = self.anchors(problem) * anchors::bytes(problem);
        // The population, the next population, and the children.
        Footprint::new(problem, 2 * population + children, rows + u128::from(anchors))
    }

    fn executor<'arm>(&'arm self, arm: Arm<'arm>) -> Box<dyn TrialExecutor + 'arm> {
        let is_bred = arm.duplicates == Duplicates::Avoid || arm.counts_children;
        if one_plus_lambda::serves(arm.plugins, self) && !is_bred {
            return executor_of!(arm, all, OnePlusLambda::new(arm.problem, self));
        }
        executor_of!(arm, all, Genetic::new(arm.problem, arm.plugins, self))
    }
}

impl Evolutionary {
    /// Returns the operators of all slots, for a population of this size.
    ///
    /// # Panics
    /// If there is no scaling, selection or replacement; configs always have them.
    pub(in crate::search::algorithms) fn of(parts: &Parts, population: usize) -> Self {
        let there = "the config asked for it";
        Evolutionary {
            population,
            scaling: parts.scaling.expect(there),
            selection: parts.selection.expect(there),
            sharing: parts.sharing,
            mix: parts.mix,
            crossover: parts.crossover,
            mutation: parts.mutation,
            replacement: parts.replacement.expect(there),
            schedules: parts.schedules,
        }
    }
}

impl dyn Algorithm {
    /// Returns the settings of the evolutionary algorithm; `None` if this is another algorithm.
    #[must_use]
    pub fn as_evolutionary(&self) -> Option<&Evolutionary> {
        (self as &dyn Any).downcast_ref()
    }
}

/// Entry of the algorithm in the registry. Settings do not name it, because its slots define it.
pub(in crate::search::algorithms) const EVOLUTIONARY: Entry<Recipe> = Entry {
    operator: Operator {
        name: "evolutionary",
        summary: "A population with selection, variation and replacement, which the other slots \
            define.",
        domain: Domain::Any,
        parameters: &[],
        source: "Holland (1975); De Jong (2006), Evolutionary Computation: A Unified Approach",
    },
    make: Recipe {
        population: PopulationKey::Required,
        slots: &[
            Slot::Scaling,
            Slot::Selection,
            Slot::Crossover,
            Slot::Mutation,
            Slot::Replacement,
            Slot::Constraints,
        ],
        draws: true,
        make: |_, parts, context| Ok(Arc::new(Evolutionary::of(parts, context.population))),
    },
};
