//! Rankings: arms over several problems, each of which counts once.

use crate::analysis::comparison::Sample;
use crate::plan::swept_text;
use crate::stats::{Frequencies, Friedman, critical_difference, friedman, holm, nemenyi, wilcoxon};

/// What arms are ranked by on each problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    SuccessRate,
    /// Infinite for an arm that never succeeds: such arms tie.
    Ert,
    /// The median over the trials.
    FinalFitness,
}

impl Measure {
    /// The name in the tables.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Measure::SuccessRate => "success-rate",
            Measure::Ert => "ert",
            Measure::FinalFitness => "fitness",
        }
    }

    /// An arm's value on a problem.
    fn of(self, sample: &Sample) -> f64 {
        match self {
            Measure::SuccessRate => sample.rate(),
            Measure::Ert => sample.ert().unwrap_or(f64::INFINITY),
            Measure::FinalFitness => {
                let fitness: Frequencies = sample.final_fitness().collect();
                fitness.median().unwrap_or(f64::INFINITY)
            }
        }
    }

    /// The scale of ranks and differences, on which less is better: of ERTs the logarithm, since
    /// problems differ in their size.
    fn scaled(self, value: f64) -> f64 {
        match self {
            Measure::SuccessRate => -value,
            Measure::Ert => libm::log(value),
            Measure::FinalFitness => value,
        }
    }
}

/// A problem with the arms that searched it.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub name: String,
    /// Each under the name that it has on every problem.
    pub arms: Vec<(String, &'a Sample)>,
}

/// The problems of some experiments: each experiment, or where it has several each of them, which
/// are those of its sweep. `experiments`: each with its name. An arm is known by its operator set
/// and the swept values that are not the problem's.
#[must_use]
pub(crate) fn problems<'a>(experiments: &[(&str, &'a [Sample])]) -> Vec<Problem<'a>> {
    let mut all: Vec<Problem<'a>> = Vec::new();
    for (experiment, samples) in experiments {
        let mut settings: Vec<&str> = Vec::new();
        let before = all.len();
        for sample in *samples {
            let place = settings.iter().position(|known| *known == sample.problem);
            let place = place.unwrap_or_else(|| {
                settings.push(&sample.problem);
                let name = with_values(experiment, sample, |key| key.starts_with("problem."));
                all.push(Problem { name, arms: Vec::new() });
                settings.len() - 1
            });
            let name = with_values(&sample.operators, sample, |key| !key.starts_with("problem."));
            all[before + place].arms.push((name, sample));
        }
    }
    all
}

/// A name with the swept values of some keys: "pbo problem=one-max".
fn with_values(name: &str, sample: &Sample, wanted: impl Fn(&str) -> bool) -> String {
    let mut words = name.to_owned();
    for (key, value) in sample.swept.iter().filter(|(key, _)| wanted(key)) {
        let last = key.rsplit('.').next().unwrap_or_default();
        words.push_str(&format!(" {last}={}", swept_text(value)));
    }
    words
}

/// Arms ranked over problems.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranking {
    pub measure: Measure,
    /// Of the tests.
    pub level: f64,
    pub problems: Vec<String>,
    /// The least mean rank first.
    pub arms: Vec<RankedArm>,
    pub friedman: Friedman,
    /// The difference of mean ranks from which on Nemenyi's test tells two arms apart.
    pub critical_difference: f64,
    /// Every two arms, the one with the lesser mean rank first.
    pub pairs: Vec<RankedPair>,
}

/// An arm of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RankedArm {
    pub name: String,
    /// From 1, the best.
    pub mean_rank: f64,
    /// On each problem.
    pub values: Vec<f64>,
}

/// Two arms of a ranking, by their places in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RankedPair {
    pub first: usize,
    pub second: usize,
    /// Second mean rank minus first.
    pub difference: f64,
    /// p-value of Nemenyi's test, which allows for all pairs.
    pub nemenyi: f64,
    /// p-value of Wilcoxon's test of the differences over the problems, and adjusted for all pairs
    /// by Holm's method.
    pub wilcoxon: f64,
    pub wilcoxon_adjusted: f64,
}

/// An arm that cannot be ranked, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LeftOut {
    pub name: String,
    /// The first problem where it lacks trials.
    pub problem: String,
    /// It is there, but none of its trials counts.
    pub silent: bool,
}

/// Ranks the arms that all problems have; and says which ones some problem lacks. No ranking of
/// fewer than two arms or problems.
#[must_use]
pub(crate) fn rank(
    problems: &[Problem<'_>],
    measure: Measure,
    level: f64,
) -> (Option<Ranking>, Vec<LeftOut>) {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in problems.iter().flat_map(|problem| &problem.arms) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let (mut left_out, mut kept) = (Vec::new(), Vec::new());
    for name in names {
        let samples: Vec<Option<&Sample>> = problems.iter().map(|one| found(one, name)).collect();
        let lacks = |sample: &Option<&Sample>| sample.is_none_or(|sample| sample.trials() == 0);
        match samples.iter().position(lacks) {
            Some(place) => left_out.push(LeftOut {
                name: name.to_owned(),
                problem: problems[place].name.clone(),
                silent: samples[place].is_some(),
            }),
            None => {
                let values = samples.into_iter().flatten().map(|sample| measure.of(sample));
                kept.push((name.to_owned(), values.collect::<Vec<f64>>()));
            }
        }
    }
    let scaled = |problem: usize| {
        kept.iter().map(|(_, values)| measure.scaled(values[problem])).collect::<Vec<f64>>()
    };
    let table: Vec<Vec<f64>> = (0..problems.len()).map(scaled).collect();
    let Some(friedman) = friedman(&table) else { return (None, left_out) };
    let mut arms: Vec<RankedArm> = kept
        .into_iter()
        .zip(&friedman.mean_ranks)
        .map(|((name, values), rank)| RankedArm { name, mean_rank: *rank, values })
        .collect();
    arms.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    let ranking = Ranking {
        measure,
        level,
        problems: problems.iter().map(|problem| problem.name.clone()).collect(),
        critical_difference: critical_difference(arms.len(), problems.len(), level),
        pairs: pairs(&arms, measure),
        arms,
        friedman,
    };
    (Some(ranking), left_out)
}

fn found<'a>(problem: &Problem<'a>, name: &str) -> Option<&'a Sample> {
    problem.arms.iter().find(|(own, _)| own == name).map(|(_, sample)| *sample)
}

fn pairs(arms: &[RankedArm], measure: Measure) -> Vec<RankedPair> {
    let mut all = Vec::new();
    for first in 0..arms.len() {
        for second in first + 1..arms.len() {
            let (one, other) = (&arms[first], &arms[second]);
            let differences = one.values.iter().zip(&other.values).map(|(a, b)| {
                let (a, b) = (measure.scaled(*a), measure.scaled(*b));
                if a == b { 0.0 } else { a - b }
            });
            let difference = other.mean_rank - one.mean_rank;
            let problems = one.values.len();
            let p = wilcoxon(&differences.collect::<Vec<f64>>()).p;
            all.push(RankedPair {
                first,
                second,
                difference,
                nemenyi: nemenyi(difference, arms.len(), problems),
                wilcoxon: p,
                wilcoxon_adjusted: p,
            });
        }
    }
    let p: Vec<f64> = all.iter().map(|pair| pair.wilcoxon).collect();
    all.iter_mut().zip(holm(&p)).for_each(|(pair, p)| pair.wilcoxon_adjusted = p);
    all
}

impl Ranking {
    /// Whether any arm differs from another, by Friedman's test.
    #[must_use]
    pub(crate) fn differ(&self) -> bool {
        self.friedman.p <= self.level
    }

    /// Whether the two arms are told apart: by Nemenyi's test, if Friedman's finds any difference.
    #[must_use]
    pub(crate) fn told(&self, pair: &RankedPair) -> bool {
        self.differ() && pair.nemenyi <= self.level
    }

    /// The groups of arms of which no two are told apart, by their first and last place; none
    /// within another, and none of a single arm.
    #[must_use]
    pub(crate) fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for first in 0..self.arms.len() {
            let alike = |pair: &&RankedPair| pair.first == first && !self.told(pair);
            let last = self.pairs.iter().filter(alike).map(|pair| pair.second).max();
            let Some(last) = last else { continue };
            if groups.last().is_none_or(|(_, before)| last > *before) {
                groups.push((first, last));
            }
        }
        groups
    }
}

/// Problems below which a ranking can hardly show anything: with 4 problems and two arms, the least
/// p-value of Wilcoxon's test is 0.125.
pub(crate) const FEW: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::parameter::Value;

    fn arm(operators: &str, problem: &str, successes: u64) -> Sample {
        let length = |trial| if trial < successes { 10.0 } else { f64::INFINITY };
        Sample {
            operators: operators.to_owned(),
            problem: problem.to_owned(),
            swept: vec![("problem.n".to_owned(), Value::Text(problem.to_owned().into()))],
            run_lengths: (0..20).map(|trial| (trial, length(trial))).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn problems_are_experiments_and_swept_values_of_the_problem() {
        let first = [arm("ga", "8", 20), arm("climb", "8", 10), arm("ga", "9", 5)];
        let mut other = arm("ga", "x", 20);
        other.swept = vec![("operators.population".to_owned(), Value::Integer(50))];
        let second = [other];
        let found = problems(&[("queens", &first), ("plain", &second)]);
        let names: Vec<&str> = found.iter().map(|problem| problem.name.as_str()).collect();
        assert_eq!(names, ["queens n=8", "queens n=9", "plain"]);
        assert_eq!(found[2].arms[0].0, "ga population=50");
        // No arm is on all of them.
        let (ranking, left_out) = rank(&found, Measure::SuccessRate, 0.05);
        assert!(ranking.is_none() && left_out.len() == 3, "{left_out:?}");
    }

    #[test]
    fn groups_are_as_wide_as_they_can_be_and_hold_no_two_arms_told_apart() {
        // Eight problems on which four arms are always in one order.
        let arms: Vec<Vec<Sample>> = (0..8)
            .map(|problem| {
                let name = problem.to_string();
                let of = |(place, label): (u64, &str)| arm(label, &name, 20 - 5 * place);
                (0..).zip(["a", "b", "c", "d"]).map(of).collect()
            })
            .collect();
        let experiments: Vec<(&str, &[Sample])> = arms.iter().map(|all| ("e", &**all)).collect();
        let (ranking, left_out) = rank(&problems(&experiments), Measure::SuccessRate, 0.05);
        let ranking = ranking.expect("a ranking");
        assert!(left_out.is_empty() && ranking.differ());
        let ranks: Vec<f64> = ranking.arms.iter().map(|arm| arm.mean_rank).collect();
        assert_eq!(ranks, [1.0, 2.0, 3.0, 4.0]);
        // A critical difference of 1.66: neighbours are not told apart, others are.
        assert_eq!(ranking.groups(), [(0, 1), (1, 2), (2, 3)]);
        let never = rank(&problems(&experiments[..1]), Measure::Ert, 0.05).0;
        assert!(never.is_none(), "one problem is no ranking");
    }
}
