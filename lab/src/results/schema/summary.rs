//! The summary as a table.

use super::columns::{
    CRITERION, FITNESS_DEVIATION, FITNESS_Q25, FITNESS_Q75, MEDIAN_AFTER_BEST, OPEN_FAILURES, RACE,
    Table,
};
use super::row::{arm_columns, wrong_row};
use super::table_schema::TableSchema;
use crate::analysis::comparison::Criterion;
use crate::analysis::{
    ArmSummary, BaselineComparison, Difference, DifferenceMethod, Feasibility, Quartiles,
    RateInterval, RateMethod, Spread, SummaryRow, SummaryTable, Verdict,
};
use crate::parquet::{Column, Frame, FrameError, Schema};
use crate::plan::resolved::SettingsReader;
use crate::plan::{ArmId, ArmSpec};
use crate::problem::parameter::Value;
use crate::sequential::race::Standing;
use crate::stats::{Ert, ErtInterval, Interval};

/// Returns the table as in `summary.parquet`.
pub(crate) fn summary_frame(
    summary: &SummaryTable,
    schema: &TableSchema,
) -> Result<Frame, FrameError> {
    let rows = || summary.rows.iter().map(|row| &row.figures);
    let reals = |name: &str, of: &dyn Fn(&ArmSummary) -> Option<f64>| {
        Column::optional(name, rows().map(of))
    };
    let settings: Vec<String> = summary.rows.iter().map(|row| row.arm.settings.to_toml()).collect();
    let mut columns = arm_columns(&(0..summary.rows.len()).collect::<Vec<_>>(), schema);
    columns.extend([
        Column::numbers("trials", rows().map(|row| row.trials)),
        Column::numbers("successes", rows().map(|row| row.successes)),
        Column::numbers("failures", rows().map(|row| row.failures)),
        Column::numbers("timed_out", rows().map(|row| row.timed_out)),
    ]);
    if schema.races() {
        columns.extend(race_columns(summary));
    }
    columns.extend([
        reals("success_rate", &|row| row.success_rate),
        reals("success_low", &|row| Some(row.success_interval?.low)),
        reals("success_high", &|row| Some(row.success_interval?.high)),
        Column::texts(
            "success_interval",
            rows().map(|row| Some(row.success_interval?.method.as_str())),
        ),
        reals("confidence", &|row| Some(row.success_interval?.confidence)),
        reals("success_bound_low", &|row| Some(row.bounds()?.low)),
        reals("success_bound_high", &|row| Some(row.bounds()?.high)),
        reals("best_fitness_min", &|row| Some(row.best_fitness?.min)),
        reals(FITNESS_Q25, &|row| row.best_fitness?.q25),
        reals("best_fitness_median", &|row| Some(row.best_fitness?.median)),
        reals(FITNESS_Q75, &|row| row.best_fitness?.q75),
        reals("best_fitness_mean", &|row| Some(row.best_fitness?.mean)),
        reals(FITNESS_DEVIATION, &|row| row.best_fitness?.deviation),
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
        Column::numbers("evaluations_total", rows().map(|row| row.evaluations_total)),
        reals("evaluations_to_success_median", &|row| Some(row.evaluations_to_success?.median)),
        reals("evaluations_to_success_q25", &|row| Some(row.evaluations_to_success?.q25)),
        reals("evaluations_to_success_q75", &|row| Some(row.evaluations_to_success?.q75)),
        reals("ert", &|row| Some(row.ert?.value)),
        reals("ert_low", &|row| Some(row.ert?.interval?.low)),
        reals("ert_high", &|row| row.ert?.interval?.high),
        reals(MEDIAN_AFTER_BEST, &|row| row.evaluations_after_best_median),
        reals("generations_median", &|row| row.generations_median),
    ]);
    columns.extend(baseline_columns(summary));
    columns
        .push(Column::texts("settings", settings.iter().map(|settings| Some(settings.as_str()))));
    Frame::new(summary.rows.len(), columns)
}

/// Returns the columns with the standings of arms in their races.
fn race_columns(summary: &SummaryTable) -> [Column; 2] {
    let standings = || summary.rows.iter().map(|row| row.standing);
    let after = standings().map(|standing| match standing? {
        Standing::DroppedOut { after } => Some(after),
        Standing::Best | Standing::NotToldApart => None,
    });
    let words: Vec<Option<&str>> =
        standings().map(|standing| standing.map(Standing::as_str)).collect();
    [Column::texts("race", words.into_iter()), Column::optional("dropped_out_after", after)]
}

/// Returns the columns with the comparisons with baselines.
fn baseline_columns(summary: &SummaryTable) -> [Column; 8] {
    let rows = || summary.rows.iter();
    let baselines: Vec<_> = rows().map(|row| row.arm.baseline.map(|id| id.to_string())).collect();
    let verdicts = || rows().map(SummaryRow::verdict);
    let criteria = rows().map(|row| Some(row.baseline_comparison?.criterion?.as_str()));
    let differences = |name: &str, of: &dyn Fn(Difference) -> f64| {
        let values = rows().map(|row| row.difference().map(of));
        Column::optional(name, values)
    };
    [
        Column::texts("baseline", baselines.iter().map(Option::as_deref)),
        differences("baseline_difference", &|difference| difference.value),
        differences("baseline_difference_low", &|difference| difference.interval.low),
        differences("baseline_difference_high", &|difference| difference.interval.high),
        Column::texts(
            "baseline_interval",
            rows().map(|row| Some(row.difference()?.method.as_str())),
        ),
        Column::texts("baseline_verdict", verdicts().map(|verdict| Some(verdict?.as_str()))),
        Column::texts(CRITERION, criteria),
        Column::optional(OPEN_FAILURES, verdicts().map(|one| one?.open_failures())),
    ]
}

/// Returns the swept keys: the columns that no table has by itself.
pub(crate) fn swept_keys(schema: &Schema) -> Vec<String> {
    let fixed = |name: &str| {
        let optional = RACE.iter().chain(Table::Summary.violation_columns());
        Table::Summary.columns().iter().chain(optional).any(|column| column.name == name)
    };
    schema.iter_names().map(|name| name.to_string()).filter(|name| !fixed(name)).collect()
}

/// Adds the frame's rows, each with the name of its experiment.
pub(crate) fn read_rows(
    frame: &Frame,
    swept_keys: &[String],
    settings: &mut SettingsReader,
    rows: &mut Vec<(String, SummaryRow)>,
) -> Result<(), FrameError> {
    for row in 0..frame.height() {
        let cells = Cells { frame, row };
        let arm = cells.arm(swept_keys, settings)?;
        let difference = cells.difference()?.filter(|_| arm.settings.defines_success());
        let (verdict, criterion) = cells.verdict()?.unzip();
        let baseline_comparison = arm.baseline.map(|baseline| BaselineComparison {
            baseline,
            difference,
            verdict,
            criterion: criterion.flatten(),
        });
        let (figures, standing) = (cells.figures()?.of_arm(&arm), cells.standing()?);
        let read = SummaryRow { arm, figures, baseline_comparison, standing };
        rows.push((cells.text("experiment")?, read));
    }
    Ok(())
}

/// One row of a summary that is read.
struct Cells<'a> {
    frame: &'a Frame,
    row: usize,
}

impl Cells<'_> {
    fn text(&self, name: &str) -> Result<String, FrameError> {
        Ok(self.frame.column(name)?.str()?.get(self.row).unwrap_or_default().to_owned())
    }

    fn real(&self, name: &str) -> Result<Option<f64>, FrameError> {
        Ok(self.frame.column(name)?.f64()?.get(self.row))
    }

    /// Returns `None` also if the column is missing.
    fn optional(&self, name: &str) -> Result<Option<f64>, FrameError> {
        if self.frame.column(name).is_ok() { self.real(name) } else { Ok(None) }
    }

    fn count(&self, name: &str) -> Result<u64, FrameError> {
        Ok(self.frame.column(name)?.u64()?.get(self.row).unwrap_or_default())
    }

    fn arm(
        &self,
        swept_keys: &[String],
        settings: &mut SettingsReader,
    ) -> Result<ArmSpec, FrameError> {
        let id = ArmId::from_hex(&self.text("arm_id")?)
            .ok_or_else(|| wrong_row(self.row, "its arm_id is not 16 hex digits"))?;
        let swept = swept_keys.iter().map(|key| swept_value(self.frame.column(key)?, self.row));
        Ok(ArmSpec {
            id,
            label: self.text("arm")?,
            problem: self.text("problem")?,
            operators: self.text("operators")?,
            swept: swept.collect::<Result<_, FrameError>>()?,
            settings: settings.read(&self.text("settings")?).ok_or_else(|| {
                FrameError::new(format!("the settings of arm {id} are not as a runner writes them"))
            })?,
            baseline: ArmId::from_hex(&self.text("baseline")?),
            genes: None,
        })
    }

    /// Returns the difference from the baseline.
    fn difference(&self) -> Result<Option<Difference>, FrameError> {
        let Some(value) = self.real("baseline_difference")? else { return Ok(None) };
        let ends =
            self.real("baseline_difference_low")?.zip(self.real("baseline_difference_high")?);
        let method = known(self.text("baseline_interval")?, self.row, DifferenceMethod::parse)?;
        let made = method.zip(self.real("confidence")?);
        Ok(ends.zip(made).map(|((low, high), (method, confidence))| {
            let interval = Interval { low, high };
            Difference { value, interval, method, confidence }
        }))
    }

    /// Returns the verdict of the comparison with the baseline, and its criterion; `None` in tables
    /// of earlier formats, whose verdicts rest on an interval that is not adjusted for the number
    /// of arms.
    fn verdict(&self) -> Result<Option<(Verdict, Option<Criterion>)>, FrameError> {
        let word = self.text("baseline_verdict")?;
        if word.is_empty() || self.frame.column(CRITERION).is_err() {
            return Ok(None);
        }
        let verdict = Verdict::parse(&word, self.count(OPEN_FAILURES)?)
            .ok_or_else(|| wrong_row(self.row, &format!("`{word}` is no verdict")))?;
        let criterion = known(self.text(CRITERION)?, self.row, Criterion::parse)?;
        Ok(Some((verdict, criterion)))
    }

    fn figures(&self) -> Result<ArmSummary, FrameError> {
        let quartiles = [
            self.real("evaluations_to_success_q25")?,
            self.real("evaluations_to_success_median")?,
            self.real("evaluations_to_success_q75")?,
        ];
        let (low, high) = (self.real("ert_low")?, self.real("ert_high")?);
        let interval = low.map(|low| ErtInterval { low, high });
        Ok(ArmSummary {
            trials: self.count("trials")?,
            successes: self.count("successes")?,
            defines_success: true,
            failures: self.count("failures")?,
            timed_out: self.count("timed_out")?,
            success_rate: self.real("success_rate")?,
            success_interval: self.success_interval()?,
            best_fitness: self.best_fitness()?,
            feasibility: self.feasibility()?,
            evaluations_total: self.count("evaluations_total")?,
            evaluations_to_success: match quartiles {
                [Some(q25), Some(median), Some(q75)] => Some(Quartiles { q25, median, q75 }),
                _ => None,
            },
            ert: self.real("ert")?.map(|value| Ert { value, interval }),
            evaluations_after_best_median: self.optional(MEDIAN_AFTER_BEST)?,
            generations_median: self.real("generations_median")?,
        })
    }

    fn success_interval(&self) -> Result<Option<RateInterval>, FrameError> {
        let method = known(self.text("success_interval")?, self.row, RateMethod::parse)?;
        let made = method.zip(self.real("confidence")?);
        let ends = self.real("success_low")?.zip(self.real("success_high")?);
        Ok(ends.zip(made).map(|((low, high), (method, confidence))| RateInterval {
            low,
            high,
            method,
            confidence,
        }))
    }

    fn best_fitness(&self) -> Result<Option<Spread>, FrameError> {
        let spread = [
            self.real("best_fitness_min")?,
            self.real("best_fitness_median")?,
            self.real("best_fitness_mean")?,
            self.real("best_fitness_max")?,
        ];
        Ok(match spread {
            [Some(min), Some(median), Some(mean), Some(max)] => {
                let q25 = self.optional(FITNESS_Q25)?;
                let q75 = self.optional(FITNESS_Q75)?;
                let deviation = self.optional(FITNESS_DEVIATION)?;
                Some(Spread { min, q25, median, q75, mean, deviation, max })
            }
            _ => None,
        })
    }

    /// Returns `None` if the problem has no constraints.
    fn feasibility(&self) -> Result<Option<Feasibility>, FrameError> {
        let found = [
            self.optional("feasible_rate")?,
            self.optional("best_violation_median")?,
            self.optional("best_violation_max")?,
        ];
        Ok(match found {
            [Some(rate), Some(violation_median), Some(violation_max)] => {
                Some(Feasibility { rate, violation_median, violation_max })
            }
            _ => None,
        })
    }

    /// Returns `None` if there was no race, or if the arm still races.
    fn standing(&self) -> Result<Option<Standing>, FrameError> {
        let Ok(column) = self.frame.column(RACE[0].name) else { return Ok(None) };
        let Some(word) = column.str()?.get(self.row) else { return Ok(None) };
        let after = self.frame.column(RACE[1].name)?.u64()?.get(self.row);
        let standing = Standing::parse(word, after);
        let wrong = || wrong_row(self.row, &format!("`{word}` is no end of a race"));
        standing.map(Some).ok_or_else(wrong)
    }
}

/// Returns the method of that name; `None` if there is no name.
fn known<T>(
    name: String,
    row: usize,
    method: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, FrameError> {
    match method(&name) {
        None if !name.is_empty() => {
            Err(wrong_row(row, &format!("`{name}` is no interval that this runner makes")))
        }
        method => Ok(method),
    }
}

fn swept_value(column: &Column, row: usize) -> Result<Option<Value>, FrameError> {
    if let Ok(integers) = column.i64() {
        return Ok(integers.get(row).map(Value::Integer));
    }
    if let Ok(reals) = column.f64() {
        return Ok(reals.get(row).map(Value::Real));
    }
    if let Ok(truths) = column.bool() {
        return Ok(truths.get(row).map(Value::Boolean));
    }
    Ok(column.str()?.get(row).map(|text| Value::Text(text.to_owned().into())))
}
