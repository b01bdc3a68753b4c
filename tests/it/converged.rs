//! `stop.diversity`: trials that end as `converged`, from the config to every reader of the tables.

use crate::util::{Sandbox, rows, tables};

const CONFIG: &str = r#"
repeats = 40
baseline = true
[problem]
plugin = "onemax"
length = 30
[[operators]]
name       = "ga"
population = 10
selection  = "tournament"
crossover  = "uniform"
[stop]
generations = 200
diversity   = 1.5
"#;

#[test]
fn converged_trials_are_verified_replayed_and_described() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    let run = |out: &str, more: &[&str]| {
        sandbox.run(&[&["x.toml", "--out", out, "--progress", "none"], more].concat()).code(0)
    };
    run("results", &[]);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    let (own, chance): (Vec<_>, Vec<_>) = trials.iter().partition(|row| row["operators"] == "ga");
    let converged = own.iter().filter(|row| row["outcome"] == "converged");
    assert!(converged.clone().count() > 20, "{own:?}");
    assert!(converged.clone().all(|row| row["success"] == false), "{own:?}");
    assert!(chance.iter().all(|row| row["outcome"] != "converged"), "{chance:?}");
    sandbox.run(&["verify", "results/x", "--all"]).code(0);
    let trial = converged.clone().next().expect("there is one")["trial"].to_string();
    let replayed = sandbox.run(&["replay", "results/x", "ga", &trial]).code(0);
    assert!(replayed.stdout.contains("converged"), "{replayed}");
    let report = sandbox.run(&["report", "results/x"]).code(0);
    let page = String::from_utf8(sandbox.read("results/x/report.html")).expect("UTF-8");
    let words = "the mean distance of all pairs in its population was at most 1.5";
    assert!(page.contains(words), "{report}");
    run("one", &["--jobs", "1"]);
    assert!(tables(&sandbox, "one/x") == tables(&sandbox, "results/x"));
    // Other recorded columns change no end.
    run("traced", &["--set", "output.trace=genomes"]);
    let traced = rows(&sandbox, &["traced/x", "--trials"]);
    let ends = |trials: &[serde_json::Value]| -> Vec<serde_json::Value> {
        trials.iter().map(|row| row["evaluations"].clone()).collect()
    };
    assert_eq!(ends(&traced), ends(&trials));
}

#[test]
fn a_larger_budget_keeps_converged_trials() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG.replace("[stop]", "[stop]\nkeep-ended = true"));
    let run = |out: &str, most: &str| {
        let most = format!("stop.generations={most}");
        sandbox.run(&["x.toml", "--out", out, "--progress", "none", "--set", &most]).code(0)
    };
    run("grown", "8");
    let ran = run("grown", "200");
    assert!(ran.stderr.contains("trials that ended before it are kept"), "{ran}");
    run("fresh", "200");
    assert!(tables(&sandbox, "grown/x") == tables(&sandbox, "fresh/x"));
}
