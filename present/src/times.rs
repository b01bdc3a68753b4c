//! Times of trials as a report: one row per arm.

use super::arms::{ArmName, arm_columns};
use super::format::{ends, seconds};
use super::report::{NOTHING, Report, Rows};
use crate::analysis::{ArmTimes, Quartiles};
use crate::plan::ArmSpec;
use crate::problem::parameter::Value as Setting;
use crate::words::count;
use serde_json::json;

/// An arm with its times.
#[derive(Clone)]
pub struct TimesRow {
    /// Name of the experiment.
    pub experiment: String,
    /// Arm whose times these are.
    pub arm: ArmSpec,
    /// Swept keys with the arm's values.
    pub swept: Vec<(String, Setting)>,
    /// Wall times of the trials.
    pub times: ArmTimes,
    /// Processor and system of the machine.
    pub machine: String,
}

/// Returns the times of these arms as a report.
pub fn times_report(rows: &[TimesRow]) -> Report {
    let names: Vec<Vec<ArmName<'_>>> = rows
        .iter()
        .map(|row| vec![ArmName { operators: &row.arm.operators, swept: &row.swept }])
        .collect();
    let rows = Rows(rows);
    let medians = |heading: &str, keys: [&str; 3], of: fn(&ArmTimes) -> Option<Quartiles>| {
        let median =
            |row: &TimesRow| of(&row.times).map_or(NOTHING.to_owned(), |one| seconds(one.median));
        let spread = |row: &TimesRow| of(&row.times).map_or(String::new(), spread);
        let values = |row: &TimesRow| {
            let one = of(&row.times);
            [one.map(|one| one.median), one.map(|one| one.q25), one.map(|one| one.q75)]
                .map(|value| json!(value))
        };
        rows.figure(heading, median)
            .quartiles(rows.each(spread), 2)
            .keyed(&keys, rows.values(values))
    };
    let mut columns = vec![rows.data(["experiment"], |row| [json!(row.experiment)])];
    let mut arms = arm_columns("arm", &names);
    let name = arms.remove(0);
    columns.push(name.keyed(&["arm"], rows.values(|row| [json!(row.arm.label)])));
    columns.extend(arms);
    columns.extend([
        rows.data(["arm_id", "problem"], |row| {
            [json!(row.arm.id.to_string()), json!(row.arm.problem)]
        }),
        rows.figure("trials", |row| count(row.times.trials))
            .keyed(&["trials"], rows.values(|row| [json!(row.times.trials)])),
        medians("per trial", ["seconds_median", "seconds_q25", "seconds_q75"], |times| {
            times.per_trial
        }),
        medians(
            "per evaluation",
            ["evaluation_seconds_median", "evaluation_seconds_q25", "evaluation_seconds_q75"],
            |times| times.per_evaluation,
        ),
        rows.figure("all trials", |row| seconds(row.times.total))
            .giving_way(1)
            .keyed(&["seconds_total"], rows.values(|row| [json!(row.times.total)])),
        rows.data(["machine"], |row| [json!(row.machine)]),
    ]);
    Report::new(columns)
}

fn spread(quartiles: Quartiles) -> String {
    ends(&seconds(quartiles.q25), &seconds(quartiles.q75))
}
