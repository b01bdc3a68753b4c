//! Signals: the programs that a problem or `--on-end` starts can be terminated as anywhere else. A
//! batch system that signals every process of a job costs no trial.

use crate::hostile::{family, hostile};
use crate::python::python;
use crate::util::{Ran, Sandbox, document, eventually, sized, with_default_signals};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Command, Stdio};

const MASK: [&str; 3] = ["-E", "^Sig(Blk|Ign)", "/proc/self/status"];

/// The signals that a program blocks and ignores which a test starts.
fn usual_mask() -> String {
    let mut command = Command::new("grep");
    with_default_signals(&mut command);
    without_internal(&Ran::new(command.args(MASK)).code(0).stdout)
}

/// Clears signals 32 and 33 in lines such as `SigIgn:\t0000000180000000`: the C library uses them
/// itself, and ignores them in a child or not by the way in which it was started.
fn without_internal(seen: &str) -> String {
    let cleared = |line: &str| match line.split_once(":\t").filter(|_| line.starts_with("Sig")) {
        Some((name, mask)) => {
            let mask = u64::from_str_radix(mask, 16).expect("a mask in hex");
            format!("{name}:\t{:016x}\n", mask & !(0b11 << 31))
        }
        None => format!("{line}\n"),
    };
    seen.lines().map(cleared).collect()
}

fn config(plugin: &str, more: &str) -> String {
    format!(
        "repeats = 2\n[problem]\nplugin = \"{plugin}\"\n[[operators]]\npopulation = 4\nselection = \
        \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 2\n{more}"
    )
}

#[test]
fn what_a_problem_in_python_starts_can_be_terminated() {
    if python("sys").is_none() {
        return;
    }
    for isolation in ["thread", "process"] {
        let sandbox = Sandbox::new();
        sandbox.write("terminates.py", document("tests/fixtures/python/terminates.py"));
        sandbox.write("a.toml", config("terminates.py", "trial-seconds = 80\n"));
        sandbox.run(&["a.toml", "--jobs", "1", "--isolation", isolation]).code(0);
        let seen = String::from_utf8(sandbox.read("seen")).expect("UTF-8");
        assert_eq!(without_internal(&seen), usual_mask() + "15 15 1 768\n", "{isolation}");
    }
}

/// A program that is no Python file, as far as the runner knows.
fn program(sandbox: &Sandbox, before: &str) -> String {
    let host = crate::util::root().join("plugins/python/runner.py");
    let python = python("sys").expect("asked for before");
    let problem = sandbox.path("problem.py");
    let command = format!("exec '{python}' '{}' '{}'", host.display(), problem.display());
    sandbox.program("problem", format!("#!/bin/sh\n{before}\n{command}\n"));
    "./problem".to_owned()
}

/// In `sh`: says what is blocked and ignored, and how a program ends that is terminated.
const SHELL: &str = "{ grep -E '^Sig(Blk|Ign)' /proc/self/status; sleep 60 & kill $!; wait $!; \
                     echo $?; } > seen";

#[test]
fn what_another_program_starts_can_be_terminated() {
    if python("sys").is_none() {
        return;
    }
    for isolation in ["thread", "process"] {
        let sandbox = Sandbox::new();
        sandbox.write("problem.py", document("examples/python/knapsack.py"));
        let before = format!("[ -e seen ] || {SHELL}");
        sandbox.write("a.toml", config(&program(&sandbox, &before), "trial-seconds = 80\n"));
        sandbox.run(&["a.toml", "--jobs", "1", "--isolation", isolation]).code(0);
        let seen = String::from_utf8(sandbox.read("seen")).expect("UTF-8");
        assert_eq!(without_internal(&seen), usual_mask() + "143\n", "{isolation}");
    }
}

#[test]
fn what_a_library_starts_can_be_terminated() {
    for isolation in ["thread", "process"] {
        let sandbox = Sandbox::new();
        let plugin = hostile().display();
        let more = "mode = \"terminates\"\ncall = \"evaluate\"\nevery = 1\n[[operators]]";
        let config = config(&plugin.to_string(), "").replacen("[[operators]]", more, 1);
        sandbox.write("a.toml", config);
        let mut command = sandbox.command();
        command.env("HOSTILE_MARK", sandbox.path("seen"));
        command.args(["a.toml", "--jobs", "1", "--isolation", isolation]);
        Ran::new(&mut command).code(0);
        let seen = String::from_utf8(sandbox.read("seen")).expect("UTF-8");
        assert_eq!(without_internal(&seen), usual_mask() + "15 15\n", "{isolation}");
    }
}

#[test]
fn what_a_command_of_on_end_starts_can_be_terminated() {
    for isolation in ["thread", "process"] {
        let sandbox = Sandbox::new();
        sandbox.write("a.toml", config("onemax", ""));
        sandbox.run(&["a.toml", "--isolation", isolation, "--on-end", SHELL]).code(0);
        let seen = String::from_utf8(sandbox.read("seen")).expect("UTF-8");
        assert_eq!(without_internal(&seen), usual_mask() + "143\n", "{isolation}");
    }
}

/// As a batch system stops a job: every process of it gets the signal, the programs first. One
/// program catches the signals, the other one dies of them.
#[test]
fn a_stopped_job_of_programs_goes_on_to_the_same_bytes() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let problem = "import os, signal, time\nfrom runner import Bits\nclass Problem:\n    version = \
                   \"1\"\n    def __init__(self):\n        for one in (1, 2, 15):\n            if \
                   DIES:\n                signal.signal(one, signal.SIG_DFL)\n    def \
                   describe(self):\n        return Bits(16, worst=16)\n    def fitness(self, \
                   genome):\n        time.sleep(0.002)\n        return sum(genome)\n";
    sandbox.write("catches.py", problem.replace("DIES", "False"));
    sandbox.write("problem.py", problem.replace("DIES", "True"));
    let programs = ["catches.py".to_owned(), program(&sandbox, "")];
    let goes_on = |number: usize, plugin: &str| {
        let config = config(plugin, "").replace("repeats = 2", "repeats = 40");
        let name = format!("a{number}.toml");
        let generations = sized(12, 20);
        let stop = format!("generations = {generations}\nfitness = -1");
        sandbox.write(&name, config.replace("generations = 2", &stop));
        // Each evaluation waits: more jobs than cores.
        sandbox.run(&[&name, "--out", "whole", "--jobs", "4"]).code(0);
        for (round, (signal, isolation)) in [
            (Signal::SIGTERM, "thread"),
            (Signal::SIGTERM, "process"),
            (Signal::SIGINT, "thread"),
            (Signal::SIGHUP, "process"),
        ]
        .into_iter()
        .step_by(sized(3, 1) as usize)
        .enumerate()
        {
            let out = format!("out-{number}-{round}");
            let with_jobs = |jobs| [&name, "--jobs", jobs, "--out", &out, "--isolation", isolation];
            let mut command = sandbox.command();
            command.args(with_jobs("2")).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().expect("it starts");
            let journal = sandbox.path(format!("{out}/a{number}/parts/journal"));
            let has_begun = || std::fs::metadata(&journal).is_ok_and(|file| file.len() > 0);
            eventually("a trial ends", has_begun);
            for process in family(child.id()).into_iter().rev() {
                // One may have ended with the others.
                _ = kill(Pid::from_raw(process as i32), signal);
            }
            let code = child.wait().expect("it ends").code();
            assert_eq!(code, Some(130), "{plugin} {signal} {isolation}");
            let ran = sandbox.run(&with_jobs("4"));
            if ran.code != Some(0) {
                let folder = format!("{out}/a{number}");
                let trials = sandbox.run(&["show", &folder, "--trials", "--json"]);
                panic!("{plugin} {signal} {isolation}: a trial was lost\n{ran}\n{trials}");
            }
            for table in ["trials", "summary"] {
                let read = |out| sandbox.read(&format!("{out}/a{number}/{table}.parquet"));
                let is_same = read("whole") == read(&out);
                assert!(is_same, "{plugin} {signal} {isolation}: the {table} differ");
            }
        }
    };
    // Both at the same time: most of it is waiting.
    std::thread::scope(|scope| {
        for (number, plugin) in programs.iter().enumerate() {
            let goes_on = &goes_on;
            scope.spawn(move || goes_on(number, plugin));
        }
    });
}
