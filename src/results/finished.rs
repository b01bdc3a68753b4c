//! Which trials are finished.

/// The finished trials of every arm: a bit each, so that a million trials take 125 kB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    arms: Vec<TrialSet>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TrialSet {
    words: Vec<u64>,
    count: u64,
}

impl Finished {
    #[must_use]
    pub fn new(arms: usize) -> Self {
        Finished { arms: vec![TrialSet::default(); arms] }
    }

    /// Whether trial `trial` of the arm with this index is finished.
    #[must_use]
    pub fn contains(&self, arm: usize, trial: u64) -> bool {
        let word = usize::try_from(trial / 64).ok().and_then(|place| self.arms[arm].words.get(place));
        word.is_some_and(|word| word >> (trial % 64) & 1 == 1)
    }

    /// How many trials of the arm are finished.
    #[must_use]
    pub fn count(&self, arm: usize) -> u64 {
        self.arms[arm].count
    }

    /// How many trials are finished, of all arms.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.arms.iter().map(|arm| arm.count).sum()
    }

    /// The trials of the arm below `repeats` that are still to run, ascending.
    pub fn missing(&self, arm: usize, repeats: u64) -> impl Iterator<Item = u64> + '_ {
        (0..repeats).filter(move |&trial| !self.contains(arm, trial))
    }

    /// Marks a trial; false if it was marked before.
    pub(crate) fn insert(&mut self, arm: usize, trial: u64) -> bool {
        let set = &mut self.arms[arm];
        let place = usize::try_from(trial / 64).expect("a trial's number fits the memory that counts it");
        if place >= set.words.len() {
            set.words.resize(place + 1, 0);
        }
        let bit = 1 << (trial % 64);
        let new = set.words[place] & bit == 0;
        set.words[place] |= bit;
        set.count += u64::from(new);
        new
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
        assert!(finished.contains(1, 130) && !finished.contains(1, 131) && !finished.contains(0, 0));
        assert_eq!(finished.missing(1, 4).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
