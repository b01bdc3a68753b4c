//! Bounded numbers cut from random draws, eight draws at a time.
//!
//! The numbers are the digits to base `bound` of the whole part of a product. The product is a draw
//! times a power of `bound`. The whole part is split into two halves with equal numbers of digits.
//! Each half is split again, until every digit is separate.
#![expect(unsafe_code, reason = "parts of vectors are read and written by pointers")]

use super::parts::numbers_of_a_draw;
use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m512i, _mm512_add_epi16, _mm512_add_epi64 as add, _mm512_cvtepu8_epi32,
    _mm512_cvtepu16_epi32, _mm512_extracti32x4_epi32 as quarter, _mm512_extracti64x4_epi64 as half,
    _mm512_mask_cmplt_epu64_mask, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi64,
    _mm512_mulhi_epu16, _mm512_mullo_epi16, _mm512_or_si512 as or, _mm512_set1_epi16,
    _mm512_set1_epi64 as all, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_slli_epi32,
    _mm512_slli_epi64 as up, _mm512_srl_epi16, _mm512_srl_epi64, _mm512_srli_epi64 as down,
    _mm512_sub_epi16, _mm512_sub_epi64, _mm512_ternarylogic_epi64,
};

/// Truth table of `a | (b & c)` for a ternary-logic instruction.
const OR_AND: i32 = 0b1111_1000;

/// Number of draws in a vector.
const DRAWS: usize = 8;
/// Number of 32-bit numbers in a vector.
pub(crate) const NUMBERS: usize = 16;

/// Cuts each draw into `COUNT` (2, 4 or 8) numbers below `bound`, in order, as many as fit. `bound`
/// is at least 2, and `COUNT` is its [`numbers_of_a_draw`]. Returns false if the last fraction of a
/// draw is below `surplus`; `numbers` then has unspecified content.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn cut<const COUNT: usize>(
    draws: &[u64],
    bound: u64,
    surplus: u64,
    numbers: &mut [u32],
) -> bool {
    let power = bound.pow(COUNT as u32);
    let (whole, surplus) = (all(power as i64), all(surplus as i64));
    let [halves, quarters, eighths] = match CUTS.get(bound as usize) {
        Some(divisors) => *divisors,
        None => divisors(bound),
    };
    let room = numbers.len().min(COUNT * draws.len());
    let groups = draws.chunks(DRAWS).zip(numbers[..room].chunks_mut(COUNT * DRAWS));
    for (draws, numbers) in groups {
        let lanes = u8::MAX >> (DRAWS - draws.len());
        // SAFETY: only as many lanes are read as there are draws.
        let draws = unsafe { _mm512_maskz_loadu_epi64(lanes, draws.as_ptr().cast()) };
        // The product has 96 bits: its upper 64 bits, and its lowest 32 bits.
        let (sum, lowest) = if power == 1 << 32 {
            (draws, _mm512_setzero_si512())
        } else {
            let lowest = product(draws, whole);
            (add(product(down::<32>(draws), whole), down::<32>(lowest)), lowest)
        };
        let low = all(u32::MAX.into());
        let fraction = _mm512_ternarylogic_epi64::<OR_AND>(up::<32>(sum), lowest, low);
        if _mm512_mask_cmplt_epu64_mask(lanes, fraction, surplus) != 0 {
            return false;
        }
        let digits = halves.divide_words(down::<32>(sum));
        if COUNT == 2 {
            put(digits, 0, numbers);
            continue;
        }
        let digits = quarters.divide_halves(digits);
        if COUNT == 4 {
            put(_mm512_cvtepu16_epi32(half::<0>(digits)), 0, numbers);
            put(_mm512_cvtepu16_epi32(half::<1>(digits)), NUMBERS, numbers);
            continue;
        }
        let digits = eighths.divide_bytes(digits);
        put(_mm512_cvtepu8_epi32(quarter::<0>(digits)), 0, numbers);
        put(_mm512_cvtepu8_epi32(quarter::<1>(digits)), NUMBERS, numbers);
        put(_mm512_cvtepu8_epi32(quarter::<2>(digits)), 2 * NUMBERS, numbers);
        put(_mm512_cvtepu8_epi32(quarter::<3>(digits)), 3 * NUMBERS, numbers);
    }
    true
}

/// Divisor d of numbers below d^2, prepared for multiplication by its inverse.
#[derive(Clone, Copy)]
struct Divisor {
    divisor: u32,
    /// 2^(bits + shift) / divisor, rounded up or down. `bits` is the maximum number of bits of a
    /// number: 32 if the divisor has more than 8 bits, otherwise 16.
    inverse: u32,
    shift: u8,
    /// Amount added to a number before multiplication: 1 if the inverse is rounded down, otherwise
    /// 0.
    more: u8,
}

impl Divisor {
    /// Chooses the rounding of the inverse that gives exact quotients. If the inverse is rounded
    /// up, a number v times the inverse is v / d times 2^(bits + shift), plus v e / d. Here e,
    /// which is below d, is the amount that rounding adds to d times the inverse. The whole part is
    /// exact as long as v e is below 2^(bits + shift). This holds if e is at most d / 2. Otherwise
    /// the inverse is rounded down, and v + 1 replaces v to compensate. The same bound then holds
    /// for d - e. (Robison 2005, "N-bit unsigned division via N-bit multiply-add",
    /// doi:10.1109/ARITH.2005.31.)
    const fn new(divisor: u64, bits: u32) -> Self {
        let shift = (if divisor > 2 { divisor - 1 } else { 1 }).ilog2();
        let whole = 1u64 << (bits + shift);
        let up = whole.div_ceil(divisor);
        let more = (2 * (up * divisor - whole) > divisor) as u8;
        let inverse = (up - more as u64) as u32;
        Divisor { divisor: divisor as u32, inverse, shift: shift as u8, more }
    }
}

/// Returns the divisors that halve groups of digits to base `bound`, from all digits of a draw on:
/// see [`cut`]. If a draw has fewer than eight digits, the last divisors are not used.
const fn divisors(bound: u64) -> [Divisor; 3] {
    let one = Divisor::new(bound, 16);
    match numbers_of_a_draw(bound) {
        8 => [Divisor::new(bound.pow(4), 32), Divisor::new(bound.pow(2), 16), one],
        4 => [Divisor::new(bound.pow(2), 32), one, one],
        _ => [Divisor::new(bound, 32); 3],
    }
}

/// Divisors of small bounds, precomputed because calculating them takes longer than using them.
static CUTS: [[Divisor; 3]; 257] = {
    let mut cuts = [[Divisor::new(2, 16); 3]; 257];
    let mut bound = 2;
    while bound < cuts.len() {
        cuts[bound] = divisors(bound as u64);
        bound += 1;
    }
    cuts
};

impl Divisor {
    /// Divides each 64-bit lane, a number below 2^32. The quotient goes into the lower half, the
    /// remainder into the upper.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn divide_words(&self, numbers: __m512i) -> __m512i {
        let more = add(numbers, all(self.more.into()));
        let quotient = product(more, all(self.inverse.into()));
        let quotient = _mm512_srl_epi64(down::<32>(quotient), self.shift());
        let rest = _mm512_sub_epi64(numbers, product(quotient, all(self.divisor.into())));
        or(quotient, up::<32>(rest))
    }

    /// Divides each 32-bit lane, a number below 2^16, into quotient and remainder of 16 bits each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn divide_halves(&self, numbers: __m512i) -> __m512i {
        let (quotient, rest) = self.both(numbers);
        or(quotient, _mm512_slli_epi32::<16>(rest))
    }

    /// Divides each 16-bit lane, a number below 2^8, into quotient and remainder of 8 bits each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn divide_bytes(&self, numbers: __m512i) -> __m512i {
        let (quotient, rest) = self.both(numbers);
        or(quotient, _mm512_slli_epi16::<8>(rest))
    }

    #[inline]
    fn shift(&self) -> __m128i {
        bytemuck::cast([u64::from(self.shift), 0])
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn both(&self, numbers: __m512i) -> (__m512i, __m512i) {
        let more = _mm512_add_epi16(numbers, _mm512_set1_epi16(self.more as i16));
        let quotient = _mm512_mulhi_epu16(more, _mm512_set1_epi16(self.inverse as i16));
        let quotient = _mm512_srl_epi16(quotient, self.shift());
        let divisor = _mm512_set1_epi16(self.divisor as i16);
        (quotient, _mm512_sub_epi16(numbers, _mm512_mullo_epi16(quotient, divisor)))
    }
}

/// Multiplies the lower halves of each 64-bit lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn product(one: __m512i, other: __m512i) -> __m512i {
    let product;
    // SAFETY: the instruction only calculates. Written in assembly, because in loops the compiler
    // would use two or more instructions: it forgets that the upper halves do not matter.
    unsafe {
        asm!(
            "vpmuludq {}, {}, {}",
            out(zmm_reg) product, in(zmm_reg) one, in(zmm_reg) other,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    product
}

/// Writes the numbers of a vector, starting at index `place`, as many as fit.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn put(vector: __m512i, place: usize, numbers: &mut [u32]) {
    let Some(room) = numbers.get_mut(place..) else { return };
    match room.first_chunk_mut::<NUMBERS>() {
        Some(room) => *room = bytemuck::cast(vector),
        None => {
            let lanes = !(u16::MAX << room.len());
            // SAFETY: only as many lanes are written as there is space for.
            unsafe { _mm512_mask_storeu_epi32(room.as_mut_ptr().cast(), lanes, vector) };
        }
    }
}
