//! Numbers of trials, and their endings.

use super::facts::{ArmFacts, Facts};
use super::values::{number, when};
use crate::config::asked;
use crate::record::Outcome;
use crate::words::{count, counted, listed};
use toml::{Table, Value};

/// Maximum number of arms that are named.
const NAMED: usize = 6;

/// Returns the reason for the number of trials, and their endings.
pub(super) fn endings(facts: &Facts<'_>) -> String {
    let last = facts.last_run();
    let mut text = match asked(&last.config, &last.overrides, "repeats") {
        Some(Value::Table(repeats)) => sequential(&repeats),
        _ => facts.tuning_race.map_or_else(String::new, |confidence| {
            let differ = facts.arms.iter().any(|arm| arm.trials != facts.arms[0].trials);
            format!(
                "The arms are settings of a tuning, which raced at a confidence of {} %: one that \
                cost more than another got no more trials{}. ",
                number(100.0 * confidence),
                when(differ, ", so the numbers of trials differ")
            )
        }),
    };
    let limits_stagnation =
        facts.arms.iter().any(|arm| arm.settings.stop.get("stagnation").is_some());
    let ending = |outcome: Outcome| {
        let trials = facts.outcomes.get(outcome.as_str())?;
        let manner = match outcome {
            Outcome::Stagnated if !limits_stagnation => "when the search could not go on",
            _ => manner(outcome)?,
        };
        Some(format!("{} {manner}", count(*trials)))
    };
    let endings: Vec<String> = Outcome::ALL.into_iter().filter_map(ending).collect();
    if !endings.is_empty() {
        text += &format!("Trials ended: {}. ", listed(&endings, "and"));
    }
    let failed: u64 = facts.arms.iter().map(|arm| arm.failures).sum();
    if failed > 0 {
        text += &format!(
            "{} failed or crashed ({}). Figures are computed from the others, and \
            differences are reported only where they hold whatever the failed trials would have \
            done (@horowitz2000). ",
            counted(failed, "trial"),
            arms_with_failures(facts)
        );
    }
    match facts.arms.iter().map(|arm| arm.timed_out).sum() {
        0 if failed > 0 => {}
        0 => {
            text += "The tables are identical to the byte, whatever the number of threads or \
                interruptions. ";
        }
        timed_out => {
            text += &format!(
                "{} timed out, which depends on the machine; results until then count. ",
                counted(timed_out, "trial")
            );
        }
    }
    text
}

/// Returns the ending of usable trials with this outcome; `None` for failures.
fn manner(outcome: Outcome) -> Option<&'static str> {
    Some(match outcome {
        Outcome::Solved => "at the target",
        Outcome::Generations => "at the limit of generations",
        Outcome::Evaluations => "at the limit of evaluations",
        Outcome::Stagnated => "without further improvement",
        Outcome::Converged => "with a population of too little diversity",
        Outcome::Exhausted => "after all genomes had been tried",
        Outcome::TimedOut => "at the time limit",
        Outcome::Failed | Outcome::Crashed => return None,
    })
}

fn arms_with_failures(facts: &Facts<'_>) -> String {
    let failed: Vec<&ArmFacts<'_>> = facts.arms.iter().filter(|arm| arm.failures > 0).collect();
    if failed.len() > NAMED {
        return format!("in {} arms", failed.len());
    }
    let words = |arm: &&ArmFacts<'_>| format!("{} of {}", count(arm.failures), arm.label);
    failed.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Returns the stopping rule that decided the number of repeats.
fn sequential(repeats: &Table) -> String {
    let confidence = repeats.get("confidence").and_then(Value::as_float).unwrap_or(0.95);
    let most = repeats.get("max").and_then(Value::as_integer).map_or_else(String::new, |most| {
        format!(", at most {} per arm", count(most.unsigned_abs()))
    });
    if let Some(wanted) = repeats.get("successes").and_then(Value::as_integer) {
        let wanted = match wanted.unsigned_abs() {
            1 => "1 success".to_owned(),
            more => format!("{} successes", count(more)),
        };
        return format!("Each arm ran until it had {wanted}{most} (@haldane1945). ");
    }
    let confidence_sequences = "@robbins1970; @howard2021";
    let (question, sources) = if let Some(half) = repeats.get("half-width") {
        let width = number(2.0 * half.as_float().unwrap_or(0.0));
        let question =
            format!("the interval of each arm's success rate was at most {width} wide in total");
        (question, confidence_sequences)
    } else if repeats.contains_key("best") {
        let question = "one arm of each problem was left, while arms that were worse beyond doubt \
            dropped out";
        (question.to_owned(), "@maron1994; @robbins1970; @vovk2021")
    } else {
        let arms = repeats.get("decide").and_then(Value::as_array);
        let arms: Vec<&str> = arms.into_iter().flatten().filter_map(Value::as_str).collect();
        let arms = listed(&arms, "and");
        (format!("it was known which of {arms} has the higher success rate"), confidence_sequences)
    };
    format!(
        "Trials were added until {question}, at a confidence of {} %{most}, with a first look at \
        50 trials and further looks at a quarter more each time ({sources}). ",
        number(100.0 * confidence)
    )
}
