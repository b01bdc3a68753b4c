//! Plugins in another process. This process knows their declarations and descriptions, and runs
//! none of their code.

use super::declared::Declared;
use super::host::Host;
use super::{Description, Genome, Location, PluginError, PluginPolicy};
use crate::problem::parameter::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Connection to another process that loads plugins and creates problems.
pub trait Remote: fmt::Debug + Send + Sync {
    /// Loads the plugin at an absolute path. Returns its declaration and the hash of its files.
    ///
    /// # Errors
    /// Returns the plugin's error, or an error if the process ends or times out.
    fn open(&self, at: &Location) -> Result<(Declared, blake3::Hash), PluginError>;

    /// Creates a problem from checked values and returns its description.
    ///
    /// # Errors
    /// Returns the plugin's error, or an error if the process ends or times out.
    fn describe(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
    ) -> Result<Description, PluginError>;

    /// Creates an operator from checked values for a problem with this description. `operator` is
    /// the index among the plugin's operators.
    ///
    /// # Errors
    /// Returns the plugin's error, or an error if the process ends or times out.
    fn try_operator(
        &self,
        at: &Location,
        plugin: &str,
        operator: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<(), PluginError>;

    /// Returns, for each genome, whether it satisfies the rules of the problem with these values.
    fn validate(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
        genomes: &[Genome],
    ) -> Result<Vec<bool>, String>;
}

/// Known descriptions of problems, by the [`key`](super::library::key) of their values.
pub type Known = BTreeMap<String, Description>;

/// Policy and placement for opening libraries.
#[derive(Clone, Debug)]
pub struct Opener {
    /// Policy that is checked before any part of a plugin's file is read.
    pub policy: PluginPolicy,
    /// Place where libraries are loaded.
    pub place: OpenerPlace,
}

/// Place where libraries are loaded.
#[derive(Clone, Debug)]
pub enum OpenerPlace {
    /// This process.
    Here,
    /// This process. Problems with a known description are created on first use.
    Known(Arc<Known>),
    /// Another process.
    Remote(Arc<dyn Remote>),
}

impl Opener {
    /// Creates an opener that loads permitted plugins into this process.
    #[must_use]
    pub fn here(policy: PluginPolicy) -> Self {
        Opener { policy, place: OpenerPlace::Here }
    }
}

/// Placement of a library.
pub(super) enum PluginPlacement {
    /// This process, or processes that this one sends requests to.
    Here {
        host: Box<dyn Host>,
        /// Descriptions of problems that are created on first use.
        known: Option<Arc<Known>>,
    },
    /// Another process of the runner.
    Remote(Arc<dyn Remote>),
}
