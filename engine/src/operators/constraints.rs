//! Constraint handling: the role of a violation when genomes are compared.

use super::domain::Domain;
use super::operator::{Operator, Slot};
use super::registry::{Entry, Family};
use super::values::Make;
use crate::problem::Description;
use crate::problem::parameter::{Fallback, Kind, Parameter};

/// Rule for comparing genomes of a problem with constraints. Success and the best genome of a trial
/// do not depend on it. For these, a feasible genome always comes before any other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraints {
    /// Feasible genomes come first, by fitness; infeasible genomes follow, by violation.
    FeasibilityFirst,
    /// Genomes are compared by fitness + `factor` x violation.
    Penalty {
        /// Fitness per unit of violation; greater than 0 and finite.
        factor: f64,
    },
    /// Genomes are compared by fitness alone.
    Ignore,
}

impl Constraints {
    /// Returns the sort key of a genome as a pair; the second number decides only if the first is
    /// equal.
    #[must_use]
    pub fn cost(self, fitness: f64, violation: f64) -> (f64, f64) {
        match self {
            Constraints::FeasibilityFirst if violation > 0.0 => (violation, 0.0),
            Constraints::FeasibilityFirst | Constraints::Ignore => (0.0, fitness),
            Constraints::Penalty { factor } => (0.0, fitness + factor * violation),
        }
    }

    /// Returns by how much `new` is worse than `old`; each is a pair of fitness and violation. The
    /// unit is violation if violation decides their order, and fitness otherwise.
    ///
    /// For feasibility-first, this is the difference of the fitness values that Deb (2000) assigns
    /// within this pair. A feasible genome has its own fitness. An infeasible genome has the worst
    /// feasible fitness plus its violation.
    #[must_use]
    pub fn worsening(self, new: (f64, f64), old: (f64, f64)) -> f64 {
        match self {
            Constraints::FeasibilityFirst if new.1 > 0.0 || old.1 > 0.0 => new.1 - old.1,
            Constraints::FeasibilityFirst | Constraints::Ignore => new.0 - old.0,
            Constraints::Penalty { .. } => {
                let (new, old) = (self.cost(new.0, new.1).1, self.cost(old.0, old.1).1);
                // Without this case, two infinite costs would give NaN.
                if new == old { 0.0 } else { new - old }
            }
        }
    }
}

/// Constraint-handling rules.
pub static CONSTRAINTS: Family<Make<Constraints>> = Family {
    slot: Slot::Constraints,
    plugin: None,
    entries: &[
        Entry {
            operator: Operator {
                name: "feasibility-first",
                summary: "Feasible genomes come before all others and are compared by fitness; \
                    others are compared by violation.",
                domain: CONSTRAINED,
                parameters: &[],
                source: "Deb (2000), doi:10.1016/S0045-7825(99)00389-8",
            },
            make: |_, _| Ok(Constraints::FeasibilityFirst),
        },
        Entry {
            operator: Operator {
                name: "penalty",
                summary: "Genomes are compared by fitness + factor x violation: a static penalty.",
                domain: CONSTRAINED,
                parameters: &[Parameter::new(
                    "factor",
                    Kind::Real { low: 0.0, high: f64::INFINITY, low_open: true, high_open: true },
                    Fallback::real(1.0),
                    "Fitness per unit of violation.",
                )],
                source: "Coello Coello (2002), doi:10.1016/S0045-7825(01)00323-1",
            },
            make: |values, _| Ok(Constraints::Penalty { factor: values.real("factor") }),
        },
        Entry {
            operator: Operator {
                name: "ignore",
                summary: "Genomes are compared by fitness alone; a trial still succeeds only with \
                    a feasible genome.",
                domain: CONSTRAINED,
                parameters: &[],
                source: "-",
            },
            make: |_, _| Ok(Constraints::Ignore),
        },
    ],
};

const CONSTRAINED: Domain = Domain::Where(constrained);

/// Checks that genomes of the problem can have violations.
fn constrained(problem: &Description) -> Result<(), String> {
    if problem.has_violations {
        return Ok(());
    }
    Err("the problem has no constraints: its plugin gives no violations".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEASIBLE: [(f64, f64); 2] = [(3.0, 0.0), (9.0, 0.0)];
    const INFEASIBLE: [(f64, f64); 2] = [(1.0, 0.5), (0.0, 2.0)];

    #[test]
    fn feasible_genomes_come_first() {
        let rule = Constraints::FeasibilityFirst;
        let cost = |(fitness, violation)| rule.cost(fitness, violation);
        let costs = FEASIBLE.into_iter().chain(INFEASIBLE).map(cost).collect::<Vec<_>>();
        assert!(costs.is_sorted_by(|one, next| one < next), "{costs:?}");
        // With equal violation, neither is better: Deb (2000) considers nothing else.
        assert_eq!(cost((7.0, 0.5)), cost((1.0, 0.5)));
    }

    #[test]
    fn a_penalty_may_put_an_infeasible_genome_first() {
        let cost =
            |factor, (fitness, violation)| Constraints::Penalty { factor }.cost(fitness, violation);
        assert!(cost(1.0, INFEASIBLE[0]) < cost(1.0, FEASIBLE[0]));
        assert!(cost(10.0, INFEASIBLE[0]) > cost(10.0, FEASIBLE[0]));
        assert_eq!(cost(f64::MAX, (1.0, 2.0)), (0.0, f64::INFINITY));
        assert_eq!(Constraints::Ignore.cost(1.0, 0.5), (0.0, 1.0));
    }

    #[test]
    fn a_worsening_is_of_what_decides() {
        let rule = Constraints::FeasibilityFirst;
        assert_eq!(rule.worsening(FEASIBLE[1], FEASIBLE[0]), 6.0);
        assert_eq!(rule.worsening(INFEASIBLE[1], INFEASIBLE[0]), 1.5);
        assert_eq!(rule.worsening(INFEASIBLE[0], FEASIBLE[1]), 0.5);
        assert_eq!(rule.worsening(FEASIBLE[1], INFEASIBLE[1]), -2.0);
        let penalty = Constraints::Penalty { factor: 10.0 };
        assert_eq!(penalty.worsening(INFEASIBLE[0], FEASIBLE[0]), 3.0);
        assert_eq!(Constraints::Ignore.worsening(INFEASIBLE[0], FEASIBLE[0]), -2.0);
    }
}
