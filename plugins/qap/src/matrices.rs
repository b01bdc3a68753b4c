//! The two matrices of an instance.

use runner_plugin::data::InstanceRng;

/// Flows between facilities and ways between locations, row by row. Either may be the first matrix
/// of a file.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    n: usize,
    flows: Vec<i64>,
    ways: Vec<i64>,
}

/// Largest cost that a number of 64 bits with a fraction holds exactly.
const EXACT: u128 = 1 << 53;

impl Matrices {
    /// Makes an instance of two matrices.
    ///
    /// # Errors
    /// Returns an error, in words, if costs could be too large to be exact.
    pub(crate) fn new(n: usize, flows: Vec<i64>, ways: Vec<i64>) -> Result<Self, String> {
        let size = |entry: &i64| u128::from(entry.unsigned_abs());
        let sum: u128 = flows.iter().map(size).sum();
        let most = ways.iter().map(size).max().unwrap_or(0);
        if sum * most > EXACT {
            return Err("costs could exceed 2^53, beyond which they are not exact; divide the \
                entries"
                .to_owned());
        }
        Ok(Matrices { n, flows, ways })
    }

    /// Returns symmetric matrices of integers from 0 to 99, with zeros on the diagonal, as Taillard
    /// (1991), doi:10.1016/S0167-8191(05)80147-4, draws them.
    pub(crate) fn random(n: usize, seed: i64) -> Self {
        let mut rng = InstanceRng::new(seed);
        let mut symmetric = || {
            let mut matrix = vec![0; n * n];
            for row in 0..n {
                for column in row + 1..n {
                    let entry = rng.within(0, 99);
                    matrix[row * n + column] = entry;
                    matrix[column * n + row] = entry;
                }
            }
            matrix
        };
        let (flows, ways) = (symmetric(), symmetric());
        Matrices { n, flows, ways }
    }

    /// Returns the number of facilities.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Returns the flow from a facility to another.
    #[inline]
    pub(crate) fn flow(&self, from: usize, to: usize) -> i64 {
        self.flows[from * self.n + to]
    }

    /// Returns the way from a location to another.
    #[inline]
    pub(crate) fn way(&self, from: usize, to: usize) -> i64 {
        self.ways[from * self.n + to]
    }

    /// Returns the cost of an assignment: the sum of flow times way over all pairs.
    pub(crate) fn cost(&self, locations: impl Iterator<Item = usize> + Clone) -> i64 {
        let mut cost = 0;
        for (row, from) in self.flows.chunks_exact(self.n).zip(locations.clone()) {
            let ways = &self.ways[from * self.n..(from + 1) * self.n];
            let pairs = row.iter().zip(locations.clone());
            cost += pairs.map(|(flow, to)| flow * ways[to]).sum::<i64>();
        }
        cost
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The least cost by trying all assignments, one facility after the other.
    pub(crate) fn least(matrices: &Matrices) -> i64 {
        fn place(matrices: &Matrices, taken: &mut Vec<usize>, cost: i64, best: &mut i64) {
            let next = taken.len();
            if next == matrices.n() {
                *best = (*best).min(cost);
            }
            for location in 0..matrices.n() {
                if taken.contains(&location) {
                    continue;
                }
                let added: i64 = taken
                    .iter()
                    .enumerate()
                    .map(|(other, at)| {
                        matrices.flow(next, other) * matrices.way(location, *at)
                            + matrices.flow(other, next) * matrices.way(*at, location)
                    })
                    .sum();
                let own = matrices.flow(next, next) * matrices.way(location, location);
                taken.push(location);
                place(matrices, taken, cost + added + own, best);
                taken.pop();
            }
        }
        let mut best = i64::MAX;
        place(matrices, &mut Vec::new(), 0, &mut best);
        best
    }

    #[test]
    fn costs_are_sums_over_all_pairs() {
        // By hand: facilities 0 and 1 at the locations 1 and 0.
        let matrices = Matrices::new(2, vec![1, 2, 3, 4], vec![5, 6, 7, 8]).expect("small");
        assert_eq!(matrices.cost([0, 1].into_iter()), 5 + 2 * 6 + 3 * 7 + 4 * 8);
        assert_eq!(matrices.cost([1, 0].into_iter()), 8 + 2 * 7 + 3 * 6 + 4 * 5);
        assert_eq!(least(&matrices), 60);
        assert!(Matrices::new(1, vec![1 << 40], vec![1 << 20]).is_err());
    }

    #[test]
    fn random_matrices_are_symmetric() {
        let matrices = Matrices::random(9, 4);
        for from in 0..9 {
            assert_eq!((matrices.flow(from, from), matrices.way(from, from)), (0, 0));
            for to in 0..9 {
                assert_eq!(matrices.flow(from, to), matrices.flow(to, from));
                assert!((0..=99).contains(&matrices.way(from, to)));
            }
        }
    }

    #[test]
    fn the_target_of_the_config_is_the_least_cost() {
        let config = include_str!("../../../configs/qap.toml");
        assert!(config.contains("\nn      = 9\n"), "the matrices are these");
        let least = least(&Matrices::random(9, 1));
        assert!(config.contains(&format!("\nfitness     = {least}\n")), "{least}");
    }
}
