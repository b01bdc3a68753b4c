//! Comparisons that are valid for how the trials came about, and a gate that lets nothing vanish.

use crate::util::{Ran, Sandbox, column, table};
use serde_json::Value;

/// Arms of onemax: name and selection; all else alike.
fn config(head: &str, arms: &[(&str, &str)]) -> String {
    let mut text = format!("{head}\n[problem]\nplugin = \"onemax\"\nlength = 20\n");
    for (name, selection) in arms {
        text.push_str(&format!(
            "[[operators]]\nname = \"{name}\"\npopulation = 10\nselection = {selection}\nmutation \
            = \"bit-flip\"\n"
        ));
    }
    text + "[stop]\nevaluations = 1000\n"
}

const STRONG: &str = "{ kind = \"tournament\", size = 2 }";
const WEAK: &str = "\"uniform\"";

fn compared(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(&[&["compare"], arguments, &["--json"]].concat()).code(0);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{ran}"))
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or(f64::NAN)
}

fn text(sandbox: &Sandbox, table: &str, name: &str) -> Vec<String> {
    let json = sandbox.run(&["show", table, "--json"]).code(0).stdout;
    let rows: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    rows.iter().map(|row| row[name].as_str().unwrap_or_default().to_owned()).collect()
}

/// Two arms that generations end after different evaluations, and a baseline.
#[test]
fn a_decision_and_what_is_said_beside_it_are_about_the_same_rates() {
    let sandbox = Sandbox::new();
    let arm = |name: &str, size: u64| {
        format!(
            r#"
[[operators]]
name        = "{name}"
population  = {size}
selection   = "uniform"
mutation    = "bit-flip"
replacement = {{ kind = "plus", offspring = {size} }}
"#
        )
    };
    let config = |repeats: &str, arms: [(&str, u64); 2]| {
        let problem = "problem = { plugin = \"onemax\", length = 12 }";
        let arms = arms.map(|(name, size)| arm(name, size)).concat();
        format!("{repeats}\nseed = 5\n{problem}\nstop = {{ generations = 40 }}\n{arms}")
    };
    let unequal = [("small", 1), ("big", 100)];
    let decide = "baseline = true\nrepeats = { decide = [\"small\", \"big\"], max = 400 }";
    sandbox.write("decided.toml", config(decide, unequal));
    sandbox.run(&["decided.toml"]).code(0).says("`big` succeeds more often");
    let told = sandbox.run(&["compare", "results/decided"]).code(0);
    let answer = told.stdout.lines().next().expect("an answer");
    assert!(answer.starts_with("big is better than small: 1.000 against"), "{told}");
    told.says("those at the end of their trials");
    let refused = sandbox.run(&["compare", "results/decided", "--unpaired"]).code(2);
    refused.warns("--unpaired: a stopping rule (`repeats`) decided");
    let verdicts = |folder: &str| -> Vec<(String, String)> {
        let json = sandbox.run(&["compare", folder, "--json"]).code(0).stdout;
        let all: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().expect("text").to_owned();
        let of_baseline = all.iter().filter(|row| row["second"].as_str().is_some_and(is_random));
        of_baseline.map(|row| (text(row, "first"), text(row, "verdict"))).collect()
    };
    let of_summary = |folder: &str| -> Vec<(String, String)> {
        let rows = crate::util::rows(&sandbox, &[folder]);
        let own = rows.iter().filter(|row| !row["baseline"].is_null());
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().expect("text").to_owned();
        own.map(|row| (text(row, "arm"), text(row, "baseline_verdict"))).collect()
    };
    // The two arms asked for are alike, so that nothing else is told apart among arms.
    let alike = "baseline = true\nrepeats = { decide = [\"one\", \"twin\"], max = 100 }";
    let text = config(alike, [("one", 100), ("twin", 99)]);
    sandbox.write("alike.toml", text);
    sandbox.run(&["alike.toml"]).code(0);
    let mut found = verdicts("results/alike");
    let mut expected = of_summary("results/alike");
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(found.iter().any(|(_, verdict)| verdict == "better"), "{found:?}");
    // Within the smaller budget the rates are others than in the table above.
    sandbox.write("fixed.toml", config("repeats = 40", unequal));
    let ran = sandbox.run(&["fixed.toml"]).code(0);
    if let Some(note) = ran.stderr.lines().find(|line| line.contains("cannot be told apart")) {
        assert!(note.contains(" within 41 evaluations cannot"), "{ran}");
    }
}

fn is_random(name: &str) -> bool {
    name.starts_with("random-search")
}

#[test]
fn a_gate_fails_where_an_arm_is_gone_or_has_no_trials_left() {
    let sandbox = Sandbox::new();
    let both = [("strong", STRONG), ("weak", WEAK)];
    sandbox.write("arms.toml", config("repeats = 30", &both));
    sandbox.write("one.toml", config("name = \"arms\"\nrepeats = 30", &both[..1]));
    sandbox.write(
        "more.toml",
        config(
            "name = \"arms\"\nrepeats = 30",
            &[("renamed", STRONG), both[1], ("third", "{ kind = \"tournament\", size = 3 }")],
        ),
    );
    for (file, out) in [("arms.toml", "old"), ("one.toml", "one"), ("more.toml", "more")] {
        sandbox.run(&[file, "--out", out]).code(0);
    }
    let diff = |old: &str, new: &str, fail_on: &str| -> Ran {
        sandbox.run(&["diff", &format!("{old}/arms"), &format!("{new}/arms"), "--fail-on", fail_on])
    };
    for fail_on in ["worse", "changed"] {
        diff("old", "one", fail_on)
            .code(1)
            .warns("`weak` is in old/arms and not in one/arms")
            .says("0 worse, 0 better, 1 cannot be told apart, 1 gone")
            .warns("1 of the old run's arms have no usable trials in one/arms");
    }
    diff("old", "one", "never").code(0).warns("`weak` is in old/arms");
    // An arm under another name is the same arm, and one more is named.
    diff("old", "more", "worse")
        .code(0)
        .warns("`renamed` has the settings that `strong` has in old/arms")
        .warns("`third` is in more/arms and not in old/arms")
        .says("0 worse, 0 better, 2 cannot be told apart, 1 new");

    let faulty = |fault: &str| {
        format!(
            "repeats = 5\n[problem]\nplugin = \"faulty\"\nfault = \"{fault}\"\n[[operators]]\nname \
            = \"ga\"\npopulation = 4\nselection = \"uniform\"\nmutation = \
            \"bit-flip\"\n[stop]\ngenerations = 3\n"
        )
    };
    sandbox.write("faulty.toml", faulty("none"));
    sandbox.run(&["faulty.toml", "--out", "sound"]).code(0);
    sandbox.write("faulty.toml", faulty("error-evaluate"));
    sandbox.run(&["faulty.toml", "--out", "broken"]).code(1);
    let diff = |fail_on: &str, more: &[&str]| {
        sandbox
            .run(&[&["diff", "sound/faulty", "broken/faulty", "--fail-on", fail_on], more].concat())
    };
    diff("worse", &["--across-problems"])
        .code(1)
        .warns("`ga` in broken/faulty has no usable trials: all 5 failed or crashed")
        .says("0 worse, 0 better, 0 cannot be told apart, 1 without usable trials");
    diff("never", &["--across-problems"]).code(0);
    // The fault is a parameter of the problem.
    diff("worse", &[])
        .code(2)
        .warns("problem.fault was \"none\" and is now \"error-evaluate\"")
        .warns("--across-problems");
    sandbox.run(&["compare", "broken/faulty"]).code(2).warns("no two arms of one problem");
    sandbox
        .run(&["compare", "broken/faulty", "sound/faulty", "--across-problems"])
        .code(1)
        .warns("fewer than two arms have usable trials");
}

#[test]
fn arms_of_two_runs_are_matched_by_what_they_are() {
    let sandbox = Sandbox::new();
    sandbox.write("arms.toml", config("repeats = 30", &[("strong", STRONG), ("weak", WEAK)]));
    sandbox.run(&["arms.toml", "--out", "old"]).code(0);
    sandbox.run(&["arms.toml", "--out", "short", "--set", "stop.evaluations=200"]).code(0);
    sandbox.run(&["arms.toml", "--out", "long", "--set", "problem.length=40"]).code(0);
    sandbox.run(&["arms.toml", "--out", "again", "--seed", "8"]).code(0);
    // One seed makes one set of trials.
    sandbox.run(&["arms.toml", "--out", "more", "--repeats", "40"]).code(0);
    let same = "trials of `strong` and 1 other arm are the same in old/arms and more/arms";
    sandbox.run(&["compare", "old/arms", "more/arms"]).code(0).warns(same);
    let other = sandbox.run(&["compare", "old/arms", "again/arms"]).code(0);
    assert!(!other.stderr.contains("are the same in"), "{other}");
    for command in ["compare", "diff"] {
        let run = |other: &str, more: &[&str]| {
            let (old, other) = ("old/arms".to_owned(), format!("{other}/arms"));
            let folders =
                if command == "diff" { [old.as_str(), &other] } else { [other.as_str(), &old] };
            sandbox.run(&[&[command], &folders[..], more].concat())
        };
        run("short", &[]).code(0).warns("`strong`: stop.evaluations was 1000 and is now 200");
        run("long", &[])
            .code(2)
            .warns("`strong` solves different problems in the two runs: ")
            .warns("problem.length was 20 and is now 40");
        run("long", &["--across-problems"]).code(0).says("worse");
        let same = run("again", &[]).code(0);
        assert!(same.stderr.is_empty(), "{same}");
    }
}

#[test]
fn paired_trials_are_compared_in_pairs_everywhere() {
    let sandbox = Sandbox::new();
    let arms = [("strong", STRONG), ("weak", WEAK)];
    sandbox
        .write("common.toml", config("repeats = 60\npairing = \"common\"\nbaseline = true", &arms));
    sandbox.write("alone.toml", config("repeats = 60", &arms));
    sandbox.run(&["common.toml"]).code(0);
    sandbox.run(&["alone.toml"]).code(0);
    sandbox
        .run(&["compare", "results/alone", "--paired"])
        .code(2)
        .warns("--paired: the trials of `strong` are independent (pairing = \"independent\")")
        .warns("run the experiment with pairing = \"common\"");
    sandbox
        .run(&["compare", "results/common", "--explain"])
        .code(0)
        .says("of the success rates over pairs")
        .says("Tango's interval for pairs (95 %)");
    let whole = in_columns(&sandbox, 1_000, &["compare", "results/common", "--explain"]);
    for words in [
        "McNemar's exact test",
        "the sign test",
        "adjusted for the 2 tests between arms and separately for the 3 against baselines (Holm)",
    ] {
        assert!(whole.contains(words), "{whole}");
    }
    let (paired, unpaired) = (
        compared(&sandbox, &["results/common"]),
        compared(&sandbox, &["results/common", "--unpaired"]),
    );
    assert_eq!(paired, compared(&sandbox, &["results/common", "--paired"]));
    let of = |rows: &[Value], second: &str| {
        rows.iter()
            .find(|row| row["first"] == "strong" && row["second"] == second)
            .expect("the pair")
            .clone()
    };
    let (in_pairs, apart) = (of(&paired, "weak"), of(&unpaired, "weak"));
    assert_eq!(
        [&in_pairs["difference_interval"], &apart["difference_interval"]],
        ["tango", "newcombe"]
    );
    assert!(number(&in_pairs, "p") != number(&apart, "p"));
    for row in [&in_pairs, &apart] {
        assert!(
            number(row, "difference_low") > 0.0
                && number(row, "p_adjusted") < 0.05
                && row["verdict"] == "better",
            "{row}"
        );
        assert!(number(row, "effect_low") > 0.5 && number(row, "effect_p") < 0.05, "{row}");
    }
    // The summary's verdict on the baseline looks at the same pairs.
    assert_eq!(text(&sandbox, "results/common", "baseline_interval"), ["tango", "tango", ""]);
    assert_eq!(text(&sandbox, "results/alone", "baseline_interval"), ["", ""]);
    let summary = sandbox.path("results/common/summary.parquet");
    let against = of(&paired, "random-search");
    for (name, key) in
        [("baseline_difference", "difference"), ("baseline_difference_low", "difference_low")]
    {
        assert_eq!(column(&summary, name)[0], number(&against, key));
    }
    // And the report has the same p-value for the same pair.
    sandbox.run(&["report", "results/common", "results/alone", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    for row in paired.iter().chain(&compared(&sandbox, &["results/alone"])) {
        // Of the verdict's criterion, or the least.
        let columns = match row["ground"].as_str() {
            Some("success-rate") => vec!["p_adjusted"],
            Some("evaluations") => vec!["effect_p_adjusted"],
            _ => vec!["p_adjusted", "effect_p_adjusted", "fitness_p_adjusted"],
        };
        let p = columns.iter().map(|column| number(row, column)).fold(1.0, f64::min);
        let mut values = page
            .split("data-value=\"")
            .filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert!(values.any(|value| (value - p).abs() <= 1e-12 * p), "{row}");
    }
    assert!(page.contains("Tango") && page.contains("McNemar"));
}

#[test]
fn what_outcomes_ended_has_intervals_that_bear_it() {
    let sandbox = Sandbox::new();
    let arms =
        [("weak", WEAK), ("strong", STRONG), ("middle", "{ kind = \"tournament\", size = 3 }")];
    let asking = "baseline = true\nrepeats = { decide = [\"weak\", \"strong\"], max = 4000, \
        confidence = 0.8 }";
    sandbox.write("decide.toml", config(asking, &arms));
    sandbox
        .run(&["decide.toml"])
        .code(0)
        .says("80 % interval")
        .says("80 % confidence sequences")
        .says("`strong` succeeds more often than `weak`");
    sandbox.write(
        "precise.toml",
        config("repeats = { half-width = 0.1, max = 4000, confidence = 0.9 }", &arms),
    );
    sandbox
        .run(&["precise.toml"])
        .code(0)
        .says("90 % confidence sequence was at most 0.2 wide in total")
        .says("90 % interval");
    for (name, level, method) in
        [("decide", 0.8, "paired-confidence-sequence"), ("precise", 0.9, "confidence-sequence")]
    {
        let folder = format!("results/{name}");
        let summary = sandbox.path(format!("{folder}/summary.parquet"));
        assert!(column(&summary, "confidence").iter().all(|found| *found == level));
        assert!(
            text(&sandbox, &folder, "success_interval")
                .iter()
                .all(|word| word == "confidence-sequence")
        );
        let rows = compared(&sandbox, &[&folder]);
        for row in &rows {
            assert!(
                row["difference_interval"] == method && number(row, "confidence") == level,
                "{row}"
            );
            // 0 lies outside exactly when the p-value is at most what the level leaves.
            let outside =
                number(row, "difference_low") > 0.0 || number(row, "difference_high") < 0.0;
            assert_eq!(outside, number(row, "p") <= 1.0 - level, "{row}");
            // No interval of the effect is known to hold where unpaired trials ended so.
            assert_eq!(row["effect_low"].is_null(), name == "precise", "{row}");
            let never = number(row, "first_rate") + number(row, "second_rate") == 0.0;
            assert_eq!(row["effect_p"].is_null(), name == "precise" || never, "{row}");
            assert!(name == "decide" || row["ground"] != "evaluations", "{row}");
        }
        sandbox.run(&["report", &folder, "--out", &format!("{name}.html")]).code(0);
        let page = String::from_utf8(sandbox.read(&format!("{name}.html"))).expect("UTF-8");
        assert!(
            page.contains(&format!("confidence sequence {} %", 100.0 * level))
                && !page.contains("Wilson 95 %")
        );
    }
    // The question is answered in the table as it was by the run, whatever else is compared.
    let rows = compared(&sandbox, &["results/decide"]);
    let asked = rows
        .iter()
        .find(|row| row["first"] == "strong" && row["second"] == "weak")
        .expect("the pair");
    assert!(asked["verdict"] == "better" && asked["p"] == asked["p_adjusted"], "{asked}");
    let word = "paired-confidence-sequence";
    assert_eq!(text(&sandbox, "results/decide", "baseline_interval"), [word, word, word, ""]);
    let shown = in_columns(&sandbox, 1_000, &["compare", "results/decide", "--pairs"]);
    for words in ["A stopping rule decided the number of trials", "difference", "80 % interval"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

#[test]
fn a_verdict_has_its_ground_in_every_form_and_closes_the_gate() {
    let sandbox = Sandbox::new();
    let strong = "{ kind = \"tournament\", size = 5 }";
    let arms = [("strong", strong), ("weak", WEAK)];
    let text = |arms: &[(&str, &str)], length: u64, budget: u64| {
        let text = config("name = \"arms\"\nrepeats = 40", arms);
        let text = text.replace("length = 20", &format!("length = {length}"));
        let plus = "mutation = \"bit-flip\"\nreplacement = { kind = \"plus\", offspring = 10 }";
        let text = text.replace("mutation = \"bit-flip\"", plus);
        text.replace("evaluations = 1000", &format!("evaluations = {budget}"))
    };
    // With so many evaluations both always succeed; with so few on more bits neither does.
    sandbox.write("always.toml", text(&arms, 30, 100_000));
    sandbox.write("never.toml", text(&arms, 200, 1_000));
    for (file, criterion, words) in [
        ("always", "evaluations", " times as fast"),
        ("never", "final-fitness", "final fitness lower by "),
    ] {
        let folder = format!("{file}/arms");
        sandbox.run(&[&format!("{file}.toml"), "--out", file]).code(0);
        let row = &compared(&sandbox, &[&folder])[0];
        assert_eq!([&row["first"], &row["verdict"]], ["strong", "better"], "{row}");
        assert_eq!(row["ground"], criterion, "{row}");
        // The rates are alike, and no test.
        assert!(row["p"].is_null() && number(row, "difference") == 0.0, "{row}");
        let shift = if file == "always" { "speed" } else { "fitness_shift" };
        let ends = [format!("{shift}_low"), format!("{shift}_high")].map(|key| number(row, &key));
        let none = if file == "always" { 1.0 } else { 0.0 };
        assert!(ends[0] > none || ends[1] < none, "{row}");
        let shown = in_columns(&sandbox, 120, &["compare", &folder]);
        assert!(shown.contains(&format!("better: {}", &words[..5])) || shown.contains(words));
        sandbox.run(&["report", &folder, "--out", "report.html"]).code(0);
        let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
        assert!(page.contains(words), "{words}");
        for form in ["--csv", "--markdown"] {
            assert!(in_columns(&sandbox, 80, &["compare", &folder, form]).contains(criterion));
        }
        // Another run in which the arm does as the weak one did is worse.
        let changed = [("strong", WEAK), ("weak", WEAK)];
        let (length, budget) = if file == "always" { (30, 100_000) } else { (200, 1_000) };
        sandbox.write("changed.toml", text(&changed[..1], length, budget));
        sandbox.run(&["changed.toml", "--out", "changed"]).code(0);
        sandbox.write("one.toml", text(&arms[..1], length, budget));
        sandbox.run(&["one.toml", "--out", "one"]).code(0);
        sandbox
            .run(&["diff", "one/arms", "changed/arms", "--fail-on", "worse"])
            .code(1)
            .says("1 worse, 0 better");
        for out in ["changed", "one"] {
            std::fs::remove_dir_all(sandbox.path(out)).expect("a folder");
        }
    }
}

#[test]
fn nothing_is_certain_of_arms_that_never_succeed() {
    let sandbox = Sandbox::new();
    sandbox.write("never.toml", config("repeats = 3", &[("one", STRONG), ("other", WEAK)]));
    sandbox.run(&["never.toml", "--set", "problem.length=200"]).code(0);
    for row in compared(&sandbox, &["results/never"]) {
        assert!(number(&row, "effect") == 0.5 && row["effect_size"] == "unclear", "{row}");
        assert!(number(&row, "effect_low") < 0.2 && number(&row, "effect_high") > 0.8, "{row}");
        assert!(
            number(&row, "difference_low") < -0.4 && number(&row, "difference_high") > 0.4,
            "{row}"
        );
    }
}

#[test]
fn many_arms_are_compared_with_the_first_in_the_file() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (2..=14).map(|size| format!("size {size}")).collect();
    let selections: Vec<String> =
        (2..=14).map(|size| format!("{{ kind = \"tournament\", size = {size} }}")).collect();
    let arms: Vec<(&str, &str)> =
        names.iter().zip(&selections).map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
    sandbox.write(
        "many.toml",
        config("repeats = 20", &arms).replace("population = 10", "population = 20"),
    );
    sandbox.run(&["many.toml"]).code(0);
    let ran = sandbox.run(&["compare", "results/many"]).code(0);
    ran.says("All 12 arms are better than size 2.");
    let rows = compared(&sandbox, &["results/many"]);
    assert!(rows.len() == 12 && rows.iter().all(|row| row["second"] == "size 2"));
    assert_eq!(compared(&sandbox, &["results/many", "--all-pairs"]).len(), 78);
    sandbox.run(&["report", "results/many", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(page.contains("12 comparisons: each arm against the first of its problem in the file"));
}

#[test]
fn thousands_of_arms_are_shown_by_the_best_the_worst_and_a_summary() {
    let sandbox = Sandbox::new();
    let arms = config("name = \"sweep\"\nrepeats = 2", &[("ga", STRONG)]);
    let sweep = "[sweep]\n\"problem.length\" = { from = 5, to = 24, step = 1 }\n\
        \"operators.population\" = { from = 6, to = 55, step = 1 }\n";
    sandbox.write("sweep.toml", format!("{arms}{sweep}"));
    sandbox.run(&["sweep.toml", "--set", "stop.evaluations=60"]).code(0);
    // Linear in the arms: each with the first of its problem, and no two others.
    assert_eq!(compared(&sandbox, &["results/sweep"]).len(), 20 * 49);
    sandbox.run(&["report", "results/sweep", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    for words in [
        "the 24 best and the 24 worst of 1,000 arms",
        "980 comparisons: each arm against the first of its problem in the file",
        "Of all 980 comparisons,",
        "runner show results/sweep --csv",
    ] {
        assert!(page.contains(words), "no {words:?} in the page");
    }
    // Summary and times, the spread of three figures, comparisons, and the ranks of 50 arms over
    // the 20 problems; each with a heading.
    let rows = page.matches("<tr>").count();
    assert_eq!(rows, (48 + 1) * 2 + (3 + 1) + (60 + 1) + (50 + 1), "rows of the page");
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
}

/// Two swept keys, and a baseline that has no value of one of them.
fn swept() -> String {
    let head = "name = \"swept\"\nrepeats = 30\nbaseline = true";
    let arms = config(head, &[("a tournament of two", STRONG), ("uniform-selection", WEAK)]);
    arms + "[sweep]\n\"problem.length\" = [15, 20]\n\"operators.mutation.gene-rate\" = [0.05, \
        0.1]\n"
}

/// What a command shows in a terminal of `columns`.
fn in_columns(sandbox: &Sandbox, columns: usize, arguments: &[&str]) -> String {
    let mut command = sandbox.command();
    command.env("COLUMNS", columns.to_string()).args(arguments);
    Ran::new(&mut command).code(0).stdout
}

/// The cells of the first row below the heading.
fn first_row(shown: &str) -> Vec<String> {
    let row = shown.lines().skip_while(|line| !line.starts_with('─')).nth(1).expect("a row");
    let cells = row.split("  ").map(|cell| cell.trim().to_owned());
    cells.filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn comparisons_fit_the_terminal_with_swept_values_in_columns() {
    let sandbox = Sandbox::new();
    sandbox.write("swept.toml", swept());
    for (out, seed) in [("results", "1"), ("other", "2")] {
        sandbox.run(&["swept.toml", "--out", out, "--seed", seed]).code(0);
    }
    let commands: [&[&str]; 4] = [
        &["compare", "results/swept", "--pairs"],
        &["compare", "results/swept", "other/swept"],
        &["diff", "other/swept", "results/swept", "--fail-on", "never"],
        &["runtimes", "results/swept"],
    ];
    for arguments in commands {
        // Each word as a table has it that is wide enough.
        let wide = in_columns(&sandbox, 240, arguments);
        assert!(!wide.contains("Not shown"), "{wide}");
        let headings = table(&wide).0.join("\n");
        for key in ["arm", "length", "gene-rate"] {
            assert!(headings.contains(key), "{key}\n{wide}");
        }
        for columns in [50, 60, 80, 100, 120, 160] {
            let shown = in_columns(&sandbox, columns, arguments);
            let longest = shown.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(columns), "{longest:?} of {columns}\n{shown}");
            let words = "length gene-rate verdict 0.05 better";
            let told = |word: &&str| wide.contains(*word);
            for word in words.split(' ').filter(told) {
                assert!(shown.contains(word), "{word} at {columns}\n{shown}");
            }
        }
    }
    let shown = in_columns(&sandbox, 100, &["compare", "results/swept", "--pairs"]);
    let [name, length, rate, success, ..] = &first_row(&shown)[..] else { panic!("{shown}") };
    let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text}\n{shown}"));
    assert!(["a tournament of two", "uniform-selection"].contains(&name.as_str()), "{shown}");
    assert!([15.0, 20.0].contains(&number(length)), "{shown}");
    assert!([0.05, 0.1].contains(&number(rate)), "{shown}");
    assert!((0.0..=1.0).contains(&number(success)), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("  random-search ")), "{shown}");
    // The same arm of the other run is named once.
    let shown = in_columns(&sandbox, 100, &["diff", "other/swept", "results/swept"]);
    let again = |line: &&str| line.starts_with("  the other run ");
    assert_eq!(shown.lines().filter(again).count(), 10, "{shown}");
    // In a few columns each pair is a block.
    let shown = in_columns(&sandbox, 50, &["compare", "results/swept", "--pairs"]);
    assert!(!shown.contains('─') && shown.contains("\n  success rate "), "{shown}");
    assert!(shown.contains(", length 20, gene-rate 0.1\n  against "), "{shown}");
    // Programs get labels in full, in the columns that they had.
    let csv = in_columns(&sandbox, 80, &["compare", "results/swept", "--csv"]);
    let columns = "first,second,first_trials,second_trials,first_failures,second_failures,\
        first_rate,second_rate,difference,difference_low,difference_high,\
        difference_interval,confidence,p,p_adjusted,effect,effect_low,effect_high,\
        effect_size,effect_p,effect_p_adjusted,budget,speed,speed_low,speed_high,\
        ert_ratio,first_fitness,second_fitness,fitness_shift,fitness_shift_low,\
        fitness_shift_high,fitness_effect,fitness_effect_low,fitness_effect_high,\
        fitness_p,fitness_p_adjusted,ground,verdict,open_failures,trials_needed";
    assert_eq!(csv.lines().next(), Some(columns));
    let label = "a tournament of two problem.length=20 operators.mutation.gene-rate=0.05";
    assert!(csv.contains(label), "{csv}");
    assert!(in_columns(&sandbox, 80, &["compare", "results/swept", "--markdown"]).contains(label));
}

/// The first arms without trials are named, and all are counted.
#[test]
fn arms_without_trials_are_named_up_to_ten_and_all_counted() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "many.toml",
        "repeats = 3\n[problem]\nplugin = \"onemax\"\nlength = 20\n[[operators]]\nname = \"ga\"\n\
        selection = \"uniform\"\nmutation = \"bit-flip\"\n[sweep]\n\"operators.population\" = { \
        from = 2, to = 14, step = 1 }\n[stop]\nevaluations = 100\n",
    );
    sandbox.run(&["many.toml", "--out", "old"]).code(0);
    let one = ["many.toml", "--out", "new", "--arm", "ga operators.population=2"];
    sandbox.run(&one).code(0);
    let ran = sandbox.run(&["diff", "new/many", "old/many"]).code(0);
    assert_eq!(ran.stderr.matches("has no usable trials").count(), 10, "{ran}");
    ran.warns("2 more arms have no usable trials").says(", 12 without usable trials");
}

/// A beats B within 1,000 evaluations, B beats C and C beats A within C's 100: each is beaten by
/// another.
#[test]
fn no_arm_is_the_best_where_each_is_beaten_or_none_is_shown_to_beat_another() {
    let sandbox = Sandbox::new();
    let rows = |arm: &str, trials: u64, successes: u64, [first, step]: [u64; 2], budget: u64| {
        let row = |trial: u64| match trial < successes {
            true => format!("{arm},1,{}\n", first + trial % 9 * step),
            false => format!("{arm},0,{budget}\n"),
        };
        (0..trials).map(row).collect::<String>()
    };
    let header = "arm,success,evaluations\n".to_owned();
    let late = rows("A", 200, 180, [300, 70], 1000);
    let early = rows("B", 200, 100, [10, 9], 1000) + &rows("C", 200, 60, [10, 9], 100);
    sandbox.write("circle.csv", &(header.clone() + &late + &early));
    sandbox.run(&["import", "circle.csv"]).code(0);
    let compared = sandbox.run(&["compare", "results/circle"]).code(0);
    let compared = compared.says("No arm is shown to be the best").says("is better than");
    let compared = compared.says("higher success rate");
    assert!(!compared.stdout.contains("Best:"), "{compared}");
    // The medians of A are the lowest, and its mean the highest: no test tells it from the others.
    let mixed = rows("A", 11, 11, [10, 0], 0) + &rows("A", 9, 9, [950, 0], 0);
    let others = rows("B", 20, 20, [30, 1], 0) + &rows("C", 20, 20, [51, 1], 0);
    sandbox.write("none.csv", &(header + &mixed + &others));
    sandbox.run(&["import", "none.csv"]).code(0);
    let words = "No arm is shown to be the best: B (imported) is better than C (imported).";
    sandbox.run(&["compare", "results/none"]).code(0).says(words);
}
