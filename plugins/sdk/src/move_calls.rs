//! The C functions of moves. They rest on the promises of the host that `export.rs` names: genome
//! and state are whole and exclusive for the call, and every position is one of the genome.

use crate::abi::{self, runner_moves};
use crate::export::{Fault, rows, slice, slice_mut};
use crate::moves::{Incremental, Moves};
use crate::problem::Problem;
use std::ffi::c_void;

/// Problem, genome, its length, state: the genome's fitness.
pub(crate) type BuildFn<P> = unsafe fn(&P, *const c_void, usize, *mut c_void) -> f64;
/// Problem, genome, its length, state, moves, fitness.
pub(crate) type EvaluateFn<P> =
    unsafe fn(&P, *mut c_void, usize, *mut c_void, &runner_moves, *mut f64) -> Result<(), Fault>;
/// Problem, genome, its length, state, the move.
pub(crate) type ApplyFn<P> =
    unsafe fn(&P, *mut c_void, usize, *mut c_void, &runner_moves) -> Result<(), Fault>;

/// # Safety
/// As in the header.
pub(crate) unsafe fn build<P: Incremental>(
    problem: &P,
    genome: *const c_void,
    length: usize,
    state: *mut c_void,
) -> f64 {
    // SAFETY: the caller's promise.
    let (genome, state) =
        unsafe { (slice(genome.cast::<P::Gene>(), length), state_of::<P>(problem, state)) };
    problem.build(genome, state);
    problem.state_fitness(genome, state)
}

/// # Safety
/// As in the header.
pub(crate) unsafe fn evaluate<P: Incremental>(
    problem: &P,
    genome: *mut c_void,
    length: usize,
    state: *mut c_void,
    moves: &runner_moves,
    fitness: *mut f64,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let genome = slice_mut(genome.cast::<P::Gene>(), length);
        let state = state_of::<P>(problem, state);
        let fitness = slice_mut(fitness, rows(moves.count));
        problem.evaluate_moves(genome, state, &read::<P>(moves)?, fitness);
    }
    Ok(())
}

/// # Safety
/// As in the header.
pub(crate) unsafe fn apply<P: Incremental>(
    problem: &P,
    genome: *mut c_void,
    length: usize,
    state: *mut c_void,
    moves: &runner_moves,
) -> Result<(), Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        let genome = slice_mut(genome.cast::<P::Gene>(), length);
        let state = state_of::<P>(problem, state);
        problem.apply(genome, state, &read::<P>(moves)?, 0);
    }
    Ok(())
}

/// # Safety
/// `state` leads to the bytes of a state, exclusive during `'a`.
unsafe fn state_of<'a, P: Incremental>(problem: &P, state: *mut c_void) -> &'a mut [P::Number] {
    // SAFETY: the caller's promise; any bytes are numbers.
    unsafe { slice_mut(state.cast::<P::Number>(), problem.state_length()) }
}

/// The moves in the SDK's types.
///
/// # Safety
/// They are what the header says, during `'a`.
unsafe fn read<'a, P: Problem>(moves: &'a runner_moves) -> Result<Moves<'a, P::Gene>, Fault> {
    let count = rows(moves.count);
    // SAFETY: the caller's promise: as many starts, positions and values as the header says.
    unsafe {
        match moves.kind {
            abi::RUNNER_CHANGES if moves.starts.is_null() => Ok(Moves::Single {
                positions: slice(moves.positions, count),
                values: slice(moves.values.cast(), count),
            }),
            abi::RUNNER_CHANGES => {
                let starts = slice(moves.starts, count + 1);
                let changes = starts[count] as usize;
                let positions = slice(moves.positions, changes);
                Ok(Moves::Several {
                    starts,
                    positions,
                    values: slice(moves.values.cast(), changes),
                })
            }
            abi::RUNNER_EXCHANGES => {
                Ok(Moves::Exchange { pairs: slice(moves.positions.cast::<[u32; 2]>(), count) })
            }
            kind => Err(Fault::Invalid(format!("the kind of move {kind} is unknown"))),
        }
    }
}
