//! The queue of trials: what is left to run, handed out in chunks.

use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

/// Aim for chunks of about this length: long enough that handing out costs nothing, short enough
/// that progress is smooth, a kill costs little and the last chunks end together.
const CHUNK: Duration = Duration::from_millis(20);

/// Consecutive trials of one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub arm: usize,
    pub trials: Range<u64>,
}

/// Trials to run, in plan order. Which worker takes which chunk changes no result: every trial has
/// its own seed.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
    workers: u64,
}

#[derive(Debug)]
struct State {
    /// Runs of missing trials, the next one last.
    left: Vec<Chunk>,
    /// Seconds a trial of each arm took lately; 0 while unknown.
    seconds: Vec<f64>,
    /// Trials left over all arms.
    trials: u64,
}

impl Queue {
    /// A queue over the runs of trial numbers that each arm misses.
    #[must_use]
    pub(crate) fn new(missing: &[Vec<Range<u64>>], workers: usize) -> Self {
        let mut left: Vec<Chunk> = missing
            .iter()
            .enumerate()
            .flat_map(|(arm, runs)| runs.iter().map(move |run| Chunk { arm, trials: run.clone() }))
            .filter(|chunk| !chunk.trials.is_empty())
            .collect();
        left.reverse();
        let trials = left.iter().map(|chunk| chunk.trials.end - chunk.trials.start).sum();
        let state = State { left, seconds: vec![0.0; missing.len()], trials };
        Queue { state: Mutex::new(state), workers: workers.max(1) as u64 }
    }

    /// Trials not handed out yet.
    #[must_use]
    pub(crate) fn trials_left(&self) -> u64 {
        self.lock().trials
    }

    /// The next chunk; none when all is handed out.
    #[must_use]
    pub(crate) fn take(&self) -> Option<Chunk> {
        let mut state = self.lock();
        let run = state.left.last()?.clone();
        let length = run.trials.end - run.trials.start;
        let seconds = state.seconds[run.arm];
        let fitting = if seconds > 0.0 { (CHUNK.as_secs_f64() / seconds) as u64 } else { 1 };
        // Towards the end, chunks shrink so that no worker is left with a long one alone.
        let fair = state.trials.div_ceil(self.workers * 2);
        let taken = fitting.min(fair).clamp(1, length);
        let chunk = Chunk { arm: run.arm, trials: run.trials.start..run.trials.start + taken };
        state.trials -= taken;
        if taken == length {
            state.left.pop();
        } else if let Some(last) = state.left.last_mut() {
            last.trials.start += taken;
        }
        Some(chunk)
    }

    /// Takes a chunk back that was not run: the next one to be handed out.
    pub(crate) fn give_back(&self, chunk: Chunk) {
        if chunk.trials.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.trials += chunk.trials.end - chunk.trials.start;
        state.left.push(chunk);
    }

    /// Tells how long a trial of `arm` took, so that later chunks fit.
    pub(crate) fn learn(&self, arm: usize, seconds_per_trial: f64) {
        // Never quite 0, which stands for unknown; capped growth comes from the measured value
        // itself.
        self.lock().seconds[arm] = seconds_per_trial.max(1e-9);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A worker that panics is a bug that ends the run; the counts in here are whole all the
        // same.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter::once;

    #[test]
    fn every_trial_is_handed_out_once_in_order() {
        let queue = Queue::new(&[vec![0..5, 8..9], vec![], once(2..4).collect()], 2);
        assert_eq!(queue.trials_left(), 8);
        let mut seen = Vec::new();
        while let Some(chunk) = queue.take() {
            queue.learn(chunk.arm, 0.004);
            seen.extend(chunk.trials.map(|trial| (chunk.arm, trial)));
        }
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 8), (2, 2), (2, 3)]);
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
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
    }

    #[test]
    fn chunks_grow_with_short_trials_and_shrink_towards_the_end() {
        let queue = Queue::new(&[once(0..1_000).collect()], 2);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(0..1));
        queue.learn(0, 0.000_2);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(1..101));
        queue.learn(0, 1e-7);
        assert_eq!(queue.take().map(|chunk| chunk.trials), Some(101..326));
    }
}
