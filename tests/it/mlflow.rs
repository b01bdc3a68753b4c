//! The example that logs events to MLflow: what MLflow has is what the tables say.

use crate::python::python;
use crate::util::{Ran, Sandbox, root, rows};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Prints the runs of the experiment `x`, with the last value of each metric and its step.
const READER: &str = r#"
import json, sys
from mlflow.tracking import MlflowClient
client = MlflowClient(tracking_uri="file:" + sys.argv[1])
experiment = client.get_experiment_by_name("x").experiment_id
for run in client.search_runs([experiment], max_results=1000):
    metrics = {}
    for name in run.data.metrics:
        history = client.get_metric_history(run.info.run_id, name)
        metrics[name] = [history[-1].value, history[-1].step, len(history)]
    print(json.dumps({"params": run.data.params, "status": run.info.status, "metrics": metrics}))
"#;

#[test]
fn the_events_of_a_run_are_logged_to_mlflow() {
    let Some(python) = python("mlflow") else { return };
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.toml",
        "repeats = 9\n[problem]\nplugin = \"onemax\"\nlength = 12\n[[operators]]\npreset = \
        \"simple-ga\"\npopulation = 10\n[[operators]]\npreset = \"rls\"\n[stop]\ngenerations = \
        40\n",
    );
    let options = ["--progress", "json", "--generation-events", "10"];
    let ran = sandbox.run(&[&["x.toml"], &options[..]].concat()).code(0);
    sandbox.write("events", format!("no event\n{}", ran.stderr));
    let of_mlflow = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(arguments).current_dir(sandbox.path(""));
        // No message of its own leaves the machine.
        command.envs([("MLFLOW_ALLOW_FILE_STORE", "true"), ("MLFLOW_DISABLE_TELEMETRY", "true")]);
        command
    };
    let script = root().join("examples/mlflow_events.py").display().to_string();
    let store = format!("file:{}", sandbox.path("mlruns").display());
    let mut logging = of_mlflow(&[&script, &store, "--trials", "4"]);
    let events = std::fs::File::open(sandbox.path("events")).expect("the events");
    let logged = Ran::new(logging.stdin(Stdio::from(events))).code(0);
    assert!(logged.stderr.contains("no event\n"), "{logged}");
    let folder = sandbox.path("mlruns").display().to_string();
    let read = Ran::new(&mut of_mlflow(&["-c", READER, &folder])).code(0);
    let runs: Vec<Value> =
        read.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(runs.iter().all(|run| run["status"] == "FINISHED"), "{runs:?}");
    let (summary, trials) =
        (rows(&sandbox, &["results/x"]), rows(&sandbox, &["results/x", "--trials"]));
    let run = |arm: &Value, trial: Option<&Value>| {
        let number = trial.map(ToString::to_string);
        let is_own = |run: &&Value| {
            let params = &run["params"];
            params["arm"] == *arm && params["trial"].as_str() == number.as_deref()
        };
        runs.iter().find(is_own).unwrap_or_else(|| panic!("no run of {arm} {trial:?}: {runs:?}"))
    };
    for row in &summary {
        let metrics = &run(&row["arm"], None)["metrics"];
        assert_eq!(metrics["success_rate"][0].as_f64(), row["success_rate"].as_f64(), "{metrics}");
        assert_eq!(metrics["successes"][1], row["trials"], "{metrics}");
    }
    let logged = trials.iter().filter(|row| row["trial"].as_u64().is_some_and(|trial| trial < 4));
    for row in logged.clone() {
        let metrics = &run(&row["arm"], Some(&row["trial"]))["metrics"];
        let [value, step] = [0, 1].map(|place| metrics["best_so_far"][place].as_f64());
        assert_eq!(value, row["best_fitness"].as_f64(), "{row} {metrics}");
        assert_eq!(step, row["evaluations"].as_f64(), "{row} {metrics}");
    }
    assert_eq!(runs.len(), summary.len() + logged.count());
}
