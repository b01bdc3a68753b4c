//! The random numbers of eight rows at a time, as in [`four_rows`](crate::four_rows), by AVX-512.
#![expect(unsafe_code, reason = "a vector is written by a pointer")]

use crate::four_rows::put;
use crate::rng::{FACTORS, ODD};
use crate::{Gene, RowRngs};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi64 as add, _mm512_cmpeq_epi64_mask, _mm512_cmpgt_epu32_mask,
    _mm512_loadu_si512, _mm512_madd52lo_epu64, _mm512_max_epu32, _mm512_mullo_epi64 as times,
    _mm512_or_si512 as or, _mm512_permutex2var_epi8 as choose, _mm512_rol_epi64 as rotate,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64 as up, _mm512_srli_epi64 as down,
    _mm512_storeu_si512, _mm512_ternarylogic_epi64 as logic, _mm512_xor_si512 as xor,
};

/// Rows in a vector.
const ROWS: usize = 8;
/// Genes of a row that are made at a time.
const GENES: usize = 8;
/// The exclusive or of three.
const XOR: i32 = 0b1001_0110;

/// State, word by word; the words of the eight rows are adjacent.
type State = [__m512i; 4];

/// As [`RowRngs::fill_below`], with a bound of at most 256.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vbmi")]
pub(crate) fn fill_below<G: Gene>(rngs: &RowRngs, bound: u32, genomes: &mut [G]) {
    let Some(length) = rngs.length(genomes.len()) else { return };
    let [a, b, c, d] = rngs.unmixed_states();
    let (mut a, mut b, mut c, mut d) = (vector(a), vector(b), vector(c), vector(d));
    let step = |word: usize| _mm512_set1_epi64(ODD[word].wrapping_mul(ROWS as u64) as i64);
    let steps = [step(0), step(1), step(2), step(3)];
    for (group, genomes) in genomes.chunks_mut(ROWS * length).enumerate() {
        let state = [mix(a), mix(b), mix(c), mix(d)];
        (a, b, c, d) = (add(a, steps[0]), add(b, steps[1]), add(c, steps[2]), add(d, steps[3]));
        // A state of zeros is replaced, and some numbers need a second draw: both are rare, and
        // left to the code without vectors.
        if is_zero_somewhere(&state) || !fill(state, bound, length, genomes) {
            rngs.part(ROWS * group, genomes.len() / length).fill_below_one_by_one(bound, genomes);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector(words: [u64; ROWS]) -> __m512i {
    // SAFETY: eight words are a vector.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn is_zero_somewhere([a, b, c, d]: &State) -> bool {
    let any = or(or(*a, *b), or(*c, *d));
    _mm512_cmpeq_epi64_mask(any, _mm512_setzero_si512()) != 0
}

/// Fills at most eight rows; returns whether no number needs a second draw.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi")]
fn fill<G: Gene>(mut state: State, bound: u32, length: usize, genomes: &mut [G]) -> bool {
    for from in (0..length).step_by(GENES) {
        let Some(bytes) = block(&mut state, bound) else { return false };
        let mut rows = [[0u8; GENES]; ROWS];
        // SAFETY: eight rows of eight bytes are a vector.
        unsafe { _mm512_storeu_si512(rows.as_mut_ptr().cast(), bytes) };
        put(&rows, from, length, genomes);
    }
    true
}

/// The next genes, bytes, those of a row together: the upper halves of the next numbers times
/// `bound` have them in their own upper halves. None if a second draw could change one of them (see
/// `random_range` of the crate `rand`).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi")]
fn block(state: &mut State, bound: u32) -> Option<__m512i> {
    let factor = _mm512_set1_epi64(bound.into());
    // The greatest lower half that is certain, and an upper half that is never passed.
    let certain = _mm512_set1_epi64((u64::MAX << 32 | u64::from(bound.wrapping_neg())) as i64);
    let mut greatest = certain;
    let mut products = [factor; GENES];
    for product in &mut products {
        // Of 40 bits.
        *product = _mm512_madd52lo_epu64(_mm512_setzero_si512(), down::<32>(step(state)), factor);
        greatest = _mm512_max_epu32(greatest, *product);
    }
    if _mm512_cmpgt_epu32_mask(greatest, certain) != 0 {
        return None;
    }
    let [a, b, c, d, e, f, g, h] = products;
    let (single, double, all) = (places(4, 1), places(0, 2), places(0, 4));
    let four = |one, two, three, four| {
        choose(choose(one, single, two), double, choose(three, single, four))
    };
    Some(choose(four(a, b, c, d), all, four(e, f, g, h)))
}

/// Takes `count` bytes from a place on out of each 64 bits of a vector, then of another.
#[inline]
#[target_feature(enable = "avx512f")]
fn places(from: usize, count: usize) -> __m512i {
    let words: [u64; ROWS] = std::array::from_fn(|lane| {
        let place = |byte: usize| match byte / count {
            0 => 8 * lane + from + byte,
            1 => 64 + 8 * lane + from + byte - count,
            _ => 0,
        };
        u64::from_le_bytes(std::array::from_fn(|byte| place(byte) as u8))
    });
    vector(words)
}

/// The next number of each row: xoshiro256++.
#[inline]
#[target_feature(enable = "avx512f")]
fn step(state: &mut State) -> __m512i {
    let [a, b, c, d] = *state;
    let number = add(rotate::<23>(add(a, d)), a);
    let (next_b, shifted) = (logic::<XOR>(b, c, a), up::<17>(b));
    *state = [logic::<XOR>(a, d, b), next_b, logic::<XOR>(c, a, shifted), rotate::<45>(xor(d, b))];
    number
}

/// The finaliser of SplitMix64.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn mix(z: __m512i) -> __m512i {
    let factor = |which: usize| _mm512_set1_epi64(FACTORS[which] as i64);
    let z = times(xor(z, down::<30>(z)), factor(0));
    let z = times(xor(z, down::<27>(z)), factor(1));
    xor(z, down::<31>(z))
}
