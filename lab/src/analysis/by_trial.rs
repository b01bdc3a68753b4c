//! Map from trial numbers to values, for very many trials.

/// Number of trials per chunk.
const CHUNK: u64 = 4_096;
const WORDS: usize = CHUNK as usize / 64;

/// Values by trial number. They take little more memory than the values alone if the trials are
/// contiguous.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByTrial {
    /// Chunks with their numbers, ascending. The number is that of the chunk's trials divided by
    /// [`CHUNK`].
    chunks: Vec<(u64, Box<Chunk>)>,
    len: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Chunk {
    /// Set of trials in the chunk.
    bits: [u64; WORDS],
    /// One more than the last trial.
    end: usize,
    /// Values, ascending by trial.
    values: Vec<f64>,
}

impl Chunk {
    fn new() -> Self {
        Chunk { bits: [0; WORDS], end: 0, values: Vec::new() }
    }

    fn has(&self, bit: usize) -> bool {
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Returns the number of the chunk's trials before this one.
    fn rank(&self, bit: usize) -> usize {
        if self.values.len() == self.end {
            // No trial is missing.
            return bit;
        }
        let before = self.bits[..bit / 64].iter().map(|word| word.count_ones()).sum::<u32>();
        let word = self.bits[bit / 64] & ((1 << (bit % 64)) - 1);
        (before + word.count_ones()) as usize
    }

    fn places(&self) -> impl Iterator<Item = u64> {
        (0..CHUNK).filter(|bit| self.has(*bit as usize))
    }
}

impl ByTrial {
    /// Sets the value of a trial.
    pub(crate) fn insert(&mut self, trial: u64, value: f64) {
        let (number, bit) = (trial / CHUNK, (trial % CHUNK) as usize);
        let place = match self.chunks.last() {
            // In most cases it is the last chunk.
            Some((last, _)) if *last == number => self.chunks.len() - 1,
            _ => self.place(number).unwrap_or_else(|place| {
                self.chunks.insert(place, (number, Box::new(Chunk::new())));
                place
            }),
        };
        let chunk = &mut self.chunks[place].1;
        if bit >= chunk.end {
            chunk.values.push(value);
            chunk.end = bit + 1;
        } else if chunk.has(bit) {
            let place = chunk.rank(bit);
            chunk.values[place] = value;
            return;
        } else {
            chunk.values.insert(chunk.rank(bit), value);
        }
        chunk.bits[bit / 64] |= 1 << (bit % 64);
        self.len += 1;
    }

    /// Returns the index of the chunk with this number; as an error, the index where it would be.
    fn place(&self, number: u64) -> Result<usize, usize> {
        self.chunks.binary_search_by_key(&number, |(number, _)| *number)
    }

    /// Returns the value of a trial.
    pub(crate) fn get(&self, trial: u64) -> Option<f64> {
        let (_, chunk) = &self.chunks[self.place(trial / CHUNK).ok()?];
        let bit = (trial % CHUNK) as usize;
        chunk.has(bit).then(|| chunk.values[chunk.rank(bit)])
    }

    /// Returns the number of trials.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the trials, ascending.
    pub(crate) fn trials(&self) -> impl Iterator<Item = u64> {
        self.chunks
            .iter()
            .flat_map(|(number, chunk)| chunk.places().map(move |place| number * CHUNK + place))
    }

    /// Returns the values, ascending by trial.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.chunks.iter().flat_map(|(_, chunk)| chunk.values.iter().copied())
    }

    /// Returns the trials with their values, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, f64)> {
        self.trials().zip(self.values())
    }
}

impl Extend<(u64, f64)> for ByTrial {
    fn extend<I: IntoIterator<Item = (u64, f64)>>(&mut self, trials: I) {
        trials.into_iter().for_each(|(trial, value)| self.insert(trial, value));
    }
}

impl FromIterator<(u64, f64)> for ByTrial {
    fn from_iter<I: IntoIterator<Item = (u64, f64)>>(trials: I) -> Self {
        let mut by_trial = ByTrial::default();
        by_trial.extend(trials);
        by_trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn numbers_come_back_by_trial_in_whatever_order_they_came(
            trials in prop::collection::vec(
                (prop_oneof![0u64..40, 4_060u64..4_140, Just(u64::MAX)], 0.0f64..9.0),
                0..300,
            ),
        ) {
            let map: BTreeMap<u64, f64> = trials.iter().copied().collect();
            let found: ByTrial = trials.into_iter().collect();
            prop_assert_eq!(found.len(), map.len());
            let pairs: Vec<(u64, f64)> = map.clone().into_iter().collect();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), pairs);
            for trial in (0..45).chain(4_050..4_150).chain([u64::MAX]) {
                prop_assert_eq!(found.get(trial), map.get(&trial).copied());
            }
            let sorted: ByTrial = map.into_iter().collect();
            prop_assert_eq!(found, sorted);
        }
    }
}
