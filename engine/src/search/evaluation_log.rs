//! Log of a trial's evaluations.
//!
//! A trial follows from its seed and from the results of its evaluations. So these results, in
//! their order, are all that is needed to go on with an interrupted trial: it runs again from its
//! seed, and takes them from the log in place of the plugin, until the log ends. This holds for
//! every algorithm, restart, schedule and stop rule, and for algorithms of plugins, with no code in
//! any of them. The evaluations, which take the time, are not made again.

use std::time::Duration;

/// Number of evaluations from which on it is known whether they are fast.
const TRIED: u64 = 4_096;
/// Time per evaluation below which no log is kept: the log would grow by more than a megabyte per
/// second, and to run again from it would take about as long as to evaluate.
const FAST: Duration = Duration::from_micros(10);

/// Evaluations that the trials of an arm made, and the time that they took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speed {
    evaluations: u64,
    time: Duration,
}

impl Speed {
    /// Takes note of more evaluations.
    pub(super) fn add(&mut self, evaluations: usize, time: Duration) {
        self.evaluations += evaluations as u64;
        self.time += time;
    }

    /// Returns whether evaluations are known to be so fast that a log does not pay.
    pub(super) fn is_fast(&self) -> bool {
        let Speed { evaluations, time } = *self;
        evaluations >= TRIED && time.as_secs_f64() < evaluations as f64 * FAST.as_secs_f64()
    }
}

/// Log of the evaluations of one trial, in the order in which the trial makes them.
pub trait EvaluationLog {
    /// Takes the next result, a fitness and a violation, if it is of a genome with this
    /// check. If it is of another genome, the log ends before it.
    /// Returns `None` from the end of the log on.
    fn recall(&mut self, check: u32) -> Option<(f64, f64)>;

    /// Appends the result of a genome with this check.
    fn append(&mut self, check: u32, fitness: f64, violation: f64);

    /// Writes the appended results if that is due.
    fn write_if_due(&mut self);

    /// Writes the appended results, because the trial is interrupted.
    fn write(&mut self);

    /// Returns the time after which results are due to be written.
    fn interval(&self) -> Duration;

    /// Returns the time that the trial took before it was interrupted.
    fn spent(&self) -> Duration;
}
