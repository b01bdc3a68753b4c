//! Differences: the genes in which two genomes differ, found at the speed of memory where they are
//! few.

use crate::problem::Gene;

/// Bytes that are compared at once.
const BLOCK: usize = 128;
const WORD: usize = size_of::<u64>();

/// Writes the places of the genes that differ, ascending. False if they are more than `few`; the
/// places are then some of them.
#[inline]
pub(super) fn differences<G: Gene>(
    one: &[G],
    other: &[G],
    few: usize,
    places: &mut Vec<u32>,
) -> bool {
    places.clear();
    let (one, other) = (bytemuck::cast_slice::<G, u8>(one), bytemuck::cast_slice::<G, u8>(other));
    let ((blocks, rest), (others, other_rest)) =
        (one.as_chunks::<BLOCK>(), other.as_chunks::<BLOCK>());
    let mut start = 0;
    for (block, other) in blocks.iter().zip(others) {
        if !are_alike(block, other) {
            add_differences::<G>(start, block, other, places);
            if places.len() > few {
                return false;
            }
        }
        start += BLOCK;
    }
    add_differences::<G>(start, rest, other_rest, places);
    places.len() <= few
}

/// Without a branch, so that it is done in vectors.
#[inline]
fn are_alike(one: &[u8; BLOCK], other: &[u8; BLOCK]) -> bool {
    let words = one.as_chunks::<WORD>().0.iter().zip(other.as_chunks::<WORD>().0);
    words.fold(0, |unlike, (one, other)| unlike | unlike_bits(one, other)) == 0
}

#[inline]
fn unlike_bits(one: &[u8; WORD], other: &[u8; WORD]) -> u64 {
    u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other)
}

/// Adds the differences of less than two blocks, which begin at this byte.
#[inline]
fn add_differences<G: Gene>(start: usize, one: &[u8], other: &[u8], places: &mut Vec<u32>) {
    let ((words, rest), (others, other_rest)) =
        (one.as_chunks::<WORD>(), other.as_chunks::<WORD>());
    let bits = u8::BITS as usize * size_of::<G>();
    let gene = u64::MAX >> (u64::BITS as usize - bits);
    let mut first = start / size_of::<G>();
    let mut add = |mut unlike: u64| {
        while unlike != 0 {
            let place = unlike.trailing_zeros() as usize / bits;
            places.push((first + place) as u32);
            unlike &= !(gene << (place * bits));
        }
        first += WORD / size_of::<G>();
    };
    words.iter().zip(others).for_each(|(one, other)| add(unlike_bits(one, other)));
    let (mut last, mut other_last) = ([0; WORD], [0; WORD]);
    last[..rest.len()].copy_from_slice(rest);
    other_last[..rest.len()].copy_from_slice(other_rest);
    add(unlike_bits(&last, &other_last));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Genomes of a length that differ at these places, compared gene by gene and at once.
    fn compare<G: Gene>(length: usize, places: &[usize], few: usize) {
        let one: Vec<G> = (0..length).map(|place| G::from_index(place % 100)).collect();
        let mut other = one.clone();
        for place in places {
            other[place % length] = G::from_index(101 + place % 100);
        }
        let due: Vec<u32> =
            (0..length).filter(|at| one[*at] != other[*at]).map(|at| at as u32).collect();
        let mut found = vec![7];
        assert_eq!(differences(&one, &other, few, &mut found), due.len() <= few);
        if due.len() <= few {
            assert_eq!(found, due);
        }
    }

    proptest! {
        #[test]
        fn each_gene_that_differs_is_found(
            length in 1usize..700,
            places in prop::collection::vec(0usize..10_000, 0..12),
            few in 0usize..14,
        ) {
            compare::<u8>(length, &places, few);
            compare::<u16>(length, &places, few);
            compare::<u32>(length, &places, few);
            compare::<f64>(length, &places, few);
        }
    }

    /// Zero and minus zero are equal numbers, and not the same gene.
    #[test]
    fn genes_are_compared_by_their_bits() {
        let mut places = Vec::new();
        assert!(differences(&[0.0, 1.0], &[-0.0, 1.0], 1, &mut places));
        assert_eq!(places, [0]);
    }
}
