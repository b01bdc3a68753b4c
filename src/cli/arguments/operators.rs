//! Arguments of `runner operators` and `runner certify`.

use super::{PluginDirs, values};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct OperatorsArguments {
    /// Only this slot (algorithm, scaling, selection, crossover, mutation, replacement), operator
    /// or preset
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print the publications that they cite, as BibTeX
    #[arg(long)]
    pub bibtex: bool,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Debug, Args)]
pub(crate) struct CertifyArguments {
    /// Only this operator, or the operators of this slot
    #[arg(value_name = "OPERATOR")]
    pub name: Option<String>,
    /// Seed of the random numbers
    #[arg(
        long, value_name = "SEED", default_value_t = 1, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// A JSON array of objects
    #[arg(long)]
    pub json: bool,
}
