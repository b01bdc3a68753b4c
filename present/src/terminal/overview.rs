//! Overview of several experiments, one line each.

use crate::analysis::SummaryTable;
use crate::report::{Report, Rows, fitted};
use crate::system::output::visible_line;
use crate::words::count;

/// A finished experiment.
pub struct OverviewLine {
    /// Name of the experiment.
    pub experiment: String,
    /// Number of arms.
    pub arms: u64,
    /// Number of trials.
    pub trials: u64,
    /// Number of failed and crashed trials.
    pub failures: u64,
    /// First sentence of the answer; may be empty.
    pub answer: String,
}

impl OverviewLine {
    /// Summarises a finished experiment.
    pub fn new(summary: &SummaryTable, answer: &[String]) -> Self {
        let sum = |number: fn(&crate::analysis::ArmSummary) -> u64| {
            summary.rows.iter().map(|row| number(&row.figures)).sum()
        };
        OverviewLine {
            experiment: summary.experiment.clone(),
            arms: summary.rows.len() as u64,
            trials: sum(|row| row.trials),
            failures: sum(|row| row.failures),
            answer: answer.first().cloned().unwrap_or_default(),
        }
    }
}

/// Returns the experiments as a table of at most `width` columns.
pub fn overview(lines: &[OverviewLine], width: u16) -> String {
    let rows = Rows(lines);
    let mut columns = vec![
        rows.name("experiment", |line| visible_line(&line.experiment).into_owned()),
        rows.figure("arms", |line| count(line.arms)),
        rows.figure("trials", |line| count(line.trials)),
    ];
    if lines.iter().any(|line| line.failures > 0) {
        columns.push(rows.figure("failed", |line| count(line.failures)));
    }
    columns.push(rows.text("answer", |line| line.answer.clone()));
    fitted(&[Report::new(columns)], width.into(), "")
}
