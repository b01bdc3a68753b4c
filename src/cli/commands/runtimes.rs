//! `runner runtimes`: how many evaluations a success takes, and whether restarts would help.

use super::output::{line, put_sheet};
use crate::analysis::CONFIDENCE;
use crate::cli::{Failure, RuntimesArguments};
use crate::exit::Exit;
use crate::present::data_table::DataTable;
use crate::present::format::{count, percent, real};
use crate::record::{Outcome, TrialRecord};
use crate::results::{Results, ResultsError};
use crate::stats::{End, Reached, RunLength, ert, incidence, restart_gain, success_performance};
use serde_json::{Value, json};

pub fn runtimes(arguments: &RuntimesArguments) -> Result<Exit, Failure> {
    let results = Results::open(&arguments.folder)?;
    let (arms, asked) = (read(&results)?, results.stopping_rule().is_some());
    for arm in arms.iter().filter(|arm| arm.failures > 0) {
        let (failures, all) = (count(arm.failures), count(arm.failures + arm.runs.len() as u64));
        message!(
            "note: {failures} of {all} trials of `{}` failed; what follows is of the others",
            arm.label
        );
    }
    let sheet = DataTable { columns: COLUMNS.to_vec(), rows: arms.iter().map(row).collect() };
    let median = format!("median evaluations\n({} interval)", percent(CONFIDENCE));
    let headings = [
        ("arm", "arm"),
        ("trials", "trials"),
        ("successes", "successes"),
        ("stuck", "stuck"),
        ("median_words", median.as_str()),
        ("ert", "ERT"),
        ("restart_words", "earlier restarts\n(gain over ERT)"),
    ];
    put_sheet(&sheet, &arguments.form, &headings)?;
    if arguments.form.format().is_none() && asked {
        line!(
            "Outcomes decided how many trials there are (`repeats` as a criterion): the intervals \
            do not allow for that."
        );
    }
    Ok(Exit::Done)
}

/// Successes in each half of the trials before a cut-off that is looked at.
const SUCCESSES: usize = 20;

/// An arm's trials as runs.
struct Arm {
    label: String,
    /// By trial; failed ones are left out.
    runs: Vec<RunLength>,
    failures: u64,
}

fn read(results: &Results) -> Result<Vec<Arm>, ResultsError> {
    let arm = |label: &String| Arm { label: label.clone(), runs: Vec::new(), failures: 0 };
    let mut arms: Vec<Arm> = results.arms().iter().map(|one| arm(&one.label)).collect();
    let mut trials: Vec<Vec<(u64, RunLength)>> = vec![Vec::new(); arms.len()];
    results.trials(|trial: TrialRecord| -> Result<(), ResultsError> {
        match run_length(&trial) {
            Some(run) => trials[trial.arm].push((trial.trial, run)),
            None => arms[trial.arm].failures += 1,
        }
        Ok(())
    })?;
    for (arm, mut trials) in arms.iter_mut().zip(trials) {
        trials.sort_unstable_by_key(|(trial, _)| *trial);
        arm.runs = trials.into_iter().map(|(_, run)| run).collect();
    }
    Ok(arms)
}

/// None for a trial that failed.
fn run_length(trial: &TrialRecord) -> Option<RunLength> {
    let end = match trial.outcome {
        Outcome::Failed | Outcome::Crashed => return None,
        _ if trial.success => End::Solved,
        Outcome::Stagnated | Outcome::Exhausted => End::Stuck,
        Outcome::Solved | Outcome::Generations | Outcome::Evaluations | Outcome::TimedOut => {
            End::Cut
        }
    };
    let to_success = trial.evaluations_to_success.filter(|_| trial.success);
    Some(RunLength { evaluations: to_success.unwrap_or(trial.evaluations), end })
}

const COLUMNS: [&str; 20] = [
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
    "median_words",
    "ert",
    "success_performance",
    "restarts",
    "restart_after",
    "restart_cost",
    "restart_gain",
    "restart_gain_low",
    "restart_gain_high",
    "restart_words",
];

fn row(arm: &Arm) -> Vec<Value> {
    let of = |end: End| arm.runs.iter().filter(move |run| run.end == end);
    let to_success: Vec<u64> = of(End::Solved).map(|run| run.evaluations).collect();
    let others: Vec<u64> =
        arm.runs.iter().filter(|run| run.end != End::Solved).map(|run| run.evaluations).collect();
    let lengths = incidence(&arm.runs, CONFIDENCE);
    let solved = lengths.steps.last().map_or(0.0, |step| step.solved);
    let (low, high) = lengths.median_interval();
    let median = match lengths.median() {
        Reached::Within(evaluations) => Some(evaluations),
        Reached::Beyond(_) | Reached::Never => None,
    };
    let beyond =
        if lengths.open > 0.0 { format!("> {}", count(lengths.longest)) } else { "∞".to_owned() };
    let middle = match lengths.median() {
        Reached::Within(evaluations) => count(evaluations),
        Reached::Beyond(evaluations) => format!("> {}", count(evaluations)),
        Reached::Never => "∞".to_owned(),
    };
    let median_words = format!(
        "{middle}\n({}–{})",
        low.map_or(beyond, count),
        high.map_or_else(|| "∞".to_owned(), count)
    );
    let (ert, gain) = (ert(&to_success, &others), restart_gain(&arm.runs, SUCCESSES, CONFIDENCE));
    let shown = gain.filter(|gain| gain.is_shown());
    let (verdict, restart_words) = match (gain, shown) {
        (None, _) => ("too few successes", "too few\nsuccesses".to_owned()),
        (Some(gain), None) => ("no gain shown", format!("no gain shown\n{}", times(&gain))),
        (_, Some(gain)) => ("gain", format!("after {}:\n{}", count(gain.after), times(&gain))),
    };
    let none = arm.runs.is_empty();
    vec![
        json!(arm.label),
        json!(arm.runs.len()),
        json!(arm.failures),
        json!(to_success.len()),
        json!(of(End::Stuck).count()),
        json!((!none).then_some(solved)),
        json!((!none).then_some(lengths.stuck)),
        json!(median),
        json!(low),
        json!(high),
        json!(median_words),
        json!(ert),
        json!(success_performance(&to_success, arm.runs.len() as u64)),
        json!(verdict),
        json!(shown.map(|gain| gain.after)),
        json!(shown.zip(ert).map(|(gain, ert)| ert / gain.gain)),
        json!(gain.map(|gain| gain.gain)),
        json!(gain.map(|gain| gain.interval.low)),
        json!(gain.map(|gain| gain.interval.high)),
        json!(restart_words),
    ]
}

/// "1.8 (1.3–2.4)".
fn times(gain: &crate::stats::RestartGain) -> String {
    let two = |value: f64| if value < 10.0 { format!("{value:.2}") } else { real(value.round()) };
    format!("{} ({}–{})", two(gain.gain), two(gain.interval.low), two(gain.interval.high))
}
