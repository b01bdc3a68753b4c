//! Advice: what a reader of a summary should know before believing it.

use crate::comparison::trials_to_tell;
use crate::enough::Question;
use crate::fingerprint::ArmId;
use crate::operators::Algorithm;
use crate::plan::Plan;
use crate::results::{CONFIDENCE, SummaryRow, SummaryTable, Verdict};
use crate::stats::rate_difference;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

/// Advice on a finished experiment, one line each; nothing where nothing is due.
#[must_use]
pub fn advice(plan: &Plan, summary: &SummaryTable, folder: &Path) -> Vec<String> {
    let rows = &summary.rows;
    let mut lines = Vec::new();
    let failures: u64 = rows.iter().map(|row| row.figures.failures).sum();
    if failures > 0 {
        lines.push(format!(
            "{failures} trial{} failed and {} counted apart; `runner show {} --trials --json` has the errors",
            plural(failures),
            if failures == 1 { "is" } else { "are" },
            folder.display(),
        ));
    }
    let timed_out: u64 = rows.iter().map(|row| row.figures.timed_out).sum();
    if timed_out > 0 {
        lines.push(format!(
            "{timed_out} trial{} ran into trial-seconds: on another machine, or a busier one, they could end otherwise; \
             raise the limit for a result that can be repeated",
            plural(timed_out),
        ));
    }
    let without_search = |row: &&SummaryRow| {
        let figures = &row.figures;
        let population = plan
            .arms
            .iter()
            .find(|arm| arm.id() == row.arm.id)
            .map(|arm| arm.settings.operators.algorithm.population());
        let searched = plan.arms.iter().any(|arm| arm.id() == row.arm.id && arm.settings.stop.generations != Some(0));
        let first = figures.evaluations_to_success.zip(population);
        searched
            && figures.trials >= 20
            && figures.successes == figures.trials
            && figures.generations_median == Some(0.0)
            && first.is_some_and(|(quartiles, population)| quartiles.q75 <= population as f64)
    };
    if let Some(row) = rows.iter().find(without_search) {
        lines.push(format!(
            "most trials of `{}` were solved by their initial population: the problem is too easy to tell searches apart; make it larger",
            row.arm.label,
        ));
    }
    lines.extend(unlucky(rows));
    let alike = plan.arms.iter().find(|arm| matches!(arm.settings.operators.algorithm, Algorithm::Exhaustive { .. }));
    if let Some(arm) = alike.filter(|_| plan.repeats > 1) {
        lines.push(format!(
            "the trials of `{}` are all alike: exhaustive search draws no random numbers, and one trial tells all",
            arm.label,
        ));
    }
    // A decision has its own words.
    if !plan.enough.as_ref().is_some_and(|enough| matches!(enough.question, Question::Decision { .. })) {
        lines.extend(indistinct(plan, rows));
    }
    if plan.library.is_debug_build() {
        lines.push(format!(
            "the plugin `{}` is a debug build, many times slower than cargo build --release gives",
            plan.library.name()
        ));
    }
    if cfg!(debug_assertions) {
        lines.push("this runner is a debug build, many times slower than cargo build --release gives".into());
    }
    lines
}

/// Advice when arms are no better than random search.
fn unlucky(rows: &[SummaryRow]) -> Option<String> {
    let unlucky =
        |row: &&SummaryRow| row.difference().is_some_and(|difference| difference.verdict() != Verdict::Better);
    let mut arms = rows.iter().filter(unlucky);
    let (first, more) = (arms.next()?, arms.count());
    let which = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!(
        "`{}`{which}: no success rate that is better than random search's with as many evaluations",
        first.arm.label
    ))
}

/// Advice when the two arms with the greatest rates on one problem cannot be told apart and a wide interval is the reason.
/// Baselines have their own verdicts.
fn indistinct(plan: &Plan, rows: &[SummaryRow]) -> Option<String> {
    let parameters = |row: &SummaryRow| {
        plan.arms.iter().find(|arm| arm.id() == row.arm.id).map(|arm| arm.settings.parameters.as_slice())
    };
    let baselines: BTreeSet<ArmId> = rows.iter().filter_map(|row| row.arm.baseline).collect();
    let searches = || rows.iter().filter(|row| !baselines.contains(&row.arm.id));
    let best = searches()
        .max_by(|a, b| a.figures.success_rate.partial_cmp(&b.figures.success_rate).unwrap_or(Ordering::Equal))?;
    let mut rated: Vec<_> = searches()
        .filter(|row| parameters(row) == parameters(best))
        .filter_map(|row| row.figures.success_rate.map(|rate| (rate, row)))
        .collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [(rate, first), (other_rate, second), ..] = rated.as_slice() else { return None };
    let counts = |row: &SummaryRow| (row.figures.successes, row.figures.trials);
    let (_, interval) = rate_difference(counts(first), counts(second), CONFIDENCE)?;
    // A narrow interval around 0 is an answer: the arms are alike.
    if Verdict::of(interval) != Verdict::Unclear || rate == other_rate || interval.high - interval.low < 0.04 {
        return None;
    }
    let needed = trials_to_tell(*rate, *other_rate, 0.05, 0.9)?;
    Some(format!(
        "the success rates of `{}` ({rate:.2}) and `{}` ({other_rate:.2}) cannot be told apart: the 95 % interval of their difference holds 0; \
         with rates like these, about {} trials an arm would show it (--repeats)",
        first.arm.label,
        second.arm.label,
        super::count(round_up(needed)),
    ))
}

/// Up to two significant digits.
pub fn round_up(number: f64) -> u64 {
    let number = number.clamp(1.0, 1e15);
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    ((number / unit).ceil() * unit) as u64
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
