//! Operators of plugins other than the problem's: from libraries and from Python, through the real
//! binary.

use crate::python::python;
use crate::util::{Sandbox, column, document, plugins, rows, tables};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

const QUIET: [&str; 2] = ["--progress", "none"];

/// An operator set of this name whose slots are as they are, but for those given.
fn set(name: &str, slots: &[(&str, &str)]) -> String {
    let usual = [
        ("selection", "{ kind = \"tournament\", size = 2 }"),
        ("crossover", "{ kind = \"uniform\", children = 1 }"),
        ("mutation", "{ kind = \"bit-flip\", gene-rate = 0.05 }"),
    ];
    let slot = |(slot, usual): (&str, &str)| {
        let given = slots.iter().find(|(given, _)| *given == slot).map(|(_, text)| *text);
        format!("{slot} = {}\n", given.unwrap_or(usual))
    };
    let slots: String = usual.into_iter().map(slot).collect();
    format!("[[operators]]\nname = \"{name}\"\npopulation = 20\n{slots}")
}

fn config(repeats: u32, sets: &[String]) -> String {
    format!(
        "seed = 5\nrepeats = {repeats}\n[problem]\nplugin = \"onemax\"\nlength = 20\n{}[stop]\n\
        evaluations = 4000\n[output]\ntrace = \"best\"\n",
        sets.concat()
    )
}

/// A slot with an operator of the tests' plugin.
fn breeding(operator: &str, more: &str) -> String {
    format!("{{ plugin = \"breeding\", operator = \"{operator}\"{more} }}")
}

/// Runs two shards by `run`, and merges them in the folder `whole`.
pub(crate) fn run_in_shards(sandbox: &Sandbox, run: impl Fn(&[&str])) {
    for shard in ["1/2", "2/2"] {
        run(&["--shard", shard, "--out", "parts"]);
    }
    let parts = std::fs::read_dir(sandbox.path("parts")).expect("shards");
    let parts = parts.map(|part| part.expect("a shard").path().display().to_string());
    let mut merge = vec!["merge".to_owned()];
    merge.extend(parts);
    merge.extend(["--out".to_owned(), "whole".to_owned()]);
    sandbox.run(&merge).code(0);
}

#[test]
fn operators_of_plugins_do_what_those_of_the_runner_do() {
    let sandbox = Sandbox::new();
    let slots = [
        ("selection", "{ kind = \"tournament\", size = 3 }", breeding("duel", ", rivals = 3")),
        ("crossover", "{ kind = \"uniform\", children = 1, rate = 0.7 }", {
            breeding("mix", ", children = 1, rate = 0.7")
        }),
        ("mutation", "{ kind = \"bit-flip\", gene-rate = 0.1, rate = 0.8 }", {
            breeding("flip", ", chance = 0.1, rate = 0.8")
        }),
    ];
    let sets: Vec<String> = slots
        .iter()
        .flat_map(|(slot, own, foreign)| {
            [("own", *own), ("plugin", foreign.as_str())]
                .map(|(name, text)| set(&format!("{name} {slot}"), &[(slot, text)]))
        })
        .collect();
    sandbox.write("a.toml", config(600, &sets));
    let ran = sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    if cfg!(debug_assertions) {
        ran.warns("the plugin `breeding` is a debug build").warns("the plugin `onemax` is a debug");
    }
    sandbox.run(&["report", "results/a", "--out", "report.html"]).code(0);
    let page = String::from_utf8(sandbox.read("report.html")).expect("UTF-8");
    for words in
        ["<dt>Operators of</dt><dd>breeding 0.1.0", "operators of the plugins breeding 0.1"]
    {
        assert!(page.contains(words), "{words}");
    }
    let trials = rows(&sandbox, &["results/a", "--trials", "--rows", "3600"]);
    let evaluations = |arm: &str| -> (f64, f64, f64) {
        let own = trials.iter().filter(|trial| trial["arm"] == arm);
        let numbers: Vec<f64> =
            own.map(|trial| trial["evaluations"].as_f64().expect("a number")).collect();
        let count = numbers.len() as f64;
        assert_eq!(count, 600.0, "{arm}");
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        (mean, squares / (count - 1.0), count)
    };
    for (slot, ..) in &slots {
        let one = evaluations(&format!("own {slot}"));
        let other = evaluations(&format!("plugin {slot}"));
        // Welch's z: with 600 trials each, beyond 4.5 in 7 of a million experiments.
        let z = (one.0 - other.0) / (one.1 / one.2 + other.1 / other.2).sqrt();
        assert!(z.abs() < 4.5, "{slot}: {one:?} and {other:?} differ by {z} standard errors");
    }
    // That such a test sees a difference: other settings are one.
    let (two, three) = (evaluations("own crossover"), evaluations("own selection"));
    let z = (two.0 - three.0) / (two.1 / two.2 + three.1 / three.2).sqrt();
    assert!(z.abs() > 4.5, "two and three rivals: {two:?} and {three:?}");
}

#[test]
fn threads_processes_shards_and_replays_change_no_byte() {
    let sandbox = Sandbox::new();
    let all = [
        ("selection", breeding("duel", "")),
        ("crossover", breeding("mix", "")),
        ("mutation", breeding("flip", "")),
    ];
    let all: Vec<(&str, &str)> = all.iter().map(|(slot, text)| (*slot, text.as_str())).collect();
    let annealing = format!(
        "[[operators]]\nname = \"cool\"\nalgorithm = {{ kind = \"simulated-annealing\", \
        temperature = 1.0 }}\nmutation = {}\n",
        breeding("flip", "")
    );
    sandbox.write("a.toml", config(30, &[set("all", &all), annealing]));
    let run = |arguments: &[&str]| {
        sandbox.run(&[&["a.toml"], &QUIET[..], arguments].concat()).code(0);
    };
    run(&["--jobs", "1"]);
    let whole = tables(&sandbox, "results/a");
    run(&["--jobs", "2", "--isolation", "process", "--out", "apart"]);
    assert!(tables(&sandbox, "apart/a") == whole, "processes");
    run(&["--repeats", "9", "--out", "more"]);
    run(&["--jobs", "2", "--out", "more"]);
    assert!(tables(&sandbox, "more/a") == whole, "continued");
    run_in_shards(&sandbox, run);
    assert!(tables(&sandbox, "whole/a") == whole, "shards");
    sandbox.run(&["verify", "results/a"]).code(0);
    sandbox.run(&["replay", "results/a", "all", "3"]).code(0).warns("the same as in the table");
    sandbox.run(&["report", "results/a", "--out", "a.html"]).code(0);
    let page = String::from_utf8(sandbox.read("a.html")).expect("UTF-8");
    assert!(page.contains("breeding") && page.contains("flip"), "no operators in the page");
}

#[test]
fn plugin_version_operator_and_values_identify_an_arm() {
    let sandbox = Sandbox::new();
    let mutation = breeding("flip", ", chance = 0.1");
    sandbox.write("a.toml", config(2, &[set("one", &[("mutation", &mutation)])]));
    sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    let row = &rows(&sandbox, &["results/a"])[0];
    let settings = row["settings"].as_str().expect("settings");
    let expected = "mutation = { plugin = \"breeding\", version = \"0.1.0\", operator = \"flip\", \
        rate = 1.0, chance = 0.1 }";
    assert!(settings.contains(expected), "{settings}");
    // The settings are a config of this arm: its identity, and so its trials, are the same.
    sandbox.write("again.toml", format!("name = \"b\"\nseed = 5\nrepeats = 2\n{settings}"));
    sandbox.run(&[&["again.toml"], &QUIET[..]].concat()).code(0);
    let again = &rows(&sandbox, &["results/b"])[0];
    assert_eq!((&again["arm_id"], &again["settings"]), (&row["arm_id"], &row["settings"]));
    let evaluations =
        |name: &str| column(&sandbox.path(format!("results/{name}/trials.parquet")), "evaluations");
    assert_eq!(evaluations("a"), evaluations("b"));
    sandbox.write("other.toml", config(2, &[set("one", &[])]).replace("0.05", "0.1"));
    sandbox.run(&[&["other.toml"], &QUIET[..]].concat()).code(0);
    assert_ne!(rows(&sandbox, &["results/other"])[0]["arm_id"], row["arm_id"]);
    let provenance = String::from_utf8(sandbox.read("results/a/run.toml")).expect("UTF-8");
    let library = plugins().join(format!("{DLL_PREFIX}breeding{DLL_SUFFIX}"));
    let hash = blake3::hash(&std::fs::read(library).expect("the plugin")).to_string();
    assert!(provenance.contains("[[runs.operator-plugins]]"), "{provenance}");
    assert!(provenance.contains(&hash), "no {hash} in\n{provenance}");
    let plain = String::from_utf8(sandbox.read("results/other/run.toml")).expect("UTF-8");
    assert!(!plain.contains("operator-plugins"), "{plain}");
}

#[test]
fn another_build_of_an_operator_is_not_mixed_in() {
    let sandbox = Sandbox::new();
    let name = format!("{DLL_PREFIX}breeding{DLL_SUFFIX}");
    let library = std::fs::read(plugins().join(&name)).expect("the plugin");
    let mutation = format!("{{ plugin = \"own/{name}\", operator = \"flip\" }}");
    sandbox.write("a.toml", config(1, &[set("one", &[("mutation", &mutation)])]));
    let run = |repeats: &str, more: &[&str]| {
        sandbox.run(&[&["a.toml", "--repeats", repeats], &QUIET[..], more].concat())
    };
    sandbox.write(&format!("own/{name}"), &library);
    run("10", &[]).code(0);
    let changed = [&library[..], b"another build"].concat();
    // Another file, so that the one that is loaded stays whole.
    std::fs::remove_file(sandbox.path(format!("own/{name}"))).expect("the old build");
    sandbox.write(&format!("own/{name}"), changed);
    run("20", &[])
        .code(3)
        .warns("another build of the plugin breeding 0.1.0")
        .warns("--accept-plugin-change");
    run("10", &[]).code(0).warns("another build of the plugin breeding");
    run("20", &["--accept-plugin-change"]).code(0);
    // Its own folder is not searched unless it is trusted.
    let elsewhere = sandbox.path("own").display().to_string();
    sandbox.run(&["verify", "results/a", "--plugin-dir", &elsewhere]).code(0);
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let sandbox = Sandbox::new();
    let cases = [
        (
            "mutation",
            breeding("flop", ""),
            2,
            "no mutation called `flop`",
            "did you mean \"flip\"?",
        ),
        ("mutation", breeding("mix", ""), 2, "no mutation called `mix`", "flip and broken"),
        ("mutation", "{ plugin = \"edges\" }".into(), 2, "`edges` has no mutation", {
            "the crossover `edge-recombination`"
        }),
        ("selection", "{ plugin = \"breeding\" }".into(), 2, "several selections", {
            "operator = \"duel\""
        }),
        (
            "mutation",
            "{ plugin = \"nobody\" }".into(),
            3,
            "no plugin called `nobody`",
            "looked for",
        ),
        ("mutation", "{ plugin = \"onemax\" }".into(), 2, "`onemax` has no mutation", {
            "no operators for other problems"
        }),
        ("mutation", breeding("flip", ", chance = 2.0"), 2, "chance", "a number from 0 to 1"),
        ("mutation", breeding("flip", ", chanse = 0.1"), 2, "chanse", "did you mean"),
        ("mutation", breeding("flip", ", children = 1"), 2, "children", "flip"),
        ("mutation", breeding("flip", ", chance = 0.6"), 3, "0.6 of 20 bits are more than 10", {
            "its parameters are chance = 0.6"
        }),
        ("mutation", breeding("flip", ", version = \"7\""), 3, "version 0.1.0, not 7", "load"),
        (
            "mutation",
            breeding("flip", ", kind = \"swap\""),
            2,
            "both `kind` and `plugin`",
            "remove",
        ),
        ("crossover", "{ plugin = \"edges\" }".into(), 2, "does not fit this problem", {
            "works on permutation, and the problem's encoding is bits"
        }),
        ("replacement", breeding("flip", ""), 2, "no `kind`", "replacement"),
    ];
    for (slot, text, code, words, more) in cases {
        let sets = [set("one", &[(slot, &text)])];
        let mut config = config(2, &sets);
        if slot == "replacement" {
            config = config.replace("[stop]", &format!("replacement = {text}\n[stop]"));
        }
        sandbox.write("a.toml", config);
        for isolation in ["thread", "process"] {
            let arguments = [&["a.toml", "--isolation", isolation], &QUIET[..]].concat();
            let ran = sandbox.run(&arguments).code(code).warns(words).warns(more);
            ran.warns("a.toml:").warns("nothing was run");
        }
        assert!(!sandbox.path("results/a").exists(), "{text}");
    }
    // Its parameters can be swept also where a preset brings it.
    let text = "repeats = 2\n[problem]\nplugin = \"tsp\"\nn = 8\n[[presets]]\nname = \"m\"\n\
        population = 10\nselection = \"tournament\"\nmutation = \"swap\"\n\
        crossover = { plugin = \"edges\", rate = 0.9 }\n[[operators]]\npreset = \"m\"\n[stop]\n\
        evaluations = 100\n[sweep]\n\"operators.crossover.closed\" = [true, false]\n";
    sandbox.write("swept.toml", text);
    sandbox.run(&["check", "swept.toml"]).code(0).says("2 arms");
    // A plugin of operators is no problem.
    sandbox.write("a.toml", config(2, &[set("one", &[])]).replace("onemax", "edges"));
    sandbox.run(&["a.toml"]).code(3).warns("`edges` has no problem, only operators");
    sandbox.run(&["sample", "edges"]).code(3).warns("edge-recombination");
}

#[test]
fn an_operator_that_breaks_a_promise_costs_the_trial() {
    let sandbox = Sandbox::new();
    let cases = [
        ("selection", "words", "select: broken: it does not feel like it"),
        ("selection", "answer", "parent 0 is row 20, but the population has 20 rows"),
        ("crossover", "panic", "crossover: broken: panicked: too much"),
        ("crossover", "answer", "gene 0 of row 0 is 200, outside its bounds 0 to 1"),
        ("mutation", "words", "mutate: broken: it does not feel like it"),
        ("mutation", "answer", "outside its bounds"),
    ];
    for (slot, breaks, words) in cases {
        let text = breeding("broken", &format!(", breaks = \"{breaks}\""));
        sandbox.write("a.toml", config(3, &[set("one", &[(slot, &text)])]));
        for isolation in ["thread", "process"] {
            let flags = ["a.toml", "--isolation", isolation, "--out", isolation];
            sandbox.run(&[&flags, &QUIET[..]].concat()).code(1);
            let trials = rows(&sandbox, &[&format!("{isolation}/a"), "--trials"]);
            for trial in &trials {
                assert_eq!(trial["outcome"], "failed", "{slot} {breaks}");
                let error = trial["error"].as_str().expect("an error");
                assert!(error.contains(words) && error.contains("breeding"), "{error}");
            }
        }
        std::fs::remove_dir_all(sandbox.path("thread")).expect("results");
        std::fs::remove_dir_all(sandbox.path("process")).expect("results");
    }
    let refused = breeding("broken", ", breaks = \"create\"");
    sandbox.write("a.toml", config(3, &[set("one", &[("mutation", &refused)])]));
    sandbox.run(&["a.toml"]).code(3).warns("cannot make the operator `broken`: nothing suits it");
    // The plugin that took the process down is named, and not that of the problem.
    let dies = breeding("broken", ", breaks = \"abort\"");
    sandbox.write("a.toml", config(2, &[set("one", &[("mutation", &dies)])]));
    sandbox.run(&[&["a.toml", "--isolation", "process"], &QUIET[..]].concat()).code(1);
    for trial in rows(&sandbox, &["results/a", "--trials"]) {
        let error = trial["error"].as_str().expect("an error");
        assert_eq!(trial["outcome"], "crashed");
        assert!(error.contains("plugin `breeding`: mutate: "), "{error}");
    }
}

#[test]
fn sweeps_presets_and_files_below_reach_operators_of_plugins() {
    let sandbox = Sandbox::new();
    sandbox.write("ops/own.py", LOCAL);
    sandbox.write("ops/base.toml", {
        config(3, &[set("one", &[("mutation", "{ plugin = \"own.py\", share = 0.2 }")])])
    });
    sandbox.write(
        "a.toml",
        "extends = \"ops/base.toml\"\n[sweep]\n\"operators.mutation.share\" = [0.1, 0.2]\n\
        \"operators.mutation.rate\" = [0.5, 1.0]\n",
    );
    sandbox.write(
        "b.toml",
        format!(
            "{}[sweep]\n\"operators.mutation\" = [\"bit-flip\", {}]\n",
            config(3, &["[[operators]]\npreset = \"simple-ga\"\n".to_owned()]),
            breeding("flip", ", chance = 0.1")
        ),
    );
    let file = |name: &str| format!("{name}.toml");
    let mut expected = Vec::new();
    for rate in ["0.1", "0.2"] {
        for share in ["0.5", "1.0"] {
            expected.push(format!("rate = {share}, share = {rate} }}"));
        }
    }
    if python("sys").is_some() {
        sandbox.run(&[&[file("a").as_str()], &QUIET[..]].concat()).code(0);
        let summary = rows(&sandbox, &["results/a"]);
        for (row, expected) in summary.iter().zip(&expected) {
            let settings = row["settings"].as_str().expect("settings");
            assert!(settings.contains(expected), "{expected} in {settings}");
            assert!(settings.contains("plugin = \"own\", version = \"3\", operator = \"some\""));
        }
        assert_eq!(summary.len(), 4);
        sandbox.run(&["verify", "results/a", "--plugin-dir", "ops"]).code(0);
    }
    sandbox.run(&[&[file("b").as_str()], &QUIET[..]].concat()).code(0);
    assert_eq!(rows(&sandbox, &["results/b"]).len(), 2);
}

/// Operators in Python, in a file without a problem.
const LOCAL: &str = r#""""Operators of one's own."""

from runner import Crossover, Integer, Mutation, Real, Selection

version = "3"


class Some(Mutation):
    """Flips some bits."""

    encodings = ["bits"]
    parameters = {"share": Real(0.1, low=0, high=1, doc="Of the bits.")}

    def mutate(self, genome, rng):
        for place in range(self.domain.length):
            if rng.random() < self.share:
                genome[place] = 1 - genome[place]


class EitherParent(Crossover):
    """Each gene comes from either parent."""

    encodings = ["bits", "integer", "real"]

    def crossover(self, first, second, rng):
        return [rng.choice(pair) for pair in zip(first, second)]


class Duel(Selection):
    """The fittest of several."""

    parameters = {"rivals": Integer(2, low=1, high=100, doc="How many.")}

    def select(self, fitness, violations, count, rng):
        if violations is not None and len(violations) != len(fitness):
            raise ValueError("not one violation a row")
        rows = range(len(fitness))
        draws = [rng.choices(rows, k=self.rivals) for _ in range(count)]
        return [min(some, key=lambda row: fitness[row]) for some in draws]
"#;

#[test]
fn operators_in_python_are_those_of_any_plugin() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("own.py", LOCAL);
    let slots = [
        ("selection", "{ plugin = \"own.py\", rivals = 3 }"),
        ("crossover", "{ plugin = \"own.py\", operator = \"either-parent\" }"),
        ("mutation", "{ plugin = \"own.py\" }"),
    ];
    sandbox.write("a.toml", config(10, &[set("all", &slots)]));
    let run = |more: &[&str]| {
        sandbox.run(&[&["a.toml"], &QUIET[..], more].concat()).code(0);
    };
    run(&["--jobs", "1"]);
    let whole = tables(&sandbox, "results/a");
    run(&["--jobs", "2", "--isolation", "process", "--out", "apart"]);
    assert!(tables(&sandbox, "apart/a") == whole, "processes");
    sandbox.run(&["verify", "results/a", "--plugin-dir", "."]).code(0);
    // The same operators for a problem with constraints, which gives violations.
    sandbox.write("b.toml", {
        config(3, &[set("all", &[slots[0]])])
            .replace("\"onemax\"\nlength = 20", "\"coloring\"\ngraph = \"myciel3\"")
            .replace("kind = \"bit-flip\", gene-rate = 0.05", "kind = \"reset\"")
    });
    sandbox.run(&[&["b.toml"], &QUIET[..]].concat()).code(0);
    // Another version is another arm.
    let before = rows(&sandbox, &["results/a"])[0]["arm_id"].clone();
    sandbox.write("own.py", LOCAL.replace("version = \"3\"", "version = \"4\""));
    run(&[]);
    assert_ne!(rows(&sandbox, &["results/a"])[0]["arm_id"], before);
    // And faults cost the trial, with the line.
    let faulty = LOCAL.replace("genome[place] = 1 - genome[place]", "genome[place] = 7");
    sandbox.write("own.py", faulty);
    sandbox.run(&[&["a.toml", "--out", "bounds"], &QUIET[..]].concat()).code(1);
    let trial = &rows(&sandbox, &["bounds/a", "--trials"])[0];
    assert!(trial["error"].as_str().expect("an error").contains("outside its bounds"), "{trial}");
    sandbox.write("own.py", LOCAL.replace("rng.choices(rows", "rng.choisez(rows"));
    sandbox.run(&[&["a.toml", "--out", "words"], &QUIET[..]].concat()).code(1);
    let trial = &rows(&sandbox, &["words/a", "--trials"])[0];
    let error = trial["error"].as_str().expect("an error");
    assert!(error.contains("AttributeError") && error.contains("own.py, line"), "{error}");
}

#[test]
fn rows_and_genes_in_python_are_numbers_as_they_are_meant() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let select = "from runner import Selection\nclass Pick(Selection):\n    def select(self, \
        fitness, violations, count, rng):\n        return [GIVEN] * count\n";
    for (given, words) in [
        ("0.5", "the row 0.5, which is no whole number"),
        ("-0.9", "the row -0.9, which is no whole number"),
        ("'3'", "the row '3', which is no whole number"),
        ("None", "but must return numbers of rows"),
        ("99", "select returned the row 99, but there are 20, from 0"),
        ("2.0", ""),
    ] {
        sandbox.write("mine.py", select.replace("GIVEN", given));
        let sets = [set("own", &[("selection", "{ plugin = \"mine.py\" }")])];
        sandbox.write("a.toml", config(1, &sets));
        _ = std::fs::remove_dir_all(sandbox.path("results"));
        let code = if words.is_empty() { 0 } else { 1 };
        sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(code).warns(words);
    }
    let problem = "from runner import Mixed, Real, Integer\nclass Problem:\n    def \
        describe(self):\n        \
        return Mixed([Real(0, 1), Integer(0, 9)])\n    def fitness(self, genome):\n        return \
        genome[0]\n";
    let mutate = "from runner import Mutation\nclass Change(Mutation):\n    def mutate(self, \
        genome, rng):\n        return [GIVEN, 3]\n";
    sandbox.write("mixed.py", problem);
    for (given, words) in [
        ("'0.25'", "mutate returned the value '0.25' of gene 0"),
        ("1j", "of gene 0"),
        ("0.25", ""),
    ] {
        sandbox.write("mine.py", mutate.replace("GIVEN", given));
        let own = [("mutation", "{ plugin = \"mine.py\" }")];
        let config = config(1, &[set("own", &own)]);
        sandbox.write("a.toml", config.replace("\"onemax\"\nlength = 20", "\"mixed.py\""));
        _ = std::fs::remove_dir_all(sandbox.path("results"));
        let code = if words.is_empty() { 0 } else { 1 };
        sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(code).warns(words);
    }
    let member = mutate
        .replace(
            "rng):",
            "rng):\n        pass\n    parameters = {\"mutate\": \
        Integer(1)}\n    def other(self):",
        )
        .replace("Mutation\n", "Mutation, Integer\n");
    sandbox.write("mine.py", member);
    let own = [("mutation", "{ plugin = \"mine.py\" }")];
    sandbox.write("a.toml", config(1, &[set("own", &own)]));
    let ran = sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(3);
    ran.warns("the parameter mutate of Change would take the place of Change.mutate");
}

#[test]
fn the_examples_run() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "tours.toml",
        "repeats = 20\n[problem]\nplugin = \"nqueens\"\nn = 8\nencoding = \"permutation\"\n\
        [[operators]]\npopulation = 40\nselection = \"tournament\"\ncrossover = { plugin = \
        \"edges\", closed = false, rate = 0.9 }\nmutation = \"swap\"\n[stop]\nevaluations = 4000\n",
    );
    sandbox.run(&[&["tours.toml"], &QUIET[..]].concat()).code(0);
    let row = &rows(&sandbox, &["results/tours"])[0];
    assert!(row["success_rate"].as_f64().expect("a rate") > 0.5, "{row}");
    if python("sys").is_none() {
        return;
    }
    for name in ["levy.py", "levy.toml"] {
        sandbox.write(name, document(&format!("examples/python/{name}")));
    }
    sandbox.run(&[&["levy.toml", "--repeats", "5"], &QUIET[..]].concat()).code(0);
    let summary = rows(&sandbox, &["results/levy"]);
    assert!(summary.iter().all(|row| row["failed"] == 0 || row["failed"].is_null()), "{summary:?}");
}

#[test]
fn conformance_finds_what_an_operator_breaks() {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["conformance"], arguments, &["--json"]].concat());
        let found: Vec<serde_json::Value> =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{ran}"));
        (ran, found)
    };
    let (ran, found) = run(&["edges"]);
    let names: Vec<&str> = found.iter().filter_map(|one| one["check"].as_str()).collect();
    let expected = ["repeatable", "rows", "results", "processes", "parameters"];
    assert_eq!(names, expected.map(|name| format!("operator-{name}")));
    assert!(found.iter().all(|one| one["outcome"] == "passed"), "{ran}");
    ran.code(0);
    let cases = [
        ("words", "repeatable", "broken: it does not feel like it"),
        ("unsteady", "repeatable", "another answer to the same call"),
        ("unsteady", "rows", "other answers when 40 rows were split into calls of 1"),
        ("unsteady", "processes", "two processes gave different answers"),
        ("constant", "results", "the same parents for every seed and fitness"),
        ("answer", "results", "parent 0 is row 40, but the population has 40 rows"),
        ("panic", "results", "broken: panicked: too much"),
        ("abort", "results", "select ended the program"),
        ("forgetful", "states", "other genomes from its state after ask 1 on, in another object"),
        ("answer", "parameters", "it fails with breaks = \"words\""),
    ];
    for (breaks, check, words) in cases {
        let (set, check) = (format!("breaks={breaks}"), format!("operator-{check}"));
        let (ran, found) = run(&["breeding", "--set", &set, "--only", &check]);
        assert_eq!(found[0]["outcome"], "failed", "{breaks}, {check}: {ran}");
        let seen = found[0]["seen"].as_str().expect("what was seen");
        assert!(seen.contains(words), "{breaks}, {check}: {seen}");
        ran.code(3);
    }
    sandbox.run(&["conformance", "edges", "--set", "x=1"]).code(2).warns("unknown key `x`");
    if python("sys").is_some() {
        sandbox.write("levy.py", document("examples/python/levy.py"));
        sandbox.write("own.py", LOCAL);
        for file in ["./levy.py", "./own.py"] {
            let (ran, _) = run(&[file]);
            ran.code(0);
        }
    }
}

#[test]
fn plugins_are_listed_with_their_operators() {
    let sandbox = Sandbox::new();
    let listed = sandbox.run(&["plugins"]).code(0);
    listed
        .says("crossover edge-recombination: The child goes from each value")
        .says("for permutation")
        .says("source: Whitley, Starkweather and Fuquay (1989)");
    let listed = sandbox.run(&["plugins", "--json"]).code(0);
    let all: Vec<serde_json::Value> = serde_json::from_str(&listed.stdout).expect("JSON");
    let edges = all.iter().find(|one| one["name"] == "edges").expect("the plugin");
    assert_eq!((&edges["problem"], &edges["example"]), (&false.into(), &serde_json::Value::Null));
    let operator = &edges["operators"][0];
    assert_eq!(operator["kind"], "crossover");
    assert_eq!(operator["encodings"], serde_json::json!(["permutation"]));
    assert_eq!(operator["parameters"][0]["key"], "closed");
    let shown = sandbox.run(&["operators", "crossover"]).code(0);
    shown.says("edge-recombination, of the plugin edges");
    sandbox.run(&["operators", "edge-recombination"]).code(0).says("closed");
    // Such a plugin is none of those that a new experiment can have.
    let schema = sandbox.run(&["schema"]).code(0);
    assert!(!schema.stdout.contains("\"edges\""), "{schema}");
}
