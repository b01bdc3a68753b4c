//! Share of the trials that a run does: all, a shard, or a shard of a round.

use crate::cli::Failure;
use crate::cli::arguments::RunArguments;
use crate::plan::Plan;
use crate::plan::round::Share;
use crate::plan::shard::Shard;
use crate::results::RoundFile;

/// Work that `--shard` and `--round` ask for.
pub(super) enum Work {
    /// Share of the trials; `None` for all trials.
    Run(Option<Share>),
    /// The trials of the round were already taken in.
    Over,
}

/// Returns the work of this run.
///
/// # Errors
/// Returns an error if an experiment with a stopping rule has a shard but no round, or the round is
/// not that of the experiment.
pub(super) fn work(plans: &[Plan], arguments: &RunArguments) -> Result<Work, Failure> {
    let Some(shard) = arguments.shard else { return Ok(Work::Run(None)) };
    match arguments.round {
        Some(number) => in_round(plans, arguments, shard, number),
        None => of_all(plans, shard),
    }
}

/// Returns a shard of all trials.
///
/// # Errors
/// Returns an error if an experiment has a stopping rule, because a shard cannot apply it.
fn of_all(plans: &[Plan], shard: Shard) -> Result<Work, Failure> {
    match plans.iter().find(|plan| plan.stopping_rule.is_some()) {
        None => Ok(Work::Run(Some(Share::of_all(shard)))),
        Some(plan) => Err(Failure::usage(format!(
            "{}: a shard does not know the trials of the other shards, so it cannot apply the \
            stopping rule in `repeats`; give a number of trials, such as --repeats 1000, or let \
            `runner submit slurm` run it in rounds",
            plan.source.path.display()
        ))),
    }
}

fn in_round(
    plans: &[Plan],
    arguments: &RunArguments,
    shard: Shard,
    number: u32,
) -> Result<Work, Failure> {
    let [plan] = plans else {
        return Err(Failure::usage(format!(
            "--round {number}: a round is one experiment's, and these are {}; give one file",
            plans.len()
        )));
    };
    let folder = arguments.out.join(&plan.name);
    let file = RoundFile::read(&folder).map_err(Failure::from)?;
    let (shown, file) = match file {
        Some(file) if file.round.number == number => (folder.display(), file),
        Some(file) if file.round.number > number => {
            let now = file.round.number;
            note!("{}: round {number} is over; this is round {now}", folder.display());
            return Ok(Work::Over);
        }
        Some(file) => {
            return Err(Failure::usage(format!(
                "--round {number}: {} is in round {}",
                folder.display(),
                file.round.number
            )));
        }
        None => {
            return Err(Failure::usage(format!(
                "--round {number}: {} is in no round; `runner submit slurm` begins one",
                folder.display()
            )));
        }
    };
    if file.round.trials.len() != plan.arms.len() {
        return Err(Failure::usage(format!(
            "{shown}: its round is of {} arms, and {} has {}; it changed since the round began: \
            submit it again",
            file.round.trials.len(),
            plan.source.path.display(),
            plan.arms.len()
        )));
    }
    if file.shards != shard.of {
        return Err(Failure::usage(format!(
            "--shard {shard}: round {number} of {shown} has {} shards",
            file.shards
        )));
    }
    Ok(Work::Run(Some(Share { shard, round: Some(file.round) })))
}
