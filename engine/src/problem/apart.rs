//! Plugins in another process: this one knows what they declare and describe, and runs nothing of
//! them.

use super::boundary::Declared;
use super::host::Host;
use super::{Description, Genome, Location, PluginError, PluginPolicy};
use crate::problem::parameter::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Another process that loads plugins and makes problems.
pub trait Apart: fmt::Debug + Send + Sync {
    /// Loads the plugin at an absolute path; what it declares, and the hash of its files.
    ///
    /// # Errors
    /// The plugin's, and if the process ends or takes too long.
    fn open(&self, at: &Location) -> Result<(Declared, blake3::Hash), PluginError>;

    /// Makes a problem of checked values; how it describes itself.
    ///
    /// # Errors
    /// As above.
    fn describe(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
    ) -> Result<Description, PluginError>;

    /// Makes an operator of checked values, by its place among the plugin's, for a problem that is
    /// described like this.
    ///
    /// # Errors
    /// As above.
    fn try_operator(
        &self,
        at: &Location,
        plugin: &str,
        operator: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<(), PluginError>;

    /// Whether each of these genomes keeps the rules of the problem of these values.
    ///
    /// # Errors
    /// As above, and if the plugin fails.
    fn validate(
        &self,
        at: &Location,
        plugin: &str,
        values: &[Value],
        genomes: &[Genome],
    ) -> Result<Vec<bool>, String>;
}

/// Descriptions of problems, by the [`key`](super::library::key) of their values.
pub type Known = BTreeMap<String, Description>;

/// How libraries are opened: which ones, and where.
#[derive(Clone, Debug)]
pub struct Opener {
    /// Asked before anything of a plugin's file is read.
    pub policy: PluginPolicy,
    /// Where they are loaded.
    pub place: OpenerPlace,
}

/// Where libraries are loaded.
#[derive(Clone, Debug)]
pub enum OpenerPlace {
    /// Into this process.
    Here,
    /// Into this process; the problems that are known already are made when they are first used.
    Knowing(Arc<Known>),
    /// Into another process.
    Apart(Arc<dyn Apart>),
}

impl Opener {
    /// Loads what this policy permits into this process.
    #[must_use]
    pub fn here(policy: PluginPolicy) -> Self {
        Opener { policy, place: OpenerPlace::Here }
    }
}

/// Where a library is.
pub(super) enum Home {
    /// In this process, or in processes that this one asks.
    Here {
        host: Box<dyn Host>,
        /// Problems that are made when they are first used.
        known: Option<Arc<Known>>,
    },
    /// In another process of the runner.
    Apart(Arc<dyn Apart>),
}
