//! Crossovers of many genes at a time, by the vector instructions of the processor at hand. The
//! children are the same as in the plain way.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor has AVX2"))]

use super::cut::one_point_words;
use crate::random::draws::Random;
use std::ops::Range;

/// Cuts pairs of rows of eight bytes at one point each: a child has the first `size * cut` bytes of
/// its first parent, and the others of its second. There are as many pairs and cuts as children.
///
/// # Panics
/// If a parent is not a row of the population.
#[inline]
pub(crate) fn one_point_children(
    population: &[[u8; 8]],
    pairs: &[[u32; 2]],
    cuts: &[u32],
    size: usize,
    children: &mut [[u8; 8]],
) {
    let (pairs, cuts) = (&pairs[..children.len()], &cuts[..children.len()]);
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::one_point_children(population, pairs, cuts, size, children) };
        return;
    }
    one_by_one(population, pairs, cuts, size, children);
}

/// The plain way.
#[inline]
fn one_by_one(
    population: &[[u8; 8]],
    pairs: &[[u32; 2]],
    cuts: &[u32],
    size: usize,
    children: &mut [[u8; 8]],
) {
    let word = |row: u32| u64::from_le_bytes(population[row as usize]);
    for ((child, [first, second]), cut) in children.iter_mut().zip(pairs).zip(cuts) {
        let (one, _) = one_point_words(word(*first), word(*second), *cut as usize * size);
        *child = one.to_le_bytes();
    }
}

/// Exchanges each byte of two rows where a bit is set, a draw for 64 bytes, if this processor does
/// it in vectors; returns whether it does. The rows are equally long.
#[inline]
pub(super) fn exchange([a, b]: [&[u8]; 2], random: &mut Random, [c, d]: [&mut [u8]; 2]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if a.len() >= LEAST && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::exchange([a, b], random, [c, d]) };
        return true;
    }
    false
}

/// Bytes of the shortest row that is exchanged in vectors.
#[cfg(target_arch = "x86_64")]
const LEAST: usize = 32;

/// Genes of the shortest permutation for which vectors are quicker, and of the longest for which
/// there are any.
#[cfg(target_arch = "x86_64")]
const FEWEST: usize = 28;
#[cfg(target_arch = "x86_64")]
const MOST: usize = 64;

/// The child of partially mapped crossover that has `from..to` from the giver, if this processor
/// makes it in vectors; returns whether it does. Both parents are permutations, and the segment is
/// not the whole row.
#[inline]
pub(super) fn pmx_child(
    [keeper, giver]: [&[u8]; 2],
    segment: Range<usize>,
    child: &mut [u8],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if (FEWEST..=MOST).contains(&keeper.len()) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::pmx_child([keeper, giver], segment, child) };
        return true;
    }
    false
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::MOST;
    use crate::random::draws::Random;
    use rand::Rng;
    use std::arch::x86_64::{
        __m128i, __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_cvtepu32_epi64, _mm256_mul_epu32,
        _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x,
        _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_sllv_epi64,
        _mm256_testz_si256, _mm256_xor_si256,
    };
    use std::ops::Range;

    /// Four children at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn one_point_children(
        population: &[[u8; 8]],
        pairs: &[[u32; 2]],
        cuts: &[u32],
        size: usize,
        children: &mut [[u8; 8]],
    ) {
        let greatest = pairs.as_flattened().iter().fold(0, |most, row| most.max(*row));
        assert!((greatest as usize) < population.len(), "a parent is a row of the population");
        // SAFETY: no parent is greater than that one.
        let word =
            |row: u32| i64::from_le_bytes(unsafe { *population.get_unchecked(row as usize) });
        let (fours, rest) = children.as_chunks_mut::<4>();
        let (four_pairs, last_pairs) = pairs.as_chunks::<4>();
        let (four_cuts, last_cuts) = cuts.as_chunks::<4>();
        let bits = _mm256_set1_epi64x(8 * size as i64);
        for ((four, pairs), cuts) in fours.iter_mut().zip(four_pairs).zip(four_cuts) {
            // Written out: `map` would not be compiled for AVX2.
            let [[a, b], [c, d], [e, f], [g, h]] = *pairs;
            let first = _mm256_setr_epi64x(word(a), word(c), word(e), word(g));
            let second = _mm256_setr_epi64x(word(b), word(d), word(f), word(h));
            // A shift by all 64 bits leaves none.
            let heads = _mm256_mul_epu32(_mm256_cvtepu32_epi64(bytemuck::cast(*cuts)), bits);
            let tails = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), heads);
            *four = bytemuck::cast(_mm256_blendv_epi8(first, second, tails));
        }
        super::one_by_one(population, last_pairs, last_cuts, size, rest);
    }

    /// 32 genes at a time; the row has as many.
    #[target_feature(enable = "avx2")]
    pub(super) fn exchange([a, b]: [&[u8]; 2], random: &mut Random, [c, d]: [&mut [u8]; 2]) {
        let rows = a.as_chunks::<64>().0.iter().zip(b.as_chunks::<64>().0);
        let children = c.as_chunks_mut::<64>().0.iter_mut().zip(d.as_chunks_mut::<64>().0);
        let (mut left, mut last) = (a.len() / 64, 0);
        let mut rows = rows.zip(children);
        while left > 0 {
            let draws = random.draws(left);
            left -= draws.len();
            for (bits, ((a, b), (c, d))) in draws.iter().zip(&mut rows) {
                let ([a, other_a], [b, other_b]) = (halves(a), halves(b));
                let (low, high) = (exchanged(a, b, *bits), exchanged(other_a, other_b, bits >> 32));
                *c = bytemuck::cast([low.0, high.0]);
                *d = bytemuck::cast([low.1, high.1]);
                last = *bits;
            }
        }
        let rest = a.len() % 64;
        if rest > 0 {
            let bits = u128::from(random.next_u64()) << 64 | u128::from(last);
            let mut exchange_from = |from: usize, bits: u128| {
                let genes = from..from + 32;
                let (one, other) =
                    exchanged(vector(&a[genes.clone()]), vector(&b[genes.clone()]), bits as u64);
                c[genes.clone()].copy_from_slice(&bytemuck::cast::<_, [u8; 32]>(one));
                d[genes].copy_from_slice(&bytemuck::cast::<_, [u8; 32]>(other));
            };
            if rest > 32 {
                exchange_from(a.len() - rest, bits >> 64);
            }
            // The last ones, some of them once more.
            exchange_from(a.len() - 32, bits >> (32 + rest));
        }
    }

    #[inline(always)]
    fn vector(genes: &[u8]) -> __m256i {
        bytemuck::cast::<[u8; 32], _>(genes.try_into().expect("32 genes"))
    }

    /// The numbers 0 to 63.
    const PLACES: [u8; MOST] = {
        let mut places = [0; MOST];
        let mut place = 0;
        while place < MOST {
            places[place] = place as u8;
            place += 1;
        }
        places
    };

    /// All places at a time: the mapping between the segments is a table, which values outside of
    /// the segment are looked up in until none changes.
    #[target_feature(enable = "avx2")]
    pub(super) fn pmx_child([keeper, giver]: [&[u8]; 2], segment: Range<usize>, child: &mut [u8]) {
        let length = keeper.len();
        let mut mapping = PLACES;
        for (keeps, gives) in keeper[segment.clone()].iter().zip(&giver[segment.clone()]) {
            mapping[usize::from(*gives) % MOST] = *keeps;
        }
        let mapping = Mapping::new(&mapping);
        // A value that the mapping leaves alone stands for all places that do not matter.
        let fixed = if segment.start > 0 { giver[0] } else { giver[length - 1] };
        let (mut kept, mut given) = ([fixed; MOST], [fixed; MOST]);
        kept[..length].copy_from_slice(keeper);
        given[..length].copy_from_slice(giver);
        let (kept, given, fixed) = (halves(&kept), halves(&given), _mm256_set1_epi8(fixed as i8));
        let inside = inside(&segment);
        let (mut low, mut high) = (
            _mm256_blendv_epi8(kept[0], fixed, inside[0]),
            _mm256_blendv_epi8(kept[1], fixed, inside[1]),
        );
        // No mapping is longer than the segment.
        for _ in 0..segment.len() {
            let (next_low, next_high) = (mapping.look_up(low), mapping.look_up(high));
            let changed =
                _mm256_or_si256(_mm256_xor_si256(low, next_low), _mm256_xor_si256(high, next_high));
            (low, high) = (next_low, next_high);
            if _mm256_testz_si256(changed, changed) == 1 {
                break;
            }
        }
        let genes: [u8; MOST] = bytemuck::cast([
            _mm256_blendv_epi8(low, given[0], inside[0]),
            _mm256_blendv_epi8(high, given[1], inside[1]),
        ]);
        child.copy_from_slice(&genes[..length]);
    }

    /// The places of a segment.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn inside(segment: &Range<usize>) -> [__m256i; 2] {
        let places = halves(&PLACES);
        let before = _mm256_set1_epi8(segment.start as i8 - 1);
        let end = _mm256_set1_epi8(segment.end as i8);
        let (low, high) =
            (_mm256_cmpgt_epi8(places[0], before), _mm256_cmpgt_epi8(places[1], before));
        [
            _mm256_and_si256(low, _mm256_cmpgt_epi8(end, places[0])),
            _mm256_and_si256(high, _mm256_cmpgt_epi8(end, places[1])),
        ]
    }

    /// A table of 64 bytes, each 16 of them in both halves of a vector.
    struct Mapping([__m256i; 4]);

    impl Mapping {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn new(table: &[u8; MOST]) -> Self {
            let [a, b, c, d] = bytemuck::cast::<_, [__m128i; 4]>(*table);
            Mapping([
                _mm256_broadcastsi128_si256(a),
                _mm256_broadcastsi128_si256(b),
                _mm256_broadcastsi128_si256(c),
                _mm256_broadcastsi128_si256(d),
            ])
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn look_up(&self, values: __m256i) -> __m256i {
            let [a, b, c, d] = self.0;
            // The bits that choose among the parts, in the highest places of their bytes.
            let (odd, upper) = (_mm256_slli_epi16::<3>(values), _mm256_slli_epi16::<2>(values));
            let low = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(a, values),
                _mm256_shuffle_epi8(b, values),
                odd,
            );
            let high = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(c, values),
                _mm256_shuffle_epi8(d, values),
                odd,
            );
            _mm256_blendv_epi8(low, high, upper)
        }
    }

    #[inline(always)]
    fn halves(row: &[u8; 64]) -> [__m256i; 2] {
        bytemuck::cast(*row)
    }

    /// Exchanges byte i of two vectors where bit i is set.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchanged(a: __m256i, b: __m256i, bits: u64) -> (__m256i, __m256i) {
        // A gene's bit is in the byte of the bits that it is given, the one of its place in eight.
        let bytes = _mm256_setr_epi64x(
            0,
            0x0101_0101_0101_0101,
            0x0202_0202_0202_0202,
            0x0303_0303_0303_0303,
        );
        let own = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), bytes);
        let mask = _mm256_cmpeq_epi8(_mm256_and_si256(bits, own), own);
        (_mm256_blendv_epi8(a, b, mask), _mm256_blendv_epi8(b, a, mask))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::{segment, uniform_bytes};
    use super::super::permutation::{Scratch, pmx_child_by_exchanges};
    use super::*;
    use crate::random::draws::{below, shuffle};
    use rand::Rng;

    #[test]
    fn children_are_those_of_the_plain_way() {
        let mut random = Random::seed_from_u64(6);
        for count in 1..40 {
            for size in [1, 2, 4, 8] {
                let rows = 1 + below(&mut random, 30);
                let population: Vec<[u8; 8]> =
                    (0..rows).map(|_| random.next_u64().to_le_bytes()).collect();
                let pairs: Vec<[u32; 2]> = (0..count)
                    .map(|_| [below(&mut random, rows) as u32, below(&mut random, rows) as u32])
                    .collect();
                let cuts: Vec<u32> =
                    (0..count).map(|_| below(&mut random, 8 / size + 1) as u32).collect();
                let (mut found, mut plain) = (vec![[9; 8]; count], vec![[7; 8]; count]);
                one_point_children(&population, &pairs, &cuts, size, &mut found);
                one_by_one(&population, &pairs, &cuts, size, &mut plain);
                assert_eq!(found, plain, "{count} children of {size} bytes a gene");
            }
        }
    }

    #[test]
    fn exchanged_genes_are_those_of_the_plain_way() {
        let mut random = Random::seed_from_u64(8);
        for length in 1..400 {
            let mut row = || (0..length).map(|_| random.next_u64() as u8).collect::<Vec<u8>>();
            let (a, b) = (row(), row());
            let (mut c, mut d) = (vec![1; length], vec![2; length]);
            let mut same = random.clone();
            if exchange([&a, &b], &mut random, [&mut c, &mut d]) {
                let (mut plain_c, mut plain_d) = (vec![3; length], vec![4; length]);
                uniform_bytes(&a, &b, &mut same, &mut plain_c, &mut plain_d);
                assert_eq!((c, d), (plain_c, plain_d), "{length} genes");
                assert_eq!(random.next_u64(), same.next_u64(), "{length} genes");
            }
        }
    }

    #[test]
    fn permutations_are_crossed_as_in_the_plain_way() {
        let (mut random, mut scratch) = (Random::seed_from_u64(9), Scratch::default());
        for length in 2..=70 {
            let mut parents: [Vec<u8>; 2] =
                std::array::from_fn(|_| (0..length as u8).collect::<Vec<u8>>());
            for _ in 0..200 {
                // The second is like the first at times, and nothing but one cycle at others.
                parents.iter_mut().for_each(|parent| shuffle(parent, &mut random));
                match below(&mut random, 4) {
                    0 => parents[1] = parents[0].clone(),
                    1 => {
                        parents[1] = parents[0].clone();
                        parents[1].rotate_left(1);
                    }
                    _ => {}
                }
                let (from, to) = segment(length, &mut random);
                let [keeper, giver] = &parents;
                let (mut found, mut plain) = (vec![99; length], vec![98; length]);
                if pmx_child([keeper, giver], from..to, &mut found) {
                    pmx_child_by_exchanges(keeper, giver, from, to, &mut scratch, &mut plain);
                    assert_eq!(found, plain, "{keeper:?} {giver:?} {from}..{to}");
                }
            }
        }
    }

    #[test]
    fn a_parent_beyond_the_population_is_not_read() {
        let children = |parent| {
            std::panic::catch_unwind(|| {
                one_point_children(&[[0; 8]; 3], &[[0, parent]; 4], &[1; 4], 1, &mut [[0; 8]; 4]);
            })
        };
        assert!(children(2).is_ok() && children(3).is_err());
    }
}
