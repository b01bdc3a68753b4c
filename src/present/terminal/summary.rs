//! The summary as a table for papers.

use super::arms::{ArmName, arm_columns};
use super::grid::{Cell, Column, Grid, NOTHING};
use super::latex::latex;
use crate::analysis::{ArmSummary, CONFIDENCE, SummaryRow, SummaryTable};
use crate::present::format::{count, ert_interval, percent, rate, rate_interval, real};
use crate::problem::parameter::Value;
use crate::stats::ERT_SUCCESSES;

/// The table; of each problem the highest success rate and the least expected running time are
/// bold.
#[must_use]
pub(crate) fn summary_latex(summary: &SummaryTable) -> String {
    let rows = &summary.rows;
    let swept: Vec<Vec<(String, Value)>> =
        rows.iter().map(|row| row.arm.swept_with(&summary.swept_keys)).collect();
    let names: Vec<Vec<ArmName<'_>>> = rows
        .iter()
        .zip(&swept)
        .map(|(row, swept)| vec![ArmName { operators: &row.arm.operators, swept }])
        .collect();
    let figure = |heading: String, text: &dyn Fn(&ArmSummary) -> String| {
        let cells = rows.iter().map(|row| Cell::Whole(text(&row.figures))).collect();
        Column::figure(heading, cells)
    };
    let interval = summary.rate_interval();
    let least = |value: &dyn Fn(&ArmSummary) -> Option<f64>| best(rows, value);
    let mut columns = arm_columns("arm", &names);
    columns.push(figure("trials".to_owned(), &|row| count(row.trials)));
    if rows.iter().any(|row| row.figures.failures > 0) {
        columns.push(figure("failed".to_owned(), &|row| count(row.failures)));
    }
    columns.push(
        figure(format!("success rate\n({})", percent(interval.confidence)), &success)
            .best(least(&|row| row.success_rate.map(|rate| -rate))),
    );
    columns.push(figure("evaluations\n(median)".to_owned(), &|row| {
        row.evaluations_to_success.map_or(NOTHING.to_owned(), |one| real(one.median))
    }));
    columns.push(
        figure(format!("ERT\n({})", percent(CONFIDENCE)), &ert)
            .best(least(&|row| row.ert.map(|ert| ert.value))),
    );
    let fitness = figure("fitness\n(median)".to_owned(), &|row| {
        row.best_fitness.map_or(NOTHING.to_owned(), |spread| real(spread.median))
    });
    // Without a target fitness is all that arms can be compared by.
    let rates = rows.iter().any(|row| row.figures.defines_success);
    let lowest = || least(&|row| row.best_fitness.map(|spread| spread.median));
    columns.push(if rates { fitness } else { fitness.best(lowest()) });
    let notes = format!(
        "{}. Success rate with its interval ({}); evaluations to success, of the successes; ERT: \
        expected running time in evaluations, with its interval (bootstrap-t {}; – with fewer than \
        {ERT_SUCCESSES} successes); fitness: of the best genome of a trial. Bold: the best of each \
        problem.",
        summary.experiment,
        rate_interval(&interval),
        percent(CONFIDENCE)
    );
    latex(&Grid { columns, between: "" }, &notes)
}

/// The rows that have the least value among those of their problem, unless all there have it.
fn best(rows: &[SummaryRow], value: &dyn Fn(&ArmSummary) -> Option<f64>) -> Vec<Option<usize>> {
    let problems: Vec<String> = rows.iter().map(|row| row.arm.settings.problem_toml()).collect();
    let is_best = |(row, problem): (&SummaryRow, &String)| {
        let own = value(&row.figures)?;
        let same = rows.iter().zip(&problems).filter(|(_, other)| *other == problem);
        let others: Vec<Option<f64>> = same.map(|(row, _)| value(&row.figures)).collect();
        let least = others.iter().flatten().all(|other| own <= *other);
        let alike = others.iter().all(|other| *other == Some(own));
        (least && !alike).then_some(0)
    };
    rows.iter().zip(&problems).map(is_best).collect()
}

fn success(row: &ArmSummary) -> String {
    match row.success_rate.zip(row.success_interval) {
        Some((value, interval)) => {
            format!("{} ({})", rate(value), interval.ends())
        }
        None => NOTHING.to_owned(),
    }
}

fn ert(row: &ArmSummary) -> String {
    let Some(ert) = row.ert else { return NOTHING.to_owned() };
    format!("{} ({})", real(ert.value), ert_interval(&ert))
}
