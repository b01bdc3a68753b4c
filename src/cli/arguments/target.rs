//! Arguments of `runner target`.

use super::{IsolationArguments, PluginDirs};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct TargetArguments {
    /// Experiment file (TOML) with one operator set and no sweep
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub config: PathBuf,
    /// The configurator that asks
    #[arg(long = "as", value_name = "WHO", value_enum)]
    pub form: TargetForm,
    /// Cost to minimise
    #[arg(long, value_enum, default_value_t = TargetCost::Evaluations)]
    pub cost: TargetCost,
    /// Print the seconds too, as irace with maxTime wants it
    #[arg(long)]
    pub time: bool,
    /// Override a key of the file, such as stop.evaluations=2000 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginDirs,
    #[command(flatten)]
    pub isolation: IsolationArguments,
    /// The words of the configurator; parameters are keys as in --set, such as
    /// --operators.mutation.gene-rate 0.02, and an instance is KEY=VALUE,... or -
    #[arg(
        value_name = "WORDS",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,
}

/// Forms of the words and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetForm {
    /// CONFIGURATION INSTANCE-NUMBER SEED INSTANCE PARAMETERS...
    Irace,
    /// INSTANCE SPECIFICS TIME LENGTH SEED PARAMETERS..., as SMAC 2 has them too
    Paramils,
    /// --instance=INSTANCE --seed=SEED PARAMETERS..., as the scripts of SMAC 3
    Smac,
}

/// Costs of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetCost {
    /// Evaluations to the first success; without success, ten times stop.evaluations
    Evaluations,
    /// Fitness of the best feasible genome
    Fitness,
}
