//! Handle of a live plugin instance, problem or operator, and the calls that both share.

use super::environment;
use crate::problem::host::{Rows, RowsMut};
use crate::problem::{GeneKind, Genomes};
use crate::system::guard::{self, Call, PluginNumber};
use runner_plugin::abi::{self, runner_buffer};
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;

/// Maximum length of an error message in bytes; the rest is cut off.
const ERROR_CAPACITY: usize = 4096;
/// Alignment in bytes that the header guarantees for the first byte of every batch.
const ALIGNMENT: usize = 64;

/// Byte of genes before a plugin writes them. Integers are then the largest, and numbers NaN.
pub(super) const UNWRITTEN_GENES: u8 = u8::MAX;

/// Live instance, with the data that calls need.
pub(super) struct Handle {
    pub plugin: PluginNumber,
    /// Instance pointer of the plugin; may be null for a plugin without state.
    pub pointer: *mut c_void,
    pub destroy: abi::destroy_fn,
    pub gene: GeneKind,
    pub genome_length: usize,
}

// SAFETY: the header's rule 6: an instance is immutable and called from many threads at once.
unsafe impl Send for Handle {}
// SAFETY: an instance is immutable and called from many threads at once, by the header's rule 6.
unsafe impl Sync for Handle {}

impl Handle {
    /// Calls a function of the instance. A status other than OK becomes an error with the plugin's
    /// message.
    #[inline]
    pub(super) fn call(
        &self,
        call: Call,
        function: impl FnOnce(*mut runner_buffer) -> i32,
    ) -> Result<(), String> {
        self::call(self.plugin, call, function)
    }

    /// Returns the number of rows. The asserts make the calls sound, because the plugin never gets
    /// a count beyond the buffer.
    #[inline]
    pub(super) fn count(&self, rows: Rows<'_>) -> u64 {
        assert_eq!(
            rows.kind, self.gene,
            "a caller's bug: the genes are not of the instance's kind"
        );
        let row = self.genome_length * self.gene.size();
        // One genome, as searches by moves pass it, needs no division.
        if rows.bytes.len() == row {
            return 1;
        }
        assert_eq!(rows.bytes.len() % row, 0, "a caller's bug: the genes are not whole rows");
        (rows.bytes.len() / row) as u64
    }

    /// Calls `sample` or `mutate`.
    pub(super) fn random(
        &self,
        call: Call,
        function: abi::random_fn,
        seed: &[u8; 32],
        first_row: u64,
        rows: RowsMut<'_>,
    ) -> Result<(), String> {
        let count = self.count(rows.as_rows());
        with_aligned_mut(rows, |genes| {
            let (seed, genes) = (seed.as_ptr(), genes.as_mut_ptr().cast());
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned and
            // exclusive.
            self.call(call, |error| unsafe {
                function(self.pointer, seed, first_row, count, genes, error)
            })
        })
    }

    pub(super) fn crossover(
        &self,
        function: abi::crossover_fn,
        seed: &[u8; 32],
        first_row: u64,
        [first, second]: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String> {
        let count = self.count(children.as_rows());
        assert!(
            count == self.count(first) && count == self.count(second),
            "a caller's bug: two parents a child"
        );
        children.bytes.fill(UNWRITTEN_GENES);
        with_aligned(0, first, |first| {
            with_aligned(1, second, |second| {
                with_aligned_mut(children, |children| {
                    let (first, second) = (first.as_ptr().cast(), second.as_ptr().cast());
                    let (seed, children) = (seed.as_ptr(), children.as_mut_ptr().cast());
                    // SAFETY: the instance is live. Each of the three buffers holds `count` genomes
                    // of its kind, aligned; `children` is exclusive.
                    self.call(Call::Crossover, |error| unsafe {
                        let instance = self.pointer;
                        function(instance, seed, first_row, count, first, second, children, error)
                    })
                })
            })
        })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        guard::enter(self.plugin, Call::Destroy);
        // SAFETY: `create` returned the pointer, and it is destroyed only here.
        unsafe { (self.destroy)(self.pointer) };
        environment::restore();
        guard::leave();
    }
}

thread_local! {
    /// Buffer for plugins' error messages. It is all zeros between calls. A plugin that claims a
    /// longer message than it wrote therefore exposes no older text.
    static WORDS: UnsafeCell<[u8; ERROR_CAPACITY]> = const { UnsafeCell::new([0; ERROR_CAPACITY]) };
}

/// Calls a function with an error buffer. A status other than OK becomes an error with the plugin's
/// message.
#[inline(always)]
pub(super) fn call(
    plugin: PluginNumber,
    call: Call,
    function: impl FnOnce(*mut runner_buffer) -> i32,
) -> Result<(), String> {
    let words = WORDS.with(UnsafeCell::get);
    let mut error =
        runner_buffer { data: words.cast(), capacity: ERROR_CAPACITY as u64, length: 0 };
    guard::enter(plugin, call);
    let status = function(&raw mut error);
    environment::restore();
    guard::leave();
    // SAFETY: the bytes belong to this thread, and no call is running in it.
    let first = unsafe { *words.cast::<u8>() };
    if status == abi::RUNNER_OK && error.length == 0 && first == 0 {
        return Ok(());
    }
    // SAFETY: the bytes belong to this thread, no call is running in it, and the reference ends
    // with this function.
    unfortunate(status, error.length, unsafe { &mut *words })
}

/// Calls a function that answers `RUNNER_INVALID` if the instance lacks the result. Returns
/// whether it has one.
pub(super) fn call_optional(
    plugin: PluginNumber,
    call: Call,
    function: impl FnOnce(*mut runner_buffer) -> i32,
) -> Result<bool, String> {
    let mut status = abi::RUNNER_OK;
    let answer = self::call(plugin, call, |error| {
        status = function(error);
        status
    });
    if status == abi::RUNNER_INVALID { Ok(false) } else { answer.map(|()| true) }
}

/// Converts the status and message of a call to a result. Fills the buffer with zeros.
#[cold]
fn unfortunate(status: i32, length: u64, bytes: &mut [u8; ERROR_CAPACITY]) -> Result<(), String> {
    let written = &bytes[..length.min(ERROR_CAPACITY as u64) as usize];
    // Bytes after the end of the text are zeros, whatever length the plugin reports.
    let written = written.split(|byte| *byte == 0).next().unwrap_or_default();
    let words = String::from_utf8_lossy(written);
    let words = match words.trim() {
        "" => "it gave no reason",
        words => words,
    };
    let meaning = match status {
        abi::RUNNER_OK => Ok(()),
        abi::RUNNER_INVALID | abi::RUNNER_FAILED => Err(words.to_owned()),
        abi::RUNNER_PANIC => Err(format!("panicked: {words}")),
        other => Err(format!("it returned the unknown status {other}: {words}")),
    };
    bytes.fill(0);
    meaning
}

thread_local! {
    /// Scratch buffers for rows that are not aligned, such as one row of a population.
    static SCRATCH: [Cell<Genomes>; 3] = Default::default();
}

/// Passes the genes to `body`. Rows that are not aligned are copied to the scratch buffer `slot`
/// first; nested uses need different slots.
#[inline]
pub(super) fn with_aligned<R>(slot: usize, rows: Rows<'_>, body: impl FnOnce(&[u8]) -> R) -> R {
    let copy = if is_aligned(rows.bytes) { None } else { Some(copied(slot, rows.bytes)) };
    let result = body(copy.as_ref().map_or(rows.bytes, |copy| copy.genes()));
    if let Some(copy) = copy {
        keep(slot, copy);
    }
    result
}

/// Passes the genes to `body` like [`with_aligned`], and copies the result back.
#[inline(always)]
pub(super) fn with_aligned_mut<R>(rows: RowsMut<'_>, body: impl FnOnce(&mut [u8]) -> R) -> R {
    const SLOT: usize = 2;
    let mut copy = if is_aligned(rows.bytes) { None } else { Some(copied(SLOT, rows.bytes)) };
    let result = body(copy.as_mut().map_or(&mut *rows.bytes, |copy| copy.genes_mut()));
    if let Some(copy) = copy {
        rows.bytes.copy_from_slice(copy.genes());
        keep(SLOT, copy);
    }
    result
}

#[inline]
fn is_aligned(bytes: &[u8]) -> bool {
    bytes.as_ptr().addr().is_multiple_of(ALIGNMENT)
}

/// Returns a copy in the scratch buffer of a slot, which is taken from it.
#[cold]
fn copied(slot: usize, bytes: &[u8]) -> Genomes {
    let mut copy = SCRATCH.with(|scratch| scratch[slot].take());
    copy.resize::<u8>(bytes.len());
    copy.genes_mut().copy_from_slice(bytes);
    copy
}

/// Gives a scratch buffer back to its slot.
#[cold]
fn keep(slot: usize, copy: Genomes) {
    SCRATCH.with(|scratch| scratch[slot].set(copy));
}
