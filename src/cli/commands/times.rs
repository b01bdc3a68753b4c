//! `runner show --times`: how long trials took, and on which machine.

use super::output::put;
use super::sorting::{at, cut, order};
use crate::analysis::{ArmTimes, Quartiles};
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::plan::ArmSpec;
use crate::present::data_table::{DataTable, TableFormat};
use crate::present::format::{count, seconds};
use crate::present::terminal::{self, ArmName, Cell, Column, Grid, arm_columns, fitted, paragraph};
use crate::problem::parameter::Value as Setting;
use crate::results::{Provenance, Results, times as read_times};
use serde_json::{Value, json};

/// An arm with its times.
#[derive(Clone)]
struct Row {
    experiment: String,
    arm: ArmSpec,
    swept: Vec<(String, Setting)>,
    times: ArmTimes,
    machine: String,
}

const COLUMNS: [&str; 13] = [
    "experiment",
    "arm",
    "arm_id",
    "problem",
    "trials",
    "seconds_median",
    "seconds_q25",
    "seconds_q75",
    "evaluation_seconds_median",
    "evaluation_seconds_q25",
    "evaluation_seconds_q75",
    "seconds_total",
    "machine",
];

/// Prints the times of all these experiments.
pub(super) fn times(all: &[Results], arguments: &ShowArguments) -> Result<(), Failure> {
    let (mut rows, mut machines) = (Vec::new(), Vec::new());
    for results in all {
        let own = Provenance::read(results.folder())?.machines();
        for machine in &own {
            if !machines.contains(machine) {
                machines.push(machine.clone());
            }
        }
        let arms = results.arms().iter().zip(read_times(results)?);
        rows.extend(arms.map(|(arm, times)| Row {
            experiment: results.experiment().to_owned(),
            arm: arm.clone(),
            swept: arm.swept_with(results.swept_keys()),
            times,
            machine: own.join("; "),
        }));
    }
    let places = order(&sheet(&rows), &arguments.sort)?;
    let shown = at(&rows, &places);
    let format = match arguments {
        ShowArguments { csv: true, .. } => Some(TableFormat::Csv),
        ShowArguments { json: true, .. } => Some(TableFormat::Json),
        _ => None,
    };
    match format {
        Some(format) => crate::system::output::put_exactly(&sheet(&shown).text(format)),
        None => {
            let width = usize::from(terminal::width());
            put(&fitted(&[grid(&shown)], width, ", and so does --csv"));
            let words = [words(&shown, &machines), cut(shown.len(), rows.len())].join(" ");
            put(&paragraph(words.trim_end(), width));
        }
    }
    Ok(())
}

/// What the table is, and which machine it is of.
fn words(rows: &[Row], machines: &[String]) -> String {
    let machine = match machines {
        [] => "a machine that run.toml does not name".to_owned(),
        [one] => one.clone(),
        several => format!("several machines: {}", several.join("; ")),
    };
    let missing = match rows.iter().filter(|row| row.times.per_trial.is_none()).count() {
        0 => "",
        _ => " Arms without times have no rows in timings.parquet.",
    };
    format!(
        "Medians, in parentheses the quartiles. On {machine}. Times depend on the machine and on \
        what else it did; failed trials are left out.{missing}"
    )
}

fn sheet(rows: &[Row]) -> DataTable {
    let quartiles = |one: Option<Quartiles>| {
        let of = |value: fn(&Quartiles) -> f64| json!(one.as_ref().map(value));
        [of(|one| one.median), of(|one| one.q25), of(|one| one.q75)]
    };
    let cells = |row: &Row| -> Vec<Value> {
        let times = &row.times;
        let mut cells = vec![
            json!(row.experiment),
            json!(row.arm.label),
            json!(row.arm.id.to_string()),
            json!(row.arm.problem),
            json!(times.trials),
        ];
        cells.extend(quartiles(times.per_trial));
        cells.extend(quartiles(times.per_evaluation));
        cells.extend([json!(times.total), json!(row.machine)]);
        cells
    };
    DataTable { columns: COLUMNS.to_vec(), rows: rows.iter().map(cells).collect() }
}

fn grid(rows: &[Row]) -> Grid {
    let names: Vec<Vec<ArmName<'_>>> = rows
        .iter()
        .map(|row| vec![ArmName { operators: &row.arm.operators, swept: &row.swept }])
        .collect();
    let figure = |heading: &str, text: &dyn Fn(&Row) -> String| {
        Column::figure(heading, rows.iter().map(|row| Cell::Whole(text(row))).collect())
    };
    let mut columns = arm_columns("arm", &names);
    columns.extend([
        figure("trials", &|row| count(row.times.trials)),
        figure("per trial", &|row| spread(row.times.per_trial)),
        figure("per evaluation", &|row| spread(row.times.per_evaluation)),
        figure("all trials", &|row| seconds(row.times.total)).giving_way(1),
    ]);
    Grid { columns, between: "" }
}

fn spread(quartiles: Option<Quartiles>) -> String {
    quartiles.map_or("–".to_owned(), |Quartiles { q25, median, q75 }| {
        format!("{}\n({}–{})", seconds(median), seconds(q25), seconds(q75))
    })
}
