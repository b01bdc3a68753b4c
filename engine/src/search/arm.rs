//! The arm of an executor: the problem, the settings of its search, and the stop rules.

use super::executor::{Executor, Search, TrialExecutor};
use super::operator_set::OperatorSet;
use super::start::Start;
use super::stop::Stop;
use super::trace::Trace;
use crate::problem::Problem;

/// What the trials of an arm have in common.
#[derive(Clone, Copy)]
pub struct Arm<'arm> {
    /// What is searched.
    pub problem: &'arm Problem,
    /// What searches.
    pub operators: &'arm OperatorSet,
    /// What ends a trial.
    pub stop: &'arm Stop,
    /// Given genomes of the first population; none: all are drawn.
    pub start: Option<&'arm Start>,
    /// What is kept of the generations.
    pub trace: Trace,
}

impl<'arm> Arm<'arm> {
    /// The executor that runs this solver.
    pub(super) fn run<S: Search + 'arm>(self, solver: S) -> Box<dyn TrialExecutor + 'arm> {
        Box::new(Executor::new(self, solver))
    }
}

/// The executor of a solver, which is compiled for the kinds of genes that are named, and for no
/// others.
macro_rules! executor_of {
    ($arm:expr, [$($kind:ident: $gene:ty),+], $solver:ident::new $parts:tt) => {
        match $arm.problem.description().gene {
            $($crate::problem::GeneKind::$kind => $arm.run($solver::<$gene>::new $parts),)+
            #[allow(unreachable_patterns, reason = "some solvers are for all kinds")]
            other => unreachable!("the config checked that genes are not {other:?}"),
        }
    };
    ($arm:expr, all, $solver:ident::new $parts:tt) => {
        $crate::search::arm::executor_of!(
            $arm, [U8: u8, U16: u16, U32: u32, F64: f64], $solver::new $parts
        )
    };
}
pub(super) use executor_of;
