//! Arguments that choose arms.

use clap::Args;

// Choice of arms.
#[derive(Debug, Default, Args)]
pub(crate) struct ArmArguments {
    /// Only these arms: a label, an id, the name of an operator set, or a pattern of labels with *
    /// and ? (repeatable)
    #[arg(long = "arm", value_name = "PATTERN")]
    pub arms: Vec<String>,
}
