//! Repeating: many trials, counted as they come in.

use super::connection::{Inbound, Outbound};
use super::frame::{ArmVerdict, Frame, Repeats, State};
use super::tally::Tally;
use crate::analysis::comparison::{Sample, compare, family, made_in_pairs};
use crate::plan::{Plan, ResultsSpec};
use crate::present::comparison::verdict;
use crate::record::TrialRecord;
use crate::run::{Intake, Isolation, Sink, TimeLimit, run_trials};
use crate::system::interrupt::Interrupt;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two frames.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs so many trials of each arm, `jobs` at once.
///
/// # Errors
/// When nobody reads any more, or the system gives no thread.
pub(super) fn repeat(
    plan: &Plan,
    trials: u64,
    jobs: usize,
    inbound: Inbound,
    outbound: &mut Outbound,
) -> io::Result<()> {
    let interrupt = Interrupt::default();
    inbound.follow(interrupt.clone(), |_| {})?;
    let spec = ResultsSpec::from(plan);
    let missing = vec![std::iter::once(0..trials).collect(); plan.arms.len()];
    let mut counts = Counts {
        target: trials,
        tallies: vec![Tally::default(); plan.arms.len()],
        samples: Sample::of_arms(&spec.arms, &spec.swept_keys, None, Path::new("")),
        outbound,
        due: Instant::now(),
    };
    match run_trials(
        plan,
        &missing,
        jobs,
        &Isolation::Threads,
        &interrupt,
        TimeLimit::default(),
        &mut counts,
    ) {
        Ok(_) if interrupt.is_raised() => Ok(()),
        Ok(_) => counts.end(),
        Err(crate::run::RunError::Sink(error)) => Err(error),
        Err(crate::run::RunError::Worker(words)) => counts.outbound.send(&Frame::Unable(words)),
    }
}

/// The trials so far.
struct Counts<'run> {
    target: u64,
    tallies: Vec<Tally>,
    samples: Vec<Sample>,
    outbound: &'run mut Outbound,
    /// When the next frame is.
    due: Instant,
}

impl Counts<'_> {
    fn send(&mut self, state: State, verdicts: Vec<ArmVerdict>) -> io::Result<()> {
        let of_arm = |(tally, sample): (&mut Tally, &Sample)| {
            tally.of_arm(&sample.label, sample.defines_success())
        };
        let arms = self.tallies.iter_mut().zip(&self.samples).map(of_arm).collect();
        let repeats = Repeats { state, target: self.target, arms, verdicts };
        self.outbound.send(&Frame::Repeats(Box::new(repeats)))
    }

    /// The last frame: all trials are there, and a comparison may be made.
    fn end(&mut self) -> io::Result<()> {
        let pairs = family(&self.samples, false).pairs;
        let compared = compare(&pairs, made_in_pairs(&pairs));
        let of_pair = |one| {
            let words = verdict(one);
            ArmVerdict { first: one.first.clone(), second: one.second.clone(), words }
        };
        let verdicts = compared.iter().map(of_pair).collect();
        self.send(State::Ended, verdicts)
    }
}

impl Sink for Counts<'_> {
    type Error = io::Error;
    type Batch = Vec<TrialRecord>;

    fn intake(&self) -> Intake<Vec<TrialRecord>> {
        Box::new(|records| records)
    }

    fn running(&mut self, _: usize) {}

    fn records(&mut self, batches: Vec<Vec<TrialRecord>>) -> io::Result<()> {
        for record in batches.iter().flatten() {
            self.tallies[record.arm].add(record);
            self.samples[record.arm].add(record);
        }
        if Instant::now() < self.due {
            return Ok(());
        }
        self.due = Instant::now() + INTERVAL;
        self.send(State::Running, Vec::new())
    }
}
