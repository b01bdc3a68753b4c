//! Progress of trials by generation, and the watcher that reports it.

use crate::record::TraceRow;
use crate::search::{Generation, Watcher};
use std::num::NonZeroU64;

/// A completed generation of a trial that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationProgress {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm.
    pub trial: u64,
    /// Figures of the generation, as the generations table has them.
    pub figures: TraceRow,
    /// Mean distance of all pairs of individuals; `None` unless a stop rule asks for it.
    pub diversity: Option<f64>,
}

/// Watcher that reports every so manieth generation of a trial, from generation 0, and the one that
/// ends it.
pub(super) struct Reporter<F> {
    pub every: NonZeroU64,
    pub report: F,
}

impl<F: FnMut(TraceRow, Option<f64>)> Watcher for Reporter<F> {
    fn generation(&mut self, generation: &Generation<'_>) {
        if generation.last || generation.number.is_multiple_of(self.every.get()) {
            (self.report)(generation.row(), generation.diversity);
        }
    }
}
