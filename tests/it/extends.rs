//! Files that extend others, and ranges.

use crate::util::{Sandbox, rows};

const BASE: &str = r#"
name    = "base"
seed    = 7
repeats = 30
[problem]
plugin = "nqueens"
n      = 6
[[operators]]
name       = "ga"
population = 10
selection  = { kind = "tournament", size = 2 }
mutation   = { kind = "reset", rate = 0.5 }
[stop]
evaluations = 200
[sweep]
"operators.population" = [10, 20]
[output]
trace = "best"
"#;

/// The order of swept keys is that of the file below, whatever the order of the file over it.
#[test]
fn a_file_over_another_keeps_the_order_of_its_sweep() {
    let sandbox = Sandbox::new();
    let more = "[10, 20]\n\"operators.mutation.rate\" = [0.1, 0.2]";
    sandbox.write("base.toml", BASE.replace("[10, 20]", more));
    let over = "extends = \"base.toml\"\n[sweep]\n\"operators.mutation.rate\" = [0.3, 0.4]\n\
        \"operators.population\" = [30, 40]\n";
    sandbox.write("x.toml", over);
    sandbox.run(&["x.toml"]).code(0);
    let rows = rows(&sandbox, &["results/x"]);
    let first: Vec<String> =
        rows.iter().map(|row| row["operators.population"].to_string()).collect();
    assert_eq!(first, ["30", "30", "40", "40"]);
}

/// A range with both ends says all that there is to say. One end alone changes the other file's.
#[test]
fn a_range_of_a_file_is_no_part_of_the_range_below_it() {
    let sandbox = Sandbox::new();
    let base = BASE.replace("[10, 20]", "{ from = 10, to = 30, step = 10 }");
    sandbox.write("base.toml", base);
    for (range, arms) in [
        ("{ from = 10, to = 80, factor = 2 }", &["10", "20", "40", "80"][..]),
        ("{ to = 50 }", &["10", "20", "30", "40", "50"]),
    ] {
        let over =
            format!("extends = \"base.toml\"\n[sweep]\n\"operators.population\" = {range}\n");
        sandbox.write("x.toml", over);
        sandbox.run(&["x.toml"]).code(0);
        let rows = rows(&sandbox, &["results/x"]);
        let found: Vec<String> =
            rows.iter().map(|row| row["operators.population"].to_string()).collect();
        assert_eq!(found, arms, "{range}");
    }
}

#[test]
fn an_extended_file_means_what_one_file_with_all_keys_means() {
    let sandbox = Sandbox::new();
    sandbox.write("common/base.toml", BASE);
    sandbox.write(
        "mine.toml",
        "# How small may it be?\n\nextends = \"common/middle.toml\"\nrepeats = 20\nproblem.n = 5\n",
    );
    sandbox.write(
        "common/middle.toml",
        "extends = \"base.toml\"\n[sweep]\n\"operators.mutation.rate\" = { from = 0.1, to = 0.3, \
        step = 0.1 }\n",
    );
    let whole = BASE.replace("name    = \"base\"\n", "").replace("= 30", "= 20");
    let whole = whole
        .replace("n      = 6", "n      = 5")
        .replace("[10, 20]", "[10, 20]\n\"operators.mutation.rate\" = [0.1, 0.2, 0.3]");
    sandbox.write("one/mine.toml", &whole);
    sandbox.run(&["one/mine.toml", "--out", "one"]).code(0);
    sandbox.run(&["mine.toml"]).code(0);
    for table in ["summary", "trials", "generations"] {
        let read = |out: &str| sandbox.read(&format!("{out}/mine/{table}.parquet"));
        assert!(read("one") == read("results"), "{table} differs");
    }
    // The question is that of the file itself.
    sandbox.run(&["report", "results/mine", "--out", "report.html"]).code(0);
    let report = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    assert!(report.contains("<p>How small may it be?</p>"), "{report}");
    assert!(!report.contains("<p>With the files"), "{report}");
    // What was recorded is enough: without the files, in processes, with an override.
    std::fs::remove_dir_all(sandbox.path("common")).expect("a folder");
    std::fs::remove_file(sandbox.path("mine.toml")).expect("a file");
    sandbox.run(&["verify", "results/mine", "--all"]).code(0).says("120 of 120 trials");
    let run = String::from_utf8(sandbox.read("results/mine/run.toml")).expect("UTF-8");
    assert!(!run.contains("extends ="), "{run}");
}

/// Later files of a list win over earlier ones; a file that two of them extend is below both.
#[test]
fn a_list_of_files_means_what_one_file_with_all_keys_means() {
    let sandbox = Sandbox::new();
    sandbox.write("common/base.toml", BASE);
    let small = "extends = \"base.toml\"\nproblem.n = 4\nstop.evaluations = 90\n";
    sandbox.write("common/small.toml", small);
    let rates = "extends = \"../common/base.toml\"\nstop.evaluations = 80\nrepeats = 25\n\
        [sweep]\n\"operators.mutation.rate\" = [0.1, 0.2]\n";
    sandbox.write("more/rates.toml", rates);
    let list = "extends = [\"common/small.toml\", \"more/rates.toml\"]\nrepeats = 20\n";
    sandbox.write("mine.toml", list);
    let whole = BASE.replace("name    = \"base\"\n", "").replace("= 30", "= 20");
    let whole = whole
        .replace("n      = 6", "n      = 4")
        .replace("evaluations = 200", "evaluations = 80")
        .replace("[10, 20]", "[10, 20]\n\"operators.mutation.rate\" = [0.1, 0.2]");
    sandbox.write("one/mine.toml", &whole);
    sandbox.run(&["one/mine.toml", "--out", "one"]).code(0);
    sandbox.run(&["mine.toml"]).code(0);
    for table in ["summary", "trials", "generations"] {
        let read = |out: &str| sandbox.read(&format!("{out}/mine/{table}.parquet"));
        assert!(read("one") == read("results"), "{table} differs");
    }
    // The order decides, and `--set` is over all.
    sandbox.write(
        "mine.toml",
        list.replace("[\"common/small.toml\", ", "[")
            .replace("rates.toml\"]", "rates.toml\", \"common/small.toml\"]"),
    );
    sandbox.run(&["check", "mine.toml"]).code(0).says("  90  evaluations");
    let set = ["check", "mine.toml", "--set", "stop.evaluations=70"];
    sandbox.run(&set).code(0).says("  70  evaluations");
    // Results need none of the files.
    for folder in ["common", "more"] {
        std::fs::remove_dir_all(sandbox.path(folder)).expect("a folder");
    }
    sandbox.run(&["verify", "results/mine", "--all"]).code(0).says("80 of 80 trials");
}

/// A table of `repeats` has one rule, and [start] one source: those of the upper file.
#[test]
fn a_rule_replaces_that_of_the_file_below() {
    let sandbox = Sandbox::new();
    let rule = "repeats = { half-width = 0.2, max = 40, confidence = 0.9 }";
    sandbox.write("base.toml", BASE.replace("repeats = 30", rule));
    let mine = |repeats: &str| {
        sandbox.write("mine.toml", format!("extends = \"base.toml\"\n{repeats}\n"));
        sandbox.run(&["check", "mine.toml"])
    };
    mine("repeats = { successes = 3, max = 20 }").code(0).says("up to 20");
    mine("repeats.successes = 3").code(0).says("up to 40");
    mine("repeats.successes = 50").code(2).warns("50 successes in `max` = 40 trials");
    mine("repeats.max = 50").code(0).says("up to 50");
    mine("repeats = 20").code(0).says("trials = 40");
    mine("repeats = { successes = 3, best = true }").code(2).warns("exactly one stopping rule");
    let start = "[start]\nexperiment = \"results/nowhere\"\nrows = 2\n[sweep]";
    sandbox.write("base.toml", BASE.replace("[sweep]", start));
    sandbox.write("first.csv", "genome\n\"0,1,2,3,4,5\"\n");
    mine("[start]\nfile = \"first.csv\"").code(0);
}

/// It keeps the values of its sweep; what would be lost is said, with what holds the key.
#[test]
fn a_key_that_is_set_over_a_sweep_of_it_is_warned_of() {
    let sandbox = Sandbox::new();
    let swept = "\"problem.n\" = [6, 8]\n\"operators.ga.mutation.rate\" = [0.1, 0.2]\n[output]";
    sandbox.write("base.toml", BASE.replace("[output]", swept));
    let mine = |text: &str| {
        sandbox.write("mine.toml", format!("extends = \"base.toml\"\n{text}\n"));
        sandbox.run(&["check", "mine.toml"]).code(0)
    };
    let set = mine("problem.n = 12");
    for words in [
        "`problem.n` = 12 is not used",
        "mine.toml:2:",
        "base.toml:17:",
        "help: write \"problem.n\" = [12] in [sweep]",
    ] {
        assert!(set.stderr.contains(words), "{words}\n{set}");
    }
    let held = mine("problem.n = 12\n[sweep]\n\"problem.n\" = [12]").says("4 arms");
    assert!(!held.stderr.contains("warning"), "{held}");
    let ga = "[[operators]]\nname = \"ga\"\nselection = \"tournament\"\n";
    let told = mine(&format!("{ga}mutation = {{ kind = \"reset\", rate = 0.3 }}\npopulation = 9"));
    for words in ["`operators.ga.mutation.rate` = 0.3 is", "`operators.population` = 9 is not used"]
    {
        assert!(told.stderr.contains(words), "{words}\n{told}");
    }
    let other = mine(&format!(
        "{ga}population = 9\nmutation = \"reset\"\n[[sweep]]\n\"problem.n\" = [5, 7]"
    ));
    assert!(!other.stderr.contains("not used"), "{other}");
    // A file over both decides.
    sandbox.write("middle.toml", "extends = \"base.toml\"\nproblem.n = 12\n");
    sandbox.write("mine.toml", "extends = \"middle.toml\"\n[sweep]\n\"problem.n\" = [5, 7]\n");
    let above = sandbox.run(&["check", "mine.toml"]).code(0);
    assert!(!above.stderr.contains("not used"), "{above}");
}

#[cfg(unix)]
#[test]
fn workers_and_overrides_know_the_whole_file() {
    let sandbox = Sandbox::new();
    sandbox.write("base.toml", BASE);
    sandbox.write("mine.toml", "extends = \"base.toml\"\n");
    let run = |out: &str, isolation: &str| {
        let line = ["mine.toml", "--out", out, "--isolation", isolation, "--set", "problem.n=4"];
        sandbox.run(&line).code(0);
        sandbox.read(&format!("{out}/mine/trials.parquet"))
    };
    assert!(run("threads", "thread") == run("processes", "process"));
    sandbox.run(&["verify", "threads/mine"]).code(0);
    // Both in one command: the base's name is its own.
    sandbox.run(&["base.toml", "mine.toml"]).code(0);
    assert!(sandbox.path("results/base").is_dir() && sandbox.path("results/mine").is_dir());
}

/// A library beside the file that names it.
#[test]
fn a_plugin_is_where_the_file_says_that_names_it() {
    let sandbox = Sandbox::new();
    let name = format!("{}nqueens{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::fs::read(crate::util::plugins().join(&name)).expect("the plugin");
    sandbox.write(&format!("common/lib/{name}"), library);
    let base = BASE.replace("\"nqueens\"", &format!("\"lib/{name}\""));
    sandbox.write("common/base.toml", base);
    sandbox.write("my/mine.toml", "extends = \"../common/base.toml\"\n");
    sandbox.run(&["common/base.toml", "my/mine.toml"]).code(0);
    assert_eq!(rows(&sandbox, &["results/mine"]).len(), 2);
}

#[test]
fn what_is_wrong_is_shown_in_the_file_that_says_it() {
    let sandbox = Sandbox::new();
    sandbox.write("common/base.toml", BASE.replace("\"tournament\"", "\"turnament\""));
    sandbox.write("mine.toml", "extends = \"common/base.toml\"\nrepeats = 0\n");
    let ran = sandbox.run(&["check", "mine.toml"]).code(2);
    assert!(ran.stderr.contains("--> common/base.toml:11:"), "{ran}");
    assert!(ran.stderr.contains("--> mine.toml:2:"), "{ran}");
    let told = |text: &str, words: &[&str]| {
        sandbox.write("wrong.toml", text);
        let ran = sandbox.run(&["check", "wrong.toml"]).code(2);
        for word in words {
            assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
        }
    };
    told("extends = \"nowhere.toml\"", &["nowhere.toml: cannot be read", "wrong.toml:1:11"]);
    told("extends = 3", &["`extends` must be the path of a file", "wrong.toml:1:11"]);
    sandbox.write("a.toml", "extends = \"common/../b.toml\"\n");
    sandbox.write("b.toml", "extends = \"a.toml\"\n");
    told(
        "extends = \"a.toml\"",
        &["a.toml extends itself: a.toml extends common/../b.toml extends"],
    );
    told("extends = \"wrong.toml\"", &["wrong.toml extends itself"]);
    told("extends = []", &["the list of `extends` is empty", "wrong.toml:1:11"]);
    told("extends = [\"a.toml\", 3]", &["a list of paths", "wrong.toml:1:22"]);
    told(
        "extends = [\"common/base.toml\", \"common/base.toml\"]",
        &["`extends` names common/base.toml twice", "wrong.toml:1:32"],
    );
    // Every fault of every file.
    told(
        "extends = [\"nowhere.toml\", \"a.toml\", \"gone.toml\"]",
        &["nowhere.toml: cannot be read", "a.toml extends itself", "gone.toml: cannot be read"],
    );
    sandbox.write("c.toml", "extends = [\"common/base.toml\", \"wrong.toml\"]\n");
    told("extends = [\"c.toml\"]", &["wrong.toml extends itself: wrong.toml extends c.toml"]);
    sandbox.write("broken.toml", "seed = = 3\n");
    told("extends = \"broken.toml\"", &["broken.toml:1:"]);
    sandbox.write("good.toml", BASE);
    sandbox
        .run(&["check", "good.toml", "--set", "extends=b.toml"])
        .code(2)
        .warns("`extends` cannot be set");
}

#[test]
fn ranges_are_the_arms_of_their_lists() {
    let sandbox = Sandbox::new();
    let swept = |values: &str| BASE.replace("[10, 20]", values);
    sandbox.write("base.toml", swept("{ from = 10, to = 40, factor = 2 }"));
    sandbox.run(&["base.toml"]).code(0);
    sandbox.write("list/base.toml", swept("[10, 20, 40]"));
    sandbox.run(&["list/base.toml", "--out", "list"]).code(0);
    for table in ["summary", "trials", "generations"] {
        let read = |out: &str| sandbox.read(&format!("{out}/base/{table}.parquet"));
        assert!(read("list") == read("results"), "{table} differs");
    }
    // From the command line, and without quotes.
    let set = ["--set", "sweep.problem.n={ from = 4, to = 8, step = 2 }"];
    sandbox.run(&[&["check", "list/base.toml"], &set[..]].concat()).code(0).says("9 arms");
    sandbox.write(
        "base.toml",
        BASE.replace(
            "\"operators.population\" = [10, 20]",
            "problem.n = { from = 4, to = 6, step = 1 }",
        ),
    );
    sandbox.run(&["check", "base.toml"]).code(0).says("3 arms");
    sandbox.write("base.toml", swept("{ from = 10, to = 45, step = 10 }"));
    sandbox
        .run(&["check", "base.toml"])
        .code(2)
        .warns("the range of `operators.population` passes by 45")
        .warns("the values next to it are 40 and 50")
        .warns("write to = 40, or to = 50")
        .warns("base.toml:16:");
}

#[test]
fn a_file_that_is_not_there_is_answered_with_the_one_that_was_meant() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", "repeats = 2\n");
    sandbox.write("x.toml", "extends = \"queens.tml\"\n");
    sandbox.run(&["x.toml"]).code(2).warns("help: did you mean queens.toml?");
    sandbox.write("x.toml", "extends = \"elsewhere.toml\"\n");
    sandbox.run(&["x.toml"]).code(2).warns("help: check the path and its permissions");
}
