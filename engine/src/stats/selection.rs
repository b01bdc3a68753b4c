//! Selection of the number at a given position among too many numbers to list.

use std::collections::BTreeMap;

/// Numbers that are not listed as a whole, but counted. A few of them can be listed.
pub(super) trait Unwritten {
    /// Returns the least and the greatest number.
    fn ends(&self) -> (f64, f64);

    /// Counts the numbers that are at most `limit`.
    fn at_most(&self, limit: f64) -> Counted;

    /// Returns the numbers above `from`, if it is given, and at most `to`, with their counts, in
    /// any order.
    fn between(&self, from: Option<f64>, to: f64) -> Vec<(f64, u64)>;

    /// Returns the number of entries that take about as long to list as counting all numbers takes.
    fn few(&self) -> usize;
}

/// Number of numbers, and number of entries in a list of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub numbers: u64,
    pub entries: u64,
}

/// Finds numbers by their positions. Counts for one position speed up the search for the next.
pub(super) struct Selection<'a, N> {
    of: &'a N,
    /// Counts by the [`key`] of their limit.
    known: BTreeMap<u64, Counted>,
}

/// Maximum number of listed entries.
const FEW: usize = 1 << 17;

/// Every guess whose number is a multiple of this bisects.
const GUESSES: u32 = 4;

impl<'a, N: Unwritten> Selection<'a, N> {
    pub(super) fn of(of: &'a N) -> Self {
        let (_, greatest) = of.ends();
        Selection { of, known: BTreeMap::from([(key(greatest), of.at_most(greatest))]) }
    }

    /// Returns the number of numbers.
    pub(super) fn len(&self) -> u64 {
        self.known.last_key_value().map_or(0, |(_, all)| all.numbers)
    }

    /// Returns the number at this position, from 0, in ascending order. The position must exist.
    pub(super) fn at(&mut self, place: u64) -> f64 {
        let least = key(self.of.ends().0);
        for guess in 1.. {
            let mut enough = self.known.iter().filter(|(_, counted)| counted.numbers > place);
            let (&to, &most) = enough.next().expect("there is a number at the place");
            let from = self.known.range(..to).next_back().map(|(from, counted)| (*from, *counted));
            let (start, before) = from.unwrap_or((least - 1, Counted::default()));
            if start + 1 == to {
                return value(to);
            }
            if most.entries - before.entries <= self.of.few().min(FEW) as u64 {
                let listed = self.of.between(from.map(|(from, _)| value(from)), value(to));
                return at_place(listed, place - before.numbers);
            }
            let limit = if guess % GUESSES == 0 {
                start + (to - start) / 2
            } else {
                let (place, all) = (place - before.numbers, most.numbers - before.numbers);
                let share = beside((place as f64 + 0.5) / all as f64, guess % 2 == 0);
                let (from, to) = (value(start), value(to));
                key(from + (to - from) * share)
            };
            let limit = limit.clamp(start + 1, to - 1);
            self.known.insert(limit, self.of.at_most(value(limit)));
        }
        unreachable!("there are only so many limits")
    }
}

/// Shifts an interpolated position slightly to the left or to the right, so that the limits on both
/// sides converge.
fn beside(share: f64, right: bool) -> f64 {
    let bit = 0.05 * share.min(1.0 - share);
    if right { share + bit } else { share - bit }
}

/// Returns the number at this position among listed entries.
fn at_place(mut listed: Vec<(f64, u64)>, place: u64) -> f64 {
    listed.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut passed = 0;
    let holds = |(_, count): &&(f64, u64)| {
        passed += count;
        passed > place
    };
    // Adding 0.0 turns minus zero into zero.
    listed.iter().find(holds).map_or(f64::NAN, |(value, _)| value + 0.0)
}

/// Returns the index of a number among all f64 values, in which both zeros share an index.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits + 1 } else { bits | 1 << 63 }
}

fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !(key - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let numbers = [-1e300, -2.5, -1e-300, 0.0, 1e-300, 0.5, 7.0, 1e300];
        assert!(numbers.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(numbers.iter().all(|number| value(key(*number)) == *number));
        assert_eq!(key(-0.0), key(0.0));
        assert_eq!((value(key(0.0) - 1), key(-5e-324)), (-5e-324, key(0.0) - 1));
    }

    /// Listed numbers, of which only few may be listed at once.
    struct Written(Vec<f64>, usize);

    impl Unwritten for Written {
        fn ends(&self) -> (f64, f64) {
            let fold = |pick: fn(f64, f64) -> f64| self.0.iter().copied().reduce(pick);
            (fold(f64::min).expect("numbers"), fold(f64::max).expect("numbers"))
        }

        fn at_most(&self, limit: f64) -> Counted {
            let numbers = self.0.iter().filter(|number| **number <= limit).count() as u64;
            Counted { numbers, entries: numbers }
        }

        fn between(&self, from: Option<f64>, to: f64) -> Vec<(f64, u64)> {
            let within = |one: &&f64| from.is_none_or(|from| **one > from) && **one <= to;
            self.0.iter().filter(within).map(|one| (*one, 1)).collect()
        }

        fn few(&self) -> usize {
            self.1
        }
    }

    proptest! {
        #[test]
        fn every_place_is_found(
            mut numbers in prop::collection::vec(
                prop_oneof![-3.0f64..3.0, (-2i32..3).prop_map(f64::from), Just(-0.0), Just(1e6)],
                1..40,
            ),
            few in 0usize..9,
        ) {
            let written = Written(numbers.clone(), few);
            let mut selection = Selection::of(&written);
            prop_assert_eq!(selection.len(), numbers.len() as u64);
            numbers.sort_unstable_by(f64::total_cmp);
            for (place, number) in (0..).zip(&numbers) {
                let found = selection.at(place);
                prop_assert_eq!(found.to_bits(), (number + 0.0).to_bits(), "{}", place);
            }
        }
    }
}
