//! Searches: a problem, an operator set and a seed in; a finished trial out. Knows neither TOML, terminal nor disk.

mod evolution;
mod population;
mod variation;
mod watch;

use crate::experiment::{Stop, Trace};
use crate::interrupt::Interrupt;
use crate::operators::OperatorSet;
use crate::problem::{GeneKind, Problem};
use crate::record::TrialRecord;
use evolution::Evolution;

/// A search that runs one trial after the other, its buffers kept between them.
pub trait Search {
    /// Runs the trial with this seed. None: it was interrupted. `arm`, `trial` and `timing` of the record are the
    /// caller's to fill in.
    fn run(&mut self, seed: u64, interrupt: &Interrupt) -> Option<TrialRecord>;
}

/// The search for an arm. The kind of gene is decided here, once, and nowhere below.
#[must_use]
pub fn searcher<'arm>(
    problem: &'arm Problem,
    operators: &'arm OperatorSet,
    stop: &'arm Stop,
    trace: Trace,
) -> Box<dyn Search + 'arm> {
    match problem.description().gene {
        GeneKind::U8 => Box::new(Evolution::<u8>::new(problem, operators, stop, trace)),
        GeneKind::U16 => Box::new(Evolution::<u16>::new(problem, operators, stop, trace)),
        GeneKind::U32 => Box::new(Evolution::<u32>::new(problem, operators, stop, trace)),
        GeneKind::F64 => Box::new(Evolution::<f64>::new(problem, operators, stop, trace)),
    }
}
