//! Readers of a run that is under way: they see finished trials alone, and disturb nothing.

use crate::util::{Ran, Sandbox, number, sized, tables};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const QUEENS: &str = r#"
seed    = 7
repeats = 2500
[problem]
plugin = "nqueens"
n      = 6
[[operators]]
population  = 20
selection   = "tournament"
mutation    = { kind = "reset", rate = 0.5 }
[stop]
generations = 60
[output]
trace = "best"
"#;

/// The trials that a reader sees in a folder, by their numbers; `None` if there are none yet.
fn seen(sandbox: &Sandbox, folder: &str) -> Option<BTreeMap<u64, Value>> {
    let shown = ["show", folder, "--trials", "--rows", "2500", "--json"];
    let ran = Ran::new(sandbox.command().args(shown));
    if ran.code == Some(4) {
        return None;
    }
    let ran = ran.code(0);
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    let number = |row: &Value| row["trial"].as_u64().expect("a number");
    Some(rows.into_iter().map(|row| (number(&row), row)).collect())
}

/// Four readers at a time look at runs until there were as many looks as `RUNNER_READERS` says.
#[test]
fn readers_of_a_run_see_true_trials_and_disturb_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", QUEENS);
    sandbox.run(&["a.toml", "--out", "whole", "--progress", "none"]).code(0);
    let (expected, whole) =
        (tables(&sandbox, "whole/a"), seen(&sandbox, "whole/a").expect("trials"));
    assert_eq!(whole.len(), 2500);
    let wanted = number("RUNNER_READERS", sized(4, 200));
    let (looks, partial) = (AtomicU64::new(0), AtomicU64::new(0));
    for round in 0.. {
        if looks.load(Ordering::Relaxed) >= wanted && partial.load(Ordering::Relaxed) > 0 {
            break;
        }
        let (out, ended) = (format!("out-{round}"), AtomicBool::new(false));
        let mut command = sandbox.command();
        command.args(["a.toml", "--jobs", "2", "--progress", "none", "--out", &out]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the binary starts");
        let read = || {
            let mut last = 0;
            while !ended.load(Ordering::Relaxed) {
                let Some(trials) = seen(&sandbox, &format!("{out}/a")) else { continue };
                assert!(trials.len() >= last, "{} trials after {last}", trials.len());
                last = trials.len();
                for (number, trial) in &trials {
                    assert_eq!(trial, &whole[number], "trial {number} of {last}");
                }
                looks.fetch_add(1, Ordering::Relaxed);
                partial.fetch_add(u64::from((1..2500).contains(&last)), Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| _ = scope.spawn(read));
            let status = child.wait().expect("it ends");
            ended.store(true, Ordering::Relaxed);
            assert_eq!(status.code(), Some(0));
        });
        assert!(tables(&sandbox, &format!("{out}/a")) == expected, "round {round}");
        std::fs::remove_dir_all(sandbox.path(&out)).expect("a folder");
    }
    eprintln!("{} looks, {} of them at a part", looks.into_inner(), partial.into_inner());
}
