//! Sets of shard numbers, written as lists of ranges, which batch systems accept.

use crate::plan::shard::MOST;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Set of shard numbers, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShardSet {
    /// Ranges in ascending order, with gaps between them.
    ranges: Vec<RangeInclusive<u64>>,
}

impl ShardSet {
    /// Returns the set of shards 1 to `of`.
    pub(crate) fn all(of: u64) -> Self {
        ShardSet { ranges: (of > 0).then_some(1..=of).into_iter().collect() }
    }

    /// Returns the union of ranges in any order.
    fn of_ranges(mut given: Vec<RangeInclusive<u64>>) -> Self {
        given.sort_unstable_by_key(|range| *range.start());
        let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
        for range in given {
            match ranges.last_mut() {
                Some(last) if *range.start() <= last.end() + 1 => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => ranges.push(range),
            }
        }
        ShardSet { ranges }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(crate) fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.end() - range.start() + 1).sum()
    }

    pub(crate) fn contains(&self, shard: u64) -> bool {
        let next = self.ranges.partition_point(|range| *range.end() < shard);
        self.ranges.get(next).is_some_and(|range| range.contains(&shard))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.iter().cloned().flatten()
    }

    /// Returns the shards in `range`.
    pub(crate) fn within(&self, range: RangeInclusive<u64>) -> Self {
        self.iter().filter(|shard| range.contains(shard)).collect()
    }

    /// Returns the tasks of these shards, if each task runs `size` shards.
    pub(crate) fn tasks(&self, size: u64) -> Self {
        let of = |shard: u64| (shard - 1) / size + 1;
        let ranges = self.ranges.iter().map(|range| of(*range.start())..=of(*range.end()));
        ranges.flatten().collect()
    }
}

/// Collects numbers in any order.
impl FromIterator<u64> for ShardSet {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        ShardSet::of_ranges(numbers.into_iter().map(|number| number..=number).collect())
    }
}

/// Writes the format of a batch system's `--array`: "1-3,7".
impl fmt::Display for ShardSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, range) in self.ranges.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            match range.start() == range.end() {
                true => write!(out, "{comma}{}", range.start())?,
                false => write!(out, "{comma}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

impl FromStr for ShardSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = |part: &str| {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            let (low, high): (u64, u64) = (low.parse().ok()?, high.parse().ok()?);
            (1 <= low && low <= high && high <= MOST).then_some(low..=high)
        };
        let ranges: Option<Vec<_>> =
            text.split(',').filter(|part| !part.is_empty()).map(range).collect();
        match ranges {
            Some(ranges) => Ok(ShardSet::of_ranges(ranges)),
            None => {
                let shown: String = text.chars().take(40).collect();
                Err(format!(
                    "`{shown}` is not a list of numbers and ranges up to {MOST}, such as 1-3,7"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_become_ranges_and_tasks() {
        let set: ShardSet = [7, 1, 3, 2, 2, 9].into_iter().collect();
        assert_eq!(set.to_string(), "1-3,7,9");
        assert_eq!((set.count(), set.contains(3), set.contains(8)), (5, true, false));
        assert_eq!(set.tasks(3).to_string(), "1,3");
        assert_eq!(set.within(2..=7).to_string(), "2-3,7");
        assert_eq!(ShardSet::all(4).to_string(), "1-4");
        assert!(ShardSet::all(0).is_empty());
        assert!("1-18446744073709551615".parse::<ShardSet>().is_err());
        assert_eq!("5-9,1-3,2-7".parse::<ShardSet>().map(|set| set.to_string()), Ok("1-9".into()));
        assert!("3-1".parse::<ShardSet>().is_err() && "0".parse::<ShardSet>().is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(numbers in prop::collection::btree_set(1..60_u64, 0..40)) {
            let set: ShardSet = numbers.iter().copied().collect();
            prop_assert_eq!(set.to_string().parse(), Ok(set.clone()));
            prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), numbers.clone());
            prop_assert_eq!(set.count(), numbers.len() as u64);
            let gaps = set.ranges.windows(2).all(|two| two[0].end() + 1 < *two[1].start());
            prop_assert!(gaps);
        }
    }
}
