//! `runner runtimes`: how many evaluations a success takes, and whether restarts would help.

use super::output::{line, put_sheet};
use crate::cli::RuntimesArguments;
use crate::comparison::Sample;
use crate::exit::Exit;
use crate::report::Sheet;
use crate::results::{CONFIDENCE, Results, percent};
use crate::stats::{Step, best_restart, run_lengths, success_performance};
use serde_json::{Value, json};

pub fn runtimes(arguments: &RuntimesArguments) -> Exit {
    let samples = match Results::open(&arguments.folder).and_then(|results| Sample::read(&results)) {
        Ok(samples) => samples,
        Err(error) => {
            message!("error: {error}");
            return Exit::Results;
        }
    };
    let sheet = Sheet { columns: COLUMNS.to_vec(), rows: samples.iter().map(row).collect() };
    let median = format!("median evaluations\n({} interval)", percent(CONFIDENCE));
    let headings = [
        ("arm", "arm"),
        ("trials", "trials"),
        ("successes", "successes"),
        ("median_words", median.as_str()),
        ("ert", "ERT"),
        ("restart_after", "best\nrestart after"),
        ("restart_cost", "its expected\nevaluations"),
        ("restart_gain", "ERT over\nthat"),
    ];
    let exit = put_sheet(&sheet, &arguments.form, &headings);
    if arguments.form.format().is_none() && samples.iter().any(|sample| sample.enough.is_some()) {
        line!(
            "Outcomes decided how many trials there are (`repeats` as a question): the medians' intervals do not allow for that."
        );
    }
    exit
}

/// Successes before a cut-off that is proposed.
const RESTARTS: usize = 20;

const COLUMNS: [&str; 12] = [
    "arm",
    "trials",
    "successes",
    "median",
    "median_low",
    "median_high",
    "median_words",
    "ert",
    "success_performance",
    "restart_after",
    "restart_cost",
    "restart_gain",
];

fn row(sample: &Sample) -> Vec<Value> {
    let to_success = sample.to_success();
    let steps = run_lengths(&to_success, sample.unsuccessful(), CONFIDENCE);
    let half = |reached: fn(&Step) -> f64| steps.iter().find(|step| reached(step) >= 0.5).map(|step| step.evaluations);
    let median = half(|step| step.solved);
    let (low, high) = (half(|step| step.interval.high), half(|step| step.interval.low));
    let word = |bound: Option<u64>| bound.map_or_else(|| "–".to_owned(), crate::report::count);
    let (ert, restart) = (sample.ert(), best_restart(&to_success, sample.unsuccessful(), RESTARTS));
    vec![
        json!(sample.label),
        json!(sample.trials()),
        json!(to_success.len()),
        json!(median),
        json!(low),
        json!(high),
        json!(format!("{}\n({}–{})", word(median), word(low), word(high))),
        json!(ert),
        json!(success_performance(&to_success, sample.trials())),
        json!(restart.map(|restart| restart.after)),
        json!(restart.map(|restart| restart.cost)),
        json!(ert.zip(restart).map(|(ert, restart)| ert / restart.cost)),
    ]
}
