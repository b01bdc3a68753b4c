//! NK landscapes (Kauffman and Weinberger 1989, doi:10.1016/S0022-5193(89)80019-0): the
//! contribution of each gene depends on it and on K others.

use runner_plugin::data::InstanceRng;

/// Contributions are counted in parts of this, so that sums are exact in any order.
pub(crate) const UNIT: u64 = 1 << 32;
/// Maximum number of contributions: 64 MiB.
const MOST: u128 = 1 << 24;

/// Landscape of a seed.
#[derive(Clone, Debug)]
pub(crate) struct Nk {
    n: usize,
    k: usize,
    /// The K other genes of each gene.
    others: Vec<u32>,
    /// Contributions of each gene, by the values of the gene and its others as bits.
    contributions: Vec<u32>,
    /// Place of the first dependent of each gene, and the end of the last.
    starts: Vec<usize>,
    /// Genes whose contribution depends on a gene, itself included.
    dependents: Vec<u32>,
}

impl Nk {
    /// Returns a random landscape. The others of a gene are those that follow it, in a circle, or
    /// random ones.
    ///
    /// # Errors
    /// Returns an error, in words, if K is not below N, or there are too many contributions.
    pub(crate) fn new(n: usize, k: usize, adjacent: bool, seed: i64) -> Result<Self, String> {
        if k >= n {
            return Err(format!(
                "k = {k} other genes need more than n = {n} genes; choose k below n"
            ));
        }
        if (n as u128) << (k + 1) > MOST {
            return Err(format!(
                "n = {n} genes with k = {k} have more than {MOST} contributions; choose a smaller \
                n or k"
            ));
        }
        let mut rng = InstanceRng::new(seed);
        let mut others = Vec::with_capacity(n * k);
        for gene in 0..n {
            if adjacent {
                others.extend((1..=k).map(|step| ((gene + step) % n) as u32));
            } else {
                let first = others.len();
                while others.len() < first + k {
                    let other = rng.below(n as u64) as u32;
                    if other as usize != gene && !others[first..].contains(&other) {
                        others.push(other);
                    }
                }
            }
        }
        let contributions = (0..n << (k + 1)).map(|_| rng.below(UNIT) as u32).collect();
        let (starts, dependents) = dependents(n, k, &others);
        Ok(Nk { n, k, others, contributions, starts, dependents })
    }

    /// Returns the number of genes.
    pub(crate) fn genes(&self) -> usize {
        self.n
    }

    /// Returns the contribution of a gene whose only other gene has this value.
    #[cfg(test)]
    pub(crate) fn of_pair(&self, gene: usize, own: u8, other: u8) -> u64 {
        self.contributions[4 * gene + usize::from(2 * own + other)].into()
    }

    /// Returns the contribution of a gene.
    fn contribution(&self, genome: &[u8], gene: usize) -> u64 {
        let others = &self.others[gene * self.k..(gene + 1) * self.k];
        let own = usize::from(genome[gene]);
        let values = others
            .iter()
            .fold(own, |values, other| values << 1 | usize::from(genome[*other as usize]));
        self.contributions[(gene << (self.k + 1)) + values].into()
    }

    /// Returns the sum of all contributions, in parts of [`UNIT`].
    pub(crate) fn sum(&self, genome: &[u8]) -> u64 {
        (0..self.n).map(|gene| self.contribution(genome, gene)).sum()
    }

    /// Returns the sum of the contributions that depend on a gene.
    pub(crate) fn part(&self, genome: &[u8], gene: usize) -> u64 {
        let own = &self.dependents[self.starts[gene]..self.starts[gene + 1]];
        own.iter().map(|one| self.contribution(genome, *one as usize)).sum()
    }
}

/// Returns the genes whose contribution depends on each gene.
fn dependents(n: usize, k: usize, others: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let uses = |gene: usize| {
        std::iter::once(gene)
            .chain(others[gene * k..(gene + 1) * k].iter().map(|one| *one as usize))
    };
    let mut starts = vec![0; n + 1];
    (0..n).flat_map(uses).for_each(|used| starts[used + 1] += 1);
    (0..n).for_each(|gene| starts[gene + 1] += starts[gene]);
    let (mut free, mut dependents) = (starts.clone(), vec![0; n * (k + 1)]);
    for gene in 0..n {
        for used in uses(gene) {
            dependents[free[used]] = gene as u32;
            free[used] += 1;
        }
    }
    (starts, dependents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_changes_the_contributions_that_depend_on_the_gene() {
        for adjacent in [true, false] {
            let nk = Nk::new(12, 3, adjacent, 5).expect("small");
            let mut genome: Vec<u8> = (0..12).map(|gene| (gene * gene % 3 % 2) as u8).collect();
            for gene in 0..12 {
                let (whole, part) = (nk.sum(&genome), nk.part(&genome, gene));
                genome[gene] ^= 1;
                assert_eq!(nk.sum(&genome) - nk.part(&genome, gene), whole - part);
            }
        }
    }

    #[test]
    fn others_are_different_genes_and_contributions_uniform() {
        let nk = Nk::new(500, 4, false, 1).expect("small");
        for gene in 0..500 {
            let mut others = nk.others[4 * gene..4 * gene + 4].to_vec();
            others.push(gene as u32);
            others.sort_unstable();
            others.dedup();
            assert_eq!(others.len(), 5);
        }
        // 16,000 uniform numbers: the mean deviates by 4 standard errors, 0.0092, with probability
        // 6e-5; one seed.
        let mean = nk.contributions.iter().map(|one| f64::from(*one)).sum::<f64>()
            / nk.contributions.len() as f64
            / UNIT as f64;
        assert!((mean - 0.5).abs() < 0.0092, "{mean}");
    }

    #[test]
    fn with_k_0_each_gene_is_chosen_alone() {
        let nk = Nk::new(10, 0, true, 2).expect("small");
        let best: u64 =
            nk.contributions.chunks(2).map(|pair| u64::from(pair[0].max(pair[1]))).sum();
        let sum = |number: u32| {
            let genome: Vec<u8> = (0..10).map(|gene| (number >> gene & 1) as u8).collect();
            nk.sum(&genome)
        };
        assert_eq!((0..1 << 10).map(sum).max(), Some(best));
        assert!(Nk::new(5, 5, true, 1).is_err() && Nk::new(100_000, 16, true, 1).is_err());
    }
}
