//! Calls the functions of a search that a plugin's algorithm began.

use super::handle::{UNWRITTEN_GENES, call, call_optional, with_aligned};
use super::operator_table::SearchCalls;
use super::written::written;
use crate::problem::GeneKind;
use crate::problem::host::{Rows, SearchInstance, check_asked};
use crate::system::aligned::Aligned;
use crate::system::guard::{self, Call, PluginNumber};
use std::cell::Cell;
use std::ffi::c_void;

/// Search of an algorithm, used by one thread at a time.
pub(super) struct Search {
    plugin: PluginNumber,
    calls: SearchCalls,
    pointer: *mut c_void,
    gene: GeneKind,
    genome_length: usize,
}

thread_local! {
    /// Buffer for the genomes of an ask. Between asks, no row counts as written: only rows that
    /// were asked for are cleared, since the whole takes longer than most searches.
    static ASKED: Cell<Aligned<u8>> = Cell::default();
}

impl Search {
    /// Begins a search of the algorithm with this instance pointer.
    ///
    /// # Safety
    /// The instance must be live as long as the search, and of genomes of this kind and length.
    pub(super) unsafe fn begin(
        (plugin, calls): (PluginNumber, SearchCalls),
        instance: *const c_void,
        (gene, genome_length): (GeneKind, usize),
        seed: &[u8; 32],
    ) -> Result<Search, String> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: guaranteed by the caller; the seed has 32 bytes, and the place is writable.
        call(plugin, Call::Begin, |error| unsafe {
            (calls.begin)(instance, seed.as_ptr(), &raw mut pointer, error)
        })?;
        Ok(Search { plugin, calls, pointer, gene, genome_length })
    }

    /// Returns the size of a genome in bytes.
    fn row(&self) -> usize {
        self.genome_length * self.gene.size()
    }
}

impl SearchInstance for Search {
    fn ask(&mut self, capacity: usize, genomes: &mut Vec<u8>) -> Result<(), String> {
        let mut buffer = ASKED.take();
        let room = capacity * self.row();
        if buffer.len() < room {
            let old = buffer.len();
            buffer.resize(room);
            buffer[old..].fill(UNWRITTEN_GENES);
        }
        let (mut rows, into) = (0, buffer.as_mut_ptr().cast());
        // SAFETY: the search is live, and the buffer has room for `capacity` genomes, aligned.
        let asked = call(self.plugin, Call::Ask, |error| unsafe {
            (self.calls.ask)(self.pointer, capacity as u64, into, &raw mut rows, error)
        });
        let asked = asked.and_then(|()| check_asked(rows, capacity));
        let written = asked.as_ref().map_or(room, |rows| rows * self.row());
        if asked.is_ok() {
            genomes.extend_from_slice(&buffer[..written]);
        }
        buffer[..written].fill(UNWRITTEN_GENES);
        ASKED.set(buffer);
        asked.map(|_| ())
    }

    fn tell(
        &mut self,
        genomes: Rows<'_>,
        fitness: &[f64],
        violations: Option<&[f64]>,
    ) -> Result<(), String> {
        let rows = fitness.len();
        assert_eq!(genomes.kind, self.gene, "a caller's bug: the genes are of another kind");
        assert_eq!(genomes.bytes.len(), rows * self.row(), "a caller's bug: one number per row");
        assert!(violations.is_none_or(|all| all.len() == rows), "a caller's bug: one per row");
        let violations = violations.map_or(std::ptr::null(), <[f64]>::as_ptr);
        with_aligned(0, genomes, |genomes| {
            let genomes = genomes.as_ptr().cast();
            // SAFETY: the search is live. There are `rows` genomes, aligned, and as many numbers of
            // each kind, unless violations are null.
            call(self.plugin, Call::Tell, |error| unsafe {
                let fitness = fitness.as_ptr();
                (self.calls.tell)(self.pointer, rows as u64, genomes, fitness, violations, error)
            })
        })
    }

    fn state(&mut self) -> Result<Option<Vec<u8>>, String> {
        let Some((state, _)) = self.calls.state else { return Ok(None) };
        written("state", |buffer| {
            // SAFETY: the search is live, and the buffer has the capacity that it states.
            call_optional(self.plugin, Call::State, |error| unsafe {
                state(self.pointer, buffer, error)
            })
        })
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        let (_, restore) = self.calls.state.ok_or("the plugin has none")?;
        // SAFETY: the search is live, and there are as many bytes.
        call(self.plugin, Call::Restore, |error| unsafe {
            restore(self.pointer, state.as_ptr(), state.len() as u64, error)
        })
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        guard::enter(self.plugin, Call::End);
        // SAFETY: `begin` returned the pointer, and the search ends only here.
        unsafe { (self.calls.end)(self.pointer) };
        super::environment::restore();
        guard::leave();
    }
}
