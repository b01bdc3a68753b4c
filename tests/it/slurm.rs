//! Experiments on a Slurm cluster: whatever happens to tasks, nodes and the controller, the tables
//! have the bytes of a run on one machine.

use crate::faults::shim;
use crate::slurm_cluster::{Cluster, has_trials};
use crate::tuning::{short, tables};
use crate::util::{Ran, Sandbox, eventually};
use std::fs;
use std::path::PathBuf;

/// A problem in Python whose evaluations take a millisecond, and wait while there is a file `hold`.
const SLOW: &str = r#""""Counts the zeros, slowly."""
import os
import time

from runner import Bits


class Problem:
    def describe(self):
        return Bits(12, ideal=0, worst=12)

    def fitness(self, genome):
        while os.path.exists("hold"):
            time.sleep(0.02)
        time.sleep(0.001)
        return sum(1 for gene in genome if not gene)
"#;

const ARMS: &str = r#"
[[operators]]
name        = "ga"
population  = 8
selection   = "tournament"
mutation    = "reset"

[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest" }
"#;

/// What the config of an experiment says, with so many trials an arm of 30 evaluations at most.
fn config(problem: &str, repeats: u64) -> String {
    format!("repeats = {repeats}\n[problem]\n{problem}\n{ARMS}\n[stop]\nevaluations = 30\n")
}

/// An experiment on the cluster, and the same on this machine.
struct Study {
    cluster: Cluster,
    sandbox: Sandbox,
    name: &'static str,
}

impl Drop for Study {
    #[expect(clippy::print_stderr, reason = "what a failed test leaves to be read")]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let logs = self.sandbox.path(format!("results/{}.submission/logs", self.name));
        for entry in fs::read_dir(logs).into_iter().flatten().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            eprintln!("{}:\n{text}", entry.path().display());
        }
    }
}

impl Study {
    /// None where there is no cluster.
    fn new(name: &'static str, text: &str) -> Option<Self> {
        let cluster = Cluster::take()?;
        let sandbox = Sandbox::new();
        sandbox.write("slow.py", SLOW);
        sandbox.write(&format!("{name}.toml"), text);
        Some(Study { cluster, sandbox, name })
    }

    /// One whose trials are slow, and can be held.
    fn slow(name: &'static str) -> Option<Self> {
        Study::new(name, &config("plugin = \"slow.py\"", 60))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command();
        self.cluster.speak(&mut command);
        Ran::new(command.args(arguments))
    }

    /// Submits the experiment; the numbers of the array and of the job that merges.
    fn submit(&self, arguments: &[&str]) -> (u64, u64) {
        let config = format!("{}.toml", self.name);
        let ran = self.run(&[&["submit", "slurm", &config], arguments].concat()).code(0);
        let number = |after: &str| {
            let rest = ran.stdout.split(after).nth(1).unwrap_or_else(|| panic!("no job\n{ran}"));
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap_or_else(|_| panic!("no number of a job\n{ran}"))
        };
        (number(", job "), number("merge: job "))
    }

    fn status(&self) -> Ran {
        self.run(&["status", &format!("results/{}", self.name)])
    }

    fn shard(&self, shard: &str) -> PathBuf {
        self.sandbox.path(format!("results/{}.shard-{shard}", self.name))
    }

    /// Waits until a shard is in the midst of its trials, and holds all of them there.
    fn hold_in(&self, shard: &str) {
        eventually("a shard has trials", || has_trials(&self.shard(shard)));
        self.sandbox.write("hold", "");
    }

    fn release(&self) {
        fs::remove_file(self.sandbox.path("hold")).expect("it is held");
    }

    /// Waits until nothing of the experiment is in the queue.
    fn wait(&self) {
        eventually("all jobs have ended", || self.status().code != Some(5));
    }

    /// Waits for the tables, and compares them with those of a run on one machine.
    #[track_caller]
    fn ends_as_one_run(&self) {
        self.wait();
        self.status().code(0).says("Complete: runner show");
        let config = format!("{}.toml", self.name);
        self.run(&[&config, "--out", "single", "--jobs", "8", "--progress", "none"]).code(0);
        for table in ["trials.parquet", "summary.parquet"] {
            let of = |out: &str| self.sandbox.read(&format!("{out}/{}/{table}", self.name));
            assert!(of("results") == of("single"), "{table} differs from that of one run");
        }
    }
}

#[test]
fn an_array_and_its_merge_give_the_bytes_of_one_run() {
    let queens = "plugin = \"nqueens\"\nn = 7";
    let Some(study) = Study::new("queens, n = 7", &config(queens, 200)) else { return };
    let (array, merge) = study.submit(&["--shards", "5", "--", "--cpus-per-task=2", "--time=5"]);
    assert!(merge > array, "{merge}, {array}: other tests may submit in between");
    let again = study.run(&["submit", "slurm", "queens, n = 7.toml", "--shards", "5"]).code(2);
    again.warns("in the queue").warns(&format!("scancel {array} {merge}"));
    study.ends_as_one_run();
    let log = format!("results/queens, n = 7.submission/logs/queens, n = 7-{array}_1.log");
    let log = String::from_utf8(study.sandbox.read(&log)).expect("text");
    assert!(log.contains("on 2 threads"), "{log}");
    // Nothing is left to do.
    let ran = study.run(&["submit", "slurm", "--missing", "queens, n = 7.toml"]).code(0);
    ran.says("there is nothing to submit");
    // Other commands see the experiment, and not its submission.
    let paths: Vec<String> =
        ["", ".submission"].map(|end| format!("results/queens, n = 7{end}")).into();
    study.run(&["show", &paths[0], &paths[1]]).code(0).says("climb");
}

#[test]
fn more_shards_than_an_array_has_are_packed_and_one_that_fails_stops_no_other() {
    let queens = "plugin = \"nqueens\"\nn = 6";
    let Some(study) = Study::new("packed", &config(queens, 100)) else { return };
    // What is in the way of a shard's folder.
    study.sandbox.write("results/packed.shard-5-of-20", "");
    let (array, _) = study.submit(&["--shards", "20"]);
    study.wait();
    let status = study.status().code(1);
    let status =
        status.says("20 shards: 19 done, 1 failed").says("shard 5: failed (FAILED), 0 of 10");
    let status = status.says(&format!("packed.submission/logs/packed-{array}_2.log"));
    status.says("Next: runner submit slurm --missing packed.toml");
    assert!(!study.sandbox.path("results/packed").exists(), "it was merged with a shard missing");
    fs::remove_file(study.shard("5-of-20")).expect("it is there");
    let ran = study.run(&["submit", "slurm", "--missing", "packed.toml"]).code(0);
    ran.says("packed: 1 shard, job ");
    let script = study.sandbox.read("results/packed.submission/array.sh");
    let script = String::from_utf8(script).expect("text");
    assert!(script.contains("--array=2\n") && script.contains("2) shards=\"5\" ;;"), "{script}");
    study.ends_as_one_run();
}

#[test]
fn a_task_of_an_edited_config_refuses_to_run() {
    let text = config("plugin = \"slow.py\"", 60);
    let Some(study) = Study::new("edited", &text) else { return };
    let (array, merge) = study.submit(&["--shards", "3", "--", "--hold"]);
    study.status().code(5).says("pending: 1-3").says("merge: waits");
    study.sandbox.write("edited.toml", text.replace("evaluations = 30", "evaluations = 31"));
    study.cluster.ask("scontrol", &["release", &array.to_string()]);
    study.cluster.ask("scontrol", &["release", &merge.to_string()]);
    study.wait();
    let ran = study.status().code(1).says("3 shards: 3 failed").says("shard 1: failed (FAILED)");
    let ran = ran.says("merge: failed (CANCELLED)");
    ran.says("Next: runner submit slurm --missing edited.toml");
    let log = format!("results/edited.submission/logs/edited-{array}_1.log");
    let log = String::from_utf8(study.sandbox.read(&log)).expect("text");
    assert!(log.contains("this is not the experiment that was submitted"), "{log}");
    let ran = study.run(&["submit", "slurm", "--missing", "edited.toml"]).code(2);
    ran.warns("is not the experiment that was submitted");
    study.sandbox.write("edited.toml", text);
    study.submit(&["--missing", "--", "--time=5"]);
    study.ends_as_one_run();
}

#[test]
fn a_task_that_is_requeued_continues() {
    let Some(study) = Study::slow("requeued") else { return };
    let (array, _) = study.submit(&["--shards", "3"]);
    study.hold_in("2-of-3");
    study.status().code(5).says("running: ").says("ga");
    study.cluster.ask("scontrol", &["requeue", &format!("{array}_2")]);
    study.release();
    study.ends_as_one_run();
}

#[test]
fn a_node_that_dies_costs_no_trial() {
    let Some(study) = Study::slow("dead-node") else { return };
    let (array, _) = study.submit(&["--shards", "3"]);
    study.hold_in("2-of-3");
    let node = study.cluster.node_of(array, 2);
    study.cluster.kill_node(&node);
    study.cluster.mark_down(&node);
    study.release();
    study.ends_as_one_run();
    study.cluster.revive(&node);
}

/// The controller loses a node whose tasks go on, and starts them elsewhere too.
#[test]
fn a_task_that_runs_twice_at_once_harms_nothing() {
    let Some(study) = Study::slow("lost-node") else { return };
    let (array, _) = study.submit(&["--shards", "3"]);
    study.hold_in("2-of-3");
    let node = study.cluster.node_of(array, 2);
    study.cluster.kill_daemon(&node);
    study.cluster.mark_down(&node);
    let attempts = study.shard("2-of-3").join("attempts");
    eventually("the task runs twice", || {
        fs::read_dir(&attempts).is_ok_and(|entries| entries.count() == 2)
    });
    study.release();
    study.ends_as_one_run();
    study.cluster.revive(&node);
}

/// The segments that the tasks of one node write are refused, as by a disk without space (28 is
/// ENOSPC). Every task writes one, however fast its trials are.
#[test]
fn a_full_disk_on_one_node_fails_its_tasks_alone() {
    let Some(study) = Study::slow("full-disk") else { return };
    let full = format!(
        "--export=ALL,LD_PRELOAD={},FAULT_UNDER=/parts/,FAULT_CALL=write,FAULT_NTH=1+,\
        FAULT_HOW=28,FAULT_NODE=n2",
        shim().display()
    );
    // All tasks are held until each has a processor: two of them are on the full node.
    study.sandbox.write("hold", "");
    let (array, _) = study.submit(&["--shards", "6", "--", &full]);
    eventually("all tasks run", || study.status().stdout.contains("6 running"));
    study.release();
    study.wait();
    let status = study.status().code(1).says(" failed").says("merge: failed (CANCELLED)");
    let failed: Vec<u64> = (1..=6)
        .filter(|shard| status.stdout.contains(&format!("shard {shard}: failed (FAILED)")))
        .collect();
    assert!(!failed.is_empty() && failed.len() < 6, "{status}");
    for shard in failed {
        let log = format!("results/full-disk.submission/logs/full-disk-{array}_{shard}.log");
        let log = String::from_utf8_lossy(&study.sandbox.read(&log)).into_owned();
        assert!(log.contains("No space left on device"), "{log}");
    }
    study.submit(&["--missing", "--", "--export=ALL"]);
    study.ends_as_one_run();
}

#[test]
fn a_controller_that_dies_costs_no_trial() {
    let Some(study) = Study::slow("dead-controller") else { return };
    let (_, merge) = study.submit(&["--shards", "4"]);
    study.hold_in("2-of-4");
    study.cluster.save(merge);
    study.cluster.kill_daemon("slurmctld");
    study.release();
    study.cluster.revive("slurmctld");
    eventually("the controller answers", || study.status().stdout.contains("merge: "));
    study.ends_as_one_run();
}

#[test]
fn a_question_is_answered_in_rounds() {
    let text = config("plugin = \"nqueens\"\nn = 6", 0)
        .replace("repeats = 0", "repeats = { half-width = 0.03, max = 2000 }");
    let Some(study) = Study::new("asked", &text) else { return };
    // What is in the way of a shard's folder, in the second round.
    let obstacle = study.sandbox.write("results/asked.round-2.shard-2-of-3", "");
    study.submit(&["--shards", "3"]);
    study.status().code(5).says("asked: round 1: 3 shards").says("of at most 4,000 trials");
    study.wait();
    let status = study.status().code(1).says("asked: round 2: 3 shards: 2 done, 1 failed");
    status.says("shard 2: failed (FAILED)").says("Next: runner submit slurm --missing asked.toml");
    fs::remove_file(obstacle).expect("it is there");
    let ran = study.run(&["submit", "slurm", "--missing", "asked.toml"]).code(0);
    ran.says("asked: 1 shard, job ");
    study.ends_as_one_run();
    let submission = study.sandbox.read("results/asked.submission/submission.toml");
    let submission = String::from_utf8(submission).expect("text");
    let rounds = submission.matches("[[jobs]]").count();
    assert!((4..=20).contains(&rounds), "{rounds} submissions:\n{submission}");
    assert!(!study.sandbox.path("results/asked.round-1.shard-1-of-3").exists());
}

/// More tasks than the cluster runs at a time: those that run do the work of those that wait.
#[test]
fn a_tuning_has_the_bytes_of_one_process() {
    let Some(study) = Study::new("tuning", &short()) else { return };
    let submit = |arguments: &[&str]| {
        study.run(&[&["submit", "slurm", "tuning.toml"], arguments].concat()).code(0)
    };
    let ran = submit(&["--shards", "6", "--", "--hold"]);
    assert!(
        ran.stdout.starts_with("tuning: 6 shards, job ") && !ran.stdout.contains("merge"),
        "{ran}"
    );
    study.status().code(5).says("tuning: 6 shards: 6 pending; 0 trials").says("pending: 1-6");
    study.run(&["submit", "slurm", "tuning.toml", "--shards", "6"]).code(2).warns("in the queue");
    study.cluster.ask("scancel", &["--name=tuning"]);
    study.wait();
    let status = study.status().code(1).says("tuning: 6 shards: 6 missing; 0 trials");
    status.says("Next: runner submit slurm --missing tuning.toml");
    submit(&["--missing", "--", "--cpus-per-task=2"]).says("tuning: 6 shards, job ");
    study.wait();
    let status = study.status().code(0).says("tuning: 6 shards: 6 done; ");
    status.says("Complete: runner show results/tuning");
    submit(&["--missing"]).says("there is nothing to submit");
    study.run(&["tune", "tuning.toml", "--out", "single", "--progress", "none"]).code(0);
    assert!(tables(&study.sandbox, "results") == tables(&study.sandbox, "single"));
}
