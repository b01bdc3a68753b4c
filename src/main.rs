//! `runner`: experiments in evolutionary search, from TOML to Parquet.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match runner::cli::Cli::try_parse() {
        Ok(cli) => runner::commands::dispatch(&cli),
        Err(answer) => runner::commands::explain(&answer),
    }
    .into()
}
