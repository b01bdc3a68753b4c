//! Selection: the number at a place among more than could be written down.

use std::collections::BTreeMap;

/// Numbers that are not written down, but counted and, where they are few, listed.
pub(super) trait Unwritten {
    /// The least and the greatest.
    fn ends(&self) -> (f64, f64);

    /// How many are at most `limit`.
    fn at_most(&self, limit: f64) -> Counted;

    /// Those above `from`, if it is given, and at most `to`, each with how often it occurs, in any
    /// order.
    fn between(&self, from: Option<f64>, to: f64) -> Vec<(f64, u64)>;

    /// Entries that are listed in about the time in which all numbers are counted.
    fn few(&self) -> usize;
}

/// How many numbers there are, and how many entries a list of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub numbers: u64,
    pub entries: u64,
}

/// Finds numbers by their places. What was counted for one place helps to find the next.
pub(super) struct Selection<'a, N> {
    of: &'a N,
    /// By the [`key`] of the limit.
    known: BTreeMap<u64, Counted>,
}

/// Entries that are listed at most.
const FEW: usize = 1 << 17;

/// Of so many guesses the last one is by halves.
const GUESSES: u32 = 4;

impl<'a, N: Unwritten> Selection<'a, N> {
    pub(super) fn of(of: &'a N) -> Self {
        let (_, greatest) = of.ends();
        Selection { of, known: BTreeMap::from([(key(greatest), of.at_most(greatest))]) }
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> u64 {
        self.known.last_key_value().map_or(0, |(_, all)| all.numbers)
    }

    /// The number at this place, from 0, in ascending order; there must be one.
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

/// A bit to the left or to the right of where a place would be if numbers lay evenly, so that the
/// limits on both sides come near.
fn beside(share: f64, right: bool) -> f64 {
    let bit = 0.05 * share.min(1.0 - share);
    if right { share + bit } else { share - bit }
}

/// The number at this place among listed ones.
fn at_place(mut listed: Vec<(f64, u64)>, place: u64) -> f64 {
    listed.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut passed = 0;
    let holds = |(_, count): &&(f64, u64)| {
        passed += count;
        passed > place
    };
    // Minus zero is the same number as zero.
    listed.iter().find(holds).map_or(f64::NAN, |(value, _)| value + 0.0)
}

/// A number's place among all of f64, in which zero is one number.
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

    /// Numbers that are written down after all, of which few are listed at once.
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
