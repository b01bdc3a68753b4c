//! Operators of plugins: what a plugin declares of one, and the safe handle of one that was made
//! for a problem.

use super::answer;
use super::apart::Home;
use super::description::{Description, Encoding};
use super::host::{OperatorInstance, Rows, RowsMut};
use super::{CallError, Gene, Library, PluginError};
use crate::problem::parameter::{Parameter, Value};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The slot of an operator set that an operator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorKind {
    /// Chooses parents.
    Selection,
    /// Makes a child of two parents.
    Crossover,
    /// Changes a genome.
    Mutation,
}

impl OperatorKind {
    /// The key in an operator set.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OperatorKind::Selection => "selection",
            OperatorKind::Crossover => "crossover",
            OperatorKind::Mutation => "mutation",
        }
    }

    /// The call that does its work, as the header names it.
    pub(crate) fn call(self) -> &'static str {
        match self {
            OperatorKind::Selection => "select",
            OperatorKind::Crossover => "crossover",
            OperatorKind::Mutation => "mutate",
        }
    }
}

impl fmt::Display for OperatorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Keys beside an operator's name in a config: no parameter of an operator is called so.
pub(crate) const RESERVED: [&str; 7] =
    ["plugin", "interpreter", "operator", "version", "kind", "rate", "children"];

/// An operator as its plugin declares it, checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeclaredOperator {
    /// The slot that it is for.
    pub kind: OperatorKind,
    /// Its name in configs.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// Author, year and DOI; may be empty.
    pub source: String,
    /// Those that it works on; empty: any.
    pub encodings: Vec<Encoding>,
    /// What users may set, in its order.
    pub parameters: Vec<Parameter>,
}

impl DeclaredOperator {
    /// Complains if there is one of the same kind and name.
    pub(super) fn check_new(&self, others: &[DeclaredOperator]) -> Result<(), String> {
        let DeclaredOperator { kind, name, .. } = self;
        match others.iter().any(|other| other.kind == *kind && other.name == *name) {
            true => Err(format!("it declares the {kind} `{name}` twice")),
            false => Ok(()),
        }
    }

    /// The encodings that it works on.
    #[must_use]
    pub fn encodings(&self) -> &[Encoding] {
        if self.encodings.is_empty() { &Encoding::ALL } else { &self.encodings }
    }
}

/// A plugin's operator, made for the genomes of a problem: immutable, used by many threads at once.
/// Every answer is checked; each method fails with the plugin's own words, or with the rule that
/// its answer breaks.
///
/// # Panics
/// If `G` is not the problem's kind of gene, or slices do not hold whole and equally many rows: a
/// caller's bug.
pub struct PluginOperator {
    library: Arc<Library>,
    /// Which of the plugin's.
    place: usize,
    values: Vec<Value>,
    problem: Description,
    /// Made when it is first used, where another process has tried it before.
    instance: OnceLock<Box<dyn OperatorInstance>>,
}

impl PluginOperator {
    /// Makes the operator of checked values now.
    pub(super) fn new(
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

    /// The operator of checked values that is known to suit the problem.
    pub(super) fn tried(
        library: Arc<Library>,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Self {
        let (values, problem) = (values.to_vec(), problem.clone());
        PluginOperator { library, place, values, problem, instance: OnceLock::new() }
    }

    /// The plugin that has it.
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// What the plugin declares of it.
    #[must_use]
    pub fn declared(&self) -> &DeclaredOperator {
        &self.library.declared().operators[self.place]
    }

    /// The values of its parameters, in its order.
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
        let instance = match library.home() {
            Home::Here { host, .. } => {
                host.create_operator(self.declared(), *place, values, problem)
            }
            Home::Apart(_) => Err("it is in another process".to_owned()),
        }?;
        Ok(self.instance.get_or_init(|| instance).as_ref())
    }

    #[cold]
    fn error(&self, message: String) -> CallError {
        let plugin = self.library.name().to_owned();
        let DeclaredOperator { kind, name, .. } = self.declared();
        CallError { plugin, call: kind.call(), message: format!("{name}: {message}") }
    }

    /// One child a row, of the parents in the same row of `first` and `second`. Row `i` follows
    /// from (seed, `first_row + i`) alone.
    ///
    /// # Errors
    /// If the plugin fails, gives genes that break the encoding, or this is no crossover.
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
    /// As for [`crossover`](Self::crossover), and if this is no mutation.
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

    /// Chooses the rows of all parents from a population of this fitness, and of these violations
    /// where the problem has constraints.
    ///
    /// # Errors
    /// If the plugin fails, names a row that is not there, or this is no selection.
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
