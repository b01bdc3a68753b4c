//! Standings: the algorithms of a suite, ranked over its functions.

use crate::analysis::ranking::{LeftOut, Measure, Problem, Ranking, rank, suits};
use crate::analysis::suite::Contest;
use std::slice;

/// Ranks of the algorithms that searched every ranked function.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Measure by which algorithms are ranked.
    pub measure: Measure,
    /// Ranks; `None` with fewer than two such algorithms or functions.
    pub ranking: Option<Ranking>,
    /// Algorithms that lack a ranked function.
    pub left_out: Vec<LeftOut>,
    /// Names of functions that do not have the measure.
    pub unranked: Vec<String>,
}

impl Standings {
    /// Ranks the algorithms. Without a measure, it is the ERT if success is defined on all
    /// functions, otherwise the final fitness.
    #[must_use]
    pub fn of(problems: &[Problem<'_>], by: Option<Measure>, level: f64) -> Self {
        let fits = |measure, one| suits(measure, slice::from_ref(one)).is_ok();
        let measure =
            by.unwrap_or_else(|| match problems.iter().all(|one| fits(Measure::Ert, one)) {
                true => Measure::Ert,
                false => Measure::FinalFitness,
            });
        let mut ranked = Vec::new();
        let mut unranked = Vec::new();
        for problem in problems {
            match fits(measure, problem) {
                true => ranked.push(problem.clone()),
                false => unranked.push(problem.name.clone()),
            }
        }
        let (ranking, left_out) = rank(&ranked, measure, level);
        Standings { measure, ranking, left_out, unranked }
    }

    /// Returns the numbers of all algorithms: the ranked ones from the best, then the others.
    #[must_use]
    pub fn order(&self, contest: &Contest) -> Vec<usize> {
        let place = |name: &String| contest.algorithms.iter().position(|one| one == name);
        let ranked = self.ranking.iter().flat_map(|ranking| &ranking.arms);
        let mut order: Vec<usize> = ranked.filter_map(|arm| place(&arm.name)).collect();
        let others = (0..contest.algorithms.len()).filter(|one| !order.contains(one));
        order.extend(others.collect::<Vec<_>>());
        order
    }
}
