//! Operators of plugins: the safe handle of an operator that was created for a problem.

use super::answer;
use super::declared_operator::DeclaredOperator;
use super::description::Description;
use super::host::{OperatorInstance, Rows, RowsMut};
use super::library::{check_files, check_values};
use super::plugin_search::PluginSearch;
use super::remote::PluginPlacement;
use super::{CallError, Gene, Library, PluginError};
use crate::problem::parameter::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Operator of a plugin, created for the genomes of a problem. It is immutable and used by many
/// threads at once. Every result is checked. Each method fails with the plugin's message, or with
/// the rule that its result violates.
///
/// # Panics
/// Panics if `G` is not the problem's kind of gene. Panics if slices do not hold the same number of
/// whole rows. Either is a bug in the caller.
pub struct PluginOperator {
    library: Arc<Library>,
    /// Index among the plugin's operators.
    place: usize,
    values: Vec<Value>,
    problem: Description,
    /// Instance, created on first use if another process has already created the operator
    /// successfully.
    instance: OnceLock<Box<dyn OperatorInstance>>,
}

impl PluginOperator {
    /// Creates the operator from checked values immediately.
    fn new(
        library: Arc<Library>,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<Self, PluginError> {
        let operator = PluginOperator::tried(library, place, values, problem);
        match operator.instance() {
            Ok(_) => Ok(operator),
            Err(message) => Err(PluginError::Operator {
                plugin: operator.library.name().to_owned(),
                operator: operator.declared().name.clone(),
                message,
            }),
        }
    }

    /// Creates the handle of an operator from checked values that are known to suit the problem.
    fn tried(library: Arc<Library>, place: usize, values: &[Value], problem: &Description) -> Self {
        let (values, problem) = (values.to_vec(), problem.clone());
        PluginOperator { library, place, values, problem, instance: OnceLock::new() }
    }

    /// Returns the plugin that provides the operator.
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Returns the plugin's declaration of the operator.
    #[must_use]
    pub fn declared(&self) -> &DeclaredOperator {
        &self.library.declared().operators[self.place]
    }

    /// Returns the values of the operator's parameters, in its order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    #[inline]
    fn instance(&self) -> Result<&dyn OperatorInstance, String> {
        match self.instance.get() {
            Some(instance) => Ok(instance.as_ref()),
            None => self.make(),
        }
    }

    #[cold]
    fn make(&self) -> Result<&dyn OperatorInstance, String> {
        let PluginOperator { library, place, values, problem, .. } = self;
        let instance = match library.placement() {
            PluginPlacement::Here { host, .. } => {
                check_files(values)?;
                host.create_operator(self.declared(), *place, values, problem)
            }
            PluginPlacement::Remote(_) => Err("it is in another process".to_owned()),
        }?;
        Ok(self.instance.get_or_init(|| instance).as_ref())
    }

    #[cold]
    fn error(&self, message: String) -> CallError {
        let DeclaredOperator { kind, name, .. } = self.declared();
        CallError::of_operator((self.library.name(), name), kind.call(), &message)
    }

    /// Begins a search of an algorithm. All its random numbers follow from the seed.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, or this operator is not an algorithm.
    pub fn begin(&self, seed: &[u8; 32]) -> Result<PluginSearch<'_>, CallError> {
        let names = (self.library.name(), self.declared().name.as_str());
        let begun = self.instance().and_then(|one| one.begin(seed));
        let search = begun.map_err(|message| CallError::of_operator(names, "begin", &message))?;
        Ok(PluginSearch::new(names, &self.problem, search))
    }

    /// Writes one child per row from the parents in the same row of `first` and `second`. Row `i`
    /// depends only on (seed, `first_row + i`) and its parents.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns genes that violate the encoding, or this
    /// operator is not a crossover.
    pub fn crossover<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        first: &[G],
        second: &[G],
        children: &mut [G],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|one| {
                let parents = [Rows::of(first), Rows::of(second)];
                one.crossover(seed, first_row, parents, RowsMut::of(children))
            })
            .and_then(|()| answer::check_genes(&self.problem, children))
            .map_err(|message| self.error(message))
    }

    /// Mutates every row in place, once.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns genes that violate the encoding, or this
    /// operator is not a mutation.
    pub fn mutate<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|one| one.mutate(seed, first_row, RowsMut::of(genes)))
            .and_then(|()| answer::check_genes(&self.problem, genes))
            .map_err(|message| self.error(message))
    }

    /// Chooses the rows of all parents from a population with this fitness. `violations` is present
    /// if the problem has constraints.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, names a row that does not exist, or this operator is
    /// not a selection.
    pub fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|one| one.select(seed, fitness, violations, parents))
            .and_then(|()| answer::check_parents(parents, fitness.len()))
            .map_err(|message| self.error(message))
    }
}

impl Library {
    /// Creates one of the plugin's operators for a problem with this description. `place` is its
    /// index among the plugin's operators. `values` has one value per parameter, in the operator's
    /// order.
    ///
    /// # Errors
    /// Returns an error if a value does not match the declared parameter. Returns an error if the
    /// plugin rejects the values or the problem.
    pub fn operator(
        self: &Arc<Self>,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<PluginOperator, PluginError> {
        let DeclaredOperator { parameters, .. } = &self.declared().operators[place];
        let plugin = || self.name().to_owned();
        check_values(parameters, values)
            .map_err(|message| PluginError::Values { plugin: plugin(), message })?;
        let known = match self.placement() {
            PluginPlacement::Remote(remote) => {
                remote.try_operator(self.location(), self.name(), place, values, problem)?;
                true
            }
            PluginPlacement::Here { known, .. } => known.is_some(),
        };
        match known {
            true => Ok(PluginOperator::tried(Arc::clone(self), place, values, problem)),
            false => PluginOperator::new(Arc::clone(self), place, values, problem),
        }
    }
}

impl PartialEq for PluginOperator {
    fn eq(&self, other: &Self) -> bool {
        self.library.file_hash() == other.library.file_hash()
            && self.place == other.place
            && self.values == other.values
            && self.problem == other.problem
    }
}

impl fmt::Debug for PluginOperator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PluginOperator")
            .field("library", &self.library)
            .field("operator", &self.declared().name)
            .field("values", &self.values)
            .finish()
    }
}
