//! The C functions of algorithms. They rest on the promises of the host that `export.rs` names.

use crate::abi::runner_buffer;
use crate::entry::{Fault, guard, write};
use crate::export::{rows, slice, slice_mut};
use crate::operator::Population;
use crate::operator_calls::{made, of_gene};
use crate::search::{AlgorithmOperator, AskTell, Batch};
use crate::{Gene, RowRng};
use std::ffi::c_void;
use std::marker::PhantomData;

/// A search on genes of any kind.
trait AnySearch {
    /// # Safety
    /// There is room for `capacity` genomes.
    unsafe fn ask(&mut self, capacity: usize, genomes: *mut c_void) -> Result<usize, String>;

    /// # Safety
    /// There are as many genomes as the population has.
    unsafe fn tell(&mut self, genomes: *const c_void, told: Population<'_>) -> Result<(), String>;

    fn state(&self) -> Option<Vec<u8>>;

    fn restore(&mut self, state: &[u8]) -> Result<(), String>;
}

/// A search, and the genomes that it is on.
struct Searching<S, G> {
    search: S,
    length: usize,
    gene: PhantomData<G>,
}

impl<G: Gene, S: AskTell<G>> AnySearch for Searching<S, G> {
    unsafe fn ask(&mut self, capacity: usize, genomes: *mut c_void) -> Result<usize, String> {
        let length = self.length;
        // SAFETY: the caller's promise.
        let genes = unsafe { slice_mut(genomes.cast::<G>(), capacity * length) };
        let mut batch = Batch { genes, length, rows: 0 };
        self.search.ask(&mut batch)?;
        Ok(batch.rows)
    }

    unsafe fn tell(&mut self, genomes: *const c_void, told: Population<'_>) -> Result<(), String> {
        // SAFETY: the caller's promise.
        let genes = unsafe { slice(genomes.cast::<G>(), told.fitness.len() * self.length) };
        self.search.tell(genes, told)
    }

    fn state(&self) -> Option<Vec<u8>> {
        self.search.state()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        self.search.restore(state)
    }
}

/// Search behind a pointer.
type Begun = Box<dyn AnySearch>;

/// Begins a search on genes of kind `G`.
fn begun<O: AlgorithmOperator, G: Gene>(
    operator: &O,
    length: usize,
    seed: &[u8; 32],
) -> Result<Begun, Fault> {
    let search = operator.begin::<G>(RowRng::new(seed, 0)).map_err(Fault::Failed)?;
    Ok(Box::new(Searching { search, length, gene: PhantomData::<G> }))
}

pub(crate) unsafe extern "C" fn begin<O: AlgorithmOperator>(
    instance: *const c_void,
    seed: *const u8,
    search: *mut *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a live instance, a 32-byte seed, a place for the search.
        unsafe {
            let (made, seed): (_, &[u8; 32]) = (made::<O>(instance), &*seed.cast());
            let begun = of_gene!(made, begun(&made.operator, made.length, seed))?;
            *search = Box::into_raw(Box::new(begun)).cast();
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn ask(
    search: *mut c_void,
    capacity: u64,
    genomes: *mut c_void,
    count: *mut u64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a live search that only this thread has, room for `capacity`
        // genomes, a place for the count.
        unsafe {
            let search = &mut *search.cast::<Begun>();
            *count = search.ask(rows(capacity), genomes).map_err(Fault::Failed)? as u64;
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn tell(
    search: *mut c_void,
    count: u64,
    genomes: *const c_void,
    fitness: *const f64,
    violations: *const f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a live search that only this thread has, `count` genomes and
        // numbers each (violations or null).
        unsafe {
            let violations = (!violations.is_null()).then(|| slice(violations, rows(count)));
            let told = Population { fitness: slice(fitness, rows(count)), violations };
            (*search.cast::<Begun>()).tell(genomes, told).map_err(Fault::Failed)
        }
    })
}

pub(crate) unsafe extern "C" fn state(
    search: *const c_void,
    state: *mut runner_buffer,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a live search that only this thread has, and a buffer.
        let (search, buffer) = unsafe { (&*search.cast::<Begun>(), &mut *state) };
        let state = search.state().ok_or_else(|| Fault::Invalid("it has no state".to_owned()))?;
        write(buffer, &state);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn restore(
    search: *mut c_void,
    state: *const u8,
    length: u64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a live search that only this thread has, and as many bytes.
        unsafe {
            let state = slice(state, rows(length));
            (*search.cast::<Begun>()).restore(state).map_err(Fault::Failed)
        }
    })
}

pub(crate) unsafe extern "C" fn end(search: *mut c_void) {
    if !search.is_null() {
        guard(std::ptr::null_mut(), || {
            // SAFETY: `begin` made it of a box, and the host gives it back once.
            drop(unsafe { Box::from_raw(search.cast::<Begun>()) });
            Ok(())
        });
    }
}
