//! What became of an arm's trials, by number: two bits each.

/// What became of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It has not ended.
    Missing,
    /// It ended without success.
    Unsuccessful,
    /// It succeeded.
    Successful,
    /// Nobody knows what it would have come to.
    Failed,
}

/// What became of an arm's trials, by number.
#[derive(Clone, Debug, Default)]
pub struct OutcomeList {
    len: u64,
    /// Whether a trial came to an end that counts, a bit each.
    ran: Vec<u64>,
    /// Whether it succeeded, or failed and perhaps would have.
    perhaps: Vec<u64>,
}

impl OutcomeList {
    /// Takes note of a trial: whether it succeeded; none if it failed.
    pub fn note(&mut self, trial: u64, success: Option<bool>) {
        let (word, bit) = ((trial / 64) as usize, 1 << (trial % 64));
        if word >= self.ran.len() {
            self.ran.resize(word + 1, 0);
            self.perhaps.resize(word + 1, 0);
        }
        let set = |words: &mut Vec<u64>, holds| match holds {
            true => words[word] |= bit,
            false => words[word] &= !bit,
        };
        set(&mut self.ran, success.is_some());
        set(&mut self.perhaps, success != Some(false));
        self.len = self.len.max(trial + 1);
    }

    /// One more than the greatest number.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether no trial was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What became of the trial of this number.
    #[must_use]
    pub fn at(&self, trial: u64) -> Seen {
        let (word, bit) = ((trial / 64) as usize, 1 << (trial % 64));
        let is = |words: &[u64]| words.get(word).is_some_and(|word| word & bit != 0);
        match (is(&self.ran), is(&self.perhaps)) {
            (false, false) => Seen::Missing,
            (true, false) => Seen::Unsuccessful,
            (true, true) => Seen::Successful,
            (false, true) => Seen::Failed,
        }
    }

    /// The trials of two arms with the same number, both of which count: those in which the first
    /// alone succeeded, in which the second alone did, and all.
    pub fn pairs(&self, other: &OutcomeList) -> [u64; 3] {
        let words = self.ran.iter().zip(&self.perhaps).zip(other.ran.iter().zip(&other.perhaps));
        let mut pairs = [0; 3];
        for ((ran, success), (other_ran, other_success)) in words {
            let both = ran & other_ran;
            let found = [both & success & !other_success, both & other_success & !success, both];
            pairs.iter_mut().zip(found).for_each(|(sum, of)| *sum += u64::from(of.count_ones()));
        }
        pairs
    }

    /// The same with every trial that did not run counted as a success, or as none.
    pub fn settled(&self, success: bool) -> OutcomeList {
        let mut settled = self.clone();
        let words = settled.ran.iter_mut().zip(&mut settled.perhaps);
        for (left, (ran, perhaps)) in
            (0..self.len).step_by(64).map(|from| self.len - from).zip(words)
        {
            let all = if left < 64 { (1 << left) - 1 } else { u64::MAX };
            *perhaps = *ran & *perhaps | if success { all & !*ran } else { 0 };
            *ran = all;
        }
        settled
    }
}

impl FromIterator<Option<bool>> for OutcomeList {
    /// The outcomes of the trials from 0 on.
    fn from_iter<I: IntoIterator<Item = Option<bool>>>(outcomes: I) -> Self {
        let mut list = OutcomeList::default();
        (0..).zip(outcomes).for_each(|(trial, success)| list.note(trial, success));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Failed, or missing, every so often.
    fn outcomes() -> impl Strategy<Value = Vec<Option<Option<bool>>>> {
        let outcome = prop_oneof![
            Just(None),
            Just(Some(None)),
            any::<bool>().prop_map(|success| Some(Some(success)))
        ];
        prop::collection::vec(outcome, 0..200)
    }

    fn list(outcomes: &[Option<Option<bool>>]) -> OutcomeList {
        let mut list = OutcomeList::default();
        let known = (0..).zip(outcomes).filter_map(|(trial, one)| one.map(|one| (trial, one)));
        // What is noted again is as if it were noted once.
        known.clone().for_each(|(trial, success)| list.note(trial, success.map(|one| !one)));
        known.for_each(|(trial, success)| list.note(trial, success));
        list
    }

    proptest! {
        #[test]
        fn words_of_bits_say_what_was_noted(first in outcomes(), second in outcomes()) {
            let (one, other) = (list(&first), list(&second));
            for (trial, outcome) in (0..).zip(first.iter().chain(&[None, None])) {
                prop_assert_eq!(one.at(trial), match outcome {
                    None => Seen::Missing,
                    Some(None) => Seen::Failed,
                    Some(Some(true)) => Seen::Successful,
                    Some(Some(false)) => Seen::Unsuccessful,
                });
            }
            let pairs = |first: &[Option<bool>], second: &[Option<bool>]| {
                let both: Vec<(bool, bool)> =
                    first.iter().zip(second).filter_map(|(one, two)| one.zip(*two)).collect();
                let count = |of: &[(bool, bool)]| {
                    both.iter().filter(|pair| of.contains(pair)).count() as u64
                };
                [count(&[(true, false)]), count(&[(false, true)]), both.len() as u64]
            };
            let plain = |outcomes: &[Option<Option<bool>>], list: &OutcomeList| {
                outcomes[..list.len() as usize].iter().map(|one| one.flatten()).collect::<Vec<_>>()
            };
            let (first, second) = (plain(&first, &one), plain(&second, &other));
            prop_assert_eq!(one.pairs(&other), pairs(&first, &second));
            for success in [true, false] {
                let settled = |outcomes: &[Option<bool>], success| {
                    outcomes.iter().map(|one| Some(one.unwrap_or(success))).collect::<Vec<_>>()
                };
                prop_assert_eq!(
                    one.settled(success).pairs(&other.settled(!success)),
                    pairs(&settled(&first, success), &settled(&second, !success))
                );
            }
        }
    }
}
