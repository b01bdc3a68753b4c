//! Frequency tables of samples.

use super::quantile::Place;

/// Frequency table of a sample: its distinct values in ascending order, with their counts. Rank
/// statistics need no more than this, and very many trials often have few distinct values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frequencies {
    /// Distinct values with their counts, in the order of `f64::total_cmp`.
    groups: Vec<(f64, u64)>,
    len: u64,
}

impl Frequencies {
    /// Builds the frequency table of values in any order.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let same = |one: &f64, other: &f64| one.to_bits() == other.to_bits();
        let mut groups = Vec::with_capacity(values.chunk_by(same).count());
        groups.extend(values.chunk_by(same).map(|group| (group[0], group.len() as u64)));
        Frequencies { groups, len: values.len() as u64 }
    }

    /// Returns the number of values, including repeated ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the distinct values in ascending order, with their counts.
    #[must_use]
    pub fn groups(&self) -> &[(f64, u64)] {
        &self.groups
    }

    /// Returns the least and the greatest value. `None` if there are no values.
    #[must_use]
    pub fn ends(&self) -> Option<(f64, f64)> {
        Some((self.groups.first()?.0, self.groups.last()?.0))
    }

    /// Returns the middle value, or the mean of the two middle values. `None` if there are no
    /// values.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        let place = Place::among(self.len, 0.5)?;
        Some(place.between(self.ranked(place.below), self.ranked(place.above)))
    }

    /// Returns the two middle values, or the middle value twice. `None` if there are no values.
    #[must_use]
    pub fn middle(&self) -> Option<(f64, f64)> {
        let last = self.len.checked_sub(1)?;
        Some((self.ranked(last / 2), self.ranked(self.len / 2)))
    }

    /// Returns the value of this rank, from 0. The rank must be below the number of values.
    fn ranked(&self, rank: u64) -> f64 {
        let mut passed = 0;
        let holds = |(_, count): &&(f64, u64)| {
            passed += count;
            passed > rank
        };
        self.groups.iter().find(holds).map_or(f64::NAN, |(value, _)| *value)
    }

    /// Returns the table with `by` applied to each value. `by` must preserve the order.
    #[must_use]
    pub fn map(&self, by: impl Fn(f64) -> f64) -> Self {
        let groups = self.groups.iter().map(|(value, count)| (by(*value), *count));
        Frequencies { groups: groups.collect(), len: self.len }
    }
}

impl FromIterator<f64> for Frequencies {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Frequencies::of(values.into_iter().collect())
    }
}

/// Returns the counts of each distinct value in the first and in the second sample, in ascending
/// order of the values. Positive and negative zero are one value.
pub(super) fn together<'a>(
    first: &'a Frequencies,
    second: &'a Frequencies,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let (mut ours, mut theirs) = (first.groups.as_slice(), second.groups.as_slice());
    std::iter::from_fn(move || {
        let least = match (ours.first(), theirs.first()) {
            (Some((one, _)), Some((other, _))) => one.min(*other),
            (one, other) => one.or(other)?.0,
        };
        let alike = |value: f64| value == least;
        Some((take(&mut ours, alike), take(&mut theirs, alike)))
    })
}

/// Removes leading groups while their value is `wanted`, and returns the number of their values.
pub(super) fn take(groups: &mut &[(f64, u64)], wanted: impl Fn(f64) -> bool) -> u64 {
    let mut taken = 0;
    while let Some(((_, count), rest)) = groups.split_first().filter(|((one, _), _)| wanted(*one)) {
        taken += count;
        *groups = rest;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Vec<f64>> {
        let value = prop_oneof![
            (-3i32..4).prop_map(f64::from),
            -1.0f64..1.0,
            Just(-0.0),
            Just(f64::INFINITY),
        ];
        prop::collection::vec(value, 0..60)
    }

    proptest! {
        #[test]
        fn nothing_but_the_order_is_lost(first in values(), second in values()) {
            let (one, other) = (Frequencies::of(first.clone()), Frequencies::of(second.clone()));
            let mut sorted = first.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            prop_assert_eq!(one.len(), first.len() as u64);
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            prop_assert_eq!(bits(one.median()), bits(median(&sorted)));
            let ends = sorted.first().copied().zip(sorted.last().copied());
            prop_assert_eq!(one.ends(), ends);
            let again = |(value, count): &(f64, u64)| vec![value.to_bits(); *count as usize];
            let again: Vec<u64> = one.groups().iter().flat_map(again).collect();
            prop_assert_eq!(again, sorted.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
            let mut all = [first.clone(), second.clone()].concat();
            all.sort_unstable_by(|one, other| one.partial_cmp(other).expect("numbers"));
            all.dedup();
            let count = |values: &[f64], one: &f64| {
                values.iter().filter(|value| *value == one).count() as u64
            };
            let expected = all.iter().map(|value| (count(&first, value), count(&second, value)));
            let expected: Vec<_> = expected.collect();
            prop_assert_eq!(together(&one, &other).collect::<Vec<_>>(), expected);
        }
    }
}
