//! `cargo xtask`: what is done around the program. `cargo xtask dist` makes the files of a release,
//! `cargo xtask golden` writes down what users see, `cargo xtask published` compares results
//! hashes, `cargo xtask run-times` compares run times with published ones, `cargo xtask size`
//! counts lines.
#![allow(clippy::print_stdout, reason = "it tells what it made")]

mod archive;
mod checksums;
mod compilation;
mod debian;
mod dist;
mod glibc;
mod golden;
mod licenses;
mod metadata;
mod process;
mod published;
mod run_times;
mod size;
mod tree;
mod wheel;

use clap::Parser;
use std::process::ExitCode;

/// Result of a task; an error is printed and ends the command.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Tasks around the program.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    Dist(dist::Dist),
    Golden(golden::Golden),
    Published(published::Published),
    RunTimes(run_times::RunTimes),
    Size(size::Size),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Dist(dist) => dist.make(),
        Task::Golden(golden) => golden.write(),
        Task::Published(published) => published.check(),
        Task::RunTimes(run_times) => run_times.write(),
        Task::Size(size) => size.print(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}
