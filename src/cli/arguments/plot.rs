//! Arguments of `runner plot`.

use super::{ArmArguments, RecordedPluginArguments, values};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PlotArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// Only plots whose names start with this, such as success-rate
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Run one trial again and draw its convergence, with the board at each improvement
    #[arg(
        long, num_args = 2, value_names = ["ARM", "TRIAL"], conflicts_with_all = ["only", "arms"]
    )]
    pub trial: Option<Vec<String>>,
    /// What fitness is plotted against; a generation means different things in different algorithms
    #[arg(long, value_enum, default_value_t = PlotX::Evaluations)]
    pub x: PlotX,
    /// Which files to write
    #[arg(long, value_enum, default_value_t = PlotFormat::Both, conflicts_with = "terminal")]
    pub format: PlotFormat,
    /// Folder for the files [default: FOLDER/plots]
    #[arg(
        long, short, value_name = "DIR", value_hint = ValueHint::DirPath,
        conflicts_with = "terminal"
    )]
    pub out: Option<PathBuf>,
    /// Print the plots instead of writing files
    #[arg(long)]
    pub terminal: bool,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotFormat {
    Svg,
    Png,
    Both,
}

/// What fitness is plotted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotX {
    Evaluations,
    Generations,
}
