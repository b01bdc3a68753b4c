//! Errors of plugins: a plugin that cannot be used, and a call that fails.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Error of a call for which a program was restarted after its file had changed.
pub const FILE_CHANGED: &str = "its file was changed while it ran";

/// Error of a plugin that cannot be used. It ends the program before the first trial.
#[derive(Debug, Error, Serialize, Deserialize)]
pub enum PluginError {
    /// No folder of the search path has a library of this name.
    #[error("{}", not_found(name, dirs, nearest.as_deref()))]
    NotFound {
        /// Name of the plugin in the config.
        name: String,
        /// Folders, in search order.
        dirs: Vec<PathBuf>,
        /// Available plugin with a similar name; `None` if there is none.
        nearest: Option<String>,
    },

    /// The system refused to load the file.
    #[error("cannot load the plugin `{}`: {message}; it must be a shared library built for this \
        machine", path.display())]
    Load {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        message: String,
    },

    /// The file is a shared library that exports no plugin table.
    #[error(
        "`{}` is not a runner plugin: it does not export the symbol `runner_plugin_table`; a Rust \
        plugin exports it with `runner_plugin::export!`, a C plugin as described in \
        `runner_plugin.h`",
        path.display()
    )]
    NoTable {
        /// Path of the file.
        path: PathBuf,
    },

    /// The plugin was built for another major version of the ABI.
    #[error(
        "the plugin `{}` uses plugin ABI {major}.{minor}, but this runner uses {}.x: build the \
        plugin against the SDK of this runner, or use a runner with ABI {major}",
        path.display(),
        runner_plugin::abi::ABI_MAJOR
    )]
    ForeignAbi {
        /// Path of the file.
        path: PathBuf,
        /// Major version in the plugin's table.
        major: u32,
        /// Minor version in the plugin's table.
        minor: u32,
    },

    /// The program cannot be started or violates the protocol.
    #[error("cannot use the plugin `{}`: {message}", path.display())]
    Program {
        /// Path of the program.
        path: PathBuf,
        /// Reason.
        message: String,
    },

    /// The table violates a rule of the ABI.
    #[error("the plugin `{}` violates the plugin ABI: {rule}; this is a fault in the plugin that \
        its author must fix", path.display())]
    Table {
        /// Path of the file.
        path: PathBuf,
        /// Violated rule and the actual value.
        rule: String,
    },

    /// The library would call the system's function in place of its own.
    #[error(
        "the plugin `{}` has a function or datum `{symbol}`, but would get the system's of that \
        name: make it static, or build with -fvisibility=hidden, as the Makefile of `runner new \
        NAME --c` does",
        path.display()
    )]
    Replaced {
        /// Path of the file.
        path: PathBuf,
        /// The symbol.
        symbol: String,
    },

    /// The library would work with static data of another library in this process.
    #[error(
        "the plugins `{}` and `{}` would share static data in one process, such as `{symbol}` (a \
        mangled C++ name): build them with -fvisibility=hidden, as the Makefile of `runner new \
        NAME --cpp` does",
        path.display(),
        other.display()
    )]
    SharedData {
        /// Path of the file.
        path: PathBuf,
        /// Path of the library that was loaded first.
        other: PathBuf,
        /// A symbol that both have.
        symbol: String,
    },

    /// The name in the table differs from the name of the file.
    #[error(
        "the plugin `{}` calls itself `{actual}`, but was found under the name `{expected}`: \
        rename the file to `{}`, or name the library by its path",
        path.display(),
        super::search_path::file_name(actual)
    )]
    Name {
        /// Path of the file.
        path: PathBuf,
        /// Name in the config.
        expected: String,
        /// Name in the plugin's table.
        actual: String,
    },

    /// The process that should load the plugin or create a problem ended or timed out.
    #[error("plugin `{plugin}`: {call}: {message}")]
    Lost {
        /// Name of the plugin.
        plugin: String,
        /// Name of the call in the header.
        call: String,
        /// End of the process, in words.
        message: String,
    },

    /// The values do not match the plugin's declaration.
    #[error("plugin `{plugin}`: {message}")]
    Values {
        /// Name of the plugin.
        plugin: String,
        /// Value and the rule that it violates.
        message: String,
    },

    /// The plugin refused to create an instance.
    #[error("plugin `{plugin}`: cannot create this problem: {message}")]
    Create {
        /// Name of the plugin.
        plugin: String,
        /// Reason, in the plugin's words.
        message: String,
    },

    /// The instance's description of itself is wrong.
    #[error(
        "plugin `{plugin}`: its description of the problem is wrong: {message}; this is a fault in \
        the plugin that its author must fix"
    )]
    Description {
        /// Name of the plugin.
        plugin: String,
        /// Violated rule.
        message: String,
    },

    /// A problem was requested from a plugin that has only operators.
    #[error(
        "the plugin `{plugin}` has no problem, only operators: name it in an operator set, as in \
        {example}"
    )]
    NoProblem {
        /// Name of the plugin.
        plugin: String,
        /// Example of a config entry that names one of its operators.
        example: String,
    },

    /// The plugin refused to create an operator.
    #[error("plugin `{plugin}`: cannot make the operator `{operator}`: {message}")]
    Operator {
        /// Name of the plugin.
        plugin: String,
        /// Name of the operator.
        operator: String,
        /// Reason, in the plugin's words.
        message: String,
    },

    /// The policy of the requester does not list this file.
    #[error("a page cannot open the plugin `{}`: it uses those that were on the search path when \
        the server started", plugin.display())]
    Unlisted {
        /// Path of the file, or the name in the config.
        plugin: PathBuf,
    },

    /// The policy of the requester permits only the default interpreter.
    #[error("a page cannot choose `{}` to run a plugin", interpreter.display())]
    Interpreter {
        /// Interpreter in the config.
        interpreter: PathBuf,
    },

    // This variant is last because other processes do not send it; they count only the variants
    // before it.
    /// The file is there, but cannot be read.
    #[error("cannot read the plugin `{}`: {source}", path.display())]
    #[serde(skip)]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
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

/// Error of a plugin call that failed or broke its contract. It ends the trial as failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// Name of the plugin.
    pub plugin: String,
    /// Name of the call in the header.
    pub call: &'static str,
    /// Broken rule, or the plugin's own message.
    pub message: String,
}

impl CallError {
    /// Creates the error of an operator's call. `names` are those of the plugin and the operator.
    #[cold]
    pub(super) fn of_operator(names: (&str, &str), call: &'static str, message: &str) -> Self {
        let (plugin, operator) = names;
        CallError { plugin: plugin.to_owned(), call, message: format!("{operator}: {message}") }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "plugin `{}`: {}: {}", self.plugin, self.call, self.message)
    }
}

impl std::error::Error for CallError {}
