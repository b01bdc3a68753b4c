//! Answers: the best arm per problem, and the groups of arms without a detected difference.

use super::pair::Comparison;
use super::sample::{Sample, common_budget, horizon_of};
use std::collections::{BTreeMap, BTreeSet};

/// Arms of one problem, from the best to the worst.
pub struct Answer<'a> {
    /// Arms, the best first.
    pub arms: Vec<Placed<'a>>,
    /// Smallest budget, at which they are placed; `None` if no arm had more.
    pub budget: Option<u64>,
    /// Comparisons of these arms that tell two apart.
    pub apart: Vec<&'a Comparison>,
}

/// An arm with its place among the arms of its problem.
pub struct Placed<'a> {
    /// Trials of the arm.
    pub sample: &'a Sample,
    /// Letters of the arm's groups. Arms that share a letter have no detected difference.
    pub groups: String,
    /// Comparison with the best arm, in either order; `None` for the best.
    pub with_best: Option<&'a Comparison>,
}

impl<'a> Answer<'a> {
    /// Returns the number of evaluations per trial that count.
    #[must_use]
    pub fn horizon(&self) -> f64 {
        horizon_of(self.budget)
    }

    /// Returns the first arm. It is shown to be the best only if [`Self::has_best`].
    #[must_use]
    pub fn best(&self) -> &Placed<'a> {
        // An answer has at least two arms.
        &self.arms[0]
    }

    /// Returns whether the first arm is shown to beat another one, and none is shown to beat it.
    /// Arms with different budgets can beat each other in a circle: each pair is compared at the
    /// smaller of its two budgets.
    #[must_use]
    pub fn has_best(&self) -> bool {
        let first = &self.best().sample.label;
        let is_one = |place: usize| {
            self.apart.iter().filter_map(|one| one.ranked()).any(|arms| arms[place] == first)
        };
        is_one(0) && !is_one(1)
    }

    /// Returns the arms without a detected difference from the best.
    pub fn equals(&self) -> impl Iterator<Item = &Placed<'a>> {
        self.arms[1..]
            .iter()
            .filter(|arm| arm.with_best.is_none_or(|one| !one.verdict.tells_apart()))
    }
}

/// Returns an answer for each problem on which `compared` has every two searches. Baselines take no
/// part. The best arm is chosen among the arms that no other arm is shown to beat. It is the first
/// by success rate, then by median evaluations, then by median fitness, within the smallest budget.
/// Fitness counts only if it is known of all arms.
#[must_use]
pub fn answers<'a>(samples: &'a [Sample], compared: &'a [Comparison]) -> Vec<Answer<'a>> {
    let mut pairs: BTreeMap<[&str; 2], &Comparison> = BTreeMap::new();
    for one in compared {
        pairs.insert([&one.first, &one.second], one);
        pairs.insert([&one.second, &one.first], one);
    }
    let mut problems: Vec<(&str, Vec<&Sample>)> = Vec::new();
    for sample in samples.iter().filter(|sample| !sample.baseline && sample.trials() > 0) {
        match problems.iter_mut().find(|(problem, _)| *problem == sample.problem) {
            Some((_, arms)) => arms.push(sample),
            None => problems.push((&sample.problem, vec![sample])),
        }
    }
    let answer = |(_, arms): (&str, Vec<&'a Sample>)| of_problem(arms, &pairs);
    problems.into_iter().filter_map(answer).collect()
}

fn of_problem<'a>(
    mut arms: Vec<&'a Sample>,
    pairs: &BTreeMap<[&str; 2], &'a Comparison>,
) -> Option<Answer<'a>> {
    let pair = |one: &Sample, other: &Sample| pairs.get(&[&*one.label, &*other.label]).copied();
    let complete =
        (0..arms.len()).all(|one| (0..one).all(|other| pair(arms[one], arms[other]).is_some()));
    if arms.len() < 2 || !complete {
        return None;
    }
    let budget = common_budget(arms.iter().copied());
    let horizon = horizon_of(budget);
    let mut apart: Vec<&Comparison> = Vec::new();
    for (place, one) in arms.iter().enumerate() {
        let with_others = arms[..place].iter().filter_map(|other| pair(other, one));
        apart.extend(with_others.filter(|one| one.verdict.tells_apart()));
    }
    let losers: BTreeSet<&str> =
        apart.iter().filter_map(|one| one.ranked()).map(|[_, worse]| worse).collect();
    let by_fitness = arms.iter().all(|arm| arm.median_fitness_within(horizon).is_some());
    arms.sort_by_cached_key(|arm| {
        let [rate, length, fitness] = arm.standing(horizon);
        let standing = [rate, length, if by_fitness { fitness } else { 0.0 }];
        let standing = standing.map(|value| std::cmp::Reverse(Total(value)));
        (losers.contains(&*arm.label), standing)
    });
    let budget = budget.filter(|_| arms.iter().any(|arm| arm.had_more(horizon)));
    let places: Vec<[usize; 2]> = (0..arms.len())
        .flat_map(|one| (0..one).map(move |other| [other, one]))
        .filter(|[one, other]| {
            pair(arms[*one], arms[*other]).is_some_and(|one| one.verdict.tells_apart())
        })
        .collect();
    let groups = letters(arms.len(), &places);
    let best = arms[0];
    let placed = arms.iter().zip(groups).map(|(arm, groups)| Placed {
        sample: arm,
        groups,
        with_best: pair(best, arm).filter(|_| arm.label != best.label),
    });
    Some(Answer { arms: placed.collect(), budget, apart })
}

/// A number with a total order.
#[derive(PartialEq)]
struct Total(f64);

impl Eq for Total {}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Total {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Returns the letters of each of `arms` arms, such that two arms share a letter exactly if they
/// are not in `apart`. This is the compact letter display of H.-P. Piepho (2004), "An algorithm for
/// a letter-based representation of all-pairwise comparisons", Journal of Computational and
/// Graphical Statistics 13(2), 456–466, <https://doi.org/10.1198/1061860043515>.
fn letters(arms: usize, apart: &[[usize; 2]]) -> Vec<String> {
    let mut groups: Vec<BTreeSet<usize>> = vec![(0..arms).collect()];
    for [one, other] in apart {
        let (split, mut kept): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(one) && group.contains(other));
        for group in split {
            for gone in [one, other] {
                let mut part = group.clone();
                part.remove(gone);
                // A group within another one adds nothing.
                if !kept.iter().any(|other| part.is_subset(other)) {
                    kept.retain(|other| !other.is_subset(&part));
                    kept.push(part);
                }
            }
        }
        groups = kept;
    }
    groups.sort();
    let of = |arm: usize| {
        let own = groups.iter().enumerate().filter(|(_, group)| group.contains(&arm));
        own.map(|(place, _)| letter(place)).collect()
    };
    (0..arms).map(of).collect()
}

/// Returns the name of a group: a to z, then with a number.
fn letter(place: usize) -> String {
    let letter = char::from(b'a' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_arms_share_a_letter_exactly_if_they_are_not_told_apart() {
        assert_eq!(letters(3, &[]), ["a", "a", "a"]);
        assert_eq!(letters(3, &[[0, 2]]), ["a", "ab", "b"]);
        assert_eq!(letters(3, &[[0, 1], [0, 2], [1, 2]]), ["a", "b", "c"]);
        // All relations of five arms.
        let pairs: Vec<[usize; 2]> =
            (0..5).flat_map(|other| (0..other).map(move |one| [one, other])).collect();
        for which in 0..1 << pairs.len() {
            let apart: Vec<[usize; 2]> = (0..pairs.len())
                .filter(|place| which >> place & 1 == 1)
                .map(|place| pairs[place])
                .collect();
            let found = letters(5, &apart);
            for pair in &pairs {
                let shared = found[pair[0]].chars().any(|one| found[pair[1]].contains(one));
                assert_eq!(shared, !apart.contains(pair), "{apart:?}: {found:?}");
            }
        }
    }
}
