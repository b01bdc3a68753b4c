//! Stages: state shared by a watched trial and its viewers. The search thread stores the visible
//! state there and reads commands from it; another thread collects the state.

use super::order::{Order, Pace};
use super::series::{Point, Series, merit_order};
use super::strip::Strip;
use crate::problem::{Description, Genome};
use crate::record::OperatorCounts;
use crate::search::{Birth, Generation, Watcher};
use crate::system::interrupt::Interrupt;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pace, in generations per second, above which not every generation is shown.
const TOO_FAST: f64 = 20.0;
/// Up to this pace, each generation's best individuals are pictured.
const SLOW: f64 = 5.0;
/// Number of individuals that are pictured.
const PICTURED: usize = 12;
/// Ratio of the time without snapshots to the time of a snapshot, for a trial at full speed, so
/// that watching costs less than a twentieth.
const REST: u32 = 20;
/// Interval at which a paused trial checks whether it is to end.
const TICK: Duration = Duration::from_millis(50);

/// A generation that was seen.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub now: Point,
    /// Violation of the best genome so far, and the share of feasible individuals; `None` without
    /// constraints.
    pub violation: Option<(f64, f64)>,
    pub population: usize,
    pub strip: Strip,
    pub best: Genome,
    /// The best individuals with their fitness, where there is time to look at them.
    pub first: Vec<(Genome, f64)>,
    /// Some children of the generation, where there is time to look at them.
    pub births: Vec<Birth>,
}

/// Commands of the viewers that are in force.
#[derive(Debug)]
struct Controls {
    paused: bool,
    /// Generations to go in spite of the pause.
    steps: u64,
    pace: Pace,
}

/// Visible state of the trial.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Snapshot since the last one was taken; `None` if there is none.
    pub snapshot: Option<Snapshot>,
    pub series: Series,
    pub paused: bool,
}

/// State that the trial and its viewers share.
#[derive(Debug)]
pub(super) struct Stage {
    controls: Mutex<Controls>,
    changed: Condvar,
    /// Whether somebody waits for a snapshot.
    wanted: AtomicBool,
    /// Whether the trial is not running at full speed.
    held: AtomicBool,
    seen: Mutex<Seen>,
    interrupt: Interrupt,
}

impl Stage {
    pub(super) fn new(pace: Pace, paused: bool, interrupt: Interrupt) -> Self {
        let stage = Stage {
            controls: Mutex::new(Controls { paused, steps: 0, pace }),
            changed: Condvar::new(),
            wanted: AtomicBool::new(true),
            held: AtomicBool::new(false),
            seen: Mutex::default(),
            interrupt,
        };
        stage.hold(&stage.controls.lock());
        stage
    }

    fn hold(&self, controls: &Controls) {
        self.held.store(controls.paused || controls.pace.generations.is_some(), Ordering::Relaxed);
    }

    /// Takes an order to a trial under way.
    pub(super) fn tell(&self, order: &Order) {
        let mut controls = self.controls.lock();
        match order {
            Order::Begin(..) | Order::Go(_) => {}
            Order::Pause => (controls.paused, controls.steps) = (true, 0),
            Order::Resume => (controls.paused, controls.steps) = (false, 0),
            Order::Step => (controls.paused, controls.steps) = (true, controls.steps + 1),
            Order::Pace(pace) => controls.pace = *pace,
        }
        self.hold(&controls);
        self.changed.notify_all();
    }

    /// Requests a snapshot of a later generation, and passes the current visible state to `take`.
    pub(super) fn look<R>(&self, take: impl FnOnce(&mut Seen) -> R) -> R {
        self.wanted.store(true, Ordering::Relaxed);
        take(&mut self.seen.lock())
    }

    /// Waits as long as the trial is held up. `picture` takes a snapshot for viewers who pause it
    /// meanwhile.
    fn wait(&self, due: &mut Instant, picture: Option<impl FnOnce() -> Snapshot>) {
        let mut picture = picture;
        let mut controls = self.controls.lock();
        while !self.interrupt.is_raised() {
            let now = Instant::now();
            let patience = if controls.steps > 0 {
                controls.steps -= 1;
                break;
            } else if controls.paused {
                let mut seen = self.seen.lock();
                if let Some(picture) = picture.take() {
                    seen.snapshot = Some(picture());
                }
                seen.paused = true;
                TICK
            } else {
                let gap = controls.pace.generations.map(|pace| Duration::from_secs_f64(1.0 / pace));
                let Some(gap) = gap.filter(|gap| now < *due + *gap) else {
                    *due = if gap.is_some_and(|gap| now < *due + 2 * gap) {
                        *due + gap.unwrap_or_default()
                    } else {
                        now
                    };
                    break;
                };
                TICK.min(*due + gap - now)
            };
            self.changed.wait_for(&mut controls, patience);
        }
        drop(controls);
        self.seen.lock().paused = false;
    }

    /// Returns whether each generation is shown, and whether its individuals are drawn.
    fn closeness(&self) -> (bool, bool) {
        let controls = self.controls.lock();
        let slower = |than: f64| {
            controls.paused || controls.pace.generations.is_some_and(|pace| pace <= than)
        };
        (slower(TOO_FAST), slower(SLOW))
    }
}

/// The watcher of a trial on a stage.
pub(super) struct StageWatcher<'stage> {
    stage: &'stage Stage,
    description: &'stage Description,
    /// Copied from the series: which generations it takes.
    mask: u64,
    /// When the last generation was over.
    due: Instant,
    /// Time until which no snapshot is taken of a trial at full speed.
    rest: Instant,
    /// Children so far by operators; `None` if they are not counted.
    children: Option<OperatorCounts>,
    budget: Budget,
}

/// A trial's budget of evaluations, which can end within a generation. That one is never shown, so
/// the one before it is the last to be seen.
struct Budget {
    /// Evaluations in all.
    all: u64,
    /// Evaluations up to the generation before; `None` before the first.
    before: Option<u64>,
    /// Evaluations of the largest generation after the first.
    largest: u64,
}

impl Budget {
    fn new(evaluations: Option<u64>) -> Self {
        Budget { all: evaluations.unwrap_or(u64::MAX), before: None, largest: 0 }
    }

    /// Counts a generation that ended after `evaluations`. Returns whether it may be the last that
    /// is completed: generations may differ, so one of twice the largest is allowed for.
    fn may_end(&mut self, evaluations: u64) -> bool {
        if let Some(before) = self.before {
            self.largest = self.largest.max(evaluations.saturating_sub(before));
        }
        self.before = Some(evaluations);
        evaluations.saturating_add(self.largest.saturating_mul(2)) > self.all
    }
}

impl<'stage> StageWatcher<'stage> {
    /// Creates the watcher of a trial with this budget of evaluations.
    pub(super) fn new(
        stage: &'stage Stage,
        description: &'stage Description,
        evaluations: Option<u64>,
    ) -> Self {
        let (now, budget) = (Instant::now(), Budget::new(evaluations));
        StageWatcher { stage, description, mask: 0, due: now, rest: now, children: None, budget }
    }

    fn snapshot(&self, generation: &Generation<'_>, pictured: bool) -> Snapshot {
        let genes = generation.genes();
        let (fitness, violations) = (generation.fitness, generation.violations);
        let feasible = violations.iter().filter(|violation| **violation == 0.0).count();
        let share = feasible as f64 / fitness.len() as f64;
        let length = self.description.genome_length;
        Snapshot {
            now: Point::of(generation, self.children),
            violation: (!violations.is_empty()).then_some((generation.best_violation, share)),
            population: fitness.len(),
            strip: Strip::of(self.description, &genes, fitness, violations),
            best: generation.best(),
            births: if pictured { generation.births() } else { Vec::new() },
            first: if pictured { first(&genes, length, fitness, violations) } else { Vec::new() },
        }
    }
}

/// The best individuals, the best first.
fn first(genes: &Genome, length: usize, fitness: &[f64], violations: &[f64]) -> Vec<(Genome, f64)> {
    let mut ranked: Vec<usize> = (0..fitness.len()).collect();
    ranked.sort_by(|one, other| merit_order(fitness, violations, *one, *other));
    let all = genes.split(length);
    ranked.into_iter().take(PICTURED).map(|row| (all[row].clone(), fitness[row])).collect()
}

impl Watcher for StageWatcher<'_> {
    fn generation(&mut self, generation: &Generation<'_>) {
        if let Some(operators) = generation.operators {
            self.children.get_or_insert_default().add_all(operators);
        }
        if generation.number & self.mask == 0 {
            let mut seen = self.stage.seen.lock();
            seen.series.add(generation, self.children);
            self.mask = seen.series.mask();
        }
        let held = self.stage.held.load(Ordering::Relaxed);
        let last = self.budget.may_end(generation.evaluations) || generation.last;
        if !held && !last && !self.stage.wanted.load(Ordering::Relaxed) {
            return;
        }
        let (close, pictured) = if held { self.stage.closeness() } else { (false, false) };
        let pictured = pictured || last;
        let started = Instant::now();
        if close || last || started >= self.rest {
            self.stage.wanted.store(false, Ordering::Relaxed);
            let snapshot = self.snapshot(generation, pictured);
            self.stage.seen.lock().snapshot = Some(snapshot);
            self.rest = Instant::now() + started.elapsed() * REST;
        }
        if held && !generation.last {
            let picture = (!pictured).then_some(|| self.snapshot(generation, true));
            let mut due = self.due;
            self.stage.wait(&mut due, picture);
            self.due = due;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generation before one that the budget cuts short is seen, and few others for its sake.
    #[test]
    fn the_last_generation_that_fits_is_known_beforehand() {
        let ends = |budget: Option<u64>, steps: &[u64]| {
            let mut budget = Budget::new(budget);
            let mut evaluations = 0;
            let mut add = |step: &u64| {
                evaluations += step;
                budget.may_end(evaluations)
            };
            steps.iter().map(&mut add).collect::<Vec<bool>>()
        };
        assert_eq!(
            ends(Some(99), &[40, 10, 10, 10, 10, 10]),
            [false, false, false, false, true, true]
        );
        assert_eq!(ends(Some(99), &[1, 4, 30, 2, 3]), [false, false, false, false, true]);
        assert_eq!(ends(None, &[40, 10, u64::MAX / 4]), [false; 3]);
    }
}
