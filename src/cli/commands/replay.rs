//! `runner replay`: runs one trial again and shows each improvement with its board.

use super::open_replay::open_replay;
use super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::ReplayArguments;
use crate::exit::Exit;
use crate::plan::{Arm, find_arm, listed};
use crate::present::format::with_violation;
use crate::problem::{CallError, Format};
use crate::record::{Improvement, TrialRecord};
use crate::run::{Difference, Replay, differences};
use crate::system::shell::{shell_path, shell_word};

pub(super) fn replay(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    let replay = open_replay(&arguments.folder, &arguments.plugins)?;
    let Some((name, trial)) = arguments.arm.as_ref().zip(arguments.trial) else {
        return Err(without_trial(arguments, &replay.plan.arms));
    };
    let place =
        find_arm(&replay.plan.arms, name).map_err(|error| Failure::usage(error.to_string()))?;
    let arm = &replay.plan.arms[place];
    let record = replay.trial(arm, trial);
    line!("{} trial {trial}, seed {}", arm.label, record.seed);
    for improvement in &record.improvements {
        show(arm, improvement)?;
    }
    line!(
        "{} after {} generations and {} evaluations, best fitness {}",
        record.outcome,
        record.generations,
        record.evaluations,
        with_violation(
            record.best_fitness.map_or_else(|| "none".to_owned(), |best| best.to_string()),
            record.best_violation
        )
    );
    if let Some(error) = &record.error {
        line!("{error}");
    }
    compare(&replay, arm, trial, &record)
}

/// Returns the error for a missing trial: the arms, and a command that replays a trial of one.
fn without_trial(arguments: &ReplayArguments, arms: &[Arm]) -> Failure {
    let first = arguments.arm.as_deref().unwrap_or(&arms[0].label);
    let labels: Vec<String> = arms.iter().map(|arm| arm.label.clone()).collect();
    Failure::usage(format!(
        "name an arm and the number of a trial, as in `runner replay {} {} 0`; {}",
        shell_path(&arguments.folder),
        shell_word(first),
        listed(&labels)
    ))
}

/// Prints an improvement, with the genome as the plugin renders it.
fn show(arm: &Arm, improvement: &Improvement) -> Result<(), CallError> {
    let Improvement { generation, evaluations, fitness, violation, genome } = improvement;
    let fitness = with_violation(fitness.to_string(), *violation);
    line!("generation {generation}, evaluation {evaluations}: fitness {fitness}");
    let text = match arm.problem.render(genome, Format::Board)? {
        Some(board) => board,
        None => {
            let line = arm.problem.render(genome, Format::Line)?;
            line.unwrap_or_else(|| arm.problem.genes_text(genome))
        }
    };
    text.trim_end_matches('\n').lines().for_each(|row| line!("  {row}"));
    Ok(())
}

/// Compares the trial with its row in the table, and prints the differences.
fn compare(replay: &Replay, arm: &Arm, trial: u64, record: &TrialRecord) -> Result<Exit, Failure> {
    let Some(recorded) = replay.recorded(arm, trial)? else {
        note!("the tables do not contain this trial");
        return Ok(Exit::Done);
    };
    let found = differences(&recorded, record);
    if found.is_empty() {
        note!("the same as in the table");
        return Ok(Exit::Done);
    }
    let words: Vec<String> = found.iter().map(Difference::to_string).collect();
    warning!("different from the table: {}", words.join("; "));
    replay.changes().iter().for_each(|change| note!("{change}"));
    Ok(Exit::SomeFailed)
}
