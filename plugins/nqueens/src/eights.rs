//! Counting clashing pairs on boards of eight columns: four or eight boards in a vector.
//!
//! A board is a word. Turned by d columns and laid on itself, it shows every pair of queens that
//! are d columns apart, and beside them those that are 8 - d apart: four turns show all 28 pairs.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi8,
    _mm256_mul_pd, _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi64x,
    _mm256_set1_pd, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sub_epi8, _mm256_sub_pd,
    _mm512_add_epi8, _mm512_cvtepi64_pd, _mm512_mul_pd, _mm512_popcnt_epi8, _mm512_sad_epu8,
    _mm512_set1_epi8, _mm512_set1_pd, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_sub_epi8,
    _mm512_ternarylogic_epi64,
};

/// Columns of a board.
const WIDTH: usize = 8;
/// Boards in a vector.
const BOARDS: usize = 4;
/// Bytes in a vector.
const BYTES: usize = WIDTH * BOARDS;

/// Constants of one turn of the boards.
struct Turn {
    /// Source of each byte.
    places: [u8; BYTES],
    /// Differences of rows that are a clash, a bit each: none, and as many as columns lie between.
    clashes: [u8; BYTES],
}

/// The turns by 1 to 4 columns. The last one shows each pair twice; one of the two never clashes.
static TURNS: [Turn; 4] = {
    let mut turns = [const { Turn { places: [0; BYTES], clashes: [0; BYTES] } }; 4];
    let mut place = 0;
    while place < 4 * BYTES {
        let (turn, byte) = (place / BYTES, place % BYTES);
        let (by, column) = (turn + 1, byte % WIDTH);
        // Bytes are moved within halves of a vector.
        turns[turn].places[byte] = (byte % 16 - column + (column + by) % WIDTH) as u8;
        let apart = if column + by < WIDTH { by } else { WIDTH - by };
        turns[turn].clashes[byte] = if turn == 3 && column >= 4 { 0 } else { 1 | 1 << apart };
        place += 1;
    }
    turns
};

/// A bit for each difference of two rows, at 8 + difference.
const DIFFERENCES: [u8; BYTES] = {
    let mut bits = [0; BYTES];
    let mut place = 0;
    while place < BYTES {
        if place % 16 > 0 {
            bits[place] = 1 << (place % 16).abs_diff(8);
        }
        place += 1;
    }
    bits
};

/// Tests of a board by all turns, those that are not needed among them.
const TESTS: f64 = 32.0;
/// A number whose last bits count ones.
const ONES: f64 = (1u64 << 52) as f64;

/// Writes the pairs, times `pair`, of boards of eight columns, one behind the other. Rows must be
/// below 8: others would give a wrong number.
#[target_feature(enable = "avx2")]
pub(crate) fn of_all(boards: &[u8], pair: u64, fitness: &mut [f64]) {
    let (vectors, rest) = boards.as_chunks::<BYTES>();
    let (fours, last) = fitness.as_chunks_mut::<BOARDS>();
    let pair = pair as f64;
    for (boards, fitness) in vectors.iter().zip(fours) {
        *fitness = of_four(boards, pair);
    }
    if !last.is_empty() {
        let mut boards = [0; BYTES];
        boards[..rest.len()].copy_from_slice(rest);
        last.copy_from_slice(&of_four(&boards, pair)[..last.len()]);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn of_four(boards: &[u8; BYTES], pair: f64) -> [f64; BOARDS] {
    let vector = |bytes: [u8; BYTES]| bytemuck::cast::<_, __m256i>(bytes);
    let (boards, zero) = (vector(*boards), _mm256_setzero_si256());
    let (raised, differences) = (_mm256_add_epi8(boards, _mm256_set1_epi8(8)), vector(DIFFERENCES));
    let mut peaceful = zero;
    for Turn { places, clashes } in &TURNS {
        let turned = _mm256_shuffle_epi8(boards, vector(*places));
        let difference = _mm256_shuffle_epi8(differences, _mm256_sub_epi8(raised, turned));
        let clash = _mm256_and_si256(difference, vector(*clashes));
        // Takes away -1 where there is none.
        peaceful = _mm256_sub_epi8(peaceful, _mm256_cmpeq_epi8(clash, zero));
    }
    let peaceful = _mm256_sad_epu8(peaceful, zero);
    let peaceful = _mm256_or_si256(peaceful, _mm256_set1_epi64x(ONES.to_bits() as i64));
    let pairs = _mm256_sub_pd(_mm256_set1_pd(ONES + TESTS), _mm256_castsi256_pd(peaceful));
    bytemuck::cast(_mm256_mul_pd(pairs, _mm256_set1_pd(pair)))
}

/// Boards in a vector of 64 bytes.
const MANY: usize = 8;
const MANY_BYTES: usize = WIDTH * MANY;

/// Constants of one turn of eight boards. Each turn has two separate bits, so that those of all
/// turns can be counted at once: one bit for pairs that are as many columns apart as it turns, one
/// for those that are 8 less that apart.
struct WideTurn {
    /// Source of each byte.
    places: [u8; MANY_BYTES],
    /// Bits that a difference of rows sets, at 8 + difference in each 16 bytes.
    differences: [u8; MANY_BYTES],
    /// The bit that counts in each byte.
    counted: [u8; MANY_BYTES],
}

static WIDE_TURNS: [WideTurn; 4] = {
    const NONE: [u8; MANY_BYTES] = [0; MANY_BYTES];
    let mut turns = [const { WideTurn { places: NONE, differences: NONE, counted: NONE } }; 4];
    let mut place = 0;
    while place < 4 * MANY_BYTES {
        let (turn, byte) = (place / MANY_BYTES, place % MANY_BYTES);
        let (by, column, bit) = (turn + 1, byte % WIDTH, 2 * turn);
        turns[turn].places[byte] = (byte % 16 - column + (column + by) % WIDTH) as u8;
        let apart = (byte % 16).abs_diff(8);
        let (near, far) = (apart == 0 || apart == by, apart == 0 || apart == WIDTH - by);
        // Rows differ by at most 7.
        if byte % 16 > 0 {
            turns[turn].differences[byte] = (near as u8) << bit | (far as u8) << (bit + 1);
        }
        // The last turn shows each pair twice.
        turns[turn].counted[byte] = match column + by < WIDTH {
            true => 1 << bit,
            false if turn == 3 => 0,
            false => 2 << bit,
        };
        place += 1;
    }
    turns
};

/// As [`of_all`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bitalg")]
pub(crate) fn of_all_wide(boards: &[u8], pair: u64, fitness: &mut [f64]) {
    let pair = pair as f64;
    let (vectors, rest) = boards.as_chunks::<MANY_BYTES>();
    let (eights, last) = fitness.as_chunks_mut::<MANY>();
    for (boards, fitness) in vectors.iter().zip(eights) {
        *fitness = of_eight(boards, pair);
    }
    if last.is_empty() {
        return;
    }
    if let (Some(boards), Some(fitness)) = (boards.last_chunk(), fitness.last_chunk_mut()) {
        // Some of them once more.
        *fitness = of_eight(boards, pair);
    } else {
        let mut boards = [0; MANY_BYTES];
        boards[..rest.len()].copy_from_slice(rest);
        fitness.copy_from_slice(&of_eight(&boards, pair)[..fitness.len()]);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bitalg")]
fn of_eight(boards: &[u8; MANY_BYTES], pair: f64) -> [f64; MANY] {
    /// Bits of the first, and those that both others have.
    const OR_AND: i32 = 0b1111_1000;
    let vector = |bytes: [u8; MANY_BYTES]| bytemuck::cast::<_, __m512i>(bytes);
    let boards = vector(*boards);
    let raised = _mm512_add_epi8(boards, _mm512_set1_epi8(8));
    let mut clashes = _mm512_setzero_si512();
    for WideTurn { places, differences, counted } in &WIDE_TURNS {
        let turned = _mm512_shuffle_epi8(boards, vector(*places));
        let shown = _mm512_shuffle_epi8(vector(*differences), _mm512_sub_epi8(raised, turned));
        clashes = _mm512_ternarylogic_epi64::<OR_AND>(clashes, shown, vector(*counted));
    }
    let pairs = _mm512_sad_epu8(_mm512_popcnt_epi8(clashes), _mm512_setzero_si512());
    bytemuck::cast(_mm512_mul_pd(_mm512_cvtepi64_pd(pairs), _mm512_set1_pd(pair)))
}
