//! Multisets: very many numbers, of which it matters how often each occurs.

use super::quantile::Place;
use integer_encoding::VarInt;
use itertools::{Either, Itertools, kmerge};
use std::borrow::Cow;
use std::marker::PhantomData;

/// Up to this many numbers are kept as they come.
const KEPT: usize = 1 << 20;

/// So many runs of a level are folded into one of the next: their number grows with the logarithm
/// of how many numbers there are.
const FOLD: usize = 8;

/// Bytes of a block. A run that is folded gives its blocks back as they are read.
const BLOCK: usize = 1 << 16;

/// An entry takes two encoded integers of at most 10 bytes and the mark between them.
const ENTRY: usize = 21;

/// What a multiset can hold: numbers that are integers to it, in the same order.
pub trait Countable: Copy {
    /// The integer.
    fn code(self) -> u64;
    /// The number of an integer.
    fn of_code(code: u64) -> Self;
    /// The number, rounded if it is a large integer.
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

/// In the order of `f64::total_cmp`.
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

/// Numbers, of which it matters how often each occurs. All figures of it are exact.
///
/// Up to 2^20 numbers are kept in the order in which they came. Beyond, runs of 2^20 are sorted,
/// counted and compressed: the integers of the different numbers as differences, each in as few
/// bytes as it needs, with the count where it is not 1. Discrete numbers take next to no memory, a
/// hundred million different doubles half a gigabyte.
#[derive(Clone, Debug)]
pub struct Multiset<T> {
    /// The latest, in the order in which they came.
    latest: Vec<u64>,
    /// Of how many a run is made.
    kept: usize,
    /// All others; levels never rise from one to the next.
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
    /// One that keeps this many numbers as they come, at least 1.
    pub fn keeping(kept: usize) -> Self {
        let (latest, runs) = (Vec::new(), Vec::new());
        Multiset { latest, kept, runs, len: 0, extremes: None, numbers: PhantomData }
    }

    /// How many numbers there are, each as often as it occurs.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What it takes of memory.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.runs.iter().flat_map(|run| &run.blocks);
        8 * self.latest.capacity() + blocks.map(Vec::capacity).sum::<usize>()
    }
}

impl<T: Countable> Multiset<T> {
    /// Takes a number in.
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

    /// The least number.
    #[must_use]
    pub fn min(&self) -> Option<T> {
        self.extremes.map(|(least, _)| T::of_code(least))
    }

    /// The greatest number.
    #[must_use]
    pub fn max(&self) -> Option<T> {
        self.extremes.map(|(_, greatest)| T::of_code(greatest))
    }

    /// The different numbers, ascending, with how often each occurs.
    pub fn counts(&self) -> impl Iterator<Item = (T, u64)> {
        let mut latest = self.latest.clone();
        latest.sort_unstable();
        let latest = Run::new(0, counted(&latest));
        let cursors = self.runs.iter().map(Run::cursor).chain([latest.into_cursor()]);
        merge(cursors.collect()).map(|(code, count)| (T::of_code(code), count))
    }

    /// The numbers one by one, in the order in which they came, as long as that is known: if there
    /// are at most 2^20.
    #[must_use]
    pub fn in_order(&self) -> Option<impl ExactSizeIterator<Item = T>> {
        self.runs.is_empty().then(|| self.latest.iter().map(|code| T::of_code(*code)))
    }

    /// All numbers with how often each occurs: [in order](Self::in_order), each once, as long as
    /// that is known, and else as [`counts`](Self::counts).
    pub fn each(&self) -> impl Iterator<Item = (T, u64)> {
        match self.in_order() {
            Some(numbers) => Either::Left(numbers.map(|number| (number, 1))),
            None => Either::Right(self.counts()),
        }
    }

    /// The number at this place in the order in which they came, if that is known.
    pub(crate) fn came_at(&self, place: usize) -> Option<T> {
        let code = self.latest.get(place).filter(|_| self.runs.is_empty())?;
        Some(T::of_code(*code))
    }

    /// The [quantiles](super::quantile) of these shares. None without numbers.
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

    /// The middle number, or the mean of the two middle ones. None without numbers.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        self.quantiles([0.5]).map(|[median]| median)
    }

    /// The numbers of these ranks, from 0, which ascend.
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

    /// Makes a run of the latest numbers, and folds runs that are enough of a level.
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

/// Different integers of ascending ones, with how often each occurs.
fn counted(sorted: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    sorted.chunk_by(|one, other| one == other).map(|alike| (alike[0], alike.len() as u64))
}

/// The integers of all cursors together.
fn merge(cursors: Vec<Cursor<'_>>) -> impl Iterator<Item = (u64, u64)> {
    kmerge(cursors).coalesce(|one, other| match one.0 == other.0 {
        true => Ok((one.0, one.1 + other.1)),
        false => Err((one, other)),
    })
}

/// Ascending integers, each with how often it occurs, compressed: the difference to the one before
/// it, and, where the count is not 1, a zero and the count. Only the first difference can be zero.
#[derive(Clone, Debug)]
struct Run {
    level: u32,
    /// No entry lies in two of them.
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

/// Reads a run from its beginning to its end.
struct Cursor<'a> {
    /// Those that it has not begun.
    blocks: Box<dyn Iterator<Item = Cow<'a, [u8]>> + 'a>,
    block: Cow<'a, [u8]>,
    place: usize,
    code: u64,
}

impl<'a> Cursor<'a> {
    fn new(blocks: impl Iterator<Item = Cow<'a, [u8]>> + 'a) -> Self {
        Cursor { blocks: Box::new(blocks), block: Cow::Borrowed(&[]), place: 0, code: 0 }
    }

    /// The encoded integer here.
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

    /// Few different numbers, many, or any double at all.
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

    /// Doubles that differ take less than six bytes here, and the fewer the more there are: their
    /// differences shrink. Numbers that occur often take next to nothing.
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
