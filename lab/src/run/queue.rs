//! The queue of trials: what is left to run, handed out in chunks, all arms evenly.

use super::time_limit::TimeLimit;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

/// Duration that a chunk aims for: long enough that handing out costs nothing, short enough that
/// progress is smooth, a kill costs little and the last chunks end together.
const CHUNK: Duration = Duration::from_millis(20);
/// Duration that a round of all arms aims for: a run that is stopped leaves each arm with the same
/// trials, give or take a round.
const ROUND: Duration = Duration::from_secs(1);

/// Consecutive trials of one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the arm.
    pub arm: usize,
    /// Numbers of the trials.
    pub trials: Range<u64>,
}

/// Trials to run, in rounds: the first trial of each arm, then the next few of each, in plan order.
/// Arms that have fewer trials than others, from an earlier run, come first. Which worker takes
/// which chunk changes no result: every trial has its own seed.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    workers: u64,
}

#[derive(Debug)]
struct State {
    /// Runs of missing trials per arm, ascending.
    missing: Vec<VecDeque<Range<u64>>>,
    /// Arms that have missing trials or had some when the round began, in plan order.
    active: Vec<usize>,
    /// Place in `active` of the arm whose turn it is.
    turn: usize,
    /// Number below which this round hands out trials.
    level: u64,
    /// Trials per arm that the last round added to the level.
    step: u64,
    /// Chunks that come before all others, the last one first: rests, and what was given back.
    first: Vec<Chunk>,
    /// Seconds that a trial of each arm took lately; 0 while unknown.
    seconds: Vec<f64>,
    /// Trials left over all arms.
    trials: u64,
    limit: TimeLimit,
    /// Whether the time limit kept a round from beginning.
    is_cut: bool,
}

impl Queue {
    /// Returns a queue over the runs of trial numbers that each arm misses.
    pub(crate) fn new(missing: &[Vec<Range<u64>>], workers: usize) -> Self {
        let missing: Vec<VecDeque<Range<u64>>> = missing
            .iter()
            .map(|runs| runs.iter().filter(|run| !run.is_empty()).cloned().collect())
            .collect();
        let trials = missing.iter().flatten().map(|run| run.end - run.start).sum();
        let seconds = vec![0.0; missing.len()];
        let workers = workers.max(1) as u64;
        let active = (0..missing.len()).collect();
        let (first, turn, level, step) = (Vec::new(), 0, 0, 0);
        let (limit, is_cut) = (TimeLimit::default(), false);
        let state =
            State { missing, active, turn, level, step, first, seconds, trials, limit, is_cut };
        Queue { state: Mutex::new(state), workers }
    }

    /// Begins no round once the time limit is over.
    #[must_use]
    pub(crate) fn within(self, limit: TimeLimit) -> Self {
        self.lock().limit = limit;
        self
    }

    /// Returns whether the time limit kept trials from being handed out.
    pub(crate) fn is_cut(&self) -> bool {
        self.lock().is_cut
    }

    /// Trials not handed out yet.
    pub(crate) fn trials_left(&self) -> u64 {
        self.lock().trials
    }

    /// Returns the next chunk; `None` if all is handed out.
    pub(crate) fn take(&self) -> Option<Chunk> {
        let mut state = self.lock();
        let Chunk { arm, trials } = match state.first.pop() {
            Some(chunk) => chunk,
            None => state.next_run(self.workers)?,
        };
        let seconds = state.seconds[arm];
        let fitting = if seconds > 0.0 { (CHUNK.as_secs_f64() / seconds) as u64 } else { 1 };
        // Towards the end, chunks shrink so that no worker is left with a long one alone.
        let fair = state.trials.div_ceil(self.workers * 2);
        let taken = fitting.min(fair).clamp(1, trials.end - trials.start);
        let middle = trials.start + taken;
        if middle < trials.end {
            state.first.push(Chunk { arm, trials: middle..trials.end });
        }
        state.trials -= taken;
        Some(Chunk { arm, trials: trials.start..middle })
    }

    /// Takes back a chunk that was not run, and hands it out next.
    pub(crate) fn give_back(&self, chunk: Chunk) {
        if chunk.trials.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.trials += chunk.trials.end - chunk.trials.start;
        state.first.push(chunk);
    }

    /// Records the time that a trial of `arm` took, so that later chunks fit.
    pub(crate) fn learn(&self, arm: usize, seconds_per_trial: f64) {
        // Never quite 0, which stands for unknown; capped growth comes from the measured value
        // itself.
        self.lock().seconds[arm] = seconds_per_trial.max(1e-9);
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, State> {
        // A worker that panics is a bug that ends the run; the counts in here are whole all the
        // same.
        self.state.lock()
    }
}

impl State {
    /// Takes out the next missing trials of an arm that belong to this round, or to the next one;
    /// `None` if none are missing.
    fn next_run(&mut self, workers: u64) -> Option<Chunk> {
        loop {
            while let Some(&arm) = self.active.get(self.turn) {
                let runs = &mut self.missing[arm];
                if let Some(run) = runs.front_mut()
                    && run.start < self.level
                {
                    let taken = run.start..run.end.min(self.level);
                    run.start = taken.end;
                    if run.is_empty() {
                        runs.pop_front();
                    }
                    return Some(Chunk { arm, trials: taken });
                }
                self.turn += 1;
            }
            self.begin_round(workers)?;
        }
    }

    /// Raises the level; `None` if no trials are missing, or the time limit is over.
    fn begin_round(&mut self, workers: u64) -> Option<()> {
        self.active.retain(|arm| !self.missing[*arm].is_empty());
        self.turn = 0;
        let first = |arm: &usize| self.missing[*arm].front().map(|run| run.start);
        let least = self.active.iter().filter_map(first).min()?;
        // Once cut, no later call begins a round.
        self.is_cut |= self.limit.is_over();
        if self.is_cut {
            return None;
        }
        let seconds: f64 = self.active.iter().map(|arm| self.seconds[*arm]).sum();
        let fitting = (ROUND.as_secs_f64() * workers as f64 / seconds) as u64;
        let most = if seconds == 0.0 { 1 } else { fitting };
        // Twice as many as in the last round, unless a round would take long.
        self.step = most.min(2 * self.step).max(1);
        self.level = least.saturating_add(self.step);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter::once;
    use std::time::Instant;

    #[test]
    fn every_trial_is_handed_out_once_in_rounds() {
        let queue = Queue::new(&[vec![0..5, 8..9], vec![], once(2..4).collect()], 2);
        assert_eq!(queue.trials_left(), 8);
        let mut seen = Vec::new();
        while let Some(chunk) = queue.take() {
            queue.learn(chunk.arm, 0.004);
            seen.extend(chunk.trials.map(|trial| (chunk.arm, trial)));
        }
        // Below 1, below 3, below 7, and the rest.
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (2, 2), (0, 3), (0, 4), (2, 3), (0, 8)]);
        assert_eq!(queue.trials_left(), 0);
    }

    #[test]
    fn a_chunk_that_was_given_back_is_handed_out_again() {
        let queue = Queue::new(&[once(0..3).collect(), once(0..2).collect()], 2);
        let chunk = queue.take().expect("the first");
        queue.give_back(chunk.clone());
        assert_eq!(queue.trials_left(), 5);
        let mut seen = Vec::new();
        while let Some(chunk) = queue.take() {
            seen.extend(chunk.trials.map(|trial| (chunk.arm, trial)));
        }
        assert_eq!(seen, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
    }

    /// Also where nothing else is missing any more, and it is handed out in pieces.
    #[test]
    fn a_chunk_that_is_given_back_late_is_handed_out_whole() {
        let queue = Queue::new(&[once(0..40).collect(), once(0..40).collect()], 1);
        (0..2).for_each(|arm| queue.learn(arm, 1e-6));
        let all: Vec<Chunk> = std::iter::from_fn(|| queue.take()).collect();
        let long = all.into_iter().find(|chunk| chunk.trials.end > chunk.trials.start + 3);
        let Chunk { arm, trials } = long.expect("a long chunk");
        queue.give_back(Chunk { arm, trials: trials.clone() });
        queue.learn(arm, 1.0);
        let again: Vec<Chunk> = std::iter::from_fn(|| queue.take()).collect();
        assert!(again.len() > 1 && again.iter().all(|chunk| chunk.arm == arm), "{again:?}");
        assert!(again.into_iter().flat_map(|chunk| chunk.trials).eq(trials));
    }

    #[test]
    fn a_time_limit_lets_the_round_end_and_begins_no_other() {
        let queue = Queue::new(&[once(0..40).collect(), once(0..40).collect()], 1);
        let [one, other] = [0, 1].map(|arm| Chunk { arm, trials: 0..1 });
        assert_eq!(queue.take(), Some(one.clone()));
        let over = TimeLimit::after(Instant::now(), Duration::ZERO);
        let queue = queue.within(over);
        assert_eq!(queue.take(), Some(other));
        assert!(!queue.is_cut());
        assert_eq!(queue.take(), None);
        assert!(queue.is_cut() && queue.trials_left() == 78);
        // A chunk that is given back belongs to the round.
        queue.give_back(one.clone());
        assert_eq!((queue.take(), queue.take()), (Some(one), None));
        let queue = Queue::new(&[once(0..40).collect()], 1).within(over);
        assert_eq!((queue.take(), queue.is_cut()), (None, true));
    }

    #[test]
    fn chunks_grow_with_short_trials_and_shrink_towards_the_end() {
        let queue = Queue::new(&[once(0..1_000).collect()], 2);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(0..1));
        queue.learn(0, 0.000_2);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(1..3));
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(3..7));
        for _ in 0..4 {
            assert!(queue.take().is_some());
        }
        // 20 ms of trials.
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(127..227));
        queue.learn(0, 1e-7);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(227..255));
        // A quarter of what is left.
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(255..442));
    }

    /// Arms of very different speeds, of which one has trials from an earlier run: at any moment,
    /// the trials that were handed out differ by a round at most.
    #[test]
    fn all_arms_have_the_same_trials_give_or_take_a_round() {
        let seconds = [1e-3, 1e-6, 5e-4, 1e-5];
        let missing =
            [once(700..9_000).collect(), once(0..9_000).collect(), vec![], vec![0..10, 20..9_000]];
        let queue = Queue::new(&missing, 2);
        // The first trial of each arm that is not handed out.
        let mut next = [700, 0, u64::MAX, 0];
        let (mut level, mut before) = (0, 0);
        while let Some(chunk) = queue.take() {
            next[chunk.arm] =
                if chunk.trials.end == 10 && chunk.arm == 3 { 20 } else { chunk.trials.end };
            queue.learn(chunk.arm, seconds[chunk.arm]);
            let now = queue.lock().level;
            if now != level {
                (before, level) = (level, now);
                // 1 s of two workers, at 1.011 ms for a trial of each arm.
                assert!(level - before < 2_000 || before > 7_000, "{before}..{level}");
            }
            assert!(chunk.trials.end <= level, "{chunk:?} in the round below {level}");
            assert!(next.iter().all(|next| *next >= before.min(9_000)), "{next:?} after {before}");
        }
        assert_eq!(next, [9_000, 9_000, u64::MAX, 9_000]);
    }
}
