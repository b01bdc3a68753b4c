//! The random numbers of four rows at a time: their generators are the lanes of vectors.

use crate::rng::{FACTORS, ODD};
use crate::{Gene, RowRngs};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi64 as add, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi64,
    _mm256_extract_epi64, _mm256_max_epu32, _mm256_movemask_epi8, _mm256_mul_epu32,
    _mm256_or_si256 as or, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_set1_epi64x,
    _mm256_setr_epi8, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_shuffle_ps, _mm256_slli_epi64 as up, _mm256_srli_epi64 as down, _mm256_testz_si256,
    _mm256_xor_si256 as xor,
};

/// Rows in a vector.
const ROWS: usize = 4;
/// Genes of a row that are made at a time.
const GENES: usize = 8;

/// State, word by word; the words of the four rows are adjacent.
type State = [__m256i; 4];

/// As [`RowRngs::fill_below`].
#[target_feature(enable = "avx2")]
pub(crate) fn fill_below<G: Gene>(rngs: &RowRngs, bound: u32, genomes: &mut [G]) {
    let Some(length) = rngs.length(genomes.len()) else { return };
    let mut seeds = Seeds::new(rngs);
    for (group, genomes) in genomes.chunks_mut(ROWS * length).enumerate() {
        let state = seeds.next_four();
        // A state of zeros is replaced, and some numbers need a second draw: both are rare, and
        // left to the code without vectors.
        let filled = !is_zero_somewhere(&state)
            && if bound <= 256 {
                fill_with_bytes(state, bound, length, genomes)
            } else {
                fill_with_words(state, bound, length, genomes)
            };
        if !filled {
            rngs.part(ROWS * group, genomes.len() / length).fill_below_one_by_one(bound, genomes);
        }
    }
}

/// Values from which the states of four rows are mixed, and the step to those of the next four.
struct Seeds {
    unmixed: State,
    steps: State,
}

impl Seeds {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(rngs: &RowRngs) -> Self {
        let mut seeds =
            Seeds { unmixed: [_mm256_setzero_si256(); 4], steps: [_mm256_setzero_si256(); 4] };
        for (word, [a, b, c, d]) in rngs.unmixed_states::<ROWS>().into_iter().enumerate() {
            let step = ODD[word].wrapping_mul(ROWS as u64);
            seeds.unmixed[word] = _mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64);
            seeds.steps[word] = _mm256_set1_epi64x(step as i64);
        }
        seeds
    }

    /// Written out: loops go through memory.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn next_four(&mut self) -> State {
        let ([a, b, c, d], [e, f, g, h]) = (self.unmixed, self.steps);
        self.unmixed = [add(a, e), add(b, f), add(c, g), add(d, h)];
        [mix(a), mix(b), mix(c), mix(d)]
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_zero_somewhere([a, b, c, d]: &State) -> bool {
    let any = or(or(*a, *b), or(*c, *d));
    _mm256_movemask_epi8(_mm256_cmpeq_epi64(any, _mm256_setzero_si256())) != 0
}

/// Fills at most four rows with numbers that fit a byte; returns whether none needs a second draw.
#[inline]
#[target_feature(enable = "avx2")]
fn fill_with_bytes<G: Gene>(
    mut state: State,
    bound: u32,
    length: usize,
    genomes: &mut [G],
) -> bool {
    for from in (0..length).step_by(GENES) {
        let Some(products) = block(&mut state, bound) else { return false };
        let bytes = packed(&products);
        let rows = [
            _mm256_extract_epi64::<0>(bytes).to_le_bytes(),
            _mm256_extract_epi64::<1>(bytes).to_le_bytes(),
            _mm256_extract_epi64::<2>(bytes).to_le_bytes(),
            _mm256_extract_epi64::<3>(bytes).to_le_bytes(),
        ];
        put(&rows, from, length, genomes);
    }
    true
}

/// Fills rows with numbers of up to 32 bits.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn fill_with_words<G: Gene>(
    mut state: State,
    bound: u32,
    length: usize,
    genomes: &mut [G],
) -> bool {
    for from in (0..length).step_by(GENES) {
        let Some(products) = block(&mut state, bound) else { return false };
        let mut rows = [[0u32; GENES]; ROWS];
        for (gene, product) in products.into_iter().enumerate() {
            rows[0][gene] = (_mm256_extract_epi64::<0>(product) >> 32) as u32;
            rows[1][gene] = (_mm256_extract_epi64::<1>(product) >> 32) as u32;
            rows[2][gene] = (_mm256_extract_epi64::<2>(product) >> 32) as u32;
            rows[3][gene] = (_mm256_extract_epi64::<3>(product) >> 32) as u32;
        }
        put(&rows, from, length, genomes);
    }
    true
}

/// Writes these genes of each row at the position `from` of its genome, as far as there is
/// room.
#[inline(always)]
pub(crate) fn put<G: Gene, N: Copy + Into<u32>>(
    rows: &[[N; GENES]],
    from: usize,
    length: usize,
    genomes: &mut [G],
) {
    let room = GENES.min(length - from);
    for (row, numbers) in rows.iter().enumerate() {
        let Some(genome) = genomes.get_mut(row * length + from..) else { return };
        match genome.first_chunk_mut::<GENES>() {
            Some(genes) if room == GENES => {
                for (gene, number) in genes.iter_mut().zip(numbers) {
                    *gene = G::from_index((*number).into() as usize);
                }
            }
            _ => {
                for (gene, number) in genome.iter_mut().zip(&numbers[..room]) {
                    *gene = G::from_index((*number).into() as usize);
                }
            }
        }
    }
}

/// The upper halves of the next numbers times `bound`, whose own upper halves are the genes; none
/// if a second draw could change one of them (see `random_range` of the crate `rand`).
#[inline]
#[target_feature(enable = "avx2")]
fn block(state: &mut State, bound: u32) -> Option<[__m256i; GENES]> {
    let factor = _mm256_set1_epi64x(i64::from(bound));
    // The greatest lower half that is certain, and an upper half that is never passed.
    let certain = _mm256_set1_epi64x((u64::MAX << 32 | u64::from(bound.wrapping_neg())) as i64);
    let mut greatest = certain;
    let mut products = [factor; GENES];
    for product in &mut products {
        *product = _mm256_mul_epu32(down::<32>(step(state)), factor);
        greatest = _mm256_max_epu32(greatest, *product);
    }
    let beyond = xor(greatest, certain);
    (_mm256_testz_si256(beyond, beyond) == 1).then_some(products)
}

/// The genes as bytes, those of a row together.
#[inline]
#[target_feature(enable = "avx2")]
fn packed(products: &[__m256i; GENES]) -> __m256i {
    let [a, b, c, d, e, f, g, h] = *products;
    // In each half of a vector, two rows: first by turns, then one after the other.
    let first = _mm256_packus_epi32(upper_halves(a, b), upper_halves(c, d));
    let last = _mm256_packus_epi32(upper_halves(e, f), upper_halves(g, h));
    let places = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, //
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
    );
    _mm256_shuffle_epi8(_mm256_packus_epi16(first, last), places)
}

#[inline]
#[target_feature(enable = "avx2")]
fn upper_halves(one: __m256i, other: __m256i) -> __m256i {
    let (one, other) = (_mm256_castsi256_ps(one), _mm256_castsi256_ps(other));
    _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(one, other))
}

/// The next number of each row: xoshiro256++.
#[inline]
#[target_feature(enable = "avx2")]
fn step(state: &mut State) -> __m256i {
    let [a, b, c, d] = *state;
    let sum = add(a, d);
    let number = add(or(up::<23>(sum), down::<41>(sum)), a);
    let (c, d) = (xor(c, a), xor(d, b));
    let rotated = or(up::<45>(d), down::<19>(d));
    *state = [xor(a, d), xor(b, c), xor(c, up::<17>(b)), rotated];
    number
}

/// The finaliser of SplitMix64.
#[inline]
#[target_feature(enable = "avx2")]
fn mix(z: __m256i) -> __m256i {
    let z = times(xor(z, down::<30>(z)), FACTORS[0]);
    let z = times(xor(z, down::<27>(z)), FACTORS[1]);
    xor(z, down::<31>(z))
}

/// The lower halves of products of 64 bits, from products of 32.
#[inline]
#[target_feature(enable = "avx2")]
fn times(z: __m256i, factor: u64) -> __m256i {
    let (low, high) =
        (_mm256_set1_epi64x(factor as i64), _mm256_set1_epi64x((factor >> 32) as i64));
    let crossed = add(_mm256_mul_epu32(z, high), _mm256_mul_epu32(down::<32>(z), low));
    add(_mm256_mul_epu32(z, low), up::<32>(crossed))
}
