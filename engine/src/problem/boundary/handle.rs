//! What a plugin's `create` gave, problem or operator, and the calls that both have.

use super::environment;
use crate::problem::host::{Rows, RowsMut};
use crate::problem::{GeneKind, Genomes};
use crate::system::guard::{self, Call, PluginNumber};
use runner_plugin::abi::{self, runner_buffer};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::c_void;

/// Bytes of an error message that are kept.
const ERROR_CAPACITY: usize = 4096;
/// What the header promises of the first byte of every batch.
const ALIGNMENT: usize = 64;

/// A live instance, with what calls need to know of it.
pub(super) struct Handle {
    pub plugin: PluginNumber,
    /// A null pointer is a fine instance for a plugin without state.
    pub pointer: *mut c_void,
    pub destroy: abi::destroy_fn,
    pub gene: GeneKind,
    pub genome_length: usize,
}

// SAFETY: the header's rule 6: an instance is immutable and called from many threads at once.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// Calls a function of the instance; a status other than OK becomes the plugin's words.
    #[inline]
    pub(super) fn call(
        &self,
        call: Call,
        function: impl FnOnce(*mut runner_buffer) -> i32,
    ) -> Result<(), String> {
        self::call(self.plugin, call, function)
    }

    /// How many rows there are. The asserts make the calls sound: the plugin is told of no more
    /// than is there.
    #[inline]
    pub(super) fn count(&self, rows: Rows<'_>) -> u64 {
        assert_eq!(
            rows.kind, self.gene,
            "a caller's bug: the genes are not of the instance's kind"
        );
        let row = self.genome_length * self.gene.size();
        assert_eq!(rows.bytes.len() % row, 0, "a caller's bug: the genes are not whole rows");
        (rows.bytes.len() / row) as u64
    }

    /// `sample` or `mutate`.
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
            // SAFETY: a live instance and `count` genomes of its kind, aligned and exclusive.
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
        with_aligned(0, first, |first| {
            with_aligned(1, second, |second| {
                with_aligned_mut(children, |children| {
                    let (first, second) = (first.as_ptr().cast(), second.as_ptr().cast());
                    let (seed, children) = (seed.as_ptr(), children.as_mut_ptr().cast());
                    // SAFETY: a live instance and three times `count` genomes of its kind, aligned,
                    // the last exclusive.
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
        // SAFETY: `create` gave it, and this is the only place that gives it back.
        unsafe { (self.destroy)(self.pointer) };
        environment::restore();
        guard::leave();
    }
}

thread_local! {
    /// Where plugins write their words. All zeros between calls: what a plugin says it wrote and
    /// did not is then nobody's.
    static WORDS: UnsafeCell<[u8; ERROR_CAPACITY]> = const { UnsafeCell::new([0; ERROR_CAPACITY]) };
}

/// Calls with an error buffer; a status other than OK becomes the plugin's words.
#[inline]
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
    // SAFETY: this thread's own bytes, and no call is under way in it.
    let first = unsafe { *words.cast::<u8>() };
    if status == abi::RUNNER_OK && error.length == 0 && first == 0 {
        return Ok(());
    }
    // SAFETY: as above; the reference ends with this function.
    unfortunate(status, error.length, unsafe { &mut *words })
}

/// What a call's status and words mean. Leaves the words zero.
#[cold]
fn unfortunate(status: i32, length: u64, bytes: &mut [u8; ERROR_CAPACITY]) -> Result<(), String> {
    let written = &bytes[..length.min(ERROR_CAPACITY as u64) as usize];
    // Beyond its end, a text is zeros, however long the plugin says it is.
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
    /// For rows that do not start at a cache line (one row out of a population): copied here.
    static SCRATCH: [RefCell<Genomes>; 3] = Default::default();
}

/// Passes the genes on, by way of a scratch buffer (`slot`, one a nested use) if they are not
/// aligned.
#[inline]
pub(super) fn with_aligned<R>(slot: usize, rows: Rows<'_>, body: impl FnOnce(&[u8]) -> R) -> R {
    if rows.bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return body(rows.bytes);
    }
    SCRATCH.with(|scratch| {
        let mut copy = scratch[slot].borrow_mut();
        copy.resize::<u8>(rows.bytes.len());
        copy.genes_mut().copy_from_slice(rows.bytes);
        body(copy.genes())
    })
}

/// As [`with_aligned`], and copies back.
#[inline]
pub(super) fn with_aligned_mut<R>(rows: RowsMut<'_>, body: impl FnOnce(&mut [u8]) -> R) -> R {
    if rows.bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return body(rows.bytes);
    }
    SCRATCH.with(|scratch| {
        let mut copy = scratch[2].borrow_mut();
        copy.resize::<u8>(rows.bytes.len());
        copy.genes_mut().copy_from_slice(rows.bytes);
        let result = body(copy.genes_mut());
        rows.bytes.copy_from_slice(copy.genes());
        result
    })
}
