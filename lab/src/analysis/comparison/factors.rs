//! Factors: operator sets of a sweep, compared within each swept value and over all values.

use super::family::{ALL_PAIRS, Rule};
use super::pair::{Comparison, Place, one, settle};
use super::sample::Sample;
use super::strata;
use crate::plan::swept_text;
use crate::problem::parameter::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Comparisons within the values of swept keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors<'a> {
    /// Swept keys, in the order of the file.
    pub keys: Vec<String>,
    /// Every two of the arms that remain if the keys are left out, or each with the first. They are
    /// in the order of the file.
    pub questions: Vec<Question<'a>>,
    /// Whether every two arms are compared, instead of each with the first or a chosen one.
    pub every_two: bool,
}

impl<'a> Factors<'a> {
    /// Returns all pairs of arms.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a Sample, &'a Sample)> {
        let strata = self.questions.iter().flat_map(|question| &question.strata);
        strata.map(|(_, first, second)| (*first, *second))
    }

    /// Returns whether there are too many rows for a page.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.pairs().count() + self.questions.len() > ALL_PAIRS
    }

    /// Returns the rule of the family.
    #[must_use]
    pub fn rule(&self, only_over_all: bool) -> Rule {
        Rule::Within { keys: self.keys.clone(), every_two: self.every_two, only_over_all }
    }
}

/// Two arms that are compared at each value of the keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Question<'a> {
    /// Names: operator sets, with the values of other swept keys.
    pub names: [String; 2],
    /// Values with both arms, in the order of the file.
    pub strata: Vec<(Vec<String>, &'a Sample, &'a Sample)>,
    /// Whether an arm lacks a setting of some key, and is the same in several strata.
    pub repeated: bool,
}

/// Returns the name of an arm without the keys: its operator set, and its values of `others`.
fn name(sample: &Sample, others: &[&String]) -> String {
    let others = sample.swept.iter().filter(|(key, _)| others.contains(&key));
    let words = others.map(|(key, value)| format!(" {key}={}", swept_text(value)));
    std::iter::once(sample.operators.clone()).chain(words).collect()
}

/// Returns an arm's value of a swept key; `None` if its operator set was not swept over it.
fn swept_value<'a>(sample: &'a Sample, key: &str) -> Option<&'a Value> {
    sample.swept.iter().find(|(own, _)| own == key).map(|(_, value)| value)
}

/// Returns whether a key goes together with `keys`: at each of their values, an operator set has
/// one value of it, and not the same one everywhere.
fn follows(samples: &[Sample], keys: &[String], key: &str) -> bool {
    let mut found: BTreeMap<(&str, Vec<Option<String>>), Option<String>> = BTreeMap::new();
    let mut of_sets: BTreeMap<&str, BTreeSet<Option<String>>> = BTreeMap::new();
    for sample in samples {
        let set = sample.operators.as_str();
        let own = swept_value(sample, key).map(swept_text);
        of_sets.entry(set).or_default().insert(own.clone());
        let before = found.entry((set, values(sample, keys))).or_insert_with(|| own.clone());
        if *before != own {
            return false;
        }
    }
    of_sets.values().any(|values| values.len() > 1)
}

/// Returns the swept limits that follow from the problem: all arms of a results folder that differ
/// only in limits have one value on each problem, and some have another on another problem.
#[must_use]
pub fn limits_of_problems<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> BTreeSet<&'a str> {
    let samples: Vec<&Sample> = samples.into_iter().collect();
    let swept = samples.iter().flat_map(|sample| &sample.swept).map(|(key, _)| key.as_str());
    let limits: BTreeSet<&str> = swept.filter(|key| key.starts_with("stop.")).collect();
    let tells_arms = |key: &str| !key.starts_with("problem.") && !key.starts_with("stop.");
    let follows = |limit: &&str| {
        // Values of the limit, by arm and problem.
        let mut arms: BTreeMap<_, BTreeMap<&str, BTreeSet<Option<String>>>> = BTreeMap::new();
        for sample in &samples {
            let others = sample.swept.iter().filter(|(key, _)| tells_arms(key));
            let others: Vec<_> = others.map(|(key, value)| (key, swept_text(value))).collect();
            let arm = arms.entry((&sample.folder, &sample.operators, others)).or_default();
            let value = swept_value(sample, limit).map(swept_text);
            arm.entry(&sample.problem).or_default().insert(value);
        }
        let differs = |problems: &BTreeMap<_, BTreeSet<Option<String>>>| {
            problems.values().flatten().collect::<BTreeSet<_>>().len() > 1
        };
        arms.values().flat_map(BTreeMap::values).all(|values| values.len() == 1)
            && arms.values().any(differs)
    };
    limits.iter().copied().filter(follows).collect()
}

/// Returns the swept keys other than `keys`, and those that go together with them, in which arms
/// differ.
fn others<'a>(samples: &'a [Sample], keys: &[String]) -> Vec<&'a String> {
    let mut values: BTreeMap<&String, BTreeSet<Option<String>>> = BTreeMap::new();
    let swept = samples.iter().flat_map(|sample| &sample.swept);
    for key in swept.map(|(key, _)| key).filter(|key| !keys.contains(key)) {
        let of = |sample: &Sample| swept_value(sample, key).map(swept_text);
        values.entry(key).or_insert_with(|| samples.iter().map(of).collect());
    }
    let differing = values.into_iter().filter(|(_, values)| values.len() > 1).map(|(key, _)| key);
    differing.filter(|key| !follows(samples, keys, key)).collect()
}

/// Returns an arm's values of the keys: swept, or else from its settings. `None` if the arm has no
/// such setting, or if it is a baseline, whose operators nobody chose.
fn values(sample: &Sample, keys: &[String]) -> Vec<Option<String>> {
    let is_chosen = |key: &&String| !sample.baseline || !key.starts_with("operators.");
    let settled =
        |key: &String| Some(key).filter(is_chosen).and_then(|key| sample.settings.value(key));
    let value = |key: &String| swept_value(sample, key).or_else(|| settled(key));
    keys.iter().map(|key| value(key).map(swept_text)).collect()
}

/// Returns the swept keys for which operator sets are compared within values by default. Every arm
/// except baselines has a value of such a key. Empty if there is only one operator set.
#[must_use]
pub fn keys_of_all(samples: &[Sample]) -> Vec<String> {
    let searched = || samples.iter().filter(|sample| !sample.baseline);
    let sets: BTreeSet<&str> = searched().map(|sample| sample.operators.as_str()).collect();
    let Some(first) = searched().next().filter(|_| sets.len() > 1) else { return Vec::new() };
    let of_all = |key: &&String| searched().all(|sample| swept_value(sample, key).is_some());
    first.swept.iter().map(|(key, _)| key).filter(of_all).cloned().collect()
}

/// Returns the arms within the values of these keys. `against` is the arm that each is compared
/// with: its name without the keys, or its operator set's. `all` asks for every two, however many
/// there are.
#[must_use]
pub fn factors<'a>(
    samples: &'a [Sample],
    keys: &[String],
    against: Option<&str>,
    all: bool,
) -> Factors<'a> {
    let others = others(samples, keys);
    // Arms by name, then by value. Names and places are in the order of the file.
    let mut names: Vec<String> = Vec::new();
    let mut operators: Vec<&str> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut arms: Vec<Vec<Placed<'a>>> = Vec::new();
    let mut places = Places::default();
    for sample in samples {
        let values = values(sample, keys);
        if let Some(whole) = values.iter().cloned().collect::<Option<Vec<String>>>() {
            let next = places.numbers.len();
            places.numbers.entry(whole.clone()).or_insert_with(|| {
                places.all.push(whole);
                next
            });
        }
        let name = name(sample, &others);
        let number = *numbers.entry(name.clone()).or_insert_with(|| {
            names.push(name);
            operators.push(&sample.operators);
            arms.push(Vec::new());
            names.len() - 1
        });
        arms[number].push(Placed { values, sample });
    }
    let arms: Vec<Vec<(usize, &'a Sample)>> = arms.iter().map(|arms| places.of(arms)).collect();
    let questions = |pairs: &mut dyn Iterator<Item = (usize, usize)>| -> Vec<Question<'a>> {
        let question = |(first, second): (usize, usize)| {
            let both = [names[first].clone(), names[second].clone()];
            question(both, &places.all, &arms[first], &arms[second])
        };
        pairs.map(question).filter(|question| !question.strata.is_empty()).collect()
    };
    let own_keys = keys.to_vec();
    // With too many pairs of sets, their strata would be dropped, so they are not created.
    let sets = names.len();
    let few = sets.saturating_mul(sets.saturating_sub(1)) / 2 <= MOST_QUESTIONS;
    if against.is_none() && (few || all) {
        let every_two = (0..sets).flat_map(|one| (one + 1..sets).map(move |other| (one, other)));
        let questions = questions(&mut every_two.into_iter());
        let rows: usize = questions.iter().map(|question| question.strata.len()).sum();
        if rows <= ALL_PAIRS || all {
            return Factors { keys: own_keys, questions, every_two: true };
        }
    }
    let base = against.map_or((sets > 0).then_some(0), |against| {
        let whole = names.iter().position(|name| name == against);
        whole.or_else(|| operators.iter().position(|set| *set == against))
    });
    let mut with_base = (0..sets).filter_map(|one| Some((one, base?)));
    let mut with_base = with_base.by_ref().filter(|(one, base)| one != base);
    Factors { keys: own_keys, questions: questions(&mut with_base), every_two: sets <= 2 }
}

/// Maximum number of pairs of sets whose strata are counted. With more pairs there are more rows
/// than [`ALL_PAIRS`], unless most have no strata in common.
const MOST_QUESTIONS: usize = 10 * ALL_PAIRS;

/// An arm with its values of the keys.
struct Placed<'a> {
    values: Vec<Option<String>>,
    sample: &'a Sample,
}

/// Values of the keys, in the order of the file.
#[derive(Default)]
struct Places {
    all: Vec<Vec<String>>,
    numbers: BTreeMap<Vec<String>, usize>,
}

impl Places {
    /// Returns the arms of one name at each place, in the order of the places. An arm without a
    /// setting of some key is at all places that match its other values.
    fn of<'a>(&self, arms: &[Placed<'a>]) -> Vec<(usize, &'a Sample)> {
        let mut found: Vec<(usize, &'a Sample)> = Vec::new();
        for Placed { values, sample } in arms {
            match values.iter().cloned().collect::<Option<Vec<String>>>() {
                Some(whole) => {
                    found.extend(self.numbers.get(&whole).map(|place| (*place, *sample)))
                }
                None => {
                    let at = |place: &&Vec<String>| {
                        let own = values.iter().zip(*place);
                        own.into_iter()
                            .all(|(own, place)| own.as_ref().is_none_or(|own| own == place))
                    };
                    let places = self.all.iter().enumerate().filter(|(_, place)| at(place));
                    found.extend(places.map(|(place, _)| (place, *sample)));
                }
            }
        }
        found.sort_by_key(|(place, _)| *place);
        found
    }
}

/// Returns both arms in each stratum that has both, on the same problem. Arms are given with the
/// numbers of their places, ascending.
fn question<'a>(
    names: [String; 2],
    places: &[Vec<String>],
    first: &[(usize, &'a Sample)],
    second: &[(usize, &'a Sample)],
) -> Question<'a> {
    let mut strata = Vec::new();
    for (place, one) in first {
        let there = second.partition_point(|(other, _)| other < place);
        let there = second[there..].iter().take_while(|(other, _)| other == place);
        let other = there.into_iter().find(|(_, other)| other.problem == one.problem);
        strata.extend(other.map(|(_, other)| (places[*place].clone(), *one, *other)));
    }
    let arms = |second: bool| -> BTreeSet<&str> {
        let arm =
            |(_, one, other): &(_, &'a Sample, &'a Sample)| if second { *other } else { *one };
        strata.iter().map(|stratum| arm(stratum).label.as_str()).collect()
    };
    let repeated = arms(false).len() < strata.len() || arms(true).len() < strata.len();
    Question { names, strata, repeated }
}

/// Compares the arms of each question in every stratum, and over all strata if there are several.
/// All comparisons are one family (see [`super::compare`]), in the order of the file.
/// `only_over_all` leaves the strata out, so that the family has only the comparisons over all
/// values.
#[must_use]
pub fn compare_within(factors: &Factors<'_>, paired: bool, only_over_all: bool) -> Vec<Comparison> {
    let mut all = Vec::new();
    for question in &factors.questions {
        let at = |(values, first, second): &(Vec<String>, &Sample, &Sample)| {
            let place = Place::At(values.clone());
            let [first_name, second_name] = question.names.clone();
            let found = one(first, second, paired)?;
            Some(Comparison { first: first_name, second: second_name, place, ..found })
        };
        if !only_over_all || question.repeated {
            all.extend(question.strata.iter().filter_map(at));
        }
        let pairs: Vec<(&Sample, &Sample)> =
            question.strata.iter().map(|(_, first, second)| (*first, *second)).collect();
        if !question.repeated {
            let [first, second] = &question.names;
            all.extend(strata::over([first, second], &pairs, paired));
        }
    }
    settle(&mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::super::{Criterion, compare};
    use super::*;
    use crate::analysis::{DifferenceMethod, Verdict};
    use crate::stats::mcnemar;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    const KEY: &str = "problem.n";

    /// Returns an arm of an operator set at a value. `lengths` has the evaluations of each trial,
    /// or `None`.
    fn arm(set: &str, n: i64, lengths: Vec<Option<u64>>) -> Sample {
        let length = |length: Option<u64>| length.map_or(f64::INFINITY, |one| one as f64);
        Sample {
            label: format!("{set} {KEY}={n}"),
            operators: set.to_owned(),
            swept: vec![(KEY.to_owned(), Value::Integer(n))],
            problem: format!("n = {n}"),
            run_lengths: (0..).zip(lengths.into_iter().map(length)).collect(),
            ..Sample::default()
        }
    }

    fn often(successes: usize, trials: usize) -> Vec<Option<u64>> {
        (0..trials).map(|trial| (trial < successes).then_some(10)).collect()
    }

    fn within(samples: &[Sample], paired: bool) -> Vec<Comparison> {
        compare_within(&factors(samples, &[KEY.to_owned()], None, false), paired, false)
    }

    #[test]
    fn rows_have_the_order_of_the_file_and_the_last_is_over_all_values() {
        let sets = [("b", 70), ("a", 60), ("c", 30)];
        let samples: Vec<Sample> = sets
            .iter()
            .flat_map(|(set, successes)| [8, 4].map(|n| arm(set, n, often(*successes, 100))))
            .collect();
        let found = within(&samples, false);
        let places: Vec<String> = found
            .iter()
            .map(|one| match &one.place {
                Place::At(values) => format!("{} {} {}", one.first, one.second, values.join(" ")),
                place => format!("{} {} {place:?}", one.first, one.second),
            })
            .collect();
        let over = "Over { strata: 2 }";
        let expected = ["b a", "b c", "a c"]
            .iter()
            .flat_map(|pair| [format!("{pair} 8"), format!("{pair} 4"), format!("{pair} {over}")]);
        assert_eq!(places, expected.collect::<Vec<_>>());
        assert!(
            found.iter().filter(|one| one.second == "c").all(|one| one.verdict == Verdict::Better)
        );
        assert_eq!(keys_of_all(&samples), [KEY]);
        assert!(keys_of_all(&samples[..2]).is_empty());
        // Against one arm, and only over all values.
        let against = factors(&samples, &[KEY.to_owned()], Some("c"), false);
        assert!(!against.every_two && against.questions.len() == 2);
        let over = compare_within(&against, false, true);
        assert!(over.len() == 2 && over.iter().all(Comparison::is_over_strata));
        assert!(over.iter().all(|one| one.second == "c" && one.verdict == Verdict::Better));
    }

    #[test]
    fn a_set_is_named_in_full_though_another_begins_with_its_name() {
        let both = |set: &str, n: i64, rate: i64| {
            let mut arm = arm(set, n, often(50, 100));
            arm.swept.push(("operators.size".to_owned(), Value::Integer(rate)));
            arm
        };
        let arms =
            [4, 8].map(|n| [2, 3].map(|rate| [both("ga fast", n, rate), both("ga", n, rate)]));
        let arms: Vec<Sample> = arms.into_iter().flatten().flatten().collect();
        for against in ["ga", "ga fast"] {
            let found = factors(&arms, &[KEY.to_owned()], Some(against), false);
            let base = format!("{against} operators.size=2");
            assert_eq!(found.questions.len(), 3, "{against}");
            assert!(found.questions.iter().all(|one| one.names[1] == base), "{found:?}");
        }
    }

    /// A key that is swept together with the one asked for makes no other arm of each value.
    #[test]
    fn a_key_that_goes_together_with_another_is_taken_in() {
        const BUDGET: &str = "stop.evaluations";
        let both = |set: &str, n: i64, budget: i64| {
            let mut arm = arm(set, n, often(if set == "a" { 80 } else { 30 }, 100));
            arm.swept.push((BUDGET.to_owned(), Value::Integer(budget)));
            arm
        };
        let together = [8, 4, 2].map(|n| [both("a", n, 10 * n), both("b", n, 10 * n)]).concat();
        for against in [None, Some("b")] {
            let found = factors(&together, &[KEY.to_owned()], against, false);
            assert_eq!(found.questions.len(), 1, "{against:?}");
            assert_eq!(found.questions[0].names, ["a", "b"]);
            assert_eq!(found.questions[0].strata.len(), 3);
        }
        // Each value of the one with each of the other: other arms.
        let crossed: Vec<Sample> = [8, 4]
            .iter()
            .flat_map(|n| [10, 20].map(|budget| [both("a", *n, budget), both("b", *n, budget)]))
            .flatten()
            .collect();
        let found = factors(&crossed, &[KEY.to_owned()], None, false);
        assert!(found.questions.iter().all(|one| one.names[0].contains(BUDGET)), "{found:?}");
    }

    /// The pooled trials would show the opposite (Simpson's paradox).
    #[test]
    fn values_are_weighted_and_not_mixed() {
        let samples = [
            arm("a", 1, often(81, 90)),
            arm("a", 2, often(27, 270)),
            arm("b", 1, often(192, 270)),
            arm("b", 2, often(2, 90)),
        ];
        let over = within(&samples, false).remove(2);
        // Both strata have the weight 90 * 270 / 360.
        let expected = 0.5 * (0.9 - 192.0 / 270.0) + 0.5 * (0.1 - 2.0 / 90.0);
        assert!((over.difference - expected).abs() < 1e-12, "{over:?}");
        assert!((over.rates.0 - 0.5).abs() < 1e-12 && over.trials == (360, 360));
        assert_eq!((over.verdict, over.criterion), (Verdict::Better, Some(Criterion::SuccessRate)));
        assert!(over.difference_interval.low > 0.0);
        assert_eq!(over.interval_method(), "miettinen-nurminen");
        let mixed =
            compare(&[(&arm("a", 1, often(108, 360)), &arm("b", 1, often(194, 360)))], false);
        assert_eq!(mixed[0].verdict, Verdict::Worse);
    }

    #[test]
    fn pairs_are_tested_over_all_values() {
        let common = |sample: Sample| Sample { common: true, ..sample };
        let shifted = |successes: usize| -> Vec<Option<u64>> {
            (0..40).map(|trial| (trial >= 40 - successes).then_some(10)).collect()
        };
        let samples: Vec<Sample> = [8, 4]
            .into_iter()
            .flat_map(|n| [("a", shifted(30)), ("b", often(20, 40))].map(|(set, l)| arm(set, n, l)))
            .map(common)
            .collect();
        // At each of two values, b alone succeeds in 40 - 30 = 10 pairs, and a alone in 20.
        let over = within(&samples, true).remove(2);
        assert_eq!((over.method, over.trials), (DifferenceMethod::Paired, (80, 80)));
        let p = over.test(Criterion::SuccessRate).expect("a test").p;
        assert!((p - mcnemar(40, 20)).abs() < 1e-12, "{p}");
        // One problem: both values have the same starts, so the evidence counts only once.
        let one_problem = |sample: &Sample| Sample { problem: "n".to_owned(), ..sample.clone() };
        let same: Vec<Sample> = samples.iter().map(one_problem).collect();
        let over = within(&same, true).remove(2);
        let p = over.test(Criterion::SuccessRate).expect("a test").p;
        assert!((p - mcnemar(20, 10)).abs() < 1e-12, "{p}");
    }

    #[test]
    fn failures_leave_a_verdict_over_all_values_open() {
        let failed = |sample: Sample, numbers: std::ops::Range<u64>| Sample {
            failures: numbers.end - numbers.start,
            failed: numbers.collect(),
            ..sample
        };
        let of = |failures: u64| {
            let samples = [
                failed(arm("a", 1, often(40, 40)), 40..40 + failures),
                arm("a", 2, often(40, 40)),
                arm("b", 1, often(20, 40)),
                arm("b", 2, often(20, 40)),
            ];
            within(&samples, false).remove(2)
        };
        assert_eq!((of(3).verdict, of(3).failures), (Verdict::Better, (3, 0)));
        assert_eq!(of(150).verdict, Verdict::Open { failures: 150 });
        assert!(of(150).if_for == Verdict::Better && of(150).if_against != Verdict::Better);
    }

    #[test]
    fn an_arm_that_stands_at_every_value_is_not_counted_several_times() {
        let mut samples = vec![arm("a", 1, often(30, 40)), arm("a", 2, often(30, 40))];
        let mut base = arm("base", 0, often(5, 40));
        base.swept.clear();
        base.baseline = true;
        samples.push(base);
        samples.iter_mut().for_each(|sample| sample.problem.clear());
        let found = within(&samples, false);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|one| !one.is_over_strata() && one.verdict == Verdict::Better));
    }

    #[test]
    fn arms_that_succeed_alike_are_told_apart_by_evaluations_within_the_values() {
        // The second value takes ten times as many evaluations. Pooled, the difference would be
        // hidden.
        let lengths =
            |scale: u64, more: u64| (0..30).map(|k| Some(scale * (100 + k) + more)).collect();
        let samples = [
            arm("a", 1, lengths(1, 0)),
            arm("a", 2, lengths(10, 0)),
            arm("b", 1, lengths(1, 12)),
            arm("b", 2, lengths(10, 120)),
        ];
        let over = within(&samples, false).remove(2);
        assert_eq!((over.verdict, over.criterion), (Verdict::Better, Some(Criterion::Evaluations)));
        assert_eq!((over.effect_interval, over.speed), (None, None));
        let pairs = over.test(Criterion::Evaluations).expect("a test");
        assert!(pairs.lean > 0.0 && over.tests[0].is_none());
        let other = within(&[&samples[2..], &samples[..2]].concat(), false).remove(2);
        assert_eq!(other.verdict, Verdict::Worse);
    }

    /// Tables whose arms do not differ at any value may have a verdict in at most one of twenty
    /// cases. 300 tables would have more than 27 with a probability of 0.0013.
    #[test]
    fn verdicts_over_values_are_false_no_more_often_than_the_level() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for paired in [false, true] {
            let mut false_ones = 0;
            for _ in 0..300 {
                let samples: Vec<Sample> = ["a", "b"]
                    .into_iter()
                    .flat_map(|set| {
                        [(1, 0.95), (2, 0.5), (3, 0.05)].map(|(n, rate)| (set, n, rate))
                    })
                    .map(|(set, n, rate)| {
                        let mut draw = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                        let lengths =
                            (0..24).map(|_| (draw() < rate).then(|| 1 + (1000.0 * draw()) as u64));
                        let lengths = lengths.collect();
                        Sample { common: paired, ..arm(set, n, lengths) }
                    })
                    .collect();
                let told = within(&samples, paired);
                false_ones += usize::from(told.iter().any(|one| one.verdict != Verdict::Unclear));
            }
            assert!(false_ones <= 27, "{false_ones}, paired: {paired}");
        }
    }
}
