//! What can be wrong with a plugin: one that cannot be used, and a call that fails.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// A plugin that cannot be used. Ends the program before the first trial.
#[derive(Debug, Error, Serialize, Deserialize)]
pub enum PluginError {
    /// No folder of the search path has a library of that name.
    #[error("{}", not_found(name, dirs, nearest.as_deref()))]
    NotFound {
        /// The plugin, as the config names it.
        name: String,
        /// The folders, in the order of the search.
        dirs: Vec<PathBuf>,
        /// An available plugin with a similar name.
        nearest: Option<String>,
    },

    /// The system refused to load the file.
    #[error("cannot load the plugin `{}`: {message}; it must be a shared library built for this \
        machine", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },

    /// It is a shared library, but exports no table of a plugin.
    #[error(
        "`{}` is not a runner plugin: it does not export the symbol `runner_plugin_table`; a Rust \
        plugin exports it with `runner_plugin::export!`, a C plugin as described in \
        `runner_plugin.h`",
        path.display()
    )]
    NoTable {
        /// The file.
        path: PathBuf,
    },

    /// It was built for another major version of the ABI, or a later minor one.
    #[error(
        "the plugin `{}` uses plugin ABI {major}.{minor}, but this runner uses {}.x: build the \
        plugin against the SDK of this runner, or use a runner with ABI {major}",
        path.display(),
        runner_plugin::abi::ABI_MAJOR
    )]
    ForeignAbi {
        /// The file.
        path: PathBuf,
        /// Major version of its table.
        major: u32,
        /// Minor version of its table.
        minor: u32,
    },

    /// A program that cannot be started, or breaks the protocol.
    #[error("cannot use the plugin `{}`: {message}", path.display())]
    Program {
        /// The program's file.
        path: PathBuf,
        /// Why, in words.
        message: String,
    },

    /// The table breaks a rule of the ABI.
    #[error("the plugin `{}` violates the plugin ABI: {rule}; this is a fault in the plugin that \
        its author must fix", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The rule, and what is there instead.
        rule: String,
    },

    /// Its table has another name than its file.
    #[error(
        "the plugin `{}` calls itself `{actual}`, but was found under the name `{expected}`: \
        rename the file to `{}`, or name the library by its path",
        path.display(),
        super::search_path::file_name(actual)
    )]
    Name {
        /// The file.
        path: PathBuf,
        /// The name that the config asks for.
        expected: String,
        /// The name that its table gives.
        actual: String,
    },

    /// The process that should load it, or make a problem of it, ended or did not come back.
    #[error("plugin `{plugin}`: {call}: {message}")]
    Lost {
        /// The plugin's name.
        plugin: String,
        /// What it was to do, as the header names it.
        call: String,
        /// How the process ended.
        message: String,
    },

    /// The values are not what the plugin declares.
    #[error("plugin `{plugin}`: {message}")]
    Values {
        /// The plugin's name.
        plugin: String,
        /// Which value, and what it breaks.
        message: String,
    },

    /// The plugin refused to make an instance.
    #[error("plugin `{plugin}`: cannot create this problem: {message}")]
    Create {
        /// The plugin's name.
        plugin: String,
        /// Why, in the plugin's words.
        message: String,
    },

    /// The instance describes itself wrongly.
    #[error(
        "plugin `{plugin}`: its description of the problem is wrong: {message}; this is a fault in \
        the plugin that its author must fix"
    )]
    Description {
        /// The plugin's name.
        plugin: String,
        /// Which rule.
        message: String,
    },

    /// A plugin of operators was asked for a problem.
    #[error(
        "the plugin `{plugin}` has no problem, only operators: name it in an operator set, as in \
        {example}"
    )]
    NoProblem {
        /// The plugin's name.
        plugin: String,
        /// How one of its operators is named.
        example: String,
    },

    /// The plugin refused to make an operator.
    #[error("plugin `{plugin}`: cannot make the operator `{operator}`: {message}")]
    Operator {
        /// The plugin's name.
        plugin: String,
        /// The operator's.
        operator: String,
        /// Why, in the plugin's words.
        message: String,
    },

    /// The policy of whoever asks does not list this file.
    #[error("a page cannot open the plugin `{}`: it uses those that were on the search path when \
        the server started", plugin.display())]
    Unlisted {
        /// The file, or the name that the config gives.
        plugin: PathBuf,
    },

    /// The policy of whoever asks has plugins run by the usual interpreter alone.
    #[error("a page cannot choose `{}` to run a plugin", interpreter.display())]
    Interpreter {
        /// What the config names.
        interpreter: PathBuf,
    },

    // The last: other processes do not send it, and count only those before it.
    /// The file is there, but cannot be read.
    #[error("cannot read the plugin `{}`: {source}", path.display())]
    #[serde(skip)]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn not_found(name: &str, dirs: &[PathBuf], nearest: Option<&str>) -> String {
    let mut text = format!("there is no plugin `{name}`");
    if let Some(nearest) = nearest {
        text += &format!("; did you mean `{nearest}`?");
    }
    text += &format!("\nLooked for `{}` in:", super::search_path::file_name(name));
    for dir in dirs {
        text += &format!("\n  {}", dir.display());
    }
    let way_out = super::search_path::way_to_plugins(dirs);
    text + &format!("\nTo have it: {way_out}; `runner plugins` lists the available ones")
}

/// A plugin's call that failed or broke its contract: ends the trial as failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The plugin's name.
    pub plugin: String,
    /// The call, as the header names it.
    pub call: &'static str,
    /// What it did, or its own message.
    pub message: String,
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "plugin `{}`: {}: {}", self.plugin, self.call, self.message)
    }
}

impl std::error::Error for CallError {}
