//! The C functions of moves and conflicts. They rest on the promises of the host that `export.rs`
//! names: genome and state are whole and exclusive for the call, and every position is one of the
//! genome.

use crate::abi::{self, runner_buffer, runner_moves};
use crate::conflicts::Conflicting;
use crate::entry::{Fault, guard};
use crate::export::{Draw, problem, rows, slice, slice_mut};
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

/// Problem, genome, state or null, positions, conflicts.
pub(crate) type CountFn<P> =
    unsafe fn(&P, &[<P as Problem>::Gene], *const c_void, &[u32], &mut [u32]);

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
/// As in the header.
pub(crate) unsafe fn count<P: Conflicting>(
    problem: &P,
    genome: &[P::Gene],
    state: *const c_void,
    positions: &[u32],
    conflicts: &mut [u32],
) {
    let length = problem.state_length();
    if !state.is_null() {
        // SAFETY: the caller's promise; any bytes are numbers.
        let state = unsafe { slice(state.cast::<P::Number>(), length) };
        return problem.conflicts(genome, state, positions, conflicts);
    }
    let mut memory = vec![0u64; (length * size_of::<P::Number>()).div_ceil(8)];
    // SAFETY: the memory is our own, large enough and aligned; any bytes are numbers.
    let state = unsafe { slice_mut(memory.as_mut_ptr().cast::<P::Number>(), length) };
    problem.build(genome, state);
    problem.conflicts(genome, state, positions, conflicts);
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
#[inline(always)]
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
            abi::RUNNER_REVERSALS => {
                Ok(Moves::Reversal { pairs: slice(moves.positions.cast::<[u32; 2]>(), count) })
            }
            abi::RUNNER_INSERTIONS => {
                Ok(Moves::Insertion { pairs: slice(moves.positions.cast::<[u32; 2]>(), count) })
            }
            kind => Err(Fault::Invalid(format!("the kind of move {kind} is unknown"))),
        }
    }
}

pub(crate) unsafe extern "C" fn build_state(
    instance: *const c_void,
    genome: *const c_void,
    state: *mut c_void,
    fitness: *mut f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: one genome to read, a state and a number to write, a live
        // instance.
        unsafe { problem(instance).build_state(genome, state, &mut *fitness) }
    })
}

pub(crate) unsafe extern "C" fn evaluate_moves(
    instance: *const c_void,
    genome: *mut c_void,
    state: *mut c_void,
    moves: *const runner_moves,
    fitness: *mut f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: one genome and its state, exclusive, moves that live through
        // the call, a number for each, a live instance.
        unsafe { problem(instance).evaluate_moves(genome, state, &*moves, fitness) }
    })
}

pub(crate) unsafe extern "C" fn apply_move(
    instance: *const c_void,
    genome: *mut c_void,
    state: *mut c_void,
    moves: *const runner_moves,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: as in `evaluate_moves`.
        unsafe { problem(instance).apply_move(genome, state, &*moves) }
    })
}

pub(crate) unsafe extern "C" fn conflicts(
    instance: *const c_void,
    genome: *const c_void,
    state: *const c_void,
    count: u64,
    positions: *const u32,
    conflicts: *mut u32,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: one genome and its state to read, as many positions as
        // numbers to write, a live instance.
        unsafe {
            let (positions, conflicts) =
                (slice(positions, rows(count)), slice_mut(conflicts, rows(count)));
            problem(instance).conflicts(genome, state, positions, conflicts)
        }
    })
}

pub(crate) unsafe extern "C" fn construct(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    genomes: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` rows of genomes to write, a live
        // instance.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            problem(instance).construct(&draw, genomes)
        }
    })
}
