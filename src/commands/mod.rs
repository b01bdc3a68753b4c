//! Commands: what each subcommand does, from parsed arguments to exit code.

mod again;
mod certify;
mod check;
mod compare;
mod completions;
mod export;
mod load;
mod merge;
mod new;
mod operators;
mod output;
mod plan;
mod plot;
mod plugins;
mod replay;
mod report;
mod run;
mod runtimes;
mod sample;
mod show;
mod terminal;
mod verify;
mod worker;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

/// Does what the command line asks for.
#[must_use]
pub fn dispatch(cli: &Cli) -> Exit {
    match &cli.command {
        None => run::run(&cli.run),
        Some(Command::Check(arguments)) => check::check(arguments),
        Some(Command::Plugins(arguments)) => plugins::plugins(arguments),
        Some(Command::Operators(arguments)) => operators::operators(arguments),
        Some(Command::Certify(arguments)) => certify::certify(arguments),
        Some(Command::Show(arguments)) => show::show(arguments),
        Some(Command::Compare(arguments)) => compare::compare(arguments),
        Some(Command::Diff(arguments)) => compare::diff(arguments),
        Some(Command::Runtimes(arguments)) => runtimes::runtimes(arguments),
        Some(Command::Plan(arguments)) => plan::plan(arguments),
        Some(Command::Plot(arguments)) => plot::plot(arguments),
        Some(Command::Merge(arguments)) => merge::merge(arguments),
        Some(Command::Sample(arguments)) => sample::sample(arguments),
        Some(Command::Verify(arguments)) => verify::verify(arguments),
        Some(Command::Report(arguments)) => report::report(arguments),
        Some(Command::Export(arguments)) => export::export(arguments),
        Some(Command::Replay(arguments)) => replay::replay(arguments),
        Some(Command::Worker(arguments)) => worker::worker(arguments),
        Some(Command::New(arguments)) => new::new(arguments),
        Some(Command::Completions { shell }) => completions::completions(*shell),
    }
}
