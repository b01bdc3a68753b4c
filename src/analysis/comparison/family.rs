//! Families: which pairs of arms are compared together. The rule is the same in the terminal and in
//! the report, and looks at no outcome.

use super::Sample;
use std::collections::BTreeMap;

/// Pairs up to which every two arms of one problem are compared.
pub(crate) const ALL_PAIRS: usize = 60;

/// Pairs that are compared together.
pub(crate) struct Family<'a> {
    pub pairs: Vec<(&'a Sample, &'a Sample)>,
    pub rule: Rule,
}

/// What makes a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Every two arms of one problem.
    EveryTwo,
    /// Each arm with the first of its problem in the file.
    First,
    /// Each arm with this one.
    Against(String),
    /// Each arm with itself in another run.
    Runs,
    /// Arms within the values of these swept keys, and over all values; with `only_over_all` there
    /// alone. Every two, or each with the first or one that is asked for.
    Within { keys: Vec<String>, every_two: bool, only_over_all: bool },
}

/// Every two arms of one problem if these are at most [`ALL_PAIRS`] or `all` is asked for, the one
/// with the higher rate first (of equal rates, the faster one, or the one that got further);
/// otherwise each arm with the first one of its problem in the file.
#[must_use]
pub(crate) fn family(samples: &[Sample], all: bool) -> Family<'_> {
    let mut problems: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    samples.iter().for_each(|sample| problems.entry(&sample.problem).or_default().push(sample));
    let every: usize = problems.values().map(|arms| arms.len() * (arms.len() - 1) / 2).sum();
    if every > ALL_PAIRS && !all {
        let with_first =
            |sample: &'_ Sample| !std::ptr::eq(problems[sample.problem.as_str()][0], sample);
        let pairs = samples.iter().filter(|sample| with_first(sample));
        return Family {
            pairs: pairs.map(|sample| (sample, problems[sample.problem.as_str()][0])).collect(),
            rule: Rule::First,
        };
    }
    let standing: Vec<([f64; 3], &Sample)> =
        samples.iter().map(|sample| (sample.standing(), sample)).collect();
    let mut pairs = Vec::with_capacity(every);
    for (place, (own, one)) in standing.iter().enumerate() {
        for (others, other) in
            standing[place + 1..].iter().filter(|(_, other)| other.problem == one.problem)
        {
            pairs.push(if others > own { (*other, *one) } else { (*one, *other) });
        }
    }
    Family { pairs, rule: Rule::EveryTwo }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(problems: &[(&str, usize)]) -> Vec<Sample> {
        let arm = |problem: &str, number: usize| Sample {
            label: format!("{problem} {number}"),
            problem: problem.to_owned(),
            run_lengths: [(0, if number % 2 == 1 { 5.0 } else { f64::INFINITY })]
                .into_iter()
                .collect(),
            ..Sample::default()
        };
        problems
            .iter()
            .flat_map(|(problem, arms)| (0..*arms).map(move |number| arm(problem, number)))
            .collect()
    }

    #[test]
    fn many_arms_are_compared_with_the_first_and_never_with_the_best() {
        let few = arms(&[("a", 8), ("b", 8)]);
        let family_of_few = family(&few, false);
        assert_eq!((family_of_few.pairs.len(), family_of_few.rule), (56, Rule::EveryTwo));
        assert!(
            family_of_few
                .pairs
                .iter()
                .all(|(one, other)| one.problem == other.problem && one.rate() >= other.rate())
        );
        let many = arms(&[("a", 12), ("b", 2)]);
        let family_of_many = family(&many, false);
        assert_eq!((family_of_many.pairs.len(), family_of_many.rule), (12, Rule::First));
        // The first never succeeds; the best would be another.
        assert!(family_of_many.pairs.iter().all(|(_, reference)| reference.label.ends_with(" 0")));
        assert_eq!(family(&many, true).pairs.len(), 67);
        assert!(family(&many[..1], false).pairs.is_empty());
    }
}
