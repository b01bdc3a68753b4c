//! Memory that searches share: each gets what its trials need, as long as there is some left.

use super::error::Refusal;
use crate::run::MemoryNeed;
use crate::system::memory::size;
use axum::http::StatusCode;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// Memory that all searches of a server may take together.
#[derive(Debug)]
pub(super) struct Memory {
    total: u64,
    taken: Mutex<u128>,
    given_back: Condvar,
}

/// Share of a search, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    memory: Arc<Memory>,
    bytes: u128,
}

impl Memory {
    /// Creates a pool of `total` bytes.
    pub(super) fn new(total: u64) -> Arc<Self> {
        Arc::new(Memory { total, taken: Mutex::default(), given_back: Condvar::new() })
    }

    /// Reserves memory for `most` concurrent trials, or as many as fit; returns how many. Waits for
    /// searches that are ending until `patience` is over.
    pub(super) fn take(
        self: &Arc<Self>,
        need: MemoryNeed,
        most: usize,
        patience: Duration,
    ) -> Result<(Share, usize), Refusal> {
        let (one, total) = (need.bytes(1), u128::from(self.total));
        let room = |taken: u128| need.fitting(total.saturating_sub(taken));
        let mut taken = self.taken.lock();
        let full = |taken: &mut u128| one <= total && room(*taken) == 0;
        self.given_back.wait_while_for(&mut taken, full, patience);
        let jobs = usize::try_from(room(*taken)).unwrap_or(usize::MAX).min(most);
        if jobs == 0 {
            return Err(self.refusal(one, total.saturating_sub(*taken)));
        }
        let bytes = need.bytes(jobs as u64);
        *taken += bytes;
        Ok((Share { memory: Arc::clone(self), bytes }, jobs))
    }

    fn refusal(&self, need: u128, left: u128) -> Refusal {
        let never = need > u128::from(self.total);
        let (need, all) = (size(need), size(self.total.into()));
        let limit = format!("searches of this server may use {all} together (--memory)");
        let smaller = "lower the population or make the problem smaller";
        let larger = "start the server with a larger --memory";
        if never {
            return Refusal::wrong(format!(
                "this search needs {need} of memory, and {limit}; {smaller}, or {larger}"
            ));
        }
        let words = format!(
            "this search needs {need} of memory; {limit}, and {} are left; wait for another \
            search to end, {smaller}, or {larger}",
            size(left)
        );
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.memory.taken.lock() -= self.bytes;
        self.memory.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn searches_share_what_there_is() {
        let memory = Memory::new(1_000);
        let need = |trial| MemoryNeed { trial, record: 100 };
        let (first, jobs) = memory.take(need(200), 8, NOW).expect("room");
        assert_eq!((first.bytes, jobs), (900, 4));
        let words = memory.take(need(200), 1, NOW).expect_err("no room").words;
        assert!(
            words.contains("needs 300 bytes") && words.contains("100 bytes are left"),
            "{words}"
        );
        drop(first);
        let (whole, jobs) = memory.take(need(900), 8, NOW).expect("room");
        assert_eq!((whole.bytes, jobs), (1_000, 1));
    }

    #[test]
    fn what_never_fits_is_refused_at_once() {
        let memory = Memory::new(1_000);
        for trial in [1_001, u128::MAX] {
            let need = MemoryNeed { trial, record: 100 };
            let refused = memory.take(need, 1, Duration::MAX).expect_err("no room");
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
            assert!(refused.words.contains("may use 1.0 kB together"), "{}", refused.words);
        }
    }
}
