//! Multisets of very many numbers, with exact counts.

use super::quantile::Place;
use integer_encoding::VarInt;
use itertools::{Either, Itertools, kmerge};
use std::borrow::Cow;
use std::marker::PhantomData;

/// Maximum number of numbers kept uncompressed, in insertion order.
const KEPT: usize = 1 << 20;

/// Number of runs of one level that are merged into a run of the next level. The number of runs
/// grows with the logarithm of the number of numbers.
const FOLD: usize = 8;

/// Bytes of a block. Merging frees the blocks of a run as they are read.
const BLOCK: usize = 1 << 16;

/// Maximum bytes of an entry: two encoded integers of at most 10 bytes and the mark between them.
const ENTRY: usize = 21;

/// Number type of a multiset, with an order-preserving map to integers.
pub trait Countable: Copy {
    /// Returns the integer code of the number.
    fn code(self) -> u64;
    /// Returns the number with this integer code.
    fn of_code(code: u64) -> Self;
    /// Returns the number as `f64`, rounded if it is a large integer.
    fn value(self) -> f64;
}

impl Countable for u64 {
    fn code(self) -> u64 {
        self
    }

    fn of_code(code: u64) -> Self {
        code
    }

    fn value(self) -> f64 {
        self as f64
    }
}

/// Codes follow the order of `f64::total_cmp`.
impl Countable for f64 {
    fn code(self) -> u64 {
        let bits = self.to_bits();
        if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
    }

    fn of_code(code: u64) -> Self {
        f64::from_bits(if code >> 63 == 1 { code & !(1 << 63) } else { !code })
    }

    fn value(self) -> f64 {
        self
    }
}

/// Multiset of numbers. All its statistics are exact.
///
/// Up to 2^20 numbers are kept in insertion order. Beyond that, runs of 2^20 numbers are sorted,
/// counted and compressed. A run stores the differences of consecutive integer codes, each in as
/// few bytes as possible, with the count unless it is 1. Discrete numbers take next to no memory. A
/// hundred million distinct doubles take half a gigabyte.
#[derive(Clone, Debug)]
pub struct Multiset<T> {
    /// Latest numbers, in insertion order.
    latest: Vec<u64>,
    /// Number of numbers per run.
    kept: usize,
    /// All earlier numbers. Levels never rise from one run to the next.
    runs: Vec<Run>,
    len: u64,
    extremes: Option<(u64, u64)>,
    numbers: PhantomData<T>,
}

impl<T> Default for Multiset<T> {
    fn default() -> Self {
        Multiset::keeping(KEPT)
    }
}

impl<T: Countable> Extend<T> for Multiset<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.insert(number));
    }
}

impl<T: Countable> FromIterator<T> for Multiset<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Self {
        let mut multiset = Multiset::default();
        multiset.extend(numbers);
        multiset
    }
}

impl<T> Multiset<T> {
    /// Creates a multiset that keeps this many numbers in insertion order, at least 1.
    pub fn keeping(kept: usize) -> Self {
        let (latest, runs) = (Vec::new(), Vec::new());
        Multiset { latest, kept, runs, len: 0, extremes: None, numbers: PhantomData }
    }

    /// Returns the number of numbers, including repeated ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the memory use in bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.runs.iter().flat_map(|run| &run.blocks);
        8 * self.latest.capacity() + blocks.map(Vec::capacity).sum::<usize>()
    }
}

impl<T: Countable> Multiset<T> {
    /// Inserts a number.
    pub fn insert(&mut self, number: T) {
        let code = number.code();
        if self.latest.len() == self.kept {
            self.compress();
        }
        self.latest.push(code);
        self.len += 1;
        let (least, greatest) = self.extremes.unwrap_or((code, code));
        self.extremes = Some((least.min(code), greatest.max(code)));
    }

    /// Returns the least number. `None` if there are no numbers.
    #[must_use]
    pub fn min(&self) -> Option<T> {
        self.extremes.map(|(least, _)| T::of_code(least))
    }

    /// Returns the greatest number. `None` if there are no numbers.
    #[must_use]
    pub fn max(&self) -> Option<T> {
        self.extremes.map(|(_, greatest)| T::of_code(greatest))
    }

    /// Returns the distinct numbers in ascending order, with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (T, u64)> {
        let mut latest = self.latest.clone();
        latest.sort_unstable();
        let latest = Run::new(0, counted(&latest));
        let cursors = self.runs.iter().map(Run::cursor).chain([latest.into_cursor()]);
        merge(cursors.collect()).map(|(code, count)| (T::of_code(code), count))
    }

    /// Returns the numbers one by one, in insertion order. `None` if that order is no longer known,
    /// with more than 2^20 numbers.
    #[must_use]
    pub fn in_order(&self) -> Option<impl ExactSizeIterator<Item = T>> {
        self.runs.is_empty().then(|| self.latest.iter().map(|code| T::of_code(*code)))
    }

    /// Returns all numbers with counts. They come [in insertion order](Self::in_order) with a count
    /// of 1 each, as long as that order is known. Otherwise they come as from
    /// [`counts`](Self::counts).
    pub fn each(&self) -> impl Iterator<Item = (T, u64)> {
        match self.in_order() {
            Some(numbers) => Either::Left(numbers.map(|number| (number, 1))),
            None => Either::Right(self.counts()),
        }
    }

    /// Returns the number at this position in insertion order. `None` if it is not known.
    pub(crate) fn came_at(&self, place: usize) -> Option<T> {
        let code = self.latest.get(place).filter(|_| self.runs.is_empty())?;
        Some(T::of_code(*code))
    }

    /// Returns the [quantiles](super::quantile) of these shares. `None` if there are no numbers.
    #[must_use]
    pub fn quantiles<const N: usize>(&self, shares: [f64; N]) -> Option<[f64; N]> {
        let places = shares.map(|share| Place::among(self.len, share));
        let places: Vec<Place> = places.into_iter().collect::<Option<_>>()?;
        let mut ranks: Vec<u64> =
            places.iter().flat_map(|place| [place.below, place.above]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let found = self.ranked(&ranks);
        let at = |rank| found[ranks.partition_point(|other| *other < rank)];
        let values = places.iter().map(|place| place.between(at(place.below), at(place.above)));
        values.collect_array()
    }

    /// Returns the middle number, or the mean of the two middle numbers. `None` if there are no
    /// numbers.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        self.quantiles([0.5]).map(|[median]| median)
    }

    /// Returns the numbers of these ranks, from 0. The ranks must be in ascending order.
    fn ranked(&self, ranks: &[u64]) -> Vec<f64> {
        let mut found = Vec::new();
        let mut passed = 0;
        for (number, count) in self.counts() {
            passed += count;
            let reached = ranks[found.len()..].iter().take_while(|rank| **rank < passed).count();
            found.extend(std::iter::repeat_n(number.value(), reached));
            if found.len() == ranks.len() {
                break;
            }
        }
        found
    }

    /// Compresses the latest numbers into a run, and merges runs if a level has enough of them.
    fn compress(&mut self) {
        self.latest.sort_unstable();
        self.runs.push(Run::new(0, counted(&self.latest)));
        self.latest.clear();
        while let Some(from) = self.runs.len().checked_sub(FOLD)
            && let level = self.runs[from].level
            && self.runs.last().is_some_and(|last| last.level == level)
        {
            let cursors = self.runs.drain(from..).map(Run::into_cursor).collect();
            self.runs.push(Run::new(level + 1, merge(cursors)));
        }
    }
}

/// Returns the distinct integers of a sorted slice, with their counts.
fn counted(sorted: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    sorted.chunk_by(|one, other| one == other).map(|alike| (alike[0], alike.len() as u64))
}

/// Merges the integers of all cursors, and adds up the counts of equal ones.
fn merge(cursors: Vec<Cursor<'_>>) -> impl Iterator<Item = (u64, u64)> {
    kmerge(cursors).coalesce(|one, other| match one.0 == other.0 {
        true => Ok((one.0, one.1 + other.1)),
        false => Err((one, other)),
    })
}

/// Compressed ascending integers with their counts. An entry is the difference to the previous
/// integer. Unless the count is 1, a zero and the count follow. Only the first difference can be
/// zero.
#[derive(Clone, Debug)]
struct Run {
    level: u32,
    /// Blocks of encoded entries. No entry spans two blocks.
    blocks: Vec<Vec<u8>>,
}

impl Run {
    fn new(level: u32, counts: impl Iterator<Item = (u64, u64)>) -> Self {
        let (mut blocks, mut block) = (Vec::new(), Vec::with_capacity(BLOCK));
        let (mut before, mut bytes) = (0, [0; ENTRY]);
        for (code, count) in counts {
            let mut length = (code - before).encode_var(&mut bytes);
            if count > 1 {
                bytes[length] = 0;
                length += 1;
                length += count.encode_var(&mut bytes[length..]);
            }
            if block.len() + length > BLOCK {
                blocks.push(std::mem::replace(&mut block, Vec::with_capacity(BLOCK)));
            }
            block.extend_from_slice(&bytes[..length]);
            before = code;
        }
        block.shrink_to_fit();
        blocks.push(block);
        Run { level, blocks }
    }

    fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.blocks.iter().map(|block| Cow::Borrowed(block.as_slice())))
    }

    fn into_cursor<'a>(self) -> Cursor<'a> {
        Cursor::new(self.blocks.into_iter().map(Cow::Owned))
    }
}

/// Reader of a run, from its beginning to its end.
struct Cursor<'a> {
    /// Blocks that are not yet started.
    blocks: Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a>,
    block: Cow<'a, [u8]>,
    place: usize,
    code: u64,
}

impl<'a> Cursor<'a> {
    fn new(blocks: impl Iterator<Item = Cow<'a, [u8]>> + 'a) -> Self {
        Cursor { blocks: Box::new(blocks), block: Cow::Borrowed(&[]), place: 0, code: 0 }
    }

    /// Reads the encoded integer at the current position.
    fn read(&mut self) -> Option<u64> {
        let (integer, length) = u64::decode_var(self.block.get(self.place..)?)?;
        self.place += length;
        Some(integer)
    }
}

impl Iterator for Cursor<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        if self.place == self.block.len() {
            (self.block, self.place) = (self.blocks.next()?, 0);
        }
        self.code += self.read()?;
        if self.block.get(self.place) != Some(&0) {
            return Some((self.code, 1));
        }
        self.place += 1;
        Some((self.code, self.read()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::quantile;
    use proptest::prelude::*;

    /// Generates few distinct numbers, many distinct numbers, or arbitrary doubles.
    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        let number = prop_oneof![
            (-3i32..4).prop_map(f64::from),
            0.0..1.0,
            any::<f64>().prop_filter("a number", |number| !number.is_nan()),
            Just(-0.0),
        ];
        prop::collection::vec(number, 0..600)
    }

    fn of<T: Countable>(kept: usize, numbers: &[T]) -> Multiset<T> {
        let mut multiset = Multiset::keeping(kept);
        multiset.extend(numbers.iter().copied());
        multiset
    }

    proptest! {
        #[test]
        fn figures_are_those_of_the_sorted_numbers(
            numbers in numbers(),
            kept in prop_oneof![Just(1usize), 2usize..40, Just(1_000)],
            shares in [0.0f64..=1.0, 0.0..=1.0, 0.0..=1.0],
        ) {
            let multiset = of(kept, &numbers);
            let mut sorted = numbers.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            prop_assert_eq!(multiset.len(), numbers.len() as u64);
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            prop_assert_eq!(bits(multiset.min()), bits(sorted.first().copied()));
            prop_assert_eq!(bits(multiset.max()), bits(sorted.last().copied()));
            prop_assert_eq!(bits(multiset.median()), bits(quantile(&sorted, 0.5)));
            let found = multiset.quantiles(shares);
            for (place, share) in shares.into_iter().enumerate() {
                prop_assert_eq!(bits(found.map(|all| all[place])), bits(quantile(&sorted, share)));
            }
            let sorted: Vec<u64> = sorted.into_iter().map(f64::to_bits).collect();
            let again: Vec<u64> = multiset
                .counts()
                .flat_map(|(number, count)| std::iter::repeat_n(number.to_bits(), count as usize))
                .collect();
            prop_assert_eq!(again, sorted);
            let mut counts = multiset.counts().tuple_windows();
            prop_assert!(counts.all(|((one, _), (other, _))| one.total_cmp(&other).is_lt()));
        }

        #[test]
        fn the_order_is_known_until_a_run_is_made(
            numbers in prop::collection::vec(any::<u64>(), 0..60),
            kept in 1usize..60,
        ) {
            let multiset = of(kept, &numbers);
            let known = numbers.len() <= kept;
            let order = multiset.in_order().map(Iterator::collect::<Vec<_>>);
            prop_assert_eq!(order, known.then(|| numbers.clone()));
            prop_assert_eq!(multiset.came_at(0).is_some(), known && !numbers.is_empty());
            let total: u128 =
                multiset.each().map(|(number, count)| u128::from(number) * u128::from(count)).sum();
            prop_assert_eq!(total, numbers.iter().map(|number| u128::from(*number)).sum::<u128>());
        }
    }

    #[test]
    fn integers_at_the_ends_are_counted() {
        let ends = [u64::MAX, 0, u64::MAX, 0, 0, 1];
        for kept in [1, 4, 10] {
            let counts: Vec<_> = of(kept, &ends).counts().collect();
            assert_eq!(counts, [(0, 3), (1, 1), (u64::MAX, 2)], "{kept}");
        }
        assert_eq!(Multiset::<u64>::default().median(), None);
        assert_eq!(
            (Multiset::<f64>::default().min(), Multiset::<f64>::default().max()),
            (None, None)
        );
    }

    /// Distinct doubles take less than six bytes each here. More of them take fewer bytes each,
    /// because their differences shrink. Frequent numbers take next to no memory.
    #[test]
    fn memory_is_bounded_by_what_differs() {
        let kept = 1 << 14;
        let numbers = 1u64 << 20;
        let scattered = |place: u64| place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut different = Multiset::keeping(kept);
        let mut alike = Multiset::keeping(kept);
        for place in 0..numbers {
            different.insert((scattered(place) >> 11) as f64 / (1u64 << 53) as f64);
            alike.insert(scattered(place) >> 52);
            assert!(different.runs.len() < 4 * FOLD && alike.runs.len() < 4 * FOLD);
        }
        let buffer = 8 * kept;
        assert!(different.bytes() - buffer < 6 * numbers as usize, "{}", different.bytes());
        assert!(alike.bytes() - buffer < 4_096 * 4 * 4 * FOLD, "{}", alike.bytes());
        assert_eq!((different.counts().count(), alike.counts().count()), (1 << 20, 4_096));
    }
}
