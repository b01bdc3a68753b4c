//! Problems with constraints: violations from a library in C, in Rust and from Python, through the
//! real binary.

use crate::operator_plugins::run_in_shards;
use crate::util::{Sandbox, column, document, root, rows};
use serde_json::Value;

/// The knapsack in C; its folder is `plugins`.
fn packing(sandbox: &Sandbox) {
    std::fs::create_dir_all(sandbox.path("plugins")).expect("a folder");
    let name = format!("{}packing{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    compiler.arg("-I").arg(root().join("plugins/sdk/include"));
    compiler.arg("-o").arg(sandbox.path("plugins").join(name));
    compiler.arg(root().join("tests/fixtures/c/packing.c"));
    let built = compiler.output().expect("a C compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// An operator set of this name, with more keys.
fn set(name: &str, more: &str) -> String {
    format!(
        "[[operators]]\nname = \"{name}\"\npopulation = 20\nselection = {{ kind = \"tournament\", \
        size = 2 }}\ncrossover = \"uniform\"\nmutation = \"bit-flip\"\nreplacement = {{ kind = \
        \"elitism\", count = 1 }}\n{more}\n"
    )
}

fn config(sets: &[String], more: &str) -> String {
    format!(
        "seed = 7\nrepeats = 40\nbaseline = true\n[problem]\nplugin = \"packing\"\n{more}\n{}\
        [stop]\nevaluations = 2000\n[output]\ntrace = \"best\"\n",
        sets.concat()
    )
}

const QUIET: [&str; 4] = ["--plugin-dir", "plugins", "--progress", "none"];

#[test]
fn a_knapsack_in_c_is_packed_by_each_rule() {
    let sandbox = Sandbox::new();
    packing(&sandbox);
    let sets = [
        set("first", ""),
        set("penalty", "constraints = { kind = \"penalty\", factor = 3.0 }"),
        set("ignored", "constraints = \"ignore\""),
        "[[operators]]\nname = \"climb\"\nalgorithm = \"hill-climbing\"\n".to_owned(),
        "[[operators]]\nname = \"cool\"\nalgorithm = \"simulated-annealing\"\n".to_owned(),
        "[[operators]]\nname = \"all\"\nalgorithm = \"exhaustive\"\n".to_owned(),
    ];
    sandbox.write("a.toml", config(&sets, ""));
    let shown = sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    shown.says("feasible").says("`feasible` is their share");
    let summary = rows(&sandbox, &["results/a"]);
    let of = |name: &str| {
        let row = summary.iter().find(|row| row["arm"] == name);
        row.unwrap_or_else(|| panic!("no {name} in {summary:?}"))
    };
    let rate = |name: &str| of(name)["success_rate"].as_f64().expect("a rate");
    for name in ["first", "penalty", "climb", "all"] {
        assert!(rate(name) > 0.9, "{name}: {}", of(name));
        assert_eq!(of(name)["feasible_rate"], 1.0, "{name}");
        assert_eq!(of(name)["best_violation_max"], 0.0, "{name}");
    }
    // The search leads away from what fits; what it meets on its way there does not do.
    assert_eq!(of("ignored")["baseline_verdict"], "worse", "{}", of("ignored"));
    // Without a rule that means something to it, random search has none.
    let settings = |name: &str| of(name)["settings"].as_str().expect("settings").to_owned();
    assert!(settings("first").contains("constraints = { kind = \"feasibility-first\" }"));
    assert!(settings("climb").contains("constraints = { kind = \"feasibility-first\" }"));
    assert!(!settings("all").contains("constraints"));
    // The one best packing, whoever found it.
    let trials = rows(&sandbox, &["results/a", "--trials", "--rows", "1000"]);
    for trial in trials.iter().filter(|trial| trial["success"] == true) {
        assert_eq!((&trial["best_fitness"], &trial["best_violation"]), (&35.0.into(), &0.0.into()));
        assert_eq!(trial["best"], serde_json::json!([1, 1, 1, 0, 1, 0, 1, 0, 0, 0]));
    }
    let table = sandbox.path("results/a/generations.parquet");
    let share = column(&table, "feasible_share");
    assert!(share.iter().all(|share| (0.0..=1.0).contains(share)) && share.contains(&0.0));
    sandbox.run(&[&["verify", "results/a"], &QUIET[..2]].concat()).code(0);
    let replay = ["replay", "results/a", "ignored", "0", "--plugin-dir", "plugins"];
    sandbox.run(&replay).code(0).says("fitness").warns("the same as in the table");
    sandbox.run(&["compare", "results/a"]).code(0);
    sandbox.run(&["report", "results/a", "--out", "a.html"]).code(0);
    let page = String::from_utf8(sandbox.read("a.html")).expect("UTF-8");
    assert!(page.contains("Feasible") && page.contains("Deb 2000"), "no rule in the page");
    for words in [
        "A trial ended when it reached its target, or after",
        "A trial succeeded if the best fitness of its feasible genomes, those that keep every \
        constraint, was at most 35, its target.",
    ] {
        assert!(page.contains(words), "no {words:?} in the page");
    }
    sandbox
        .run(&["export", "results/a", "--format", "ioh"])
        .code(4)
        .warns("this problem has constraints");
    assert!(!sandbox.path("results/a/ioh").exists());
    let ran = sandbox.run(&["report", "results/a", "--out", "report.pdf"]).code(2);
    ran.warns("report.pdf: this command writes no PDF; name a file such as report.html");
    sandbox.run(&["verify", "a.toml"]).code(4).warns("it is no zip file; name a results folder");
}

#[test]
fn threads_processes_shards_and_kills_change_no_byte() {
    let sandbox = Sandbox::new();
    packing(&sandbox);
    let sets = [set("first", ""), set("ignored", "constraints = \"ignore\"")];
    sandbox.write("a.toml", config(&sets, ""));
    let run = |arguments: &[&str]| {
        sandbox.run(&[&["a.toml"], &QUIET[..], arguments].concat()).code(0);
    };
    let tables = |folder: &str| {
        ["summary", "trials", "generations"]
            .map(|table| sandbox.read(&format!("{folder}/a/{table}.parquet")))
    };
    run(&["--jobs", "1"]);
    let whole = tables("results");
    run(&["--jobs", "2", "--isolation", "process", "--out", "apart"]);
    assert!(tables("apart") == whole, "processes");
    run(&["--repeats", "9", "--out", "more"]);
    run(&["--out", "more"]);
    assert!(tables("more") == whole, "continued");
    run_in_shards(&sandbox, run);
    assert!(tables("whole") == whole, "shards");
}

#[test]
fn wrong_violations_fail_their_trials() {
    let sandbox = Sandbox::new();
    packing(&sandbox);
    for (fault, words) in [(1, "is NaN, but must be"), (2, "is -1, but must be")] {
        sandbox.write("a.toml", config(&[set("first", "")], &format!("fault = {fault}")));
        sandbox
            .run(&[&["a.toml", "--repeats", "2"], &QUIET[..]].concat())
            .code(1)
            .warns("plugin `packing`: evaluate_constrained: the violation of row")
            .warns(words);
    }
}

#[test]
fn a_rule_without_constraints_is_refused() {
    let sandbox = Sandbox::new();
    let text = config(&[set("first", "constraints = \"ignore\"")], "")
        .replace("\"packing\"", "\"onemax\"");
    sandbox.write("a.toml", text);
    sandbox
        .run(&["check", "a.toml"])
        .code(2)
        .warns("constraints `ignore` does not fit this problem")
        .warns("the problem has no constraints: its plugin gives no violations")
        .warns("leave out the constraints: none fits this problem");
    let random = "[[operators]]\nalgorithm = \"random-search\"\nconstraints = \"ignore\"\n";
    sandbox.write("a.toml", config(&[random.to_owned()], "").replace("packing", "coloring"));
    sandbox.run(&["check", "a.toml"]).code(2).warns("random-search does not use `constraints`");
    let negative = set("first", "constraints = { kind = \"penalty\", factor = 0 }");
    sandbox.write("a.toml", config(&[negative], "").replace("packing", "coloring"));
    sandbox.run(&["check", "a.toml"]).code(2).warns("factor");
}

/// What the config says of itself: feasible genomes first find the fewest colours of Mycielski's
/// graphs, and where the rule is ignored they are not found.
#[test]
fn the_config_of_colorings_comes_to_what_it_says() {
    let sandbox = Sandbox::new();
    sandbox.write("c.toml", document("configs/coloring.toml"));
    let short = ["--repeats", "10", "--set", "problem.graph=myciel3", "--progress", "none"];
    sandbox.run(&[&["c.toml"], &short[..]].concat()).code(0);
    let summary = rows(&sandbox, &["results/c"]);
    let rate = |name: &str| {
        let row = summary.iter().find(|row| row["operators"] == name).expect("an arm");
        row["success_rate"].as_f64().expect("a rate")
    };
    assert_eq!(rate("feasible first"), 1.0, "{summary:?}");
    assert!(rate("ignored") < 0.5, "{summary:?}");
    sandbox.run(&["plugins"]).code(0).says("provides: rendering, constraints");
    let listed: Value =
        serde_json::from_str(&sandbox.run(&["plugins", "--json"]).code(0).stdout).expect("JSON");
    let constrained = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["example"]["constraints"] == true);
    assert_eq!(constrained.map(|one| &one["name"]).collect::<Vec<_>>(), ["coloring", "knapsack"]);
}

/// Without any feasible genome there is no fitness to draw.
#[test]
fn pictures_without_anything_to_see_are_not_drawn() {
    const CONFIG: &str = r#"
name      = "k"
repeats   = 10
problem   = { plugin = "knapsack", n = 60, share = 0.05 }
operators = [{ name = "chance", algorithm = "random-search" }]
stop      = { evaluations = 20 }
output    = { trace = "best" }
"#;
    let sandbox = Sandbox::new();
    sandbox.write("k.toml", CONFIG);
    sandbox.run(&["k.toml"]).code(0);
    for name in ["fitness", "targets", "ecdf"] {
        let refused = sandbox.run(&["plot", "results/k", "--only", name]).code(2);
        refused.warns(&format!("no plot's name starts with `{name}`; the plots are success-rate"));
    }
    let drawn = sandbox.run(&["plot", "results/k"]).code(0);
    assert!(!drawn.stderr.contains("log scale"), "{drawn}");
    sandbox.run(&["report", "results/k"]).code(0);
}
