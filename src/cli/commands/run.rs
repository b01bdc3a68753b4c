//! `runner CONFIG…`: runs experiments.

use super::arms::{choose, of_all};
use super::folders::warn_of_nested;
use super::isolation::{isolation, worker_memory};
use super::load::load;
use super::memory::check_memory;
use super::on_end::{self, Outcome};
use super::output::{line, put};
use super::share::{Work, work};
use super::trace::check_traces;
use crate::analysis::SummaryTable;
use crate::analysis::comparison::{
    Comparison, Family, Rule, answers, compare, family, made_in_pairs,
};
use crate::cli::Failure;
use crate::cli::arguments::{ExperimentArguments, ProgressMode, RunArguments};
use crate::cli::message::show_plainly;
use crate::cli::progress::display;
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::answer::answer_lines;
use crate::present::terminal::{self, OverviewLine};
use crate::results::{Results, samples, trial_errors};
use crate::run::{
    Conclusion, Ended, Observer, OwnPlugins, ResultsFolder, SessionOptions, TimeLimit,
    run_experiment,
};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::notice::{Level, Notice};
use crate::system::shell::shell_path;
use crate::words::count;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

pub(super) fn run(arguments: &RunArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    run_then(arguments, &arguments.experiments, interrupt, |_| Ok(()), |_, exit| Ok(exit))
}

/// Runs experiments, and then calls `then` with the plans and the exit code so far, which returns
/// that of the command. Runs nothing if `first` returns an error for the plans.
pub(super) fn run_then(
    arguments: &RunArguments,
    experiments: &ExperimentArguments,
    interrupt: &Interrupt,
    first: impl FnOnce(&[Plan]) -> Result<(), Failure>,
    then: impl FnOnce(&[Plan], Exit) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let started = Instant::now();
    on_end::check(arguments.on_end.as_deref())?;
    check_events(arguments)?;
    warn_of_nested(&arguments.out);
    let isolation = isolation(&arguments.isolation, &experiments.plugins)?;
    let worker = worker_memory(&arguments.isolation)?;
    let loaded = load(experiments, &isolation.plugin_loader(interrupt));
    if let Some(exit) = interrupted_early(interrupt) {
        return Ok(exit);
    }
    let mut plans = loaded?;
    check_plan(&plans, arguments)?;
    first(&plans)?;
    let arms = choose(&arguments.arms, &mut plans)?;
    let share = match work(&plans, arguments)? {
        Work::Run(share) => share,
        Work::Over => return Ok(Exit::Done),
    };
    let options = SessionOptions {
        share,
        arms,
        isolation,
        jobs: arguments.jobs.number(),
        interrupt: interrupt.clone(),
        time_limit: arguments
            .time_limit
            .map_or_else(TimeLimit::default, |time| TimeLimit::after(started, time)),
        accept_plugin_change: arguments.accept_plugin_change,
        retry_failed: arguments.retry_failed,
        keep_going: arguments.keep_going,
        ..SessionOptions::new(&arguments.out)
    };
    check_traces(&plans, &arguments.out)?;
    check_memory(&plans, options.jobs, worker)?;
    note_plugins(&plans);
    let on_end = arguments.on_end.as_deref();
    let mut display = display(arguments.progress, arguments.generation_events);
    let ended = run_all(&plans, &options, on_end, display.as_mut());
    let ended = ended.and_then(|exit| then(&plans, exit));
    // The failure is printed first: the problems are destroyed later, and that is plugin code
    // again.
    let exit = ended.unwrap_or_else(|failure| failure.print());
    guard::done(exit.code());
    Ok(exit)
}

/// Tells that a command is interrupted before its first trial. Returns the exit code; `None` if it
/// is not interrupted.
pub(super) fn interrupted_early(interrupt: &Interrupt) -> Option<Exit> {
    interrupt.is_raised().then(|| {
        message!("Interrupted before the first trial. Run the same command again to continue.");
        Exit::Interrupted
    })
}

/// Checks that events of generations are events.
fn check_events(arguments: &RunArguments) -> Result<(), Failure> {
    match arguments.generation_events {
        Some(interval) if arguments.progress != ProgressMode::Json => Err(Failure::usage(format!(
            "--generation-events {interval}: only JSON lines have events of generations; add \
            --progress json"
        ))),
        _ => Ok(()),
    }
}

/// Records the plugins that the user runs, so that commands such as `runner replay` may load them.
pub(super) fn note_plugins(plans: &[Plan]) {
    let own = OwnPlugins::of_user();
    for plan in plans {
        own.note(&plan.library);
        plan.operator_libraries.iter().for_each(|one| own.note(&one.library));
    }
}

/// Checks that the experiment is still the one that was submitted.
pub(super) fn check_plan(plans: &[Plan], arguments: &RunArguments) -> Result<(), Failure> {
    let Some(submitted) = &arguments.plan else { return Ok(()) };
    if let [_, other, ..] = plans {
        return Err(Failure::usage(format!(
            "--plan {submitted}: it names one experiment, and {} is another; give one config",
            other.source.path.display()
        )));
    }
    match plans.iter().find(|plan| plan.identity() != *submitted) {
        None => Ok(()),
        Some(plan) => Err(other_plan(&plan.source.path, &plan.identity(), submitted)),
    }
}

/// Returns the failure of a file whose meaning has changed since it was submitted.
pub(super) fn other_plan(path: &Path, now: &str, submitted: &str) -> Failure {
    Failure::usage(format!(
        "{}: this is not the experiment that was submitted: its plan is {now} now and was \
        {submitted} then, so the config, a flag, a plugin or the runner is not the same; put back \
        what was changed, or submit the experiment again",
        path.display()
    ))
}

/// Runs the experiments one after the other.
fn run_all(
    plans: &[Plan],
    options: &SessionOptions,
    on_end: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Exit, Failure> {
    let (mut exit, mut lines) = (Exit::Done, Vec::new());
    for plan in plans {
        let ended = run_experiment(plan, options, observer).map_err(Failure::from);
        let outcome = ended.as_ref().map_or(Outcome::Failed, Outcome::of);
        let shown = ended.and_then(|ended| show(plan, options, ended, &mut lines));
        if let Some(command) = on_end {
            let exit = shown.as_ref().map_or_else(|failure| failure.exit, |exit| *exit);
            on_end::run(command, plan, options, outcome, exit);
        }
        exit = exit.worse(shown?);
        if exit == Exit::Interrupted {
            break;
        }
    }
    if lines.len() > 1 {
        put(&terminal::overview(&lines, terminal::width()));
    }
    Ok(exit)
}

/// Prints the ending of an experiment. Adds a finished one to the overview.
fn show(
    plan: &Plan,
    options: &SessionOptions,
    ended: Ended,
    lines: &mut Vec<OverviewLine>,
) -> Result<Exit, Failure> {
    match ended {
        Ended::Finished(mut conclusion) => {
            let mut chosen = options.arms.chosen(&plan.arms).into_iter();
            conclusion.summary.rows.retain(|_| chosen.next().unwrap_or(true));
            let (exit, line) = show_conclusion(plan, &conclusion)?;
            lines.push(line);
            Ok(exit)
        }
        Ended::Partial { folder, chosen, .. } => show_partial(plan, &folder, &chosen),
        Ended::ShardDone { folder, trials } => {
            if let Some(share) = &options.share {
                let out = &options.results.shown;
                let out = (out != Path::new("results")).then_some(out.as_path());
                put(&terminal::shard_conclusion(plan, share, trials, &folder.shown, out));
            }
            Ok(Exit::Done)
        }
        Ended::AllFailed { folder, trials } => {
            show_errors(&Results::open(&folder.path)?, &folder.shown)?;
            let again = shell_path(&plan.source.path);
            message!(
                "{}: stopped, because all of the first {} trials failed; correct the cause and run \
                `runner {again} --retry-failed`, or give --keep-going to run the others too",
                plan.name,
                count(trials),
            );
            Ok(Exit::SomeFailed)
        }
        Ended::Interrupted { is_time_up, .. } => {
            let why = if is_time_up { "The time limit is reached" } else { "Interrupted" };
            message!("{why}; finished trials are saved. Run the same command again to continue.");
            Ok(Exit::Interrupted)
        }
    }
}

/// Shows the requested arms of an experiment that lacks trials of other arms.
fn show_partial(plan: &Plan, folder: &ResultsFolder, chosen: &[bool]) -> Result<Exit, Failure> {
    let all = Results::open(&folder.path)?;
    let everywhere = all.summary()?.all_trials();
    let results = all.only(chosen)?;
    let summary = results.summary()?;
    let others = everywhere - summary.all_trials();
    let exit = failures(&results, &summary, &folder.shown)?;
    put(&terminal::partial_conclusion(plan, &summary, &of_all(chosen), others, terminal::width()));
    Ok(exit)
}

/// Shows a finished experiment: its answer, its summary, advice, and the errors of its trials. Also
/// returns its line of the overview.
pub(super) fn show_conclusion(
    plan: &Plan,
    conclusion: &Conclusion,
) -> Result<(Exit, OverviewLine), Failure> {
    let Conclusion { folder: ResultsFolder { path, shown }, summary, state, other_build } =
        conclusion;
    let exit = failures(&Results::open(path)?, summary, shown)?;
    let (compared, answer) = compared(path, shown, summary);
    let answer = terminal::decided(plan, state).unwrap_or(answer);
    put(&terminal::conclusion(plan, summary, &answer, state, shown, terminal::width()));
    if let Some(words) = other_build {
        warning!("{words}");
    }
    for line in terminal::advice(plan, summary, &compared, shown) {
        note!("{line}");
    }
    line!();
    Ok((exit, OverviewLine::new(summary, &answer)))
}

/// Shows the reasons of failed trials, if any failed.
fn failures(results: &Results, summary: &SummaryTable, shown: &Path) -> Result<Exit, Failure> {
    let figures = || summary.rows.iter().map(|row| &row.figures);
    if !figures().any(|figures| figures.failures > 0 || figures.timed_out > 0) {
        return Ok(Exit::Done);
    }
    let failed = show_errors(results, shown)? || figures().any(|figures| figures.failures > 0);
    Ok(if failed { Exit::SomeFailed } else { Exit::Done })
}

/// Shows each kind of trial error. Returns whether there is any.
fn show_errors(results: &Results, shown: &Path) -> Result<bool, Failure> {
    let errors = trial_errors(results)?;
    for words in terminal::trial_error_messages(&errors, shown) {
        show_plainly(&Notice::new(Level::Warning, words));
    }
    Ok(!errors.errors.is_empty())
}

/// Maximum number of trials that are read again for advice. More would prolong the end of a run and
/// need more memory; `runner compare` reads any number.
const MANY_TRIALS: u64 = 1_000_000;

/// Returns the comparisons of the arms, as in `runner compare`, and the answer. With too many
/// trials or pairs there are no comparisons, and the answer names the commands that make them.
fn compared(folder: &Path, shown: &Path, summary: &SummaryTable) -> (Vec<Comparison>, Vec<String>) {
    if summary.rows.len() < 2 {
        return Default::default();
    }
    let shown = shell_path(shown);
    let trials: u64 = summary.rows.iter().map(|row| row.figures.trials).sum();
    if trials > MANY_TRIALS {
        let arms = summary.rows.iter().map(|row| row.arm.settings.problem_toml());
        let has_rivals = arms.collect::<BTreeSet<_>>().len() < summary.rows.len();
        let words = has_rivals.then(|| format!("`runner compare {shown}` compares the arms."));
        return (Vec::new(), Vec::from_iter(words));
    }
    // Only advice depends on it. The tables are written, and commands that read them report their
    // errors.
    let samples = Results::open(folder).and_then(|results| samples(&results)).unwrap_or_default();
    let Family { pairs, rule } = family(&samples, false);
    if rule == Rule::EveryTwo {
        let compared = compare(&pairs, made_in_pairs(&pairs));
        let answer = answer_lines(&answers(&samples, &compared), &compared);
        return (compared, answer);
    }
    let mut problems: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sample in &samples {
        problems.entry(&sample.problem).or_default().insert(&sample.operators);
    }
    let shared = problems.values().filter(|operators| operators.len() > 1).count();
    let words = match shared {
        2.. => format!(
            "`runner rank {shown}` ranks the operator sets over {} problems, and `runner compare` \
            compares the arms on each of them.",
            count(shared as u64)
        ),
        _ => format!("`runner compare {shown}` compares the arms."),
    };
    (Vec::new(), Vec::from_iter((!pairs.is_empty()).then_some(words)))
}
