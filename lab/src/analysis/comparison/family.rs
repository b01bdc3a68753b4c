//! Families: the pairs of arms that are compared together. The rule is the same in the terminal and
//! in the report, and does not depend on outcomes.

use super::sample::{Sample, common_budget, horizon_of};
use std::collections::BTreeMap;

/// Maximum number of pairs for which every two arms of one problem are compared.
pub const ALL_PAIRS: usize = 60;
/// Maximum number of pairs that are compared at once.
pub const MOST_PAIRS: usize = 20_000;

/// Pairs that are compared together.
pub struct Family<'a> {
    /// Pairs of arms to compare.
    pub pairs: Vec<(&'a Sample, &'a Sample)>,
    /// Rule that chose the pairs.
    pub rule: Rule,
}

/// Rule that makes a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Every two arms of one problem.
    EveryTwo,
    /// Each arm with the first of its problem in the file.
    First,
    /// Each arm with this one.
    Against(String),
    /// Each arm with itself in another run.
    Runs,
    /// Arms within the values of these swept keys, and over all values; with `only_over_all`, only
    /// the latter. Every two are compared, or each with the first or a chosen one.
    Within {
        /// Swept keys whose values are held equal.
        keys: Vec<String>,
        /// Whether every two arms are compared.
        every_two: bool,
        /// Whether only the comparison over all values is made.
        only_over_all: bool,
    },
}

/// Returns the pairs to compare. These are every two arms of one problem, if there are at most
/// [`ALL_PAIRS`] pairs or `all` is set. The better arm is first: by success rate, then evaluations,
/// then fitness. Otherwise each arm is compared with the first one of its problem in the file. A
/// baseline is compared with the arms that it serves, and with arms without a baseline.
#[must_use]
pub fn family(samples: &[Sample], all: bool) -> Family<'_> {
    let mut problems: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    samples.iter().for_each(|sample| problems.entry(&sample.problem).or_default().push(sample));
    let every: usize = problems.values().map(|arms| number_of_pairs(arms)).sum();
    let baselines = samples.iter().filter(|sample| sample.baseline);
    let baselines: BTreeMap<&str, &Sample> =
        baselines.map(|sample| (sample.label.as_str(), sample)).collect();
    let with_baseline = |sample: &'_ Sample| {
        let baseline = baselines.get(sample.own_baseline.as_deref()?)?;
        sample.has_baseline(baseline).then_some(*baseline)
    };
    let of_baselines = samples.iter().filter_map(|sample| Some((sample, with_baseline(sample)?)));
    if every > ALL_PAIRS && !all {
        let searches = samples.iter().filter(|sample| !sample.baseline);
        let first = |sample: &Sample| {
            problems[sample.problem.as_str()].iter().copied().find(|arm| !arm.baseline)
        };
        let pairs = searches.filter_map(|sample| Some((sample, first(sample)?)));
        let pairs = pairs.filter(|(sample, first)| !std::ptr::eq(*sample, *first));
        return Family { pairs: pairs.chain(of_baselines).collect(), rule: Rule::First };
    }
    let mut pairs = Vec::with_capacity(every);
    // By place and budget.
    let mut known: BTreeMap<(usize, Option<u64>), [f64; 3]> = BTreeMap::new();
    let mut standing = |place: usize, budget: Option<u64>| {
        let stands = || samples[place].standing(horizon_of(budget));
        *known.entry((place, budget)).or_insert_with(stands)
    };
    for (place, one) in samples.iter().enumerate() {
        let others = samples.iter().enumerate().skip(place + 1);
        for (other_place, other) in others.filter(|(_, other)| other.problem == one.problem) {
            if are_rivals(one, other) {
                let budget = common_budget([one, other].into_iter());
                let is_better = standing(other_place, budget) > standing(place, budget);
                pairs.push(if is_better { (other, one) } else { (one, other) });
            }
        }
    }
    pairs.extend(of_baselines);
    Family { pairs, rule: Rule::EveryTwo }
}

/// Returns whether two arms of a problem are compared although neither is the other's baseline. A
/// baseline is not compared with another baseline, or with an arm that has its own baseline.
fn are_rivals(one: &Sample, other: &Sample) -> bool {
    let has_own = |arm: &Sample| arm.baseline || arm.own_baseline.is_some();
    !(one.baseline && has_own(other) || other.baseline && has_own(one))
}

/// Returns the number of pairs of rivals among the arms of a problem.
fn number_of_pairs(arms: &[&Sample]) -> usize {
    let number = |of: &dyn Fn(&Sample) -> bool| arms.iter().filter(|arm| of(arm)).count();
    let searches = number(&|arm| !arm.baseline);
    let without = number(&|arm| !arm.baseline && arm.own_baseline.is_none());
    searches * searches.saturating_sub(1) / 2 + without * (arms.len() - searches)
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
        // The first arm never succeeds; the best would be another.
        assert!(family_of_many.pairs.iter().all(|(_, reference)| reference.label.ends_with(" 0")));
        assert_eq!(family(&many, true).pairs.len(), 67);
        assert!(family(&many[..1], false).pairs.is_empty());
        // With a baseline, each arm is compared with it, and it with no other.
        let mut measured = few;
        measured[7].baseline = true;
        let label = measured[7].label.clone();
        measured[..7].iter_mut().for_each(|arm| arm.own_baseline = Some(label.clone()));
        let family_of_measured = family(&measured, false);
        assert_eq!(family_of_measured.pairs.len(), 21 + 28 + 7);
        let with = |one: &&(&Sample, &Sample)| one.1.label == label;
        assert_eq!(family_of_measured.pairs.iter().filter(with).count(), 7);
        assert!(family_of_measured.pairs.iter().all(|(one, _)| one.label != label));
    }
}
