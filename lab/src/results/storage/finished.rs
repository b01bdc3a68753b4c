//! Finished trials.

use roaring::RoaringTreemap;
use std::ops::Range;

/// The finished trials of every arm, as ranges of consecutive numbers: a few bytes per range,
/// wherever it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    arms: Vec<RoaringTreemap>,
}

impl Finished {
    /// Returns an empty set for `arms` arms.
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Finished { arms: vec![RoaringTreemap::new(); arms] }
    }

    /// Returns whether trial `trial` of the arm with this index is finished.
    #[must_use]
    pub fn contains(&self, arm: usize, trial: u64) -> bool {
        self.arms[arm].contains(trial)
    }

    /// Returns the number of finished trials of the arm.
    #[must_use]
    pub fn count(&self, arm: usize) -> u64 {
        self.arms[arm].len()
    }

    /// Returns the number of finished trials of all arms.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.arms.iter().map(RoaringTreemap::len).sum()
    }

    /// Returns the runs of trials of the arm, among these, that are still to run, ascending. Takes
    /// as long as there are finished trials, not as long as the range is.
    #[must_use]
    pub fn missing(&self, arm: usize, among: Range<u64>) -> Vec<Range<u64>> {
        let mut runs = Vec::new();
        let mut next = among.start;
        let mut done = self.arms[arm].iter();
        done.advance_to(among.start);
        for trial in done.take_while(|trial| *trial < among.end) {
            if next < trial {
                runs.push(next..trial);
            }
            next = trial + 1;
        }
        if next < among.end {
            runs.push(next..among.end);
        }
        runs
    }

    /// Marks a trial; false if it was marked before.
    pub(crate) fn insert(&mut self, arm: usize, trial: u64) -> bool {
        self.arms[arm].insert(trial)
    }

    /// Marks a run of trials.
    pub(crate) fn insert_run(&mut self, arm: usize, trials: Range<u64>) {
        self.arms[arm].insert_range(trials);
    }

    /// Marks all trials that others mark.
    pub(crate) fn extend(&mut self, others: &Finished) {
        self.arms.iter_mut().zip(&others.arms).for_each(|(own, other)| *own |= other);
    }

    /// Removes a trial's mark; false if it had none.
    pub(crate) fn remove(&mut self, arm: usize, trial: u64) -> bool {
        self.arms[arm].remove(trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_counted_once() {
        let mut finished = Finished::new(2);
        assert!(finished.insert(1, 0));
        assert!(finished.insert(1, 130));
        assert!(!finished.insert(1, 130));
        assert_eq!((finished.count(0), finished.count(1), finished.total()), (0, 2, 2));
        assert!(
            finished.contains(1, 130) && !finished.contains(1, 131) && !finished.contains(0, 0)
        );
        assert_eq!(finished.missing(1, 0..4), std::iter::once(1..4).collect::<Vec<_>>());
        assert_eq!(finished.missing(1, 0..200), [1..130, 131..200]);
        assert!(finished.missing(1, 130..131).is_empty());
        assert!(finished.missing(0, 5..5).is_empty());
        assert!(finished.remove(1, 0) && !finished.remove(1, 0));
        finished.insert_run(1, 128..133);
        assert_eq!(finished.count(1), 5);
    }

    #[test]
    fn trials_may_lie_anywhere() {
        let mut finished = Finished::new(1);
        let far = 1_000_000_000_000;
        (far..far + 1_000).for_each(|trial| assert!(finished.insert(0, trial)));
        assert!(finished.insert(0, u64::MAX - 1));
        assert_eq!(finished.missing(0, 0..2 * far), [0..far, far + 1_000..2 * far]);
    }
}
