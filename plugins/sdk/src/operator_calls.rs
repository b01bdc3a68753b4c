//! The C functions of operators. They rest on the promises of the host that `export.rs` names.

use crate::abi::{runner_buffer, runner_description, runner_value};
use crate::entry::{Fault, guard, take_over_panic_messages};
use crate::export::{Draw, given, rows, slice, slice_mut};
use crate::operator::{
    CrossoverOperator, DeclaredOperator, Domain, Encoding, MutationOperator, Operator, Population,
    SelectionOperator,
};
use crate::{Gene, RowRng, raw_genes};
use std::ffi::c_void;

// SAFETY: a constant whose pointers lead to other constants; nobody writes to it.
unsafe impl Sync for DeclaredOperator {}
// SAFETY: as above.
unsafe impl Send for DeclaredOperator {}

/// An operator, and the genomes that it was made for.
pub(crate) struct Made<O> {
    pub operator: O,
    pub gene: u32,
    pub length: usize,
}

/// Calls a function of any kind of gene with the kind that an instance has.
macro_rules! of_gene {
    ($made:expr, $call:ident($($argument:expr),*)) => {
        match $made.gene {
            $crate::abi::RUNNER_GENE_U8 => $call::<O, u8>($($argument),*),
            $crate::abi::RUNNER_GENE_U16 => $call::<O, u16>($($argument),*),
            $crate::abi::RUNNER_GENE_U32 => $call::<O, u32>($($argument),*),
            _ => $call::<O, f64>($($argument),*),
        }
    };
}
pub(crate) use of_gene;

/// # Safety
/// `instance` is one that `create::<O>` gave and `destroy` has not taken back.
pub(crate) unsafe fn made<'a, O>(instance: *const c_void) -> &'a Made<O> {
    // SAFETY: the caller's promise.
    unsafe { &*instance.cast::<Made<O>>() }
}

/// # Safety
/// The description is what the header says, for the length of the call.
unsafe fn domain(problem: &runner_description) -> Result<Domain, Fault> {
    let unknown = || Fault::Failed(format!("the encoding {} is unknown", problem.encoding));
    let known = |fitness: f64| (!fitness.is_nan()).then_some(fitness);
    // SAFETY: the caller's promise: as many bounds as it says.
    let (low, high) = unsafe {
        let count = rows(problem.bound_count);
        (slice(problem.low, count), slice(problem.high, count))
    };
    Ok(Domain {
        encoding: Encoding::of(problem.encoding).ok_or_else(unknown)?,
        genome_length: rows(problem.genome_length),
        low: low.to_vec(),
        high: high.to_vec(),
        // SAFETY: the caller's promise.
        genes: unsafe { raw_genes::given(problem) }?,
        ideal: known(problem.ideal),
        worst: known(problem.worst),
    })
}

pub(crate) unsafe extern "C" fn create<O: Operator>(
    values: *const runner_value,
    count: u64,
    problem: *const runner_description,
    instance: *mut *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    take_over_panic_messages();
    guard(error, || {
        // SAFETY: the header's rules: `count` values and a description, read during this call.
        let (parameters, problem) = unsafe { (given(O::PARAMETERS, values, count)?, &*problem) };
        // SAFETY: as above.
        let domain = unsafe { domain(problem) }?;
        let operator = O::create(&parameters, &domain).map_err(Fault::Invalid)?;
        let (gene, length) = (problem.gene, domain.genome_length.max(1));
        let made = Box::new(Made { operator, gene, length });
        // SAFETY: the host's place for the pointer.
        unsafe { *instance = Box::into_raw(made).cast() };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn destroy<O: Operator>(instance: *mut c_void) {
    if !instance.is_null() {
        guard(std::ptr::null_mut(), || {
            // SAFETY: `create::<O>` made it of a box, and the host gives it back once.
            drop(unsafe { Box::from_raw(instance.cast::<Made<O>>()) });
            Ok(())
        });
    }
}

pub(crate) unsafe extern "C" fn select<O: SelectionOperator>(
    instance: *const c_void,
    seed: *const u8,
    count: u64,
    fitness: *const f64,
    violations: *const f64,
    parent_count: u64,
    parents: *mut u32,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` numbers each (violations or null),
        // room for the parents, a live instance.
        let (made, seed, fitness, violations, parents) = unsafe {
            let violations = (!violations.is_null()).then(|| slice(violations, rows(count)));
            let seed: &[u8; 32] = &*seed.cast();
            let (fitness, parents) =
                (slice(fitness, rows(count)), slice_mut(parents, rows(parent_count)));
            (made::<O>(instance), seed, fitness, violations, parents)
        };
        let population = Population { fitness, violations };
        made.operator.select(&mut RowRng::new(seed, 0), population, parents).map_err(Fault::Failed)
    })
}

/// # Safety
/// The pointers lead to as many genomes of kind `G` as the draw has rows.
unsafe fn cross<O: CrossoverOperator, G: Gene>(
    made: &Made<O>,
    draw: &Draw<'_>,
    parents: (*const c_void, *const c_void),
    children: *mut c_void,
) -> Result<(), Fault> {
    let (length, count) = (made.length, draw.rows * made.length);
    // SAFETY: the caller's promise.
    let (first, second, children) = unsafe {
        let (first, second) = (slice(parents.0.cast::<G>(), count), slice(parents.1.cast(), count));
        (first, second, slice_mut(children.cast::<G>(), count))
    };
    let mut result = Ok(());
    draw.each_row(|row, rng| {
        let genes = row * length..(row + 1) * length;
        let (one, two) = (&first[genes.clone()], &second[genes.clone()]);
        if result.is_ok() {
            result = made.operator.cross(rng, one, two, &mut children[genes]);
        }
    });
    result.map_err(Fault::Failed)
}

pub(crate) unsafe extern "C" fn crossover<O: CrossoverOperator>(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    first: *const c_void,
    second: *const c_void,
    children: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` rows each of parents and children, a
        // live instance.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            let made = made::<O>(instance);
            of_gene!(made, cross(made, &draw, (first, second), children))
        }
    })
}

/// # Safety
/// `genomes` leads to as many genomes of kind `G` as the draw has rows.
unsafe fn change<O: MutationOperator, G: Gene>(
    made: &Made<O>,
    draw: &Draw<'_>,
    genomes: *mut c_void,
) -> Result<(), Fault> {
    let length = made.length;
    // SAFETY: the caller's promise.
    let genes = unsafe { slice_mut(genomes.cast::<G>(), draw.rows * length) };
    let mut result = Ok(());
    draw.each_row(|row, rng| {
        if result.is_ok() {
            result = made.operator.mutate(rng, &mut genes[row * length..][..length]);
        }
    });
    result.map_err(Fault::Failed)
}

pub(crate) unsafe extern "C" fn mutate<O: MutationOperator>(
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
            let made = made::<O>(instance);
            of_gene!(made, change(made, &draw, genomes))
        }
    })
}
