//! Repeats that end when arms have enough successes.

use crate::util::{Sandbox, column, rows};

/// Arm `good` often succeeds, `bad` hardly ever.
const CONFIG: &str = r#"
seed = 3
repeats = { successes = 7, max = 150 }
[problem]
plugin = "onemax"
length = 20
[[operators]]
name = "good"
population = 10
selection = { kind = "tournament", size = 2 }
mutation = "bit-flip"
[[operators]]
name = "bad"
population = 10
selection = "uniform"
mutation = "bit-flip"
[stop]
evaluations = 500
"#;

fn same_tables(sandbox: &Sandbox, first: &str, second: &str) {
    for table in ["summary", "trials"] {
        let of = |folder: &str| sandbox.read(&format!("{folder}/x/{table}.parquet"));
        assert!(of(first) == of(second), "{table} of {first} and {second}");
    }
}

/// Whether each trial of an arm succeeded, in trial order.
fn successes(sandbox: &Sandbox, folder: &str, arm: &str) -> Vec<bool> {
    let shown = rows(sandbox, &[folder, "--trials", "--rows", "1000", "--arm", arm]);
    for (trial, row) in shown.iter().enumerate() {
        assert_eq!(row["trial"], trial, "{row}");
    }
    shown.iter().map(|row| row["success"] == true).collect()
}

/// The trials are those of a run of all 150, up to the seventh success, counted here.
#[test]
fn arms_run_until_their_last_wanted_success_whatever_the_jobs_and_the_past() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["check", "x.toml"]).code(0).says("up to 150 trials");
    sandbox
        .run(&["x.toml", "--out", "one", "--jobs", "1"])
        .code(0)
        .says("Each arm ran until it had 7 successes; 1 of 2 arms had fewer after the maximum of")
        .says("A number of successes ended the trials of each arm.");
    sandbox.run(&["x.toml", "--out", "all", "--repeats", "150"]).code(0);
    for arm in ["good", "bad"] {
        let (cut, all) = (successes(&sandbox, "one/x", arm), successes(&sandbox, "all/x", arm));
        let seventh = all.iter().enumerate().filter(|(_, success)| **success).nth(6);
        let end = seventh.map_or(150, |(trial, _)| trial + 1);
        assert_eq!(seventh.is_some(), arm == "good");
        assert_eq!(cut, all[..end], "{arm}");
    }
    for (out, jobs) in [("two", "2"), ("eight", "8")] {
        sandbox.run(&["x.toml", "--out", out, "--jobs", jobs]).code(0);
        same_tables(&sandbox, "one", out);
    }
    sandbox.run(&["x.toml", "--out", "apart", "--isolation", "process"]).code(0);
    same_tables(&sandbox, "one", "apart");
    // A folder with fewer trials, one with all of them, and one whose run was cut short.
    let cut = ["x.toml", "--out", "cut", "--progress", "none", "--time-limit", "0.000000001"];
    sandbox.run(&["x.toml", "--out", "fewer", "--repeats", "4"]).code(0);
    sandbox.run(&cut).code(130);
    for out in ["fewer", "all", "cut", "one"] {
        let ran = sandbox.run(&["x.toml", "--out", out]).code(0);
        assert!(out != "all" || ran.stderr.contains("superseded"), "{ran}");
        same_tables(&sandbox, "one", out);
    }
    let shard = sandbox.run(&["x.toml", "--shard", "1/2"]).code(2);
    shard.warns("a shard does not know").warns("stopping rule in `repeats`");
}

/// The bounds of the seventh success, worked out from binomial tails: with r successes in n trials,
/// r successes within n trials have probability 0.025 at the lower bound, and fewer within n - 1
/// trials at the upper one.
#[test]
fn the_interval_is_that_of_inverse_sampling_and_later_statistics_allow_for_it() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    let shown = rows(&sandbox, &["results/x"]);
    let fewer = |rate: f64, wanted: u32, trials: u32| -> f64 {
        let ways =
            |k: u32| (0..k).fold(1.0, |ways, i| ways * f64::from(trials - i) / f64::from(i + 1));
        let one = |k: u32| {
            ways(k) * f64::powi(rate, k as i32) * f64::powi(1.0 - rate, (trials - k) as i32)
        };
        (0..wanted).map(one).sum()
    };
    for row in &shown {
        let count = |name: &str| row[name].as_u64().expect("a count") as u32;
        let end = |name: &str| row[name].as_f64().expect("a number");
        let (r, n) = (count("successes"), count("trials"));
        assert_eq!(row["success_interval"], "inverse-sampling");
        assert_eq!(end("success_rate"), f64::from(r) / f64::from(n));
        let (low, high) = (end("success_low"), end("success_high"));
        let (at_least, at_most) = match r {
            7 => (1.0 - fewer(low, 7, n), fewer(high, 7, n - 1)),
            // The maximum ended them.
            _ => (if r == 0 { 0.025 } else { 1.0 - fewer(low, r, n) }, fewer(high, r + 1, n)),
        };
        assert!((at_least - 0.025).abs() < 1e-9 && (at_most - 0.025).abs() < 1e-9, "{row}");
    }
    sandbox
        .run(&["compare", "results/x", "--explain"])
        .code(0)
        .says("with a confidence sequence (95 %)")
        .says("valid with the stopping rule");
    let gate = ["gate", "results/x", "--at-least", "success_rate >= 0.0001", "--arm", "good"];
    sandbox.run(&gate).code(0).says("pass");
    sandbox.run(&["runtimes", "results/x"]).code(0).says("not adjusted");
    sandbox.run(&["report", "results/x", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    for part in [
        "Each arm ran until it had 7 successes, at most 150 per arm (",
        "exact 95 % intervals for trials that end at a number of successes",
        "Haldane 1945",
        "Jennison and Turnbull 1983",
        "Neither is adjusted for the stopping rule",
    ] {
        assert!(page.contains(part), "no {part:?} in the page");
    }
}

/// A failed trial is no success and may hide one: the interval holds whatever it would have been.
#[test]
fn failed_trials_make_the_interval_a_confidence_sequence() {
    let sandbox = Sandbox::new();
    let config = "repeats = { successes = 20, max = 40 }\n[problem]\nplugin = \"faulty\"\n\
        fault = \"error-evaluate\"\nlength = 10\nshare = 0.02\n[[operators]]\nname = \"search\"\n\
        population = 10\nselection = { kind = \"tournament\", size = 2 }\nmutation = \"bit-flip\"\n\
        [stop]\nevaluations = 4000\n";
    sandbox.write("x.toml", config);
    sandbox.run(&["x.toml"]).code(1);
    let row = &rows(&sandbox, &["results/x"])[0];
    assert!(row["failures"].as_u64() > Some(0), "{row}");
    assert_eq!(row["success_interval"], "confidence-sequence");
    let end = |name: &str| row[name].as_f64().expect("a number");
    assert!(end("success_low") <= end("success_bound_low"), "{row}");
    assert!(end("success_bound_high") <= end("success_high"), "{row}");
    let trials = column(&sandbox.path("results/x/trials.parquet"), "trial");
    assert!(trials.len() <= 40, "{}", trials.len());
}
