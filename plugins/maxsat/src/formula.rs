//! Formulas: weighted clauses of literals.

use runner_plugin::data::InstanceRng;

/// Literal: a variable, from 0, and the value that satisfies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal {
    pub variable: u32,
    pub value: u8,
}

/// Clauses, and where each variable occurs.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    variables: usize,
    literals: Vec<Literal>,
    /// Place of the first literal of each clause, and the end of the last.
    starts: Vec<usize>,
    weights: Vec<i64>,
    /// Place of the first occurrence of each variable, and the end of the last.
    first: Vec<usize>,
    /// Clauses in which the variables occur, with the values that satisfy them.
    occurrences: Vec<(u32, u8)>,
}

/// Builder of a formula, clause by clause.
#[derive(Clone, Debug)]
pub(crate) struct Clauses {
    literals: Vec<Literal>,
    starts: Vec<usize>,
    pub weights: Vec<i64>,
}

impl Clauses {
    pub(crate) fn new() -> Self {
        Clauses { literals: Vec::new(), starts: vec![0], weights: Vec::new() }
    }

    /// Returns the number of clauses that have ended.
    pub(crate) fn count(&self) -> usize {
        self.weights.len()
    }

    /// Adds a literal to the clause that is being read.
    pub(crate) fn put(&mut self, literal: Literal) {
        self.literals.push(literal);
    }

    /// Ends a clause, each of whose literals counts once. One with a variable in both forms always
    /// holds: it becomes a clause without literals and weight. Returns whether it is no such one.
    pub(crate) fn end(&mut self, weight: i64) -> bool {
        let begun = *self.starts.last().unwrap_or(&0);
        let mut own = self.literals.split_off(begun);
        own.sort_unstable();
        own.dedup();
        let is_open = own.windows(2).all(|pair| pair[0].variable != pair[1].variable);
        if is_open {
            self.literals.append(&mut own);
        }
        self.starts.push(self.literals.len());
        self.weights.push(if is_open { weight } else { 0 });
        is_open
    }
}

impl Formula {
    pub(crate) fn new(variables: usize, clauses: Clauses) -> Self {
        let Clauses { literals, starts, weights } = clauses;
        let mut first = vec![0; variables + 1];
        literals.iter().for_each(|literal| first[literal.variable as usize + 1] += 1);
        (0..variables).for_each(|variable| first[variable + 1] += first[variable]);
        let (mut free, mut occurrences) = (first.clone(), vec![(0, 0); literals.len()]);
        for (clause, range) in starts.windows(2).enumerate() {
            for literal in &literals[range[0]..range[1]] {
                let place = &mut free[literal.variable as usize];
                occurrences[*place] = (clause as u32, literal.value);
                *place += 1;
            }
        }
        Formula { variables, literals, starts, weights, first, occurrences }
    }

    /// Returns the number of variables.
    pub(crate) fn variables(&self) -> usize {
        self.variables
    }

    /// Returns the number of clauses.
    pub(crate) fn clauses(&self) -> usize {
        self.weights.len()
    }

    /// Returns the weight of a clause.
    #[inline]
    pub(crate) fn weight(&self, clause: usize) -> i64 {
        self.weights[clause]
    }

    /// Returns the literals of a clause.
    pub(crate) fn clause(&self, clause: usize) -> &[Literal] {
        &self.literals[self.starts[clause]..self.starts[clause + 1]]
    }

    /// Returns the clauses in which a variable occurs, with the values that satisfy them.
    #[inline]
    pub(crate) fn occurrences(&self, variable: usize) -> &[(u32, u8)] {
        &self.occurrences[self.first[variable]..self.first[variable + 1]]
    }

    /// Returns the number of satisfied literals of a clause.
    pub(crate) fn satisfied(&self, clause: usize, values: &[u8]) -> usize {
        let holds = |literal: &&Literal| values[literal.variable as usize] == literal.value;
        self.clause(clause).iter().filter(holds).count()
    }

    /// Returns the weight of the unsatisfied clauses.
    pub(crate) fn unsatisfied(&self, values: &[u8]) -> i64 {
        let fails = |clause: &usize| self.satisfied(*clause, values) == 0;
        (0..self.clauses()).filter(fails).map(|clause| self.weights[clause]).sum()
    }

    /// Returns the weight of all clauses.
    pub(crate) fn weights(&self) -> i64 {
        self.weights.iter().sum()
    }

    /// Returns random clauses of `size` different variables, each negated with probability 1/2
    /// (Mitchell, Selman and Levesque 1992). If `planted`, clauses that a hidden assignment does
    /// not satisfy are drawn again, so that all can be satisfied.
    pub(crate) fn random(
        [variables, count, size]: [usize; 3],
        planted: bool,
        rng: &mut InstanceRng,
    ) -> Self {
        let hidden: Vec<u8> = (0..variables).map(|_| rng.below(2) as u8).collect();
        let mut clauses = Clauses::new();
        for _ in 0..count {
            let clause = loop {
                let drawn = draw(variables, size, rng);
                let holds = |one: &Literal| hidden[one.variable as usize] == one.value;
                if !planted || drawn.iter().any(holds) {
                    break drawn;
                }
            };
            clause.into_iter().for_each(|literal| clauses.put(literal));
            clauses.end(1);
        }
        Formula::new(variables, clauses)
    }
}

fn draw(variables: usize, size: usize, rng: &mut InstanceRng) -> Vec<Literal> {
    let mut clause: Vec<Literal> = Vec::with_capacity(size);
    while clause.len() < size {
        let variable = rng.below(variables as u64) as u32;
        if clause.iter().all(|other| other.variable != variable) {
            clause.push(Literal { variable, value: rng.below(2) as u8 });
        }
    }
    clause
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The least weight of unsatisfied clauses by trying all assignments, read from the text of
    /// each clause.
    pub(crate) fn least(formula: &Formula) -> i64 {
        let n = formula.variables();
        let weight = |number: u32| {
            let fails = |clause: &usize| {
                formula
                    .clause(*clause)
                    .iter()
                    .all(|Literal { variable, value }| number >> variable & 1 != u32::from(*value))
            };
            let failed = (0..formula.clauses()).filter(fails);
            failed.map(|clause| formula.weight(clause)).sum()
        };
        (0..1u32 << n).map(weight).min().expect("an assignment")
    }

    #[test]
    fn planted_clauses_can_all_be_satisfied() {
        for instance in 0..5 {
            let mut rng = InstanceRng::new(instance);
            assert_eq!(least(&Formula::random([10, 100, 3], true, &mut rng)), 0);
            // The expectation of satisfying assignments is 1024 (7/8)^100 = 0.0016: none for
            // these five seeds but with probability 0.008.
            assert!(least(&Formula::random([10, 100, 3], false, &mut rng)) > 0);
        }
    }

    #[test]
    fn clauses_have_different_variables_and_occur_where_they_stand() {
        let formula = Formula::random([7, 40, 3], false, &mut InstanceRng::new(3));
        for clause in 0..40 {
            let mut variables: Vec<u32> =
                formula.clause(clause).iter().map(|literal| literal.variable).collect();
            variables.sort_unstable();
            variables.dedup();
            assert_eq!(variables.len(), 3);
        }
        for variable in 0..7 {
            for (clause, value) in formula.occurrences(variable) {
                let literal = Literal { variable: variable as u32, value: *value };
                assert!(formula.clause(*clause as usize).contains(&literal));
            }
        }
        let all: usize = (0..7).map(|variable| formula.occurrences(variable).len()).sum();
        assert_eq!(all, 120);
    }
}
