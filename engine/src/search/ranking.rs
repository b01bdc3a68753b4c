//! Ranking: the comparison of two genomes, and one score per row for operators.

use super::population::Population;
use crate::operators::Constraints;
use crate::problem::Gene;

/// Use of scores by an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The operator compares scores.
    Order,
    /// The operator calculates with scores.
    Amount,
}

/// Number beyond the fitness of feasible genomes, if the problem states no worst fitness.
const BEYOND: f64 = 1e100;

/// Rule that decides which genome is better. It is chosen once per arm. If it compares by fitness
/// alone, the fitness column itself is the column of scores.
#[derive(Clone, Debug)]
pub struct Ranking {
    rule: Constraints,
    scores: Vec<f64>,
    /// Key and number of each row.
    sorted: Vec<((f64, f64), u32)>,
}

impl Ranking {
    /// Creates a ranking by this rule; `None` ranks by fitness alone.
    #[must_use]
    pub fn new(constraints: Option<Constraints>) -> Self {
        let rule = constraints.unwrap_or(Constraints::Ignore);
        Ranking { rule, scores: Vec::new(), sorted: Vec::new() }
    }

    /// Returns the key of a row: of two genomes, the one with the lower key is better.
    #[inline]
    pub(super) fn key<G: Gene>(&self, rows: &Population<G>, row: usize) -> (f64, f64) {
        let (fitness, violation) = rows.figures_of(row);
        self.rule.cost(fitness, violation)
    }

    /// Returns the lower key of two rows. Fitness alone is compared without a branch, because which
    /// parent is better cannot be predicted.
    #[inline]
    pub(super) fn better_key<G: Gene>(&self, rows: &Population<G>, pair: [u32; 2]) -> (f64, f64) {
        let [one, other] = pair.map(|row| row as usize);
        if self.rule == Constraints::Ignore {
            return (0.0, rows.fitness[one].min(rows.fitness[other]));
        }
        let (first, second) = (self.key(rows, one), self.key(rows, other));
        if second < first { second } else { first }
    }

    /// Returns whether the key of a row is lower than `key`.
    #[inline]
    pub(super) fn is_better<G: Gene>(
        &self,
        rows: &Population<G>,
        row: usize,
        key: (f64, f64),
    ) -> bool {
        match self.rule {
            Constraints::Ignore => rows.fitness[row] < key.1,
            _ => self.key(rows, row) < key,
        }
    }

    /// Returns how much worse genome `new` is than `old`, each given as fitness and violation. The
    /// unit is that of [`Constraints::worsening`]. Negative if `new` is better, 0 if both have the
    /// same key.
    #[inline]
    pub(super) fn worsening(&self, new: (f64, f64), old: (f64, f64)) -> f64 {
        self.rule.worsening(new, old)
    }

    /// Returns the scores of a population, one per row; lower is better.
    #[inline]
    pub fn scores<'rows, G: Gene>(
        &'rows mut self,
        used: Use,
        rows: &'rows Population<G>,
    ) -> &'rows [f64] {
        if self.rule == Constraints::Ignore {
            return &rows.fitness;
        }
        self.score(used, &[rows]);
        &self.scores
    }

    /// Returns the scores of a population, one per row, which are comparable with those of every
    /// other call; lower is better. `worst` is the greatest fitness that the problem states.
    ///
    /// Under feasibility first, every feasible genome has a lower score than every infeasible one:
    /// the score of an infeasible genome is `worst` plus the violation. Without `worst` it is
    /// 1e100 times 1 plus the violation.
    pub fn lasting_scores<'rows, G: Gene>(
        &'rows mut self,
        rows: &'rows Population<G>,
        worst: Option<f64>,
    ) -> &'rows [f64] {
        if self.rule != Constraints::FeasibilityFirst {
            return self.scores(Use::Amount, rows);
        }
        let beyond = |violation: f64| match worst {
            Some(worst) => (worst + violation).max(worst.next_up()).min(f64::MAX),
            None => (BEYOND * (1.0 + violation)).min(f64::MAX),
        };
        let keys = rows.figures(rows.rows()).keys();
        self.scores.clear();
        self.scores.extend(keys.map(|(violation, fitness)| match violation > 0.0 {
            true => beyond(violation),
            false => fitness,
        }));
        &self.scores
    }

    /// Returns comparable scores of parents and children, one per row; lower is better.
    #[inline]
    pub fn scores_of_both<'rows, G: Gene>(
        &'rows mut self,
        parents: &'rows Population<G>,
        children: &'rows Population<G>,
    ) -> (&'rows [f64], &'rows [f64]) {
        if self.rule == Constraints::Ignore {
            return (&parents.fitness, &children.fitness);
        }
        self.score(Use::Order, &[parents, children]);
        self.scores.split_at(parents.rows())
    }

    /// Writes the scores of all rows, one population after the other.
    ///
    /// Under a penalty, the score is the fitness plus the penalty. Under feasibility first, the
    /// score depends on the use. An operator that compares gets the rank (from 0; equal rows share
    /// one), which is exact. An operator that calculates gets the number of Deb (2000),
    /// doi:10.1016/S0045-7825(99)00389-8. For a feasible genome, this is the fitness. For any
    /// other, it is the worst feasible fitness of the rows (0 without one) plus the violation.
    fn score<G: Gene>(&mut self, used: Use, populations: &[&Population<G>]) {
        let Ranking { rule, scores, sorted } = self;
        let rows = populations.iter().flat_map(|rows| rows.figures(rows.rows()).keys());
        scores.clear();
        match (*rule, used) {
            (Constraints::FeasibilityFirst, Use::Order) => {
                let keys = rows.map(|(violation, fitness)| rule.cost(fitness, violation));
                rank(keys, sorted, scores);
            }
            (Constraints::FeasibilityFirst, Use::Amount) => {
                let feasible = rows.clone().filter(|(violation, _)| *violation == 0.0);
                let worst = feasible.map(|(_, fitness)| fitness).reduce(f64::max).unwrap_or(0.0);
                scores.extend(rows.map(
                    |(violation, fitness)| {
                        if violation > 0.0 { worst + violation } else { fitness }
                    },
                ));
            }
            _ => {
                scores.extend(rows.map(|(violation, fitness)| rule.cost(fitness, violation).1));
            }
        }
    }
}

/// Writes the rank of each key.
fn rank(
    keys: impl Iterator<Item = (f64, f64)>,
    sorted: &mut Vec<((f64, f64), u32)>,
    ranks: &mut Vec<f64>,
) {
    sorted.clear();
    // Adding 0 makes minus zero equal to zero in the total order.
    sorted.extend(keys.map(|(first, second)| (first + 0.0, second + 0.0)).zip(0..));
    sorted.sort_unstable_by(|((a, b), row), ((c, d), other)| {
        a.total_cmp(c).then(b.total_cmp(d)).then(row.cmp(other))
    });
    ranks.resize(sorted.len(), 0.0);
    let (mut rank, mut before) = (-1.0, None);
    for (key, row) in sorted {
        if before != Some(*key) {
            rank += 1.0;
            before = Some(*key);
        }
        ranks[*row as usize] = rank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn population(rows: &[(f64, f64)]) -> Population<u8> {
        let mut made = Population::constrained(rows.len(), 1, true);
        made.fitness.iter_mut().zip(rows).for_each(|(fitness, row)| *fitness = row.0);
        made.violations = rows.iter().map(|row| row.1).collect();
        made
    }

    fn scores(constraints: Constraints, used: Use, rows: &[(f64, f64)]) -> Vec<f64> {
        Ranking::new(Some(constraints)).scores(used, &population(rows)).to_vec()
    }

    const ROWS: [(f64, f64); 6] =
        [(5.0, 0.0), (1.0, 3.0), (-2.0, 0.0), (9.0, 3.0), (5.0, 0.0), (0.0, 1e-9)];

    #[test]
    fn scores_are_those_of_the_definition() {
        let first = Constraints::FeasibilityFirst;
        assert_eq!(scores(first, Use::Order, &ROWS), [1.0, 3.0, 0.0, 3.0, 1.0, 2.0]);
        let amounts = [5.0, 8.0, -2.0, 8.0, 5.0, 5.0 + 1e-9];
        assert_eq!(scores(first, Use::Amount, &ROWS), amounts);
        assert_eq!(scores(first, Use::Amount, &ROWS[3..4]), [3.0]);
        let penalty = Constraints::Penalty { factor: 2.0 };
        assert_eq!(scores(penalty, Use::Order, &ROWS), [5.0, 7.0, -2.0, 15.0, 5.0, 2e-9]);
        assert_eq!(scores(Constraints::Ignore, Use::Amount, &ROWS)[3], 9.0);
    }

    #[test]
    fn lasting_scores_put_feasible_genomes_first_in_every_call() {
        let mut ranking = Ranking::new(Some(Constraints::FeasibilityFirst));
        let mut told =
            |rows: &[(f64, f64)], worst| ranking.lasting_scores(&population(rows), worst).to_vec();
        assert_eq!(told(&ROWS[3..4], Some(9.0)), [12.0]);
        assert_eq!(told(&ROWS[..2], Some(9.0)), [5.0, 12.0]);
        // Rounding puts no infeasible genome level with a feasible one.
        assert!(told(&[(1.0, 1e-9)], Some(1e12))[0] > 1e12);
        assert_eq!(told(&ROWS[3..4], None), [4e100]);
        assert!(told(&[(1.0, 2e-9)], None) > told(&ROWS[5..], None));
        assert!(told(&[(0.0, f64::MAX)], None)[0].is_finite());
        let mut penalty = Ranking::new(Some(Constraints::Penalty { factor: 2.0 }));
        assert_eq!(penalty.lasting_scores(&population(&ROWS[3..4]), Some(9.0)), [15.0]);
    }

    proptest! {
        #[test]
        fn ranks_order_as_keys_do(
            rows in prop::collection::vec((-3i8..3, 0u8..3), 1..40),
            split in 0usize..40,
        ) {
            let scaled = |row: &(i8, u8)| (f64::from(row.0) * 1e300, f64::from(row.1) * 1e-300);
            let rows: Vec<(f64, f64)> = rows.iter().map(scaled).collect();
            let (parents, children) = rows.split_at(split.min(rows.len()));
            let (parents, children) = (population(parents), population(children));
            let rule = Constraints::FeasibilityFirst;
            let mut ranking = Ranking::new(Some(rule));
            let (old, new) = ranking.scores_of_both(&parents, &children);
            let ranks = [old, new].concat();
            for (one, first) in rows.iter().zip(&ranks) {
                for (other, second) in rows.iter().zip(&ranks) {
                    let keys = (rule.cost(one.0, one.1), rule.cost(other.0, other.1));
                    prop_assert_eq!(keys.0.partial_cmp(&keys.1), first.partial_cmp(second));
                }
            }
        }
    }
}
