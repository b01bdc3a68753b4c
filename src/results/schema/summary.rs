//! The summary as a table.

use super::columns::{RACE, Table};
use super::row::{arm_columns, integers, strings, wrong_row};
use super::table_schema::TableSchema;
use crate::analysis::race::Standing;
use crate::analysis::{
    ArmSummary, BaselineComparison, Difference, DifferenceMethod, Feasibility, Quartiles,
    RateInterval, RateMethod, Spread, SummaryRow, SummaryTable,
};
use crate::plan::resolved::SettingsReader;
use crate::plan::{ArmId, ArmSpec};
use crate::problem::parameter::Value;
use crate::stats::{Ert, Interval};
use polars::prelude::*;

/// The table as in `summary.parquet`.
pub(crate) fn summary_frame(
    summary: &SummaryTable,
    schema: &TableSchema,
) -> PolarsResult<DataFrame> {
    let rows = || summary.rows.iter().map(|row| &row.figures);
    let reals = |name: &str, of: &dyn Fn(&ArmSummary) -> Option<f64>| {
        Column::new(name.into(), rows().map(of).collect::<Vec<Option<f64>>>())
    };
    let baselines: Vec<_> =
        summary.rows.iter().map(|row| row.arm.baseline.map(|id| id.to_string())).collect();
    let verdicts: Vec<_> =
        summary.rows.iter().map(|row| Some(row.difference()?.verdict().to_string())).collect();
    let differences = |name: &str, of: &dyn Fn(Difference) -> f64| {
        Column::new(
            name.into(),
            summary.rows.iter().map(|row| row.difference().map(of)).collect::<Vec<Option<f64>>>(),
        )
    };
    let settings: Vec<String> = summary.rows.iter().map(|row| row.arm.settings.to_toml()).collect();
    let mut columns = arm_columns(&(0..summary.rows.len()).collect::<Vec<_>>(), schema);
    columns.extend([
        integers("trials", rows().map(|row| row.trials)),
        integers("successes", rows().map(|row| row.successes)),
        integers("failures", rows().map(|row| row.failures)),
        integers("timed_out", rows().map(|row| row.timed_out)),
    ]);
    if schema.races() {
        let standings = || summary.rows.iter().map(|row| row.standing);
        let after = standings().map(|standing| match standing? {
            Standing::DroppedOut { after } => Some(after),
            Standing::Best | Standing::NotToldApart => None,
        });
        let after: UInt64Chunked = after.collect();
        let words: Vec<Option<&str>> =
            standings().map(|standing| standing.map(Standing::as_str)).collect();
        columns.extend([
            strings("race", words.into_iter()),
            after.with_name("dropped_out_after".into()).into_column(),
        ]);
    }
    columns.extend([
        reals("success_rate", &|row| row.success_rate),
        reals("success_low", &|row| Some(row.success_interval?.low)),
        reals("success_high", &|row| Some(row.success_interval?.high)),
        strings("success_interval", rows().map(|row| Some(row.success_interval?.method.as_str()))),
        reals("confidence", &|row| Some(row.success_interval?.confidence)),
        reals("success_bound_low", &|row| Some(row.counts().bounds()?.low)),
        reals("success_bound_high", &|row| Some(row.counts().bounds()?.high)),
        reals("best_fitness_min", &|row| Some(row.best_fitness?.min)),
        reals("best_fitness_median", &|row| Some(row.best_fitness?.median)),
        reals("best_fitness_mean", &|row| Some(row.best_fitness?.mean)),
        reals("best_fitness_max", &|row| Some(row.best_fitness?.max)),
    ]);
    if schema.violations {
        columns.extend([
            reals("feasible_rate", &|row| Some(row.feasibility?.rate)),
            reals("best_violation_median", &|row| Some(row.feasibility?.violation_median)),
            reals("best_violation_max", &|row| Some(row.feasibility?.violation_max)),
        ]);
    }
    columns.extend([
        integers("evaluations_total", rows().map(|row| row.evaluations_total)),
        reals("evaluations_to_success_median", &|row| Some(row.evaluations_to_success?.median)),
        reals("evaluations_to_success_q25", &|row| Some(row.evaluations_to_success?.q25)),
        reals("evaluations_to_success_q75", &|row| Some(row.evaluations_to_success?.q75)),
        reals("ert", &|row| Some(row.ert?.value)),
        reals("ert_low", &|row| Some(row.ert?.low)),
        reals("ert_high", &|row| row.ert?.high),
        reals("generations_median", &|row| row.generations_median),
        strings("baseline", baselines.iter().map(Option::as_deref)),
        differences("baseline_difference", &|difference| difference.value),
        differences("baseline_difference_low", &|difference| difference.interval.low),
        differences("baseline_difference_high", &|difference| difference.interval.high),
        strings(
            "baseline_interval",
            summary.rows.iter().map(|row| Some(row.difference()?.method.as_str())),
        ),
        strings("baseline_verdict", verdicts.iter().map(Option::as_deref)),
        strings("settings", settings.iter().map(|settings| Some(settings.as_str()))),
    ]);
    DataFrame::new(summary.rows.len(), columns)
}

/// The swept keys: the columns that no table has by itself.
pub(crate) fn swept_keys(schema: &Schema) -> Vec<String> {
    let fixed = |name: &str| {
        let optional = RACE.iter().chain(Table::Summary.violation_columns());
        Table::Summary.columns().iter().chain(optional).any(|column| column.name == name)
    };
    schema.iter_names().map(|name| name.to_string()).filter(|name| !fixed(name)).collect()
}

/// Adds the frame's rows, each with the name of its experiment.
pub(crate) fn read_rows(
    frame: &DataFrame,
    swept_keys: &[String],
    settings: &mut SettingsReader,
    rows: &mut Vec<(String, SummaryRow)>,
) -> PolarsResult<()> {
    let text = |name: &str, row: usize| -> PolarsResult<String> {
        Ok(frame.column(name)?.str()?.get(row).unwrap_or_default().to_owned())
    };
    let real = |name: &str, row: usize| -> PolarsResult<Option<f64>> {
        Ok(frame.column(name)?.f64()?.get(row))
    };
    let count = |name: &str, row: usize| -> PolarsResult<u64> {
        Ok(frame.column(name)?.u64()?.get(row).unwrap_or_default())
    };
    for row in 0..frame.height() {
        let id = ArmId::from_hex(&text("arm_id", row)?)
            .ok_or_else(|| wrong_row(row, "its arm_id is not 16 hex digits"))?;
        let swept = swept_keys
            .iter()
            .map(|key| swept_value(frame.column(key)?, row))
            .collect::<PolarsResult<_>>()?;
        let arm = ArmSpec {
            id,
            label: text("arm", row)?,
            problem: text("problem", row)?,
            operators: text("operators", row)?,
            swept,
            settings: settings.read(&text("settings", row)?).ok_or_else(|| {
                PolarsError::ComputeError(
                    format!("the settings of arm {id} are not as a runner writes them").into(),
                )
            })?,
            baseline: ArmId::from_hex(&text("baseline", row)?),
        };
        let difference = match real("baseline_difference", row)? {
            Some(value) => {
                let ends = real("baseline_difference_low", row)?
                    .zip(real("baseline_difference_high", row)?);
                let made = known(text("baseline_interval", row)?, row, DifferenceMethod::parse)?
                    .zip(real("confidence", row)?);
                // "cannot tell: 49 failures could turn it"
                let verdict = text("baseline_verdict", row)?;
                let number = verdict
                    .strip_prefix("cannot tell: ")
                    .and_then(|words| words.split(' ').next()?.parse().ok());
                let open = number.unwrap_or(0);
                ends.zip(made).map(|((low, high), (method, confidence))| {
                    let interval = Interval { low, high };
                    Difference { value, interval, method, confidence, open }
                })
            }
            None => None,
        };
        let baseline_comparison =
            arm.baseline.map(|baseline| BaselineComparison { baseline, difference });
        let method = known(text("success_interval", row)?, row, RateMethod::parse)?
            .zip(real("confidence", row)?);
        let interval = real("success_low", row)?.zip(real("success_high", row)?).zip(method);
        let spread = (
            real("best_fitness_min", row)?,
            real("best_fitness_median", row)?,
            real("best_fitness_mean", row)?,
            real("best_fitness_max", row)?,
        );
        let of_violations = |name: &str| match frame.column(name) {
            Ok(_) => real(name, row),
            Err(_) => Ok(None),
        };
        let feasibility = (
            of_violations("feasible_rate")?,
            of_violations("best_violation_median")?,
            of_violations("best_violation_max")?,
        );
        let quartiles = (
            real("evaluations_to_success_q25", row)?,
            real("evaluations_to_success_median", row)?,
            real("evaluations_to_success_q75", row)?,
        );
        let ert_high = real("ert_high", row)?;
        let ert = real("ert", row)?.zip(real("ert_low", row)?);
        let figures =
            ArmSummary {
                trials: count("trials", row)?,
                successes: count("successes", row)?,
                failures: count("failures", row)?,
                timed_out: count("timed_out", row)?,
                success_rate: real("success_rate", row)?,
                success_interval: interval.map(|((low, high), (method, confidence))| {
                    RateInterval { low, high, method, confidence }
                }),
                best_fitness: match spread {
                    (Some(min), Some(median), Some(mean), Some(max)) => {
                        Some(Spread { min, median, mean, max })
                    }
                    _ => None,
                },
                feasibility: match feasibility {
                    (Some(rate), Some(violation_median), Some(violation_max)) => {
                        Some(Feasibility { rate, violation_median, violation_max })
                    }
                    _ => None,
                },
                evaluations_total: count("evaluations_total", row)?,
                evaluations_to_success: match quartiles {
                    (Some(q25), Some(median), Some(q75)) => Some(Quartiles { q25, median, q75 }),
                    _ => None,
                },
                ert: ert.map(|(value, low)| Ert { value, low, high: ert_high }),
                generations_median: real("generations_median", row)?,
            };
        let standing = match frame.column(RACE[0].name) {
            Ok(column) => column.str()?.get(row).map(|word| {
                let after = frame.column(RACE[1].name)?.u64()?.get(row);
                Standing::parse(word, after)
                    .ok_or_else(|| wrong_row(row, &format!("`{word}` is no end of a race")))
            }),
            Err(_) => None,
        };
        let standing = standing.transpose()?;
        let read = SummaryRow { arm, figures, baseline_comparison, standing };
        rows.push((text("experiment", row)?, read));
    }
    Ok(())
}

/// The method of that name; none without a name.
fn known<T>(
    name: String,
    row: usize,
    method: impl Fn(&str) -> Option<T>,
) -> PolarsResult<Option<T>> {
    match method(&name) {
        None if !name.is_empty() => {
            Err(wrong_row(row, &format!("`{name}` is no interval that this runner makes")))
        }
        method => Ok(method),
    }
}

fn swept_value(column: &Column, row: usize) -> PolarsResult<Option<Value>> {
    Ok(match column.dtype() {
        DataType::Int64 => column.i64()?.get(row).map(Value::Integer),
        DataType::Float64 => column.f64()?.get(row).map(Value::Real),
        DataType::Boolean => column.bool()?.get(row).map(Value::Boolean),
        _ => column.str()?.get(row).map(|text| Value::Text(text.to_owned().into())),
    })
}
