//! The random numbers of one row.

use rand::TryRng;
use rand::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::convert::Infallible;

/// The generator of one row of a call: xoshiro256++ (Blackman & Vigna 2021, doi:10.1145/3460772),
/// whose state is derived only from the call's 32-byte seed and the row's number, so that it does
/// not matter how rows are split into calls.
///
/// Word `i` of the state is `mix(seed word i + row * ODD[i])`, seed words little endian, arithmetic
/// modulo 2^64, `mix` the finaliser of SplitMix64 (Steele, Lea & Flood 2014,
/// doi:10.1145/2660193.2660195). Each word is a bijection of the row's number, so no two rows of a
/// seed share even one word. The state is computed at the first draw: a row without draws costs
/// nothing.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RowRng {
    seed: [u64; 4],
    row: u64,
    state: Option<Xoshiro256PlusPlus>,
}

/// Odd, with no pattern between them: the first 64 bits of the fractions of the golden ratio and of
/// the square roots of 2, 3 and 5 (the last bit set).
pub(crate) const ODD: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b];

impl RowRng {
    /// The generator of row number `row` of a call with this seed.
    #[must_use]
    #[inline]
    pub fn new(seed: &[u8; 32], row: u64) -> Self {
        RowRng::of(words(seed), row)
    }

    /// Makes the generator from the words of the seed.
    #[inline]
    pub(crate) fn of(seed: [u64; 4], row: u64) -> Self {
        RowRng { seed, row, state: None }
    }

    /// The generator of another row of the same call.
    #[inline]
    pub(crate) fn restart(&mut self, row: u64) {
        self.row = row;
        self.state = None;
    }

    /// Returns the inner generator, for loops that draw many numbers: its state stays in registers,
    /// and is not checked at each draw. The numbers are the same.
    #[must_use]
    #[inline]
    pub fn stream(&mut self) -> &mut (impl rand::Rng + use<>) {
        self.state()
    }

    #[inline]
    fn state(&mut self) -> &mut Xoshiro256PlusPlus {
        let (seed, row) = (&self.seed, self.row);
        self.state.get_or_insert_with(|| {
            let mut bytes = [0u8; 32];
            for i in 0..4 {
                let word = mix(unmixed(seed, row, i));
                bytes[i * 8..i * 8 + 8].copy_from_slice(&word.to_le_bytes());
            }
            Xoshiro256PlusPlus::from_seed(bytes)
        })
    }
}

/// The words of a seed, little endian.
#[inline]
pub(crate) fn words(seed: &[u8; 32]) -> [u64; 4] {
    let mut words = [0u64; 4];
    for (word, bytes) in words.iter_mut().zip(seed.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// Value from which word `i` of a row's state is mixed.
#[inline]
pub(crate) fn unmixed(seed: &[u64; 4], row: u64, i: usize) -> u64 {
    seed[i].wrapping_add(row.wrapping_mul(ODD[i]))
}

/// The factors of [`mix`].
pub(crate) const FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(FACTORS[0]);
    z = (z ^ (z >> 27)).wrapping_mul(FACTORS[1]);
    z ^ (z >> 31)
}

impl TryRng for RowRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.state().try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.state().try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.state().try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn the_stream_of_a_row_is_frozen() {
        let seed: [u8; 32] = std::array::from_fn(|i| i as u8);
        let draws = |row| {
            let mut rng = RowRng::new(&seed, row);
            [rng.next_u64(), rng.next_u64()]
        };
        let [first, _] = draws(0);
        let expected: [u64; 4] = std::array::from_fn(|i| {
            mix(u64::from_le_bytes(seed[i * 8..i * 8 + 8].try_into().expect("8 bytes")))
        });
        // The definition of xoshiro256++, written out.
        assert_eq!(
            first,
            expected[0].wrapping_add(expected[3]).rotate_left(23).wrapping_add(expected[0])
        );
        assert_ne!(draws(0), draws(1));
        let mut rng = RowRng::new(&seed, 0);
        let streamed = [rng.stream().next_u64(), rng.stream().next_u64()];
        assert_eq!(streamed, draws(0));
        assert_eq!(draws(7), draws(7));
    }

    #[test]
    fn restarting_is_the_same_as_a_new_generator() {
        let mut rng = RowRng::new(&[9; 32], 3);
        rng.next_u64();
        rng.restart(4);
        assert_eq!(rng.next_u64(), RowRng::new(&[9; 32], 4).next_u64());
    }

    #[test]
    fn neighbouring_rows_are_unrelated() {
        // Bits of the first draw that differ between neighbouring rows: binomial(64, 1/2) each, so
        // the mean of 1,000 has standard deviation 4 / sqrt(1000) = 0.13; a false alarm beyond 5 of
        // them: 6e-7.
        let first = |row| RowRng::new(&[0; 32], row).next_u64();
        let mean =
            (0..1000).map(|row| f64::from((first(row) ^ first(row + 1)).count_ones())).sum::<f64>()
                / 1000.0;
        assert!((mean - 32.0).abs() < 5.0 * 0.13, "mean {mean}");
    }
}
