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
        .says("95 % interval");
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
        .says("`good` succeeds more often than `bad`: decided after");
    let trials = column(&sandbox.path("one/ask/summary.parquet"), "trials");
    assert!(trials[0] == trials[1] && trials[0] < 2_000.0, "{trials:?}");
    sandbox.run(&["ask.toml", "--out", "two", "--isolation", "process"]).code(0);
    same_tables(&sandbox, "one", "two");
    // Too few trials to tell.
    let few = "repeats={ decide = [\"bad\", \"good\"], max = 4 }";
    sandbox
        .run(&["ask.toml", "--out", "few", "--set", few])
        .code(0)
        .says("Cannot tell which of `bad` and `good` succeeds more often");
}

/// Sweeps of operators on two problems: one race for each.
const RACE: &str = r#"
seed = 3
repeats = { best = true, max = 400 }
[problem]
plugin = "onemax"
[[operators]]
name = "one"
population = 10
selection = { kind = "tournament", size = 2 }
mutation = { kind = "bit-flip", rate = 0.05 }
[stop]
evaluations = 600
[sweep]
"problem.length" = [16, 20]
"operators.mutation.rate" = [0.05, 0.3, 0.5]
"#;

#[test]
fn arms_race_until_the_best_is_left_whatever_the_jobs_and_the_past() {
    let sandbox = Sandbox::new();
    sandbox.write("ask.toml", RACE);
    sandbox.run(&["check", "ask.toml"]).code(0).says(
        "race: from 300 trials, if all arms but the best drop out at the first look, to 2,400",
    );
    sandbox
        .run(&["ask.toml", "--out", "one", "--jobs", "1"])
        .code(0)
        .says("is the best of 3 arms: the last other one dropped out after")
        .says("The races took")
        .says("`out` dropped out, worse beyond doubt");
    let shown = sandbox.run(&["show", "one/ask", "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&shown).expect("JSON");
    for race in [16, 20]
        .map(|length| rows.iter().filter(|row| row["problem.length"] == length).collect::<Vec<_>>())
    {
        let ran = |row: &serde_json::Value| row["trials"].as_u64().expect("a count");
        let (out, left): (Vec<_>, Vec<_>) =
            race.into_iter().partition(|row| row["race"] == "dropped out");
        assert!(!out.is_empty(), "{left:?}");
        let longest = left.iter().map(|row| ran(row)).max().expect("one is left");
        for row in &out {
            assert_eq!(row["dropped_out_after"], row["trials"]);
            assert!(ran(row) <= longest);
        }
        for row in &left {
            let word = if left.len() == 1 { "best" } else { "not told apart" };
            assert_eq!(row["race"], word);
            assert!(row["dropped_out_after"].is_null() && ran(row) == longest);
        }
        assert!(left.len() == 1 || longest == 400, "{left:?}");
    }
    sandbox.run(&["ask.toml", "--out", "many", "--jobs", "7"]).code(0);
    same_tables(&sandbox, "one", "many");
    sandbox.run(&["ask.toml", "--out", "apart", "--isolation", "process"]).code(0);
    same_tables(&sandbox, "one", "apart");
    // A folder with fewer trials, and one in which no arm dropped out.
    for (out, repeats) in [("fewer", "60"), ("more", "400")] {
        sandbox.run(&["ask.toml", "--out", out, "--repeats", repeats]).code(0);
        sandbox.run(&["ask.toml", "--out", out]).code(0);
        same_tables(&sandbox, "one", out);
    }
    sandbox.run(&["show", "one/ask"]).code(0).says("best").says("out");
    sandbox.run(&["show", "one/ask", "--json"]).code(0).says("\"race\":\"dropped out\"");
    sandbox
        .run(&["compare", "one/ask", "--explain"])
        .code(0)
        .says("a confidence sequence of pairs");
    sandbox.run(&["report", "one/ask", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    assert!(page.contains("out after ") && page.contains("Vovk and Wang"), "the page");
    sandbox.run(&["ask.toml", "--shard", "1/2"]).code(2).warns("a shard does not know");
}

#[test]
fn a_race_has_at_least_two_arms_and_trials_enough() {
    let sandbox = Sandbox::new();
    let alone = RACE.replace("[0.05, 0.3, 0.5]", "[0.05]");
    sandbox.write("ask.toml", alone);
    sandbox.run(&["check", "ask.toml"]).code(2).warns("has no other arm to race");
    sandbox.write("ask.toml", RACE.replace("max = 400", "max = 6"));
    sandbox.run(&["check", "ask.toml"]).code(0).warns("are too few for an arm to drop out");
    sandbox.write("ask.toml", RACE.replace("best = true", "best = false"));
    sandbox.run(&["check", "ask.toml"]).code(2).warns("`best` is not wanted");
    sandbox.write("ask.toml", RACE.replace("best = true", "best = true, half-width = 0.1"));
    sandbox.run(&["check", "ask.toml"]).code(2).warns("exactly one stopping rule");
}

/// A baseline has a budget of evaluations where the others have generations, and yet races them.
#[test]
fn a_baseline_races_the_arms_that_it_is_for() {
    let sandbox = Sandbox::new();
    let one = RACE.replace("evaluations = 600", "generations = 30");
    let one = one.replace("\"operators.mutation.rate\" = [0.05, 0.3, 0.5]\n", "");
    sandbox.write("x.toml", &one);
    let alone = sandbox.run(&["x.toml"]).code(2);
    alone.warns("has no other arm to race").warns("or set baseline = true");
    sandbox.write("x.toml", format!("baseline = true\n{one}"));
    let ran = sandbox.run(&["x.toml"]).code(0);
    ran.says("2 of 2 arms are left after the maximum of 400 trials").says("random-search");
}

/// `runner compare` compares within the smaller budget, and would contradict the run. A baseline
/// has the budget of its arm.
#[test]
fn a_decision_between_two_budgets_is_refused() {
    let sandbox = Sandbox::new();
    let text = "repeats = { decide = [\"ga stop.evaluations=50\", \"ga stop.evaluations=100\"], \
        max = 100 }\n[problem]\nplugin = \"onemax\"\nlength = 10\n[[operators]]\nname = \
        \"ga\"\npopulation = 10\nselection = \"tournament\"\nmutation = \
        \"bit-flip\"\n[stop]\nevaluations = 100\n[sweep]\n\"stop.evaluations\" = [50, 100]\n";
    sandbox.write("x.toml", text);
    sandbox
        .run(&["check", "x.toml"])
        .code(2)
        .warns("`ga stop.evaluations=50` and `ga stop.evaluations=100` have different [stop]")
        .warns("name two arms with the same [stop]");
    let with_baseline = text
        .replace(
            "[\"ga stop.evaluations=50\", \"ga stop.evaluations=100\"]",
            "[\"ga\", \"random\"]",
        )
        .replace("[problem]", "baseline = true\n[problem]")
        .split("[sweep]")
        .next()
        .map(str::to_owned);
    sandbox.write("y.toml", with_baseline.expect("a part"));
    let labels = sandbox.run(&["check", "y.toml"]);
    assert!(!labels.stderr.contains("different [stop]"), "{labels}");
}
