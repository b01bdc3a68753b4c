//! Kernels of crossovers: many genes at a time, with the vector instructions of the current
//! processor. The children
//! are the same as without vector instructions.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor has them"))]
#![cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "there is no other way")
)]

use crate::random::draws::Random;
use runner_plugin::{Vectors, vectors};
use std::ops::Range;

/// Crosses rows of eight bytes at one point; each row is one word. Each child has the first `head`
/// bytes of one parent and the other bytes of the other.
#[inline]
pub(crate) fn one_point_words(a: u64, b: u64, head: usize) -> (u64, u64) {
    let mask = low_bytes(head);
    let exchanged = (a ^ b) & !mask;
    (a ^ exchanged, b ^ exchanged)
}

/// Returns a mask of the low `count` bytes of a word, 0..=8. A look-up is faster than shifts by a
/// variable number of bits.
#[inline]
pub(crate) fn low_bytes(count: usize) -> u64 {
    const MASKS: [u64; 9] = [
        0,
        0xff,
        0xffff,
        0xff_ffff,
        0xffff_ffff,
        0xff_ffff_ffff,
        0xffff_ffff_ffff,
        0xff_ffff_ffff_ffff,
        0xffff_ffff_ffff_ffff,
    ];
    MASKS[count]
}

/// Cuts pairs of rows of eight bytes at one point per pair. A child has the first `size * cut`
/// bytes of its first parent and the others of its second. The numbers of pairs, cuts and children
/// are equal.
///
/// # Panics
/// Panics if a parent is not a row of the population.
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
    if vectors() >= Vectors::Avx2 {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::one_point_children(population, pairs, cuts, size, children) };
        return;
    }
    one_by_one(population, pairs, cuts, size, children);
}

/// Crosses the pairs one at a time, without vector instructions.
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

/// Exchanges each byte of two rows if a random bit is set, with one draw per 64 bytes. Does so only
/// with vector instructions. Returns false, and changes nothing, if this processor has none for
/// rows of this length. The rows have equal lengths.
#[inline]
pub(crate) fn exchange(rows: [&[u8]; 2], random: &mut Random, children: [&mut [u8]; 2]) -> bool {
    exchange_by(Vectors::Avx512, rows, random, children)
}

/// Exchanges as [`exchange`] does, with `most` as the upper limit of vector instructions.
#[inline]
fn exchange_by(
    most: Vectors,
    [a, b]: [&[u8]; 2],
    random: &mut Random,
    [c, d]: [&mut [u8]; 2],
) -> bool {
    match most.min(vectors()) {
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx512 => {
            // SAFETY: the processor has these instructions.
            unsafe { avx512::exchange([a, b], random, [c, d]) };
            true
        }
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx2 if a.len() >= LEAST => {
            // SAFETY: the processor has these instructions.
            unsafe { avx2::exchange([a, b], random, [c, d]) };
            true
        }
        _ => false,
    }
}

/// Length in bytes of the shortest row that AVX2 exchanges.
#[cfg(target_arch = "x86_64")]
const LEAST: usize = 32;

/// Minimum length of a permutation for which AVX-512 is faster; it handles all genes at once.
#[cfg(target_arch = "x86_64")]
const FEWEST_AT_ONCE: usize = 8;
/// Minimum length of a permutation for which AVX2 is faster; it handles the genes in two halves.
#[cfg(target_arch = "x86_64")]
const FEWEST: usize = 28;
/// Maximum length of a permutation for which vectors are used.
#[cfg(target_arch = "x86_64")]
const MOST: usize = 64;

/// Writes the child of partially mapped crossover that takes `from..to` from the giver. Does so
/// only with vector instructions. Returns false, and writes nothing, if this processor has none for
/// this length. Both parents are permutations, and the segment is not the whole row.
#[inline]
pub(crate) fn pmx_child(rows: [&[u8]; 2], segment: Range<usize>, child: &mut [u8]) -> bool {
    pmx_child_by(Vectors::Avx512, rows, segment, child)
}

/// Writes the child as [`pmx_child`] does, with `most` as the upper limit of vector instructions.
#[inline]
fn pmx_child_by(
    most: Vectors,
    [keeper, giver]: [&[u8]; 2],
    segment: Range<usize>,
    child: &mut [u8],
) -> bool {
    match most.min(vectors()) {
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx512 if (FEWEST_AT_ONCE..=MOST).contains(&keeper.len()) => {
            // SAFETY: the processor has these instructions.
            unsafe { avx512::pmx_child([keeper, giver], segment, child) };
            true
        }
        #[cfg(target_arch = "x86_64")]
        Vectors::Avx2 if (FEWEST..=MOST).contains(&keeper.len()) => {
            // SAFETY: the processor has these instructions.
            unsafe { avx2::pmx_child([keeper, giver], segment, child) };
            true
        }
        _ => false,
    }
}

/// AVX-512 versions: up to 64 genes of a row at a time, selected by masks.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::MOST;
    use crate::random::draws::Random;
    use std::arch::x86_64::{
        __m512i, _mm512_cmpneq_epi8_mask, _mm512_mask_blend_epi8, _mm512_mask_loadu_epi8,
        _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_permutexvar_epi8,
        _mm512_set1_epi8,
    };
    use std::ops::Range;

    /// Exchanges bytes as [`super::exchange`] does.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn exchange([a, b]: [&[u8]; 2], random: &mut Random, [c, d]: [&mut [u8]; 2]) {
        let mut left = a.len().div_ceil(MOST);
        let rows = a.chunks(MOST).zip(b.chunks(MOST));
        let mut rows = rows.zip(c.chunks_mut(MOST).zip(d.chunks_mut(MOST)));
        while left > 0 {
            let draws = random.draws(left);
            left -= draws.len();
            for (bits, ((a, b), (c, d))) in draws.iter().zip(&mut rows) {
                let lanes = lanes(a.len());
                assert!(b.len() == a.len() && c.len() == a.len() && d.len() == a.len());
                // SAFETY: all four rows have as many bytes as there are active lanes.
                unsafe {
                    let a = _mm512_maskz_loadu_epi8(lanes, a.as_ptr().cast());
                    let b = _mm512_maskz_loadu_epi8(lanes, b.as_ptr().cast());
                    let (one, other) =
                        (_mm512_mask_blend_epi8(*bits, a, b), _mm512_mask_blend_epi8(*bits, b, a));
                    _mm512_mask_storeu_epi8(c.as_mut_ptr().cast(), lanes, one);
                    _mm512_mask_storeu_epi8(d.as_mut_ptr().cast(), lanes, other);
                }
            }
        }
    }

    /// Writes the child of partially mapped crossover. The mapping between the segments is a table.
    /// Values outside the segment are looked up in it repeatedly until none changes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn pmx_child([keeper, giver]: [&[u8]; 2], segment: Range<usize>, child: &mut [u8]) {
        let length = keeper.len();
        assert!(length <= MOST && giver.len() == length && child.len() == length);
        let mut mapping = super::PLACES;
        for (keeps, gives) in keeper[segment.clone()].iter().zip(&giver[segment.clone()]) {
            mapping[usize::from(*gives) % MOST] = *keeps;
        }
        let mapping = bytemuck::cast::<_, __m512i>(mapping);
        // Unused places hold a value that the mapping does not change.
        let fixed = if segment.start > 0 { giver[0] } else { giver[length - 1] };
        let (fixed, lanes) = (_mm512_set1_epi8(fixed as i8), lanes(length));
        let inside = lanes & u64::MAX << segment.start & !(u64::MAX << (segment.end - 1) << 1);
        // SAFETY: rows and child have as many bytes as there are active lanes.
        unsafe {
            let outside = lanes & !inside;
            let mut genes = _mm512_mask_loadu_epi8(fixed, outside, keeper.as_ptr().cast());
            // A chain of mappings is at most as long as the segment.
            for _ in 0..segment.len() {
                let next = _mm512_permutexvar_epi8(genes, mapping);
                let changed = _mm512_cmpneq_epi8_mask(genes, next);
                genes = next;
                if changed == 0 {
                    break;
                }
            }
            let genes = _mm512_mask_loadu_epi8(genes, inside, giver.as_ptr().cast());
            _mm512_mask_storeu_epi8(child.as_mut_ptr().cast(), lanes, genes);
        }
    }

    /// Returns a mask of the first `count` lanes, 1 to 64.
    #[inline]
    fn lanes(count: usize) -> u64 {
        u64::MAX >> (MOST - count)
    }
}

/// The numbers 0 to 63.
#[cfg(target_arch = "x86_64")]
const PLACES: [u8; MOST] = {
    let mut places = [0; MOST];
    let mut place = 0;
    while place < MOST {
        places[place] = place as u8;
        place += 1;
    }
    places
};

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{MOST, PLACES};
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

    /// Crosses four pairs at a time.
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
        // SAFETY: no parent is greater than `greatest`, which is a row of the population.
        let word =
            |row: u32| i64::from_le_bytes(unsafe { *population.get_unchecked(row as usize) });
        let (fours, rest) = children.as_chunks_mut::<4>();
        let (four_pairs, last_pairs) = pairs.as_chunks::<4>();
        let (four_cuts, last_cuts) = cuts.as_chunks::<4>();
        let bits = _mm256_set1_epi64x(8 * size as i64);
        for ((four, pairs), cuts) in fours.iter_mut().zip(four_pairs).zip(four_cuts) {
            // Written out, because closures of `map` would not be compiled for AVX2.
            let [[a, b], [c, d], [e, f], [g, h]] = *pairs;
            let first = _mm256_setr_epi64x(word(a), word(c), word(e), word(g));
            let second = _mm256_setr_epi64x(word(b), word(d), word(f), word(h));
            // A shift by 64 bits gives 0.
            let heads = _mm256_mul_epu32(_mm256_cvtepu32_epi64(bytemuck::cast(*cuts)), bits);
            let tails = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), heads);
            *four = bytemuck::cast(_mm256_blendv_epi8(first, second, tails));
        }
        super::one_by_one(population, last_pairs, last_cuts, size, rest);
    }

    /// Exchanges 32 genes at a time; the row has at least 32.
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
            // The last 32 genes. Some of them are computed again, with the same result.
            exchange_from(a.len() - 32, bits >> (32 + rest));
        }
    }

    #[inline(always)]
    fn vector(genes: &[u8]) -> __m256i {
        bytemuck::cast::<[u8; 32], _>(genes.try_into().expect("32 genes"))
    }

    /// Writes the child of partially mapped crossover, all places at a time. The mapping between
    /// the segments is a table. Values outside the segment are looked up in it repeatedly until
    /// none changes.
    #[target_feature(enable = "avx2")]
    pub(super) fn pmx_child([keeper, giver]: [&[u8]; 2], segment: Range<usize>, child: &mut [u8]) {
        let length = keeper.len();
        let mut mapping = PLACES;
        for (keeps, gives) in keeper[segment.clone()].iter().zip(&giver[segment.clone()]) {
            mapping[usize::from(*gives) % MOST] = *keeps;
        }
        let mapping = Mapping::new(&mapping);
        // Unused places hold a value that the mapping does not change.
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
        // A chain of mappings is at most as long as the segment.
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

    /// Returns a mask of the places of a segment.
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

    /// Table of 64 bytes in four parts of 16; each part fills both halves of a vector.
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
            // The bits that select one of the parts, shifted to the highest bit of each byte.
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

    /// Exchanges byte i of two vectors if bit i is set.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchanged(a: __m256i, b: __m256i, bits: u64) -> (__m256i, __m256i) {
        // Gene i uses bit i mod 8 of byte i / 8. The shuffle copies that byte to the gene.
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
    use super::*;
    use crate::operators::crossover::{Scratch, pmx_child_by_exchanges, segment, uniform_bytes};
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
            let mut plain = random.clone();
            let (mut plain_c, mut plain_d) = (vec![3; length], vec![4; length]);
            uniform_bytes(&a, &b, &mut plain, &mut plain_c, &mut plain_d);
            for most in Vectors::ALL {
                let (mut c, mut d) = (vec![1; length], vec![2; length]);
                let mut random = random.clone();
                if exchange_by(most, [&a, &b], &mut random, [&mut c, &mut d]) {
                    assert_eq!((&c, &d), (&plain_c, &plain_d), "{length} genes, {most:?}");
                    assert_eq!(random.next_u64(), plain.clone().next_u64(), "{length}, {most:?}");
                }
            }
            random = plain;
        }
    }

    #[test]
    fn permutations_are_crossed_as_in_the_plain_way() {
        let (mut random, mut scratch) = (Random::seed_from_u64(9), Scratch::default());
        for length in 2..=70 {
            let mut parents: [Vec<u8>; 2] =
                std::array::from_fn(|_| (0..length as u8).collect::<Vec<u8>>());
            for _ in 0..200 {
                // Sometimes the second parent equals the first, and sometimes the parents form a
                // single cycle.
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
                let mut plain = vec![98; length];
                pmx_child_by_exchanges(keeper, giver, from, to, &mut scratch, &mut plain);
                for most in Vectors::ALL {
                    let mut found = vec![99; length];
                    if pmx_child_by(most, [keeper, giver], from..to, &mut found) {
                        assert_eq!(found, plain, "{most:?} {keeper:?} {giver:?} {from}..{to}");
                    }
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
