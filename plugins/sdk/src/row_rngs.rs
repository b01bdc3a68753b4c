//! The random numbers of many rows.

#[cfg(any(target_arch = "x86_64", test))]
use crate::rng::unmixed;
use crate::rng::words;
use crate::{Gene, RowRng, Vectors, vectors};
#[cfg(target_arch = "x86_64")]
use crate::{eight_rows, four_rows};
use rand::RngExt;

/// Generators of consecutive rows of a call; that of each row is a [`RowRng`].
#[derive(Clone, Debug)]
pub struct RowRngs {
    seed: [u64; 4],
    first_row: u64,
    rows: usize,
}

impl RowRngs {
    /// The generators of `rows` rows from `first_row` on, of a call with this seed.
    #[must_use]
    #[inline]
    pub fn new(seed: &[u8; 32], first_row: u64, rows: usize) -> Self {
        RowRngs { seed: words(seed), first_row, rows }
    }

    /// Number of rows.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Calls `each` with the generator and the genome of every row; `genomes` are stored one after
    /// the other.
    ///
    /// # Panics
    /// If the genomes are not equally long.
    #[inline]
    pub fn each<G>(&self, genomes: &mut [G], mut each: impl FnMut(&mut RowRng, &mut [G])) {
        let Some(length) = self.length(genomes.len()) else { return };
        self.each_row(|row, rng| each(rng, &mut genomes[row * length..][..length]));
    }

    /// Calls `each` with every row's number among these and its generator.
    #[inline]
    pub(crate) fn each_row(&self, mut each: impl FnMut(usize, &mut RowRng)) {
        let mut rng = RowRng::of(self.seed, self.first_row);
        for row in 0..self.rows {
            rng.restart(self.first_row.wrapping_add(row as u64));
            each(row, &mut rng);
        }
    }

    /// Fills the genomes of all rows with whole numbers below `bound`, uniformly. They are those
    /// that each row's `rng.random_range(0..bound)` draws gene by gene, for any unsigned type of at
    /// most 32 bits, but made four or eight rows at a time where the processor
    /// can.
    ///
    /// # Panics
    /// If `bound` is 0, or the genomes are not equally long.
    pub fn fill_below<G: Gene>(&self, bound: u32, genomes: &mut [G]) {
        assert!(bound > 0, "there is no whole number below 0");
        self.fill_below_by(Vectors::Avx512, bound, genomes);
    }

    /// Fills the genomes with vector instructions up to this set.
    #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "not every processor can"))]
    fn fill_below_by<G: Gene>(&self, most: Vectors, bound: u32, genomes: &mut [G]) {
        match most.min(vectors()) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has these instructions.
            Vectors::Avx512 if bound <= 256 => unsafe {
                eight_rows::fill_below(self, bound, genomes);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has these instructions, or more.
            Vectors::Avx512 | Vectors::Avx2 => unsafe {
                four_rows::fill_below(self, bound, genomes);
            },
            _ => self.fill_below_one_by_one(bound, genomes),
        }
    }

    /// Fills the genomes without vector instructions.
    pub(crate) fn fill_below_one_by_one<G: Gene>(&self, bound: u32, genomes: &mut [G]) {
        self.each(genomes, |rng, genome| {
            let rng = rng.stream();
            genome.fill_with(|| G::from_index(rng.random_range(0..bound) as usize));
        });
    }

    /// Returns the generators of `rows` of these rows, from the row `from` on.
    #[cfg(any(target_arch = "x86_64", test))]
    pub(crate) fn part(&self, from: usize, rows: usize) -> Self {
        RowRngs { first_row: self.first_row.wrapping_add(from as u64), rows, ..*self }
    }

    /// Returns the unmixed states of the generators of the first `ROWS` rows.
    #[cfg(any(target_arch = "x86_64", test))]
    pub(crate) fn unmixed_states<const ROWS: usize>(&self) -> [[u64; ROWS]; 4] {
        std::array::from_fn(|word| {
            std::array::from_fn(|lane| {
                unmixed(&self.seed, self.first_row.wrapping_add(lane as u64), word)
            })
        })
    }

    /// Returns the number of genes per genome; `None` if there is nothing to fill.
    pub(crate) fn length(&self, genes: usize) -> Option<usize> {
        if genes == 0 {
            return None;
        }
        assert!(
            self.rows > 0 && genes.is_multiple_of(self.rows),
            "{genes} genes are not {} genomes of one length",
            self.rows
        );
        Some(genes / self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers all that a fill may depend on: rows next to a multiple of four or eight, lengths next
    /// to one of eight, rows that wrap, a seed whose first row has xoshiro's invalid state, and
    /// bounds that never, seldom and nearly always need a second draw.
    #[test]
    fn numbers_are_those_that_rows_draw_one_by_one() {
        fn check<G: Gene + std::fmt::Debug>(bounds: &[u32]) {
            for (seed, first_row) in [([0; 32], 0), ([7; 32], 5), ([255; 32], u64::MAX - 2)] {
                for rows in [1, 2, 3, 4, 5, 7, 8, 9, 16, 21] {
                    for length in [1, 3, 7, 8, 9, 16, 100] {
                        for &bound in bounds {
                            let rngs = RowRngs::new(&seed, first_row, rows);
                            let mut plain = vec![G::from_index(2); rows * length];
                            rngs.fill_below_one_by_one(bound, &mut plain);
                            for most in Vectors::ALL {
                                let mut found = vec![G::from_index(1); rows * length];
                                rngs.fill_below_by(most, bound, &mut found);
                                let sizes = [rows, length, bound as usize];
                                assert_eq!(found, plain, "{most:?} {sizes:?}");
                            }
                        }
                    }
                }
            }
        }
        check::<u8>(&[1, 2, 3, 8, 255, 256]);
        check::<u16>(&[2, 100, 256, 257, 1000, 65_536]);
        check::<u32>(&[5, 65_537, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX]);
        check::<f64>(&[2, 1000]);
    }

    #[test]
    fn each_row_has_its_own_generator() {
        let rngs = RowRngs::new(&[3; 32], 9, 5);
        let mut genes = [0u32; 10];
        rngs.each(&mut genes, |rng, genome| genome.fill_with(|| rng.random()));
        for (row, genome) in (9..).zip(genes.chunks(2)) {
            let mut rng = RowRng::new(&[3; 32], row);
            assert_eq!(genome, [rng.random::<u32>(), rng.random()]);
        }
        let mut genes = [0u8; 10];
        rngs.fill_below(200, &mut genes);
        for (row, genome) in (9..).zip(genes.chunks(2)) {
            let mut rng = RowRng::new(&[3; 32], row);
            assert_eq!(genome, [rng.random_range(0..200), rng.random_range(0..=199usize) as u8]);
        }
    }

    #[test]
    fn nothing_to_fill_is_no_fault_and_uneven_rows_are() {
        RowRngs::new(&[0; 32], 0, 0).fill_below::<u8>(2, &mut []);
        RowRngs::new(&[0; 32], 0, 3).fill_below::<u8>(2, &mut []);
        let fill = |rows, bound| {
            std::panic::catch_unwind(move || {
                RowRngs::new(&[0; 32], 0, rows).fill_below(bound, &mut [0u8; 7]);
            })
        };
        assert!(fill(7, 1).is_ok());
        assert!(fill(2, 1).is_err() && fill(0, 1).is_err() && fill(7, 0).is_err());
    }
}
