//! Repeats that end when a question is answered.

use crate::util::{Sandbox, column};

/// Arm `good` succeeds more often than `bad`.
fn config(repeats: &str) -> String {
    format!(
        "seed = 3\nrepeats = {repeats}\n[problem]\nplugin = \"onemax\"\nlength = \
        20\n[[operators]]\nname = \"good\"\npopulation = 10\nselection = {{ kind = \"tournament\", \
        size = 2 }}\nmutation = \"bit-flip\"\n[[operators]]\nname = \"bad\"\npopulation = \
        10\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 1000\n"
    )
}

fn same_tables(sandbox: &Sandbox, first: &str, second: &str) {
    for table in ["summary", "trials"] {
        let of = |folder: &str| sandbox.read(&format!("{folder}/ask/{table}.parquet"));
        assert!(of(first) == of(second), "{table} of {first} and {second}");
    }
}

#[test]
fn arms_run_until_their_rates_are_precise_whatever_the_jobs_and_the_past() {
    let sandbox = Sandbox::new();
    sandbox.write("ask.toml", config("{ half-width = 0.05, max = 20000 }"));
    sandbox.run(&["check", "ask.toml"]).code(0).says("up to 20,000 trials");
    sandbox
        .run(&["ask.toml", "--out", "one", "--jobs", "1"])
        .code(0)
        .says("until its 95 % confidence sequence was at most 0.1 wide in total")
        .says("(95 % interval)");
    let summary = sandbox.path("one/ask/summary.parquet");
    let [low, high, trials] =
        ["success_low", "success_high", "trials"].map(|name| column(&summary, name));
    for ((low, high), trials) in low.iter().zip(&high).zip(&trials) {
        assert!(
            high - low <= 0.1 && *trials < 20_000.0 && *trials >= 50.0,
            "{low} {high} {trials}"
        );
    }
    sandbox.run(&["ask.toml", "--out", "many", "--jobs", "7"]).code(0);
    same_tables(&sandbox, "one", "many");
    // A folder with fewer trials, and one with more: the ones beyond the answer are put aside.
    for (out, repeats) in [("fewer", "60"), ("more", "3000")] {
        sandbox.run(&["ask.toml", "--out", out, "--repeats", repeats]).code(0);
        let ran = sandbox.run(&["ask.toml", "--out", out]).code(0);
        assert_eq!(ran.stderr.contains("superseded"), out == "more", "{ran}");
        same_tables(&sandbox, "one", out);
        // And once more, with nothing left to do.
        sandbox.run(&["ask.toml", "--out", out]).code(0);
        same_tables(&sandbox, "one", out);
    }
    sandbox.run(&["show", "one/ask"]).code(0).says("good");
    sandbox.run(&["ask.toml", "--shard", "1/2"]).code(2).warns("a shard does not know");
}

#[test]
fn the_better_of_two_arms_is_decided() {
    let sandbox = Sandbox::new();
    sandbox.write("ask.toml", config("{ decide = [\"bad\", \"good\"], max = 20000 }"));
    sandbox
        .run(&["ask.toml", "--out", "one"])
        .code(0)
        .says("`good` is better than `bad`: decided after");
    let trials = column(&sandbox.path("one/ask/summary.parquet"), "trials");
    assert!(trials[0] == trials[1] && trials[0] < 2_000.0, "{trials:?}");
    sandbox.run(&["ask.toml", "--out", "two", "--isolation", "process"]).code(0);
    same_tables(&sandbox, "one", "two");
    // Too few trials to tell.
    let few = "repeats={ decide = [\"bad\", \"good\"], max = 4 }";
    sandbox
        .run(&["ask.toml", "--out", "few", "--set", few])
        .code(0)
        .says("Cannot tell which of `bad` and `good` is better");
}
