//! A call that does not come back is named with its trial and what ends it.

use crate::python::python;
use crate::util::{Sandbox, eventually_or};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::process::Stdio;

const HANGS: &str = "import time
from runner import Bits
class Problem:
    def describe(self):
        return Bits(8, worst=8)
    def fitness(self, genome):
        while True:
            time.sleep(1)
";

const CONFIG: &str = r#"
[problem]
plugin = "hangs.py"
[[operators]]
name = "ga"
population = 4
selection = "uniform"
mutation = "bit-flip"
[stop]
generations = 9
"#;

#[test]
fn a_fitness_that_never_ends_is_named() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("hangs.py", HANGS);
    sandbox.write("a.toml", CONFIG);
    let ways = [("thread", "json"), ("thread", "plain"), ("process", "json"), ("process", "plain")];
    std::thread::scope(|scope| {
        for (isolation, progress) in ways {
            let sandbox = &sandbox;
            scope.spawn(move || names(sandbox, isolation, progress));
        }
    });
}

/// A first trial has the time limit of its arm, as in a run.
#[test]
fn a_check_ends_a_fitness_that_never_ends() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("hangs.py", HANGS);
    sandbox.write("a.toml", format!("{CONFIG}trial-seconds = 0.5\n"));
    sandbox.run(&["check", "a.toml"]).code(0).says("timed-out");
}

fn names(sandbox: &Sandbox, isolation: &str, progress: &str) {
    let out = format!("{isolation}-{progress}");
    let told = sandbox.path(format!("{out}.err"));
    let mut command = sandbox.command();
    command.args(["a.toml", "--jobs", "2", "--isolation", isolation, "--progress", progress]);
    command.args(["--out", &out]).stdout(Stdio::null());
    let mut child =
        command.stderr(File::create(&told).expect("a file")).spawn().expect("it starts");
    let words = || std::fs::read_to_string(&told).expect("UTF-8");
    let call = "plugin `hangs`: evaluate has not returned for ";
    eventually_or(|| words().contains(call), || format!("{out}: {}", words()));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("it runs");
    child.wait().expect("it ends");
    let text = words();
    // Both workers hang. The second one would be named after twice the time.
    assert!(text.matches(call).count() <= 2, "{text}");
    let line = text.lines().find(|line| line.contains(call)).expect("as above");
    assert!(line.contains(" in trial ") && line.contains(" of `ga`"), "{line}");
    assert!(line.contains("stop.trial-seconds ends such a call"), "{line}");
    if progress == "json" {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(event["event"], "warning", "{line}");
    }
}
