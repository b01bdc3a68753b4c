//! Operator sets at each value of a sweep and over all values, rows in an order that is asked for,
//! tables for papers, and the times of trials.

use crate::docs::{blocks, is_in_the_analysis};
use crate::util::{Sandbox, document, rows};
use serde_json::Value;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("mutation.toml", &blocks(&document("docs/analysis.md"), "toml")[2]);
    sandbox.run(&["mutation.toml", "--progress", "none"]).code(0);
    sandbox
}

const FOLDER: &str = "results/how-much-mutation";

fn compared(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(&[&["compare", FOLDER], arguments, &["--json"]].concat()).code(0);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{ran}"))
}

/// With several sweeps, an arm that has no swept value of a key stands at its own setting of it.
#[test]
fn an_arm_stands_at_its_setting_where_it_is_not_swept() {
    let sandbox = Sandbox::new();
    let set = |name: &str, selection: &str| {
        format!(
            "[[operators]]\nname = \"{name}\"\npopulation = 4\nselection = \"{selection}\"\n\
            mutation = \"bit-flip\"\n"
        )
    };
    let config = format!(
        "name = \"how-much-mutation\"\nrepeats = 4\nproblem = {{ plugin = \"onemax\", length = 20 \
        }}\n{}{}[stop]\ngenerations = 5\n[[sweep]]\n\"problem.length\" = [10, 20]\n[[sweep]]\n\
        \"operators.population\" = [6, 12]\n",
        set("a", "uniform"),
        set("b", "tournament")
    );
    sandbox.write("two.toml", config);
    sandbox.run(&["two.toml"]).code(0);
    let of = |key: &str| -> Vec<String> {
        let found = compared(&sandbox, &["--within", key, "--all-pairs"]);
        let words = |row: &Value| {
            let word = |key: &str| row[key].as_str().expect("a word").to_owned();
            format!("{} | {} at {}", word("first"), word("second"), word("within"))
        };
        found.iter().map(words).collect()
    };
    let lengths = of("length");
    assert!(lengths.contains(&"a | b at 10".to_owned()), "{lengths:#?}");
    let swept = |row: &&String| row.contains("population") && !row.ends_with(" at 20");
    assert_eq!(lengths.iter().find(swept), None);
    let populations = [
        "a problem.length=10 | b problem.length=10 at 4",
        "a problem.length=20 | b problem.length=20 at 4",
        "a | b at 6",
        "a | b at 12",
        "a | b at all",
    ];
    assert_eq!(of("population"), populations);
}

#[test]
fn operator_sets_are_compared_at_each_value_and_over_all() {
    let sandbox = sandbox();
    is_in_the_analysis(&sandbox, &["compare", FOLDER, "--within", "n"]);
    let found = compared(&sandbox, &["--within", "problem.n"]);
    let within: Vec<&str> = found.iter().filter_map(|row| row["within"].as_str()).collect();
    assert_eq!(within, ["8", "12", "16", "20", "all"]);
    // With 60 trials everywhere the weighted mean is the plain one.
    let number = |row: &Value, key: &str| row[key].as_f64().expect("a number");
    let mean = found[..4].iter().map(|row| number(row, "difference")).sum::<f64>() / 4.0;
    assert!((number(&found[4], "difference") - mean).abs() < 1e-12);
    assert_eq!(found[4]["difference_interval"], "miettinen-nurminen");
    assert_eq!(
        (&found[4]["verdict"], &found[4]["ground"]),
        (&"better".into(), &"success-rate".into())
    );
    assert_eq!(found[4]["first_trials"], 240);
    // By StratifiedTable and SciPy: tests/models/statistics.py's `score_interval` and `conditional`
    // of [60, 60, 60, 60], [55, 60, 50, 60], [44, 60, 31, 60], [29, 60, 21, 60].
    let exact = [0.108_333_333_333, 0.038_667_093_423, 0.181_027_927_041, 0.002_870_662_628];
    let keys = ["difference", "difference_low", "difference_high", "p"];
    for (key, expected) in keys.into_iter().zip(exact) {
        assert!((number(&found[4], key) - expected).abs() < 1e-9, "{key}: {}", found[4]);
    }
    let one = compared(&sandbox, &["--within", "n", "--against", "swap, 0.8"]);
    assert!(one.len() == 5 && one.iter().all(|row| row["second"] == "swap, 0.8"), "{one:?}");
    sandbox
        .run(&["compare", FOLDER, "--within", "m"])
        .code(2)
        .warns("there is no single swept key of that name; the swept keys are problem.n");
    sandbox
        .run(&["compare", FOLDER, "--within", "n", "--against", "swap"])
        .code(2)
        .warns("name an operator set; there is none called `swap`, they are swap, 0.8, swap, 0.95");
    sandbox.run(&["report", FOLDER, "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    for words in [
        "every two operator sets at each value of problem.n, and over all values",
        "Miettinen and Nurminen",
        "Mantel and Haenszel (1959)",
        "van Elteren (1960)",
        "Per evaluation",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// A report has one verdict on a question, and says where the verdict over all values is reversed.
#[test]
fn a_report_within_a_sweep_does_not_contradict_itself() {
    let sandbox = Sandbox::new();
    let config = r#"
name = "reversed"
repeats = 40
seed = 4
baseline = true
[problem]
plugin = "bbob"
n = 5
[[operators]]
name = "cma"
algorithm = { kind = "cma-es" }
[[operators]]
name = "de"
algorithm = { kind = "differential-evolution" }
population = 20
[stop]
fitness = 1e-8
evaluations = 3000
[sweep]
"problem.function" = [1, 3, 12]
"#;
    sandbox.write("reversed.toml", config);
    sandbox.run(&["reversed.toml"]).code(0);
    sandbox.run(&["report", "results/reversed", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(!page.contains("Against random"), "the comparisons have these verdicts");
    let answer = page.split("Over all values: `cma` against `de`").nth(1).unwrap_or_default();
    let answer: String = answer.chars().take(150).collect();
    let words = "better: fewer evaluations, p &lt; 0.001. At 3 it is the opposite.";
    assert!(answer.contains(words), "{answer}");
    assert!(!page.contains("no size is known"));
}

#[test]
fn rows_have_the_order_that_is_asked_for() {
    let sandbox = sandbox();
    let first = compared(&sandbox, &["--within", "n", "--sort", "difference:desc", "--top", "2"]);
    let within: Vec<&str> = first.iter().filter_map(|row| row["within"].as_str()).collect();
    assert_eq!(within, ["16", "20"]);
    // Adjusted for all of them, however many are shown.
    let all = compared(&sandbox, &["--within", "n"]);
    assert_eq!(first[0], all[2]);
    let sorted = rows(&sandbox, &[FOLDER, "--sort", "success_rate", "--top", "3"]);
    let n: Vec<i64> = sorted.iter().filter_map(|row| row["problem.n"].as_i64()).collect();
    assert_eq!(n, [20, 20, 16]);
    sandbox.run(&["show", FOLDER, "--top", "3"]).code(0).says("3 of 8 arms are shown.");
    // A key in which the shown arms agree says which arms they are.
    let top = ["show", FOLDER, "--sort", "success_rate:desc", "--top", "1"];
    let shown = sandbox.run(&top).code(0).stdout;
    assert!(shown.lines().any(|line| line.starts_with("arm") && line.contains("  n  ")), "{shown}");
    sandbox
        .run(&["runtimes", FOLDER, "--sort", "ert:desc", "--top", "1"])
        .code(0)
        .says("The first 1 of 8 rows are shown.")
        .says("swap, 0.95");
    for command in ["compare", "show", "runtimes"] {
        sandbox
            .run(&[command, FOLDER, "--sort", "rate"])
            .code(2)
            .warns("--sort: there is no column `rate`; the columns are ");
    }
}

#[test]
fn tables_for_papers_are_whole() {
    let sandbox = sandbox();
    for (arguments, words) in [
        (&["compare", FOLDER, "--within", "n"][..], "Arm & $n$ & Success & Difference"),
        (&["show", FOLDER], "Arm & $n$ & Trials & Success rate"),
        (&["runtimes", FOLDER], "Arm & $n$ & Trials & Successes"),
        (&["rank", FOLDER], "Arm & Mean & Success rate"),
    ] {
        let ran = sandbox.run(&[arguments, &["--latex"]].concat()).code(0).says(words);
        let text = ran.stdout;
        let open = text.matches("\\begin{tabular}").count();
        assert!(open > 0 && open == text.matches("\\end{tabular}").count(), "{text}");
        for rule in ["\\toprule", "\\midrule", "\\bottomrule"] {
            assert_eq!(text.matches(rule).count(), open, "{rule}\n{text}");
        }
        for table in text.split("\\begin{tabular}{@{}").skip(1) {
            let columns = table.split('@').next().expect("the columns").len();
            let lines = table.lines().filter(|line| line.ends_with("\\\\"));
            assert!(lines.clone().count() > 2, "{table}");
            for line in lines {
                assert_eq!(line.matches(" & ").count() + 1, columns, "{line}");
            }
        }
    }
    let text = sandbox.run(&["compare", FOLDER, "--within", "n", "--latex"]).code(0).stdout;
    assert!(text.contains("\\textbf{swap, 0.8} & all & \\textbf{0.783} & $+$0.108"), "{text}");
}

/// Without a target there are no success rates: what is said of the table is of its columns.
#[test]
fn a_table_without_success_is_described_as_it_is() {
    const LABS: &str = r#"
repeats  = 20
problem  = { plugin = "pbo", problem = "labs", n = 20 }
operators = [{ name = "RLS", preset = "rls" }]
stop     = { evaluations = 100 }
"#;
    let sandbox = Sandbox::new();
    sandbox.write("labs.toml", LABS);
    sandbox.run(&["labs.toml"]).code(0).says("standard").says("quartiles");
    let text = sandbox.run(&["show", "results/labs", "--latex"]).code(0).stdout;
    assert!(text.starts_with("% Needs") && text.contains("% labs. Fitness: of the best"), "{text}");
    assert!(text.contains("(quartiles)") && !text.contains("Success"), "{text}");
    let row = &rows(&sandbox, &["results/labs"])[0];
    let figure = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("no {name}: {row}"));
    let sorted =
        ["min", "q25", "median", "q75", "max"].map(|name| figure(&format!("best_fitness_{name}")));
    assert!(sorted.is_sorted() && figure("best_fitness_sd") > 0.0, "{row}");
}

#[test]
fn times_are_of_trials_and_name_the_machine() {
    let sandbox = sandbox();
    let found = rows(&sandbox, &[FOLDER, "--times"]);
    assert_eq!(found.len(), 8);
    for row in &found {
        let number = |key: &str| row[key].as_f64().expect("a number");
        assert_eq!(row["trials"], 60);
        assert!(number("seconds_q25") <= number("seconds_median"), "{row}");
        assert!(number("evaluation_seconds_median") < number("seconds_q75"), "{row}");
        assert!(number("seconds_total") >= 30.0 * number("seconds_median"), "{row}");
        assert!(row["machine"].as_str().is_some_and(|words| words.contains(" processors, ")));
    }
    let run = String::from_utf8(sandbox.read(&format!("{FOLDER}/run.toml"))).expect("UTF-8");
    assert!(run.contains("processors = "), "{run}");
    sandbox
        .run(&["show", FOLDER, "--times", "--sort", "seconds_median:desc", "--top", "1"])
        .code(0)
        .says("evaluation")
        .says("The first 1 of 8 rows are shown.");
    // Without the file there are no times, and nothing else is missing.
    std::fs::remove_file(sandbox.path(format!("{FOLDER}/timings.parquet"))).expect("a file");
    sandbox.run(&["show", FOLDER, "--times"]).code(0).says("no rows in timings.parquet");
    sandbox.run(&["show", FOLDER]).code(0).says("swap, 0.95");
}
