//! Certainty of an answer: by how much arms differ, how many tests say so, and what no test says.

use crate::analysis::comparison::{Answer, Comparison, Criterion, Place, Rule, tests_of};
use crate::comparison::is_factor;
use crate::format::{percent, rate, real, signed, signed_real, within_words};
use crate::stats::Interval;
use crate::system::output::visible_line;
use crate::words::{count, counted};
use maud::{Markup, html};

/// Maximum number of comparisons that are told with their sizes.
const SIZES: usize = 5;

/// Writes a list below an answer: sizes, tests, and limits. It is empty if nothing was compared.
/// `is_ranked` is true if the page also ranks arms over problems.
pub(super) fn certainty(
    answers: &[Answer<'_>],
    compared: &[Comparison],
    rule: &Rule,
    is_ranked: bool,
) -> Markup {
    let Some(first) = compared.first() else { return html! {} };
    html! {
        dl.certainty {
            dt { "By how much" }
            @for one in leading(answers, compared) { dd { (size(one)) } }
            dt { "How certain" }
            dd {
                (tests(compared, first.confidence))
                @if is_ranked { " The tests of the ranks below are adjusted separately." }
            }
            dt { "Not tested" }
            @for words in untested(compared, rule) { dd { (words) } }
        }
    }
}

/// Returns the comparisons of the best arms with the next, or without a best arm the first that
/// tells two apart; or the first over all values, with those that tell arms apart at the top.
fn leading<'a>(answers: &[Answer<'a>], compared: &'a [Comparison]) -> Vec<&'a Comparison> {
    let next = |answer: &Answer<'a>| match answer.apart.first() {
        Some(one) if !answer.has_best() => Some(*one),
        _ => answer.arms.iter().find_map(|arm| arm.with_best),
    };
    if !answers.is_empty() {
        return answers.iter().filter_map(next).take(SIZES).collect();
    }
    let has_size = |one: &&Comparison| size_words(one).is_some();
    let over = compared.iter().filter(|one| one.is_over_strata()).filter(has_size);
    let over: Vec<&Comparison> = over.collect();
    let all = if over.is_empty() { compared.iter().collect() } else { over };
    let (told, open): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.verdict.tells_apart());
    told.into_iter().chain(open).take(SIZES).collect()
}

/// Returns the size of a difference with its interval, and the values at which it is that.
fn size(one: &Comparison) -> String {
    let at = match &one.place {
        Place::At(values) => format!(" (at {})", visible_line(&values.join(", "))),
        Place::Whole | Place::Over { .. } => String::new(),
    };
    let budget = match one.criterion {
        Some(Criterion::SuccessRate) | None => one.budget_of_rates(),
        Some(_) => one.budget,
    };
    let difference = size_words(one).unwrap_or_else(|| "no size is known".to_owned());
    format!("{} against {}{at}: {difference}{}.", one.first, one.second, within_words(budget))
}

/// Returns the size of a difference in the terms of its criterion; `None` if it is not known.
fn size_words(one: &Comparison) -> Option<String> {
    let shift = one.fitness_shift();
    Some(match (one.criterion, one.speed, shift) {
        (Some(Criterion::Evaluations), Some(speed), _) if is_factor(speed.value) => {
            let ends = speed.interval.map(|ends| [real(ends.low), real(ends.high)]);
            format!("speeds differ by a factor of {}{}", real(speed.value), within(one, ends))
        }
        (Some(Criterion::Evaluations), ..) => {
            let ends = one.effect_interval.map(|ends| [rate(ends.low), rate(ends.high)]);
            format!(
                "a trial of the first needs fewer evaluations than one of the other with \
                probability {}{}, where 0.5 is no difference",
                rate(one.effect),
                within(one, ends)
            )
        }
        (_, _, Some(shift)) if !one.defines_success || one.rates == (0.0, 0.0) => {
            let ends = shift.interval.map(|ends| [ends.low, ends.high].map(signed_real));
            format!("final fitness differs by {}{}", signed_real(shift.value), within(one, ends))
        }
        _ if one.defines_success => {
            let Interval { low, high } = one.difference_interval;
            let ends = [low, high].map(signed);
            let value = signed(one.difference);
            format!("success rates differ by {value}{}", within(one, Some(ends)))
        }
        _ => return None,
    })
}

/// Returns the interval of a comparison's size in brackets; empty without one.
fn within(one: &Comparison, ends: Option<[String; 2]>) -> String {
    ends.map_or_else(String::new, |[low, high]| {
        format!(" ({} interval {low} to {high})", percent(one.confidence))
    })
}

/// Returns the number of tests, and the chance that any of them reports a false difference.
fn tests(compared: &[Comparison], confidence: f64) -> String {
    let (level, chance) = (percent(confidence), percent(1.0 - confidence));
    if compared.iter().any(|one| one.asked && one.test(Criterion::SuccessRate).is_some()) {
        let [others, baselines] = tests_of(compared).map(|tests| tests as u64);
        let more = match others {
            0 => String::new(),
            others => format!("; {} more, adjusted together (Holm)", counted(others, "test")),
        };
        let (apart, each) = match baselines {
            0 => (String::new(), ""),
            _ => (
                format!(
                    "; and {} against baselines, adjusted apart from these (Holm)",
                    counted(baselines, "test")
                ),
                "in each of the two families, ",
            ),
        };
        return format!(
            "The test that the stopping rule asks for, at the full level{more}{apart}: {each}the \
            chance that any finds a difference that is none is {chance} at most. Intervals hold \
            with {level} each."
        );
    }
    let made = match tests_of(compared).map(|tests| tests as u64) {
        [0, 0] => return format!("No test was made; intervals hold with {level} each."),
        [1, 0] | [0, 1] => {
            format!("One test: it finds a difference that is none with a chance of {chance}")
        }
        [tests, 0] | [0, tests] => format!(
            "{} tests, adjusted together (Holm): the chance that any finds a difference that is \
            none is {chance}",
            count(tests)
        ),
        [tests, baselines] => format!(
            "{}, and {} against baselines, adjusted apart from each other (Holm): in each of the \
            two families, the chance that any finds a difference that is none is {chance}",
            counted(tests, "test"),
            count(baselines)
        ),
    };
    format!("{made} at most. Intervals hold with {level} each.")
}

/// Returns what does not follow from the comparisons.
fn untested(compared: &[Comparison], rule: &Rule) -> Vec<String> {
    let mut words = Vec::new();
    let with_one = match rule {
        Rule::First => Some("the first arm of its problem".to_owned()),
        Rule::Against(other) => Some(format!("`{other}`")),
        Rule::Within { every_two: false, .. } => Some("one arm".to_owned()),
        Rule::EveryTwo | Rule::Runs | Rule::Within { .. } => None,
    };
    if let Some(one) = with_one {
        words.push(format!("The other pairs of arms: each was compared with {one} alone."));
    }
    let open = compared.iter().filter(|one| !one.verdict.tells_apart()).count() as u64;
    if open > 0 {
        words.push(format!(
            "Equality: {} of {} comparisons found no difference, which does not show that there \
            is none.",
            count(open),
            count(compared.len() as u64)
        ));
    }
    let failed = compared.iter().any(|one| one.failed() > 0);
    if failed {
        words.push("Failed trials: the tests are of those that ran.".to_owned());
    }
    words.push(
        "Other problems, sizes, parameters and budgets than those below: nothing follows for them."
            .to_owned(),
    );
    words
}
