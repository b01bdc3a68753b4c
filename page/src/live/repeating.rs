//! Repeating: many trials, counted as they come in.

use super::connection::{Inbound, Outbound};
use super::frame::{ArmVerdict, Frame, Repeats, State};
use super::tally::Tally;
use crate::analysis::comparison::{Sample, compare, family, made_in_pairs};
use crate::plan::{Plan, ResultsSpec};
use crate::present::comparison::verdict;
use crate::record::TrialRecord;
use crate::results::{FitnessWithin, Reached};
use crate::run::{Intake, Isolation, Sink, TimeLimit, run_trials};
use crate::system::interrupt::Interrupt;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum number of steps that are kept of the traces of all trials: 32 MB.
const STEPS: usize = 2_000_000;

/// Between two frames.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs `trials` trials of each arm, `jobs` at once.
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
        traces: Some(Traces::default()).filter(|_| plan.arms.len() > 1),
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

/// Note on a comparison without traces.
const TOO_LONG: &str = "The traces are too long to be kept here, so the fitness at smaller budgets \
    is not known. A run of the experiment keeps them: see `runner compare` on its results.";

/// Traces of trials, as far as a comparison at a smaller budget needs them.
#[derive(Default)]
struct Traces {
    /// Arm and number of each trial, and where its steps end.
    trials: Vec<(usize, u64, usize)>,
    steps: Vec<Reached>,
}

impl Traces {
    /// Adds the trace of a trial. Returns whether there are at most `most` steps then.
    fn add(&mut self, record: &TrialRecord, most: usize) -> bool {
        let begin = self.steps.len();
        for step in record.trace.iter().map(Reached::from) {
            // The last individual of a generation includes those before it.
            match self.steps[begin..].last_mut() {
                Some(last) if last.evaluations == step.evaluations => *last = step,
                _ => self.steps.push(step),
            }
        }
        if self.steps.len() > begin {
            self.trials.push((record.arm, record.trial, self.steps.len()));
        }
        self.steps.len() <= most
    }
}

/// The trials so far.
struct Counts<'run> {
    target: u64,
    tallies: Vec<Tally>,
    samples: Vec<Sample>,
    /// None without a comparison, and where they are too long to be kept.
    traces: Option<Traces>,
    outbound: &'run mut Outbound,
    /// When the next frame is.
    due: Instant,
}

impl Counts<'_> {
    fn send(
        &mut self,
        state: State,
        verdicts: Vec<ArmVerdict>,
        note: Option<String>,
    ) -> io::Result<()> {
        let of_arm = |(tally, sample): (&mut Tally, &Sample)| {
            tally.of_arm(&sample.label, sample.defines_success())
        };
        let arms = self.tallies.iter_mut().zip(&self.samples).map(of_arm).collect();
        let repeats = Repeats { state, target: self.target, arms, verdicts, note };
        self.outbound.send(&Frame::Repeats(Box::new(repeats)))
    }

    /// The last frame: all trials are there, and a comparison may be made.
    fn end(&mut self) -> io::Result<()> {
        let note = self.add_fitness_within();
        let pairs = family(&self.samples, false).pairs;
        let compared = compare(&pairs, made_in_pairs(&pairs));
        let of_pair = |one| {
            let words = verdict(one);
            ArmVerdict { first: one.first.clone(), second: one.second.clone(), words }
        };
        let verdicts = compared.iter().map(of_pair).collect();
        self.send(State::Ended, verdicts, note)
    }

    /// Gives the arms their fitness at smaller budgets, as far as traces have it. Returns a note if
    /// traces were too long.
    fn add_fitness_within(&mut self) -> Option<String> {
        let budgets = self.samples.iter().filter_map(Sample::budget).collect();
        let mut found = FitnessWithin::wanted(&self.samples, &budgets);
        if found.is_empty() || self.samples.len() < 2 {
            return None;
        }
        let Some(traces) = self.traces.take() else { return Some(TOO_LONG.to_owned()) };
        let mut begin = 0;
        for (arm, trial, end) in traces.trials {
            for step in &traces.steps[begin..end] {
                found.add(&self.samples, arm, trial, *step);
            }
            begin = end;
        }
        found.give(&mut self.samples);
        None
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
            let keep = |mut traces: Traces| traces.add(record, STEPS).then_some(traces);
            self.traces = self.traces.take().and_then(keep);
        }
        if Instant::now() < self.due {
            return Ok(());
        }
        self.due = Instant::now() + INTERVAL;
        self.send(State::Running, Vec::new(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Timing, TraceRow, TrialId};

    #[test]
    fn a_trace_has_a_step_per_generation_and_its_limit() {
        let row = |evaluations: u64, best: f64| TraceRow {
            generation: evaluations / 10,
            evaluations,
            best,
            mean: best,
            worst: best,
            best_so_far: best,
            violations: None,
        };
        let id = TrialId { arm: 1, trial: 3, seed: 0 };
        let timing = Timing { seconds: 0.0, worker: 0 };
        let lost = TrialRecord::lost(Outcome::Evaluations, String::new());
        let mut record = lost.with_id(id, timing);
        let mut traces = Traces::default();
        assert!(traces.add(&record, 2) && traces.trials.is_empty());
        record.trace = vec![row(10, 5.0), row(10, 4.0), row(20, 3.0)];
        assert!(traces.add(&record, 2));
        let step = |evaluations, best| Reached { evaluations, best };
        assert_eq!(traces.steps, [step(10, 4.0), step(20, 3.0)]);
        assert_eq!(traces.trials, [(1, 3, 2)]);
        assert!(!traces.add(&record, 2));
    }
}
