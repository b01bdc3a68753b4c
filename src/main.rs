//! `runner`: experiments in evolutionary search, from TOML to Parquet.

use runner::system::interrupt::Signals;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before all else: a signal in the first moment is one to stop, not to die of.
    let signals = Signals::catch();
    match runner::cli::parse() {
        Ok(cli) => runner::cli::commands::start(&cli, signals),
        Err(answer) => runner::cli::commands::explain(&answer).into(),
    }
}
