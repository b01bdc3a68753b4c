//! `runner round`: takes in a finished round of an experiment with a stopping rule in `repeats`. It
//! then submits the next round or writes the tables. Jobs of `runner submit slurm` run it.

use super::isolation::isolation;
use super::load::load;
use super::output::line;
use super::run::{check_plan, show_conclusion};
use super::slurm_jobs::submit_to_slurm;
use crate::cli::arguments::{ProgressMode, RoundArguments, RunArguments};
use crate::cli::progress::display;
use crate::cli::{Cli, Failure};
use crate::cluster::{Submission, slurm};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::results::RoundFile;
use crate::run::{Advance, SessionOptions, advance};
use crate::system::interrupt::Interrupt;
use crate::words::counted;
use clap::Parser;
use std::ffi::OsString;

pub(super) fn round(arguments: &RoundArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let submission = Submission::read(&arguments.folder)?;
    let run = run_arguments(&submission)?;
    let isolation = isolation(&run.isolation, &run.experiments.plugins)?;
    let plans = load(&run.experiments, &isolation.plugin_loader(interrupt))?;
    check_plan(&plans, &run)?;
    let [plan] = &plans[..] else {
        return Err(Failure::usage("a submission is of one experiment; submit it again"));
    };
    let options = SessionOptions {
        isolation,
        interrupt: interrupt.clone(),
        accept_plugin_change: run.accept_plugin_change,
        ..SessionOptions::new(&run.out)
    };
    go_on(plan, submission, &options, Some(arguments.after))
}

/// Returns the arguments of a run of the submitted experiment.
fn run_arguments(submission: &Submission) -> Result<RunArguments, Failure> {
    let plan = format!("--plan={}", submission.plan);
    let mut words: Vec<OsString> = vec!["runner".into(), (&submission.config).into()];
    words.extend([plan.into(), "--out".into(), (&submission.out).into()]);
    words.extend(submission.arguments.iter().map(OsString::from));
    let parsed = Cli::try_parse_from(words);
    parsed.map(|cli| cli.run).map_err(|error| {
        Failure::usage(format!(
            "{}: this runner cannot parse its arguments: {error}; submit the experiment again",
            submission.folder().display()
        ))
    })
}

/// Takes in the round `after`, if there is one. Then submits the next round, or the missing shards
/// of the current one. Shows the tables once the question is answered.
pub(super) fn go_on(
    plan: &Plan,
    mut submission: Submission,
    options: &SessionOptions,
    after: Option<u32>,
) -> Result<Exit, Failure> {
    let mut observer = display(ProgressMode::None, None);
    let next = advance(plan, options, submission.shards, after, observer.as_mut())?;
    let RoundFile { shards, round } = match next {
        Advance::Finished(conclusion) => return Ok(show_conclusion(plan, &conclusion)?.0),
        Advance::Next(file) => file,
    };
    if shards != submission.shards {
        return Err(Failure::usage(format!(
            "--shards {}: round {} of `{}` has begun with {shards}; give --shards {shards}",
            submission.shards, round.number, plan.name
        )));
    }
    let submitted = submission.jobs.iter().any(|job| job.round == Some(round.number));
    if after.is_some() && submitted {
        line!("{}: round {} was submitted already", plan.name, round.number);
        return Ok(Exit::Done);
    }
    submission.round = Some(round.number);
    let missing = submission.missing(false)?;
    submission.write(&slurm::scripts(&submission, &missing)?)?;
    line!("{}: round {}, {}", plan.name, round.number, counted(round.total(), "trial"));
    submit_to_slurm(&mut submission, &missing)?;
    Ok(Exit::Done)
}
