//! Merits: what operators go by in place of fitness where the problem has constraints.

use super::population::Population;
use crate::operators::Constraints;
use crate::problem::Gene;

/// What an operator does with the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It compares them.
    Order,
    /// It calculates with them.
    Amount,
}

/// One number per row of one population or several, one after the other; lower is better.
#[derive(Default)]
pub(super) struct Merits {
    /// Cost and row.
    sorted: Vec<((f64, f64), u32)>,
    numbers: Vec<f64>,
}

impl Merits {
    /// Under a penalty, fitness with the penalty; where constraints are ignored, fitness. With
    /// feasible genomes first: for an operator that compares, ranks (from 0; equal ones share one),
    /// which are exact; for one that calculates, the numbers of Deb (2000): its fitness for a
    /// feasible genome, for any other the worst feasible fitness of the rows (0 without one) plus
    /// its violation.
    pub(super) fn of<G: Gene>(
        &mut self,
        constraints: Constraints,
        used: Use,
        populations: &[&Population<G>],
    ) -> &[f64] {
        let rows = populations
            .iter()
            .flat_map(|one| one.fitness.iter().copied().zip(one.violations.iter().copied()));
        match (constraints, used) {
            (Constraints::FeasibilityFirst, Use::Order) => self.rank(constraints, rows),
            (Constraints::FeasibilityFirst, Use::Amount) => {
                let feasible = rows.clone().filter(|(_, violation)| *violation == 0.0);
                let worst = feasible.map(|(fitness, _)| fitness).reduce(f64::max).unwrap_or(0.0);
                self.set(rows.map(
                    |(fitness, violation)| {
                        if violation > 0.0 { worst + violation } else { fitness }
                    },
                ));
            }
            _ => self.set(rows.map(|(fitness, violation)| constraints.cost(fitness, violation).1)),
        }
        &self.numbers
    }

    fn set(&mut self, numbers: impl Iterator<Item = f64>) {
        self.numbers.clear();
        self.numbers.extend(numbers);
    }

    fn rank(&mut self, constraints: Constraints, rows: impl Iterator<Item = (f64, f64)>) {
        let Merits { sorted, numbers } = self;
        let cost = |(fitness, violation)| {
            let (first, second) = constraints.cost(fitness, violation);
            // Both zeros are one number.
            (first + 0.0, second + 0.0)
        };
        sorted.clear();
        sorted.extend(rows.map(cost).zip(0..));
        sorted.sort_unstable_by(|((a, b), row), ((c, d), other)| {
            a.total_cmp(c).then(b.total_cmp(d)).then(row.cmp(other))
        });
        numbers.clear();
        numbers.resize(sorted.len(), 0.0);
        let (mut rank, mut before) = (-1.0, None);
        for (cost, row) in sorted {
            if before != Some(*cost) {
                rank += 1.0;
                before = Some(*cost);
            }
            numbers[*row as usize] = rank;
        }
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

    fn merits(constraints: Constraints, used: Use, rows: &[(f64, f64)]) -> Vec<f64> {
        let (first, second) = rows.split_at(rows.len() / 2);
        let (first, second) = (population(first), population(second));
        Merits::default().of(constraints, used, &[&first, &second]).to_vec()
    }

    const ROWS: [(f64, f64); 6] =
        [(5.0, 0.0), (1.0, 3.0), (-2.0, 0.0), (9.0, 3.0), (5.0, 0.0), (0.0, 1e-9)];

    #[test]
    fn numbers_are_those_of_the_definition() {
        let first = Constraints::FeasibilityFirst;
        assert_eq!(merits(first, Use::Order, &ROWS), [1.0, 3.0, 0.0, 3.0, 1.0, 2.0]);
        let amounts = [5.0, 8.0, -2.0, 8.0, 5.0, 5.0 + 1e-9];
        assert_eq!(merits(first, Use::Amount, &ROWS), amounts);
        assert_eq!(merits(first, Use::Amount, &ROWS[3..4]), [3.0]);
        let penalty = Constraints::Penalty { factor: 2.0 };
        assert_eq!(merits(penalty, Use::Order, &ROWS), [5.0, 7.0, -2.0, 15.0, 5.0, 2e-9]);
        assert_eq!(merits(Constraints::Ignore, Use::Amount, &ROWS)[3], 9.0);
    }

    proptest! {
        #[test]
        fn ranks_order_as_costs_do(
            rows in prop::collection::vec((-3i8..3, 0u8..3), 1..40)
        ) {
            let scaled = |row: &(i8, u8)| (f64::from(row.0) * 1e300, f64::from(row.1) * 1e-300);
            let rows: Vec<(f64, f64)> = rows.iter().map(scaled).collect();
            let rule = Constraints::FeasibilityFirst;
            let ranks = merits(rule, Use::Order, &rows);
            for (one, first) in rows.iter().zip(&ranks) {
                for (other, second) in rows.iter().zip(&ranks) {
                    let costs = (rule.cost(one.0, one.1), rule.cost(other.0, other.1));
                    prop_assert_eq!(costs.0.partial_cmp(&costs.1), first.partial_cmp(second));
                }
            }
        }
    }
}
