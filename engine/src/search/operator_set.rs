//! Operator sets: what a search is made of, resolved and checked.

use super::algorithm::Algorithm;
use super::arm::Arm;
use super::plugin_operators::PluginOperators;
use super::start::Start;
use super::stop::Stop;
use super::trace::Trace;
use crate::operators::registry::Slot;
use crate::operators::{Constraints, Mix};
use crate::problem::Problem;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section, Setting};
use std::sync::Arc;

/// What an arm searches with: an algorithm under the user's name for it.
#[derive(Clone, Debug)]
pub struct OperatorSet {
    /// The user's name for it; names the arm, changes no trial.
    pub name: String,
    /// What searches, with its settings.
    pub algorithm: Arc<dyn Algorithm>,
    /// How genomes are compared; none: the problem has no constraints, or the algorithm compares
    /// none.
    pub constraints: Option<Constraints>,
    /// The operators that plugins other than the problem's have for it.
    pub plugins: PluginOperators,
    /// The same for tables and fingerprints: the population, the operator of each slot, the mix.
    pub section: Arc<Section>,
}

impl PartialEq for OperatorSet {
    fn eq(&self, other: &Self) -> bool {
        let OperatorSet { name, algorithm, constraints, plugins, section } = self;
        *name == other.name
            && **algorithm == *other.algorithm
            && *constraints == other.constraints
            && *plugins == other.plugins
            && *section == other.section
    }
}

impl OperatorSet {
    /// A set of these operators, each with its settings, in the order of the slots; `mix`: shares
    /// of the operations.
    #[must_use]
    pub fn new(
        name: String,
        algorithm: Arc<dyn Algorithm>,
        constraints: Option<Constraints>,
        operators: impl IntoIterator<Item = (Slot, Section)>,
        mix: Option<Mix>,
    ) -> Self {
        let population = algorithm
            .population_setting()
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

    /// The arm of this set on a problem; its first populations have the genomes of `start`.
    #[must_use]
    pub fn arm<'arm>(
        &'arm self,
        problem: &'arm Problem,
        stop: &'arm Stop,
        start: Option<&'arm Start>,
        trace: Trace,
    ) -> Arm<'arm> {
        Arm {
            problem,
            constraints: self.constraints,
            plugins: &self.plugins,
            population: self.algorithm.population(),
            anchors: self.algorithm.anchors(problem.description()),
            stop,
            start,
            trace,
        }
    }
}
