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
    sandbox
        .run(&["compare", folder])
        .code(0)
        .says("not told apart: good")
        .says("lower success rate");
    let pairs = sandbox.run(&["compare", folder, "--pairs"]).code(0);
    pairs.says("better").says("cannot tell").says("More: --explain.");
    let explained = sandbox.run(&["compare", folder, "--explain"]).code(0);
    explained.says("every two arms of one problem").says("McNemar");
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
    // The good one selects at random, nearly as the bad one does.
    let good = "population = 10\nselection = { kind = \"tournament\", size = 2 }";
    let worse = ARMS.replacen(good, "population = 12\nselection = \"uniform\"", 1);
    sandbox.write("arms.toml", worse);
    sandbox.run(&["arms.toml", "--out", "new"]).code(0);
    sandbox.write("arms.toml", ARMS);
    sandbox.run(&["arms.toml", "--out", "short", "--set", "stop.evaluations=200"]).code(0);
    let diff = |old: &str, new: &str, fail_on: &str| {
        sandbox.run(&["diff", &format!("{old}/arms"), &format!("{new}/arms"), "--fail-on", fail_on])
    };
    diff("old", "same", "changed").code(0).says("0 worse, 0 better, 3 cannot be told apart");
    diff("old", "new", "worse").code(1).says("worse");
    diff("old", "new", "never").code(0);
    diff("new", "old", "worse").code(0).says("better");
    diff("new", "old", "changed").code(1);
    // A smaller budget makes no search worse: at 200 evaluations all are alike.
    diff("old", "short", "changed")
        .code(0)
        .says("3 cannot be told apart")
        .says("are compared at the smallest");
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
        .says("715 trials per arm")
        .says("as one of 6");
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--discordant", "0.3"])
        .code(0)
        .says("325 trials per arm")
        .says(
            "McNemar's exact test at a level of 0.05 then finds the difference with a probability",
        )
        .says("0.9001 (exact)");
    // Beyond 1,000 trials by the approximation.
    let many = sandbox.run(&["power", "--detect", "0.6", "0.62"]).code(0);
    many.says("12,597 trials per arm").says("(normal approximation");
    sandbox
        .run(&["power", "--detect", "0.6", "0.7", "--discordant", "0.05"])
        .code(2)
        .warns("is between 0.1 and 0.7");
    // At the end of the range, though 0.8 - 0.5 is not 0.3 in binary.
    let least = ["power", "--detect", "0.5", "0.8", "--discordant", "0.3"];
    sandbox.run(&least).code(0).says("McNemar's exact test");
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
    sandbox.run(&["runtimes", "results/arms"]).code(0).says("evaluations").says("good");
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

/// One search with two budgets: the larger one alone would make a verdict.
#[test]
fn a_larger_budget_is_no_better_search() {
    let sandbox = Sandbox::new();
    let config = "name = \"one\"\nrepeats = 40\n[problem]\nplugin = \"onemax\"\nlength = \
        30\n[[operators]]\nname = \"climb\"\npopulation = 1\nselection = \"uniform\"\nmutation = \
        \"bit-flip\"\nreplacement = { kind = \"plus\", offspring = 1 }\n[stop]\nevaluations = \
        200\n";
    sandbox.write("one.toml", config);
    let more = ["--set", "stop.evaluations=2000"];
    sandbox.run(&["one.toml", "--out", "small"]).code(0);
    sandbox.run(&[&["one.toml", "--out", "large"], &more[..]].concat()).code(0);
    let compare = |one: &str, other: &str, more: &[&str]| {
        let (one, other) = (format!("{one}/one"), format!("{other}/one"));
        let arguments = [&["compare", &one, &other, "--json"], more].concat();
        let json = sandbox.run(&arguments).code(0).stdout;
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
        rows[0].clone()
    };
    let found = compare("large", "small", &[]);
    assert_eq!((&found["verdict"], &found["budget"]), (&"unclear".into(), &200.into()), "{found}");
    let (first, second) = (found["first_rate"].as_f64(), found["second_rate"].as_f64());
    assert!(first < Some(0.8) && second < Some(0.8), "{found}");
    assert_eq!(compare("large", "small", &["--budget", "150"])["budget"], 150);
    sandbox
        .run(&["compare", "large/one", "small/one", "--budget", "201"])
        .code(2)
        .warns("had at most 200 evaluations");
    sandbox
        .run(&["compare", "large/one", "small/one"])
        .code(0)
        .says("compared at the smallest budget");
    // With `keep-ended` the seeds do not follow from the budget: these are the same trials.
    let kept = config.replace("evaluations = 200\n", "evaluations = 200\nkeep-ended = true\n");
    sandbox.write("one.toml", kept);
    sandbox.run(&["one.toml", "--out", "first"]).code(0);
    sandbox.run(&[&["one.toml", "--out", "second"], &more[..]].concat()).code(0);
    let found = compare("second", "first", &[]);
    assert_eq!((&found["verdict"], &found["p"]), (&"unclear".into(), &().into()), "{found}");
    sandbox
        .run(&["compare", "second/one", "first/one"])
        .code(0)
        .says("same trials")
        .says("no evidence");
}

/// The answer on arms with unequal budgets has the rates that were compared: those within the
/// smaller budget.
#[test]
fn the_answer_has_the_rates_that_were_compared() {
    let sandbox = Sandbox::new();
    let lone = "[[operators]]\nname = \"lone\"\npopulation = 1\nselection = \"uniform\"\n\
        mutation = \"bit-flip\"\nreplacement = { kind = \"plus\", offspring = 1 }\n[stop]\n\
        generations = 60\n";
    let few = ARMS.replace("pairing = \"common\"\n", "").replace("= 200", "= 20");
    sandbox.write("arms.toml", few.replace("[stop]\n", lone));
    sandbox.run(&["arms.toml"]).code(0);
    let answer = sandbox.run(&["compare", "results/arms"]).code(0);
    let words = answer.stdout.replace('\n', " ");
    // No arm is shown to be better or worse than `lone`, whose fitness alone is known there.
    assert!(words.contains("lone (0.000 against 0.000 within 61 evaluations)"), "{answer}");
    assert!(words.contains("Best: good (0.000 within 61 evaluations)"), "{answer}");
    // All figures of the table are within that budget, too.
    let rows = answer.stdout.lines().filter(|line| line.contains("0.000  0.000 to 0.161    –"));
    assert_eq!(rows.count(), 4, "{answer}");
}

/// Where neither arm succeeds, the fitness at the smaller budget comes from the trace.
#[test]
fn final_fitness_is_compared_at_the_smaller_budget() {
    let sandbox = Sandbox::new();
    let config = "name = \"one\"\nrepeats = 30\n[problem]\nplugin = \"onemax\"\nlength = \
        400\n[[operators]]\nname = \"ga\"\npopulation = 20\nselection = \"tournament\"\nmutation = \
        \"bit-flip\"\n[stop]\nevaluations = 200\n";
    sandbox.write("one.toml", config);
    let large = ["one.toml", "--set", "stop.evaluations=1000", "--out"];
    sandbox.run(&["one.toml", "--out", "small"]).code(0);
    sandbox.run(&[&large[..], &["large"]].concat()).code(0);
    sandbox.run(&[&large[..], &["traced", "--set", "output.trace=best"]].concat()).code(0);
    let compare = |one: &str| {
        let json = sandbox.run(&["compare", one, "small/one", "--json"]).code(0).stdout;
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
        rows[0].clone()
    };
    let unknown = compare("large/one");
    assert!(unknown["fitness_p"].is_null() && unknown["verdict"] == "unclear", "{unknown}");
    sandbox
        .run(&["compare", "large/one", "small/one"])
        .code(0)
        .says("Final fitness is compared only where a trace (`output.trace`)");
    let known = compare("traced/one");
    assert!(known["fitness_p"].as_f64() > Some(0.01), "{known}");
    assert_eq!((&known["verdict"], &known["budget"]), (&"unclear".into(), &200.into()), "{known}");
}

/// Without an ideal and a target no trial can be successful: that is no rate of 0.
#[test]
fn without_a_target_there_is_no_rate_and_fitness_is_compared() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "free.py",
        "from runner import Bits, Integer\n\n\nclass Problem:\n    parameters = {\"n\": \
        Integer(20, low=1, high=100, doc=\"Bits.\")}\n\n    def __init__(self, n):\n        \
        self.n = n\n\n    def describe(self):\n        return Bits(self.n)\n\n    def \
        fitness(self, genome):\n        return float(sum(genome))\n",
    );
    sandbox.write(
        "free.toml",
        "repeats = 20\n[problem]\nplugin = \"free.py\"\n[[operators]]\nname = \
        \"climb\"\nalgorithm = { kind = \"hill-climbing\", step = \
        \"first-improvement\" }\n[[operators]]\nname = \"random\"\nalgorithm = \
        \"random-search\"\npopulation = 10\n[stop]\nevaluations = 200\n[sweep]\n\"problem.n\" = \
        [20, 24, 28, 32, 36, 40]\n",
    );
    let ran = sandbox.run(&["free.toml"]).code(0).says("(greatest)").says("not defined");
    assert!(!ran.stdout.contains("0.000"), "{ran}");
    let json = sandbox.run(&["show", "results/free", "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    for key in ["success_rate", "success_low", "success_high", "success_bound_low"] {
        assert!(rows.iter().all(|row| row[key].is_null()), "{key}: {json}");
    }
    let json = sandbox.run(&["compare", "results/free", "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    let criterion = |row: &serde_json::Value| row["ground"] == "final-fitness";
    assert!(rows.iter().all(|row| row["first_rate"].is_null() && criterion(row)), "{json}");
    let ranked = sandbox.run(&["rank", "results/free"]).code(0).says("median final fitness");
    assert!(ranked.stdout.contains("better"), "{ranked}");
    sandbox
        .run(&["rank", "results/free", "--by", "success-rate"])
        .code(2)
        .warns("rank by --by fitness");
    sandbox.run(&["plot", "results/free", "--format", "svg"]).code(0);
    let plots = sandbox.path("results/free/plots");
    assert!(plots.join("final-fitness.svg").exists() && !plots.join("success-rate.svg").exists());
    assert!(plots.join("fitness-by-problem.n.svg").exists());
    sandbox.run(&["plot", "results/free", "--terminal"]).code(0).says("Final fitness");
    sandbox.run(&["report", "results/free", "--out", "page.html"]).code(0);
    let page = String::from_utf8(sandbox.read("page.html")).expect("UTF-8");
    assert!(page.contains("Success is not defined") && !page.contains(">0.000 <"), "the page");
    for method in ["Wilson", "Fisher's", "Newcombe", "1 tests", "1 comparisons"] {
        assert!(!page.contains(method), "{method} is named, and was not used");
    }
    let runtimes = sandbox.run(&["runtimes", "results/free"]).code(0).says("not defined");
    assert!(!runtimes.stdout.contains("too few"), "{runtimes}");
    let json = sandbox.run(&["runtimes", "results/free", "--json"]).code(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    for key in ["successes", "success_share", "median", "median_low", "restarts"] {
        assert!(rows.iter().all(|row| row[key].is_null()), "{key}: {json}");
    }
}

#[test]
fn experiments_with_other_columns_are_shown_as_one_table() {
    let sandbox = Sandbox::new();
    let config = "seed = 1\nrepeats = 3\n[problem]\nplugin = \"onemax\"\nlength = 8\n\
        [[operators]]\nname = \"a\"\nalgorithm = \"random-search\"\npopulation = 4\n[stop]\n\
        evaluations = 50\n";
    sandbox.write("plain.toml", config);
    sandbox.write("swept.toml", format!("{config}[sweep]\nproblem.length = [4, 8]\n"));
    sandbox.run(&["plain.toml", "swept.toml"]).code(0);
    let shown = |options: &[&str]| {
        let folders = ["show", "results/plain", "results/swept"];
        sandbox.run(&[&folders, options].concat()).code(0).stdout
    };
    for (options, rows) in [(&[][..], [1, 2]), (&["--trials"][..], [3, 6])] {
        let json: serde_json::Value =
            serde_json::from_str(&shown(&[options, &["--json"]].concat())).expect("one array");
        let cells: Vec<_> = json
            .as_array()
            .expect("an array")
            .iter()
            .map(|row| (row["experiment"].as_str(), row["problem.length"].as_u64()))
            .collect();
        let of = |name: &str| cells.iter().filter(|(own, _)| *own == Some(name)).count();
        assert_eq!([of("plain"), of("swept")], rows, "{cells:?}");
        assert!(cells.iter().all(|(name, length)| (*name == Some("swept")) == length.is_some()));
        let csv = shown(&[options, &["--csv"]].concat());
        assert_eq!(csv.matches("experiment,").count(), 1, "{csv}");
        let header = csv.lines().next().expect("a header");
        assert!(header.ends_with(",problem.length"), "{header}");
    }
}
