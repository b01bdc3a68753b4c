//! `runner runtimes`: estimates the evaluations per success, and whether restarts would help.

use super::arms::{tell_imported, tell_unfinished};
use super::output::put_report;
use super::sorting::{chosen, cut};
use crate::analysis::CONFIDENCE;
use crate::cli::Failure;
use crate::cli::arguments::RuntimesArguments;
use crate::exit::Exit;
use crate::plan::ArmSpec;
use crate::present::arms::{ArmName, arm_columns};
use crate::present::format::{ends, percent, real};
use crate::present::report::{Cell, Column, NOTHING, Report, fitted, latex, paragraph};
use crate::problem::parameter::Value as Setting;
use crate::record::TrialRecord;
use crate::results::{Results, ResultsError};
use crate::stats::{
    End, Reached, RunLength, ert, incidence, median_interval, restart_gain, success_performance,
};
use crate::words::count;
use serde_json::{Value, json};
use std::ops::Range;
use std::slice;

pub(super) fn runtimes(arguments: &RuntimesArguments) -> Result<Exit, Failure> {
    let results = Results::open(&arguments.folder)?;
    tell_imported(&results);
    tell_unfinished(&results);
    let (mut arms, asked) = (read(&results)?, results.stopping_rule().is_some());
    for arm in arms.iter().filter(|arm| arm.failures > 0) {
        let (failures, all) = (count(arm.failures), count(arm.failures + arm.runs.len() as u64));
        note!(
            "{failures} of {all} trials of `{}` failed; the figures are computed from the \
            others",
            arm.label
        );
    }
    let measured: Vec<Measured> = arms.iter().map(Measured::of).collect();
    // There may be very many runs.
    arms.iter_mut().for_each(|arm| arm.runs = Vec::new());
    let report = report(&arms, &measured);
    let shown = chosen(&report, &arguments.sort)?;
    let rule = if asked {
        "A stopping rule in `repeats` decided the number of trials: the intervals are not adjusted \
        for that."
    } else {
        ""
    };
    let few = if measured.iter().any(|one| one.few) {
        "–: a median has a 95 % interval from six trials on."
    } else {
        ""
    };
    let undefined = match measured.iter().filter(|one| one.successes.is_none()).count() {
        0 => String::new(),
        some => {
            let arms = match measured.len() {
                all if some == all => String::new(),
                all => format!(" for {} of {} arms", count(some as u64), count(all as u64)),
            };
            format!(
                "Success is not defined{arms}: there is no target, and so no number of evaluations \
                to success. `compare` compares the final fitness."
            )
        }
    };
    let words = [rule.to_owned(), few.to_owned(), undefined, cut(shown.rows(), measured.len())];
    let words = words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ");
    put_report(
        &shown,
        &arguments.form,
        |width| fitted(slice::from_ref(&shown), width, "--csv") + &paragraph(&words, width),
        || latex(&shown, &words),
    )?;
    Ok(Exit::Done)
}

fn report(arms: &[Arm], measured: &[Measured]) -> Report {
    let name = |arm| -> Vec<ArmName<'_>> {
        let Arm { operators, swept, .. }: &Arm = arm;
        vec![ArmName { operators, swept }]
    };
    let rows: Vec<Vec<ArmName<'_>>> = arms.iter().map(name).collect();
    let keyed = |column: Column, keys: Range<usize>| {
        let values = measured.iter().map(|one| one.figures[keys.clone()].to_vec()).collect();
        column.keyed(&COLUMNS[keys], values)
    };
    let figure = |heading: &str, keys: Range<usize>, text: &dyn Fn(&Measured) -> String| {
        let cells = measured.iter().map(|one| Cell::Whole(text(one))).collect();
        keyed(Column::figure(heading, cells), keys)
    };
    let texts = |text: &dyn Fn(&Measured) -> String| measured.iter().map(text).collect();
    let data = |keys: Range<usize>| keyed(Column::data("", []), keys);
    let mut names = arm_columns("arm", &rows).into_iter();
    let first = names.next().map(|column| keyed(column, 0..1));
    let columns = first.into_iter().chain(names).chain([
        figure("trials", 1..2, &|one| count(one.trials)).giving_way(2),
        data(2..3),
        figure("successes", 3..4, &|one| one.succeeded()),
        figure("stuck", 4..5, &|one| count(one.stuck)).giving_way(3),
        data(5..7),
        figure("median\nevaluations", 7..10, &|one| one.median.clone()).intervals(
            percent(CONFIDENCE),
            texts(&|one| one.median_interval.clone()),
            4,
        ),
        figure("ERT", 10..11, &|one| one.ert.clone()),
        data(11..12),
        figure("earlier\nrestarts", 12..15, &|one| one.restarts.clone()).details(
            "gain over ERT",
            texts(&|one| one.gain.clone()),
            1,
        ),
        data(15..18),
    ]);
    Report::new(columns.collect())
}

/// Minimum successes in each half of the trials before a cut-off is considered.
const SUCCESSES: usize = 20;

/// Trials of an arm, as runs.
#[derive(Clone)]
struct Arm {
    label: String,
    /// Name of the operator set.
    operators: String,
    /// Swept keys with the arm's values.
    swept: Vec<(String, Setting)>,
    /// Whether a trial can be successful.
    defines_success: bool,
    /// One run per trial, without failed ones.
    runs: Vec<RunLength>,
    failures: u64,
}

fn read(results: &Results) -> Result<Vec<Arm>, ResultsError> {
    let arm = |one: &ArmSpec| Arm {
        label: one.label.clone(),
        operators: one.operators.clone(),
        swept: one.swept_with(results.swept_keys()),
        defines_success: one.settings.defines_success(),
        runs: Vec::new(),
        failures: 0,
    };
    let mut arms: Vec<Arm> = results.arms().iter().map(arm).collect();
    results.figures(|trial: TrialRecord| match run_length(&trial) {
        Some(run) => arms[trial.arm].runs.push(run),
        None => arms[trial.arm].failures += 1,
    })?;
    Ok(arms)
}

/// Returns the run length of a trial; `None` if the trial failed.
fn run_length(trial: &TrialRecord) -> Option<RunLength> {
    let end = match trial.outcome {
        outcome if outcome.is_failure() => return None,
        _ if trial.success => End::Solved,
        outcome if outcome.is_stuck() => End::Stuck,
        _ => End::Cut,
    };
    let to_success = trial.evaluations_to_success.filter(|_| trial.success);
    Some(RunLength { evaluations: to_success.unwrap_or(trial.evaluations), end })
}

const COLUMNS: [&str; 18] = [
    "arm",
    "trials",
    "failures",
    "successes",
    "stuck",
    "success_share",
    "stuck_share",
    "median",
    "median_low",
    "median_high",
    "ert",
    "success_performance",
    "restarts",
    "restart_after",
    "restart_cost",
    "restart_gain",
    "restart_gain_low",
    "restart_gain_high",
];

/// Figures of an arm.
#[derive(Clone)]
struct Measured {
    /// One value per column.
    figures: Vec<Value>,
    trials: u64,
    /// `None` if success is not defined.
    successes: Option<u64>,
    stuck: u64,
    /// Whether there are too few trials for an interval of the median.
    few: bool,
    /// Median, formatted for readers.
    median: String,
    median_interval: String,
    ert: String,
    restarts: String,
    /// Ratio of the ERT to the evaluations with restarts.
    gain: String,
}

impl Measured {
    /// Returns the number of successes; "–" if success is not defined.
    fn succeeded(&self) -> String {
        self.successes.map_or_else(|| "–".to_owned(), count)
    }

    /// Returns the figures of an arm whose trials cannot succeed: only its trials are counted.
    fn undefined(arm: &Arm) -> Self {
        let stuck = arm.runs.iter().filter(|run| run.end == End::Stuck).count();
        let all = arm.runs.len();
        let mut figures = vec![Value::Null; COLUMNS.len()];
        figures[..3].clone_from_slice(&[json!(arm.label), json!(all), json!(arm.failures)]);
        figures[4] = json!(stuck);
        figures[6] = json!((all > 0).then(|| stuck as f64 / all as f64));
        Measured {
            figures,
            trials: all as u64,
            successes: None,
            stuck: stuck as u64,
            few: false,
            median: NOTHING.to_owned(),
            median_interval: String::new(),
            ert: NOTHING.to_owned(),
            restarts: NOTHING.to_owned(),
            gain: String::new(),
        }
    }

    fn of(arm: &Arm) -> Self {
        if !arm.defines_success {
            return Measured::undefined(arm);
        }
        let of = |end: End| arm.runs.iter().filter(move |run| run.end == end);
        let to_success: Vec<u64> = of(End::Solved).map(|run| run.evaluations).collect();
        let others: Vec<u64> = arm
            .runs
            .iter()
            .filter(|run| run.end != End::Solved)
            .map(|run| run.evaluations)
            .collect();
        let lengths = incidence(&arm.runs, CONFIDENCE);
        let solved = lengths.steps.last().map_or(0.0, |step| step.solved);
        let interval = median_interval(&arm.runs, CONFIDENCE);
        let median = match lengths.median() {
            Reached::Within(evaluations) => Some(evaluations),
            Reached::Beyond(_) | Reached::Never => None,
        };
        let middle = reached(lengths.median());
        let median_interval = match interval {
            None => NOTHING.to_owned(),
            Some(one) => ends(&reached(one.low), &one.high.map_or_else(|| "∞".to_owned(), count)),
        };
        let low = interval.and_then(|one| match one.low {
            Reached::Within(evaluations) => Some(evaluations),
            Reached::Beyond(_) | Reached::Never => None,
        });
        let high = interval.and_then(|one| one.high);
        let (ert, gain) =
            (ert(&to_success, &others), restart_gain(&arm.runs, SUCCESSES, CONFIDENCE));
        let shown = gain.filter(|gain| gain.is_shown());
        let (verdict, restarts) = match (gain, shown) {
            (None, _) => ("too few successes", "too few\nsuccesses".to_owned()),
            (Some(_), None) => ("no gain shown", "no gain shown".to_owned()),
            (_, Some(gain)) => ("gain", format!("after {}", count(gain.after))),
        };
        let none = arm.runs.is_empty();
        let stuck = of(End::Stuck).count();
        let figures = vec![
            json!(arm.label),
            json!(arm.runs.len()),
            json!(arm.failures),
            json!(to_success.len()),
            json!(stuck),
            json!((!none).then_some(solved)),
            json!((!none).then_some(lengths.stuck)),
            json!(median),
            json!(low),
            json!(high),
            json!(ert),
            json!(success_performance(&to_success, arm.runs.len() as u64)),
            json!(verdict),
            json!(shown.map(|gain| gain.after)),
            json!(shown.zip(ert).map(|(gain, ert)| ert / gain.gain)),
            json!(gain.map(|gain| gain.gain)),
            json!(gain.map(|gain| gain.interval.low)),
            json!(gain.map(|gain| gain.interval.high)),
        ];
        Measured {
            figures,
            trials: arm.runs.len() as u64,
            successes: Some(to_success.len() as u64),
            stuck: stuck as u64,
            few: interval.is_none(),
            median: middle,
            median_interval,
            ert: ert.map_or(NOTHING.to_owned(), real),
            restarts,
            gain: gain.map_or(String::new(), |gain| times(&gain)),
        }
    }
}

/// Formats an evaluation count: "120", "> 1,000" or "∞".
fn reached(evaluations: Reached) -> String {
    match evaluations {
        Reached::Within(evaluations) => count(evaluations),
        Reached::Beyond(evaluations) => format!("> {}", count(evaluations)),
        Reached::Never => "∞".to_owned(),
    }
}

/// Formats a gain with its interval: "1.8, 1.3 to 2.4".
fn times(gain: &crate::stats::RestartGain) -> String {
    let two = |value: f64| if value < 10.0 { format!("{value:.2}") } else { real(value.round()) };
    format!("{}, {}", two(gain.gain), ends(&two(gain.interval.low), &two(gain.interval.high)))
}
