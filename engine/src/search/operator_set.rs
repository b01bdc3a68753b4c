//! Operator sets: the parts of a search, resolved and checked.

use super::algorithm::Algorithm;
use super::arm::Arm;
use super::duplicates::Duplicates;
use super::plugin_operators::PluginOperators;
use super::resampling::Resampling;
use super::restarts::Restarts;
use super::sharing::Sharing;
use super::start::Start;
use super::stop::Stop;
use super::trace::Trace;
use crate::operators::operator::Slot;
use crate::operators::schedule::Unit;
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
    /// Rule that ends a run of the search; `None` if a trial is one run.
    pub restarts: Option<Restarts>,
    /// Rule by which genomes of a noisy problem are evaluated.
    pub resampling: Resampling,
    /// Rule for genomes that equal an earlier one of the trial.
    pub duplicates: Duplicates,
    /// The set as settings for tables and fingerprints: the population, the operator of each slot,
    /// the mix, the restarts.
    pub section: Arc<Section>,
}

impl PartialEq for OperatorSet {
    fn eq(&self, other: &Self) -> bool {
        let OperatorSet {
            name,
            algorithm,
            constraints,
            plugins,
            restarts,
            resampling,
            duplicates,
            section,
        } = self;
        *name == other.name
            && **algorithm == *other.algorithm
            && *constraints == other.constraints
            && *plugins == other.plugins
            && *restarts == other.restarts
            && *resampling == other.resampling
            && *duplicates == other.duplicates
            && *section == other.section
    }
}

impl OperatorSet {
    /// Returns the revision of the algorithm with its settings; see [`Algorithm::revision`].
    pub(crate) fn revision(&self) -> u32 {
        // 4: a schedule has the value of the share that is spent before survivors are evaluated
        // anew.
        let is_ahead = self.resampling.reevaluates && self.algorithm.plans_over(Unit::Evaluations);
        self.algorithm.revision(self.constraints) + if is_ahead { 4 } else { 0 }
    }

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
        let section = section.into();
        OperatorSet {
            name,
            algorithm,
            constraints,
            plugins,
            restarts: None,
            resampling: Resampling::ONCE,
            duplicates: Duplicates::Allow,
            section,
        }
    }

    /// Adds operators of plugins, if the algorithm asks for them.
    #[must_use]
    pub fn with_plugins(self, plugins: PluginOperators) -> Self {
        OperatorSet { plugins, ..self }
    }

    /// Adds a rule for sharing to the settings. The algorithm follows it.
    #[must_use]
    pub fn with_sharing(self, sharing: Option<Sharing>) -> Self {
        match sharing {
            Some(rule) => self.with_section("sharing", rule.section()),
            None => self,
        }
    }

    /// Adds a rule for restarts.
    #[must_use]
    pub fn with_restarts(self, restarts: Option<Restarts>) -> Self {
        let Some(rule) = restarts else { return self };
        OperatorSet { restarts, ..self.with_section("restarts", rule.section()) }
    }

    /// Adds a rule for noise.
    #[must_use]
    pub fn with_resampling(self, resampling: Option<Resampling>) -> Self {
        let Some(rule) = resampling.filter(|rule| *rule != Resampling::ONCE) else { return self };
        OperatorSet { resampling: rule, ..self.with_section("noise", rule.section()) }
    }

    /// Sets the rule for duplicates. The settings name it unless it is the usual one.
    #[must_use]
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        if duplicates == Duplicates::Allow {
            return self;
        }
        let setting = Setting::Value(Value::Text(duplicates.as_str().into()));
        let section = self.section.with("duplicates", setting);
        OperatorSet { duplicates, section: section.into(), ..self }
    }

    fn with_section(self, key: &'static str, section: Section) -> Self {
        let section = self.section.with(key, Setting::Section(section));
        OperatorSet { section: section.into(), ..self }
    }

    /// Returns the number of evaluations of a trial that runs for this number of generations.
    /// `None` if the number is not known beforehand, or overflows.
    #[must_use]
    pub fn evaluations(&self, generations: u64) -> Option<u64> {
        let each = self.algorithm.evaluations_per_generation();
        // An initial population of another size counts as a generation, too.
        let is_settled = self.restarts.is_none() || each == Some(self.algorithm.population());
        let first = self.algorithm.evaluations(generations).filter(|_| is_settled)?;
        let anew = self.reevaluations(generations)?;
        first.checked_add(anew)?.checked_mul(self.resampling.evaluations as u64)
    }

    /// Returns the number of genomes that are evaluated anew in the first `generations`
    /// generations. `None` if the search cannot do what its rule asks for.
    #[must_use]
    pub fn reevaluations(&self, generations: u64) -> Option<u64> {
        match self.resampling.reevaluates {
            true => self.algorithm.reevaluations(generations),
            false => Some(0),
        }
    }

    /// Returns an upper bound of the rows of a trace with one row per individual; a trial may end
    /// earlier. `None` if only `stagnation` or the clock bounds the rows, or if generations bound
    /// those of an algorithm whose generations have no greatest size.
    #[must_use]
    pub fn most_trace_rows(&self, stop: &Stop) -> Option<u64> {
        let Some(individuals) = self.algorithm.traced_individuals() else {
            return stop.evaluations;
        };
        let population = self.algorithm.population() as u64;
        // A generation uses at least one evaluation.
        let each = self.algorithm.evaluations_per_generation().unwrap_or(1).max(1) as u64;
        let each = self.restarts.map_or(each, |_| each.min(population));
        let by_evaluations =
            stop.evaluations.map(|most| 1 + most.saturating_sub(population) / each);
        let by_generations = stop.generations.map(|most| most.saturating_add(1));
        let generations = by_evaluations.into_iter().chain(by_generations).min()?;
        Some(generations.saturating_mul(individuals as u64))
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
            anchors: match self.duplicates {
                Duplicates::Allow => self.algorithm.anchors(problem.description()),
                Duplicates::Avoid | Duplicates::Reuse => 0,
            },
            restarts: self.restarts,
            resampling: self.resampling,
            duplicates: self.duplicates,
            stop,
            start,
            trace,
            counts_children: trace.counts_children() && self.algorithm.has_children(),
        }
    }
}
