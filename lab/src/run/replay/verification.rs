//! Verification: whether tables have what their trials give.

use super::difference::comparable;
use super::{Change, Difference, Replay, differences};
use crate::plan::ArmId;
use crate::problem::MoveUse;
use crate::record::{Outcome, TrialRecord};
use crate::results::ResultsError;
use crate::run::{Isolation, NoWorker, collect_trials};
use crate::system::interrupt::Interrupt;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashMap};

/// Arm and number of a trial.
type Key = (usize, u64);

/// Choice of the trials that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every trial of the tables.
    All,
    /// Trials drawn at random with this seed; each set of that size is equally likely.
    Random {
        /// Number of trials; all if there are fewer.
        trials: u64,
        /// Seed of the choice.
        seed: u64,
    },
}

/// Trials to compare, as the tables have them.
#[derive(Debug, Default)]
pub struct Chosen {
    trials: BTreeMap<Key, TrialRecord>,
    /// Trials that were left out: they crashed, or ran out of seconds.
    pub skipped: u64,
    /// Trials that were left out: the config gives no such arm here.
    pub gone: u64,
}

/// Result of running the trials again.
#[derive(Debug)]
pub struct Verification {
    /// Trials that were compared.
    pub compared: u64,
    /// Differing trials by arm and number.
    pub differing: Vec<DifferingTrial>,
    now: BTreeMap<Key, TrialRecord>,
}

/// A trial that is not what the table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingTrial {
    /// Place of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm.
    pub trial: u64,
    /// Differences from the table.
    pub differences: Vec<Difference>,
    /// Whether the two runs of the trial here differ from each other.
    pub unstable: bool,
    /// Whether the plugin failed in the run, and not here.
    pub failed: bool,
}

/// Reason why trials differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The plugin answers one question in several ways.
    Unstable,
    /// Moves do not have the fitness of the genomes they lead to.
    Moves,
    /// The plugin answers otherwise in another process.
    OtherProcess,
    /// All of them failed in the run, and here none of them does.
    Failed,
    /// Something changed since the run.
    Changed(Change),
    /// Unknown: runner and plugin are those of the run.
    Unknown,
}

impl Chosen {
    /// Returns whether no trial is compared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }
}

/// Differing trials that are run in other processes.
const ELSEWHERE: usize = 20;
/// Processes that are asked, one after the other: what follows from the number of a process alone
/// can be the same in two of them.
const PROCESSES: usize = 4;

impl Replay {
    /// Chooses trials of the tables.
    ///
    /// # Errors
    /// Returns an error if these cannot be read.
    pub fn choose(&self, choice: Choice) -> Result<Chosen, ResultsError> {
        let places: HashMap<ArmId, usize> =
            self.plan.arms.iter().map(|arm| (arm.id(), arm.index)).collect();
        let arm_of: Vec<Option<usize>> =
            self.results.arms().iter().map(|row| places.get(&row.id).copied()).collect();
        let mut chosen = Chosen::default();
        let mut reservoir = Reservoir::new(choice);
        self.results.trials(|record| {
            let Some(arm) = arm_of[record.arm] else {
                chosen.gone += 1;
                return;
            };
            if matches!(record.outcome, Outcome::Crashed | Outcome::TimedOut) {
                chosen.skipped += 1;
                return;
            }
            let key = (arm, record.trial);
            if let Some(replaced) = reservoir.take(key) {
                _ = replaced.map(|key| chosen.trials.remove(&key));
                chosen.trials.insert(key, comparable(&record, arm));
            }
        })?;
        Ok(chosen)
    }

    /// Runs the chosen trials again, `jobs` at a time, and compares them. Trials that differ run
    /// once more. If searches evaluate moves, the fitness of each move is compared with that of the
    /// whole genome.
    ///
    /// # Errors
    /// Returns an error if no worker is available.
    pub fn verify(&self, chosen: &Chosen, jobs: usize) -> Result<Verification, NoWorker> {
        for arm in &self.plan.arms {
            arm.problem.use_moves(MoveUse::Checked);
        }
        let threads = Isolation::Threads;
        let now = self.records(chosen.trials.keys().copied(), jobs, &threads)?;
        let differs = |(key, then): (&Key, &TrialRecord)| {
            let found = match now.get(key) {
                Some(now) => differences(then, now),
                None => vec![Difference::Unfinished],
            };
            (!found.is_empty()).then_some((*key, found))
        };
        let differing: Vec<(Key, Vec<Difference>)> =
            chosen.trials.iter().filter_map(differs).collect();
        // Does the plugin at least agree with itself?
        let once_more = self.records(differing.iter().map(|(key, _)| *key), 1, &threads)?;
        let is_failed = |record: Option<&TrialRecord>| {
            record.is_some_and(|record| record.outcome == Outcome::Failed)
        };
        let differing = differing.into_iter().map(|(key, differences)| DifferingTrial {
            arm: key.0,
            trial: key.1,
            differences,
            unstable: now.get(&key) != once_more.get(&key),
            failed: is_failed(chosen.trials.get(&key)) && !is_failed(now.get(&key)),
        });
        let (compared, differing) = (chosen.trials.len() as u64, differing.collect());
        Ok(Verification { compared, differing, now })
    }

    /// Returns the reasons why trials differ, as far as they can be found; empty if no trial
    /// differs. `elsewhere` is the way to run a trial in another process; with threads, no process
    /// is asked.
    ///
    /// # Errors
    /// Returns an error if no worker can be had.
    pub fn reasons(
        &self,
        verification: &Verification,
        elsewhere: &Isolation,
    ) -> Result<Vec<Reason>, NoWorker> {
        let differing = &verification.differing;
        if differing.is_empty() {
            return Ok(Vec::new());
        }
        let changes = self.changes();
        let mut reasons = Vec::new();
        if differing.iter().any(|one| one.unstable) {
            reasons.push(Reason::Unstable);
        } else if self.differs_unchecked(verification)? {
            reasons.push(Reason::Moves);
        } else if self.differs_elsewhere(verification, elsewhere)? {
            reasons.push(Reason::OtherProcess);
        } else if differing.iter().all(|one| one.failed) {
            reasons.push(Reason::Failed);
        } else if changes.is_empty() {
            reasons.push(Reason::Unknown);
        }
        reasons.extend(changes.into_iter().map(Reason::Changed));
        Ok(reasons)
    }

    /// Finds out whether trials are others where moves are not compared with whole genomes.
    fn differs_unchecked(
        &self,
        Verification { differing, now, .. }: &Verification,
    ) -> Result<bool, NoWorker> {
        for arm in &self.plan.arms {
            arm.problem.use_moves(MoveUse::On);
        }
        let keys = || differing.iter().take(ELSEWHERE).map(|one| (one.arm, one.trial));
        let unchecked = self.records(keys(), 1, &Isolation::Threads)?;
        Ok(keys().any(|key| unchecked.get(&key) != now.get(&key)))
    }

    /// Finds out whether trials differ in other processes.
    fn differs_elsewhere(
        &self,
        Verification { differing, now, .. }: &Verification,
        elsewhere: &Isolation,
    ) -> Result<bool, NoWorker> {
        if matches!(elsewhere, Isolation::Threads) {
            return Ok(false);
        }
        let keys = || differing.iter().take(ELSEWHERE).map(|one| (one.arm, one.trial));
        for _ in 0..PROCESSES {
            let there = self.records(keys(), 1, elsewhere)?;
            if keys().any(|key| there.get(&key) != now.get(&key)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs trials; what can be compared of their records.
    fn records(
        &self,
        trials: impl Iterator<Item = Key>,
        jobs: usize,
        isolation: &Isolation,
    ) -> Result<BTreeMap<Key, TrialRecord>, NoWorker> {
        let interrupt = Interrupt::default();
        let records = collect_trials(&self.plan, trials, jobs, isolation, &interrupt)?;
        let keyed =
            |record: &TrialRecord| ((record.arm, record.trial), comparable(record, record.arm));
        Ok(records.iter().map(keyed).collect())
    }
}

/// A reservoir: of trials that come one by one, each is as likely to be kept (Vitter 1985,
/// doi:10.1145/3147.3165).
struct Reservoir {
    /// Number of trials that are kept; `None` if all are kept.
    size: Option<u64>,
    rng: Xoshiro256PlusPlus,
    seen: u64,
    kept: Vec<Key>,
}

impl Reservoir {
    fn new(choice: Choice) -> Self {
        let (size, seed) = match choice {
            Choice::All => (None, 0),
            Choice::Random { trials, seed } => (Some(trials), seed),
        };
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Reservoir { size, rng, seen: 0, kept: Vec::new() }
    }

    /// Returns whether the trial is kept, and the trial that it replaces. The outer `None` means
    /// that the trial is not kept, the inner `None` that it replaces no trial.
    fn take(&mut self, key: Key) -> Option<Option<Key>> {
        let Some(size) = self.size else { return Some(None) };
        self.seen += 1;
        if (self.kept.len() as u64) < size {
            self.kept.push(key);
            return Some(None);
        }
        let place = self.rng.random_range(0..self.seen);
        (place < size).then(|| Some(std::mem::replace(&mut self.kept[place as usize], key)))
    }
}
