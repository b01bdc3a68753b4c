//! Operator sets: what a search is made of, resolved and checked.

use super::algorithm::Algorithm;
use super::constraints::Constraints;
use super::crossover::Crossover;
use super::mutation::Mutation;
use super::registry::Slot;
use super::replacement::Replacement;
use super::scaling::Scaling;
use super::selection::Selection;
use crate::problem::PluginOperator;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section, Setting};
use std::sync::Arc;

/// What an arm searches with: an algorithm under the user's name for it.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorSet {
    /// The user's name for it; names the arm, changes no trial.
    pub name: String,
    /// What searches, with its settings.
    pub algorithm: Algorithm,
    /// How genomes are compared; none: the problem has no constraints, or the algorithm compares
    /// none.
    pub constraints: Option<Constraints>,
    /// The operators that plugins other than the problem's have for it.
    pub plugins: PluginOperators,
    /// The same for tables and fingerprints: the population, the operator of each slot, the mix.
    pub section: Arc<Section>,
}

impl OperatorSet {
    /// A set of these operators, each with its settings, in the order of the slots.
    #[must_use]
    pub fn new(
        name: String,
        algorithm: Algorithm,
        constraints: Option<Constraints>,
        operators: impl IntoIterator<Item = (Slot, Section)>,
    ) -> Self {
        let (population, mix) = match &algorithm {
            Algorithm::Evolutionary(set) => (Some(set.population), set.mix.as_ref()),
            Algorithm::RandomSearch { population } | Algorithm::Exhaustive { population } => {
                (Some(*population), None)
            }
            Algorithm::HillClimbing(_) | Algorithm::SimulatedAnnealing(_) => (None, None),
        };
        let population = population
            .map(|count| (Key::from("population"), Setting::Value(Value::Integer(count as i64))));
        let operators = operators
            .into_iter()
            .map(|(slot, section)| (Key::from(slot.as_str()), Setting::Section(section)));
        let mix = mix.map(|mix| (Key::from("mix"), Setting::Section(mix.section())));
        let section: Section = population.into_iter().chain(operators).chain(mix).collect();
        let plugins = PluginOperators::default();
        OperatorSet { name, algorithm, constraints, plugins, section: section.into() }
    }

    /// The same with operators of plugins, where the algorithm asks for them.
    #[must_use]
    pub fn with_plugins(self, plugins: PluginOperators) -> Self {
        OperatorSet { plugins, ..self }
    }
}

/// Operators of plugins other than the problem's, by their slots. Those that the algorithm names as
/// `Plugin` are here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginOperators {
    /// Chooses parents.
    pub selection: Option<Arc<PluginOperator>>,
    /// Makes children.
    pub crossover: Option<Arc<PluginOperator>>,
    /// Changes genomes.
    pub mutation: Option<Arc<PluginOperator>>,
}

/// How one population turns into the next. Rates are probabilities, shares are parts of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolutionary {
    /// Individuals in the population; at least 2.
    pub population: usize,
    /// Fitness to weights, for selections in proportion to weight.
    pub scaling: Scaling,
    /// Which individuals become parents.
    pub selection: Selection,
    /// Exactly one operation a step, by these shares; none: crossover, then mutation, each with its
    /// rate.
    pub mix: Option<Mix>,
    /// None: children are copies of their parents.
    pub crossover: Option<Crossover>,
    /// None: children are not mutated.
    pub mutation: Option<Mutation>,
    /// Which of parents and children make up the next generation.
    pub replacement: Replacement,
}

/// Shares of the operations; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Share of steps that copy a parent.
    pub clone: f64,
    /// Share of steps that cross two parents.
    pub crossover: f64,
    /// Share of steps that mutate a parent.
    pub mutate: f64,
}

impl Mix {
    fn section(&self) -> Section {
        [("clone", self.clone), ("crossover", self.crossover), ("mutate", self.mutate)]
            .map(|(key, share)| (Key::from(key), Value::Real(share)))
            .into_iter()
            .collect()
    }
}
