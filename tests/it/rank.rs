//! Arms ranked over problems: as SciPy and scikit-posthocs rank them.

use crate::docs::{blocks, is_in_the_analysis};
use crate::util::{Ran, Sandbox, document};
use serde_json::Value;

/// What `tests/models/ranks.py` found in the results of the config in `docs/analysis.md`.
const EXPECTED: &str = include_str!("../models/ranks.json");

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ranks.toml", &blocks(&document("docs/analysis.md"), "toml")[1]);
    sandbox.run(&["ranks.toml", "--progress", "none"]).code(0);
    sandbox
}

fn near(found: &Value, expected: &Value) -> bool {
    let (found, expected) = (found.as_f64().expect("a number"), expected.as_f64().expect("one"));
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

#[test]
fn a_ranking_agrees_with_scipy_and_scikit_posthocs() {
    let sandbox = sandbox();
    let all: Value = serde_json::from_str(EXPECTED).expect("JSON");
    for by in ["success-rate", "ert", "fitness"] {
        let ran = sandbox.run(&["rank", "results/seven-problems", "--by", by, "--json"]).code(0);
        let rows: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
        let pairs = all[by]["pairs"].as_array().expect("pairs");
        assert_eq!((rows.len(), pairs.len()), (6, 6), "{by}");
        for pair in pairs {
            let (one, other) = (&pair[0], &pair[1]);
            let row = rows.iter().find(|row| {
                [&row["first"], &row["second"]] == [one, other]
                    || [&row["first"], &row["second"]] == [other, one]
            });
            let row = row.unwrap_or_else(|| panic!("{by}: no row of {one} and {other}"));
            for (column, expected) in [
                ("friedman_statistic", &all[by]["friedman"]),
                ("critical_difference", &all[by]["critical"]),
                ("nemenyi_p", &pair[2]),
                ("wilcoxon_p", &pair[3]),
                ("wilcoxon_p_adjusted", &pair[4]),
            ] {
                assert!(near(&row[column], expected), "{by}, {column}: {expected}\n{row}");
            }
            for (name, rank) in [("first", "first_rank"), ("second", "second_rank")] {
                let expected = &all[by]["ranks"][row[name].as_str().expect("a name")];
                assert!(near(&row[rank], expected), "{by}: {row}");
            }
            let told = row["nemenyi_p"].as_f64() <= Some(0.05);
            assert!(row["friedman_p"].as_f64() < Some(0.05), "{row}");
            assert_eq!(row["verdict"], if told { "better" } else { "unclear" }, "{row}");
        }
    }
}

#[test]
fn a_ranking_is_shown_drawn_and_on_the_page() {
    let sandbox = sandbox();
    let folder = "results/seven-problems";
    is_in_the_analysis(&sandbox, &["rank", folder]);
    for columns in [60, 80, 120] {
        let mut command = sandbox.command();
        command.args(["rank", folder, "--by", "ert"]).env("COLUMNS", columns.to_string());
        let shown = Ran::new(&mut command).code(0).stdout;
        let tables = shown.split("\nMean ranks by ").next().expect("tables");
        let longest = tables.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(columns), "{longest:?} of {columns}\n{shown}");
        for words in ["Ranks by ERT on 7 problems", "not told apart", "mean rank (1: best)"] {
            assert!(shown.replace('\n', " ").contains(words), "{words}\n{shown}");
        }
        // Half of the arms never succeed somewhere: infinite, and no gap in the table.
        assert!(shown.contains('∞') && !shown.contains("NaN") && !tables.contains("–"), "{shown}");
    }
    sandbox
        .run(&["rank", folder, "--plot", "drawn", "--latex"])
        .code(0)
        .says("\\begin{tabular}")
        .warns("critical-difference.svg");
    let svg = String::from_utf8(sandbox.read("drawn/critical-difference.svg")).expect("UTF-8");
    for words in ["CD = 1.77", "(20+20), crossover (2.00)", "random-search (3.43)"] {
        assert!(svg.contains(words), "{words}\n{svg}");
    }
    assert!(sandbox.read("drawn/critical-difference.png").starts_with(b"\x89PNG"));
    sandbox.run(&["report", folder, "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(page.contains("Ranks over problems") && page.contains("CD = 1.77"));
}

/// Of 250 arms the best and the worst are shown, and labels of the axis do not touch; CSV has all.
#[test]
fn of_many_arms_the_best_and_the_worst_are_ranked_in_sight() {
    let sandbox = Sandbox::new();
    let populations: Vec<String> = (2..252).map(|size| size.to_string()).collect();
    sandbox.write(
        "many.toml",
        format!(
            "repeats = 1\n[problem]\nplugin = \"onemax\"\n[[operators]]\nname = \
            \"ga\"\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = \
            300\n[sweep]\n\"problem.length\" = [20, 30]\n\"operators.population\" = [{}]\n",
            populations.join(", ")
        ),
    );
    sandbox.run(&["many.toml", "--progress", "none"]).code(0);
    let mut command = sandbox.command();
    command.args(["rank", "results/many", "--plot", "drawn"]).env("COLUMNS", "80");
    let shown = Ran::new(&mut command).code(0).stdout;
    let in_words = shown.replace('\n', " ");
    assert!(in_words.contains("The 24 best and the 24 worst arms are shown"), "{shown}");
    let rows = |of: &str| shown.lines().filter(|line| line.contains(of)).count();
    // A row per arm, two lines for each of 47 pairs, and a row in the diagram.
    assert!((48 * 2 + 47 * 2..48 * 2 + 47 * 2 + 3).contains(&rows("population=")), "{shown}");
    let axis = shown.lines().rfind(|line| line.contains("mean rank (1: best)")).expect("an axis");
    let labels = axis.split("(1: best)").last().expect("labels").split_whitespace();
    let labels: Vec<u32> = labels.map(|label| label.parse().expect("a rank")).collect();
    assert!(labels.is_sorted() && labels[0] == 1 && labels.last() == Some(&250), "{labels:?}");
    let svg = String::from_utf8(sandbox.read("drawn/critical-difference.svg")).expect("UTF-8");
    assert!(svg.matches("<circle").count() == 48 && svg.contains("of 250 arms"), "{svg}");
    let csv = sandbox.run(&["rank", "results/many", "--csv"]).code(0).stdout;
    assert_eq!(csv.lines().count(), 1 + 250 * 249 / 2);
}

#[test]
fn what_cannot_be_ranked_is_said() {
    let sandbox = Sandbox::new();
    let config = |name: &str, length: u64, arms: &[&str]| {
        let arm = |name: &&str| {
            format!(
                "[[operators]]\nname = \"{name}\"\npopulation = 10\nselection = \"uniform\"\n\
                mutation = \"bit-flip\"\n"
            )
        };
        let arms: String = arms.iter().map(arm).collect();
        let file = format!(
            "name = \"{name}\"\nrepeats = 5\n[problem]\nplugin = \"onemax\"\nlength = {length}\n\
            {}[stop]\nevaluations = 200\n",
            arms.replace("\"two\"\npopulation = 10", "\"two\"\npopulation = 20")
                .replace("\"three\"\npopulation = 10", "\"three\"\npopulation = 30")
        );
        sandbox.write(&format!("{name}.toml"), file);
        sandbox.run(&[format!("{name}.toml")]).code(0);
    };
    config("a", 8, &["one", "two", "three"]);
    config("b", 9, &["one", "two"]);
    config("c", 10, &["three"]);
    config("d", 9, &["one", "two", "three"]);
    sandbox.run(&["rank", "results/a"]).code(2).warns("a ranking needs two problems or more");
    sandbox
        .run(&["rank", "results/a", "results/b"])
        .code(0)
        .warns("`three` is left out: it did not search b")
        .warns("2 problems are too few")
        .says("Ranks by success rate on 2 problems");
    sandbox
        .run(&["rank", "results/b", "results/d"])
        .code(0)
        .warns("b and d are the same problem: it counts twice");
    for name in ["e", "f", "g", "h"] {
        config(name, 9, &["one", "two", "three"]);
    }
    let many: Vec<String> =
        ["b", "d", "e", "f", "g", "h"].map(|name| format!("results/{name}")).into();
    let ran = sandbox.run(&[vec!["rank".to_owned()], many].concat()).code(0);
    assert_eq!(ran.stderr.matches("the same problem").count(), 1, "{ran}");
    ran.warns("b, d, e, f and 2 more are the same problem: it counts 6 times");
    sandbox
        .run(&["rank", "results/b", "results/c"])
        .code(2)
        .warns("`one` and `two` are left out: they did not search c")
        .warns("`three` is left out: it did not search b")
        .warns("there is nothing to rank");
    sandbox.run(&["rank", "results/none", "results/a", "--by", "ert"]).code(4);
    sandbox.run(&["rank", "results/none"]).code(4).warns("results/none");
    // A page of both has their common arms.
    sandbox.run(&["report", "results/a", "results/d", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(page.contains("Ranks over all experiments"));
}

/// With five problems, the least p-value of two arms is 0.0625.
#[test]
fn two_arms_need_six_problems() {
    let sandbox = Sandbox::new();
    for problems in [5, 6] {
        let row = |size: u64, arm: &str, cost: u64| {
            (0..20).map(|at| format!("{arm},{size},1,{}\n", cost * size + at)).collect::<String>()
        };
        let rows = (1..=problems).map(|size| row(size, "x", 100) + &row(size, "y", 500));
        let text = format!("arm,size,success,evaluations\n{}", rows.collect::<String>());
        sandbox.write("two.csv", &text);
        let out = format!("two{problems}");
        let map = "arm=arm,problem.size=size";
        sandbox.run(&["import", "two.csv", "--map", map, "--name", &out]).code(0);
        let ranked = sandbox.run(&["rank", &format!("results/{out}"), "--explain"]).code(0);
        let is_few = ranked.stderr.contains("5 problems are too few to tell arms apart by ranks;");
        assert_eq!(is_few, problems == 5, "{ranked}");
        assert_eq!(ranked.stdout.contains("No arm is shown"), problems == 5, "{ranked}");
        assert!(!ranked.stdout.contains("1 pairs"), "{ranked}");
    }
}

/// Longer strings have a larger budget: the budget is no part of an arm's name, and each arm is one
/// line over the lengths.
#[test]
fn a_limit_that_grows_with_the_problem_divides_no_arm() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "grows.toml",
        "name = \"grows\"\nseed = 1\nrepeats = 12\n[problem]\nplugin = \"onemax\"\n\
        [[operators]]\nname = \"RLS\"\npreset = \"rls\"\n\
        [[operators]]\nname = \"fGA\"\npreset = \"fast-ga\"\n\
        [sweep]\ntogether = [[\"problem.length\", \"stop.evaluations\"]]\n\
        \"problem.length\" = [8, 12, 16]\n\"stop.evaluations\" = [200, 400, 600]\n",
    );
    sandbox.run(&["grows.toml", "--progress", "none"]).code(0);
    let ranked = sandbox.run(&["rank", "results/grows", "--by", "ert", "--json"]).code(0);
    let rows: Vec<Value> = serde_json::from_str(&ranked.stdout).expect("JSON");
    assert_eq!(rows.len(), 1, "{ranked}");
    let mut names = [&rows[0]["first"], &rows[0]["second"]];
    names.sort_by_key(|name| name.to_string());
    assert_eq!(names, ["RLS", "fGA"], "{ranked}");
    sandbox.run(&["plot", "results/grows", "--format", "svg"]).code(0);
    let drawn = |name: &str| sandbox.path("results/grows/plots").join(name).exists();
    assert!(drawn("ert-by-problem.length.svg"), "{ranked}");
    assert!(!drawn("ert-by-stop.evaluations.svg"), "{ranked}");
    sandbox.run(&["export", "results/grows", "--format", "ioh"]).code(0);
    let folders = std::fs::read_dir(sandbox.path("results/grows/ioh")).expect("folders");
    assert_eq!(folders.count(), 2);
    // Imported arms have no limits of theirs.
    sandbox.write("ext.csv", "arm,problem.length,success,evaluations\next,8,1,90\next,12,1,95\n");
    let beside = ["import", "ext.csv", "--beside", "results/grows", "--name", "both"];
    sandbox.run(&beside).code(0);
    let ranked = sandbox.run(&["rank", "results/both", "--by", "ert"]).code(0);
    ranked.says("RLS").says("fGA");
}
