//! From tables to answers: comparisons, the gate, trials needed.

use crate::util::{Sandbox, column};
use std::path::Path;

/// Two arms that differ much, and one that is the first under another name.
const ARMS: &str = "repeats = 200\npairing = \"common\"\n[problem]\nplugin = \"onemax\"\nlength = \
    20\n[[operators]]\nname = \"good\"\npopulation = 10\nselection = { kind = \"tournament\", size \
    = 2 }\nmutation = \"bit-flip\"\n[[operators]]\nname = \"bad\"\npopulation = 10\nselection = \
    \"uniform\"\nmutation = \"bit-flip\"\n[[operators]]\nname = \"alike\"\npopulation = \
    10\nselection = { kind = \"tournament\", size = 2 }\nmutation = { kind = \"bit-flip\", rate = \
    0.99 }\n[stop]\nevaluations = 1000\n";

#[test]
fn arms_are_compared_in_every_form() {
    let sandbox = Sandbox::new();
    sandbox.write("arms.toml", ARMS);
    sandbox.run(&["arms.toml"]).code(0);
    let folder = "results/arms";
    sandbox.run(&["compare", folder]).code(0).says("better").says("cannot tell");
    let csv =
        sandbox.run(&["compare", folder, "--csv", "--parquet", "compared.parquet"]).code(0).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 4, "{csv}");
    assert!(
        lines[0].starts_with("first,second,first_trials") && !lines[0].contains("_words"),
        "{csv}"
    );
    let json = sandbox.run(&["compare", folder, "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    let of = |first: &str, second: &str| {
        rows.iter()
            .find(|row| row["first"] == first && row["second"] == second)
            .unwrap_or_else(|| panic!("{json}"))
    };
    let good = of("good", "bad");
    assert!(good["verdict"] == "better" && good["difference_low"].as_f64() > Some(0.2), "{good}");
    assert!(
        good["p_adjusted"].as_f64() >= good["p"].as_f64() && good["effect"].as_f64() > Some(0.6),
        "{good}"
    );
    assert_eq!(column(&sandbox.path("compared.parquet"), "difference").len(), 3);
    sandbox
        .run(&["compare", folder, "--markdown"])
        .code(0)
        .says("| first | second |")
        .says("| --- |");
    sandbox
        .run(&["compare", folder, "--latex"])
        .code(0)
        .says("\\begin{tabular}{@{}lr")
        .says("\\toprule")
        .says("\\textbf{good}");
    sandbox.run(&["compare", folder, "--against", "bad", "--paired"]).code(0).says("better");
    sandbox
        .run(&["compare", folder, "--against", "none"])
        .code(2)
        .warns("the arms are `good`, `bad`, `alike`");
    sandbox.run(&["compare", "nowhere"]).code(4).warns("does not exist");
    assert!(!Path::new("compared.parquet").exists());
}

#[test]
fn a_gate_tells_worse_from_alike() {
    let sandbox = Sandbox::new();
    sandbox.write("arms.toml", ARMS);
    sandbox.run(&["arms.toml", "--out", "old"]).code(0);
    sandbox.run(&["arms.toml", "--out", "same", "--seed", "9"]).code(0);
    sandbox.run(&["arms.toml", "--out", "new", "--set", "stop.evaluations=200"]).code(0);
    let diff = |old: &str, new: &str, fail_on: &str| {
        sandbox.run(&["diff", &format!("{old}/arms"), &format!("{new}/arms"), "--fail-on", fail_on])
    };
    diff("old", "same", "changed").code(0).says("0 worse, 0 better, 3 cannot be told apart");
    diff("old", "new", "worse").code(1).says("worse");
    diff("old", "new", "never").code(0);
    diff("new", "old", "worse").code(0).says("better");
    diff("new", "old", "changed").code(1);
}

#[test]
fn trials_are_planned_before_any_is_run() {
    let sandbox = Sandbox::new();
    // Its old name, which help and completions do not show.
    sandbox.run(&["plan", "--detect", "0.6", "0.7"]).code(0).says("496 trials per arm");
    let help = sandbox.run(&["--help"]).code(0).stdout;
    assert!(help.contains("\n  power ") && !help.contains("\n  plan "), "{help}");
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--power", "0.9"])
        .code(0)
        .says("496 trials per arm");
    // At the level that Holm leaves the smallest of six p-values; in pairs, of which some differ.
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--comparisons", "6"])
        .code(0)
        .says("717 trials per arm")
        .says("as one of 6");
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--discordant", "0.3"])
        .code(0)
        .says("McNemar");
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--discordant", "0.05"])
        .code(2)
        .warns("is between 0.1 and 0.7");
    sandbox.run(&["power", "--detect", "0.6", "0.6"]).code(2).warns("two different success rates");
    sandbox.run(&["power", "--detect", "0.6", "1.6"]).code(2);
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--power", "1"])
        .code(2)
        .warns("between 0 and 1");
}

#[test]
fn run_lengths_are_summed_up() {
    let sandbox = Sandbox::new();
    sandbox.write("arms.toml", ARMS);
    sandbox.run(&["arms.toml", "--set", "stop.evaluations=5000"]).code(0);
    sandbox.run(&["runtimes", "results/arms"]).code(0).says("median evaluations").says("good");
    let json = sandbox.run(&["runtimes", "results/arms", "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    let [good, bad, _] = rows.as_slice() else { panic!("{json}") };
    let number = |row: &serde_json::Value, key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    assert!(
        number(good, "median_low") <= number(good, "median")
            && number(good, "median") <= number(good, "median_high")
    );
    assert!(
        number(good, "median") < 5000.0 && number(good, "successes") > number(bad, "successes"),
        "{json}"
    );
    // A cut-off is proposed only where a gain is shown.
    for row in [good, bad] {
        let proposed = row["restart_after"].is_u64();
        assert_eq!(proposed, number(row, "restart_gain_low") > 1.0, "{row}");
        assert_eq!(proposed, row["restarts"] == "gain", "{row}");
        assert!(!proposed || number(row, "restart_cost") < number(row, "ert"), "{row}");
    }
    sandbox.run(&["runtimes", "nowhere"]).code(4);
}
