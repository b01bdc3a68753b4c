//! The model: a probability per bit, and strings sampled from it.

use crate::problem::Gene;
use crate::random::draws::{Random, unit};
use crate::search::population::Population;
use crate::search::snapshot::Snapshot;

/// Number of draws that are cut at a time.
const DRAWS: usize = 16;
/// Number of digits that they are cut into.
const DIGITS: usize = 4 * DRAWS;
/// Number of values of a digit.
const VALUES: f64 = 65_536.0;

/// A probability per bit that it is 1.
pub(super) struct Model {
    margin: f64,
    probabilities: Vec<f64>,
    /// First 16 binary digits of each probability. That of probability 1 is the greatest.
    heads: Vec<u16>,
    /// Number of probabilities other than 0 and 1.
    open: usize,
}

impl Model {
    /// Creates a model of strings of this length. Probabilities stay within `margin` and 1 -
    /// `margin`.
    pub(super) fn new(length: usize, margin: f64) -> Self {
        let (probabilities, heads) = (vec![0.5; length], vec![0; length]);
        let mut model = Model { margin: margin.min(0.5), probabilities, heads, open: length };
        model.reset();
        model
    }

    /// Sets all probabilities to 1/2.
    pub(super) fn reset(&mut self) {
        (0..self.probabilities.len()).for_each(|locus| self.set(locus, 0.5));
    }

    /// Writes or reads the probabilities.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        let read = snapshot.write_or_read::<[f64], Vec<f64>>(&self.probabilities);
        let read = (0..).zip(read.into_iter().flatten());
        read.for_each(|(locus, probability)| self.set(locus, probability));
    }

    pub(super) fn probability(&self, locus: usize) -> f64 {
        self.probabilities[locus]
    }

    /// Sets a probability, kept within the margins.
    #[inline]
    pub(super) fn set(&mut self, locus: usize, probability: f64) {
        let probability = probability.clamp(self.margin, 1.0 - self.margin);
        let is_open = |probability: f64| probability > 0.0 && probability < 1.0;
        self.open += usize::from(is_open(probability));
        self.open -= usize::from(is_open(self.probabilities[locus]));
        self.probabilities[locus] = probability;
        self.heads[locus] = (probability * VALUES).min(VALUES - 1.0) as u16;
    }

    /// Returns whether every probability is 0 or 1, so that all strings are the same.
    pub(super) fn is_fixed(&self) -> bool {
        self.open == 0
    }

    /// Samples all strings of a population.
    pub(super) fn sample_all<G: Gene>(&self, population: &mut Population<G>, random: &mut Random) {
        for row in 0..population.rows() {
            self.sample(population.row_mut(row), random);
        }
    }

    /// Samples a string. Each draw is cut into four digits, and a bit is 1 if its digit is below
    /// the head of its probability. Where digit and head are equal, one more number decides, so
    /// that probabilities are exact to 2^-53.
    #[inline]
    fn sample<G: Gene>(&self, row: &mut [G], random: &mut Random) {
        let places = (0..).step_by(DIGITS);
        for (first, genes) in places.zip(row.chunks_mut(DIGITS)) {
            let digits = digits(genes.len(), random);
            let heads = &self.heads[first..][..genes.len()];
            let mut is_tied = false;
            for ((gene, head), digit) in genes.iter_mut().zip(heads).zip(&digits) {
                *gene = G::from_index(usize::from(digit < head));
                is_tied |= digit == head;
            }
            if is_tied {
                self.decide(first, genes, &digits, random);
            }
        }
    }

    /// Draws the bits whose digits equal the heads of their probabilities.
    #[cold]
    fn decide<G: Gene>(
        &self,
        first: usize,
        genes: &mut [G],
        digits: &[u16; DIGITS],
        random: &mut Random,
    ) {
        for ((gene, locus), digit) in genes.iter_mut().zip(first..).zip(digits) {
            let head = self.heads[locus];
            if *digit == head {
                let rest = self.probabilities[locus] * VALUES - f64::from(head);
                *gene = G::from_index(usize::from(unit(random) < rest));
            }
        }
    }
}

/// Draws at least `count` digits of 16 bits, four from each draw, the lowest bits first. The other
/// digits are 0.
#[inline]
fn digits(count: usize, random: &mut Random) -> [u16; DIGITS] {
    let mut draws = [0; DRAWS];
    let mut rest = &mut draws[..count.div_ceil(4)];
    while !rest.is_empty() {
        let drawn = random.draws(rest.len());
        let (filled, others) = rest.split_at_mut(drawn.len());
        filled.copy_from_slice(drawn);
        rest = others;
    }
    // On processors with the highest byte first, bytes change places twice.
    let digits: [u16; DIGITS] = bytemuck::cast(draws.map(u64::to_le));
    digits.map(u16::from_le)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_cut_from_the_lowest_bits_on() {
        let mut random = Random::seed_from_u64(3);
        let mut same = random.clone();
        for count in [1, 4, 5, 64, 63, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 2] {
            let digits = digits(count, &mut random);
            let draws: Vec<u64> =
                (0..count.div_ceil(4)).flat_map(|_| same.draws(1).to_vec()).collect();
            for (place, digit) in digits.iter().enumerate() {
                let draw = draws.get(place / 4).copied().unwrap_or(0);
                assert_eq!(*digit, (draw >> (16 * (place % 4))) as u16);
            }
        }
    }

    /// Six standard deviations per bit: a false alarm in 2e-9 for each of 100 bits.
    #[test]
    fn bits_have_their_probabilities_and_certain_bits_have_no_chance() {
        const ROWS: f64 = 100_000.0;
        let mut model = Model::new(100, 0.0);
        let of = |locus: usize| match locus {
            0 => 0.0,
            1 => 1.0,
            // Between two heads, and below the first.
            2 => 0.5 / VALUES,
            3 => 20.7 / VALUES,
            _ => locus as f64 / 100.0,
        };
        (0..100).for_each(|locus| model.set(locus, of(locus)));
        let mut random = Random::seed_from_u64(4);
        let (mut counts, mut row) = ([0.0; 100], [0u8; 100]);
        for _ in 0..ROWS as usize {
            model.sample(&mut row, &mut random);
            counts.iter_mut().zip(row).for_each(|(count, bit)| *count += f64::from(bit));
        }
        for (locus, count) in counts.into_iter().enumerate() {
            let p = of(locus);
            let most = match locus {
                0 | 1 => 0.0,
                _ => (6.0 * (ROWS * p * (1.0 - p)).sqrt()).max(12.0),
            };
            assert!((count - ROWS * p).abs() <= most, "{locus}: {count}");
        }
    }

    /// A tie is decided with the rest of the probability: within six standard deviations.
    #[test]
    fn ties_are_decided_by_what_is_behind_the_head() {
        let mut model = Model::new(DIGITS, 0.0);
        model.set(7, 3.25 / VALUES);
        let mut random = Random::seed_from_u64(5);
        let (mut ones, mut genes) = (0.0, [0u8; DIGITS]);
        let mut digits = [u16::MAX; DIGITS];
        digits[7] = 3;
        for _ in 0..40_000 {
            model.decide(0, &mut genes, &digits, &mut random);
            ones += f64::from(genes[7]);
        }
        let expected: f64 = 40_000.0 * 0.25;
        assert!((ones - expected).abs() < 6.0 * (expected * 0.75).sqrt(), "{ones}");
    }

    #[test]
    fn a_model_is_fixed_once_no_bit_is_open() {
        let mut model = Model::new(3, 0.0);
        (0..3).for_each(|locus| model.set(locus, locus as f64 - 0.5));
        assert!(!model.is_fixed());
        model.set(1, 0.0);
        assert!(model.is_fixed());
        model.set(1, 0.3);
        assert!(!model.is_fixed());
        model.reset();
        assert_eq!(model.open, 3);
        let mut model = Model::new(3, 0.1);
        (0..3).for_each(|locus| model.set(locus, 1.0));
        assert!(!model.is_fixed());
        assert_eq!(model.probability(2), 0.9);
    }
}
