//! Another budget keeps the trials that ended before it: the bytes are those of a run from the
//! start.

use crate::docs::blocks;
use crate::util::{Sandbox, document, eventually, rows, tables};
use std::process::Stdio;

/// Arms that end in every way: solved, at the budget, in a local optimum, at the end of the space.
const CONFIG: &str = r#"
repeats  = 60
baseline = true
[problem]
plugin   = "nqueens"
n        = 6
[[operators]]
name       = "ga"
population = 7
selection  = { kind = "tournament", size = 2 }
mutation   = { kind = "reset", rate = 0.5 }
[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "first-improvement", restarts = false }
[[operators]]
name      = "anneal"
algorithm = { kind = "simulated-annealing", temperature = 1.0, cooling = 0.9, moves = 20 }
[stop]
evaluations = 150
keep-ended  = true
[output]
trace = "best"
"#;

const LARGE: &[&str] = &["--set", "stop.evaluations=400"];

fn run(sandbox: &Sandbox, out: &str, arguments: &[&str]) -> crate::util::Ran {
    sandbox.run(&[&["x.toml", "--out", out, "--progress", "none"], arguments].concat()).code(0)
}

#[test]
fn what_ended_before_is_kept_and_the_rest_runs_again_to_the_same_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    run(&sandbox, "fresh", LARGE);
    run(&sandbox, "small", &[]);
    let (large, small) = (tables(&sandbox, "fresh/x"), tables(&sandbox, "small/x"));
    for jobs in ["1", "2"] {
        let (out, jobs) = (format!("grown-{jobs}"), ["--jobs", jobs]);
        run(&sandbox, &out, &jobs);
        let trials = rows(&sandbox, &[&format!("{out}/x"), "--trials"]);
        let own = trials.iter().filter(|row| row["operators"] != "random-search");
        let (cut, kept): (Vec<_>, Vec<_>) = own.partition(|row| row["evaluations"] == 150);
        assert!(cut.len() > 20 && kept.len() > 60, "{} and {}", cut.len(), kept.len());
        let ran = run(&sandbox, &out, &[LARGE, &jobs].concat());
        let words = format!(
            "the budget in [stop] changed: {} trials that ended before it are kept, {} are run \
            again",
            kept.len(),
            cut.len()
        );
        assert!(ran.stderr.contains(&words), "no {words:?}\n{ran}");
        assert!(tables(&sandbox, &format!("{out}/x")) == large, "{jobs:?}");
        sandbox.run(&["verify", &format!("{out}/x"), "--all"]).code(0);
        // And back: what ended sooner stays.
        let ran = run(&sandbox, &out, &jobs);
        assert!(ran.stderr.contains(&format!("{} trials that ended before", kept.len())), "{ran}");
        assert!(tables(&sandbox, &format!("{out}/x")) == small, "{jobs:?}");
    }
}

#[test]
fn every_limit_of_a_budget_can_change() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG.replace("evaluations = 150", "generations = 12"));
    let budgets: [&[&str]; 7] = [
        &["stop.generations=12"],
        &["stop.generations=25"],
        &["stop.generations=25", "stop.stagnation=6"],
        &["stop.generations=25", "stop.stagnation=9"],
        &["stop.generations=40", "stop.evaluations=90"],
        // The time that those trials took is not known.
        &["stop.generations=40", "stop.evaluations=90", "stop.trial-seconds=1000"],
        &["stop.generations=40", "stop.evaluations=80", "stop.trial-seconds=2000"],
    ];
    for (number, budget) in budgets.into_iter().enumerate() {
        let set: Vec<&str> = budget.iter().flat_map(|word| ["--set", word]).collect();
        let set = [&["--set", "baseline=false"], &set[..]].concat();
        let ran = run(&sandbox, "grown", &set);
        assert_eq!(
            ran.stderr.contains("trials that ended before it are kept"),
            ![0, 5].contains(&number),
            "{ran}"
        );
        let fresh = format!("fresh-{number}");
        run(&sandbox, &fresh, &set);
        assert!(
            tables(&sandbox, "grown/x") == tables(&sandbox, &format!("{fresh}/x")),
            "{budget:?}"
        );
    }
}

#[test]
fn a_stopping_rule_comes_to_the_same_trials() {
    let sandbox = Sandbox::new();
    let rules = [
        "{ half-width = 0.08, max = 300 }",
        "{ decide = [\"ga\", \"climb\"], max = 300 }",
        "{ best = true, max = 200 }",
    ];
    for (number, rule) in rules.into_iter().enumerate() {
        let config = CONFIG.replace("= 60", &format!("= {rule}"));
        sandbox.write("x.toml", config.replace("baseline = true\n", ""));
        let (grown, fresh) = (format!("grown-{number}"), format!("fresh-{number}"));
        run(&sandbox, &grown, &[]);
        let ran = run(&sandbox, &grown, LARGE);
        assert!(ran.stderr.contains("trials that ended before it are kept"), "{ran}");
        run(&sandbox, &fresh, LARGE);
        assert!(
            tables(&sandbox, &format!("{grown}/x")) == tables(&sandbox, &format!("{fresh}/x")),
            "{rule}"
        );
    }
}

#[test]
fn shards_and_unfinished_runs_keep_what_they_can() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    run(&sandbox, "fresh", LARGE);
    let large = tables(&sandbox, "fresh/x");
    for set in [&[], LARGE] {
        for shard in ["1/2", "2/2"] {
            let ran = run(&sandbox, "shards", &[set, &["--shard", shard]].concat());
            let kept = ran.stderr.contains("trials that ended before it are kept");
            assert_eq!(kept, set == LARGE, "{ran}");
        }
    }
    let both = ["shards/x.shard-1-of-2", "shards/x.shard-2-of-2"];
    sandbox.run(&["merge", both[0], both[1], "--out", "merged"]).code(0);
    assert!(tables(&sandbox, "merged/x") == large);
    // One arm at the small budget, then all at the large one.
    run(&sandbox, "arm", &["--arm", "climb"]);
    run(&sandbox, "arm", LARGE);
    assert!(tables(&sandbox, "arm/x") == large);
}

#[cfg(unix)]
#[test]
fn a_killed_run_is_gone_on_with_at_another_budget() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG.replace("= 60", "= 1200"));
    run(&sandbox, "fresh", LARGE);
    let mut child = sandbox
        .command()
        .args(["x.toml", "--out", "cut", "--progress", "none", "--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let journal = sandbox.path("cut/x/parts/journal");
    // What waits in the journal is kept or run again like the rest.
    let waits = || std::fs::metadata(&journal).is_ok_and(|file| file.len() > 10_000);
    eventually("trials wait", || waits() || child.try_wait().expect("a child").is_some());
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    crate::util::wait_for_lock(&sandbox.path("cut/x"));
    run(&sandbox, "cut", LARGE);
    assert!(tables(&sandbox, "cut/x") == tables(&sandbox, "fresh/x"));
}

#[test]
fn a_swept_budget_is_refused_and_the_key_is_named_where_it_would_help() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{CONFIG}[sweep]\n\"stop.evaluations\" = [100, 200]\n"));
    let ran = sandbox.run(&["check", "x.toml"]).code(2);
    let ran = ran.warns("`stop.evaluations` is swept, and keep-ended leaves it out of the seeds");
    ran.warns("comparisons take arms as independent").warns("remove keep-ended");
    let plain = CONFIG.replace("keep-ended  = true\n", "");
    sandbox.write("x.toml", &plain);
    run(&sandbox, "results", &[]);
    let ran = run(&sandbox, "results", LARGE);
    let hint = "where only the budget in [stop] changes, keep-ended = true keeps the trials";
    assert!(ran.stderr.contains(hint), "{ran}");
    let ran = run(&sandbox, "results", &[LARGE, &["--set", "problem.n=5"]].concat());
    assert!(ran.stderr.contains("trials moved to") && !ran.stderr.contains(hint), "{ran}");
    // The key that says nothing changes nothing.
    sandbox.write("x.toml", plain.replace("[stop]\n", "[stop]\nkeep-ended = false\n"));
    run(&sandbox, "said", LARGE);
    sandbox.write("x.toml", &plain);
    run(&sandbox, "unsaid", LARGE);
    assert!(tables(&sandbox, "said/x") == tables(&sandbox, "unsaid/x"));
}

#[test]
fn the_document_shows_what_a_larger_budget_keeps() {
    let sandbox = Sandbox::new();
    let told = document("docs/running.md");
    let config = blocks(&told, "toml").into_iter().find(|one| one.contains("keep-ended"));
    sandbox.write("queens.toml", config.expect("a config with keep-ended"));
    sandbox.run(&["queens.toml", "--progress", "none"]).code(0);
    let large = ["queens.toml", "--progress", "none", "--set", "stop.evaluations=6000"];
    let ran = sandbox.run(&large).code(0);
    let line = ran.stderr.lines().find(|line| line.contains("the budget in [stop] changed"));
    let line = line.unwrap_or_else(|| panic!("no such line\n{ran}"));
    assert!(told.contains(line), "docs/running.md has not {line}");
}

/// Time alone may end trials; then a warning says what that means, and the baseline has as much.
#[test]
fn time_alone_can_be_the_budget() {
    let sandbox = Sandbox::new();
    let text = CONFIG.replace("evaluations = 150", "trial-seconds = 0.02\nfitness = -1");
    sandbox.write("x.toml", text);
    let ran = run(&sandbox, "out", &["--set", "baseline=true", "--set", "repeats=3"]);
    ran.warns("only `trial-seconds` ends trials, so results depend on the machine");
    let rows = rows(&sandbox, &["out/x", "--trials"]);
    for name in ["ga", "anneal", "random-search"] {
        let own = rows.iter().filter(|row| row["operators"] == name);
        assert_eq!(own.filter(|row| row["outcome"] == "timed-out").count(), 3, "{name}: {rows:?}");
    }
    // A trial that goes on after its success ends by its time, too.
    let set = ["--set", "stop.on-success=continue", "--set", "repeats=1"];
    run(&sandbox, "on", &set);
    let set = ["--set", "stop.stagnation=5", "--set", "baseline=true"];
    let refused = sandbox.run(&[&["x.toml"], &set[..]].concat()).code(2);
    refused.warns("only stagnation and time end its trials");
}

/// Trials that are kept ended early, so that until the others have run, those before the first
/// missing one alone are a sample.
#[test]
fn kept_trials_are_no_sample_until_the_others_have_run() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    run(&sandbox, "small", &[]);
    let small = rows(&sandbox, &["small/x", "--trials"]);
    let stopped = ["x.toml", "--out", "small", "--progress", "none", "--time-limit", "0.001s"];
    sandbox.run(&[&stopped[..], LARGE].concat()).code(130).warns("are kept");
    let shown = rows(&sandbox, &["small/x", "--trials"]);
    let words = "small/x: unfinished, of 60 trials per arm; the figures are those so far";
    sandbox.run(&["diff", "small/x", "small/x"]).warns(words);
    sandbox.run(&["compare", "small/x"]).warns(words);
    for form in ["--csv", "--json", "--latex", "--times"] {
        sandbox.run(&["show", "small/x", form]).warns(words);
    }
    sandbox.run(&["verify", "small/x", "--trials", "2"]).warns(words);
    let numbers = |rows: &[serde_json::Value], arm: &str| -> Vec<u64> {
        let own = rows.iter().filter(|row| row["operators"] == arm && row["evaluations"] != 150);
        own.filter_map(|row| row["trial"].as_u64()).collect()
    };
    for arm in ["ga", "climb", "anneal"] {
        let (kept, now) = (numbers(&small, arm), numbers(&shown, arm));
        assert!(now.iter().copied().eq(0..now.len() as u64), "{arm}: {now:?}");
        assert!(arm == "climb" || now.len() < kept.len(), "{arm}: {now:?} of {kept:?}");
    }
}
