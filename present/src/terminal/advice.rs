//! Advice: caveats for the reader of a summary.

use crate::analysis::comparison::Comparison;
use crate::analysis::{SummaryRow, SummaryTable, Verdict};
use crate::format::{percent, real, round_up, within_words};
use crate::plan::stopping::StoppingCriterion;
use crate::plan::{Arm, ArmId, Plan};
use crate::report::NOTHING;
use crate::system::shell::shell_path;
use crate::words::{count, counted};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Returns advice on trials that the limit of seconds ended; `None` without such trials.
pub(crate) fn of_timed_out(trials: u64) -> Option<String> {
    (trials > 0).then(|| {
        format!(
            "{} reached the limit trial-seconds: on another machine, or a busier one, they could \
            end differently; raise the limit for a reproducible result",
            counted(trials, "trial"),
        )
    })
}

/// Returns advice on a finished experiment, one line each; may be empty. `compared` has the
/// comparisons of its arms, as in `runner compare`.
pub fn advice(
    plan: &Plan,
    summary: &SummaryTable,
    compared: &[Comparison],
    folder: &Path,
) -> Vec<String> {
    let rows = &summary.rows;
    let mut lines = Vec::new();
    lines.extend(failed(rows, folder));
    let timed_out: u64 = rows.iter().map(|row| row.figures.timed_out).sum();
    lines.extend(of_timed_out(timed_out));
    let arms: HashMap<ArmId, &Arm> = plan.arms.iter().map(|arm| (arm.id(), arm)).collect();
    let without_search = |row: &&SummaryRow| {
        let figures = &row.figures;
        let Some(arm) = arms.get(&row.arm.id) else { return false };
        let population = arm.settings.operators.algorithm.population();
        let first = figures.evaluations_to_success;
        arm.settings.stop.generations != Some(0)
            && figures.trials >= 20
            && figures.successes == figures.trials
            && figures.generations_median == Some(0.0)
            && first.is_some_and(|quartiles| quartiles.q75 <= population as f64)
    };
    if let Some(row) = rows.iter().find(without_search) {
        lines.push(format!(
            "most trials of `{}` were solved by their initial population: the problem is too easy \
            to tell searches apart; make it larger",
            row.arm.label,
        ));
    }
    lines.extend(unlucky(rows));
    let alike = plan.arms.iter().find(|arm| arm.is_deterministic());
    if let Some(arm) = alike.filter(|_| plan.repeats > 1) {
        lines.push(format!(
            "the trials of `{}` are all identical: exhaustive search draws no random numbers, so \
            one trial is enough",
            arm.label,
        ));
    }
    // A decision and a race have separate texts.
    let criterion = plan.stopping_rule.as_ref().map(|rule| &rule.criterion);
    if !matches!(
        criterion,
        Some(StoppingCriterion::Decision { .. } | StoppingCriterion::Best { .. })
    ) {
        lines.extend(indistinct(rows, compared, folder));
    }
    let operators = plan.operator_libraries.iter().map(|one| &one.library);
    let slow: BTreeSet<&str> = std::iter::once(&plan.library)
        .chain(operators)
        .filter(|library| library.is_debug_build())
        .map(|library| library.name())
        .collect();
    lines.extend(slow.into_iter().map(|name| {
        format!(
            "the plugin `{name}` is a debug build, which is many times slower than a build with \
            cargo build --release"
        )
    }));
    if cfg!(debug_assertions) {
        lines.push(
            "this runner is a debug build, which is many times slower than a build with cargo \
            build --release"
                .into(),
        );
    }
    lines
}

/// Returns the effect of failures, for the arm with the most; `None` without failures.
fn failed(rows: &[SummaryRow], folder: &Path) -> Option<String> {
    let all: u64 = rows.iter().map(|row| row.figures.failures).sum();
    let row = rows
        .iter()
        .filter(|row| row.figures.failures > 0)
        .max_by_key(|row| row.figures.failures)?;
    let (counts, bounds) = (row.figures.counts(), row.figures.counts().bounds()?);
    let of_all = match all - counts.failures {
        0 => String::new(),
        more => format!(" ({} more in other arms)", count(more)),
    };
    let rate = match row.figures.success_rate {
        Some(rate) => {
            format!(
                "its success rate, {rate:.3}, is computed from the other {}",
                count(counts.trials)
            )
        }
        None => "it has no success rate".to_owned(),
    };
    Some(format!(
        "{} of the {} trials of `{}` failed{of_all}: {rate}; if failures count as unsuccessful it \
        is {:.3}, and no verdict is given that the failures could turn; `runner show {} --trials \
        --json` shows the errors",
        count(counts.failures),
        count(counts.trials + counts.failures),
        row.arm.label,
        bounds.low,
        shell_path(folder),
    ))
}

/// Returns advice if arms are no better than random search.
fn unlucky(rows: &[SummaryRow]) -> Option<String> {
    // Verdicts that failures leave open have a separate text.
    let unlucky =
        |row: &&SummaryRow| matches!(row.verdict(), Some(Verdict::Worse | Verdict::Unclear));
    let mut arms = rows.iter().filter(unlucky);
    let (first, more) = (arms.next()?, arms.count());
    let which = if more == 0 { String::new() } else { format!(" and {more} more") };
    let baseline = rows.iter().find(|row| Some(row.arm.id) == first.arm.baseline);
    let always = |row: &SummaryRow| row.figures.success_rate == Some(1.0);
    if let Some(baseline) = baseline.filter(|baseline| more == 0 && always(baseline))
        && always(first)
    {
        let ert =
            |row: &SummaryRow| row.figures.ert.map_or(NOTHING.to_owned(), |one| real(one.value));
        return Some(format!(
            "`{}` and random search both always succeed, in {} against {} evaluations on average, \
            and no test tells them apart",
            first.arm.label,
            ert(first),
            ert(baseline)
        ));
    }
    Some(format!(
        "`{}`{which}: no test shows that it is better than random search on the same budget",
        first.arm.label
    ))
}

/// Returns advice if the arm with the greatest rate has no detected difference from the next one
/// because of a wide interval. Both are chosen after the fact, so the statement is based on all
/// comparisons together. Baselines have separate verdicts.
fn indistinct(rows: &[SummaryRow], compared: &[Comparison], folder: &Path) -> Option<String> {
    let is_baseline = |label: &str| {
        let id = rows.iter().find(|row| row.arm.label == label).map(|row| row.arm.id);
        rows.iter().any(|row| row.arm.baseline.is_some() && row.arm.baseline == id)
    };
    let searches =
        || compared.iter().filter(|one| !is_baseline(&one.first) && !is_baseline(&one.second));
    // The first arm of a comparison has the higher rate.
    let best = searches().max_by(|a, b| a.rates.0.total_cmp(&b.rates.0))?;
    let next = searches()
        .filter(|one| one.first == best.first)
        .max_by(|a, b| a.rates.1.total_cmp(&b.rates.1))?;
    let width = next.difference_interval.high - next.difference_interval.low;
    // A narrow interval around 0 is an answer: the arms are alike.
    if next.verdict != Verdict::Unclear || next.difference <= 0.0 || width < 0.04 {
        return None;
    }
    let more = next.needed.map_or_else(String::new, |more| {
        let all = more + next.trials.0.min(next.trials.1);
        format!(
            "; with rates like these, about {} trials per arm would show it (--repeats)",
            count(round_up(all as f64))
        )
    });
    let within = within_words(next.budget_of_rates());
    Some(format!(
        "the success rates of `{}` ({:.2}) and `{}` ({:.2}){within} cannot be told apart at \
        {}{more}; `runner compare {}` has {}",
        next.first,
        next.rates.0,
        next.second,
        next.rates.1,
        percent(next.confidence),
        shell_path(folder),
        if compared.len() == 1 {
            "the comparison".to_owned()
        } else {
            format!("all {} comparisons", compared.len())
        },
    ))
}
