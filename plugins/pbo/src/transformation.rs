//! Instances of the suite: what stands between a genome and the problem, and between its value and
//! the value that is reported.
//!
//! Source: Doerr, Ye, Horesh, Wang, Shir and Bäck (2020), doi:10.1016/j.asoc.2019.106027.

use crate::random;

/// Last of the instances that flip genes; the first is 2.
const LAST_FLIPPED: u64 = 50;

/// An instance's change of genomes and of values.
#[derive(Clone, Debug)]
pub(crate) struct Transformation {
    genes: Genes,
    scale: f64,
    shift: f64,
}

/// Change of a genome.
#[derive(Clone, Debug)]
enum Genes {
    /// Nothing.
    Plain,
    /// Genes at a 1 of this mask are flipped.
    Flipped(Vec<u8>),
    /// Gene `g` goes to the place `places[g]`.
    Moved { places: Vec<u32> },
}

impl Transformation {
    /// Makes that of an instance from 1 to 100, for genomes of `n` bits.
    pub(crate) fn new(instance: u64, n: usize) -> Self {
        if instance == 1 {
            return Transformation { genes: Genes::Plain, scale: 1.0, shift: 0.0 };
        }
        let numbers = random::uniform(n, instance);
        let genes = if instance <= LAST_FLIPPED {
            // A half in four decimal places, as the suite rounds.
            let bit = |number: f64| u8::from((1e4 * number).floor() >= 5e3);
            Genes::Flipped(numbers.into_iter().map(bit).collect())
        } else {
            let mut sources: Vec<usize> = (0..n).collect();
            for number in numbers {
                sources.swap(0, (number * n as f64) as usize);
            }
            let mut places = vec![0; n];
            for (place, source) in sources.into_iter().enumerate() {
                places[source] = place as u32;
            }
            Genes::Moved { places }
        };
        let within = |low: f64, high: f64| random::uniform(1, instance)[0] * (high - low) + low;
        Transformation { genes, scale: within(0.2, 5.0), shift: within(-1e3, 1e3) }
    }

    /// The place and the value that a gene has for the problem.
    #[inline]
    pub(crate) fn gene(&self, position: usize, gene: u8) -> (usize, u8) {
        match &self.genes {
            Genes::Plain => (position, gene),
            Genes::Flipped(mask) => (position, gene ^ mask[position]),
            Genes::Moved { places } => (places[position] as usize, gene),
        }
    }

    /// Writes the genome that the problem gets.
    pub(crate) fn image(&self, genome: &[u8], image: &mut [u8]) {
        for (position, gene) in genome.iter().enumerate() {
            let (place, gene) = self.gene(position, *gene);
            image[place] = gene;
        }
    }

    /// The value that is reported.
    pub(crate) fn value(&self, value: f64) -> f64 {
        // Rounded twice, as the suite does.
        value * self.scale + self.shift
    }

    /// The distance from the greatest value. It needs no shift, and is exactly 0 at the optimum.
    pub(crate) fn distance(&self, distance: f64) -> f64 {
        distance * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genomes_are_changed_one_to_one() {
        for instance in 1..=100 {
            for n in [1, 2, 5, 16] {
                let transformation = Transformation::new(instance, n);
                let mut places: Vec<usize> =
                    (0..n).map(|position| transformation.gene(position, 0).0).collect();
                places.sort_unstable();
                assert_eq!(places, (0..n).collect::<Vec<_>>(), "{instance} {n}");
                for position in 0..n {
                    let [zero, one] = [0, 1].map(|gene| transformation.gene(position, gene));
                    assert_eq!((zero.0, zero.1 ^ 1), one, "{instance} {n}");
                }
            }
        }
    }
}
