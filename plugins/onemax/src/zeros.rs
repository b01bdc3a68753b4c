//! Counting zeros.

/// Number of zeros of a genome. They are counted in bytes, of which a vector holds many; no byte
/// counts more than it has room for.
#[inline]
pub(crate) fn count(genome: &[u8]) -> usize {
    let zeros = |block: &[u8]| block.iter().fold(0u8, |zeros, bit| zeros + u8::from(*bit == 0));
    genome.chunks(255).map(|block| usize::from(zeros(block))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_whatever_the_length() {
        for length in (0..1100).chain([100_000]) {
            for one_in in [1, 2, 3, 300] {
                let genome: Vec<u8> = (0..length).map(|bit| u8::from(bit % one_in == 0)).collect();
                let plain = genome.iter().filter(|&&bit| bit == 0).count();
                assert_eq!(count(&genome), plain, "{length} bits");
            }
        }
        assert_eq!(count(&[0; 510]), 510);
    }
}
