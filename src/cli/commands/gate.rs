//! `runner gate`: tests whether the intervals of every arm's figures meet conditions.

use super::arms::open;
use super::output::line;
use crate::analysis::{Condition, Figure, GatedTrials, Judgement, Measured};
use crate::cli::Failure;
use crate::cli::arguments::GateArguments;
use crate::exit::Exit;
use crate::plan::ArmSpec;
use crate::present::format::{ends, rate, real_beside, round_up};
use crate::present::report::{Column, NOTHING, Report, TableFormat};
use crate::record::TrialRecord;
use crate::results::Results;
use crate::system::output::put_exactly;
use crate::words::{count, counted};
use serde_json::{Value, json};

/// Prints whether each arm passes. The exit code is that of the worst arm.
pub(super) fn gate(arguments: &GateArguments) -> Result<Exit, Failure> {
    let results = open(&arguments.folder, &arguments.arms)?;
    let conditions = &arguments.conditions;
    refuse_without_success(&results, conditions)?;
    let mut trials: Vec<GatedTrials> = results
        .arms()
        .iter()
        .enumerate()
        .map(|(place, arm)| GatedTrials::new(arm, results.draws(place)))
        .collect();
    // In an unfinished experiment, a missing trial before others may have failed and run again.
    let mut missing = vec![0; trials.len()];
    let has_gaps = results.planned().is_some() && results.shard().is_none();
    let mut next = vec![has_gaps.then_some(0); trials.len()];
    results.figures(|trial: TrialRecord| {
        let arm = trial.arm;
        if let Some(next) = &mut next[arm] {
            missing[arm] += trial.trial - *next;
            *next = trial.trial + 1;
        }
        trials[arm].add(&trial);
    })?;
    announce(&results, &trials, conditions);
    for ((arm, missing), trials) in results.arms().iter().zip(&missing).zip(&mut trials) {
        trials.add_missing(*missing);
        if *missing > 0 {
            let (missing, label) = (counted(*missing, "trial"), &arm.label);
            note!(
                "{missing} of `{label}` with lower numbers than others are missing; the intervals \
                hold whatever they come to"
            );
        }
    }
    let checked: Vec<Vec<Checked>> = trials
        .iter()
        .map(|arm| {
            conditions.iter().map(|one| Checked::new(*one, arm, &results, arguments)).collect()
        })
        .collect();
    let answers: Vec<Judgement> = checked
        .iter()
        .map(|arm| arm.iter().map(|one| one.answer).max().expect("a condition is required"))
        .collect();
    let number = |is: Judgement| answers.iter().filter(|answer| **answer == is).count() as u64;
    let (pass, untold, fail) =
        (number(Judgement::Pass), number(Judgement::Untold), number(Judgement::Fail));
    if arguments.json {
        put_exactly(
            &table(&results, &trials, &checked, arguments.confidence).text(TableFormat::Json),
        );
    } else {
        for ((arm, checked), answer) in results.arms().iter().zip(&checked).zip(&answers) {
            let deciding = checked.iter().filter(|one| one.answer == *answer);
            let words: Vec<String> = deciding.map(Checked::words).collect();
            line!("{:<11}  {}: {}", answer_words(*answer), arm.label, words.join(", "));
        }
        line!(
            "{} pass{}, {} fail{}, {} cannot be told",
            count(pass),
            if pass == 1 { "es" } else { "" },
            count(fail),
            if fail == 1 { "s" } else { "" },
            count(untold)
        );
    }
    Ok(match (fail, untold) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Undecided,
        _ => Exit::SomeFailed,
    })
}

/// Refuses a condition on successes of an arm that cannot have any.
fn refuse_without_success(results: &Results, conditions: &[Condition]) -> Result<(), Failure> {
    let of_success = conditions.iter().find(|one| one.figure != Figure::BestFitness);
    let without = results.arms().iter().find(|arm| !arm.settings.defines_success());
    let (Some(condition), Some(arm)) = (of_success, without) else { return Ok(()) };
    Err(Failure::usage(format!(
        "--at-least: `{condition}` needs successes, and no trial of `{}` can be one, for want of a \
        target; use best_fitness_median, or choose other arms with --arm",
        arm.label
    )))
}

/// Prints notes about the trials that the figures leave out.
fn announce(results: &Results, trials: &[GatedTrials], conditions: &[Condition]) {
    for (arm, trials) in results.arms().iter().zip(trials) {
        let ArmSpec { label, .. } = arm;
        let (failures, all) = (trials.counts.failures, trials.counts.least().1);
        if failures > 0 {
            let (failures, all) = (count(failures), count(all));
            note!(
                "{failures} of {all} trials of `{label}` failed; the intervals hold whatever they \
                would have come to"
            );
        }
    }
    if let Some(planned) = results.planned() {
        let done: u64 = trials.iter().map(|arm| arm.counts.least().1).sum();
        let (done, all) = (count(done), count(planned * trials.len() as u64));
        note!("unfinished: {done} of {all} trials; the figures are those so far");
    }
    let adjusted = |one: &Condition| one.figure == Figure::SuccessRate;
    if results.stopping_rule().is_some() && !conditions.iter().all(adjusted) {
        note!(
            "a stopping rule in `repeats` decided the number of trials: intervals are adjusted for \
            that in success_rate alone"
        );
    }
}

/// A condition, with what an arm's trials show about it.
struct Checked {
    condition: Condition,
    measured: Measured,
    answer: Judgement,
    /// Whether all trials are the same.
    is_exact: bool,
    /// Number of further trials that would decide; `None` if unknown.
    more_trials: Option<u64>,
}

impl Checked {
    fn new(
        condition: Condition,
        trials: &GatedTrials,
        results: &Results,
        arguments: &GateArguments,
    ) -> Self {
        let (level, rule) = (arguments.confidence, results.stopping_rule());
        let measured = trials.measure(condition.figure, level, rule);
        let answer = condition.answer(measured.interval);
        let is_easy = condition.figure == Figure::SuccessRate
            && answer == Judgement::Untold
            && rule.is_none()
            && trials.counts.failures == 0;
        let more = is_easy.then(|| condition.more_trials(trials.counts, level)).flatten();
        let is_exact = trials.are_exact();
        Checked {
            condition,
            measured,
            answer,
            is_exact,
            more_trials: more.map(|more| round_up(more as f64)),
        }
    }

    /// Returns a text such as "success_rate 0.508 (0.477 to 0.539) >= 0.4".
    fn words(&self) -> String {
        let Condition { figure, operator, limit } = self.condition;
        let number = |value: f64| match figure {
            Figure::SuccessRate if rate(value) != rate(limit) || value == limit => rate(value),
            _ => real_beside(value, &[limit]),
        };
        let interval = match self.measured.interval {
            Some(_) if self.is_exact => "exact".to_owned(),
            Some(one) => ends(&number(one.low), &number(one.high)),
            None => match figure {
                Figure::SuccessRate => "no trials",
                Figure::Ert => "no interval: few successes, or all alike",
                Figure::EvaluationsToSuccess => "no interval: few successes",
                Figure::BestFitness => "no interval: few trials",
            }
            .to_owned(),
        };
        let value = self.measured.value.map_or_else(|| NOTHING.to_owned(), number);
        let more = self.more_trials.map_or_else(String::new, |more| {
            format!("; about {} would decide at this rate", counted(more, "more trial"))
        });
        format!("{} {value} ({interval}) {} {limit}{more}", figure.as_str(), operator.as_str())
    }
}

fn answer_words(answer: Judgement) -> &'static str {
    match answer {
        Judgement::Pass => "pass",
        Judgement::Untold => "cannot tell",
        Judgement::Fail => "fail",
    }
}

const COLUMNS: [&str; 12] = [
    "arm",
    "trials",
    "failures",
    "figure",
    "operator",
    "limit",
    "value",
    "low",
    "high",
    "confidence",
    "verdict",
    "more_trials",
];

/// Returns the table with one row per arm and condition.
fn table(
    results: &Results,
    trials: &[GatedTrials],
    checked: &[Vec<Checked>],
    confidence: f64,
) -> Report {
    let mut rows = Vec::new();
    for ((arm, trials), checked) in results.arms().iter().zip(trials).zip(checked) {
        rows.extend(checked.iter().map(|one| -> Vec<Value> {
            let Condition { figure, operator, limit } = one.condition;
            vec![
                json!(arm.label),
                json!(trials.counts.trials),
                json!(trials.counts.failures),
                json!(figure.as_str()),
                json!(operator.as_str()),
                json!(limit),
                json!(one.measured.value),
                json!(one.measured.interval.map(|interval| interval.low)),
                json!(one.measured.interval.map(|interval| interval.high)),
                json!(confidence),
                json!(answer_words(one.answer)),
                json!(one.more_trials),
            ]
        }));
    }
    Report::new(vec![Column::data("", []).keyed(&COLUMNS, rows)])
}
