//! Answers as text and as a report: the best arm, and the arms without a detected difference from
//! it.

use super::arms::{ArmName, arm_columns, short_key};
use super::comparison::{contrary, criterion_words, verdict};
use super::format::{ends, p_of, percent, rate, real, real_beside, round_up, within_words};
use super::report::{NOTHING, Report, Rows};
use crate::analysis::comparison::{
    Answer, Comparison, Criterion, MOST_PAIRS, Place, Placed, Sample,
};
use crate::analysis::{CONFIDENCE, Verdict};
use crate::lists::distinct;
use crate::plan::swept_text;
use crate::problem::parameter::Value;
use crate::stats::wilson;
use crate::system::output::visible_line;
use crate::words::{count, counted, first_listed, listed};
use serde_json::json;

/// Maximum numbers of problems with a separate sentence, and of arms named in one.
const PROBLEMS: usize = 5;
const NAMED: usize = 3;

/// Returns the answer of an experiment, one sentence per problem. If arms were not all compared
/// with each other, counts those that are better and worse.
pub fn answer_lines(found: &[Answer<'_>], compared: &[Comparison]) -> Vec<String> {
    if found.is_empty() {
        return match compared {
            [] => Vec::new(),
            [one] => vec![pair_words(one)],
            several => over_all(several).unwrap_or_else(|| tallies(several)),
        };
    }
    let winner = &found[0].best().sample.operators;
    let alone = |answer: &Answer<'_>| {
        let is_alone = answer.has_best() && answer.equals().next().is_none();
        is_alone && answer.best().sample.operators == *winner
    };
    if found.len() > 1 && found.iter().all(alone) {
        let problems = count(found.len() as u64);
        return vec![format!("Best on all {problems} problems: {}.", visible_line(winner))];
    }
    let of_problem = |answer: &Answer<'_>| match problem_words(answer).filter(|_| found.len() > 1) {
        Some(problem) => format!("{}: {}", visible_line(&problem), sentence(answer, true)),
        None => sentence(answer, false),
    };
    let mut lines: Vec<String> = found.iter().take(PROBLEMS).map(of_problem).collect();
    if found.len() > PROBLEMS {
        let more = counted((found.len() - PROBLEMS) as u64, "more problem");
        lines.push(format!("And {more}: the table has a row for each."));
    }
    let raced = found.iter().flat_map(|answer| &answer.arms).any(|arm| arm.sample.has_raced());
    lines.extend(raced.then(|| RACED.to_owned()));
    lines
}

/// Sentence about arms that raced, because their race may tell apart what comparisons do not.
const RACED: &str = "The race of these arms has its own verdict, in the column `race` of the \
    summary: its test allows for the looks at the race. The tests between arms here are others.";

/// Returns the swept values that all arms of a problem share, if their operator sets differ: "n=8".
fn problem_words(answer: &Answer<'_>) -> Option<String> {
    let swept = &answer.best().sample.swept;
    let is_shared = answer.arms.iter().all(|arm| arm.sample.swept == *swept);
    let keys: Vec<String> = swept.iter().map(|(key, _)| key.clone()).collect();
    let value = |(key, value): &(String, Value)| {
        format!("{}={}", short_key(key, &keys).replace('\n', "."), swept_text(value))
    };
    let words = swept.iter().map(value).collect::<Vec<_>>().join(", ");
    Some(words).filter(|words| is_shared && !words.is_empty())
}

/// Returns the answers over all values of the keys within which arms were compared; `None` without
/// them.
fn over_all(compared: &[Comparison]) -> Option<Vec<String>> {
    let over = || compared.iter().filter(|one| one.is_over_strata());
    let one = |one: &Comparison| {
        let opposite = opposites(one, compared);
        let at = match opposite.is_empty() {
            true => String::new(),
            false => format!(" At {} it is the opposite.", first_listed(opposite, NAMED)),
        };
        format!("Over all values: {}{at}", pair_words(one))
    };
    // Pairs of the best arm first, then others that are told apart.
    let mut pairs: Vec<&Comparison> = over().collect();
    let best = best_over_all(&pairs);
    let is_of_best =
        |one: &Comparison| best.is_some_and(|best| [&one.first, &one.second].contains(&best));
    pairs.sort_by_key(|one| (!one.verdict.tells_apart(), !is_of_best(one)));
    let best = best.map(|best| format!("Best over all values: {}.", visible_line(best)));
    let mut lines: Vec<String> = best.into_iter().collect();
    lines.extend(pairs.into_iter().take(PROBLEMS).map(one));
    if over().count() > PROBLEMS {
        lines.push(format!("And {} more.", count((over().count() - PROBLEMS) as u64)));
    }
    Some(lines).filter(|lines| !lines.is_empty())
}

/// Returns the arm that is better than every other one over all values of swept keys; `None` if
/// there is no such arm, or not every two arms were compared.
fn best_over_all<'a>(pairs: &[&'a Comparison]) -> Option<&'a String> {
    let arms = distinct(pairs.iter().flat_map(|one| [&one.first, &one.second]));
    let wins = |arm: &String| {
        pairs.iter().filter(|one| one.ranked().is_some_and(|[better, _]| better == arm)).count()
    };
    arms.iter().copied().find(|arm| arms.len() > 2 && wins(arm) == arms.len() - 1)
}

/// Returns the values at which the verdict on two arms is the opposite of that over all values.
fn opposites(over: &Comparison, compared: &[Comparison]) -> Vec<String> {
    let is_opposite = |one: &&Comparison| {
        let verdicts = [one.verdict, over.verdict];
        (&one.first, &one.second) == (&over.first, &over.second)
            && (verdicts == [Verdict::Better, Verdict::Worse]
                || verdicts == [Verdict::Worse, Verdict::Better])
    };
    let values = |one: &Comparison| match &one.place {
        Place::At(values) => Some(visible_line(&values.join(", ")).into_owned()),
        Place::Whole | Place::Over { .. } => None,
    };
    compared.iter().filter(is_opposite).filter_map(values).collect()
}

/// Names the arms with the highest success rate; empty if the arms have no success.
fn highest(compared: &[&Comparison]) -> String {
    let rates = compared.iter().filter(|one| one.defines_success && one.place == Place::Whole);
    let rates = rates.flat_map(|one| [(&one.first, one.rates.0), (&one.second, one.rates.1)]);
    let rates: Vec<(&String, f64)> = rates.collect();
    let most = rates.iter().map(|one| one.1).fold(0.0, f64::max);
    let arms = distinct(rates.iter().filter(|one| one.1 == most).map(|one| one.0));
    if most == 0.0 {
        return String::new();
    }
    let arms = arms.into_iter().map(|arm| visible_line(arm).into_owned());
    // In two runs, each arm is compared with itself; otherwise several are compared with one.
    let of_one = compared.len() == 1
        || distinct(compared.iter().map(|one| &one.second)).len() < compared.len();
    let advice = match compared.len() * (compared.len() + 1) / 2 {
        0..=MOST_PAIRS if of_one => "; `runner compare --all-pairs` tests every two arms",
        _ => "",
    };
    format!(" The highest success rate, {}: {}{advice}.", rate(most), first_listed(arms, NAMED))
}

/// Counts the arms that are better and worse than those they were compared with.
fn tallies(compared: &[Comparison]) -> Vec<String> {
    let family = |baselines: bool| {
        let own: Vec<&Comparison> =
            compared.iter().filter(|one| one.against_baseline == baselines).collect();
        let first = own.first()?;
        let same = own.iter().all(|one| one.second == first.second);
        let other = match (same, baselines) {
            (true, _) => visible_line(&first.second).into_owned(),
            (false, true) => "their baselines".to_owned(),
            (false, false) => "the arms that they were compared with".to_owned(),
        };
        let with = |verdict| {
            let arms = own.iter().filter(move |one| one.verdict == verdict);
            arms.map(|one| visible_line(&one.first).into_owned()).collect::<Vec<_>>()
        };
        let (better, worse) = (with(Verdict::Better), with(Verdict::Worse));
        let open = own.len() - better.len() - worse.len();
        let told = tally(own.len(), [better, worse], open, &other);
        Some(format!("{told}{}", if baselines { String::new() } else { highest(&own) }))
    };
    [false, true].into_iter().filter_map(family).collect()
}

/// Returns a sentence such as "Of 3 arms, 1 is better than random (a), 1 is worse (b) and 1 is
/// not told apart.", with the names of the arms that are better and worse than `other`; `open`
/// others are not told apart from it.
fn tally(all: usize, [better, worse]: [Vec<String>; 2], open: usize, other: &str) -> String {
    let number = |arms: usize| count(arms as u64);
    let whole = |word: &str| match all {
        1 => format!("The arm is {word} {other}."),
        2 => format!("Both arms are {word} {other}."),
        _ => format!("All {} arms are {word} {other}.", number(all)),
    };
    if better.len() == all {
        return whole("better than");
    }
    if worse.len() == all {
        return whole("worse than");
    }
    if open == all {
        return match all {
            1 => format!("The arm is not told apart from {other}."),
            2 => format!("Neither arm is told apart from {other}."),
            _ => format!("None of {} arms is told apart from {other}.", number(all)),
        };
    }
    let are = |arms: usize, words: &str| {
        format!("{} {} {words}", number(arms), if arms == 1 { "is" } else { "are" })
    };
    let named = |arms: &[String]| format!("({})", first_listed(arms, NAMED));
    let worse_than = if better.is_empty() { format!(" than {other}") } else { String::new() };
    let parts = [
        (better.len(), format!("better than {other} {}", named(&better))),
        (worse.len(), format!("worse{worse_than} {}", named(&worse))),
        (open, "not told apart".to_owned()),
    ];
    let parts = parts.into_iter().filter(|(arms, _)| *arms > 0);
    let parts: Vec<String> = parts.map(|(arms, words)| are(arms, &words)).collect();
    format!("Of {} arms, {}.", number(all), listed(&parts, "and"))
}

/// Returns the answer of one problem. If `short`, arms are named by their operator sets.
fn sentence(answer: &Answer<'_>, short: bool) -> String {
    if let [best, other] = answer.arms.as_slice()
        && let Some(one) = other.with_best
    {
        return two_arms(best, other, one, short);
    }
    let best = answer.best();
    let equals: Vec<&Placed<'_>> = answer.equals().collect();
    if answer.apart.is_empty() {
        let all = named(answer.arms.iter(), answer, short);
        return format!("No arm is shown to be the best: {all} are not told apart.");
    }
    if !answer.has_best() {
        return format!("No arm is shown to be the best: {}.", shown_of(answer, short));
    }
    let best = with_figures_within(best, answer, short);
    match equals.len() {
        0 => format!("Best: {best}."),
        _ => format!("Best: {best}; not told apart: {}.", named(equals.into_iter(), answer, short)),
    }
}

/// Returns the pairs of arms that are told apart: "b is better than c".
fn shown_of(answer: &Answer<'_>, short: bool) -> String {
    let named = |label: &str| {
        let arm = answer.arms.iter().find(|arm| arm.sample.label == label);
        arm.map_or_else(|| visible_line(label).into_owned(), |arm| name(arm.sample, short))
    };
    let words =
        |[better, worse]: [&str; 2]| format!("{} is better than {}", named(better), named(worse));
    first_listed(answer.apart.iter().filter_map(|one| one.ranked()).map(words), NAMED)
}

/// Names arms with their figures. If there are many, the rest is counted.
fn named<'a, 'b: 'a>(
    arms: impl Iterator<Item = &'a Placed<'b>>,
    answer: &Answer<'_>,
    short: bool,
) -> String {
    first_listed(arms.map(|arm| with_figures_within(arm, answer, short)), NAMED)
}

/// Returns a text such as "climbs (0.999, ERT 1,597)". An arm that was compared with the best at
/// the smaller of two budgets has the rates within that budget. The best has its figures within the
/// smallest budget.
fn with_figures_within(arm: &Placed<'_>, answer: &Answer<'_>, short: bool) -> String {
    if let Some(one) = arm.with_best.filter(|one| one.budget.is_some()) {
        let rates = compared_rates(one, arm.sample);
        let within = within_words(one.budget_of_rates());
        return format!("{} ({rates}{within})", name(arm.sample, short));
    }
    let figures = figures(arm.sample, answer.horizon(), &[]);
    format!("{} ({figures}{})", name(arm.sample, short), within_words(answer.budget))
}

/// Returns the rates that were compared, this arm's first: "0.300 against 0.100".
fn compared_rates(one: &Comparison, arm: &Sample) -> String {
    let (first, second) = one.rates;
    let (own, other) = if one.first == arm.label { (first, second) } else { (second, first) };
    format!("{} against {}", rate(own), rate(other))
}

/// Returns texts such as "climbs (0.999, ERT 1,597)" of two arms.
fn with_figures(arms: [&Sample; 2], short: bool) -> [String; 2] {
    let [first, second] = arms.map(Sample::median_fitness);
    let both = [(arms[0], second), (arms[1], first)];
    both.map(|(sample, other)| {
        let figures = figures(sample, f64::INFINITY, other.as_slice());
        format!("{} ({figures})", name(sample, short))
    })
}

fn name(sample: &Sample, short: bool) -> String {
    visible_line(if short { &sample.operators } else { &sample.label }).into_owned()
}

/// Returns the figures of an arm. Its fitness has enough decimals to differ from `others`.
fn figures(sample: &Sample, horizon: f64, others: &[f64]) -> String {
    let success_rate = rate(sample.rate_within(horizon));
    match (sample.defines_success(), sample.ert_within(horizon)) {
        (true, Some(ert)) => format!("{success_rate}, ERT {}", real(ert)),
        (true, None) if sample.median_fitness_within(horizon).is_none() => success_rate,
        (true, None) => {
            format!("{success_rate}, median fitness {}", median_fitness(sample, horizon, others))
        }
        (false, _) => format!("median fitness {}", median_fitness(sample, horizon, others)),
    }
}

fn median_fitness(sample: &Sample, horizon: f64, others: &[f64]) -> String {
    let median = sample.median_fitness_within(horizon);
    median.map_or(NOTHING.to_owned(), |median| real_beside(median, others))
}

/// Returns the answer of a problem with two arms.
fn two_arms(best: &Placed<'_>, other: &Placed<'_>, one: &Comparison, short: bool) -> String {
    let [first, second] = [best, other].map(|arm| name(arm.sample, short));
    let p = p_of(one);
    let by_rates = matches!(one.criterion, None | Some(Criterion::SuccessRate));
    if let Some(budget) = if by_rates { one.budget_of_rates() } else { one.budget } {
        // The figures of the arms are for other budgets.
        let within = format!("Within {}", counted(budget, "evaluation"));
        let rates = compared_rates(one, best.sample);
        return match one.criterion {
            Some(_) => format!("{within} {first} is better than {second}: {rates}, p {p}."),
            None => format!("{within} {first} and {second} are not told apart: {rates}."),
        };
    }
    let words = match one.criterion {
        Some(Criterion::SuccessRate) => compared_rates(one, best.sample),
        Some(criterion) => {
            let [first, second] = with_figures([best.sample, other.sample], short);
            let words = criteria_of(best, one, criterion, true);
            return format!("{first} is better than {second}: {words}, p {p}.");
        }
        None => {
            let [first, second] = with_figures([best.sample, other.sample], short);
            return format!("{first} and {second} are not told apart{}.", needed(one));
        }
    };
    format!("{first} is better than {second}: {words}, p {p}.")
}

/// Returns the answer of a single comparison, such as that of one arm in two runs.
fn pair_words(one: &Comparison) -> String {
    let rates = match one.defines_success {
        true => format!(" ({} against {})", rate(one.rates.0), rate(one.rates.1)),
        false => String::new(),
    };
    let (first, second) = (visible_line(&one.first), visible_line(&one.second));
    let words = verdict(one);
    format!("`{first}` against `{second}`{rates}: {words}, p {}.", p_of(one))
}

fn needed(one: &Comparison) -> String {
    one.needed.map_or_else(String::new, |more| {
        format!("; about {} more trials per arm would tell", count(round_up(more as f64)))
    })
}

/// Returns the text of a criterion, for the best arm or for the other one.
fn criteria_of(best: &Placed<'_>, one: &Comparison, criterion: Criterion, of_best: bool) -> String {
    let as_is = (one.first == best.sample.label) == of_best;
    let better = (one.verdict == Verdict::Better) == as_is;
    let speed = one.speed.map(|speed| speed.value);
    let speed = if as_is { speed } else { speed.map(f64::recip) };
    let shift = one.fitness_shift().map(|shift| shift.value);
    let shift = if as_is { shift } else { shift.map(|shift| -shift) };
    let ratio = if as_is { one.ert_ratio } else { one.ert_ratio.map(f64::recip) };
    criterion_words(criterion, better, speed, shift) + contrary(criterion, better, ratio)
}

/// Returns the arms of each problem as a report, from the best to the worst. Figures are those
/// within the smallest budget of a problem's arms.
pub fn answer_report(answers: &[Answer<'_>]) -> Report {
    // Each arm with the first one of its problem, and whether that is shown to be the best.
    let with_best: Vec<(&Placed<'_>, &Placed<'_>, bool)> = answers
        .iter()
        .flat_map(|answer| {
            let best = answer.best();
            let is_best = answer.has_best();
            answer.arms.iter().map(move |arm| (arm, best, is_best))
        })
        .collect();
    let arms: Vec<&Placed<'_>> = with_best.iter().map(|(arm, ..)| *arm).collect();
    let within: Vec<(&Sample, f64)> = answers
        .iter()
        .flat_map(|answer| answer.arms.iter().map(|arm| (arm.sample, answer.horizon())))
        .collect();
    let (rows, within) = (Rows(&arms), Rows(&within));
    let names: Vec<Vec<ArmName<'_>>> = arms
        .iter()
        .map(|arm| vec![ArmName { operators: &arm.sample.operators, swept: &arm.sample.swept }])
        .collect();
    let mut columns = arm_columns("arm", &names);
    columns.push(rows.text("group", |arm| arm.groups.clone()));
    let rates = arms.iter().any(|arm| arm.sample.defines_success());
    if rates {
        let of_arm = |(sample, horizon): &(&Sample, f64)| sample.rate_within(*horizon);
        let success = within
            .figure("success\nrate", |arm| rate(of_arm(arm)))
            .sorted_by(within.each(|arm| json!(of_arm(arm))));
        // With a stopping rule the interval of a fixed number of trials does not hold.
        let fixed = arms.iter().all(|arm| arm.sample.stopping_rule.is_none());
        let intervals = within.each(|(sample, horizon)| {
            if sample.is_exact() {
                return "exact".to_owned();
            }
            let successes = sample.successes_within(*horizon);
            let interval = wilson(successes, sample.trials(), CONFIDENCE);
            interval.map_or(String::new(), |one| ends(&rate(one.low), &rate(one.high)))
        });
        columns.push(match fixed {
            true => success.intervals(percent(CONFIDENCE), intervals, 2),
            false => success,
        });
        let ert = |(sample, horizon): &(&Sample, f64)| sample.ert_within(*horizon);
        columns.push(
            within
                .figure("ERT", |arm| ert(arm).map_or(NOTHING.to_owned(), real))
                .sorted_by(within.each(|arm| json!(ert(arm)))),
        );
    }
    let of_fitness = |arm: &&&Placed<'_>| arm.with_best.is_some_and(|one| one.fitness.is_some());
    if !rates || arms.iter().any(|arm| of_fitness(&arm)) {
        let medians: Vec<Option<f64>> = within
            .0
            .iter()
            .map(|(sample, horizon)| sample.median_fitness_within(*horizon))
            .collect();
        let known: Vec<f64> = medians.iter().copied().flatten().collect();
        let words = |median: &Option<f64>| {
            median.map_or(NOTHING.to_owned(), |median| real_beside(median, &known))
        };
        let medians = Rows(&medians);
        columns.push(
            medians
                .figure("fitness\n(median)", words)
                .sorted_by(medians.each(|median| json!(median))),
        );
    }
    let words = |(arm, best, is_best): &(&Placed<'_>, &Placed<'_>, bool)| match arm.with_best {
        None if *is_best => "the best".to_owned(),
        None => NOTHING.to_owned(),
        Some(one) => match one.criterion {
            Some(Criterion::SuccessRate) => {
                let is_worse = one.ranked().is_some_and(|[_, worse]| worse == arm.sample.label);
                format!("{} success rate", if is_worse { "lower" } else { "higher" })
            }
            Some(criterion) => criteria_of(best, one, criterion, false),
            None if matches!(one.verdict, Verdict::Open { .. }) => one.verdict.to_string(),
            None => "not told apart".to_owned(),
        },
    };
    let all_best = answers.iter().all(Answer::has_best);
    let heading = if all_best { "against the best" } else { "against the first" };
    columns.push(Rows(&with_best).text(heading, words));
    let p = |arm: &Placed<'_>| arm.with_best.map(Comparison::p_adjusted);
    columns.push(
        rows.figure("p\n(Holm)", |arm| arm.with_best.map_or(NOTHING.to_owned(), p_of))
            .sorted_by(rows.each(|arm| json!(p(arm))))
            .giving_way(3),
    );
    Report::new(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_are_sentences() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let told = |better: &[&str], worse: &[&str], open: usize| {
            let all = better.len() + worse.len() + open;
            tally(all, [names(better), names(worse)], open, "random")
        };
        assert_eq!(told(&["a", "b"], &[], 0), "Both arms are better than random.");
        assert_eq!(told(&[], &["a"], 0), "The arm is worse than random.");
        assert_eq!(told(&[], &[], 3), "None of 3 arms is told apart from random.");
        let mixed = told(&["a", "b", "c", "d"], &["e"], 2);
        let all = "Of 7 arms, 4 are better than random (a, b, c and 1 more), 1 is worse \
            (e) and 2 are not told apart.";
        assert_eq!(mixed, all.replace("c and 1 more", "c, d"));
        assert_eq!(
            told(&[], &["a"], 1),
            "Of 2 arms, 1 is worse than random (a) and 1 is not told apart."
        );
    }
}
