//! Crossovers of many genes at a time, by the vector instructions of the processor at hand. The
//! children are the same as in the plain way.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor has AVX2"))]

use super::cut::one_point_words;

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

/// Exchanges byte i of two rows where bit i is set, if this processor does it in vectors; returns
/// whether it does.
#[inline]
pub(super) fn exchange([a, b]: [&[u8; 64]; 2], bits: u64, [c, d]: [&mut [u8; 64]; 2]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::exchange([a, b], bits, [c, d]) };
        return true;
    }
    false
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi8, _mm256_cvtepu32_epi64,
        _mm256_mul_epu32, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi64x,
        _mm256_shuffle_epi8, _mm256_sllv_epi64,
    };

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

    /// 32 genes at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn exchange([a, b]: [&[u8; 64]; 2], bits: u64, [c, d]: [&mut [u8; 64]; 2]) {
        /// The byte of the bits that a gene's bit is in, and the bit.
        const BYTES: [u8; 32] = {
            let mut bytes = [0; 32];
            let mut gene = 0;
            while gene < 32 {
                bytes[gene] = gene as u8 / 8;
                gene += 1;
            }
            bytes
        };
        let vector = |bytes: &[u8]| {
            let bytes: [u8; 32] = bytes.try_into().expect("half of a row");
            bytemuck::cast::<_, __m256i>(bytes)
        };
        let own = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        for (half, from) in [0, 32].into_iter().enumerate() {
            let bits = _mm256_set1_epi32((bits >> (32 * half)) as i32);
            let bits = _mm256_and_si256(_mm256_shuffle_epi8(bits, vector(&BYTES)), own);
            let mask = _mm256_cmpeq_epi8(bits, own);
            let (one, other) = (vector(&a[from..from + 32]), vector(&b[from..from + 32]));
            let exchanged: [[u8; 32]; 2] = [
                bytemuck::cast(_mm256_blendv_epi8(one, other, mask)),
                bytemuck::cast(_mm256_blendv_epi8(other, one, mask)),
            ];
            c[from..from + 32].copy_from_slice(&exchanged[0]);
            d[from..from + 32].copy_from_slice(&exchanged[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::{Random, below};
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
    fn a_parent_beyond_the_population_is_not_read() {
        let children = |parent| {
            std::panic::catch_unwind(|| {
                one_point_children(&[[0; 8]; 3], &[[0, parent]; 4], &[1; 4], 1, &mut [[0; 8]; 4]);
            })
        };
        assert!(children(2).is_ok() && children(3).is_err());
    }
}
