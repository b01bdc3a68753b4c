//! `runner replay`: one trial again, each improvement with its board.

use super::again::{Again, comparable, difference};
use super::output::line;
use crate::cli::{Failure, ReplayArguments};
use crate::exit::Exit;
use crate::plan::Arm;
use crate::problem::{CallError, Format, Genome};
use crate::record::{Improvement, TrialRecord};
use crate::results::ResultsError;

pub fn replay(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    let again = Again::open(&arguments.folder, &arguments.plugins)?;
    let arm = again.arm(&arguments.arm).map_err(Failure::usage)?;
    let trial = arguments.trial;
    let record = again.trial(arm, trial);
    line!("{} trial {trial}, seed {}", arm.label, record.seed);
    for improvement in &record.improvements {
        show(arm, improvement)?;
    }
    line!(
        "{} after {} generations and {} evaluations, best fitness {}",
        record.outcome,
        record.generations,
        record.evaluations,
        record.best_fitness.map_or_else(|| "none".to_owned(), |best| best.to_string())
    );
    if let Some(error) = &record.error {
        line!("{error}");
    }
    Ok(compare(&again, arm, trial, &record)?)
}

/// An improvement, and the genome as the plugin shows it.
fn show(arm: &Arm, improvement: &Improvement) -> Result<(), CallError> {
    let Improvement { generation, evaluations, fitness, genome } = improvement;
    line!("generation {generation}, evaluation {evaluations}: fitness {fitness}");
    let text = match arm.problem.render(genome, Format::Board)? {
        Some(board) => board,
        None => arm.problem.render(genome, Format::Line)?.unwrap_or_else(|| genes(genome)),
    };
    text.trim_end_matches('\n').lines().for_each(|row| line!("  {row}"));
    Ok(())
}

fn genes(genome: &Genome) -> String {
    fn list<G: ToString>(genes: &[G]) -> String {
        genes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
    match genome {
        Genome::U8(genes) => list(genes),
        Genome::U16(genes) => list(genes),
        Genome::U32(genes) => list(genes),
        Genome::F64(genes) => list(genes),
    }
}

/// Whether the table says the same.
fn compare(
    again: &Again,
    arm: &Arm,
    trial: u64,
    record: &TrialRecord,
) -> Result<Exit, ResultsError> {
    let row = again.results.arms().iter().position(|row| row.id == arm.id());
    let mut then = None;
    if let Some(row) = row {
        let visit = |found: TrialRecord| -> Result<(), ResultsError> {
            if found.trial == trial {
                then = Some(found);
            }
            Ok(())
        };
        again.results.trials_of(row, visit)?;
    }
    let Some(then) = then else {
        message!("note: the tables do not have this trial");
        return Ok(Exit::Done);
    };
    match difference(&comparable(&then, 0), &comparable(record, 0)) {
        None => {
            message!("note: the same as in the table");
            Ok(Exit::Done)
        }
        Some(difference) => {
            message!("warning: not the same as in the table: {difference}");
            again.changes().iter().for_each(|change| message!("note: {change}"));
            Ok(Exit::SomeFailed)
        }
    }
}
