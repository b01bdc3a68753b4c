//! Rounds: an experiment whose trials a question ends, run in shards elsewhere. Between two rounds
//! their trials are taken in and the question is asked again.

use crate::plan::round::Round;
use crate::plan::{Plan, ResultsSpec};
use crate::results::{RoundFile, remove_shared_folder, shard_state, take_in_round};
use crate::run::event::Observer;
use crate::run::session::{Conclusion, Ended, Missing, Session, SessionError, SessionOptions};
use std::ops::Range;

/// Result of taking in a round.
#[derive(Debug)]
pub enum Advance {
    /// These trials, in shards; the experiment's folder says so too.
    Next(RoundFile),
    /// The question is answered, and the tables are written.
    Finished(Box<Conclusion>),
}

/// Takes in the round that an experiment is in, if it is in one, and begins the next in `shards`
/// shards, or writes the tables. `after`: the number of the round that is to be taken in; if that
/// was done already, nothing is taken in. May be called again after it was cut short.
///
/// # Errors
/// Returns an error if shards of the round are missing or damaged, or the folder cannot be read or
/// written.
pub fn advance(
    plan: &Plan,
    options: &SessionOptions,
    shards: u64,
    after: Option<u32>,
    observer: &mut dyn Observer,
) -> Result<Advance, SessionError> {
    let folder = options.results.path.join(&plan.name);
    let current = RoundFile::read(&folder)?;
    if let Some(current) = &current {
        if after.is_none_or(|after| after < current.round.number) {
            return Ok(Advance::Next(current.clone()));
        }
        let spec = ResultsSpec::from(plan);
        take_in_round(&options.results.path, &spec, current, options.accept_plugin_change)?;
    }
    let session = Session::open(plan, options, observer)?;
    let advance = if session.missing().is_empty() {
        RoundFile::remove(&folder)?;
        match session.finish(observer)? {
            Ended::Finished(conclusion) => Advance::Finished(Box::new(conclusion)),
            other => unreachable!("no trial is missing: {other:?}"),
        }
    } else {
        let number = current.as_ref().map_or(0, |current| current.round.number) + 1;
        let trials = hulls(session.missing());
        let next = RoundFile { shards, round: Round { number, trials } };
        session.leave("round begun")?;
        // An earlier question whose last job was killed left a round of this number. Its trials
        // are in the tables, and nobody is at a round that has not begun.
        for leftover in next.shard_folders(&options.results.path, &plan.name) {
            // A shard that finds something else in its place reports it.
            let found = if leftover.is_dir() { shard_state(&leftover)? } else { None };
            if found.is_some_and(|one| one.round.as_ref() != Some(&next.round)) {
                remove_shared_folder(&leftover)?;
            }
        }
        next.write(&folder)?;
        Advance::Next(next)
    };
    if let Some(mut over) = current {
        // Their trials are in the experiment's folder; a task that a scheduler has lost may write
        // to them once more. A process that was killed here left those of the round before.
        for number in [over.round.number, over.round.number - 1] {
            over.round.number = number;
            let folders = over.shard_folders(&options.results.path, &plan.name);
            folders.iter().try_for_each(|folder| remove_shared_folder(folder))?;
        }
    }
    Ok(advance)
}

/// Returns, per arm, the range from the first to the last missing trial.
fn hulls(missing: &Missing) -> Vec<Range<u64>> {
    let hull = |runs: &Vec<Range<u64>>| match (runs.first(), runs.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    };
    missing.runs().iter().map(hull).collect()
}
