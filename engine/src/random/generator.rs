//! Random-number generator: several parallel streams, so that vector instructions advance them
//! together.

use rand::rand_core::TryRng;
use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use runner_plugin::{Vectors, vectors};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// Number of generators that step together.
const LANES: usize = 4;
/// Number of random numbers made at a time. It is so large that loops over runs of numbers seldom
/// meet a block's end, which processors cannot predict. It is so small that short trials waste few
/// numbers.
const BLOCK: usize = 256;

/// Random-number generator of a trial: four xoshiro256++ (Blackman and Vigna 2021,
/// doi:10.1145/3460772) that take turns. Their states are successive numbers of one SplitMix64,
/// four words each. The first is therefore the standard xoshiro256++ of the seed. Streams of 2^192
/// numbers out of 2^256 - 1 do not overlap in practice.
///
/// Numbers are made in blocks. [`draws`](Self::draws) returns a run of them, for loops that would
/// otherwise wait for each number in turn.
#[derive(Clone, Debug)]
pub struct Random {
    /// State, word by word; the lanes of each word are adjacent.
    state: [[u64; LANES]; 4],
    /// The current block in one half; `other` says what is in the other half.
    numbers: [u64; 2 * BLOCK],
    /// Index of the first unused number.
    next: usize,
    /// Index after the last number of the current block.
    end: usize,
    /// Count of the numbers drawn before index 0, which wraps.
    origin: u64,
    /// Number of blocks up to the current one.
    blocks: u64,
    /// State from which the block in each half was made.
    before: [[[u64; LANES]; 4]; 2],
    other: Other,
}

/// Content of the half that does not have the current block. A search that looks ahead often goes
/// back to the block before, which is then not made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    /// No block that can be used.
    Unknown,
    /// The block before the current one.
    Previous,
    /// The block after the current one.
    Next,
}

/// Position in the sequence of a generator, to which it can return.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    blocks: u64,
    before: [[u64; LANES]; 4],
}

impl Random {
    /// Expands a 64-bit seed by SplitMix64.
    #[must_use]
    pub fn seed_from_u64(seed: u64) -> Self {
        let mut mix = SplitMix64::seed_from_u64(seed);
        let mut state = [[0; LANES]; 4];
        for lane in 0..LANES {
            for word in &mut state {
                word[lane] = mix.next_u64();
            }
        }
        Random {
            state,
            numbers: [0; 2 * BLOCK],
            next: 2 * BLOCK,
            end: 2 * BLOCK,
            origin: 0u64.wrapping_sub(BLOCK as u64),
            blocks: 0,
            before: [state; 2],
            other: Other::Unknown,
        }
    }

    /// Returns the number of random numbers drawn, plus a constant.
    #[inline]
    pub(crate) fn drawn(&self) -> u64 {
        self.origin.wrapping_add(self.next as u64)
    }

    /// Returns the number of random numbers that can be drawn before the next block is made.
    #[inline]
    pub(crate) fn made(&self) -> usize {
        self.end - self.next
    }

    /// Returns a mark at this position or slightly before it.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark { blocks: self.blocks, before: self.before[self.half()] }
    }

    /// Returns the half that has the current block.
    #[inline]
    fn half(&self) -> usize {
        self.end / BLOCK - 1
    }

    /// Moves to the position `drawn`, as counted by [`drawn`](Self::drawn), at the mark or after
    /// it.
    #[inline]
    pub(crate) fn go_to(&mut self, mark: &Mark, drawn: u64) {
        let next = drawn.wrapping_sub(self.origin) as usize;
        if (self.end - BLOCK..=self.end).contains(&next) {
            self.next = next;
        } else {
            self.go_back(mark, drawn);
        }
    }

    /// Moves to the position `drawn`, which is the current position or a later one.
    #[inline]
    pub(crate) fn forward(&mut self, drawn: u64) {
        while drawn.wrapping_sub(self.origin) as usize > self.end {
            self.refill();
        }
        self.next = drawn.wrapping_sub(self.origin) as usize;
    }

    /// Draws this many numbers, whatever they are.
    #[inline]
    pub(crate) fn pass(&mut self, numbers: usize) {
        if numbers <= self.made() {
            self.next += numbers;
        } else {
            self.forward(self.drawn() + numbers as u64);
        }
    }

    #[cold]
    fn go_back(&mut self, mark: &Mark, drawn: u64) {
        if self.other == Other::Previous && drawn >= (self.blocks - 1) * BLOCK as u64 {
            self.turn_to(1 - self.half(), self.blocks - 1);
            self.other = Other::Next;
        } else {
            self.begin_at(mark);
        }
        self.forward(drawn);
    }

    /// Moves to a mark, from anywhere, of any generator.
    fn begin_at(&mut self, mark: &Mark) {
        self.state = mark.before;
        self.before = [mark.before; 2];
        // Before the first block is made, no numbers are drawn.
        self.other = Other::Unknown;
        self.turn_to(self.half(), mark.blocks.saturating_sub(1));
        self.next = self.end;
        if self.blocks < mark.blocks {
            self.refill();
            self.other = Other::Unknown;
        }
    }

    /// Returns a generator at the position `drawn` of another one, which gave the mark then.
    pub(crate) fn at(mark: &Mark, drawn: u64) -> Self {
        let mut random = Random::seed_from_u64(0);
        random.begin_at(mark);
        random.forward(drawn);
        random
    }

    /// Makes the block in a half, which has this number, the current one.
    fn turn_to(&mut self, half: usize, blocks: u64) {
        self.next = half * BLOCK;
        self.end = self.next + BLOCK;
        self.blocks = blocks;
        self.origin = (blocks * BLOCK as u64).wrapping_sub(self.next as u64);
    }

    /// Draws the next numbers: at least one, at most `most`, and at most the rest of the block.
    ///
    /// # Panics
    /// Panics if `most` is 0.
    #[inline]
    pub fn draws(&mut self, most: usize) -> &[u64] {
        assert!(most > 0, "at least one number is asked for");
        if self.next == self.end {
            self.refill();
        }
        let from = self.next;
        self.next += most.min(self.end - from);
        &self.numbers[from..self.next]
    }

    /// Returns the next numbers, at least one, without drawing them: see [`skip`](Self::skip).
    #[inline]
    pub(crate) fn ahead(&mut self) -> &[u64] {
        if self.next == self.end {
            self.refill();
        }
        &self.numbers[self.next..self.end]
    }

    /// Draws the first `numbers` of the numbers [`ahead`](Self::ahead).
    #[cfg(any(target_arch = "x86_64", test))]
    #[inline]
    pub(crate) fn skip(&mut self, numbers: usize) {
        debug_assert!(numbers <= self.made(), "only numbers that are made can be skipped");
        self.next += numbers;
    }

    #[cold]
    fn refill(&mut self) {
        let half = 1 - self.half();
        if self.other != Other::Next {
            self.before[half] = self.state;
            let block = &mut self.numbers.as_chunks_mut().0[half];
            fill(Vectors::Avx512, &mut self.state, block);
        }
        self.other = if self.blocks > 0 { Other::Previous } else { Other::Unknown };
        self.turn_to(half, self.blocks + 1);
    }
}

/// Numbers of a generator that are made already. Drawing them leaves the generator as it is, and
/// needs no look at the end of its block. Draws [beyond](Self::is_beyond) the last number are not
/// the generator's.
pub(crate) struct Made<'numbers> {
    numbers: &'numbers [u64],
    drawn: usize,
}

impl<'numbers> Made<'numbers> {
    pub(crate) fn new(numbers: &'numbers [u64]) -> Self {
        Made { numbers, drawn: 0 }
    }

    /// Returns the count of numbers drawn.
    #[inline]
    pub(crate) fn drawn(&self) -> usize {
        self.drawn
    }

    /// Draws this many numbers, whatever they are.
    #[inline]
    pub(crate) fn pass(&mut self, numbers: usize) {
        self.drawn += numbers;
    }

    /// Returns whether more numbers were drawn than there are.
    #[inline]
    pub(crate) fn is_beyond(&self) -> bool {
        self.drawn > self.numbers.len()
    }
}

/// Returns a number in place of one that is not made. They differ, so that loops of draws end.
#[cold]
fn beyond(place: usize) -> u64 {
    (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl TryRng for Made<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let number = match self.numbers.get(self.drawn) {
            Some(number) => *number,
            None => beyond(self.drawn),
        };
        self.drawn += 1;
        Ok(number)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for piece in bytes.chunks_mut(8) {
            piece.copy_from_slice(&self.try_next_u64()?.to_le_bytes()[..piece.len()]);
        }
        Ok(())
    }
}

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.try_next_u64()? >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        if self.next == self.end {
            self.refill();
        }
        let number = self.numbers[self.next];
        self.next += 1;
        Ok(number)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for piece in bytes.chunks_mut(8) {
            piece.copy_from_slice(&self.try_next_u64()?.to_le_bytes()[..piece.len()]);
        }
        Ok(())
    }
}

/// Makes a block, with `most` as the upper limit of vector instructions; all versions give the same
/// numbers.
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor can"))]
fn fill(most: Vectors, state: &mut [[u64; LANES]; 4], block: &mut [u64; BLOCK]) {
    match most.min(vectors()) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has these instructions.
        Vectors::Avx512 => unsafe { step_rotating(state, block) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has these instructions.
        Vectors::Avx2 => unsafe { step_vectors(state, block) },
        _ => step(state, block),
    }
}

/// Makes a block as [`step_vectors`] does, with single instructions for rotations and three-way
/// XOR.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn step_rotating(state: &mut [[u64; LANES]; 4], block: &mut [u64; BLOCK]) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi64 as add, _mm256_rol_epi64 as rotate, _mm256_slli_epi64 as up,
        _mm256_ternarylogic_epi64 as logic, _mm256_xor_si256 as xor,
    };
    /// Truth table of the exclusive or of three operands.
    const XOR: i32 = 0b1001_0110;
    let [mut a, mut b, mut c, mut d] = bytemuck::cast::<_, [__m256i; 4]>(*state);
    for numbers in block.as_chunks_mut::<LANES>().0 {
        *numbers = bytemuck::cast(add(rotate::<23>(add(a, d)), a));
        let shifted = up::<17>(b);
        let next_d = rotate::<45>(xor(d, b));
        let next_a = logic::<XOR>(a, d, b);
        b = logic::<XOR>(b, c, a);
        c = logic::<XOR>(c, a, shifted);
        (a, d) = (next_a, next_d);
    }
    *state = bytemuck::cast([a, b, c, d]);
}

/// Makes a block as [`step`] does, with four lanes per vector, because compilers do not
/// combine the lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn step_vectors(state: &mut [[u64; LANES]; 4], block: &mut [u64; BLOCK]) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi64 as add, _mm256_or_si256 as or, _mm256_slli_epi64 as up,
        _mm256_srli_epi64 as down, _mm256_xor_si256 as xor,
    };
    let [mut a, mut b, mut c, mut d] = bytemuck::cast::<_, [__m256i; 4]>(*state);
    for numbers in block.as_chunks_mut::<LANES>().0 {
        let sum = add(a, d);
        *numbers = bytemuck::cast(add(or(up::<23>(sum), down::<41>(sum)), a));
        let shifted = up::<17>(b);
        c = xor(c, a);
        d = xor(d, b);
        b = xor(b, c);
        a = xor(a, d);
        c = xor(c, shifted);
        d = or(up::<45>(d), down::<19>(d));
    }
    *state = bytemuck::cast([a, b, c, d]);
}

/// Makes a block without vector instructions; the reference for the other versions.
fn step(state: &mut [[u64; LANES]; 4], block: &mut [u64; BLOCK]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for numbers in block.as_chunks_mut::<LANES>().0 {
        for lane in 0..LANES {
            numbers[lane] = a[lane].wrapping_add(d[lane]).rotate_left(23).wrapping_add(a[lane]);
            let shifted = b[lane] << 17;
            c[lane] ^= a[lane];
            d[lane] ^= b[lane];
            b[lane] ^= c[lane];
            a[lane] ^= d[lane];
            c[lane] ^= shifted;
            d[lane] = d[lane].rotate_left(45);
        }
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn made_numbers_are_those_that_follow() {
        let mut random = Random::seed_from_u64(3);
        for passed in [0, 1, 7, BLOCK - 2, 3 * BLOCK] {
            random.pass(passed);
            let mut same = random.clone();
            let mut ahead = random.clone();
            let mut made = Made::new(ahead.ahead());
            let drawn = loop {
                let number = made.next_u64();
                if made.is_beyond() {
                    break made.drawn();
                }
                assert_eq!(number, same.next_u64());
            };
            assert_ne!(made.next_u64(), made.next_u64());
            assert_eq!((drawn - 1, same.made()), (ahead.made(), 0), "all that are made");
        }
    }

    #[test]
    fn lanes_are_xoshiros_by_turns() {
        for seed in [0, 1, u64::MAX, 2026] {
            let mut mix = SplitMix64::seed_from_u64(seed);
            let mut lanes: [Xoshiro256PlusPlus; LANES] = std::array::from_fn(|_| {
                let mut state = [0; 32];
                mix.fill_bytes(&mut state);
                Xoshiro256PlusPlus::from_seed(state)
            });
            assert_eq!(lanes[0], Xoshiro256PlusPlus::seed_from_u64(seed));
            let mut random = Random::seed_from_u64(seed);
            for number in 0..1000 {
                assert_eq!(
                    random.next_u64(),
                    lanes[number % LANES].next_u64(),
                    "number {number} of seed {seed}"
                );
            }
        }
    }

    #[test]
    fn every_version_makes_the_same_block() {
        let random = Random::seed_from_u64(7);
        for most in Vectors::ALL {
            let [mut one, mut other] = [(random.state, [0; BLOCK]); 2];
            for _ in 0..100 {
                fill(most, &mut one.0, &mut one.1);
                step(&mut other.0, &mut other.1);
                assert_eq!(one, other, "{most:?}");
            }
        }
    }

    #[test]
    fn a_mark_is_a_place_to_go_back_to() {
        let mut numbers = Random::seed_from_u64(5);
        let all: Vec<u64> = (0..500).map(|_| numbers.next_u64()).collect();
        let mut random = Random::seed_from_u64(5);
        let first = random.drawn();
        for (from, ahead) in [(0, 0), (0, 70), (1, 62), (3, 200), (63, 1), (64, 64), (128, 130)] {
            random.go_to(&Random::seed_from_u64(5).mark(), first + from);
            let mark = random.mark();
            (0..ahead).for_each(|_| _ = random.next_u64());
            assert_eq!(random.drawn(), first + from + ahead);
            for to in [from, from + ahead / 2, from + ahead] {
                random.go_to(&mark, first + to);
                let mut again = random.clone();
                assert_eq!(again.next_u64(), all[to as usize], "{from} {ahead} {to}");
                again.forward(first + to + 90);
                assert_eq!(again.next_u64(), all[to as usize + 90]);
            }
        }
    }

    /// Goes back by up to 700 numbers from marks of random ages, and on again by any way.
    #[test]
    fn numbers_are_the_same_after_any_return() {
        let mut numbers = Random::seed_from_u64(6);
        let all: Vec<u64> = (0..60_000).map(|_| numbers.next_u64()).collect();
        let mut random = Random::seed_from_u64(6);
        let (first, mut dice) = (random.drawn(), Random::seed_from_u64(7));
        let mut die = |sides: u64| dice.next_u64() % sides;
        let mut place = 0;
        for _ in 0..2000 {
            let (mark, start) = (random.mark(), place);
            for _ in 0..die(4) {
                match die(3) {
                    0 => place += random.draws(1 + die(300) as usize).len() as u64,
                    1 => {
                        let numbers = die(300);
                        random.pass(numbers as usize);
                        place += numbers;
                    }
                    _ => {
                        place += die(300);
                        random.forward(first + place);
                    }
                }
                assert_eq!(random.drawn(), first + place);
            }
            if die(2) == 0 {
                place = start + die(place - start + 1);
                random.go_to(&mark, first + place);
            }
            assert_eq!(random.next_u64(), all[place as usize], "{place}");
            place += 1;
            if place > 58_000 {
                random = Random::seed_from_u64(6);
                place = 0;
            }
        }
    }

    #[test]
    fn numbers_are_the_same_one_by_one_in_runs_and_as_bytes() {
        let mut one = Random::seed_from_u64(3);
        let (mut runs, mut bytes) = (one.clone(), one.clone());
        for most in (1..200).chain([usize::MAX]) {
            let run = runs.draws(most);
            assert!((1..=most).contains(&run.len()));
            for number in run {
                assert_eq!(*number, one.next_u64());
                let mut eight = [0; 8];
                bytes.fill_bytes(&mut eight);
                assert_eq!(u64::from_le_bytes(eight), *number);
            }
        }
    }
}
