//! Progress of trials by generation, and the watcher that reports it.

use crate::record::{OperatorCounts, TraceRow};
use crate::search::{Generation, Trace, Watcher};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

/// A completed generation of a trial that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationProgress {
    /// Index of the arm in the plan.
    pub arm: usize,
    /// Number of the trial within its arm.
    pub trial: u64,
    /// Figures of the generation.
    pub figures: GenerationFigures,
}

/// Figures of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationFigures {
    /// Row that a trace of generations has for it.
    pub row: TraceRow,
    /// Mean distance of all pairs of individuals; `None` unless a stop rule asks for it.
    pub diversity: Option<f64>,
    /// Children by operators; `None` unless the experiment asks for them and the algorithm counts
    /// them.
    pub operators: Option<OperatorCounts>,
}

/// Watcher that reports every n-th generation of a trial, from generation 0, and the one that
/// ends it.
pub(super) struct Reporter<F> {
    pub every: NonZeroU64,
    /// Trace of the experiment.
    pub trace: Trace,
    pub report: F,
}

impl<F: FnMut(GenerationFigures)> Watcher for Reporter<F> {
    fn generation(&mut self, generation: &Generation<'_>) {
        if generation.last || generation.number.is_multiple_of(self.every.get()) {
            (self.report)(GenerationFigures {
                row: generation.row(),
                diversity: generation.diversity,
                operators: generation.operators.filter(|_| self.trace.has_operators()),
            });
        }
    }
}
