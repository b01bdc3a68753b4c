//! Watching: one trial, generation by generation.

use super::connection::{Inbound, Outbound};
use super::frame::{Board, Convergence, Ending, Frame, Portrait, ShownBirth, State, TrialFrame};
use super::order::Pace;
use super::series::Point;
use super::stage::{Snapshot, Stage, StageWatcher};
use super::strip::Strip;
use crate::plan::settings::Trace;
use crate::plan::{Arm, Plan};
use crate::problem::{Format, Genome, Problem};
use crate::record::{Outcome, TrialRecord};
use crate::run::TrialRunner;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::output::visible;
use crate::system::output::visible_line;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Between two frames.
const INTERVAL: Duration = Duration::from_millis(50);

/// A trial that is watched.
pub(super) struct Watched<'plan> {
    pub plan: &'plan Plan,
    pub arm: usize,
    pub trial: u64,
    pub pace: Pace,
    pub paused: bool,
}

impl Watched<'_> {
    /// Runs the trial, and sends its visible state until it ends.
    pub(super) fn run(self, inbound: Inbound, outbound: &mut Outbound) -> io::Result<()> {
        let interrupt = Interrupt::default();
        let stage = Arc::new(Stage::new(self.pace, self.paused, interrupt.clone()));
        let told = Arc::clone(&stage);
        inbound.follow(interrupt.clone(), move |order| told.tell(order))?;
        std::thread::scope(|scope| {
            let search = || self.search(&stage, &interrupt);
            let search = std::thread::Builder::new()
                .name("search".to_owned())
                .spawn_scoped(scope, search)?;
            let mut audience = Audience::new(&self.plan.arms[self.arm], &self, outbound);
            let mut ended = false;
            while !ended && !interrupt.is_raised() {
                std::thread::park_timeout(INTERVAL);
                ended = search.is_finished();
                let seen = audience.show(&stage);
                if seen.is_err() {
                    interrupt.raise();
                }
                seen?;
            }
            match search.join() {
                Ok(Some(record)) => audience.end(&record, &stage),
                // It was stopped, and nobody looks any more.
                Ok(None) => Ok(()),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    fn search(&self, stage: &Stage, interrupt: &Interrupt) -> Option<TrialRecord> {
        guard::own_surroundings();
        let _place = guard::Place::take(1);
        let arm = &self.plan.arms[self.arm];
        guard::arm(&arm.label, None);
        let budget = arm.settings.stop.evaluations;
        let mut camera = StageWatcher::new(stage, arm.problem.description(), budget);
        // A search that takes a short cut counts only if the experiment asks for it.
        let counts = self.plan.trace.has_operators();
        let trace = if counts { Trace::Operators } else { Trace::None };
        let mut runner = TrialRunner::new(self.plan, trace, 0);
        runner.run_watched(self.arm, self.trial, interrupt, Some(&mut camera))
    }
}

/// Viewers, with what they have seen so far.
struct Audience<'run> {
    arm: &'run Arm,
    trial: u64,
    seed: u64,
    outbound: &'run mut Outbound,
    /// Epoch of the series, and number of points known.
    known: (u64, usize),
    /// The frame that was sent last, and its best genome.
    last: Option<(Genome, TrialFrame)>,
}

impl<'run> Audience<'run> {
    fn new(arm: &'run Arm, watched: &Watched<'_>, outbound: &'run mut Outbound) -> Self {
        let seed = arm.seeds(watched.plan.seed, watched.trial).trial;
        Audience { arm, trial: watched.trial, seed, outbound, known: (0, 0), last: None }
    }

    /// Sends a frame, if there is something new.
    fn show(&mut self, stage: &Stage) -> io::Result<()> {
        let known = self.known;
        let (snapshot, convergence, place, paused) = stage.look(|seen| {
            let snapshot = seen.snapshot.take();
            let (replaces, points) = seen.series.since(known.0, known.1);
            let convergence = Convergence { replaces, points: points.to_vec() };
            (snapshot, convergence, seen.series.place(), seen.paused)
        });
        let state = if paused { State::Paused } else { State::Running };
        let before = self.last.take();
        let changed = before.as_ref().is_none_or(|(_, frame)| frame.state != state);
        let (best, frame) = match (snapshot, before) {
            (Some(snapshot), before) => self.frame(snapshot, before, state),
            (None, Some((best, frame))) if changed => (best, TrialFrame { state, ..frame }),
            (None, before) => {
                self.last = before;
                return Ok(());
            }
        };
        self.known = place;
        self.send(best, TrialFrame { convergence, ..frame })
    }

    fn frame(
        &self,
        snapshot: Snapshot,
        before: Option<(Genome, TrialFrame)>,
        state: State,
    ) -> (Genome, TrialFrame) {
        let Snapshot { now, violation, population, strip, best, first, births } = snapshot;
        let problem = &self.arm.problem;
        let board = match before {
            Some((genome, frame)) if genome == best => frame.board,
            _ => Some(board(problem, &best)),
        };
        let frame = TrialFrame {
            state,
            arm: self.arm.label.clone(),
            trial: self.trial,
            seed: self.seed.to_string(),
            now,
            violation,
            population,
            strip,
            board,
            boards: first
                .iter()
                .map(|(genome, fitness)| portrait(problem, genome, *fitness))
                .collect(),
            births: births.iter().map(|birth| ShownBirth::of(problem, birth)).collect(),
            convergence: Convergence::default(),
            ending: None,
        };
        (best, frame)
    }

    /// Returns the frame of a trial that had no generation, because its budget ended within the
    /// first population; `None` if no genome was evaluated.
    fn without_generation(&self, record: &TrialRecord) -> Option<(Genome, TrialFrame)> {
        let (best, fitness) = (record.best.clone()?, record.best_fitness?);
        let described = self.arm.problem.description();
        let feasible = record.best_violation.unwrap_or(0.0) == 0.0;
        let now = Point {
            generation: 0,
            evaluations: record.evaluations,
            best_so_far: feasible.then_some(fitness),
            best: fitness,
            mean: fitness,
            worst: fitness,
            individuals: vec![fitness],
            children: None,
        };
        let frame = TrialFrame {
            state: State::Ended,
            arm: self.arm.label.clone(),
            trial: self.trial,
            seed: self.seed.to_string(),
            now,
            violation: record.best_violation.map(|one| (one, f64::from(u8::from(feasible)))),
            population: 1,
            strip: Strip::of(described, &best, &[fitness], &[]),
            board: Some(board(&self.arm.problem, &best)),
            boards: Vec::new(),
            births: Vec::new(),
            convergence: Convergence::default(),
            ending: None,
        };
        Some((best, frame))
    }

    /// Sends the last frame, with the points that no frame had. The best genome may be of a
    /// generation that was not completed.
    fn end(&mut self, record: &TrialRecord, stage: &Stage) -> io::Result<()> {
        let last = self.last.take().or_else(|| self.without_generation(record));
        let Some((mut best, mut frame)) = last else {
            let words =
                record.error.clone().unwrap_or_else(|| "the trial had no generation".into());
            return self.outbound.send(&Frame::Unable(words));
        };
        if let Some(found) = record.best.as_ref().filter(|found| **found != best) {
            frame.board = Some(board(&self.arm.problem, found));
            best = found.clone();
        }
        let (epoch, known) = self.known;
        frame.convergence = stage.look(|seen| {
            let (replaces, points) = seen.series.since(epoch, known);
            Convergence { replaces, points: points.to_vec() }
        });
        frame.state = State::Ended;
        frame.ending = Some(Ending::of(record));
        self.send(best, frame)
    }

    fn send(&mut self, best: Genome, frame: TrialFrame) -> io::Result<()> {
        let frame = Frame::Trial(Box::new(frame));
        self.outbound.send(&frame)?;
        if let Frame::Trial(frame) = frame {
            self.last = Some((best, *frame));
        }
        Ok(())
    }
}

/// Renders a genome with the plugin. Formats that fail are left out.
pub(super) fn board(problem: &Problem, genome: &Genome) -> Board {
    let drawn = |format| problem.render(genome, format).ok().flatten();
    Board {
        svg: drawn(Format::Svg),
        // Makes characters visible that would change the direction of the text.
        text: drawn(Format::Board).map(|text| visible(&text).into_owned()),
        line: line(problem, genome),
    }
}

/// Characters of a portrait's line at most.
const LINE: usize = 60;

/// An individual as the plugin draws it; without a picture, the beginning of its line.
pub(super) fn portrait(problem: &Problem, genome: &Genome, fitness: f64) -> Portrait {
    let svg = problem.render(genome, Format::Svg).ok().flatten();
    let line = if svg.is_none() { line(problem, genome) } else { String::new() };
    Portrait { svg, line: line.chars().take(LINE).collect(), fitness }
}

/// A genome on one line, as the plugin writes it, else its genes.
fn line(problem: &Problem, genome: &Genome) -> String {
    let drawn = problem.render(genome, Format::Line).ok().flatten();
    visible_line(&drawn.unwrap_or_else(|| problem.genes_text(genome))).into_owned()
}

impl Ending {
    /// As the trials table has it.
    pub(super) fn of(record: &TrialRecord) -> Self {
        Ending {
            outcome: record.outcome.as_str().to_owned(),
            words: words(record),
            success: record.success,
            best_fitness: record.best_fitness,
            violation: record.best_violation,
            generations: record.generations,
            evaluations: record.evaluations,
            evaluations_to_success: record.evaluations_to_success,
            valid: record.valid,
            error: record.error.clone(),
            seconds: record.timing.seconds,
        }
    }
}

/// Why a trial ended, as a sentence.
fn words(record: &TrialRecord) -> String {
    match record.outcome {
        Outcome::Solved => "The best fitness reached the target.",
        Outcome::Generations => "The budget of generations is spent.",
        Outcome::Evaluations => "The budget of evaluations is spent.",
        Outcome::Stagnated => {
            "The search ended by itself, or found nothing better for as long as the settings allow."
        }
        Outcome::Converged => "The population is as alike as the settings allow.",
        Outcome::Exhausted => "Every genome was evaluated.",
        Outcome::TimedOut => "The time was up.",
        Outcome::Failed | Outcome::Crashed => "The problem failed.",
    }
    .to_owned()
}
