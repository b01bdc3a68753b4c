//! Commands: what each subcommand does, from parsed arguments to exit code.

mod again;
mod certify;
mod check;
mod compare;
mod completions;
mod export;
mod init;
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
mod room;
mod run;
mod runtimes;
mod sample;
mod schema;
mod show;
mod terminal;
mod verify;
mod worker;

use crate::cli::{Cli, Command};
use crate::exit::Exit;
use std::io::ErrorKind;

/// Does what the command line asks for.
#[must_use]
pub fn dispatch(cli: &Cli) -> Exit {
    if let Err(error) = crate::interrupt::outlive_file_limits() {
        message!("warning: a limit on the size of files will end the program at once: {error}");
    }
    let exit = obey(cli);
    match output_of(cli) {
        Product::Text => delivered(exit),
        Product::Files => exit,
    }
}

/// Prints what the parser of the command line answers: help, the version, or what is wrong.
#[must_use]
pub fn explain(answer: &clap::Error) -> Exit {
    let written = answer.print();
    if answer.use_stderr() {
        return Exit::Usage;
    }
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => unwritable(&error),
        _ => delivered(Exit::Done),
    }
}

/// What a command is run for.
enum Product {
    /// What it prints to standard output: where that is lost, all is.
    Text,
    /// Files, or a project; what it prints tells of them.
    Files,
}

fn output_of(cli: &Cli) -> Product {
    match &cli.command {
        None
        | Some(
            Command::Merge(_)
            | Command::Report(_)
            | Command::Export(_)
            | Command::Init(_)
            | Command::New(_)
            | Command::Worker(_),
        ) => Product::Files,
        Some(Command::Plot(arguments)) if !arguments.terminal => Product::Files,
        Some(Command::Sample(arguments)) if arguments.out.is_some() => Product::Files,
        Some(_) => Product::Text,
    }
}

/// How a command ends whose product is what it printed.
fn delivered(exit: Exit) -> Exit {
    crate::output::finish().map_or_else(|error| exit.worse(unwritable(&error)), |()| exit)
}

fn unwritable(error: &std::io::Error) -> Exit {
    message!("error: standard output cannot be written: {error}; check where it leads, and the free space there");
    Exit::Results
}

fn obey(cli: &Cli) -> Exit {
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
        Some(Command::Schema(arguments)) => schema::schema(arguments),
        Some(Command::Init(arguments)) => init::init(arguments),
        Some(Command::New(arguments)) => new::new(arguments),
        Some(Command::Completions { shell }) => completions::completions(*shell),
    }
}
