//! `runner`: experiments in evolutionary search, from TOML to Parquet.

use std::process::ExitCode;

fn main() -> ExitCode {
    match runner::cli::parse() {
        Ok(cli) => runner::commands::dispatch(&cli),
        Err(answer) => runner::commands::explain(&answer),
    }
    .into()
}
