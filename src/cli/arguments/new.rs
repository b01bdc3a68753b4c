//! Arguments of `runner new`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The plugin's name: lower-case letters, digits and underscores
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A problem in Python: a file, a test and a config
    #[arg(long, group = "language")]
    pub python: bool,
    /// A plugin in C: source, Makefile, test and config
    #[arg(long, group = "language")]
    pub c: bool,
    /// A plugin in C++17: source, Makefile, test and config
    #[arg(long, group = "language")]
    pub cpp: bool,
}
