//! Commands: each subcommand, from parsed arguments to the exit code.

mod arms;
mod certify;
mod challenge;
mod check;
mod compare;
mod comparison;
mod completions;
mod conformance;
mod diff;
mod export;
mod folders;
mod gate;
mod import;
mod init;
mod isolation;
mod launch;
mod load;
mod man;
mod memory;
mod merge;
mod new;
mod on_end;
mod open_replay;
mod operators;
mod output;
mod pack;
mod plot;
mod plugins;
mod power;
mod rank;
mod replay;
mod report;
mod round;
mod run;
mod runtimes;
mod sample;
mod schema;
mod serve;
mod share;
mod show;
mod show_tuning;
mod slurm_jobs;
mod sorting;
mod status;
mod submit;
mod suite;
mod target;
mod target_request;
mod times;
mod trace;
mod tune;
mod verify;
mod within;
mod worker;

use crate::cli::arguments::{IsolationArguments, IsolationMode, ProgressMode};
use crate::cli::progress::silence;
use crate::cli::{Cli, Command, Failure, message};
use crate::exit::Exit;
#[cfg(unix)]
use crate::system::guard;
use crate::system::interrupt::{Interrupt, Signals};
use crate::system::streams;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// Environment variables that choose how evaluations are computed, with their rules and values. No
/// result depends on them.
const VARIABLES: [(&str, &str, &[&str]); 2] = [
    ("RUNNER_MOVES", "`on`, `off` or `checked`", &["on", "off", "checked"]),
    ("RUNNER_VECTORS", "`plain`, `avx2` or `avx512`", &["plain", "avx2", "avx512"]),
];

/// Runs the command. A guard watches over it if plugins run in this process. The caller must have
/// only one thread.
#[must_use]
pub fn start(cli: &Cli, signals: io::Result<Signals>) -> ExitCode {
    // `launch` becomes another program, so the rest is not for it. The standard streams of a worker
    // are its connection and its board, which it keeps itself.
    if matches!(cli.command, Some(Command::Launch(_))) {
        return dispatch(cli, &Interrupt::default()).into();
    }
    if !matches!(cli.command, Some(Command::Worker(_))) {
        streams::keep();
    }
    #[cfg(unix)]
    if let Ok(program) = std::env::current_exe() {
        crate::problem::start_through(program);
    }
    match progress(cli) {
        ProgressMode::Json => message::use_json_lines(),
        ProgressMode::None => silence(),
        _ => {}
    }
    #[cfg(unix)]
    guard::report_with(guard::Reporter { show: message::show, line: message::line });
    let signals = signals.unwrap_or_else(|error| {
        warning!("Ctrl-C will end the program immediately, without a summary: {error}");
        Signals::default()
    });
    match cli.command {
        None | Some(Command::Serve(_) | Command::Challenge(_)) => {}
        Some(Command::Tune(_) | Command::Suite(_)) => {}
        // The run ends its workers. Programs that their plugins start get the default dispositions,
        // because handlers do not survive `exec`.
        #[cfg(unix)]
        Some(Command::Worker(_)) => signals.leave_to_the_guard(),
        Some(_) => signals.leave_to_the_system(),
    }
    if let Err(error) = crate::system::interrupt::survive_failed_writes() {
        warning!("a file size limit will end the program immediately: {error}");
    }
    let interrupt = signals.interrupt();
    #[cfg(unix)]
    if let Some(duty) = duty(cli) {
        return guard::over(duty, &signals, || dispatch(cli, &interrupt));
    }
    dispatch(cli, &interrupt).into()
}

/// Returns the way in which the command shows its progress.
fn progress(cli: &Cli) -> ProgressMode {
    match &cli.command {
        None => cli.run.progress,
        Some(Command::Suite(arguments)) => arguments.run.progress,
        Some(Command::Tune(arguments)) => arguments.progress,
        Some(Command::Worker(arguments)) if arguments.json => ProgressMode::Json,
        Some(_) => ProgressMode::Auto,
    }
}

/// Returns the guard's duty for a command that opens plugins, here or in other processes; `None`
/// for other commands.
#[cfg(unix)]
fn duty(cli: &Cli) -> Option<crate::system::guard::Duty> {
    use crate::system::guard::Duty;
    let run = |isolation: &IsolationArguments| match isolation.mode {
        IsolationMode::Thread => Duty::Run,
        IsolationMode::Process => Duty::Isolated,
    };
    match &cli.command {
        None => Some(run(&cli.run.isolation)),
        Some(Command::Challenge(arguments)) => Some(run(&arguments.isolation)),
        Some(Command::Suite(arguments)) => Some(run(&arguments.run.isolation)),
        Some(Command::Tune(arguments)) => Some(run(&arguments.isolation)),
        Some(Command::Serve(_)) => Some(Duty::Serve),
        Some(
            Command::Check(_)
            | Command::Submit(_)
            | Command::Conformance(_)
            | Command::Plugins(_)
            | Command::Operators(_)
            | Command::Init(_)
            | Command::Round(_)
            | Command::Schema(_)
            | Command::Sample(_)
            | Command::Verify(_)
            | Command::Replay(_)
            | Command::Plot(_)
            | Command::Report(_)
            | Command::Pack(_)
            | Command::Target(_),
        ) => Some(Duty::Other),
        // They open no plugin, but for the worker, whose run watches it.
        Some(
            Command::Certify(_)
            | Command::Show(_)
            | Command::Compare(_)
            | Command::Rank(_)
            | Command::Runtimes(_)
            | Command::Power(_)
            | Command::Export(_)
            | Command::Import(_)
            | Command::Diff(_)
            | Command::Gate(_)
            | Command::Merge(_)
            | Command::Status(_)
            | Command::New(_)
            | Command::Worker(_)
            | Command::Launch(_)
            | Command::Completions { .. }
            | Command::Man { .. },
        ) => None,
    }
}

/// Runs the command. A run ends early if `interrupt` is raised.
#[must_use]
fn dispatch(cli: &Cli, interrupt: &Interrupt) -> Exit {
    let exit = check_variables().and_then(|()| obey(cli, interrupt));
    let exit = exit.unwrap_or_else(|failure| failure.print());
    match output_of(cli) {
        Product::Text => delivered(exit),
        Product::Files => {
            // The files exist, so lost output does not matter.
            _ = crate::system::output::finish();
            exit
        }
    }
}

/// Refuses values of environment variables that would be ignored.
fn check_variables() -> Result<(), Failure> {
    for (name, rule, values) in VARIABLES {
        let given = std::env::var_os(name).filter(|given| !given.is_empty());
        let Some(given) = given.filter(|given| !values.iter().any(|value| given == value)) else {
            continue;
        };
        return Err(Failure::usage(format!(
            "the environment variable {name} is `{}`: it is {rule}; correct it, or unset it",
            given.display()
        )));
    }
    Ok(())
}

/// Prints the answer of the command line parser: help, the version, or an error.
#[must_use]
pub fn explain(answer: &clap::Error) -> Exit {
    if answer.use_stderr() && message::asks_for_json_lines(std::env::args_os()) {
        message::use_json_lines();
        let text = answer.render().to_string();
        return Failure::usage(text.trim_start_matches("error: ").trim_end()).print();
    }
    let written = answer.print();
    if answer.use_stderr() {
        return Exit::Usage;
    }
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => unwritable(&error),
        _ => delivered(Exit::Done),
    }
}

/// Product of a command.
enum Product {
    /// Text on standard output. If it is lost, the command failed.
    Text,
    /// Files or a project. The printed text only describes them.
    Files,
}

fn output_of(cli: &Cli) -> Product {
    match &cli.command {
        None
        | Some(
            Command::Suite(_)
            | Command::Tune(_)
            | Command::Merge(_)
            | Command::Round(_)
            | Command::Report(_)
            | Command::Pack(_)
            | Command::Export(_)
            | Command::Import(_)
            | Command::Init(_)
            | Command::New(_)
            | Command::Man { .. }
            | Command::Worker(_)
            | Command::Launch(_),
        ) => Product::Files,
        Some(Command::Submit(arguments)) if !arguments.prints() => Product::Files,
        Some(Command::Plot(arguments)) if !arguments.terminal => Product::Files,
        Some(Command::Sample(arguments)) if arguments.out.is_some() => Product::Files,
        Some(
            Command::Submit(_)
            | Command::Plot(_)
            | Command::Sample(_)
            | Command::Check(_)
            | Command::Target(_)
            | Command::Plugins(_)
            | Command::Operators(_)
            | Command::Certify(_)
            | Command::Conformance(_)
            | Command::Show(_)
            | Command::Compare(_)
            | Command::Rank(_)
            | Command::Runtimes(_)
            | Command::Power(_)
            | Command::Serve(_)
            | Command::Diff(_)
            | Command::Gate(_)
            | Command::Status(_)
            | Command::Verify(_)
            | Command::Challenge(_)
            | Command::Replay(_)
            | Command::Schema(_)
            | Command::Completions { .. },
        ) => Product::Text,
    }
}

/// Returns the exit code of a command whose product is the printed text.
fn delivered(exit: Exit) -> Exit {
    match crate::system::output::finish() {
        Ok(()) => exit,
        Err(error) if exit == Exit::Interrupted => exit.worse(unwritable(&error)),
        Err(error) => unwritable(&error),
    }
}

fn unwritable(error: &std::io::Error) -> Exit {
    let words = "check where it goes and whether there is free space";
    Failure::results(format!("cannot write to standard output: {error}; {words}")).print()
}

fn obey(cli: &Cli, interrupt: &Interrupt) -> Result<Exit, Failure> {
    match &cli.command {
        None => run::run(&cli.run, interrupt),
        Some(Command::Check(arguments)) => check::check(arguments),
        Some(Command::Tune(arguments)) => tune::tune(arguments, interrupt),
        Some(Command::Target(arguments)) => target::target(arguments, interrupt),
        Some(Command::Plugins(arguments)) => plugins::plugins(arguments),
        Some(Command::Operators(arguments)) => operators::operators(arguments),
        Some(Command::Certify(arguments)) => certify::certify(arguments),
        Some(Command::Conformance(arguments)) => conformance::conformance(arguments, interrupt),
        Some(Command::Show(arguments)) => show::show(arguments),
        Some(Command::Compare(arguments)) => compare::compare(arguments),
        Some(Command::Rank(arguments)) => rank::rank(arguments),
        Some(Command::Suite(arguments)) => suite::suite(arguments, interrupt),
        Some(Command::Diff(arguments)) => diff::diff(arguments),
        Some(Command::Gate(arguments)) => gate::gate(arguments),
        Some(Command::Runtimes(arguments)) => runtimes::runtimes(arguments),
        Some(Command::Power(arguments)) => power::power(arguments),
        Some(Command::Plot(arguments)) => plot::plot(arguments),
        Some(Command::Merge(arguments)) => merge::merge(arguments),
        Some(Command::Round(arguments)) => round::round(arguments, interrupt),
        Some(Command::Status(arguments)) => status::status(arguments),
        Some(Command::Submit(arguments)) => submit::submit(arguments, interrupt),
        Some(Command::Sample(arguments)) => sample::sample(arguments),
        Some(Command::Verify(arguments)) => verify::verify(arguments),
        Some(Command::Challenge(arguments)) => challenge::challenge(arguments, interrupt),
        Some(Command::Report(arguments)) => report::report(arguments),
        Some(Command::Pack(arguments)) => pack::pack(arguments),
        Some(Command::Serve(arguments)) => serve::serve(arguments, interrupt),
        Some(Command::Export(arguments)) => export::export(arguments),
        Some(Command::Import(arguments)) => import::import(arguments),
        Some(Command::Replay(arguments)) => replay::replay(arguments),
        Some(Command::Worker(arguments)) => worker::worker(arguments),
        Some(Command::Launch(arguments)) => launch::launch(arguments),
        Some(Command::Schema(arguments)) => schema::schema(arguments),
        Some(Command::Init(arguments)) => init::init(arguments),
        Some(Command::New(arguments)) => new::new(arguments),
        Some(Command::Completions { shell }) => Ok(completions::completions(*shell)),
        Some(Command::Man { folder }) => man::man(folder),
    }
}
