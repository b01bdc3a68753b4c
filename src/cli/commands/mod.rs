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
use crate::system::guard::{self, Duty};
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
pub fn start(cli: &Cli, signals: io::Result<Signals>) -> ExitCode {
    // `launch` becomes another program, so the rest is not for it. The standard streams of a worker
    // are its connection and its board, which it keeps itself.
    let task = Task::of(cli);
    if matches!(cli.command, Some(Command::Launch(_))) {
        return task.dispatch(&Interrupt::default()).into();
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
    if let Some(duty) = task.duty {
        return guard::over(duty, &signals, || task.dispatch(&interrupt));
    }
    task.dispatch(&interrupt).into()
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

/// Duty of the guard, which other systems lack.
#[cfg(not(unix))]
enum Duty {
    Run,
    Isolated,
    Serve,
    Other,
}

/// Product of a command.
#[derive(Clone, Copy)]
enum Product {
    /// Text on standard output. If it is lost, the command failed.
    Text,
    /// Files or a project. The printed text only describes them.
    Files,
}

impl Product {
    fn files_if(writes: bool) -> Self {
        if writes { Product::Files } else { Product::Text }
    }
}

/// Function that runs a command.
type Run<'cli> = dyn FnOnce(&Interrupt) -> Result<Exit, Failure> + 'cli;

/// Command with its arguments, ready to run.
struct Task<'cli> {
    /// Duty of the guard over a command that opens plugins, here or in other processes. `None` if
    /// it opens none, or if its run watches it.
    duty: Option<Duty>,
    product: Product,
    run: Box<Run<'cli>>,
}

impl<'cli> Task<'cli> {
    fn new(
        duty: Option<Duty>,
        product: Product,
        run: impl FnOnce(&Interrupt) -> Result<Exit, Failure> + 'cli,
    ) -> Self {
        Task { duty, product, run: Box::new(run) }
    }

    /// Creates the task of the command.
    fn of(cli: &'cli Cli) -> Self {
        use Command as C;
        use Product::{Files, Text};
        let other = Some(Duty::Other);
        let searches = |isolation: &IsolationArguments| match isolation.mode {
            IsolationMode::Thread => Some(Duty::Run),
            IsolationMode::Process => Some(Duty::Isolated),
        };
        let Some(command) = &cli.command else {
            return Task::new(searches(&cli.run.isolation), Files, |it| run::run(&cli.run, it));
        };
        match command {
            C::Check(all) => Task::new(other, Text, |_| check::check(all)),
            C::Tune(all) => Task::new(searches(&all.isolation), Files, |it| tune::tune(all, it)),
            C::Target(all) => Task::new(other, Text, |it| target::target(all, it)),
            C::Plugins(all) => Task::new(other, Text, |_| plugins::plugins(all)),
            C::Operators(all) => Task::new(other, Text, |_| operators::operators(all)),
            C::Certify(all) => Task::new(None, Text, |_| certify::certify(all)),
            C::Conformance(all) => Task::new(other, Text, |it| conformance::conformance(all, it)),
            C::Show(all) => Task::new(None, Text, |_| show::show(all)),
            C::Compare(all) => Task::new(None, Text, |_| compare::compare(all)),
            C::Rank(all) => Task::new(None, Text, |_| rank::rank(all)),
            C::Suite(all) => {
                Task::new(searches(&all.run.isolation), Files, |it| suite::suite(all, it))
            }
            C::Diff(all) => Task::new(None, Text, |_| diff::diff(all)),
            C::Gate(all) => Task::new(None, Text, |_| gate::gate(all)),
            C::Runtimes(all) => Task::new(None, Text, |_| runtimes::runtimes(all)),
            C::Power(all) => Task::new(None, Text, |_| power::power(all)),
            C::Plot(all) => Task::new(other, Product::files_if(!all.terminal), |_| plot::plot(all)),
            C::Merge(all) => Task::new(None, Files, |_| merge::merge(all)),
            C::Round(all) => Task::new(other, Files, |it| round::round(all, it)),
            C::Status(all) => Task::new(None, Text, |_| status::status(all)),
            C::Submit(all) => {
                Task::new(other, Product::files_if(!all.prints()), |it| submit::submit(all, it))
            }
            C::Sample(all) => {
                Task::new(other, Product::files_if(all.out.is_some()), |_| sample::sample(all))
            }
            C::Verify(all) => Task::new(other, Text, |_| verify::verify(all)),
            C::Challenge(all) => {
                Task::new(searches(&all.isolation), Text, |it| challenge::challenge(all, it))
            }
            C::Report(all) => Task::new(other, Files, |_| report::report(all)),
            C::Pack(all) => Task::new(other, Files, |_| pack::pack(all)),
            C::Serve(all) => Task::new(Some(Duty::Serve), Text, |it| serve::serve(all, it)),
            C::Export(all) => Task::new(None, Files, |_| export::export(all)),
            C::Import(all) => Task::new(None, Files, |_| import::import(all)),
            C::Replay(all) => Task::new(other, Text, |_| replay::replay(all)),
            C::Worker(all) => Task::new(None, Files, |_| worker::worker(all)),
            C::Launch(all) => Task::new(None, Files, |_| launch::launch(all)),
            C::Schema(all) => Task::new(other, Text, |_| schema::schema(all)),
            C::Init(all) => Task::new(other, Files, |_| init::init(all)),
            C::New(all) => Task::new(None, Files, |_| new::new(all)),
            C::Completions { shell } => {
                Task::new(None, Text, |_| Ok(completions::completions(*shell)))
            }
            C::Man { folder } => Task::new(None, Files, |_| man::man(folder)),
        }
    }

    /// Runs the command. A run ends early if `interrupt` is raised.
    fn dispatch(self, interrupt: &Interrupt) -> Exit {
        let exit = check_variables().and_then(|()| (self.run)(interrupt));
        let exit = exit.unwrap_or_else(|failure| failure.print());
        match self.product {
            Product::Text => delivered(exit),
            Product::Files => {
                // The files exist, so lost output does not matter.
                _ = crate::system::output::finish();
                exit
            }
        }
    }
}
