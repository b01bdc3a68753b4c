//! Operator sets: the parts of a search, resolved and checked.

use super::algorithm::Algorithm;
use super::arm::Arm;
use super::plugin_operators::PluginOperators;
use super::start::Start;
use super::stop::Stop;
use super::trace::Trace;
use crate::operators::operator::Slot;
use crate::operators::{Constraints, Mix};
use crate::problem::Problem;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section, Setting};
use std::sync::Arc;

/// An algorithm and its operators, under the user's name for them.
#[derive(Clone, Debug)]
pub struct OperatorSet {
    /// The user's name for the set. It names the arm, and does not change any trial.
    pub name: String,
    /// Algorithm with its settings.
    pub algorithm: Arc<dyn Algorithm>,
    /// Rule that compares genomes. `None` if the problem has no constraints, or if the algorithm
    /// compares no genomes.
    pub constraints: Option<Constraints>,
    /// Operators of plugins other than the problem's.
    pub plugins: PluginOperators,
    /// The set as settings for tables and fingerprints: the population, the operator of each slot,
    /// the mix.
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
    /// Creates a set of these operators, each with its settings, in the order of the slots. `mix`
    /// holds the shares of the operations.
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

    /// Adds operators of plugins, if the algorithm asks for them.
    #[must_use]
    pub fn with_plugins(self, plugins: PluginOperators) -> Self {
        OperatorSet { plugins, ..self }
    }

    /// Returns the arm of this set on a problem, whose first populations have the genomes of
    /// `start`.
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
