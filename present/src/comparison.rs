//! Comparisons as text: verdicts, their methods, and the compared arms.

use crate::analysis::comparison::{ALL_PAIRS, Comparison, Criterion, Matched, Rule, tests_of};
use crate::analysis::{DifferenceMethod, Verdict};
use crate::format::{percent, real, round_up};
use crate::stats::Distribution;
use crate::words::{count, counted};
use std::collections::BTreeSet;

/// Returns the verdict of a comparison with its criterion, or the number of trials needed for one.
pub fn verdict(one: &Comparison) -> String {
    match (one.criterion, one.needed) {
        (Some(criterion), _) => format!("{}: {}", one.verdict, criteria(one, criterion)),
        (None, Some(more)) => {
            let per = if one.is_over_strata() { "arm and value" } else { "arm" };
            format!(
                "cannot tell: about {} more trials per {per} needed",
                count(round_up(more as f64))
            )
        }
        (None, None) if one.verdict != Verdict::Unclear => one.verdict.to_string(),
        (None, None) if one.method.is_anytime() => "cannot tell".to_owned(),
        (None, None) => format!("cannot tell: {}", unclear(one)),
    }
}

/// Returns a sentence about the first arms of one label that solve different problems in two runs,
/// without its full stop; `None` if there are none.
pub fn other_problem(found: &Matched<'_>) -> Option<String> {
    let one = found.differing.iter().find(|one| one.problem())?;
    Some(format!(
        "`{}` solves different problems in the two runs: {}; their difference would say nothing \
        about the search",
        one.new.label,
        one.words()
    ))
}

/// Returns the reason for an unclear verdict, if more trials would not show a difference of rates.
fn unclear(one: &Comparison) -> &'static str {
    let of_fitness =
        match (one.defines_success, one.test(Criterion::FinalFitness), one.fitness_known) {
            (true, Some(_), _) => "neither succeeds, and final fitness shows no difference",
            (true, None, false) => {
                "neither succeeds, and the final fitness at the smaller budget is not known"
            }
            (true, None, true) => "neither succeeds",
            (false, _, false) => "the final fitness at the smaller budget is not known",
            (false, _, true) => "final fitness shows no difference",
        };
    match one.test(Criterion::SuccessRate) {
        _ if one.same_trials => "these are the same trials at two budgets",
        Some(_) => "the rates are alike",
        None if one.rates.0 > 0.0 => "evaluations show no difference",
        None => of_fitness,
    }
}

/// Least ratio of evaluations that rounds to a factor other than 1.
const LEAST_FACTOR: f64 = 1.005;

/// Returns the criterion of a verdict with its size: "3.5 times as fast".
fn criteria(one: &Comparison, criterion: Criterion) -> String {
    let speed = one.speed.map(|speed| speed.value);
    let shift = one.fitness_shift().map(|shift| shift.value);
    let better = one.verdict == Verdict::Better;
    criterion_words(criterion, better, speed, shift) + contrary(criterion, better, one.ert_ratio)
}

/// Ratio of ERTs from which on one is greater, whatever the rounding.
const GREATER: f64 = 1.1;

/// Returns the reservation about a verdict on evaluations whose arm has the worse ERT, because it
/// needs fewer evaluations in most trials, and many more in some. Empty if there is none.
pub(crate) fn contrary(criterion: Criterion, better: bool, ert_ratio: Option<f64>) -> &'static str {
    let ratio = ert_ratio.filter(|_| criterion == Criterion::Evaluations);
    match ratio.map(|ratio| if better { ratio } else { ratio.recip() }) {
        Some(GREATER..) if better => ", yet its ERT is greater",
        Some(GREATER..) => ", yet its ERT is less",
        _ => "",
    }
}

/// Returns the text of the criterion on which an arm is better or worse than another. `speed` is
/// the factor by which it is faster, `shift` the amount by which its final fitness is higher.
pub(crate) fn criterion_words(
    criterion: Criterion,
    better: bool,
    speed: Option<f64>,
    shift: Option<f64>,
) -> String {
    match criterion {
        Criterion::SuccessRate => "success rate".to_owned(),
        Criterion::Evaluations => {
            let times = speed.unwrap_or(1.0);
            let (times, word) = if better { (times, "fast") } else { (times.recip(), "slow") };
            match times {
                times if is_factor(times) && times > 1.0 => {
                    format!("{} times as {word}", factor(times))
                }
                _ if better => "fewer evaluations".to_owned(),
                _ => "more evaluations".to_owned(),
            }
        }
        Criterion::FinalFitness => match (better, shift.unwrap_or(0.0)) {
            (true, higher @ ..0.0) => format!("final fitness lower by {}", real(-higher)),
            (true, _) => "lower final fitness".to_owned(),
            (false, 0.0) => "higher final fitness".to_owned(),
            (false, higher) => format!("final fitness higher by {}", real(higher)),
        },
    }
}

/// Returns whether a ratio of evaluations tells by how much arms differ. It does not where it is 1
/// or infinite because many pairs of trials had no success.
pub(crate) fn is_factor(times: f64) -> bool {
    times > 0.0 && times.is_finite() && times.max(times.recip()) >= LEAST_FACTOR
}

/// Formats a factor above 1 with at least two digits.
fn factor(times: f64) -> String {
    if times < 2.0 {
        real((times * 100.0).round() / 100.0)
    } else {
        real((times * 10.0).round() / 10.0)
    }
}

/// Returns the name of the interval of a difference of success rates, with its level: "Newcombe's
/// interval (95 %)".
pub(crate) fn interval_name(method: DifferenceMethod, confidence: f64) -> String {
    let name = match method {
        DifferenceMethod::Independent => "Newcombe's interval",
        DifferenceMethod::Paired => "Tango's interval for pairs",
        DifferenceMethod::Sequence => "a confidence sequence",
        DifferenceMethod::PairedSequence => "a confidence sequence of pairs",
    };
    format!("{name} ({})", percent(confidence))
}

/// Returns the name of the interval of a weighted difference over several values.
pub(crate) fn interval_over(method: DifferenceMethod) -> &'static str {
    match method {
        DifferenceMethod::Independent => "Miettinen and Nurminen's stratified interval",
        DifferenceMethod::Paired => "Tango's interval over all pairs",
        DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
            "the intervals of all values at once (Bonferroni)"
        }
    }
}

/// Returns the name of the test of a criterion.
fn test_name(method: DifferenceMethod, criterion: Criterion) -> &'static str {
    match (method, criterion) {
        (DifferenceMethod::Sequence | DifferenceMethod::PairedSequence, _) => {
            "the inverse of an e-value, valid with the stopping rule"
        }
        (DifferenceMethod::Independent, Criterion::SuccessRate) => "Fisher's exact test",
        (DifferenceMethod::Independent, _) => {
            "the greater p of the tests of Brunner and Munzel, and of Mann and Whitney"
        }
        (DifferenceMethod::Paired, Criterion::SuccessRate) => "McNemar's exact test",
        (DifferenceMethod::Paired, Criterion::Evaluations) => "the sign test",
        (DifferenceMethod::Paired, Criterion::FinalFitness) => "Wilcoxon's test by signed ranks",
    }
}

/// Returns the distributions of the p-values of a criterion's rank tests: ", exact". Empty if the
/// test has only one distribution.
pub(crate) fn distributions<'a>(
    compared: impl IntoIterator<Item = &'a Comparison>,
    criterion: Criterion,
) -> String {
    let ranked = |one: &&Comparison| match one.method {
        DifferenceMethod::Independent => criterion != Criterion::SuccessRate,
        DifferenceMethod::Paired => {
            criterion == Criterion::FinalFitness && !one.is_over_strata() && !one.one_is_exact
        }
        DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => false,
    };
    let tests = compared.into_iter().filter(ranked).filter_map(|one| one.test(criterion));
    let used: BTreeSet<Distribution> = tests.map(|test| test.distribution).collect();
    let words = used.iter().map(|distribution| match distribution {
        Distribution::Exact => "exact",
        Distribution::Rounded => "exact with rounded ranks",
        Distribution::Normal => "normal",
    });
    let words = words.collect::<Vec<_>>().join(" or ");
    if words.is_empty() { words } else { format!(", {words}") }
}

/// Returns the names of the tests of a criterion, within the values of swept keys and over all
/// values.
fn test_names(compared: &[Comparison], method: DifferenceMethod, criterion: Criterion) -> String {
    let (over, within): (Vec<&Comparison>, Vec<&Comparison>) =
        compared.iter().partition(|one| one.is_over_strata());
    let made = |of: &[&Comparison]| {
        of.iter().any(|one| one.test(criterion).is_some()) || criterion == Criterion::SuccessRate
    };
    let whole = || {
        let used = distributions(within.iter().copied(), criterion);
        let are_exact = within.iter().all(|one| one.one_is_exact);
        let name = match criterion {
            Criterion::FinalFitness if are_exact && method.is_paired() => "the sign test",
            _ => test_name(method, criterion),
        };
        format!("{name}{used}")
    };
    let over_all = || {
        let used = distributions(over.iter().copied(), criterion);
        format!("{}{used}", criterion.over_strata(method))
    };
    match (!within.is_empty() && made(&within), !over.is_empty() && made(&over)) {
        (true, true) => format!("{}; over all values {}", whole(), over_all()),
        (_, true) => over_all(),
        _ => whole(),
    }
}

/// Returns the tested criteria in their order: "the success rate (Fisher's exact test)".
fn tested(compared: &[Comparison], method: DifferenceMethod) -> String {
    let rates = compared.iter().any(|one| one.defines_success);
    let criteria = Criterion::ALL.into_iter().filter(|criterion| {
        let first = if rates { Criterion::SuccessRate } else { Criterion::FinalFitness };
        *criterion == first || compared.iter().any(|one| one.test(*criterion).is_some())
    });
    let words = criteria.map(|criterion| {
        let what = match criterion {
            Criterion::SuccessRate => "the success rate",
            Criterion::Evaluations => "where that does not tell, the evaluations to success",
            Criterion::FinalFitness if rates => "where neither arm succeeds, the final fitness",
            Criterion::FinalFitness => "the final fitness",
        };
        format!("{what} ({})", test_names(compared, method, criterion))
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Returns the text for the compared arms, which follows "3 comparisons: ".
fn family_name(rule: &Rule, compared: &[Comparison]) -> String {
    let baselines = compared.iter().filter(|one| one.against_baseline).count();
    let with_baselines = |words: &str| match compared.len() - baselines {
        0 => "each arm against its baseline".to_owned(),
        _ if baselines > 0 => format!("{words}, and each against its baseline"),
        _ => words.to_owned(),
    };
    match rule {
        Rule::EveryTwo => with_baselines("every two arms of one problem"),
        Rule::First => with_baselines("each arm against the first of its problem in the file"),
        Rule::Against(label) => format!("each arm of the same problem against `{label}`"),
        Rule::Runs => "each arm against the same arm of the other run".to_owned(),
        Rule::Within { keys, every_two, only_over_all } => {
            let which = match every_two {
                true => "every two operator sets",
                false => "each operator set against one",
            };
            let keys = keys.join(" and ");
            match only_over_all {
                false => format!("{which} at each value of {keys}, and over all values"),
                true => format!(
                    "{which} over all values of {keys} (with more than {ALL_PAIRS} rows the \
                    values are left out; `runner compare --within` has them)"
                ),
            }
        }
    }
}

/// Returns the effect of a stopping rule on plain rates; empty without one.
pub fn rule_words(compared: &[Comparison]) -> &'static str {
    match compared.iter().any(|one| one.method.is_anytime()) {
        true => {
            " A stopping rule decided the number of trials: plain rates are biased towards the \
            side that stopped them, and ERTs are not adjusted."
        }
        false => "",
    }
}

/// Returns the budgets at which arms with different budgets are compared; empty if none differ.
pub fn budget_words(compared: &[Comparison]) -> String {
    let budgets = || compared.iter().filter_map(|one| one.budget);
    let Some((least, most)) = budgets().min().zip(budgets().max()) else { return String::new() };
    let mut words = format!(
        " The arms of a row are compared at the smallest budget of theirs and of `--budget`, {} \
        evaluations: what a trial reached later does not count.",
        range(least, most)
    );
    if compared.iter().any(|one| one.rates_at_end) {
        words.push_str(
            " The rates of the two arms of `decide` are those at the end of their trials, which \
            the stopping rule saw.",
        );
    }
    if compared.iter().any(|one| !one.fitness_known) {
        words.push_str(
            " Final fitness is compared only where a trace (`output.trace`) has it at that budget.",
        );
    }
    if compared.iter().any(|one| one.same_trials) {
        words.push_str(
            " Arms with the same seeds and another budget (`keep-ended`) have the same trials: \
            they are no evidence for a difference.",
        );
    }
    words
}

/// Formats a range: "500", or "500 to 5,000".
pub(crate) fn range(least: u64, most: u64) -> String {
    match least == most {
        true => count(least),
        false => format!("{} to {}", count(least), count(most)),
    }
}

/// Returns the legend below a table of comparisons: the family, the methods and their levels. Empty
/// without comparisons.
pub fn legend(compared: &[Comparison], rule: &Rule) -> String {
    let with_chance = compared.iter().find(|one| !one.one_is_exact);
    let Some(first) = with_chance.or(compared.first()) else { return String::new() };
    let (method, level) = (first.method, first.confidence);
    let number = compared.len();
    let [tests, of_baselines] = tests_of(compared).map(|tests| tests as u64);
    let adjusted = match (tests, of_baselines, compared.iter().any(|one| one.asked)) {
        (0 | 1, 0 | 1, false) => String::new(),
        (_, 0, false) => format!(", adjusted for all {} tests together (Holm)", count(tests)),
        (0, _, false) => {
            format!(", adjusted for all {} tests together (Holm)", count(of_baselines))
        }
        (_, _, false) => format!(
            ", adjusted for the {} between arms and separately for the {} against baselines (Holm)",
            counted(tests, "test"),
            count(of_baselines)
        ),
        (_, _, true) => {
            ", unadjusted for the rates of the stopping rule's pair, then adjusted for all other \
            tests together (Holm)"
                .to_owned()
        }
    };
    let budget = budget_words(compared);
    let has_factor = |one: &Comparison| {
        let factor = one.speed.is_some_and(|speed| is_factor(speed.value));
        one.criterion == Some(Criterion::Evaluations) && factor
    };
    let times = if compared.iter().any(has_factor) {
        format!(
            " Times as fast: the median ratio of {}.",
            if method.is_paired() { "a pair" } else { "a trial of each arm" }
        )
    } else {
        String::new()
    };
    let effect = match (method.is_paired(), method.is_anytime()) {
        (false, false) => {
            "the probability that a trial of the arm needs fewer than a trial of the other (A of \
            Vargha and Delaney)"
        }
        (false, true) => {
            "the probability that a trial of the arm needs fewer than a trial of the other (A of \
            Vargha and Delaney), without interval and test, because none is known that is valid \
            with the stopping rule"
        }
        (true, _) => {
            "the share of pairs in which the arm's trial needs fewer, with ties counting half"
        }
    };
    let over = compared.iter().any(Comparison::is_over_strata);
    let whole = !compared.iter().all(Comparison::is_over_strata);
    let own =
        if whole { format!(", with {}", interval_name(method, level)) } else { String::new() };
    let over = match (over, interval_over(method)) {
        (false, _) => String::new(),
        (true, name) => format!(
            "{}over all values their weighted mean, with {name}",
            if whole { "; " } else { ", " }
        ),
    };
    let has_exact = compared.iter().any(|one| one.one_is_exact);
    let exact = match has_exact && !method.is_paired() {
        false => String::new(),
        true => format!(
            " Trials that are all the same, because the search draws no random number, are \
            compared with those of the other arm in pairs{}.",
            match method.is_anytime() {
                true => ", with confidence sequences and e-values of pairs",
                false => ": Tango's interval, McNemar's test and the sign test",
            }
        ),
    };
    let has_rates = compared.iter().any(|one| one.defines_success);
    let name = match has_rates {
        true => "(fitness)",
        false => "Lower fitness",
    };
    let lower = match compared.iter().any(|one| one.fitness.is_some()) {
        true if method.is_paired() => format!(
            " {name}: the share of pairs in which the arm's trial ends lower, with ties counting \
            half."
        ),
        true => format!(
            " {name}: the probability that a trial of the arm ends lower than one of the other (A \
            of Vargha and Delaney)."
        ),
        false => String::new(),
    };
    let has_infeasible =
        |one: &Comparison| one.fitness.as_ref().is_some_and(|fitness| fitness.shift.is_none());
    let infeasible = match compared.iter().any(has_infeasible) {
        true => {
            " Final fitness: a trial without a feasible genome counts as worse than any other (∞)."
        }
        false => "",
    };
    let rates = rule_words(compared);
    let of_pairs =
        if method.is_paired() { " over pairs of trials with the same number" } else { "" };
    let (differences, effect) = match has_rates {
        true => (
            format!("Difference: of the success rates{of_pairs}{own}{over}."),
            format!(" Fewer evaluations: {effect}."),
        ),
        false => (
            "Success is not defined: the problem states no ideal, and the experiment no target."
                .to_owned(),
            String::new(),
        ),
    };
    format!(
        "{}: {}. {differences} A verdict stands on {}. p: of that test{adjusted}; a \
        verdict requires at most {}.{effect}{lower}{infeasible}{exact}{budget}{times}{rates}",
        counted(number as u64, "comparison"),
        family_name(rule, compared),
        tested(compared, method),
        real(((1.0 - level) * 1e9).round() / 1e9),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparison::{Sample, compare};

    fn sample(label: &str, successes: u64, trials: u64) -> Sample {
        let length = |trial| if trial < successes { 10.0 } else { f64::INFINITY };
        Sample {
            label: label.to_owned(),
            run_lengths: (0..trials).map(|trial| (trial, length(trial))).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn a_verdict_says_what_would_be_needed_for_one() {
        let of = |first, second| {
            let (first, second) = (sample("a", first, 100), sample("b", second, 100));
            verdict(&compare(&[(&first, &second)], false)[0])
        };
        assert_eq!(of(90, 40), "better: success rate");
        assert_eq!(of(40, 90), "worse: success rate");
        assert_eq!(of(100, 100), "cannot tell: evaluations show no difference");
        assert_eq!(of(0, 0), "cannot tell: neither succeeds");
        assert_eq!(of(40, 40), "cannot tell: the rates are alike");
        let open = of(50, 45);
        assert!(
            open.starts_with("cannot tell: about ")
                && open.ends_with(" more trials per arm needed"),
            "{open}"
        );
    }

    #[test]
    fn a_verdict_says_what_it_stands_on() {
        let of = |first: &Sample, second: &Sample| verdict(&compare(&[(first, second)], false)[0]);
        let fast = sample("fast", 60, 60);
        let mut slow = sample("slow", 60, 60);
        slow.run_lengths = (0..60).map(|trial| (trial, 35.0)).collect();
        assert_eq!(of(&fast, &slow), "better: 3.5 times as fast");
        assert_eq!(of(&slow, &fast), "worse: 3.5 times as slow");
        let (mut low, mut high) = (sample("low", 0, 60), sample("high", 0, 60));
        low.fitness = (0..60).map(|trial| (trial, 53.6)).collect();
        high.fitness = (0..60).map(|trial| (trial, 84.4)).collect();
        assert_eq!(of(&low, &high), "better: final fitness lower by 30.8");
        assert_eq!(of(&high, &low), "worse: final fitness higher by 30.8");
        assert_eq!([1.234, 3.456, 12.34].map(factor), ["1.23", "3.5", "12.3"]);
        let told = |better, ratio| contrary(Criterion::Evaluations, better, Some(ratio));
        assert_eq!([told(true, 69.0), told(true, 0.3)], [", yet its ERT is greater", ""]);
        assert_eq!([told(false, 0.01), told(false, 3.0)], [", yet its ERT is less", ""]);
        assert_eq!(contrary(Criterion::SuccessRate, true, Some(69.0)), "");
        let words = legend(&compare(&[(&low, &high)], false), &Rule::EveryTwo);
        let criterion = "where neither arm succeeds, the final fitness (the greater p of the tests \
            of Brunner and Munzel, and of Mann and Whitney, exact)";
        assert!(words.contains(criterion), "{words}");
    }

    #[test]
    fn the_legend_names_family_method_and_level() {
        let (first, second) = (sample("a", 90, 100), sample("b", 40, 100));
        let one = compare(&[(&first, &second)], false);
        let words = legend(&one, &Rule::Against("b".to_owned()));
        for part in [
            "1 comparison: each arm of the same problem against `b`.",
            "with Newcombe's interval (95 %).",
            "A verdict stands on the success rate (Fisher's exact test); where that does not tell, \
            the evaluations to success (the greater p of the tests of Brunner and Munzel, and of \
            Mann and Whitney, exact). p: of that test, \
            adjusted for all 2 tests together (Holm); a verdict requires at most 0.05.",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let pairs = compare(&[(&first, &second), (&second, &first)], true);
        let words = legend(&pairs, &Rule::EveryTwo);
        assert!(words.contains("(McNemar's exact test); where"), "{words}");
        assert!(words.contains("(the sign test)"), "{words}");
        assert!(words.contains("adjusted for all 4 tests together"), "{words}");
        assert_eq!(legend(&[], &Rule::EveryTwo), "");
    }
}
