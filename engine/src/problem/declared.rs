//! Declarations of plugins.

use super::declared_operator::DeclaredOperator;
use super::parameter::Parameter;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Checked declaration of a plugin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// Name in configs and in the plugin's file name.
    pub name: String,
    /// Version, as its author writes it.
    pub version: String,
    /// Description of the problem in one sentence.
    pub summary: String,
    /// Parameters that users may set, in the plugin's order.
    pub parameters: Vec<Parameter>,
    /// Whether the plugin has a problem; a plugin may have only operators.
    pub has_problem: bool,
    /// Operators for the problems of any plugin, in the plugin's order.
    pub operators: Vec<DeclaredOperator>,
    /// ABI version: major, minor.
    pub abi: (u32, u32),
    /// Whether the library says that it was built without optimisation.
    pub debug_build: bool,
    /// Language and version of a program, as in "CPython 3.13.5, numpy 2.3.4"; `None` for a
    /// library.
    pub language: Option<String>,
    /// Other files of a program, relative to its folder; empty for a library.
    pub files: Vec<PathBuf>,
}
