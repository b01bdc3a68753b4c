//! Logged evaluations: batches whose results are taken from a log or written to it.

use super::batch::Batch;
use super::evaluation_log::{EvaluationLog, Speed};
use crate::problem::moves::Moves;
use crate::problem::{CallError, Gene};
use crate::system::call_limit;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Log of the current trial, if there is one, which all evaluators share.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedLog(Rc<RefCell<Option<Logged>>>);

impl SharedLog {
    /// Sets the log of the next trial.
    pub(super) fn begin(&self, log: Logged) {
        self.0.replace(Some(log));
    }

    /// Removes the log and returns it.
    pub(super) fn end(&self) -> Option<Logged> {
        self.0.take()
    }

    /// Returns whether there is a log.
    pub(super) fn is_kept(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Returns whether the log pays: whether evaluations, which it saves, take at least as long as
    /// all else that a trial does, which is done again.
    pub(super) fn pays(&self) -> bool {
        self.0.borrow().as_ref().is_some_and(|logged| {
            logged.is_recalled || logged.began.elapsed() <= logged.evaluated * 2
        })
    }

    /// Returns the time that the trial took before it was interrupted.
    pub(super) fn spent(&self) -> Duration {
        self.0.borrow().as_ref().map_or(Duration::ZERO, |logged| logged.log.spent())
    }

    /// Evaluates a batch by [`Logged::evaluate`]. Returns `None` without a log.
    pub(super) fn evaluate<G: Gene>(
        &self,
        batch: &mut Batch<'_, G>,
        least: usize,
        evaluate: impl FnMut(&mut Batch<'_, G>) -> Result<(), CallError>,
    ) -> Option<Result<(), CallError>> {
        self.with(|logged| logged.evaluate(batch, least, evaluate))
    }

    /// Evaluates moves from a genome by [`Logged::evaluate_moves`]. Returns `None` without a log.
    pub(super) fn evaluate_moves<G: Gene>(
        &self,
        genome: &mut [G],
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
        evaluate: impl FnOnce(&mut [G], usize, &mut [f64]) -> Result<(), CallError>,
    ) -> Option<Result<(), CallError>> {
        self.with(|logged| logged.evaluate_moves(genome, moves, fitness, evaluate))
    }

    /// Uses the log, and gives it up if it turns out not to pay.
    fn with<T>(&self, work: impl FnOnce(&mut Logged) -> T) -> Option<T> {
        let mut held = self.0.borrow_mut();
        let logged = held.as_mut()?;
        let done = work(logged);
        if logged.speed.is_fast() {
            *held = None;
        }
        Some(done)
    }
}

/// A log in use.
pub(super) struct Logged {
    pub log: Box<dyn EvaluationLog>,
    pub call_size: CallSize,
    pub speed: Speed,
    /// Moment at which this process took up the trial.
    began: Instant,
    /// Time that it has evaluated.
    evaluated: Duration,
    /// Whether the log may have more results of earlier processes.
    is_recalled: bool,
}

impl fmt::Debug for Logged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Logged").field("speed", &self.speed).finish_non_exhaustive()
    }
}

impl Logged {
    pub(super) fn new(log: Box<dyn EvaluationLog>, speed: Speed, call_size: CallSize) -> Self {
        let (began, evaluated) = (Instant::now(), Duration::ZERO);
        Logged { log, call_size, speed, began, evaluated, is_recalled: true }
    }

    /// Takes note of the time of evaluations.
    fn add(&mut self, evaluations: usize, time: Duration) {
        self.speed.add(evaluations, time);
        (self.evaluated, self.is_recalled) = (self.evaluated + time, false);
    }

    /// Takes the results of a batch from the log, as far as it has them. `evaluate` evaluates the
    /// other rows, so many at once that a call seldom takes longer than the log's interval, and at
    /// least `least`.
    fn evaluate<G: Gene>(
        &mut self,
        batch: &mut Batch<'_, G>,
        least: usize,
        mut evaluate: impl FnMut(&mut Batch<'_, G>) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let rows = batch.rows();
        let mut start = self.recall(batch);
        while start < rows {
            let end = rows.min(start + self.call_size.rows.max(least));
            let mut some = batch.range(start..end);
            let (began, waited) = (Instant::now(), call_limit::waited());
            match evaluate(&mut some) {
                Ok(()) => {}
                Err(error) if end - start == rows => return Err(error),
                // The whole batch gives the same error as without a log: the same row, the same
                // message.
                Err(_) => {
                    call_limit::set(call_limit::current());
                    evaluate(batch)?;
                    self.append(&batch.range(start..rows));
                    return Ok(());
                }
            }
            // A process that is started makes no call longer.
            let waited = call_limit::waited().saturating_sub(waited);
            let time = began.elapsed().saturating_sub(waited);
            self.append(&some);
            self.add(end - start, time);
            self.call_size.learn(end - start, time, self.log.interval());
            self.log.write_if_due();
            start = end;
        }
        Ok(())
    }

    /// Takes the fitness of moves from the log, as far as it has them. `evaluate` evaluates the
    /// other moves, from this number on.
    fn evaluate_moves<G: Gene>(
        &mut self,
        genome: &mut [G],
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
        evaluate: impl FnOnce(&mut [G], usize, &mut [f64]) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let checks: Vec<u32> =
            (0..fitness.len()).map(|number| check_of_move(genome, moves, number)).collect();
        let mut from = 0;
        while from < fitness.len()
            && let Some((known, _)) = self.log.recall(checks[from])
        {
            fitness[from] = known;
            from += 1;
        }
        if from == fitness.len() {
            return Ok(());
        }
        let rest = &mut fitness[from..];
        let began = Instant::now();
        evaluate(genome, from, rest)?;
        self.add(rest.len(), began.elapsed());
        for (check, fitness) in checks[from..].iter().zip(rest) {
            self.log.append(*check, *fitness, 0.0);
        }
        self.log.write_if_due();
        Ok(())
    }

    /// Returns the number of the first rows whose results the log has.
    fn recall<G: Gene>(&mut self, batch: &mut Batch<'_, G>) -> usize {
        let length = batch.genes.len() / batch.rows().max(1);
        for row in 0..batch.rows() {
            let check = check_of(&batch.genes[row * length..(row + 1) * length]);
            let Some((fitness, violation)) = self.log.recall(check) else { return row };
            batch.fitness[row] = fitness;
            if let Some(place) = batch.violations.get_mut(row) {
                *place = violation;
            }
        }
        batch.rows()
    }

    fn append<G: Gene>(&mut self, batch: &Batch<'_, G>) {
        let length = batch.genes.len() / batch.rows().max(1);
        for (row, fitness) in batch.fitness.iter().enumerate() {
            let check = check_of(&batch.genes[row * length..(row + 1) * length]);
            let violation = batch.violations.get(row).copied().unwrap_or(0.0);
            self.log.append(check, *fitness, violation);
        }
    }
}

/// Returns a checksum of a logged genome. If the plugin now draws other genomes than before, the
/// mismatch is detected at the first row of the log.
fn check_of<G: Gene>(genome: &[G]) -> u32 {
    let bytes: &[u8] = bytemuck::cast_slice(genome);
    bytes.chunks(8).fold(bytes.len() as u64, mix) as u32
}

/// Returns a checksum of a logged move.
fn check_of_move<G: Gene>(genome: &[G], moves: &Moves<'_, G>, number: usize) -> u32 {
    let mut sum = 0;
    moves.changes(number, genome, |position, value| {
        sum = mix(sum, &(position as u64).to_le_bytes());
        sum = mix(sum, bytemuck::bytes_of(&value));
    });
    sum as u32
}

/// Mixes at most 8 bytes into a sum.
fn mix(sum: u64, bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let product = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

/// Number of rows that are evaluated in one call. What a call evaluates is lost if the trial is
/// killed during the call, so that a call should not take much longer than the log's interval.
/// Plugins that take as long for many rows as for one still get all rows at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSize {
    pub rows: usize,
    /// Rows and time of the last call, if it had fewer rows.
    fewer: Option<(usize, Duration)>,
    /// Whether more rows are known to take more time.
    is_separate: bool,
}

/// Factor by which calls grow.
const GROWTH: usize = 4;

impl Default for CallSize {
    fn default() -> Self {
        CallSize { rows: 1, fewer: None, is_separate: false }
    }
}

impl CallSize {
    /// Takes note of the time of a call with this number of rows.
    fn learn(&mut self, rows: usize, time: Duration, interval: Duration) {
        let is_long = time > interval.saturating_mul(2);
        // A call with no more rows than the last says nothing, unless it took much longer.
        let is_known = self.fewer.is_some_and(|(fewer, before)| {
            rows <= fewer && time < before.saturating_mul(GROWTH as u32)
        });
        if is_known || (rows < self.rows && !is_long) {
            return;
        }
        // Where each row takes its time, a multiple of the rows takes that multiple of the time.
        let is_together = self.fewer.is_some_and(|(fewer, before)| {
            let ratio = rows as f64 / fewer as f64;
            time.as_secs_f64() < before.as_secs_f64() * ratio.sqrt()
        });
        let is_short = time.saturating_mul(2 * GROWTH as u32) < interval;
        if is_together || is_short || (rows == 1 && !self.is_separate) {
            self.fewer = Some((rows, time));
            self.rows = rows.saturating_mul(GROWTH);
            return;
        }
        (self.fewer, self.is_separate) = (None, true);
        if is_long {
            self.rows = (rows / GROWTH).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Rows per call after these batches, where a call of some rows takes a time.
    fn settled(batch: usize, batches: usize, time: impl Fn(usize) -> Duration) -> usize {
        let mut size = CallSize::default();
        for _ in 0..batches {
            let mut left = batch;
            while left > 0 {
                let rows = size.rows.min(left);
                size.learn(rows, time(rows), MINUTE);
                left -= rows;
            }
        }
        size.rows
    }

    #[test]
    fn calls_take_about_an_interval_unless_rows_are_evaluated_together() {
        let each = |seconds: f64| move |rows: usize| Duration::from_secs_f64(seconds * rows as f64);
        assert!(settled(100, 3, each(1e-3)) >= 100);
        let of_seconds = settled(100, 3, each(1.0));
        assert!((4..=64).contains(&of_seconds), "{of_seconds}");
        assert_eq!(settled(100, 3, each(60.0)), 1);
        // Each call takes ten minutes, for one row or for a hundred.
        let together = settled(100, 3, |_| 10 * MINUTE);
        assert!(together >= 100, "{together}");
        assert!(settled(100, 3, |_| MINUTE / 20) >= 100);
    }

    #[test]
    fn genomes_have_checks_of_their_own() {
        let mut checks: Vec<u32> = (0..1_000_u32).map(|gene| check_of(&[gene, 7])).collect();
        checks.extend((0..1_000_u32).map(|gene| check_of(&[7, gene, 0])));
        checks.sort_unstable();
        checks.dedup();
        assert_eq!(checks.len(), 2_000);
        assert_ne!(check_of::<u8>(&[0; 3]), check_of::<u8>(&[0; 4]));
    }

    #[derive(Default)]
    struct Rows(VecDeque<(u32, f64, f64)>, Vec<(u32, f64, f64)>);

    impl EvaluationLog for Rows {
        fn recall(&mut self, check: u32) -> Option<(f64, f64)> {
            let (own, fitness, violation) = self.0.pop_front()?;
            if own != check {
                self.0.clear();
                return None;
            }
            Some((fitness, violation))
        }

        fn append(&mut self, check: u32, fitness: f64, violation: f64) {
            self.1.push((check, fitness, violation));
        }

        fn write_if_due(&mut self) {}

        fn write(&mut self) {}

        fn interval(&self) -> Duration {
            MINUTE
        }

        fn spent(&self) -> Duration {
            Duration::ZERO
        }
    }

    #[test]
    fn only_rows_that_the_log_lacks_are_evaluated() {
        let genes: Vec<u8> = (0..10).collect();
        let log: VecDeque<_> =
            (0..3_u8).map(|gene| (check_of(&[gene]), f64::from(gene) + 0.5, 0.0)).collect();
        for (other, made) in [(None, 3..10), (Some(1), 1..10)] {
            let mut rows = Rows(VecDeque::clone(&log), Vec::new());
            if let Some(place) = other {
                rows.0[place].0 ^= 1;
            }
            let mut logged = Logged::new(
                Box::new(rows),
                Speed::default(),
                CallSize { rows: 4, ..CallSize::default() },
            );
            let mut fitness = vec![0.0; 10];
            let mut seen = Vec::new();
            let mut batch = Batch::new(&genes, &mut fitness, None);
            let evaluated = logged.evaluate(&mut batch, 1, |some| {
                assert!(some.rows() <= 16);
                seen.extend_from_slice(some.genes);
                some.fitness.fill(9.0);
                Ok(())
            });
            evaluated.expect("nothing fails");
            assert_eq!(seen, made.clone().collect::<Vec<u8>>());
            let due: Vec<f64> =
                (0..10).map(|g| if g < made.start { f64::from(g) + 0.5 } else { 9.0 }).collect();
            assert_eq!(fitness, due);
        }
    }
}
