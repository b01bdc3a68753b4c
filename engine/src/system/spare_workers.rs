//! Spare workers: workers without a trial, whose cores the remaining trials may use.

use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Spare workers of a run. Each is identified by its place on the guard's board.
#[derive(Debug)]
pub struct SpareWorkers {
    count: Count,
    idle: Mutex<Idle>,
}

/// Number of spare workers, in use or not.
#[derive(Debug)]
enum Count {
    /// Number of spare workers of this process.
    Own(AtomicU32),
    /// Number of workers that the run grants to this worker process.
    Granted(&'static AtomicU32),
}

#[derive(Debug, Default)]
struct Idle {
    places: Vec<usize>,
    /// Number of granted workers that already have a place.
    granted: u32,
}

impl Default for SpareWorkers {
    fn default() -> Self {
        SpareWorkers { count: Count::Own(AtomicU32::new(0)), idle: Mutex::default() }
    }
}

impl SpareWorkers {
    /// Creates spare workers from a number that another process raises. Their places begin at 1.
    pub fn granted(count: &'static AtomicU32) -> Self {
        SpareWorkers { count: Count::Granted(count), idle: Mutex::default() }
    }

    /// Adds the worker at this place, which has no more trials to run.
    pub fn add(&self, place: usize) {
        self.idle().places.push(place);
        if let Count::Own(count) = &self.count {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Returns whether there are spare workers, in use or not. This is cheap enough for searches to
    /// ask at every batch.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.count().load(Relaxed) > 0
    }

    /// Returns the number of spare workers, in use or not.
    pub(crate) fn number(&self) -> usize {
        self.count().load(Relaxed) as usize
    }

    /// Claims up to `most` spare workers that are not in use. Dropping the claim releases them.
    pub(crate) fn claim(&self, most: usize) -> Claim<'_> {
        let mut idle = self.idle();
        if let Count::Granted(count) = &self.count {
            let (known, now) = (idle.granted, count.load(Relaxed));
            idle.places.extend((known..now).map(|place| place as usize + 1));
            idle.granted = known.max(now);
        }
        let left = idle.places.len().saturating_sub(most);
        let places = idle.places.split_off(left);
        Claim { spare: self, places }
    }

    fn count(&self) -> &AtomicU32 {
        match &self.count {
            Count::Own(count) => count,
            Count::Granted(count) => count,
        }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock()
    }
}

/// Spare workers in use.
#[derive(Debug)]
pub(crate) struct Claim<'run> {
    spare: &'run SpareWorkers,
    /// Places of the claimed workers on the board.
    pub places: Vec<usize>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.spare.idle().places.append(&mut self.places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_worker_is_in_one_claim_at_a_time() {
        let spare = SpareWorkers::default();
        assert!(!spare.any() && spare.claim(3).places.is_empty());
        spare.add(2);
        spare.add(5);
        let first = spare.claim(1);
        assert_eq!((first.places.len(), spare.claim(9).places.len()), (1, 1));
        drop(first);
        let mut all = spare.claim(9).places.clone();
        all.sort_unstable();
        assert_eq!(all, [2, 5]);
        assert!(spare.any() && spare.claim(0).places.is_empty());
    }

    #[test]
    fn granted_workers_get_places_as_their_number_grows() {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let spare = SpareWorkers::granted(&COUNT);
        assert!(!spare.any());
        COUNT.store(2, Relaxed);
        let two = spare.claim(9);
        assert_eq!(two.places, [1, 2]);
        COUNT.store(3, Relaxed);
        assert_eq!(spare.claim(9).places, [3]);
        drop(two);
        assert_eq!(spare.claim(9).places.len(), 3);
    }
}
