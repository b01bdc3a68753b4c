//! `runner`: experiments in evolutionary search, from TOML to Parquet.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = runner::cli::Cli::parse();
    runner::commands::dispatch(&cli).into()
}
