//! `runner gate`: arms pass, fail or cannot be told, by the intervals of their figures.

use crate::util::{Ran, Sandbox};
use serde_json::Value;

/// Two arms on onemax: `strong` nearly always solves it, `weak` never does.
const CONFIG: &str = r#"repeats = 60
[problem]
plugin = "onemax"
length = 20
[[operators]]
name        = "strong"
population  = 10
selection   = { kind = "tournament", size = 2 }
mutation    = "bit-flip"
replacement = { kind = "elitism", count = 1 }
[[operators]]
name        = "weak"
algorithm   = "random-search"
[stop]
evaluations = 1500
"#;

/// A sandbox with the results of these arms.
fn ran() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("arms.toml", CONFIG);
    sandbox.run(&["arms.toml"]).code(0);
    sandbox
}

fn gate(sandbox: &Sandbox, folder: &str, conditions: &[&str], more: &[&str]) -> Ran {
    let conditions = conditions.iter().flat_map(|one| ["--at-least", one]);
    let words = ["gate", folder].into_iter().chain(conditions).chain(more.iter().copied());
    sandbox.run(&words.collect::<Vec<_>>())
}

fn json(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{ran}"))
}

#[test]
fn the_worst_arm_decides_the_exit_code() {
    let sandbox = ran();
    let at = |conditions: &[&str], more: &[&str]| gate(&sandbox, "arms", conditions, more);
    at(&["success_rate >= 0.5"], &[])
        .code(1)
        .says("pass         strong: success_rate ")
        .says("fail         weak: success_rate 0.000 (0.000 to 0.060) >= 0.5\n")
        .says("1 passes, 1 fails, 0 cannot be told\n");
    at(&["success_rate >= 0.5"], &["--arm", "strong"])
        .code(0)
        .warns("1 of 2 arms")
        .says("1 passes, 0 fail, 0 cannot be told\n");
    // None of 60 may be a rate of 0.05 or less; the exact interval of 72 trials ends below 0.05.
    at(&["success_rate < 0.05"], &["--arm", "weak"])
        .code(6)
        .says("cannot tell  weak: success_rate 0.000 (0.000 to 0.060) < 0.05; about 12 more trials")
        .says("0 pass, 0 fail, 1 cannot be told\n");
    at(&["success_rate < 0.05"], &["--arm", "weak", "--confidence", "0.8"]).code(0);
    // An arm that fails outweighs one that cannot be told.
    at(&["success_rate < 0.05"], &[]).code(1).says("0 pass, 1 fails, 1 cannot be told\n");
    at(&["success_rate < 1", "ert > 10", "ert < 1e6"], &["--arm", "weak"])
        .code(6)
        .says("cannot tell  weak: ert – (no interval: few successes, or all alike) > 10, ert – ");
}

#[test]
fn every_condition_must_hold_and_all_figures_are_those_of_the_summary() {
    let sandbox = ran();
    let conditions = [
        "success_rate > 0.5",
        "ert < 100000",
        "evaluations_to_success_median >= 20",
        "best_fitness_median >= 0",
    ];
    let strong = ["--arm", "strong"];
    gate(&sandbox, "arms", &conditions, &strong).code(0).says("ert ").says(" < 100000, evaluat");
    let told = gate(&sandbox, "arms", &conditions, &["--arm", "strong", "--json"]).code(0);
    let shown = sandbox.run(&["show", "arms", "--json", "--arm", "strong"]).code(0);
    let summary = &json(&shown)[0];
    for (row, figure) in json(&told).iter().zip([
        "success_rate",
        "ert",
        "evaluations_to_success_median",
        "best_fitness_median",
    ]) {
        assert_eq!((&row["figure"], &row["value"]), (&figure.into(), &summary[figure]), "{told}");
        assert_eq!((&row["verdict"], &row["trials"]), (&"pass".into(), &60.into()), "{told}");
        assert!(row["low"].as_f64() <= row["value"].as_f64(), "{told}");
        assert!(row["value"].as_f64() <= row["high"].as_f64(), "{told}");
    }
    for end in ["low", "high"] {
        let (own, all) = (&json(&told)[1][end], &summary[format!("ert_{end}")]);
        assert_eq!(own, all, "{end}: {told}");
    }
    // Clopper and Pearson: 60 successes of 60 have a probability of 0.025 at the lower end.
    let low = json(&told)[0]["low"].as_f64().expect("a lower end");
    assert!((low.powi(60) - 0.025).abs() < 1e-9, "{told}");
    // Only what fails is shown of an arm that fails.
    let failed = gate(&sandbox, "arms", &["success_rate > 0.5", "ert < 10"], &strong).code(1);
    assert!(failed.stdout.starts_with("fail         strong: ert "), "{failed}");
}

#[test]
fn a_gate_opens_for_no_failed_trials() {
    let sandbox = Sandbox::new();
    let config = "repeats = 60\n[problem]\nplugin = \"faulty\"\nfault = \"error-evaluate\"\n\
        length = 10\nshare = 0.02\n[[operators]]\nname = \"search\"\npopulation = 10\n\
        selection = { kind = \"tournament\", size = 2 }\nmutation = \"bit-flip\"\n\
        [stop]\nevaluations = 4000\n";
    sandbox.write("gate.toml", config);
    sandbox.run(&["gate.toml"]).code(1);
    let shown = sandbox.run(&["show", "gate", "--json"]).code(0);
    let summary = &json(&shown)[0];
    // Nearly all that ran were successes, and that is why it may not pass.
    assert!(summary["success_low"].as_f64() > Some(0.6), "{shown}");
    let condition = ["success_rate >= 0.6"];
    let told = gate(&sandbox, "gate", &condition, &["--json"])
        .code(6)
        .warns(" of 60 trials of `search` failed; the intervals hold whatever they");
    let row = &json(&told)[0];
    assert!(row["low"].as_f64() < summary["success_bound_low"].as_f64(), "{told}");
    assert!(row["high"].as_f64() > summary["success_bound_low"].as_f64(), "{told}");
    assert_eq!((&row["failures"], &row["more_trials"]), (&summary["failures"], &Value::Null));
    let least = summary["success_bound_low"].as_f64().expect("a rate");
    gate(&sandbox, "gate", &[&format!("success_rate < {}", least + 0.001)], &[]).code(6);
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_way_out() {
    let sandbox = ran();
    for (condition, words) in [
        ("success_rate >= 1.5", "a rate is from 0 to 1, not 1.5"),
        ("success >= 0.5", "did you mean `success_rate`? figures with an interval are success_"),
        ("best_fitness_max < 3", "`best_fitness_max` is a column without an interval"),
        ("success_rate", "it must be a figure, one of >=, >, <= and <, and a number"),
        ("ert < few", "`few` is no number; write the limit as one, such as 0.9"),
    ] {
        let told = gate(&sandbox, "arms", &[condition], &[]).code(2).warns(words);
        assert!(told.stderr.contains(&format!("'{condition}' for '--at-least")), "{told}");
    }
    let one = ["success_rate > 0"];
    gate(&sandbox, "arms", &one, &["--confidence", "95"]).code(2).warns("from 0.5 to 0.999");
    gate(&sandbox, "arms", &one, &["--arm", "none"]).code(2).warns("--arm: ");
    gate(&sandbox, "arms", &[], &[]).code(2).warns("--at-least <CONDITION>");
    // Without a target there are no successes, but there is a best fitness.
    sandbox.write("sphere.toml", CONFIG.replace("1500\n", "50\non-success = \"continue\"\n"));
    sandbox.run(&["sphere.toml"]).code(0);
    gate(&sandbox, "sphere", &["best_fitness_median >= 0"], &[]).code(0).says("2 pass, 0 fail, 0");
}

/// Trials whose number a question decided have a confidence sequence, which is wider.
#[test]
fn a_stopping_rule_and_an_exact_search_have_their_own_intervals() {
    let sandbox = Sandbox::new();
    let asked = "repeats = { half-width = 0.2, max = 200 }";
    sandbox.write("asked.toml", CONFIG.replace("repeats = 60", asked));
    sandbox.run(&["asked.toml"]).code(0);
    let told = gate(&sandbox, "asked", &["success_rate >= 0.5", "ert < 1e9"], &["--json"])
        .code(1)
        .warns("intervals are adjusted for that in success_rate alone");
    let shown = sandbox.run(&["show", "asked", "--json"]).code(0);
    let (rows, summary) = (json(&told), json(&shown));
    assert_eq!(summary[0]["success_interval"], "confidence-sequence");
    assert_eq!(rows[0]["low"], summary[0]["success_low"], "{told}");
    let exact = "repeats = 1\n[problem]\nplugin = \"onemax\"\nlength = 6\n[[operators]]\n\
        algorithm = \"exhaustive\"\n[stop]\nevaluations = 64\n";
    sandbox.write("all.toml", exact);
    sandbox.run(&["all.toml"]).code(0);
    gate(&sandbox, "all", &["success_rate >= 1"], &[]).code(0).says("success_rate 1.000 (exact)");
}

#[test]
fn an_unfinished_experiment_is_judged_by_what_is_there() {
    let sandbox = ran();
    // A shard of two has half of the trials, and no tables of the whole.
    sandbox.run(&["arms.toml", "--shard", "1/2", "--out", "shards"]).code(0);
    let folder = std::fs::read_dir(sandbox.path("shards")).expect("a folder").flatten().next();
    let folder = folder.expect("a shard").path().display().to_string();
    gate(&sandbox, &folder, &["success_rate >= 0.5"], &["--arm", "strong"])
        .code(0)
        .warns("unfinished: 30 of 60 trials; the figures are those so far");
}
