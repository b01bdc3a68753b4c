//! Spaces: the ordered genomes of a problem that has few enough to enumerate all.

use super::{CallError, Description, Encoding, Gene, Problem};

/// Order in which the genomes of a problem are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Order of the plugin's own numbers.
    Plugin,
    /// Permutations in lexicographic order.
    Permutations,
    /// Every combination of values, the last gene fastest.
    Combinations,
}

/// Space of all genomes of a problem, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    order: Order,
    size: u64,
}

impl Space {
    /// Returns the space of a problem, as enumerated by the plugin, else as defined by the
    /// encoding. `None` for real, mixed and opaque genomes that the plugin does not enumerate, and
    /// for 2^64 genomes or more.
    #[must_use]
    pub fn of(problem: &Description) -> Option<Self> {
        if let Some(size) = problem.space_size {
            return Some(Space { order: Order::Plugin, size });
        }
        let values = |locus: usize| {
            let (low, high) = problem.bounds.of(locus);
            (high - low) as u64 + 1
        };
        let (order, size) = match problem.encoding {
            Encoding::Permutation => (
                Order::Permutations,
                (1..=problem.genome_length as u64).try_fold(1u64, u64::checked_mul)?,
            ),
            Encoding::Integer | Encoding::Bits => {
                let size = (0..problem.genome_length)
                    .try_fold(1u64, |size, locus| size.checked_mul(values(locus)))?;
                (Order::Combinations, size)
            }
            Encoding::Real | Encoding::Mixed | Encoding::Opaque => return None,
        };
        Some(Space { order, size })
    }

    /// Returns the number of genomes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Iteration over a space, starting at its first genome.
pub struct Walk<'problem, G> {
    problem: &'problem Problem,
    space: Space,
    /// Number of genomes already produced.
    passed: u64,
    /// Last genome produced.
    last: Vec<G>,
}

impl<'problem, G: Gene> Walk<'problem, G> {
    /// Creates a walk that starts before the first genome of the space of this problem.
    pub fn new(problem: &'problem Problem, space: Space) -> Self {
        let last = vec![G::from_index(0); problem.description().genome_length];
        Walk { problem, space, passed: 0, last }
    }

    /// Resets the walk to before the first genome.
    pub(crate) fn restart(&mut self) {
        self.passed = 0;
    }

    /// Returns the place of the walk: the number of genomes already produced, and the last one.
    pub(crate) fn place_mut(&mut self) -> (&mut u64, &mut Vec<G>) {
        (&mut self.passed, &mut self.last)
    }

    /// Returns the number of remaining genomes.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.space.size - self.passed
    }

    /// Fills rows with the next genomes; at least as many must remain.
    ///
    /// # Errors
    /// Returns the plugin's error if the plugin enumerates.
    pub fn fill(&mut self, rows: &mut [G]) -> Result<(), CallError> {
        let description = self.problem.description();
        if self.space.order == Order::Plugin {
            self.problem.enumerate(self.passed, rows)?;
            self.passed += (rows.len() / description.genome_length) as u64;
            return Ok(());
        }
        for row in rows.chunks_exact_mut(description.genome_length) {
            self.step(description);
            self.passed += 1;
            row.copy_from_slice(&self.last);
        }
        Ok(())
    }

    fn step(&mut self, description: &Description) {
        let bounds = |locus| {
            let (low, high) = description.bounds.of(locus);
            (low as usize, high as usize)
        };
        let permutations = self.space.order == Order::Permutations;
        if self.passed == 0 {
            for (locus, gene) in self.last.iter_mut().enumerate() {
                *gene = G::from_index(if permutations { locus } else { bounds(locus).0 });
            }
        } else if permutations {
            next_permutation(&mut self.last);
        } else {
            next_combination(&mut self.last, bounds);
        }
    }
}

/// Replaces a permutation by the next one in lexicographic order; after the last comes the first
/// (Narayana Pandita; Knuth 2011, The Art of Computer Programming 4A, algorithm 7.2.1.2L).
fn next_permutation<G: Gene>(row: &mut [G]) {
    let rises = row.windows(2).rposition(|pair| pair[0].to_index() < pair[1].to_index());
    if let Some(pivot) = rises {
        let key = row[pivot].to_index();
        let greater =
            row.iter().rposition(|gene| gene.to_index() > key).expect("its neighbour is greater");
        row.swap(pivot, greater);
        row[pivot + 1..].reverse();
    } else {
        row.reverse();
    }
}

/// Replaces a combination by the next one, with the last gene fastest; after the last comes the
/// first.
fn next_combination<G: Gene>(row: &mut [G], bounds: impl Fn(usize) -> (usize, usize)) {
    for locus in (0..row.len()).rev() {
        let (low, high) = bounds(locus);
        let value = row[locus].to_index();
        if value < high {
            row[locus] = G::from_index(value + 1);
            return;
        }
        row[locus] = G::from_index(low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn permutations_come_in_order_each_once_and_wrap() {
        let mut row = [0u8, 1, 2, 3, 4];
        let mut seen = vec![row];
        loop {
            next_permutation(&mut row);
            if row == [0, 1, 2, 3, 4] {
                break;
            }
            assert!(*seen.last().expect("not empty") < row);
            seen.push(row);
        }
        assert_eq!(seen.len(), 120);
    }

    #[test]
    fn combinations_come_in_order_each_once_and_wrap() {
        let bounds = |locus: usize| [(1, 2), (0, 0), (3, 5)][locus];
        let mut row = [1u8, 0, 3];
        let mut seen = BTreeSet::from([row]);
        for _ in 0..5 {
            next_combination(&mut row, bounds);
            assert!(seen.insert(row));
        }
        assert_eq!(row, [2, 0, 5]);
        next_combination(&mut row, bounds);
        assert_eq!(row, [1, 0, 3]);
    }
}
