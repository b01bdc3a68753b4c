//! Submissions of experiments that have results already: other builds, failed trials, damage, and
//! tasks that run.

use crate::util::{Ran, Sandbox, eventually, rows};
use std::fs;
use std::process::{Command, Stdio};

/// Fails some trials while there is a file `fail`, and waits while there is a file `hold`.
const PROBLEM: &str = r#"
import os
import time

from runner import Bits


class Problem:
    def describe(self):
        return Bits(8, ideal=0, worst=8)

    def fitness(self, genome):
        while os.path.exists("hold"):
            time.sleep(0.01)
        if os.path.exists("fail") and all(genome[:3]):
            raise ValueError("it fails")
        return sum(genome)
"#;

const CONFIG: &str = r#"
repeats = 20

[problem]
plugin = "own.py"

[[operators]]
name       = "ga"
population = 4
selection  = "tournament"
mutation   = "bit-flip"

[stop]
evaluations = 20
"#;

/// Command that submits the experiment.
const SUBMIT: [&str; 5] = ["submit", "print", "own.toml", "--shards", "2"];

/// A sandbox with the experiment; `None` without Python.
fn sandbox() -> Option<Sandbox> {
    crate::python::python("sys")?;
    let sandbox = Sandbox::new();
    sandbox.write("own.py", PROBLEM);
    sandbox.write("own.toml", CONFIG);
    Some(sandbox)
}

/// Runs the printed commands, whatever their exit codes.
fn run_all(sandbox: &Sandbox, printed: &str) -> Ran {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(printed).env("NO_COLOR", "1").current_dir(sandbox.path(""));
    Ran::new(&mut shell)
}

/// The plugin changes, and its version does not.
fn change_the_plugin(sandbox: &Sandbox) {
    sandbox.write("own.py", PROBLEM.replace("return sum(genome)", "return 8 - sum(genome)"));
}

#[test]
fn shards_of_another_build_are_refused() {
    let Some(sandbox) = sandbox() else { return };
    let words = "trials from another build of the plugin own";
    run_all(&sandbox, &sandbox.run(&SUBMIT).code(0).stdout).code(0);
    change_the_plugin(&sandbox);
    // The tables and the shards are there: both are of the earlier build.
    sandbox.run(&SUBMIT).code(3).warns(words);
    fs::remove_dir_all(sandbox.path("results/own")).expect("it is there");
    sandbox.run(&SUBMIT).code(3).warns(words);
    for more in [&[][..], &["--retry-failed"]] {
        sandbox.run(&[&["own.toml", "--shard", "1/2"], more].concat()).code(3).warns(words);
    }
    // With consent they are told, and taken.
    let accepted = sandbox.run(&["own.toml", "--shard", "1/2", "--accept-plugin-change"]).code(0);
    accepted.warns("these are results of an earlier own.py");
    sandbox.run(&[&SUBMIT[..], &["--accept-plugin-change"]].concat()).code(0);
    // Without the shards of the earlier build, nothing is refused.
    for shard in ["1", "2"] {
        let folder = sandbox.path(format!("results/own.shard-{shard}-of-2"));
        fs::remove_dir_all(folder).expect("it is there");
    }
    run_all(&sandbox, &sandbox.run(&SUBMIT).code(0).stdout).code(0);
}

#[test]
fn failed_trials_are_retried_by_a_changed_plugin_only_with_consent() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("fail", "");
    sandbox.run(&["own.toml", "--shard", "1/1"]);
    fs::remove_file(sandbox.path("fail")).expect("it is there");
    change_the_plugin(&sandbox);
    let words = "trials from another build of the plugin own";
    sandbox.run(&["own.toml", "--shard", "1/1", "--retry-failed"]).code(3).warns(words);
}

#[test]
fn shards_with_failed_trials_are_missing_if_these_are_to_be_retried() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("fail", "");
    let parallel = ["submit", "parallel", "own.toml"];
    sandbox.run(&[&parallel[..], &["--shards", "2"]].concat()).code(0);
    run_all(&sandbox, &sandbox.run(&SUBMIT).code(0).stdout);
    let failed = || {
        let trials = rows(&sandbox, &["results/own", "--trials"]);
        trials.iter().filter(|trial| trial["outcome"] == "failed").count()
    };
    assert!(failed() > 0, "some trials fail");
    fs::remove_file(sandbox.path("fail")).expect("it is there");
    let missing = [&parallel[..], &["--missing"]].concat();
    sandbox.run(&missing).code(0).says("own: all shards are done");
    let print = ["submit", "print", "own.toml", "--missing", "--retry-failed"];
    let printed = sandbox.run(&print).code(0).stdout;
    assert!(printed.contains("--retry-failed"), "{printed}");
    run_all(&sandbox, &printed).code(0);
    assert_eq!(failed(), 0);
    sandbox.run(&print).code(0).says("own: all shards are done");
}

#[test]
fn a_damaged_shard_is_missing() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.run(&["submit", "parallel", "own.toml", "--shards", "2"]).code(0);
    let printed = sandbox.run(&SUBMIT).code(0).stdout;
    run_all(&sandbox, &printed).code(0);
    fs::remove_dir_all(sandbox.path("results/own")).expect("it is there");
    let whole = "results/own.shard-2-of-2/parts/whole";
    let mut bytes = sandbox.read(whole);
    bytes[60] ^= 1;
    fs::write(sandbox.path(whole), &bytes).expect("a file");
    sandbox.run(&["merge", "results/own.shard-*"]).code(4).warns("run shard 2/2 again");
    let printed = sandbox.run(&["submit", "print", "own.toml", "--missing"]).code(0).stdout;
    assert!(printed.contains("2/2") && !printed.contains("1/2"), "{printed}");
    run_all(&sandbox, &printed).code(0);
    assert!(sandbox.path("results/own/trials.parquet").exists(), "it is merged");
}

#[test]
fn shards_that_run_are_told_and_not_submitted_again() {
    let Some(sandbox) = sandbox() else { return };
    let parallel = ["submit", "parallel", "own.toml"];
    sandbox.run(&[&parallel[..], &["--shards", "2"]].concat()).code(0);
    sandbox.write("hold", "");
    let mut task = sandbox.command();
    task.args(["own.toml", "--shard", "1/2", "--jobs", "1", "--progress", "none"]);
    let mut task = task.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let status = || sandbox.run(&["status", "results/own"]);
    eventually("the shard runs", || status().code == Some(5));
    status().code(5).says("2 shards: 1 running, 1 pending").says("Underway: runner status");
    let missing = [&parallel[..], &["--missing"]].concat();
    sandbox.run(&missing).code(2).warns("tasks that run on this machine (shards 1)");
    let merge = ["merge", "results/own.shard-1-of-2"];
    sandbox.run(&merge).code(4).warns("1/2 is still running: merge when it has ended");
    fs::remove_file(sandbox.path("hold")).expect("it is there");
    assert!(task.wait().expect("it ends").success());
    status()
        .code(1)
        .says("1 done, 1 missing")
        .says("Next, if no task runs any more: runner submit");
    sandbox.run(&missing).code(0);
}

#[test]
fn a_submission_that_cannot_be_read_is_replaced() {
    let Some(sandbox) = sandbox() else { return };
    let parallel = ["submit", "parallel", "own.toml", "--shards", "2"];
    sandbox.run(&parallel).code(0);
    let file = "results/own.submission/submission.toml";
    sandbox.write(file, "x = [");
    sandbox.run(&["submit", "parallel", "own.toml", "--missing"]).code(4).warns("unclosed array");
    sandbox.run(&parallel).code(0).warns("it is replaced");
    sandbox.run(&["status", "results/own"]).code(1).says("2 missing");
    // Also one that lies elsewhere now.
    fs::rename(sandbox.path("results"), sandbox.path("moved")).expect("a folder");
    sandbox.run(&[&parallel[..], &["--out", "moved"]].concat()).code(0).warns("it is replaced");
}

#[test]
fn results_that_no_merge_could_take_are_refused_before_any_shard_runs() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("own.csv", "arm,trial,evaluations,success\na,0,10,true\na,1,20,false\n");
    sandbox.run(&["import", "own.csv"]).code(0).says("2 trials of 1 arm");
    sandbox.run(&SUBMIT).code(4).warns("these trials were imported from own.csv");
    fs::remove_dir_all(sandbox.path("results/own")).expect("it is there");
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["own.toml", "--shard", shard]).code(0);
    }
    sandbox.run(&["merge", "results/own.shard-*", "--partitioned"]).code(0);
    sandbox.run(&SUBMIT).code(4).warns("--partitioned");
}

#[test]
fn trials_of_more_repeats_are_no_trials_of_a_smaller_shard() {
    let Some(sandbox) = sandbox() else { return };
    let shard = |repeats| {
        let line = ["own.toml", "--shard", "1/2", "--repeats", repeats, "--progress", "plain"];
        sandbox.run(&line).code(0)
    };
    shard("20").says("shard 1/2, 10 of 20 trials");
    let fewer = shard("10").says("shard 1/2, 5 of 10 trials");
    fewer.warns("own: 5 trials in 1 arm, 5 of them already done");
    let events = ["own.toml", "--shard", "1/2", "--repeats", "10", "--progress", "json"];
    sandbox.run(&events).code(0).warns("\"trials_done\":5,\"trials_total\":5");
}

#[test]
fn printed_commands_work_wherever_results_are() {
    let Some(sandbox) = sandbox() else { return };
    for out in ["elsewhere", "odd[1] names"] {
        let ran = |shard| sandbox.run(&["own.toml", "--shard", shard, "--out", out]).code(0);
        let told = [ran("1/2"), ran("2/2")].map(|ran| ran.stdout).concat();
        let merge = told.lines().rev().find_map(|line| line.split_once("runner merge"));
        let (_, words) = merge.expect("a command");
        run_all(&sandbox, &format!("{}{words}", merge_by(&sandbox))).code(0);
        assert!(sandbox.path(format!("{out}/own/trials.parquet")).exists(), "{told}");
    }
    // Results in the folder of the config.
    sandbox.run(&[&["submit", "parallel"], &SUBMIT[2..], &["--out", "."]].concat()).code(0);
    let next =
        "Next, if no task runs any more: runner submit parallel --missing own.toml --out .\n";
    sandbox.run(&["status", "own"]).code(1).says(next);
    let mut inside = sandbox.command();
    inside.current_dir(sandbox.path("own.submission")).args(["status", "."]);
    Ran::new(&mut inside).code(1).says("2 missing");
}

/// The command that merges.
fn merge_by(sandbox: &Sandbox) -> String {
    let program = sandbox.command().get_program().to_string_lossy().into_owned();
    format!("'{program}' merge")
}
