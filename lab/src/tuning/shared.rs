//! Experiments of a tuning that several processes run in shards, over one folder.
//!
//! A race is an experiment with a stopping rule, which runs in rounds. Each process runs its shard
//! of the open round. A process that finds all shards done takes the round in and begins the next,
//! under a claim, so that the experiment's folder has one writer at a time. A process that waits
//! runs shards that no process has claimed: theirs were killed, or have not begun.

use super::error::TuningError;
use super::shard_claims::ShardClaims;
use crate::plan::round::Share;
use crate::plan::shard::Shard;
use crate::plan::{Plan, ResultsSpec};
use crate::results::{Results, ResultsError, RoundFile, remove_shared_folder, shard_is_done};
use crate::run::{Advance, Ended, Event, Observer, SessionOptions, advance, run_experiment};
use crate::system::notice::{Level, Notice};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

/// Time between two looks at the files of other shards: at first, and at most. It doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(4);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// State of an experiment, as a shard sees it.
enum Step {
    Round(RoundFile),
    Finished,
}

/// Runs the shard of every round of an experiment, until its tables are written.
///
/// # Errors
/// Returns an error if the run is interrupted, the rounds have other shards, or files cannot be
/// read or written.
pub(super) fn run_shard(
    plan: &Plan,
    options: &SessionOptions,
    claims: &mut ShardClaims,
    observer: &mut dyn Observer,
) -> Result<(), TuningError> {
    let folder = options.results.path.join(&plan.name);
    let spec = ResultsSpec::from(plan);
    let mut shared = Shared { plan, spec, folder, options, claims, observer };
    let mut after = None;
    loop {
        let file = match shared.step(after)? {
            Step::Finished => return Ok(()),
            Step::Round(file) => file,
        };
        let Shard { number, of } = shared.claims.shard;
        if file.shards != of || file.round.trials.len() != plan.arms.len() {
            return Err(TuningError::Shards { experiment: plan.name.clone(), of: file.shards });
        }
        shared.claims.take_own()?;
        shared.run(&file, number)?;
        shared.wait_for_others(&file)?;
        after = Some(file.round.number);
    }
}

struct Shared<'a> {
    plan: &'a Plan,
    spec: ResultsSpec,
    /// Folder of the experiment.
    folder: PathBuf,
    options: &'a SessionOptions,
    claims: &'a mut ShardClaims,
    observer: &'a mut dyn Observer,
}

impl Shared<'_> {
    /// Returns the round after one whose shards are done, or the first that is open. Begins it,
    /// unless another process does.
    fn step(&mut self, after: Option<u32>) -> Result<Step, TuningError> {
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(step) = self.look(after)? {
                return Ok(step);
            }
            if let Some(_claim) = self.claims.take_round()? {
                // Another process may have ended with it meanwhile.
                if let Some(step) = self.look(after)? {
                    return Ok(step);
                }
                let of = self.claims.shard.of;
                let next = advance(self.plan, self.options, of, after, self.observer)?;
                return Ok(match next {
                    Advance::Next(file) => Step::Round(file),
                    Advance::Finished(_) => Step::Finished,
                });
            }
            self.pause(&mut pause, "the process that takes in the trials of all shards")?;
        }
    }

    /// Returns the round after one, or the first that is open; `None` if there is none yet.
    fn look(&self, after: Option<u32>) -> Result<Option<Step>, TuningError> {
        let file = RoundFile::read(&self.folder)?;
        if let Some(file) = file {
            let is_next = after.is_none_or(|after| file.round.number > after);
            return Ok(is_next.then_some(Step::Round(file)));
        }
        // A folder that does not exist yet, or is being written, is not finished.
        let is_finished = Results::open(&self.folder).is_ok_and(|one| one.planned().is_none());
        Ok(is_finished.then_some(Step::Finished))
    }

    /// Runs a shard of a round.
    fn run(&mut self, file: &RoundFile, number: u64) -> Result<(), TuningError> {
        let (share, folder) = self.share(file, number);
        if self.is_over(file)? || shard_is_done(&folder, &self.spec, &share)? {
            return Ok(());
        }
        let options = SessionOptions { share: Some(share), ..self.options.clone() };
        let ended = run_experiment(self.plan, &options, self.observer);
        let is_over = self.is_over(file)?;
        match ended {
            Ok(Ended::ShardDone { .. }) => {}
            Ok(ended) => {
                return Err(TuningError::Stopped(self.plan.name.clone(), Box::new(ended)));
            }
            // Another process was done with the shard first, and the folder has gone.
            Err(_) if is_over => {}
            Err(error) => return Err(error.into()),
        }
        if is_over {
            remove_shared_folder(&folder)?;
        }
        Ok(())
    }

    /// Returns a shard of a round, and its folder.
    fn share(&self, file: &RoundFile, number: u64) -> (Share, PathBuf) {
        let shard = Shard { number, of: file.shards };
        let share = Share { shard, round: Some(file.round.clone()) };
        let folder = self.options.results.path.join(share.folder(&self.plan.name));
        (share, folder)
    }

    /// Returns whether a round was taken in.
    fn is_over(&self, file: &RoundFile) -> Result<bool, ResultsError> {
        Ok(RoundFile::read(&self.folder)?.is_none_or(|now| now.round.number > file.round.number))
    }

    /// Waits until all shards of a round are done, or it was taken in. Runs those that no process
    /// has claimed, after a while: other processes begin at about the same time.
    fn wait_for_others(&mut self, file: &RoundFile) -> Result<(), TuningError> {
        let own = self.claims.shard.number;
        let (vacant, others): (Vec<u64>, Vec<u64>) =
            (own + 1..=file.shards).chain(1..own).partition(|it| self.claims.vacant.contains(it));
        let mut missing = VecDeque::from([vacant, others].concat());
        let mut pause = FIRST_PAUSE;
        while !self.is_over(file)? {
            let Some(number) = self.first_missing(file, &mut missing)? else { return Ok(()) };
            let may_take = pause == LONGEST_PAUSE || self.claims.vacant.contains(&number);
            if may_take && let Some(_claim) = self.claims.take(number)? {
                self.run(file, number)?;
                self.claims.vacant.insert(number);
                continue;
            }
            self.claims.take_own()?;
            // Each look is at another shard, so that many shards take no more time than few.
            missing.rotate_left(1);
            self.pause(&mut pause, &format!("shard {number} of {}", file.shards))?;
        }
        Ok(())
    }

    /// Removes the first shards as long as they are done. Returns the first that is not.
    fn first_missing(
        &self,
        file: &RoundFile,
        missing: &mut VecDeque<u64>,
    ) -> Result<Option<u64>, ResultsError> {
        while let Some(number) = missing.front() {
            let (share, folder) = self.share(file, *number);
            if !shard_is_done(&folder, &self.spec, &share)? {
                return Ok(Some(*number));
            }
            missing.pop_front();
        }
        Ok(None)
    }

    /// Pauses, the next time for longer.
    fn pause(&mut self, pause: &mut Duration, what: &str) -> Result<(), TuningError> {
        let SessionOptions { interrupt, time_limit, results, .. } = self.options;
        let is_time_up = time_limit.is_over();
        if interrupt.is_raised() || is_time_up {
            let ended = Ended::Interrupted { folder: results.clone(), trials: 0, is_time_up };
            return Err(TuningError::Stopped(self.plan.name.clone(), Box::new(ended)));
        }
        std::thread::sleep(*pause);
        if *pause < LONGEST_PAUSE && 2 * *pause >= LONGEST_PAUSE {
            let words = format!("{}: waits for {what}", self.plan.name);
            self.observer.observe(&Event::Notice(&Notice::new(Level::Note, words)));
        }
        *pause = (2 * *pause).min(LONGEST_PAUSE);
        Ok(())
    }
}
