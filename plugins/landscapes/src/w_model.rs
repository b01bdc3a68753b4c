//! The W-model with one objective (Weise and Wu 2018, "Difficult features of combinatorial
//! optimization problems and the tunable W-model benchmark problem for simulating them",
//! doi:10.1145/3205651.3208240).

/// Layers between a genome and its distance from 0101…
#[derive(Clone, Debug)]
pub(crate) struct WModel {
    n: usize,
    /// Genes that make one bit by majority.
    neutrality: usize,
    /// Bits of a block that are mixed.
    epistasis: usize,
    /// Fitness for each distance.
    worth: Vec<u32>,
}

/// Largest ruggedness of a length.
pub(crate) fn most_rugged(n: usize) -> usize {
    n * (n - 1) / 2
}

impl WModel {
    /// Makes the model of a length after the neutrality.
    ///
    /// # Errors
    /// Returns an error, in words, if epistasis or ruggedness exceed what the length allows.
    pub(crate) fn new(
        n: usize,
        neutrality: usize,
        epistasis: usize,
        ruggedness: usize,
    ) -> Result<Self, String> {
        if epistasis > n {
            return Err(format!(
                "epistasis = {epistasis} mixes more bits than n = {n}; choose at most n"
            ));
        }
        let most = most_rugged(n);
        if ruggedness > most {
            return Err(format!(
                "ruggedness = {ruggedness} is more than n = {n} bits allow; choose at most {most}"
            ));
        }
        Ok(WModel { n, neutrality, epistasis, worth: worth(n, ruggedness) })
    }

    /// Returns the number of genes.
    pub(crate) fn genes(&self) -> usize {
        self.n * self.neutrality
    }

    /// Returns the number of bits after the neutrality: the largest fitness.
    pub(crate) fn bits(&self) -> usize {
        self.n
    }

    /// Returns the fitness of a distance.
    pub(crate) fn worth(&self, distance: usize) -> u32 {
        self.worth[distance]
    }

    /// Returns the block of a gene.
    pub(crate) fn block_of(&self, gene: usize) -> usize {
        gene / self.neutrality / self.epistasis
    }

    /// Returns the bit that a group of genes makes: 1 if at least half of them are.
    fn bit(&self, genome: &[u8], group: usize) -> u8 {
        let genes = &genome[group * self.neutrality..(group + 1) * self.neutrality];
        let ones = genes.iter().filter(|gene| **gene == 1).count();
        u8::from(2 * ones >= self.neutrality)
    }

    /// Returns the number of bits of a mixed block that differ from 0101…, which begins at the
    /// first bit of all. Each mixed bit is the parity of the block less the bit that follows; the
    /// last one is the parity.
    pub(crate) fn block_distance(&self, genome: &[u8], block: usize) -> usize {
        let (first, end) = (block * self.epistasis, self.n.min((block + 1) * self.epistasis));
        let parity = (first..end).fold(0, |parity, group| parity ^ self.bit(genome, group));
        let mixed = |group: usize| match group + 1 < end {
            true => parity ^ self.bit(genome, group + 1),
            false => parity,
        };
        (first..end).filter(|group| usize::from(mixed(*group)) != group % 2).count()
    }

    /// Returns the distance of a genome from 0101…, behind neutrality and epistasis.
    pub(crate) fn distance(&self, genome: &[u8]) -> usize {
        let blocks = 0..self.n.div_ceil(self.epistasis);
        blocks.map(|block| self.block_distance(genome, block)).sum()
    }
}

/// Returns the fitness of each distance for a ruggedness. With a small one few values are out of
/// order; the greatest lead away from the optimum.
///
/// After 0, an order begins with `turns` numbers that come from above and below in turn. It goes on
/// in one direction, and the last numbers are turned on by one. Ruggedness numbers these orders.
/// First come those with an even number of turns, ascending, then the others, descending.
fn worth(n: usize, ruggedness: usize) -> Vec<u32> {
    if ruggedness == 0 {
        return order(n, 0, 0);
    }
    let mut left = ruggedness;
    for turns in (0..n).step_by(2) {
        let orders = n - 1 - turns;
        if left <= orders {
            return order(n, turns, left);
        }
        left -= orders;
    }
    let odd = (1..n - 1).step_by(2).rev();
    for turns in odd {
        let orders = n - 1 - turns;
        if left <= orders {
            return order(n, turns, orders + 1 - left);
        }
        left -= orders;
    }
    unreachable!("a ruggedness is within its range");
}

fn order(n: usize, turns: usize, turned: usize) -> Vec<u32> {
    let (mut low, mut high) = (1, n as u32);
    let mut worth = vec![0];
    for turn in 0..turns {
        if turn % 2 == 0 {
            worth.push(high);
            high -= 1;
        } else {
            worth.push(low);
            low += 1;
        }
    }
    if turns.is_multiple_of(2) {
        worth.extend(low..=high);
    } else {
        worth.extend((low..=high).rev());
    }
    worth[n - turned..].rotate_left(1);
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_ruggedness_is_another_order() {
        for n in 1..=12 {
            let mut seen = BTreeSet::new();
            let mut jumps = Vec::new();
            for ruggedness in 0..=most_rugged(n) {
                let worth = worth(n, ruggedness);
                let mut sorted = worth.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..=n as u32).collect::<Vec<_>>());
                assert_eq!(worth[0], 0);
                let sum: u32 = worth.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
                jumps.push(sum as usize - n);
                assert!(seen.insert(worth));
            }
            // The article's measure, the sum of all differences, has each value from n on once.
            jumps.sort_unstable();
            assert_eq!(jumps, (0..=most_rugged(n)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn orders_of_five_are_those_of_the_authors_program() {
        let found: Vec<Vec<u32>> = (0..=10).map(|ruggedness| worth(5, ruggedness)).collect();
        let published = [
            [0, 1, 2, 3, 4, 5],
            [0, 1, 2, 3, 5, 4],
            [0, 1, 2, 4, 5, 3],
            [0, 1, 3, 4, 5, 2],
            [0, 2, 3, 4, 5, 1],
            [0, 5, 1, 2, 4, 3],
            [0, 5, 1, 3, 4, 2],
            [0, 5, 1, 4, 2, 3],
            [0, 5, 3, 2, 1, 4],
            [0, 5, 4, 2, 1, 3],
            [0, 5, 4, 3, 1, 2],
        ];
        assert_eq!(found, published.map(Vec::from));
    }

    #[test]
    fn every_distance_is_as_frequent_as_without_epistasis() {
        // The mixture is one to one: as many genomes have a distance as bits can be chosen.
        for epistasis in 1..=7 {
            let model = WModel::new(7, 1, epistasis, 0).expect("good");
            let mut counts = [0; 8];
            for number in 0..1u32 << 7 {
                let genome: Vec<u8> = (0..7).map(|gene| (number >> gene & 1) as u8).collect();
                counts[model.distance(&genome)] += 1;
            }
            assert_eq!(counts, [1, 7, 21, 35, 35, 21, 7, 1], "{epistasis}");
        }
    }

    #[test]
    fn neutrality_is_a_majority() {
        let model = WModel::new(2, 3, 1, 0).expect("good");
        assert_eq!(model.distance(&[0, 1, 0, 1, 0, 1]), 0);
        assert_eq!(model.distance(&[1, 1, 0, 1, 0, 0]), 2);
        // Half of them are enough.
        let model = WModel::new(1, 2, 1, 0).expect("good");
        assert_eq!((model.distance(&[0, 1]), model.distance(&[0, 0])), (1, 0));
        assert!(WModel::new(3, 1, 4, 0).is_err() && WModel::new(3, 1, 1, 4).is_err());
    }
}
