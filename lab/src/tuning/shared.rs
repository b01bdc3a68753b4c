//! Experiments of a tuning that several processes run in shards, over one folder.
//!
//! A race is an experiment with a stopping rule, which runs in rounds. Each process runs its shard
//! of the open round. The process of the first shard takes the round in once all shards are done,
//! and begins the next; the others wait for it. So the folder has one writer at a time.

use super::error::TuningError;
use crate::plan::round::Share;
use crate::plan::shard::Shard;
use crate::plan::{Plan, ResultsSpec};
use crate::results::{Results, RoundFile, shard_is_done};
use crate::run::{Advance, Ended, Event, Observer, SessionOptions, advance, run_experiment};
use crate::system::notice::{Level, Notice};
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
    shard: Shard,
    observer: &mut dyn Observer,
) -> Result<(), TuningError> {
    let mut shared = Shared { plan, spec: ResultsSpec::from(plan), options, shard, observer };
    let mut after = None;
    loop {
        let file = match shared.step(after)? {
            Step::Finished => return Ok(()),
            Step::Round(file) => file,
        };
        if file.shards != shard.of || file.round.trials.len() != plan.arms.len() {
            return Err(TuningError::Shards { experiment: plan.name.clone(), of: file.shards });
        }
        shared.run(&file)?;
        after = Some(file.round.number);
        if shard.number == 1 {
            shared.wait_for_others(&file)?;
        }
    }
}

struct Shared<'a> {
    plan: &'a Plan,
    spec: ResultsSpec,
    options: &'a SessionOptions,
    shard: Shard,
    observer: &'a mut dyn Observer,
}

impl Shared<'_> {
    /// Returns the round after one that this shard has run, or the first that is open.
    fn step(&mut self, after: Option<u32>) -> Result<Step, TuningError> {
        if self.shard.number == 1 {
            let next = advance(self.plan, self.options, self.shard.of, after, self.observer)?;
            return Ok(match next {
                Advance::Next(file) => Step::Round(file),
                Advance::Finished(_) => Step::Finished,
            });
        }
        let folder = self.options.results.path.join(&self.plan.name);
        self.wait("shard 1, which takes in the trials of all shards", || {
            let file = RoundFile::read(&folder)?;
            if let Some(file) = file.filter(|file| after.is_none_or(|it| file.round.number > it)) {
                return Ok(Some(Step::Round(file)));
            }
            // A folder that does not exist yet, or is being written, is not finished.
            let is_finished = Results::open(&folder).is_ok_and(|one| one.planned().is_none());
            Ok(is_finished.then_some(Step::Finished))
        })
    }

    /// Runs the shard of a round.
    fn run(&mut self, file: &RoundFile) -> Result<(), TuningError> {
        let share = Share { shard: self.shard, round: Some(file.round.clone()) };
        let folder = self.options.results.path.join(share.folder(&self.plan.name));
        if shard_is_done(&folder, &self.spec, &share)? {
            return Ok(());
        }
        let options = SessionOptions { share: Some(share), ..self.options.clone() };
        match run_experiment(self.plan, &options, self.observer)? {
            Ended::ShardDone { .. } => Ok(()),
            ended => Err(TuningError::Stopped(self.plan.name.clone(), Box::new(ended))),
        }
    }

    /// Waits until all shards of a round are done.
    fn wait_for_others(&mut self, file: &RoundFile) -> Result<(), TuningError> {
        let share = |number| Share {
            shard: Shard { number, of: file.shards },
            round: Some(file.round.clone()),
        };
        let mut missing: Vec<Share> = (1..=file.shards).map(share).collect();
        let (path, name) = (self.options.results.path.clone(), self.plan.name.clone());
        let spec = self.spec.clone();
        self.wait("other shards; each runs by this command with its --shard", || {
            let mut left = Vec::new();
            for share in missing.drain(..) {
                if !shard_is_done(&path.join(share.folder(&name)), &spec, &share)? {
                    left.push(share);
                }
            }
            missing = left;
            Ok(missing.is_empty().then_some(()))
        })
    }

    /// Looks again and again, until there is what is waited for.
    fn wait<T>(
        &mut self,
        what: &str,
        mut look: impl FnMut() -> Result<Option<T>, TuningError>,
    ) -> Result<T, TuningError> {
        let SessionOptions { interrupt, time_limit, results, .. } = self.options;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(found) = look()? {
                return Ok(found);
            }
            let is_time_up = time_limit.is_over();
            if interrupt.is_raised() || is_time_up {
                let folder = results.clone();
                let ended = Ended::Interrupted { folder, trials: 0, is_time_up };
                return Err(TuningError::Stopped(self.plan.name.clone(), Box::new(ended)));
            }
            std::thread::sleep(pause);
            if pause < LONGEST_PAUSE && 2 * pause >= LONGEST_PAUSE {
                let words = format!("{}: waits for {what}", self.plan.name);
                self.observer.observe(&Event::Notice(&Notice::new(Level::Note, words)));
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}
