//! Long batches of programs, which are sent in parts: a process finds the next part in its pipe
//! when it has answered one. Nothing but the time changes, and a fault costs one trial.

use crate::util::{Ran, Sandbox, document, eventually, rows, sized, tables};
use serde_json::Value;
use std::process::{Command, Stdio};

const FIXTURE: &str = "tests/fixtures/python/frames.py";

/// Genes of a genome: a batch of 10 has two parts.
const LENGTH: usize = 110_000;

/// Number of trials of an arm.
fn trials() -> usize {
    sized(3, 30) as usize
}

/// A sandbox with the program of tests/fixtures/python/frames.py and a config; none without Python.
fn sandbox() -> Option<Sandbox> {
    let python = crate::python::python("sys")?;
    let sandbox = Sandbox::new();
    let program = format!("#!/usr/bin/env -S {python}\n{}", document(FIXTURE));
    sandbox.program("frames", program);
    sandbox.write(
        "f.toml",
        format!(
            "repeats = {}\n[problem]\nplugin = \"./frames\"\nlength = {LENGTH}\n[[operators]]\n\
            population = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n[stop]\n\
            generations = 3\non-success = \"continue\"\n",
            trials()
        ),
    );
    Some(sandbox)
}

/// Runs the config with a program that has this fault; what it tells goes to a folder of its own.
fn command(sandbox: &Sandbox, fault: &str, out: &str, arguments: &[&str]) -> Command {
    let told = sandbox.path(format!("told-{out}"));
    std::fs::create_dir_all(&told).expect("a folder");
    let mut command = sandbox.command();
    command.env("FAULT", fault).env("FRAMES", told);
    command.args(["f.toml", "--out", out, "--progress", "none"]).args(arguments);
    command
}

fn run(sandbox: &Sandbox, fault: &str, out: &str, arguments: &[&str]) -> Ran {
    Ran::new(&mut command(sandbox, fault, out, arguments))
}

/// The names of what the program told.
fn told(sandbox: &Sandbox, out: &str) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path(format!("told-{out}"))).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
    entries.map(|entry| name(entry).into_string().expect("UTF-8")).collect()
}

/// The processes that evaluated.
fn processes(sandbox: &Sandbox, out: &str) -> Vec<u32> {
    let told = told(sandbox, out);
    let ids = told.iter().filter_map(|name| name.strip_prefix("process-"));
    ids.map(|id| id.parse().expect("a number")).collect()
}

/// Frames are longer than a pipe, too, if a genome is.
#[test]
fn the_next_part_lies_ready_and_no_byte_changes() {
    let Some(sandbox) = sandbox() else { return };
    let mut config = String::from_utf8(sandbox.read("f.toml")).expect("UTF-8");
    config = config.replace(&format!("length = {LENGTH}\n"), "");
    config += "[sweep]\n\"problem.length\" = [24, 120_000, LONGEST]\n";
    config = config.replace("LONGEST", &sized(300_000, 1_000_000).to_string());
    sandbox.write("f.toml", config);
    let few = ["--repeats", "2"];
    for (out, how) in [
        ("jobs-1", ["--jobs", "1", "--isolation", "thread"]),
        ("jobs-2", ["--jobs", "2", "--isolation", "thread"]),
        ("process", ["--jobs", "2", "--isolation", "process"]),
    ] {
        run(&sandbox, "none", out, &[&few[..], &how].concat()).code(0);
        assert!(told(&sandbox, out).contains(&"ready".to_owned()), "{out}");
        assert!(tables(&sandbox, &format!("{out}/f")) == tables(&sandbox, "jobs-1/f"), "{out}");
    }
    assert_eq!(processes(&sandbox, "jobs-1").len(), 1, "a process per job");
    assert_eq!(processes(&sandbox, "jobs-2").len(), 2, "a process per job");
}

#[test]
fn a_fault_costs_the_trial_that_is_served_and_no_other() {
    let Some(sandbox) = sandbox() else { return };
    let all = trials();
    let trials = |out: &str| rows(&sandbox, &[&format!("{out}/f"), "--trials"]);
    // A sound trial takes milliseconds, and is never near the limit.
    let arguments = ["--jobs", "1", "--set", "stop.trial-seconds=10"];
    run(&sandbox, "none", "none", &arguments).code(0);
    let sound = trials("none");
    for (fault, outcome, words, started) in [
        ("exit", "crashed", "the program exited by itself with code 5", 2),
        ("hang", "timed-out", "did not come back within 10 s", 2),
        ("short", "failed", "the program answered with 64 bytes in place of 72", 2),
        ("close", "crashed", "the program closed its pipes", 2),
        ("garbage", "crashed", "sent what is no answer: a frame of 100 bytes with the status 9", 2),
        ("twice", "crashed", "sent the answer to request", 2),
        ("skipped", "crashed", "sent the answer to request", 2),
        ("unsealed", "crashed", "sent what is no answer: it lacks the secret", 2),
        ("stranger", "crashed", "sent an answer of process 1, but process", 2),
        ("copied", "crashed", "a copy of it, made by fork, answers too", 2),
        ("added", "crashed", "sent what is no answer: it lacks the secret", 2),
        ("inserted", "crashed", "sent what is no answer: it lacks the secret", 2),
        ("nan", "failed", "is NaN, but must be a finite number", 1),
        ("refuse", "failed", "as asked", 1),
    ]
    .into_iter()
    .step_by(sized(3, 1) as usize)
    {
        run(&sandbox, fault, fault, &arguments).code(1);
        assert!(told(&sandbox, fault).contains(&"ready".to_owned()), "{fault}: nothing waited");
        let trials = trials(fault);
        let (bad, good): (Vec<&Value>, Vec<&Value>) =
            trials.iter().partition(|row| !row["error"].is_null());
        assert_eq!((bad.len(), good.len()), (1, all - 1), "{fault}: {bad:?}");
        assert_eq!(bad[0]["outcome"], outcome, "{fault}");
        let error = bad[0]["error"].as_str().expect("words");
        assert!(error.contains(words), "{fault}: {error}");
        // The others are those of a run without a fault.
        for row in good {
            let same = sound.iter().find(|one| one["trial"] == row["trial"]).expect("its twin");
            assert_eq!(row, same, "{fault}");
        }
        // The process goes on where the answer was one.
        assert_eq!(processes(&sandbox, fault).len(), started, "{fault}");
    }
}

#[test]
fn an_interrupt_drops_a_batch_at_once() {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(sandbox) = sandbox() else { return };
    let mut command = command(&sandbox, "hang", "out", &["--jobs", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    eventually("a part waits", || sandbox.path("told-out/ready").exists());
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    // Not by force, which comes after 5 s.
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("Ended without waiting"), "{errors}");
    // What was dropped is run by the same command, and the process of before is gone.
    let first = processes(&sandbox, "out");
    let alive = |id: &u32| std::path::Path::new(&format!("/proc/{id}/stat")).exists();
    assert!(!first.iter().any(alive), "{first:?}");
    run(&sandbox, "hang", "out", &["--jobs", "1"]).code(0);
    assert_eq!(rows(&sandbox, &["out/f", "--trials"]).len(), trials());
}
