//! Landscapes without structure to climb by: LABS, NK landscapes, concatenated traps; and Jump.

use crate::random::{self, MODULUS};

/// The merit factor of a sequence: n² / 2E with the energy E, the sum of squared autocorrelations
/// (Golay 1977, doi:10.1109/TIT.1977.1055653).
pub(crate) fn merit_factor(genome: &[u8]) -> f64 {
    let n = genome.len();
    let correlation = |distance: usize| {
        let alike =
            genome.iter().zip(&genome[distance..]).filter(|(one, other)| one == other).count();
        2 * alike as i64 - (n - distance) as i64
    };
    let energy: i64 = (1..n).map(|distance| correlation(distance).pow(2)).sum();
    merit_of(n, energy)
}

/// The merit factor of a sequence of this length with this energy.
pub(crate) fn merit_of(n: usize, energy: i64) -> f64 {
    n as f64 * n as f64 / 2.0 / energy as f64
}

/// Jump (Droste, Jansen and Wegener 2002, doi:10.1016/S0304-3975(01)00182-7): the ones and `gap`,
/// but with fewer than `gap` zeros, other than none, the zeros alone.
pub(crate) fn jump(genome: &[u8], gap: usize) -> f64 {
    jump_of(genome.len(), genome.iter().filter(|gene| **gene == 0).count(), gap)
}

/// Jump value of a genome with `zeros` zeros among `n` genes.
pub(crate) fn jump_of(n: usize, zeros: usize, gap: usize) -> f64 {
    let in_valley = (1..gap).contains(&zeros);
    (if in_valley { zeros } else { gap + n - zeros }) as f64
}

/// An NK landscape with K = 1 (Kauffman and Levin 1987, doi:10.1016/S0022-5193(87)80029-2), the
/// suite's one of a length. Contributions are counted in parts of [`MODULUS`], so that their sum is
/// exact in whatever order they are added.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Landscape {
    /// The other gene that each gene's contribution depends on.
    partners: Vec<usize>,
    /// Contributions of each gene for its own and its partner's value: own + 2 x partner.
    contributions: Vec<[i64; 4]>,
    /// The others whose contribution depends on a gene: of gene g those from `starts[g]` to
    /// `starts[g + 1]`.
    dependents: Vec<usize>,
    starts: Vec<usize>,
}

impl Landscape {
    pub(crate) fn new(n: usize) -> Self {
        let partner = |gene: usize| {
            // The last of a shuffle's places, of which one step is made.
            let number = random::uniform(1, gene as u64 + 1)[0];
            (number * n as f64) as usize
        };
        let contributions = |gene: usize| {
            let numbers = random::parts(4, 2 * (gene as u64 + 1));
            [numbers[0], numbers[1], numbers[2], numbers[3]].map(|number| number as i64)
        };
        let partners: Vec<usize> = (0..n).map(partner).collect();
        let mut dependents: Vec<usize> = (0..n).filter(|gene| partners[*gene] != *gene).collect();
        dependents.sort_by_key(|gene| partners[*gene]);
        let before = |gene: usize| dependents.partition_point(|other| partners[*other] < gene);
        let starts = (0..=n).map(before).collect();
        let contributions = (0..n).map(contributions).collect();
        Landscape { partners, contributions, dependents, starts }
    }

    /// Contribution of a gene.
    fn contribution(&self, genome: &[u8], gene: usize) -> i64 {
        value_of(&self.contributions[gene], genome[gene], genome[self.partners[gene]])
    }

    /// The sum of all contributions.
    pub(crate) fn sum(&self, genome: &[u8]) -> i64 {
        let parts = genome.iter().zip(&self.partners).zip(&self.contributions);
        parts.map(|((own, partner), values)| value_of(values, *own, genome[*partner])).sum()
    }

    /// Flips a gene, and changes the sum by what that changes.
    pub(crate) fn flip(&self, genome: &mut [u8], sum: &mut i64, gene: usize) {
        let others = &self.dependents[self.starts[gene]..self.starts[gene + 1]];
        let parts = |genome: &[u8]| {
            let others = others.iter().map(|other| self.contribution(genome, *other)).sum::<i64>();
            self.contribution(genome, gene) + others
        };
        *sum -= parts(genome);
        genome[gene] ^= 1;
        *sum += parts(genome);
    }
}

/// A gene's contribution, of those for its own and its partner's value.
fn value_of(contributions: &[i64; 4], own: u8, partner: u8) -> i64 {
    contributions[usize::from(own + 2 * partner)]
}

/// The mean contribution of `n` genes, in (0, 1). The suite's value is its negative.
pub(crate) fn mean_of(n: usize, sum: i64) -> f64 {
    sum as f64 / MODULUS as f64 / n as f64
}

/// Genes of a trap.
pub(crate) const TRAP: usize = 5;

/// Shortfall of traps of 5 genes from their best: nothing for five ones, (1 + ones) / 5 for fewer:
/// the fewer ones the better, all but five (Deb and Goldberg 1993,
/// doi:10.1016/B978-0-08-094832-4.50012-X).
pub(crate) fn trap_shortfall(genome: &[u8]) -> f64 {
    genome.chunks_exact(TRAP).map(shortfall).sum::<usize>() as f64 / TRAP as f64
}

/// Shortfall of one trap from its best, in fifths.
pub(crate) fn shortfall(genes: &[u8]) -> usize {
    let ones: usize = genes.iter().map(|gene| usize::from(*gene)).sum();
    if ones == TRAP { 0 } else { ones + 1 }
}
