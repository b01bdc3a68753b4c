//! Outcomes of an arm's trials by trial number, two bits each.

/// Outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Not yet ended.
    Missing,
    /// Ended without success.
    Unsuccessful,
    /// Ended with success.
    Successful,
    /// Failed, with an unknown result.
    Failed,
}

/// Outcomes of an arm's trials, by trial number.
#[derive(Clone, Debug, Default)]
pub struct OutcomeList {
    len: u64,
    /// One bit per trial: whether it ran to an end without failing.
    ran: Vec<u64>,
    /// One bit per trial: whether it succeeded, or failed and might have succeeded.
    perhaps: Vec<u64>,
}

impl OutcomeList {
    /// Records whether a trial succeeded; `None` if it failed.
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

    /// Returns the greatest recorded trial number plus one.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether no trial was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the outcome of the trial with this number.
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

    /// Counts the pairs of trials of two arms with the same number that both ran without failing.
    /// Returns the pairs in which only the first succeeded, in which only the second succeeded, and
    /// all pairs.
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

    /// Returns a copy in which every trial that did not run counts as a success or as unsuccessful.
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
    /// Collects the outcomes of the trials from 0 on.
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

    /// Generates outcomes of trials, some of them failed or missing.
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
        // A trial recorded twice has only its last outcome.
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
