//! Crossovers that take each gene of a child from one of its parents.

use crate::operators::Cut;
use crate::operators::kernels::crossover::{self as kernel, low_bytes};
use crate::problem::Gene;
use crate::random::draws::{Random, below, below_each, chance};
use rand::Rng;

/// Draws the cuts of one-point crossover, one per pair. With `Inner`, cuts are uniform in
/// 1..=length-1, so length is at least 2. With `Any`, they are uniform in 0..=length.
#[inline]
pub(crate) fn cuts(cut: Cut, length: usize, random: &mut Random, cuts: &mut [u32]) {
    match cut {
        Cut::Inner => {
            below_each(random, length - 1, cuts);
            cuts.iter_mut().for_each(|cut| *cut += 1);
        }
        Cut::Any => below_each(random, length + 1, cuts),
    }
}

/// Crosses at one cut: a child has the genes before it from one parent and the others from the
/// other.
///
/// Source: Holland (1975), "Adaptation in Natural and Artificial Systems".
#[inline]
pub(crate) fn one_point<G: Gene>(a: &[G], b: &[G], cut: usize, c: &mut [G], d: Option<&mut [G]>) {
    let join = |first: &[G], second: &[G], child: &mut [G]| {
        if size_of_val(first) > SHORT {
            child[..cut].copy_from_slice(&first[..cut]);
            child[cut..].copy_from_slice(&second[cut..]);
        } else {
            let head = cut * G::KIND.size();
            join(
                bytemuck::cast_slice(first),
                bytemuck::cast_slice(second),
                head,
                bytemuck::cast_slice_mut(child),
            );
        }
    };
    join(a, b, c);
    if let Some(d) = d {
        join(b, a, d);
    }
}

/// Length in bytes of the longest row that masks join faster than two copies.
const SHORT: usize = 48;

/// Joins the first `head` bytes of one row with the rest of another, eight bytes at a time by a
/// mask. Rows are short, and each copy of a variable length would cost a function call.
#[inline]
fn join(first: &[u8], second: &[u8], head: usize, joined: &mut [u8]) {
    let (first_words, first_rest) = first.as_chunks::<8>();
    let (second_words, second_rest) = second.as_chunks::<8>();
    let (words, rest) = joined.as_chunks_mut::<8>();
    let mut left = head;
    for ((word, first), second) in words.iter_mut().zip(first_words).zip(second_words) {
        let mask = low_bytes(left.min(8));
        *word =
            (u64::from_le_bytes(*first) & mask | u64::from_le_bytes(*second) & !mask).to_le_bytes();
        left -= left.min(8);
    }
    for (place, ((byte, first), second)) in
        rest.iter_mut().zip(first_rest).zip(second_rest).enumerate()
    {
        *byte = if place < left { *first } else { *second };
    }
}

/// Exchanges the genes between two different cuts in 0..=length. Cuts are uniform among the pairs
/// that enclose at least one gene but not all. Length is at least 2.
///
/// Source: De Jong (1975), "An Analysis of the Behavior of a Class of Genetic Adaptive Systems".
#[inline]
pub(crate) fn two_point<G: Gene>(a: &[G], b: &[G], random: &mut Random, c: &mut [G], d: &mut [G]) {
    let (from, to) = segment(a.len(), random);
    c.copy_from_slice(a);
    d.copy_from_slice(b);
    c[from..to].copy_from_slice(&b[from..to]);
    d[from..to].copy_from_slice(&a[from..to]);
}

/// Exchanges each gene with probability `swap`.
///
/// Source: Syswerda (1989), "Uniform crossover in genetic algorithms", ICGA 3, pp. 2-9.
#[inline]
pub(crate) fn uniform<G: Gene>(
    a: &[G],
    b: &[G],
    swap: f64,
    random: &mut Random,
    c: &mut [G],
    d: &mut [G],
) {
    if swap == 0.5 {
        uniform_by_bits(a, b, random, c, d);
        return;
    }
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        let exchanged = chance(random, swap);
        *c = if exchanged { *b } else { *a };
        *d = if exchanged { *a } else { *b };
    }
}

/// Exchanges each gene with probability 1/2, using one random bit per gene.
#[inline]
fn uniform_by_bits<G: Gene>(a: &[G], b: &[G], random: &mut Random, c: &mut [G], d: &mut [G]) {
    if G::KIND.size() != 1 {
        let rows = a.chunks(64).zip(b.chunks(64)).zip(c.chunks_mut(64)).zip(d.chunks_mut(64));
        rows.for_each(|(((a, b), c), d)| exchange(a, b, random.next_u64(), c, d));
        return;
    }
    let (a, b): (&[u8], &[u8]) = (bytemuck::cast_slice(a), bytemuck::cast_slice(b));
    let (c, d) = (bytemuck::cast_slice_mut(c), bytemuck::cast_slice_mut(d));
    if !kernel::exchange([a, b], random, [c, d]) {
        uniform_bytes(a, b, random, c, d);
    }
}

/// Exchanges one-byte genes by random bits, without vector instructions.
#[inline]
pub(crate) fn uniform_bytes(a: &[u8], b: &[u8], random: &mut Random, c: &mut [u8], d: &mut [u8]) {
    let rows = a.chunks(64).zip(b.chunks(64)).zip(c.chunks_mut(64)).zip(d.chunks_mut(64));
    rows.for_each(|(((a, b), c), d)| exchange_words(a, b, random.next_u64(), c, d));
}

/// Exchanges gene i if bit i is set; there are at most 64 genes.
#[inline]
fn exchange<G: Gene>(a: &[G], b: &[G], bits: u64, c: &mut [G], d: &mut [G]) {
    for (place, (((a, b), c), d)) in a.iter().zip(b).zip(c).zip(d).enumerate() {
        let exchanged = bits >> place & 1 == 1;
        *c = if exchanged { *b } else { *a };
        *d = if exchanged { *a } else { *b };
    }
}

/// Exchanges one-byte gene i if bit i is set, eight genes at a time.
#[inline]
pub(super) fn exchange_words(a: &[u8], b: &[u8], bits: u64, c: &mut [u8], d: &mut [u8]) {
    let ((a_words, a_rest), (b_words, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let ((c_words, c_rest), (d_words, d_rest)) = (c.as_chunks_mut::<8>(), d.as_chunks_mut::<8>());
    let words = a_words.len();
    for (word, (((a, b), c), d)) in
        a_words.iter().zip(b_words).zip(c_words).zip(d_words).enumerate()
    {
        let mask = spread(bits >> (8 * word));
        let (a, b) = (u64::from_le_bytes(*a), u64::from_le_bytes(*b));
        *c = (a & !mask | b & mask).to_le_bytes();
        *d = (b & !mask | a & mask).to_le_bytes();
    }
    if words < 8 {
        exchange(a_rest, b_rest, bits >> (8 * words), c_rest, d_rest);
    }
}

/// Spreads the lowest eight bits: byte i of the result is 0xff if bit i is set, else 0.
#[inline]
fn spread(bits: u64) -> u64 {
    // Byte i keeps only bit i. If that bit is set, adding 0x7f carries into the highest bit of the
    // byte.
    let own = ((bits & 0xff) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (((own + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101) * 0xff
}

/// Draws a segment `from..to` that is neither empty nor the whole row. All such segments are
/// equally likely. The row has at least 2 genes.
#[inline]
pub(crate) fn segment(length: usize, random: &mut Random) -> (usize, usize) {
    loop {
        let (one, other) = (below(random, length + 1), below(random, length + 1));
        let (from, to) = (one.min(other), one.max(other));
        if from < to && to - from < length {
            return (from, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::kernels::crossover::one_point_words;

    const A: [u8; 6] = [0, 1, 2, 3, 4, 5];
    const B: [u8; 6] = [10, 11, 12, 13, 14, 15];

    /// Compares the word versions with the plain ones, for every length up to 64 and arbitrary
    /// bytes.
    #[test]
    fn words_give_what_single_genes_give() {
        let mut random = Random::seed_from_u64(5);
        for length in 2..=64 {
            let mut row = || (0..length).map(|_| random.next_u64() as u8).collect::<Vec<u8>>();
            let (a, b) = (row(), row());
            let (mut c, mut d, mut e, mut f) = (a.clone(), a.clone(), a.clone(), a.clone());
            for bits in [0, u64::MAX, 0x5555_5555_5555_5555, 0xf00f_1234_8421_cafe] {
                exchange(&a, &b, bits, &mut c, &mut d);
                exchange_words(&a, &b, bits, &mut e, &mut f);
                assert_eq!((&c, &d), (&e, &f), "{length} {bits:x}");
            }
            for head in 0..=length {
                join(&a, &b, head, &mut c);
                assert_eq!(c, [&a[..head], &b[head..]].concat());
            }
            for at in 0..=length {
                one_point(&a, &b, at, &mut c, Some(&mut d));
                assert_eq!(
                    (&c, &d),
                    (&[&a[..at], &b[at..]].concat(), &[&b[..at], &a[at..]].concat())
                );
                if let (Ok(a), Ok(b)) = (a.clone().try_into(), b.clone().try_into()) {
                    let (c_word, d_word) =
                        one_point_words(u64::from_le_bytes(a), u64::from_le_bytes(b), at);
                    assert_eq!(
                        (&c[..], &d[..]),
                        (&c_word.to_le_bytes()[..], &d_word.to_le_bytes()[..])
                    );
                }
            }
        }
    }

    #[test]
    fn cuts_are_uniform_where_they_may_fall() {
        // The chi-square statistic of 60,000 cuts exceeds the bound with probability 1e-6: 33.4 at
        // 4 degrees of freedom, 38.3 at 6.
        for (cut, low, high, bound) in [(Cut::Inner, 1, 5, 33.4), (Cut::Any, 0, 6, 38.3)] {
            let mut random = Random::seed_from_u64(1);
            let mut counts = [0.0; 7];
            for _ in 0..60_000 {
                let (mut c, mut d) = ([0; 6], [0; 6]);
                let mut at = [0];
                cuts(cut, 6, &mut random, &mut at);
                one_point(&A, &B, at[0] as usize, &mut c, Some(&mut d));
                let place = c.iter().take_while(|gene| **gene < 10).count();
                assert!(
                    c[place..] == B[place..]
                        && d[..place] == B[..place]
                        && d[place..] == A[place..]
                );
                counts[place] += 1.0;
            }
            let expected = 60_000.0 / (high - low + 1) as f64;
            let chi: f64 =
                counts[low..=high].iter().map(|count| (count - expected).powi(2) / expected).sum();
            assert!(chi < bound, "{counts:?}: {chi}");
            assert_eq!(counts.iter().sum::<f64>(), counts[low..=high].iter().sum::<f64>());
        }
    }

    #[test]
    fn two_points_exchange_one_segment_and_all_segments_are_equally_likely() {
        // A row of 6 has 20 segments that are neither empty nor the whole row. With 19 degrees of
        // freedom, chi-square exceeds 63 with probability 1e-6.
        let mut random = Random::seed_from_u64(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let (mut c, mut d) = ([0; 6], [0; 6]);
            two_point(&A, &B, &mut random, &mut c, &mut d);
            assert!(
                (0..6).all(|locus| c[locus] % 10 == locus as u8
                    && c[locus] + d[locus] == A[locus] + B[locus])
            );
            *counts.entry(c.map(|gene| gene >= 10)).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 20);
        let chi: f64 = counts.values().map(|count| (count - 3_000.0_f64).powi(2) / 3_000.0).sum();
        assert!(chi < 63.0, "{counts:?}: {chi}");
    }

    #[test]
    fn uniform_exchanges_each_gene_with_its_probability() {
        // 5 standard deviations of a binomial share of 60,000: a false-alarm rate of 6e-7 per gene.
        let mut random = Random::seed_from_u64(3);
        let mut exchanged = [0.0; 6];
        for _ in 0..60_000 {
            let (mut c, mut d) = ([0; 6], [0; 6]);
            uniform(&A, &B, 0.3, &mut random, &mut c, &mut d);
            for locus in 0..6 {
                assert_eq!(c[locus] + d[locus], A[locus] + B[locus]);
                exchanged[locus] += f64::from(c[locus] >= 10) / 60_000.0;
            }
        }
        assert!(
            exchanged.iter().all(|share| (share - 0.3).abs() < 5.0 * (0.21f64 / 60_000.0).sqrt()),
            "{exchanged:?}"
        );
    }
}
