//! Arguments of `runner sample`.

use super::{PluginDirs, values};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// The plugin's name or a path to its library
    #[arg(value_name = "PLUGIN")]
    pub plugin: String,
    /// How many genomes to draw
    #[arg(
        long, short = 'n', value_name = "N", default_value_t = 1,
        value_parser = values::at_least_one, allow_negative_numbers = true
    )]
    pub count: u64,
    /// Seed of the random numbers
    #[arg(
        long, value_name = "SEED", default_value_t = 0, value_parser = values::seed,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Take the genome with this number instead of drawing (518: the classical chess position)
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["count", "seed"])]
    pub number: Option<u64>,
    /// Check each genome against the problem's rules; print the invalid ones and the number of
    /// valid ones
    #[arg(long)]
    pub check: bool,
    /// A parameter of the plugin, such as n=12 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What runs a plugin that is a Python file: a program's name or path, such as .venv/bin/python
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub interpreter: Option<PathBuf>,
    /// How to print a genome [default: board; with --check, only invalid ones]
    #[arg(long, value_enum)]
    pub format: Option<SampleFormat>,
    /// Write a file for each genome into this folder instead of printing them
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: PluginDirs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleFormat {
    /// One line of text (Unicode), and the genome's number if the plugin numbers its genomes
    Line,
    /// Several lines of text
    Board,
    /// An image (only one on standard output; for more, use --out)
    Svg,
    /// The genes as numbers
    Genes,
}
