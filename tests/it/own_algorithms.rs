//! Algorithms of plugins, asked and told: from libraries in Rust and C and from Python, through the
//! real binary.

use crate::docs::blocks;
use crate::operator_plugins::run_in_shards;
use crate::python::python;
use crate::util::{Sandbox, document, root, rows, tables};
use serde_json::Value;

const QUIET: [&str; 2] = ["--progress", "none"];

/// An operator set with this algorithm, and more keys.
fn set(name: &str, algorithm: &str, more: &str) -> String {
    format!("[[operators]]\nname = \"{name}\"\nalgorithm = {algorithm}\n{more}\n")
}

/// Sets on OneMax of 20 bits.
fn config(repeats: u32, sets: &[String], more: &str) -> String {
    format!(
        "seed = 5\nrepeats = {repeats}\n[problem]\nplugin = \"onemax\"\nlength = 20\n{}[stop]\n\
        evaluations = 2000\n{more}",
        sets.concat()
    )
}

/// The climb of the tests' plugin.
fn climb(mutants: u32) -> String {
    format!("{{ plugin = \"breeding\", operator = \"climb\", mutants = {mutants} }}")
}

/// The broken algorithm of the tests' plugin.
fn broken(breaks: &str) -> String {
    format!("{{ plugin = \"breeding\", operator = \"broken\", breaks = \"{breaks}\" }}")
}

/// The climb in Python that the document has.
pub(crate) fn document_climb() -> String {
    blocks(&document("docs/own-algorithms.md"), "python")[0].clone()
}

fn number(trial: &Value, key: &str) -> f64 {
    trial[key].as_f64().expect("a number")
}

#[test]
fn a_climb_of_a_plugin_takes_as_long_as_that_of_the_runner() {
    let sandbox = Sandbox::new();
    let own = "\"evolutionary\"\npopulation = 1\nselection = \"uniform\"\nmutation = { kind = \
        \"bit-flip\", gene-rate = 0.05 }\nreplacement = \"plus\"";
    let mut sets =
        vec![set("own", own, ""), set("rust", &climb(1), ""), { set("slower", &climb(40), "") }];
    let repeats = 600;
    if python("sys").is_some() {
        sandbox.write("mine.py", document_climb());
        sets.push(set("python", "{ plugin = \"mine.py\" }", ""));
    }
    sandbox.write("a.toml", config(repeats, &sets, ""));
    sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    let trials = rows(&sandbox, &["results/a", "--trials", "--rows", "3000"]);
    let figures = |arm: &str| -> (f64, f64) {
        let own = trials.iter().filter(|trial| trial["arm"] == arm);
        let numbers: Vec<f64> = own.map(|trial| number(trial, "evaluations")).collect();
        let count = numbers.len() as f64;
        assert_eq!(count, f64::from(repeats), "{arm}");
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count)
    };
    // Welch's z: with 600 trials each, beyond 4.5 in 7 of a million experiments.
    let z = |arm: &str| {
        let (one, other) = (figures("own"), figures(arm));
        (one.0 - other.0) / (one.1 + other.1).sqrt()
    };
    for set in &sets[1..] {
        let arm = set.split('"').nth(1).expect("a name");
        let z = z(arm);
        assert_eq!(z.abs() > 4.5, arm == "slower", "{arm} differs by {z} standard errors");
    }
}

#[test]
fn threads_processes_shards_and_replays_change_no_byte() {
    let sandbox = Sandbox::new();
    let mut sets = vec![
        set("one", &climb(1), ""),
        set("restarts", &climb(5), "restarts = { stagnation = 5 }"),
        set("ends", &broken("short"), "restarts = { stagnation = 50 }"),
    ];
    if python("sys").is_some() {
        sandbox.write("mine.py", document_climb());
        sets.push(set("python", "{ plugin = \"mine.py\", mutants = 3 }", ""));
    }
    let trace = "generations = 60\n[output]\ntrace = \"genomes\"\n";
    sandbox.write("a.toml", config(12, &sets, trace));
    let run = |arguments: &[&str]| {
        sandbox.run(&[&["a.toml"], &QUIET[..], arguments].concat()).code(0);
    };
    run(&["--jobs", "1"]);
    let whole = tables(&sandbox, "results/a");
    for jobs in ["2", "8"] {
        run(&["--jobs", jobs, "--out", jobs]);
        assert!(tables(&sandbox, &format!("{jobs}/a")) == whole, "{jobs} jobs");
    }
    run(&["--jobs", "2", "--isolation", "process", "--out", "apart"]);
    assert!(tables(&sandbox, "apart/a") == whole, "processes");
    run(&["--repeats", "5", "--out", "more"]);
    run(&["--jobs", "2", "--out", "more"]);
    assert!(tables(&sandbox, "more/a") == whole, "continued");
    run_in_shards(&sandbox, run);
    assert!(tables(&sandbox, "whole/a") == whole, "shards");
    sandbox.run(&["verify", "results/a", "--plugin-dir", "."]).code(0);
    let replay = ["replay", "results/a", "restarts", "3"];
    sandbox.run(&replay).code(0).warns("the same as in the table");
    sandbox.run(&["report", "results/a", "--out", "a.html"]).code(0);
    let page = String::from_utf8(sandbox.read("a.html")).expect("UTF-8");
    assert!(page.contains("operator climb, mutants 5"), "no algorithm in the page");
}

#[test]
fn budgets_and_ends_are_those_of_the_experiment() {
    let sandbox = Sandbox::new();
    let sets = [
        set("within", &climb(7), ""),
        set("ends", &broken("short"), ""),
        set("again", &broken("short"), "restarts = { stagnation = 50 }"),
    ];
    let all = config(4, &sets, "").replace("2000", "33\nfitness = -1");
    sandbox.write("a.toml", all);
    sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    for trial in rows(&sandbox, &["results/a", "--trials"]) {
        // 1 and 4 times 7 are 29: the budget ends within the fifth ask. A search that ends after
        // three genomes begins anew where restarts are asked for.
        let (outcome, evaluations) = match trial["arm"].as_str() {
            Some("within" | "again") => ("evaluations", 33.0),
            _ => ("stagnated", 3.0),
        };
        assert_eq!(trial["outcome"], outcome, "{trial}");
        assert_eq!(number(&trial, "evaluations"), evaluations, "{trial}");
    }
}

#[test]
fn sweeps_reach_the_algorithm() {
    let sandbox = Sandbox::new();
    let sweep = "[sweep]\n\"operators.algorithm.mutants\" = [1, 3]\n\"operators.one.restarts\" = \
        [{ stagnation = 9 }]\n";
    sandbox.write("a.toml", config(2, &[set("one", &climb(7), "")], sweep));
    sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0);
    let summary = rows(&sandbox, &["results/a"]);
    let mutants: Vec<f64> =
        summary.iter().map(|row| number(row, "operators.algorithm.mutants")).collect();
    assert_eq!(mutants, [1.0, 3.0]);
    let algorithms = format!("[{}, \"random-search\"]", climb(2));
    let sweep = format!("[sweep]\n\"operators.algorithm\" = {algorithms}\n");
    sandbox.write("b.toml", config(2, &[set("one", &climb(7), "")], &sweep));
    sandbox.run(&[&["b.toml"], &QUIET[..]].concat()).code(0);
    assert_eq!(rows(&sandbox, &["results/b"]).len(), 2);
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let sandbox = Sandbox::new();
    let cases = [
        ("{ plugin = \"breeding\" }", "", "several algorithms", "operator = \"climb\""),
        ("{ plugin = \"breeding\", operator = \"clim\" }", "", "no algorithm called `clim`", {
            "did you mean \"climb\"?"
        }),
        ("{ plugin = \"edges\" }", "", "`edges` has no algorithm", "edge-recombination"),
        (&climb(2000), "", "mutants", "from 1 to 1000"),
        (&climb(1), "population = 10", "climb does not use `population`", "remove it"),
        (&climb(1), "mutation = \"bit-flip\"", "climb does not use `mutation`", "constraints"),
    ];
    for (algorithm, more, words, way) in cases {
        sandbox.write("a.toml", config(2, &[set("one", algorithm, more)], ""));
        for isolation in ["thread", "process"] {
            let arguments = [&["a.toml", "--isolation", isolation], &QUIET[..]].concat();
            let ran = sandbox.run(&arguments).code(2).warns(words).warns(way);
            ran.warns("a.toml:").warns("nothing was run");
        }
    }
    let queens = config(2, &[set("one", &climb(1), "")], "");
    sandbox.write("a.toml", queens.replace("\"onemax\"\nlength = 20", "\"nqueens\"\nn = 8"));
    sandbox.run(&["a.toml"]).code(2).warns("works on bits, and the problem's encoding is");
    sandbox.write("first.csv", format!("{}\n", vec!["0"; 20].join(",")));
    let start = "[start]\nfile = \"first.csv\"\n";
    sandbox.write("a.toml", config(2, &[set("one", &climb(1), "")], start));
    sandbox.run(&["a.toml"]).code(2).warns("has no first population: its algorithm is a plugin's");
    let paired = config(2, &[set("one", &climb(1), "")], "");
    sandbox.write("a.toml", format!("pairing = \"common\"\n{paired}"));
    let ran = sandbox.run(&["a.toml"]).code(2).warns("the operator set `one` cannot be paired");
    ran.warns("a.toml:1:").warns("remove `pairing`");
}

#[test]
fn an_algorithm_that_breaks_a_promise_costs_the_trial() {
    let sandbox = Sandbox::new();
    let cases = [
        ("words", "ask: broken: it does not feel like it"),
        ("panic", "ask: broken: panicked: too much"),
        ("answer", "gene 0 of row 0 is 200, outside its bounds 0 to 1"),
        ("greedy", "at most 16384 genomes in an ask"),
        ("silent", "ask: broken: the first ask gave no genome"),
    ];
    let sets = cases.map(|(breaks, _)| set(breaks, &broken(breaks), ""));
    sandbox.write("a.toml", config(2, &sets, ""));
    for isolation in ["thread", "process"] {
        let flags = ["a.toml", "--keep-going", "--isolation", isolation, "--out", isolation];
        sandbox.run(&[&flags, &QUIET[..]].concat()).code(1);
        let trials = rows(&sandbox, &[&format!("{isolation}/a"), "--trials"]);
        assert_eq!(trials.len(), 2 * cases.len());
        for trial in trials {
            let arm = trial["arm"].as_str().expect("an arm");
            let (_, words) = cases.iter().find(|(name, _)| *name == arm).expect("the case");
            let error = trial["error"].as_str().expect("an error");
            assert!(trial["outcome"] == "failed" && error.contains(words), "{arm}: {error}");
        }
    }
    // The plugin that took the process down is named, and not that of the problem.
    sandbox.write("a.toml", config(2, &[set("one", &broken("abort"), "")], ""));
    sandbox.run(&[&["a.toml", "--isolation", "process"], &QUIET[..]].concat()).code(1);
    for trial in rows(&sandbox, &["results/a", "--trials"]) {
        let error = trial["error"].as_str().expect("an error");
        assert!(trial["outcome"] == "crashed" && error.contains("plugin `breeding`: ask: "));
    }
}

#[test]
fn an_algorithm_in_c_is_asked_and_told() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("own")).expect("a folder");
    let name = format!("{}search{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    compiler.arg("-I").arg(root().join("plugins/sdk/include"));
    compiler.arg("-o").arg(sandbox.path("own").join(name));
    compiler.arg(root().join("tests/fixtures/c/search.c"));
    let built = compiler.output().expect("a C compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let own = ["--plugin-dir", "own"];
    sandbox.write("a.toml", config(20, &[set("c", "{ plugin = \"search\" }", "")], ""));
    for (isolation, jobs) in [("thread", "1"), ("thread", "2"), ("process", "2")] {
        let out = format!("{isolation}{jobs}");
        let flags = ["a.toml", "--isolation", isolation, "--jobs", jobs, "--out", &out];
        sandbox.run(&[&flags, &own[..], &QUIET[..]].concat()).code(0);
        let [one, other] = ["thread1", out.as_str()]
            .map(|folder| sandbox.read(&format!("{folder}/a/trials.parquet")));
        assert!(one == other, "{out}");
    }
    // A climb of single bits always gets there.
    for trial in rows(&sandbox, &["thread1/a", "--trials"]) {
        assert_eq!((&trial["outcome"], &trial["success"]), (&"solved".into(), &true.into()));
    }
    sandbox.run(&[&["conformance", "search"], &own[..]].concat()).code(3).says("greedy = 1");
    let greedy = "{ plugin = \"search\", greedy = 1 }";
    sandbox.write("a.toml", config(1, &[set("c", greedy, "")], ""));
    sandbox.run(&[&["a.toml", "--out", "greedy"], &own[..], &QUIET[..]].concat()).code(1);
    let trial = &rows(&sandbox, &["greedy/a", "--trials"])[0];
    let words = "it asked for 16385 genomes, but may ask for 16384 at most";
    assert!(trial["error"].as_str().is_some_and(|error| error.contains(words)), "{trial}");
}

/// Faults of an algorithm in Python: a line of the climb, its replacement, and the message.
const FAULTS: [(&str, &str, &str); 8] = [
    ("return [[self.rng.randrange(2) for _ in range(length)]]", "return [[0] * 19]", {
        "ask returned a genome of 19 genes, but it has 20"
    }),
    ("return [[self.rng.randrange(2) for _ in range(length)]]", "return [[0] * 20] * 20000", {
        "ask returned 20000 genomes, but may ask for 16384 at most"
    }),
    ("return [[self.rng.randrange(2) for _ in range(length)]]", "return 7", {
        "ask returned 7, but must return a sequence of genomes, or None at the end"
    }),
    ("return [[self.rng.randrange(2) for _ in range(length)]]", "return None", {
        "the first ask gave no genome"
    }),
    ("return [[self.rng.randrange(2) for _ in range(length)]]", "return [[2] * 20]", {
        "gene 0 of row 0 is 2, outside its bounds 0 to 1"
    }),
    ("for genome, value in zip(genomes, fitness):", "for genome, value in genomes[7]:", {
        "tell: climb: IndexError: list index out of range (mine.py, line 26, in tell: "
    }),
    ("self.rng, self.best = rng, None", "self.rng, self.best = rng[0], None", {
        "begin: climb: TypeError: 'Random' object is not subscriptable (mine.py, line 16"
    }),
    (
        "length = self.domain.length",
        "import os; os._exit(3)",
        "ask: climb: the program exited by itself",
    ),
];

#[test]
fn a_fault_in_python_costs_the_trial_and_says_what_it_was() {
    if python("sys").is_none() {
        return;
    }
    let (sandbox, climb_py) = (Sandbox::new(), document_climb());
    let sets = [set("python", "{ plugin = \"mine.py\" }", ""), set("rust", &climb(1), "")];
    sandbox.write("a.toml", config(3, &sets, ""));
    for (at, (line, fault, words)) in FAULTS.into_iter().enumerate() {
        assert!(climb_py.contains(line), "{line}");
        sandbox.write("mine.py", climb_py.replace(line, fault));
        let out = format!("out{at}");
        sandbox.run(&[&["a.toml", "--out", &out], &QUIET[..]].concat()).code(1);
        for trial in rows(&sandbox, &[&format!("{out}/a"), "--trials"]) {
            let error = trial["error"].as_str();
            let is_told = error.is_some_and(|error| error.contains(words));
            assert_eq!(is_told, trial["arm"] == "python", "{fault}: {trial}");
        }
    }
    // One that hangs ends with its trial.
    sandbox.write("mine.py", climb_py.replace("length = self.domain.length", "while True: pass"));
    let limit = config(1, &sets, "trial-seconds = 0.3\n");
    sandbox.write("a.toml", limit);
    sandbox.run(&[&["a.toml", "--out", "hangs"], &QUIET[..]].concat()).code(1);
    let trial = &rows(&sandbox, &["hangs/a", "--trials"])[0];
    assert_eq!(trial["outcome"], "timed-out", "{trial}");
    // Evaluations before such a call count.
    let late = climb_py.replace(
        "def ask(self):",
        "def ask(self):\n        self.asks = \
        getattr(self, \"asks\", 0) + 1\n        while self.asks > 30: pass\n",
    );
    assert_ne!(late, climb_py);
    sandbox.write("mine.py", late);
    sandbox.run(&[&["a.toml", "--out", "late"], &QUIET[..]].concat()).code(1);
    let trial = &rows(&sandbox, &["late/a", "--trials"])[0];
    assert_eq!(trial["outcome"], "timed-out", "{trial}");
    assert_eq!((number(trial, "evaluations"), number(trial, "generations")), (30.0, 29.0));
    assert!(trial["best_fitness"].is_f64() && trial["best"].is_array(), "{trial}");
    assert_eq!(trial["success"], false, "{trial}");
}

/// Bits of which the first must be 0; the optimum has no ones.
const PARITY: &str = r#"
from runner import Bits

class Problem:
    def describe(self):
        return Bits(12, ideal=0WORST)

    def fitness(self, genome):
        return sum(genome)

    def violation(self, genome):
        return 0.5 * genome[0]
"#;

/// A climb from one genome. It asserts that it is told of violations, and of no infeasible genome
/// as better than a feasible one, whenever that was.
const TOLD: &str = r#"
import functools
from runner import Algorithm

def kept(call):
    @functools.wraps(call)
    def inner(self, *given):
        return call(self, *given)
    return inner

class Climb(Algorithm):
    def begin(self, rng):
        self.rng, self.best = rng, None
        self.told = [float("inf")], [float("-inf")]

    def ask(self):
        if self.best is None:
            self.asked = [self.rng.randint(0, 1) for _ in range(12)]
        else:
            self.asked = [gene ^ (self.rng.random() < 0.2) for gene in self.best[1]]
        return [self.asked]
DECORATOR
    def tell(SIGNATURE):
        assert (violations[0] > 0) == bool(self.asked[0]), violations
        self.told[violations[0] == 0].append(fitness[0])
        assert max(self.told[1]) < min(self.told[0]), self.told
        if self.best is None or fitness[0] <= self.best[0]:
            self.best = fitness[0], self.asked
"#;

#[test]
fn an_algorithm_is_told_scores_that_compare_over_the_whole_search() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let shapes = [
        ("", "self, genomes, fitness, violations"),
        ("    @kept", "self, genomes, fitness, violations"),
        ("", "self, genomes, fitness, *, violations"),
        ("", "self, genomes, fitness, *rest, violations=None"),
    ];
    for (at, (decorator, signature)) in shapes.into_iter().enumerate() {
        let mut told = TOLD.replace("DECORATOR", decorator).replace("SIGNATURE", signature);
        if signature.contains("rest") {
            let line = "        violations = rest[0]\n        assert";
            told = told.replacen("        assert", line, 1);
        }
        sandbox.write("told.py", told);
        for (worst, out) in [("", "without"), (", worst=12", "with")] {
            sandbox.write("parity.py", PARITY.replace("WORST", worst));
            let sets = [set("own", "{ plugin = \"told.py\" }", "")];
            let config = config(8, &sets, "").replace("\"onemax\"\nlength = 20", "\"parity.py\"");
            sandbox.write("a.toml", config);
            let out = format!("{out}{at}");
            sandbox.run(&[&["a.toml", "--out", &out], &QUIET[..]].concat()).code(0);
            for trial in rows(&sandbox, &[&format!("{out}/a"), "--trials"]) {
                assert_eq!(trial["success"], true, "{signature}: {trial}");
            }
        }
    }
}

#[test]
fn two_files_of_one_name_and_version_are_refused_and_other_versions_are_told_apart() {
    if python("sys").is_none() {
        return;
    }
    let (sandbox, climb_py) = (Sandbox::new(), document_climb());
    let class = "class Climb(Algorithm):";
    assert!(climb_py.contains(class) && climb_py.contains("mutants"), "{climb_py}");
    sandbox.write("one/mine.py", &climb_py);
    let other = climb_py.replace("1 / ", "3 / ");
    assert_ne!(other, climb_py);
    sandbox.write("other/mine.py", &other);
    let sets = [
        set("one", "{ plugin = \"one/mine.py\" }", ""),
        set("other", "{ plugin = \"other/mine.py\" }", ""),
    ];
    let config = config(20, &sets, "").replace("2000", "60");
    sandbox.write("a.toml", &config);
    let ran = sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(3);
    ran.warns("two files are the plugin `mine` of version 1").warns("version = \"2\"");
    // With a version of its own, the other is another arm, in an unpacked archive too.
    sandbox.write("other/mine.py", format!("version = \"2\"\n{other}"));
    let first = sandbox.run(&[&["a.toml"], &QUIET[..]].concat()).code(0).stdout;
    sandbox
        .run(&[
            "pack",
            "results/a",
            "--out",
            "a.zip",
            "--plugin-dir",
            "one",
            "--plugin-dir",
            "other",
        ])
        .code(0);
    for (name, bytes) in crate::pack::entries(&sandbox.path("a.zip")) {
        sandbox.write(&format!("un/{name}"), bytes);
    }
    let again = ["experiment.toml", "--plugin-dir", "plugin", "--plugin-dir", "plugin/2"];
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("un")).args(again).args(["--out", "again"]).args(QUIET);
    let again = crate::util::Ran::new(&mut command).code(0).stdout;
    let hash = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("Results: "));
        line.expect("a hash of the results").to_owned()
    };
    assert_eq!(hash(&again), hash(&first));
}

#[test]
fn a_module_that_a_call_imports_belongs_to_the_plugin() {
    if python("sys").is_none() {
        return;
    }
    let (sandbox, climb_py) = (Sandbox::new(), document_climb());
    let lazy = climb_py.replace(
        "def ask(self):",
        "def ask(self):\n        from parts import rate\n        rate.LOW\n",
    );
    assert_ne!(lazy, climb_py);
    sandbox.write("mine.py", lazy);
    sandbox.write("parts/__init__.py", "");
    sandbox.write("parts/rate.py", "import json\nLOW = 1\n");
    sandbox.write("json.py", "# Not what `import json` means.\n");
    sandbox.write("a.toml", config(3, &[set("own", "{ plugin = \"mine.py\" }", "")], ""));
    let run =
        |repeats: &str| sandbox.run(&[&["a.toml", "--repeats", repeats], &QUIET[..]].concat());
    run("3").code(0);
    let log = String::from_utf8(sandbox.read("results/a/run.toml")).expect("UTF-8");
    let has = |name: &str| log.contains(&format!("\"{name}\""));
    assert!(has("parts/__init__.py") && has("parts/rate.py") && !has("json.py"), "{log}");
    sandbox.write("parts/rate.py", "LOW = 2\n");
    run("5").code(3).warns("mine 1");
}

#[test]
fn conformance_finds_what_an_algorithm_breaks() {
    if python("sys").is_none() {
        return;
    }
    let (sandbox, climb_py) = (Sandbox::new(), document_climb());
    let run = |text: &str, check: &str| -> String {
        sandbox.write("mine.py", text);
        let check = format!("operator-{check}");
        // A search that never ends is given up soon.
        let (seconds, outcome) = match text.contains("while True: pass") {
            true => ("1", "unfinished"),
            false => ("60", "failed"),
        };
        let flags = ["conformance", "mine.py", "--only", &check, "--seconds", seconds, "--json"];
        let ran = sandbox.run(&flags).code(3);
        let found: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(found[0]["outcome"], outcome, "{ran}");
        found[0]["seen"].as_str().expect("what was seen").to_owned()
    };
    sandbox.write("mine.py", document_climb());
    let ran = sandbox.run(&["conformance", "mine.py"]).code(0);
    ran.says("5 checks passed, 0 failed, 1 do").says("selections and algorithms");
    let hangs = "while True: pass";
    let chance = "import random; self.rng, self.best = random.SystemRandom(), None";
    let leaks = "Climb.n = getattr(Climb, \"n\", 0) + 1; rng.seed(Climb.n); self.rng, self.best = \
        rng, None";
    let drawn = "self.rng, self.best = rng, None";
    let more = [
        ("length = self.domain.length", hangs, "results", "no end after 10 s"),
        (drawn, chance, "repeatable", "another answer"),
        (drawn, leaks, "repeatable", "another answer"),
        ("pickle.loads(state)", "None", "states", "other genomes from its state after ask 1 on"),
        ("self.best = pickle.loads(state)", "raise KeyError(7)", "states", "KeyError: 7 (mine.py"),
        ("pickle.dumps(self.best)", "self.best", "states", "but must return bytes, as of pickle"),
        (
            "return pickle.dumps(self.best)",
            "self.rng.random(); return pickle.dumps(self.best)",
            "states",
            "other genomes after it was asked for its state",
        ),
    ];
    let known = FAULTS[..6].iter().map(|(line, fault, words)| (*line, *fault, "results", *words));
    for (line, fault, check, words) in known.chain(more) {
        assert!(climb_py.contains(line), "{line}");
        let seen = run(&climb_py.replace(line, fault), check);
        let words = words.rsplit("climb: ").next().expect("words");
        assert!(seen.contains(words), "{fault}: {seen}");
    }
    let deaf = climb_py
        .replace("self.rng.randrange(2) for _", "0 for _")
        .replace("self.rng.random() < 1 / length", "False");
    let seen = run(&deaf, "results");
    assert!(seen.contains("the same genomes for every seed and fitness"), "{seen}");
}

#[test]
fn the_algorithm_of_the_document_runs() {
    if python("sys").is_none() {
        return;
    }
    let (sandbox, page) = (Sandbox::new(), document("docs/own-algorithms.md"));
    sandbox.write("climb.py", document_climb());
    sandbox.write("x.toml", &blocks(&page, "toml")[0]);
    let ran = sandbox.run(&[&["x.toml"], &QUIET[..]].concat()).code(0);
    // Both always succeed.
    assert_eq!(ran.stdout.matches("1.000  0.963 to 1.000").count(), 2, "{ran}");
}
