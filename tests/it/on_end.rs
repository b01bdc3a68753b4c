//! `--on-end`: a command when an experiment ended.
#![cfg(unix)]

use crate::hostile::ends;
use crate::util::{Sandbox, eventually};
use std::process::Stdio;

fn config(evaluations: u64) -> String {
    format!(
        "repeats = 30\n[problem]\nplugin = \"onemax\"\nlength = 60\n[[operators]]\nname = \
        \"ga\"\npopulation = 10\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\n\
        evaluations = {evaluations}\n"
    )
}

const TELL: &str = "echo $RUNNER_NAME $RUNNER_OUTCOME $RUNNER_EXIT_CODE $RUNNER_FOLDER >> told";

fn told(sandbox: &Sandbox) -> Vec<String> {
    let text = String::from_utf8(sandbox.read("told")).expect("UTF-8");
    text.lines().map(|line| line.rsplit_once(' ').expect("words").0.to_owned()).collect()
}

#[test]
fn the_command_is_told_which_experiment_ended_and_how() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", config(100));
    sandbox.write("b.toml", config(100));
    sandbox.run(&["a.toml", "b.toml", "--on-end", TELL]).code(0);
    sandbox.run(&["a.toml", "--out", "s", "--shard", "1/2", "--on-end", TELL]).code(0);
    // A folder that cannot be written.
    sandbox.write("blocked", "a file in the place of a folder");
    sandbox.run(&["a.toml", "--out", "blocked", "--on-end", TELL]).code(4);
    // Nothing began, nothing ended.
    sandbox.run(&["a.toml", "--repeats", "0", "--on-end", TELL]).code(2);
    assert_eq!(told(&sandbox), ["a finished 0", "b finished 0", "a partial 0", "a failed 4"]);
    let text = String::from_utf8(sandbox.read("told")).expect("UTF-8");
    let folders: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(3)).collect();
    for (folder, end) in folders.iter().zip(["results/a", "results/b", "s/a.shard-1-of-2"]) {
        assert!(folder.starts_with('/') && folder.ends_with(end), "{folder}");
    }
}

#[test]
fn what_goes_wrong_with_the_command_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", config(100));
    sandbox
        .run(&["a.toml", "--on-end", "exit 3"])
        .code(0)
        .warns("warning: --on-end: `exit 3` ended with exit status: 3");
    let ran = sandbox.run(&["a.toml", "--on-end", "echo heard; echo also >&2"]).code(0);
    assert!(ran.stderr.contains("heard\n") && ran.stderr.contains("also\n"), "{ran}");
    assert!(!ran.stdout.contains("heard"), "results alone go to standard output\n{ran}");
}

/// Whatever the command prints, each line of standard error is a JSON object; and a program that it
/// leaves behind holds nothing up.
#[test]
fn json_lines_stay_json_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", config(100));
    // A run that waited for it would take longer than the test does.
    let command =
        "echo '{\"event\": \"ended\"'; echo err >&2; printf 'no end'; sleep 1000 & exit 7";
    let ran = ends(&sandbox, &["a.toml", "--progress", "json", "--on-end", command]).code(0);
    let events: Vec<serde_json::Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let messages: Vec<&str> = events.iter().filter_map(|event| event["message"].as_str()).collect();
    assert!(messages.contains(&"on-end: {\"event\": \"ended\""), "{ran}");
    assert!(messages.contains(&"on-end: err"), "{ran}");
    assert!(messages.iter().any(|message| message.ends_with("exit status: 7")), "{ran}");
}

/// Ctrl-C goes to the whole group of the run: the command runs all the same, in a group of its own.
#[test]
fn an_interrupted_run_runs_it_too() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", config(40_000_000));
    let mut command = sandbox.command();
    let on_end = format!("sleep 0.3; ps -o pgid= -p $$ >> group; {TELL}");
    command.args(["a.toml", "--progress", "plain", "--on-end", &on_end]);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let begun = sandbox.path("results/a/run.toml");
    eventually("the run begins", || begun.exists());
    let group = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGINT).expect("a signal");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(told(&sandbox), ["a interrupted 130"]);
    let its = String::from_utf8(sandbox.read("group")).expect("UTF-8");
    assert_ne!(its.trim(), group.to_string());
}

/// With all that it started: a command that is asked to end while another one goes on.
#[test]
fn a_run_that_is_asked_to_stop_ends_the_command() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let alive = |id: &str| {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
        status.is_ok_and(|status| !status.contains(") Z "))
    };
    for (number, (evaluations, progress, signals, code)) in [
        // The experiment is done, and the command is what the run waits for.
        (100, "plain", &[Signal::SIGTERM][..], 0),
        (100, "json", &[Signal::SIGINT], 0),
        // It deafens itself.
        (100, "none", &[Signal::SIGHUP], 0),
        // The command was run because of the first one.
        (40_000_000, "plain", &[Signal::SIGTERM, Signal::SIGTERM], 130),
    ]
    .into_iter()
    .enumerate()
    {
        let sandbox = Sandbox::new();
        sandbox.write("a.toml", config(evaluations));
        let deaf = if progress == "none" { "trap '' TERM; " } else { "" };
        let on_end = format!("{deaf}sleep 120 & echo $$ $! > ids.new; mv ids.new ids; wait");
        let mut command = sandbox.command();
        command.args(["a.toml", "--progress", progress, "--on-end", &on_end]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let runner = Pid::from_raw(child.id() as i32);
        let (begun, ids) = (sandbox.path("results/a/run.toml"), sandbox.path("ids"));
        let waits = |place: usize| {
            let is_first = place == 0 && signals.len() > 1;
            let awaited = if is_first { &begun } else { &ids };
            eventually("the run is there", || awaited.exists());
        };
        for (place, signal) in signals.iter().enumerate() {
            waits(place);
            kill(runner, *signal).expect("a signal");
        }
        // One within a second of the first is taken for the same: it comes until it is heard.
        if signals.len() > 1 {
            eventually("the run hears another signal", || {
                _ = kill(runner, signals[1]);
                child.try_wait().expect("a child").is_some()
            });
        }
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{number}: {errors}");
        let told = std::fs::read_to_string(&ids).expect("two numbers");
        eventually("the command ends", || !told.split_whitespace().any(alive));
        if progress == "plain" && code == 0 {
            assert!(errors.contains("was ended, since the run was asked to stop"), "{errors}");
        }
    }
}
