//! Layers of the W-model: what stands between a genome and OneMax or LeadingOnes.
//!
//! Source: Weise and Wu (2018), "Difficult features of combinatorial optimization problems and the
//! tunable W-model benchmark problem for simulating them", doi:10.1145/3205651.3208240.

use crate::random;

/// Change of a genome before it is counted, or of the count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layer {
    /// Nothing.
    Plain,
    /// Only these genes count, ascending.
    Dummy(Vec<usize>),
    /// Every three genes become one by majority; the last one or two are idle.
    Neutrality,
    /// Blocks of four genes are mixed, so that no gene stands for itself.
    Epistasis,
    /// The count is looked up: entry `c` is what a count of `c` is worth.
    Ruggedness(Vec<f64>),
}

/// Genes of a block of the epistasis.
const BLOCK: usize = 4;
/// Genes that the neutrality makes one of.
const MAJORITY: usize = 3;

impl Layer {
    /// A share of the genes, drawn as the suite draws it.
    pub(crate) fn dummy(n: usize, share: f64) -> Self {
        let count = (n as f64 * share).floor() as usize;
        let mut places: Vec<usize> = (0..n).collect();
        for (place, number) in random::uniform(count, 10_000).into_iter().enumerate() {
            places.swap(place, (number * n as f64) as usize);
        }
        places.truncate(count);
        places.sort_unstable();
        Layer::Dummy(places)
    }

    /// Every other count falls back: 1 + c/2 rounded down (up, where n is odd).
    pub(crate) fn ruggedness_1(n: usize) -> Self {
        let value = |count: usize| {
            let half = if count == n || n % 2 == 1 { count.div_ceil(2) } else { count / 2 };
            half as f64 + 1.0
        };
        Layer::Ruggedness((0..=n).map(value).collect())
    }

    /// Neighbouring counts change places, all but n.
    pub(crate) fn ruggedness_2(n: usize) -> Self {
        let value = |count: usize| match count {
            _ if count == n => n,
            _ if count % 2 == n % 2 => count + 1,
            _ => count.saturating_sub(1),
        };
        Layer::Ruggedness((0..=n).map(|count| value(count) as f64).collect())
    }

    /// Counts run backwards in fives from below n.
    pub(crate) fn ruggedness_3(n: usize) -> Self {
        let mut values = vec![0.0; n + 1];
        for end in (1..=n / 5).map(|block| n - 5 * block) {
            for (step, value) in values[end..end + 5].iter_mut().enumerate() {
                *value = (end + 4 - step) as f64;
            }
        }
        let rest = n % 5;
        for (count, value) in values[..rest].iter_mut().enumerate() {
            *value = (rest - 1 - count) as f64;
        }
        values[n] = n as f64;
        Layer::Ruggedness(values)
    }

    /// The greatest value of OneMax and of LeadingOnes behind this layer.
    pub(crate) fn best(&self, n: usize) -> f64 {
        match self {
            Layer::Plain | Layer::Epistasis => n as f64,
            Layer::Dummy(places) => places.len() as f64,
            Layer::Neutrality => (n / MAJORITY) as f64,
            Layer::Ruggedness(values) => values[n],
        }
    }

    /// Value of a count of the layer's bits.
    pub(crate) fn worth(&self, count: usize) -> f64 {
        match self {
            Layer::Ruggedness(values) => values[count],
            _ => count as f64,
        }
    }

    /// The bits of this layer that a gene decides on: the first of them, if it decides on any.
    pub(crate) fn first_bit(&self, gene: usize, n: usize) -> Option<usize> {
        match self {
            Layer::Plain | Layer::Ruggedness(_) => Some(gene),
            Layer::Dummy(places) => places.binary_search(&gene).ok(),
            Layer::Neutrality => Some(gene / MAJORITY).filter(|group| *group < n / MAJORITY),
            Layer::Epistasis => Some(gene / BLOCK * BLOCK),
        }
    }

    /// Number of bits of this layer, from `first` on, that the same genes decide.
    pub(crate) fn together(&self, first: usize, n: usize) -> usize {
        match self {
            Layer::Epistasis => BLOCK.min(n - first),
            _ => 1,
        }
    }

    /// Number of bits.
    pub(crate) fn bits(&self, n: usize) -> usize {
        match self {
            Layer::Dummy(places) => places.len(),
            Layer::Neutrality => n / MAJORITY,
            _ => n,
        }
    }

    /// A bit of this layer.
    pub(crate) fn bit(&self, genome: &[u8], number: usize) -> u8 {
        match self {
            Layer::Plain | Layer::Ruggedness(_) => genome[number],
            Layer::Dummy(places) => genome[places[number]],
            Layer::Neutrality => {
                let genes = &genome[MAJORITY * number..][..MAJORITY];
                u8::from(2 * genes.iter().sum::<u8>() >= MAJORITY as u8)
            }
            Layer::Epistasis => {
                let first = number / BLOCK * BLOCK;
                let block = &genome[first..genome.len().min(first + BLOCK)];
                let parity = block.iter().fold(0, |parity, gene| parity ^ gene);
                parity ^ block.get(number - first + 1).copied().unwrap_or(0)
            }
        }
    }

    /// The ones behind this layer.
    pub(crate) fn ones(&self, genome: &[u8]) -> f64 {
        match self {
            Layer::Plain => ones(genome) as f64,
            Layer::Dummy(places) => {
                places.iter().map(|place| usize::from(genome[*place])).sum::<usize>() as f64
            }
            Layer::Neutrality => majorities(genome).map(usize::from).sum::<usize>() as f64,
            Layer::Epistasis => mixed(genome).map(usize::from).sum::<usize>() as f64,
            Layer::Ruggedness(values) => values[ones(genome)],
        }
    }

    /// The ones behind this layer before the first zero.
    pub(crate) fn leading_ones(&self, genome: &[u8]) -> f64 {
        match self {
            Layer::Plain => leading(genome.iter().copied()) as f64,
            Layer::Dummy(places) => leading(places.iter().map(|place| genome[*place])) as f64,
            Layer::Neutrality => leading(majorities(genome)) as f64,
            Layer::Epistasis => leading(mixed(genome)) as f64,
            Layer::Ruggedness(values) => values[leading(genome.iter().copied())],
        }
    }
}

/// Blocks of 255 at most: their sums fit a byte, so that many genes are added at once.
fn ones(genome: &[u8]) -> usize {
    genome.chunks(255).map(|block| usize::from(block.iter().sum::<u8>())).sum()
}

fn leading(genes: impl Iterator<Item = u8>) -> usize {
    genes.take_while(|gene| *gene == 1).count()
}

fn majorities(genome: &[u8]) -> impl Iterator<Item = u8> {
    genome
        .chunks_exact(MAJORITY)
        .map(|genes| u8::from(2 * genes.iter().sum::<u8>() >= MAJORITY as u8))
}

/// The parity of a block, less the gene that follows; at the block's end the parity itself. One to
/// one: the parity comes last, and gives back every gene.
fn mixed(genome: &[u8]) -> impl Iterator<Item = u8> {
    genome.chunks(BLOCK).flat_map(|block| {
        let parity = block.iter().fold(0, |parity, gene| parity ^ gene);
        (1..=block.len()).map(move |next| parity ^ block.get(next).copied().unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suite states n as the greatest value behind the epistasis: it is reached for every
    /// length.
    #[test]
    fn epistasis_is_one_to_one() {
        for n in 1..=10 {
            let mut seen = std::collections::BTreeSet::new();
            for word in 0..1u32 << n {
                let genome: Vec<u8> = (0..n).map(|place| (word >> place & 1) as u8).collect();
                seen.insert(mixed(&genome).collect::<Vec<u8>>());
            }
            assert_eq!(seen.len(), 1 << n);
        }
    }

    #[test]
    fn only_the_greatest_count_is_worth_the_best() {
        for n in 1..60 {
            for layer in [Layer::ruggedness_1(n), Layer::ruggedness_2(n), Layer::ruggedness_3(n)] {
                let Layer::Ruggedness(values) = &layer else { unreachable!("a table") };
                assert!(values[..n].iter().all(|value| *value < layer.best(n)), "{n}: {values:?}");
            }
        }
    }
}
