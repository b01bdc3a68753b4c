//! Comparisons in words: verdicts, the methods behind them, and which arms were compared.

use crate::analysis::comparison::{Comparison, Rule};
use crate::analysis::{DifferenceMethod, Verdict};
use crate::present::format::{count, percent, real, round_up};

/// A comparison's verdict, with what would be needed for one.
#[must_use]
pub(crate) fn verdict(one: &Comparison) -> String {
    match one.needed {
        Some(more) => {
            format!(
                "cannot tell: about {} more trials per arm needed",
                count(round_up(more as f64))
            )
        }
        None if one.verdict == Verdict::Unclear && one.method.is_anytime() => {
            "cannot tell".to_owned()
        }
        None if one.verdict == Verdict::Unclear => "cannot tell: the rates are alike".to_owned(),
        None => one.verdict.to_string(),
    }
}

/// The interval of a difference of success rates, with its level: "Newcombe's interval (95 %)".
#[must_use]
pub(crate) fn interval_name(method: DifferenceMethod, confidence: f64) -> String {
    let name = match method {
        DifferenceMethod::Independent => "Newcombe's interval",
        DifferenceMethod::Paired => "Tango's interval for pairs",
        DifferenceMethod::Sequence => "a confidence sequence",
        DifferenceMethod::PairedSequence => "a confidence sequence of pairs",
    };
    format!("{name} ({})", percent(confidence))
}

/// Where the p-value of equal success rates comes from.
fn test_name(method: DifferenceMethod) -> &'static str {
    match method {
        DifferenceMethod::Independent => "Fisher's exact test",
        DifferenceMethod::Paired => "McNemar's exact test",
        DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
            "the inverse of an e-value, valid with the stopping rule"
        }
    }
}

/// Which arms were compared, after "3 comparisons: ".
fn family_name(rule: &Rule) -> String {
    match rule {
        Rule::EveryTwo => "every two arms of one problem".to_owned(),
        Rule::First => "each arm against the first of its problem in the file".to_owned(),
        Rule::Against(label) => format!("each arm of the same problem against `{label}`"),
        Rule::Runs => "each arm against the same arm of the other run".to_owned(),
    }
}

/// What comparisons made together are, below a table: the family, the methods and their levels.
/// Empty without comparisons.
#[must_use]
pub(crate) fn legend(compared: &[Comparison], rule: &Rule) -> String {
    let Some(first) = compared.first() else { return String::new() };
    let (method, level) = (first.method, first.confidence);
    let number = compared.len();
    let adjusted = match (number, compared.iter().any(|one| one.asked)) {
        (1, _) => String::new(),
        (_, false) => format!(", adjusted for all {number} together (Holm)"),
        (_, true) => {
            ", unadjusted for the pair of the stopping rule, then adjusted for all others together \
            (Holm)"
                .to_owned()
        }
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
    let rates = if method.is_anytime() {
        " A stopping rule decided the number of trials: plain rates and ERTs are slightly biased \
        towards the side that stopped them."
    } else {
        ""
    };
    format!(
        "{} comparison{}: {}. Difference: of the success rates{}, with {}. p: {}{adjusted}; a \
        verdict requires at most {}. Fewer evaluations: {effect}.{rates}",
        count(number as u64),
        if number == 1 { "" } else { "s" },
        family_name(rule),
        if method.is_paired() { " over pairs of trials with the same number" } else { "" },
        interval_name(method, level),
        test_name(method),
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
        assert_eq!(of(90, 40), "better");
        assert_eq!(of(40, 90), "worse");
        assert_eq!(of(40, 40), "cannot tell: the rates are alike");
        let open = of(50, 45);
        assert!(
            open.starts_with("cannot tell: about ")
                && open.ends_with(" more trials per arm needed"),
            "{open}"
        );
    }

    #[test]
    fn the_legend_names_family_method_and_level() {
        let (first, second) = (sample("a", 90, 100), sample("b", 40, 100));
        let one = compare(&[(&first, &second)], false);
        let words = legend(&one, &Rule::Against("b".to_owned()));
        for part in [
            "1 comparison: each arm of the same problem against `b`.",
            "with Newcombe's interval (95 %).",
            "p: Fisher's exact test; a verdict requires at most 0.05.",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let pairs = compare(&[(&first, &second), (&second, &first)], true);
        let words = legend(&pairs, &Rule::EveryTwo);
        assert!(words.contains("McNemar's exact test, adjusted for all 2 together"), "{words}");
        assert_eq!(legend(&[], &Rule::EveryTwo), "");
    }
}
