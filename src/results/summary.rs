//! The summary: one row an arm.

use super::columns::Table;
use super::error::ResultsError;
use super::file::{Written, write_frame};
use super::interval::{RateInterval, RateMethod};
use super::label::{Label, Origin};
use super::layout::{ArmRow, BestType, Shape};
use super::reader::{Refusal, TableReader};
use super::row::{arm_columns, integers, strings};
use super::seal::Seal;
use super::versus::{
    Counts, Difference, DifferenceMethod, OutcomeList, Versus, extremes, paired_counts,
    paired_extremes,
};
use crate::enough::Enough;
use crate::experiment::Trace;
use crate::fingerprint::ArmId;
use crate::parameter::Value;
use crate::record::{Outcome, TrialRecord};
use crate::stats::{Ert, Interval, TrialCounts, ert_interval, mean, median, quantile, wilson};
use polars::prelude::*;
use std::path::Path;

/// Of the intervals in the summary, where the experiment does not give another.
pub const CONFIDENCE: f64 = 0.95;

/// Least, median, mean and greatest of the trials' best fitness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub mean: f64,
    pub max: f64,
}

/// Quartiles (type 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    pub q25: f64,
    pub median: f64,
    pub q75: f64,
}

/// The figures of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSummary {
    /// Trials that count: all but failed and crashed ones.
    pub trials: u64,
    pub successes: u64,
    /// Failed and crashed trials.
    pub failures: u64,
    /// Trials, among those that count, that ran into the limit of seconds.
    pub timed_out: u64,
    /// None without trials; so are the interval and the fitness.
    pub success_rate: Option<f64>,
    /// Right for how the number of trials came about: Wilson's where it was fixed beforehand, a
    /// confidence sequence where outcomes ended them.
    pub success_interval: Option<RateInterval>,
    pub best_fitness: Option<Spread>,
    pub evaluations_total: u64,
    /// Of the successes alone; none without one, like the ERT.
    pub evaluations_to_success: Option<Quartiles>,
    pub ert: Option<Ert>,
    pub generations_median: Option<f64>,
}

impl ArmSummary {
    /// Its trials in three numbers.
    #[must_use]
    pub fn counts(&self) -> TrialCounts {
        TrialCounts { successes: self.successes, trials: self.trials, failures: self.failures }
    }
}

/// The summary of an experiment: arms in plan order, each with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryTable {
    pub experiment: String,
    pub swept_keys: Vec<String>,
    pub rows: Vec<SummaryRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    pub arm: ArmRow,
    pub figures: ArmSummary,
    /// Against its baseline, where it has one.
    pub versus: Option<Versus>,
}

impl SummaryRow {
    /// The success rate minus the baseline's.
    #[must_use]
    pub fn difference(&self) -> Option<Difference> {
        self.versus?.difference
    }
}

/// Adds up one arm's trials.
#[derive(Default)]
pub(crate) struct Tally {
    trials: u64,
    failures: u64,
    timed_out: u64,
    evaluations_total: u64,
    best_fitness: Vec<f64>,
    generations: Vec<f64>,
    to_success: Vec<u64>,
    unsuccessful: Vec<u64>,
    /// Where pairs of trials are looked at: a byte each.
    outcomes: Option<OutcomeList>,
}

/// An arm's figures, and its outcomes where those of other arms are held against them one by one.
pub(crate) struct Summed {
    figures: ArmSummary,
    outcomes: OutcomeList,
}

impl Tally {
    /// For an arm of this experiment.
    pub fn of(shape: &Shape) -> Self {
        Tally { outcomes: shape.baseline_method().is_paired().then(Vec::new), ..Tally::default() }
    }

    pub fn add(&mut self, trial: &TrialRecord) {
        if let Some(outcomes) = &mut self.outcomes {
            let place = trial.trial as usize;
            outcomes.resize(outcomes.len().max(place + 1), None);
            outcomes[place] = (!trial.outcome.is_failure()).then_some(trial.success);
        }
        if trial.outcome.is_failure() {
            self.failures += 1;
            return;
        }
        self.trials += 1;
        self.timed_out += u64::from(trial.outcome == Outcome::TimedOut);
        self.evaluations_total += trial.evaluations;
        self.best_fitness.extend(trial.best_fitness);
        self.generations.push(trial.generations as f64);
        if trial.success {
            self.to_success.push(trial.evaluations_to_success.unwrap_or(trial.evaluations));
        } else {
            self.unsuccessful.push(trial.evaluations);
        }
    }

    /// `arm`: its id seeds the ERT's bootstrap, so that the interval depends on the arm and its
    /// trials alone. `enough`: what ended the trials.
    pub fn finish(mut self, arm: ArmId, enough: Option<&Enough>) -> Summed {
        let outcomes = self.outcomes.take().unwrap_or_default();
        let successes = self.to_success.len() as u64;
        let fitness_mean = mean(&self.best_fitness);
        self.best_fitness.sort_unstable_by(f64::total_cmp);
        self.generations.sort_unstable_by(f64::total_cmp);
        let ert = ert_interval(&self.to_success, &self.unsuccessful, arm.0);
        let mut to_success: Vec<f64> =
            self.to_success.iter().map(|&evaluations| evaluations as f64).collect();
        to_success.sort_unstable_by(f64::total_cmp);
        let quartiles = || {
            let at = |share| quantile(&to_success, share);
            Some(Quartiles { q25: at(0.25)?, median: at(0.5)?, q75: at(0.75)? })
        };
        let spread = || {
            Some(Spread {
                min: *self.best_fitness.first()?,
                median: median(&self.best_fitness)?,
                mean: fitness_mean?,
                max: *self.best_fitness.last()?,
            })
        };
        let counts = TrialCounts { successes, trials: self.trials, failures: self.failures };
        let figures = ArmSummary {
            trials: self.trials,
            successes,
            failures: self.failures,
            timed_out: self.timed_out,
            success_rate: (self.trials > 0).then(|| successes as f64 / self.trials as f64),
            success_interval: success_interval(counts, enough),
            best_fitness: spread(),
            evaluations_total: self.evaluations_total,
            evaluations_to_success: quartiles(),
            ert,
            generations_median: median(&self.generations),
        };
        Summed { figures, outcomes }
    }
}

/// The interval of a success rate: a confidence sequence where outcomes ended the trials, whatever
/// failed trials would have come to.
fn success_interval(counts: TrialCounts, enough: Option<&Enough>) -> Option<RateInterval> {
    let (interval, method, confidence) = match enough {
        _ if counts.trials == 0 => return None,
        None => {
            (wilson(counts.successes, counts.trials, CONFIDENCE)?, RateMethod::Wilson, CONFIDENCE)
        }
        Some(enough) => (enough.open_interval(counts)?, RateMethod::Sequence, enough.confidence),
    };
    Some(RateInterval { low: interval.low, high: interval.high, method, confidence })
}

impl SummaryTable {
    /// Method and level of the success rates' intervals, alike for all arms; Wilson's where no arm
    /// has trials.
    #[must_use]
    pub fn rate_interval(&self) -> RateInterval {
        let none = RateInterval {
            low: 0.0,
            high: 1.0,
            method: RateMethod::Wilson,
            confidence: CONFIDENCE,
        };
        self.rows.iter().find_map(|row| row.figures.success_interval).unwrap_or(none)
    }

    pub(crate) fn new(shape: &Shape, summed: Vec<Summed>) -> Self {
        let paired = shape.baseline_method().is_paired();
        let versus = |arm: &ArmRow, own: &Summed| {
            let place = shape.arm_index(arm.baseline?)?;
            let (baseline, rate) = (&summed[place], |arm: &ArmSummary| (arm.successes, arm.trials));
            let (counts, extremes) = match paired {
                true => (
                    paired_counts(&own.outcomes, &baseline.outcomes),
                    paired_extremes(&own.outcomes, &baseline.outcomes),
                ),
                false => (
                    Counts::Arms(rate(&own.figures), rate(&baseline.figures)),
                    extremes(own.figures.counts(), baseline.figures.counts()),
                ),
            };
            let failures = own.figures.failures + baseline.figures.failures;
            Some(Versus::new(
                shape.arms[place].id,
                counts,
                extremes,
                failures,
                shape.enough.as_ref(),
            ))
        };
        let versus: Vec<_> =
            shape.arms.iter().zip(&summed).map(|(arm, own)| versus(arm, own)).collect();
        let rows =
            shape.arms.iter().cloned().zip(summed.into_iter().map(|arm| arm.figures)).zip(versus);
        let rows =
            rows.map(|((arm, figures), versus)| SummaryRow { arm, figures, versus }).collect();
        SummaryTable {
            experiment: shape.experiment.clone(),
            swept_keys: shape.swept_keys.clone(),
            rows,
        }
    }

    /// The table as in `summary.parquet`.
    pub(crate) fn frame(&self, shape: &Shape) -> PolarsResult<DataFrame> {
        let rows = || self.rows.iter().map(|row| &row.figures);
        let reals = |name: &str, of: &dyn Fn(&ArmSummary) -> Option<f64>| {
            Column::new(name.into(), rows().map(of).collect::<Vec<Option<f64>>>())
        };
        let baselines: Vec<_> =
            self.rows.iter().map(|row| row.arm.baseline.map(|id| id.to_string())).collect();
        let verdicts: Vec<_> =
            self.rows.iter().map(|row| Some(row.difference()?.verdict().to_string())).collect();
        let differences = |name: &str, of: &dyn Fn(Difference) -> f64| {
            Column::new(
                name.into(),
                self.rows.iter().map(|row| row.difference().map(of)).collect::<Vec<Option<f64>>>(),
            )
        };
        let mut columns = arm_columns(&(0..self.rows.len()).collect::<Vec<_>>(), shape);
        columns.extend([
            integers("trials", rows().map(|row| row.trials)),
            integers("successes", rows().map(|row| row.successes)),
            integers("failures", rows().map(|row| row.failures)),
            integers("timed_out", rows().map(|row| row.timed_out)),
            reals("success_rate", &|row| row.success_rate),
            reals("success_low", &|row| Some(row.success_interval?.low)),
            reals("success_high", &|row| Some(row.success_interval?.high)),
            strings(
                "success_interval",
                rows().map(|row| Some(row.success_interval?.method.word())),
            ),
            reals("confidence", &|row| Some(row.success_interval?.confidence)),
            reals("success_bound_low", &|row| Some(row.counts().bounds()?.low)),
            reals("success_bound_high", &|row| Some(row.counts().bounds()?.high)),
            reals("best_fitness_min", &|row| Some(row.best_fitness?.min)),
            reals("best_fitness_median", &|row| Some(row.best_fitness?.median)),
            reals("best_fitness_mean", &|row| Some(row.best_fitness?.mean)),
            reals("best_fitness_max", &|row| Some(row.best_fitness?.max)),
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
                self.rows.iter().map(|row| Some(row.difference()?.method.word())),
            ),
            strings("baseline_verdict", verdicts.iter().map(Option::as_deref)),
            strings("settings", self.rows.iter().map(|row| Some(row.arm.settings.as_str()))),
        ]);
        DataFrame::new(self.rows.len(), columns)
    }

    /// `trials`: the seal of the trials that it sums up.
    pub(crate) fn write(
        &self,
        path: &Path,
        shape: &Shape,
        origin: &Origin,
        trials: Seal,
    ) -> Result<Written, ResultsError> {
        let frame = self.frame(shape).map_err(|error| ResultsError::Unwritable {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        let label = Label::new(Table::Summary, shape.trace, origin.clone(), Some(trials))
            .ended_by(shape.enough.clone());
        write_frame(path, Table::Summary, &frame, shape, &label)
    }

    /// Reads `summary.parquet`, and what it says of the experiment and of itself.
    pub(crate) fn read(path: &Path) -> Result<(Self, Shape, Label), Refusal> {
        let reader = TableReader::open(path, Table::Summary)?;
        let enough = reader.label.ended_by.clone();
        let trace = [Trace::Best, Trace::Population]
            .into_iter()
            .find(|trace| trace.word() == reader.label.trace);
        let swept_keys = swept_keys(&reader.schema);
        let mut rows = Vec::new();
        for group in 0..reader.groups() {
            let frame = reader.group(group, None)?;
            read_rows(&frame, &swept_keys, &mut rows)
                .map_err(|error| Refusal::Damaged(error.to_string()))?;
        }
        let arms: Vec<ArmRow> =
            rows.iter().map(|(_, row): &(String, SummaryRow)| row.arm.clone()).collect();
        let experiment = rows.first().map(|(experiment, _)| experiment.clone()).unwrap_or_default();
        let shape = Shape::new(
            experiment.clone(),
            trace.unwrap_or(Trace::None),
            BestType::Integers,
            swept_keys.clone(),
            arms,
        );
        let shape = shape.ended_by(enough);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        Ok((SummaryTable { experiment, swept_keys, rows }, shape, reader.label))
    }
}

/// The columns that no table has by itself.
fn swept_keys(schema: &Schema) -> Vec<String> {
    let fixed = |name: &str| Table::Summary.columns().iter().any(|column| column.name == name);
    schema.iter_names().map(|name| name.to_string()).filter(|name| !fixed(name)).collect()
}

fn read_rows(
    frame: &DataFrame,
    swept_keys: &[String],
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
            .ok_or_else(|| PolarsError::ComputeError("an arm_id is not 16 hex digits".into()))?;
        let swept = swept_keys
            .iter()
            .map(|key| swept_value(frame.column(key)?, row))
            .collect::<PolarsResult<_>>()?;
        let arm = ArmRow {
            id,
            label: text("arm", row)?,
            problem: text("problem", row)?,
            operators: text("operators", row)?,
            swept,
            settings: text("settings", row)?,
            baseline: ArmId::from_hex(&text("baseline", row)?),
        };
        let difference = match real("baseline_difference", row)? {
            Some(value) => {
                let ends = real("baseline_difference_low", row)?
                    .zip(real("baseline_difference_high", row)?);
                let made = DifferenceMethod::from_word(&text("baseline_interval", row)?)
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
        let versus = arm.baseline.map(|baseline| Versus { baseline, difference });
        let method =
            RateMethod::from_word(&text("success_interval", row)?).zip(real("confidence", row)?);
        let interval = real("success_low", row)?.zip(real("success_high", row)?).zip(method);
        let spread = (
            real("best_fitness_min", row)?,
            real("best_fitness_median", row)?,
            real("best_fitness_mean", row)?,
            real("best_fitness_max", row)?,
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
                evaluations_total: count("evaluations_total", row)?,
                evaluations_to_success: match quartiles {
                    (Some(q25), Some(median), Some(q75)) => Some(Quartiles { q25, median, q75 }),
                    _ => None,
                },
                ert: ert.map(|(value, low)| Ert { value, low, high: ert_high }),
                generations_median: real("generations_median", row)?,
            };
        rows.push((text("experiment", row)?, SummaryRow { arm, figures, versus }));
    }
    Ok(())
}

fn swept_value(column: &Column, row: usize) -> PolarsResult<Option<Value>> {
    Ok(match column.dtype() {
        DataType::Int64 => column.i64()?.get(row).map(Value::Integer),
        DataType::Float64 => column.f64()?.get(row).map(Value::Real),
        DataType::Boolean => column.bool()?.get(row).map(Value::Boolean),
        _ => column.str()?.get(row).map(|text| Value::Text(text.to_owned().into())),
    })
}
