//! Summary of an experiment: one row per arm.

use super::arms::{ArmName, arm_columns};
use super::format::{ends, ert_interval, percent, rate, rate_ends, rate_interval, real, signed};
use super::report::{Column, NOTHING, Report, Rows, fitted, paragraph};
use crate::analysis::{ArmSummary, CONFIDENCE, RateMethod, Spread, SummaryRow, SummaryTable};
use crate::problem::parameter::Value;
use crate::sequential::race::Standing;
use crate::stats::ERT_SUCCESSES;
use crate::words::{count, counted};
use serde_json::json;
use std::collections::HashMap;

/// Characters of a full bar.
const BAR: usize = 10;

/// Returns the summary as a report. The best arms of each problem have the highest success rate and
/// the least expected running time; without any target, the least median fitness.
pub(crate) fn summary_report(summary: &SummaryTable) -> Report {
    let rows = &summary.rows;
    let swept: Vec<Vec<(String, Value)>> =
        rows.iter().map(|row| row.arm.swept_with(&summary.swept_keys)).collect();
    let names: Vec<Vec<ArmName<'_>>> = rows
        .iter()
        .zip(&swept)
        .map(|(row, swept)| vec![ArmName { operators: &row.arm.operators, swept }])
        .collect();
    let mut columns = arm_columns("arm", &names);
    let all = Rows(rows);
    let figures = || rows.iter().map(|row| &row.figures);
    columns.push(all.count("trials", |row| row.trials));
    if rows.iter().any(|row| row.standing.is_some()) {
        columns.push(all.text("race", race).on_screens());
    }
    let failed = figures().any(|row| row.failures > 0);
    if failed {
        columns.push(all.count("failed", |row| row.failures));
    }
    if figures().any(|row| row.timed_out > 0) {
        columns.push(all.count("timed\nout", |row| row.timed_out).on_screens());
    }
    if figures().any(|row| row.defines_success) || rows.is_empty() {
        columns.extend(rates(summary, failed));
        let fitness = all.real("fitness\n(median)", |row| median(row.best_fitness));
        columns.push(fitness.giving_way(5));
    } else {
        type Of = fn(Spread) -> Option<f64>;
        let others: [(&str, Of, u8); 4] = [
            ("fitness\n(least)", |one| Some(one.min), 4),
            ("fitness\n(greatest)", |one| Some(one.max), 4),
            ("fitness\n(mean)", |one| Some(one.mean), 3),
            ("standard\ndeviation", |one| one.deviation, 2),
        ];
        let [least, greatest, mean, deviation] = others.map(|(heading, of, rank)| {
            all.real(heading, move |row| row.best_fitness.and_then(of))
                .on_screens()
                .giving_way(rank)
        });
        let mut fitness = all
            .real("fitness\n(median)", |row| median(row.best_fitness))
            .best(best(rows, &|row| median(row.best_fitness)));
        let spread = || figures().filter_map(|row| row.best_fitness);
        if spread().any(|one| one.q25.is_some()) {
            fitness = fitness.quartiles(all.each(quartiles), 1);
        }
        columns.extend([least, fitness, greatest, mean]);
        columns.extend(Some(deviation).filter(|_| spread().any(|one| one.deviation.is_some())));
        columns.extend(against_random(summary));
    }
    if figures().any(|row| row.feasibility.is_some()) {
        let feasible = |row: &SummaryRow| {
            row.figures.feasibility.map_or(NOTHING.to_owned(), |one| rate(one.rate))
        };
        columns.push(all.figure("feasible", feasible).on_screens().giving_way(7));
    }
    Report::new(columns)
}

/// Returns the summary as a table of at most `width` columns, with notes on what its figures leave
/// out. Ends with a newline.
pub fn summary_table(summary: &SummaryTable, width: u16) -> String {
    report_table(summary_report(summary), summary, width)
}

/// Returns a report of the arms of a summary as [`summary_table`] does.
pub(crate) fn report_table(report: Report, summary: &SummaryTable, width: u16) -> String {
    let width = usize::from(width);
    let table = fitted(&[report], width, "`runner show --csv`");
    summary_notes(summary).iter().fold(table, |text, note| text + &paragraph(note, width))
}

/// Returns the columns of success and of its cost.
fn rates(summary: &SummaryTable, failed: bool) -> Vec<Column> {
    let rows = &summary.rows;
    let all = Rows(rows);
    let level = percent(summary.rate_interval().confidence);
    let success = |row: &SummaryRow| row.figures.success_rate.map_or(NOTHING.to_owned(), rate);
    let interval = |row: &SummaryRow| {
        row.figures.success_interval.map_or(String::new(), |one| rate_ends(&one))
    };
    let bars = |row: &SummaryRow| {
        let rate = row.figures.success_rate;
        rate.map_or(String::new(), |rate| bar(rate, BAR))
    };
    let success = all
        .figure("success rate", success)
        .intervals(level, all.each(interval), 8)
        .sorted_by(all.each(|row| json!(row.figures.success_rate)))
        .best(best(rows, &|row| row.success_rate.map(|rate| -rate)));
    let mut columns = vec![success, all.text(" ", bars).in_terminals().giving_way(3)];
    if failed {
        let bound =
            |row: &SummaryRow| row.figures.bounds().map_or(NOTHING.to_owned(), |one| rate(one.low));
        let column = all.figure("rate if\nfailures\ncount", bound);
        columns.push(column.on_screens().giving_way(8));
    }
    columns.extend(against_random(summary));
    let to_success = |row: &ArmSummary| row.evaluations_to_success.map(|one| one.median);
    columns.push(all.real("evaluations\n(median)", to_success).giving_way(4));
    let ert = |row: &SummaryRow| row.figures.ert.map_or(NOTHING.to_owned(), |ert| real(ert.value));
    let interval =
        |row: &SummaryRow| row.figures.ert.map_or(String::new(), |ert| ert_interval(&ert));
    columns.push(
        all.figure("ERT", ert)
            .intervals(percent(CONFIDENCE), all.each(interval), 6)
            .sorted_by(all.each(|row| json!(row.figures.ert.map(|ert| ert.value))))
            .best(best(rows, &|row| row.ert.map(|ert| ert.value)))
            .giving_way(9),
    );
    columns
}

/// Returns the columns of the comparison with the baseline; empty if there is none.
fn against_random(summary: &SummaryTable) -> Vec<Column> {
    let all = Rows(&summary.rows);
    if summary.rows.iter().all(|row| row.baseline_comparison.is_none()) {
        return Vec::new();
    }
    let mut columns = Vec::new();
    if summary.rows.iter().any(|row| row.difference().is_some()) {
        let difference =
            |row: &SummaryRow| row.difference().map_or(NOTHING.to_owned(), |one| signed(one.value));
        let interval = |row: &SummaryRow| {
            let ends = |one: crate::stats::Interval| ends(&signed(one.low), &signed(one.high));
            row.difference().map_or(String::new(), |one| ends(one.interval))
        };
        columns.push(
            all.figure("difference\nfrom random", difference)
                .intervals(percent(CONFIDENCE), all.each(interval), 2)
                .sorted_by(all.each(|row| json!(row.difference().map(|one| one.value))))
                .on_screens()
                .giving_way(4),
        );
    }
    let verdict =
        |row: &SummaryRow| row.verdict().map_or(NOTHING.to_owned(), |verdict| verdict.to_string());
    columns.push(all.text("against\nrandom", verdict).on_screens().giving_way(7));
    columns
}

impl Rows<'_, SummaryRow> {
    fn count(&self, heading: &str, number: impl Fn(&ArmSummary) -> u64) -> Column {
        self.figure(heading, |row| count(number(&row.figures)))
            .sorted_by(self.each(|row| json!(number(&row.figures))))
    }

    fn real(&self, heading: &str, value: impl Fn(&ArmSummary) -> Option<f64>) -> Column {
        self.figure(heading, |row| value(&row.figures).map_or(NOTHING.to_owned(), real))
            .sorted_by(self.each(|row| json!(value(&row.figures))))
    }
}

fn median(fitness: Option<Spread>) -> Option<f64> {
    fitness.map(|spread| spread.median)
}

/// Returns the outer quartiles of an arm's best fitness; empty if they are not known.
fn quartiles(row: &SummaryRow) -> String {
    let quartiles = row.figures.best_fitness.and_then(|one| one.q25.zip(one.q75));
    quartiles.map_or(String::new(), |(low, high)| ends(&real(low), &real(high)))
}

/// Returns the result of an arm in its race.
fn race(row: &SummaryRow) -> String {
    match row.standing {
        None => NOTHING.to_owned(),
        Some(Standing::Best) => "best".to_owned(),
        Some(Standing::DroppedOut { after }) => format!("out after {}", count(after)),
        Some(Standing::NotToldApart) => "left".to_owned(),
    }
}

/// Marks the rows with the least value of their problem, unless all rows of the problem have it.
fn best(rows: &[SummaryRow], value: &dyn Fn(&ArmSummary) -> Option<f64>) -> Vec<Option<usize>> {
    let mut of_problems: HashMap<String, Vec<(usize, Option<f64>)>> = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        let problem = row.arm.settings.problem_toml();
        of_problems.entry(problem).or_default().push((place, value(&row.figures)));
    }
    let mut best = vec![None; rows.len()];
    for of_problem in of_problems.values() {
        let least = of_problem.iter().filter_map(|(_, value)| *value).reduce(f64::min);
        if of_problem.iter().any(|(_, value)| *value != least) {
            let marked = of_problem.iter().filter(|(_, value)| value.is_some() && *value == least);
            marked.for_each(|(place, _)| best[*place] = Some(0));
        }
    }
    best
}

/// Draws a rate as a bar of `length` characters, to the eighth of one.
fn bar(rate: f64, length: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (rate * (length * 8) as f64).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    text.push_str(EIGHTHS[eighths % 8]);
    let drawn = eighths.div_ceil(8);
    text.push_str(&"░".repeat(length - drawn));
    text
}

/// Explains the columns of the table for a paper.
pub(crate) fn summary_methods(summary: &SummaryTable) -> String {
    if !summary.rows.is_empty() && summary.rows.iter().all(|row| !row.figures.defines_success) {
        return format!(
            "{}. Fitness: of the best genome of a trial. Bold: the best of each problem.",
            summary.experiment
        );
    }
    format!(
        "{}. Success rate with its interval ({}); evaluations to success, of the successes; ERT: \
        expected running time in evaluations, with its interval (bootstrap-t {}; – with fewer than \
        {ERT_SUCCESSES} successes); fitness: of the best genome of a trial. Bold: the best of each \
        problem.",
        summary.experiment,
        rate_interval(&summary.rate_interval()),
        percent(CONFIDENCE)
    )
}

/// Returns notes on what the figures leave out; empty if there are none.
pub(crate) fn summary_notes(summary: &SummaryTable) -> Vec<String> {
    let figures = || summary.rows.iter().map(|row| &row.figures);
    let rates = figures().any(|row| row.defines_success) || summary.rows.is_empty();
    let interval = summary.rate_interval();
    let mut notes = Vec::new();
    if rates && interval.method == RateMethod::Sequence {
        notes.push(format!(
            "A stopping rule decided the number of trials. The intervals of the success rates ({} \
            confidence sequences) allow for that. The rates themselves are slightly biased towards \
            the side that stopped the trials, and the intervals of the ERT ({}, bootstrap) are not \
            adjusted.",
            percent(interval.confidence),
            percent(CONFIDENCE)
        ));
    }
    if rates && interval.method == RateMethod::InverseSampling {
        notes.push(format!(
            "A number of successes ended the trials of each arm. The intervals of the success \
            rates ({}, exact; confidence sequences where trials failed) allow for that. The \
            rates themselves are biased upwards, and the intervals of the ERT ({}, bootstrap) \
            are not adjusted.",
            percent(interval.confidence),
            percent(CONFIDENCE)
        ));
    }
    if !rates {
        notes.push(
            "Success is not defined: the problem states no ideal, and the experiment no target \
            (stop.fitness)."
                .to_owned(),
        );
    }
    if figures().any(|row| row.feasibility.is_some()) {
        notes.push(
            "Fitness is that of the trials whose best genome is feasible; `feasible` is their \
            share."
                .to_owned(),
        );
    }
    if summary.rows.iter().any(|row| row.standing.is_some()) {
        notes.push(
            "The arms raced: `out` dropped out, worse beyond doubt; `left` could not be told from \
            the others that are left."
                .to_owned(),
        );
    }
    let failures: u64 = figures().map(|row| row.failures).sum();
    if failures > 0 {
        notes.push(format!(
            "{} failed or crashed: see `error` in trials.parquet. Figures are computed from the \
            trials that ran.",
            counted(failures, "trial"),
        ));
    }
    let timed_out: u64 = figures().map(|row| row.timed_out).sum();
    if timed_out > 0 {
        notes.push(format!(
            "{} timed out (stop.trial-seconds); which ones depends on the machine.",
            counted(timed_out, "trial")
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_rate() {
        assert_eq!(bar(0.0, BAR), "░░░░░░░░░░");
        assert_eq!(bar(0.5, BAR), "█████░░░░░");
        assert_eq!(bar(0.26, BAR), "██▋░░░░░░░");
        assert_eq!(bar(1.0, BAR), "██████████");
    }
}
