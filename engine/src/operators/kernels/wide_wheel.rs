//! Rows drawn from a wheel by rejection, 32 draws at a time.
#![expect(unsafe_code, reason = "parts of vectors are read and written by pointers")]

use crate::random::digits::{NUMBERS as PARENTS, put};
use crate::random::draws::Random;
use std::arch::x86_64::{
    __m512i, _mm512_add_pd, _mm512_castsi512_si256, _mm512_cvtepu16_epi32,
    _mm512_extracti64x4_epi64, _mm512_inserti64x4, _mm512_madd52lo_epu64,
    _mm512_mask_cmpeq_epu16_mask, _mm512_mask_cmplt_epu16_mask, _mm512_mask_mov_epi16,
    _mm512_mask_storeu_epi64, _mm512_maskz_compress_epi16, _mm512_maskz_loadu_epi64,
    _mm512_maskz_loadu_pd, _mm512_min_epu64, _mm512_mul_pd, _mm512_or_si512,
    _mm512_permutex2var_epi16 as choose, _mm512_permutexvar_epi16, _mm512_set1_epi16,
    _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_si512, _mm512_shuffle_i64x2,
    _mm512_sllv_epi64, _mm512_srli_epi64 as down, _mm512_sub_epi64, _mm512_subs_epu16,
    _mm512_test_epi16_mask, _pdep_u32,
};

/// Maximum number of rows that the tables hold.
pub(super) const MOST: usize = 256;
/// Number of limits in two vectors, which one instruction looks up.
const TABLE: usize = 64;
/// Number of draws examined together.
const DRAWS: usize = 32;
/// Number of bits of a limit that are not in the tables.
const CUT: u32 = 52 - 16;

/// Limits of all rows, and tables of the highest 16 bits of each limit.
pub(super) struct Wheel<'limits> {
    tables: [[__m512i; 2]; MOST / TABLE],
    limits: &'limits [u64],
}

/// Word positions in two vectors of products: first the fractions, then the rows.
const WORDS: [u16; 32] = {
    let mut words = [0; 32];
    let mut place = 0;
    while place < 32 {
        // A product has four words. The row is in the third, and the top of its fraction in the
        // second.
        words[place] = (place % 16 * 4 + 1 + place / 16) as u16;
        place += 1;
    }
    words
};

/// Position of each of 32 limits among eight 64-bit lanes of four words each. The first words are
/// the first eight limits.
const ORDER: [u16; 32] = {
    let mut order = [0; 32];
    let mut place = 0;
    while place < 32 {
        order[place] = (place % 8 * 4 + place / 8) as u16;
        place += 1;
    }
    order
};

impl<'limits> Wheel<'limits> {
    /// Creates a wheel of at most [`MOST`] rows. Sets each limit to the row's weight times `scale`,
    /// times 2^52.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn new(weights: &[f64], scale: f64, limits: &'limits mut [u64]) -> Self {
        // Adding 1 puts a fraction of 52 bits into the mantissa.
        let (scale, one) = (_mm512_set1_pd(scale), _mm512_set1_pd(1.0));
        let most = _mm512_set1_epi64(u16::MAX.into());
        let rows = limits.len().min(weights.len());
        let mut tables = [[_mm512_setzero_si512(); 2]; MOST / TABLE];
        for (group, table) in tables.as_flattened_mut().iter_mut().enumerate() {
            let mut words = _mm512_setzero_si512();
            for eight in 0..DRAWS / 8 {
                let from = DRAWS * group + 8 * eight;
                let left = rows.saturating_sub(from);
                if left == 0 {
                    break;
                }
                let lanes = u8::MAX >> (8 - left.min(8));
                // SAFETY: only as many lanes are read and written as weights and limits are left.
                let limits = unsafe {
                    let weights = _mm512_maskz_loadu_pd(lanes, weights.as_ptr().add(from));
                    let sum = _mm512_add_pd(one, _mm512_mul_pd(weights, scale));
                    let all = _mm512_sub_epi64(bytemuck::cast(sum), bytemuck::cast(one));
                    _mm512_mask_storeu_epi64(limits.as_mut_ptr().add(from).cast(), lanes, all);
                    all
                };
                // A limit of 2^52 is clamped to fit. Fractions equal to a limit in these bits are
                // decided by the full number.
                let highest = _mm512_min_epu64(down::<CUT>(limits), most);
                let place = _mm512_set1_epi64(16 * eight as i64);
                words = _mm512_or_si512(words, _mm512_sllv_epi64(highest, place));
            }
            *table = _mm512_permutexvar_epi16(bytemuck::cast(ORDER), words);
        }
        Wheel { tables, limits }
    }

    /// Fills `parents` with accepted rows; consumes only as many draws as needed.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(super) fn fill(&self, random: &mut Random, parents: &mut [u32]) {
        match self.limits.len().div_ceil(TABLE) {
            1 => self.fill_by::<1>(random, parents),
            2 => self.fill_by::<2>(random, parents),
            _ => self.fill_by::<4>(random, parents),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn fill_by<const TABLES: usize>(&self, random: &mut Random, parents: &mut [u32]) {
        let mut room = parents;
        while !room.is_empty() {
            let draws = random.ahead();
            let draws = &draws[..draws.len().min(DRAWS)];
            let (takes, rows) = self.look_at::<TABLES>(draws);
            let rows = _mm512_maskz_compress_epi16(takes, rows);
            put(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(rows)), 0, room);
            put(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(rows)), PARENTS, room);
            let (taken, missing) = (takes.count_ones() as usize, room.len());
            // Draws after the last one needed are not consumed.
            let drawn = if taken < missing {
                draws.len()
            } else {
                _pdep_u32(1 << (missing - 1), takes).trailing_zeros() as usize + 1
            };
            random.skip(drawn);
            room = &mut room[taken.min(missing)..];
        }
    }

    /// Returns a mask of the draws that accept their row, and the rows. The upper half of a draw
    /// determines the row and 16 bits of the fraction. The lower half can only add 1 to these bits.
    /// If that could matter, all draws are computed in full.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn look_at<const TABLES: usize>(&self, draws: &[u64]) -> (u32, __m512i) {
        let (rows, words) = (_mm512_set1_epi64(self.limits.len() as i64), bytemuck::cast(WORDS));
        let (one, last) = (_mm512_set1_epi16(1), _mm512_set1_epi16(-1));
        let lanes = u32::MAX >> (DRAWS - draws.len());
        let product = |first: usize| {
            // SAFETY: only as many lanes are read as there are draws.
            let draws = unsafe {
                let from = draws.as_ptr().wrapping_add(first);
                _mm512_maskz_loadu_epi64((lanes >> first) as u8, from.cast())
            };
            _mm512_madd52lo_epu64(_mm512_setzero_si512(), down::<32>(draws), rows)
        };
        let ahead = choose(product(0), words, product(8));
        let behind = choose(product(16), words, product(24));
        let fraction = _mm512_inserti64x4::<1>(ahead, _mm512_castsi512_si256(behind));
        let row = _mm512_shuffle_i64x2::<0b11_10_11_10>(ahead, behind);
        let limit = self.look_up::<TABLES>(row);
        // A fraction below this is below the limit even if the lower half adds 1.
        let below = _mm512_subs_epu16(limit, one);
        let takes = _mm512_mask_cmplt_epu16_mask(lanes, fraction, below);
        let leaves = _mm512_mask_cmplt_epu16_mask(lanes, limit, fraction);
        let unsure =
            lanes & !(takes | leaves) | _mm512_mask_cmpeq_epu16_mask(lanes, fraction, last);
        if unsure == 0 { (takes, row) } else { self.in_full(draws) }
    }

    /// Returns the highest bits of the limits of these rows.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn look_up<const TABLES: usize>(&self, row: __m512i) -> __m512i {
        let look_up = |table: usize| {
            let [low, high] = self.tables[table];
            choose(low, row, high)
        };
        let or = |one, other, bit| {
            _mm512_mask_mov_epi16(one, _mm512_test_epi16_mask(row, _mm512_set1_epi16(bit)), other)
        };
        match TABLES {
            1 => look_up(0),
            2 => or(look_up(0), look_up(1), 64),
            _ => or(or(look_up(0), look_up(1), 64), or(look_up(2), look_up(3), 64), 128),
        }
    }

    /// Computes in full which of these draws accept their row, and the rows.
    #[cold]
    fn in_full(&self, draws: &[u64]) -> (u32, __m512i) {
        let (mut takes, mut rows) = (0, [0u16; DRAWS]);
        for (lane, draw) in draws.iter().enumerate() {
            let product = u128::from(*draw) * self.limits.len() as u128;
            let row = (product >> 64) as usize;
            rows[lane] = row as u16;
            takes |= u32::from((product as u64 >> 12) < self.limits[row]) << lane;
        }
        (takes, bytemuck::cast(rows))
    }
}
