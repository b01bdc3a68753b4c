//! Problems that are programs: Python files, and others that speak the protocol.

use crate::util::{Ran, Sandbox, document, eventually, has, root, rows, skip, tables};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The interpreter of the tests: that of RUNNER_TEST_PYTHON, else what `python3` runs.
pub(crate) fn interpreter() -> String {
    std::env::var("RUNNER_TEST_PYTHON").unwrap_or_else(|_| {
        executable().map_or("python3".to_owned(), |path| path.display().to_string())
    })
}

/// The program that `python3` runs. Where that is a script which looks for it, as pyenv's is, the
/// script takes longer than most tests' Python.
fn executable() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let mut asked = Command::new("python3");
        let output = asked.args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
        path.is_file().then_some(path)
    });
    found.as_deref()
}

/// The folders in which programs are looked for: that of `python3` itself comes first, unless it is
/// found there anyway.
pub(crate) fn search_path() -> &'static OsStr {
    static FOLDERS: OnceLock<OsString> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let listed = || std::env::split_paths(&folders);
        let first = listed().find(|folder| folder.join("python3").is_file());
        match executable().and_then(Path::parent) {
            Some(folder) if first.is_some_and(|first| first != folder) => {
                let all = std::iter::once(folder.to_owned()).chain(listed());
                std::env::join_paths(all).unwrap_or_else(|_| folders.clone())
            }
            _ => folders,
        }
    })
}

/// The [`interpreter`], if it has this module. None: the test is skipped.
#[track_caller]
pub(crate) fn python(module: &str) -> Option<String> {
    let name = interpreter();
    let found = Command::new(&name)
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        skip(&format!("{name} has no {module}; see RUNNER_TEST_PYTHON"));
    }
    found.then_some(name)
}

/// A sandbox with the fixtures and the examples; none without Python.
fn sandbox() -> Option<Sandbox> {
    python("sys")?;
    let sandbox = Sandbox::new();
    for name in ["faults.py", "everything.py"] {
        sandbox.write(name, document(&format!("tests/fixtures/python/{name}")));
    }
    for name in
        ["knapsack.py", "knapsack.toml", "packing.py", "packing.toml", "queens.py", "queens.toml"]
    {
        sandbox.write(name, document(&format!("examples/python/{name}")));
    }
    Some(sandbox)
}

fn faults(sandbox: &Sandbox, fault: &str, more: &str) -> String {
    let config = format!(
        "repeats = 40\n[problem]\nplugin = \"faults.py\"\nfault = \"{fault}\"\n{more}\n\
        [[operators]]\npopulation = 10\nselection = \"tournament\"\nmutation = \"bit-flip\"\n\
        [stop]\ngenerations = 5\ntrial-seconds = 20\n"
    );
    sandbox.write("f.toml", config);
    "f.toml".to_owned()
}

const QUIET: [&str; 2] = ["--progress", "none"];

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.run(&[arguments, &QUIET].concat())
}

#[test]
fn a_problem_in_python_has_constraints() {
    let Some(sandbox) = sandbox() else { return };
    let shown = run(&sandbox, &["packing.toml", "--repeats", "10"]).code(0);
    shown.says("feasible");
    let summary = rows(&sandbox, &["results/packing"]);
    for row in &summary {
        assert!(row["success_rate"].as_f64() > Some(0.5), "{row}");
        assert_eq!(row["feasible_rate"], 1.0, "{row}");
    }
    sandbox.run(&["verify", "results/packing", "--trust"]).code(0);
    let wrong = document("examples/python/packing.py")
        .replace("max(0, weight - self.room)", "float(\"nan\")");
    sandbox.write("packing.py", wrong.replace("parameters =", "version = 2\n    parameters ="));
    run(&sandbox, &["packing.toml", "--repeats", "2"])
        .code(1)
        .warns("the violation of row 0 is NaN, but must be a finite number of at least 0");
    let whole = "        return max(0, weight - self.room)\n\n    def violations(self, genomes):\n\
        \x20       return [self.violation(genome) for genome in genomes][1:]\n";
    let wrong = document("examples/python/packing.py")
        .replace("        return max(0, weight - self.room)\n", whole);
    sandbox.write("packing.py", wrong.replace("parameters =", "version = 3\n    parameters ="));
    run(&sandbox, &["packing.toml", "--repeats", "2"])
        .code(1)
        .warns("violations returned 49 numbers, but must return 50");
}

#[test]
fn a_problem_in_python_has_the_same_bytes_in_threads_processes_and_shards() {
    let Some(sandbox) = sandbox() else { return };
    run(&sandbox, &["knapsack.toml", "--repeats", "30", "--jobs", "1"]).code(0);
    let whole = tables(&sandbox, "results/knapsack");
    let more = [
        ["--jobs", "2", "--out", "two"].as_slice(),
        &["--jobs", "2", "--isolation", "process", "--out", "apart"],
    ];
    for arguments in more {
        run(&sandbox, &[&["knapsack.toml", "--repeats", "30"], arguments].concat()).code(0);
        assert!(tables(&sandbox, &format!("{}/knapsack", arguments[arguments.len() - 1])) == whole);
    }
    for shard in ["1/2", "2/2"] {
        run(&sandbox, &["knapsack.toml", "--repeats", "30", "--shard", shard, "--out", "parts"])
            .code(0);
    }
    let parts: Vec<String> = std::fs::read_dir(sandbox.path("parts"))
        .expect("shards")
        .map(|entry| entry.expect("a shard").path().display().to_string())
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    sandbox.run(&[&["merge"], &parts[..], &["--out", "merged"]].concat()).code(0);
    assert!(tables(&sandbox, "merged/knapsack") == whole);
    // The least fitness is known by dynamic programming: nothing is below it.
    let found = rows(&sandbox, &["results/knapsack"]);
    assert!(found.iter().all(|row| row["best_fitness_min"].as_f64() == Some(69.0)), "{found:?}");
    sandbox.run(&["verify", "results/knapsack", "--plugin-dir", "."]).code(0);
}

#[test]
fn every_call_works_in_every_encoding() {
    let Some(sandbox) = sandbox() else { return };
    for kind in ["bits", "integer", "wide", "widest", "permutation", "real", "opaque"] {
        for own in ["true", "false"] {
            let set = ["--set", &format!("kind={kind}"), "--set", &format!("own={own}")];
            let sample = [&["sample", "everything.py", "-n", "40"], &set[..]].concat();
            sandbox.run(&sample).code(0);
            if own == "false" || kind == "opaque" {
                continue;
            }
            let config = format!(
                "repeats = 4\n[problem]\nplugin = \"everything.py\"\nkind = \"{kind}\"\n\
                [[operators]]\npopulation = 8\nselection = \"tournament\"\ncrossover = \
                \"problem\"\nmutation = \"problem\"\n[stop]\ngenerations = 9\n"
            );
            sandbox.write(&format!("{kind}.toml"), config);
            let file = format!("{kind}.toml");
            run(&sandbox, &[&file]).code(0);
            run(&sandbox, &[&file, "--jobs", "2", "--isolation", "process", "--out", "o"]).code(0);
            let (one, two) = (format!("results/{kind}"), format!("o/{kind}"));
            assert!(tables(&sandbox, &one) == tables(&sandbox, &two), "{kind}");
        }
    }
    // Numbered genomes: every one of them once.
    let config = "[problem]\nplugin = \"everything.py\"\nkind = \"bits\"\nlength = 6\n\
        [[operators]]\nalgorithm = \"exhaustive\"\n[stop]\non-success = \"continue\"\n";
    sandbox.write("all.toml", format!("repeats = 1\n{config}"));
    run(&sandbox, &["all.toml"]).code(0);
    let trial = &rows(&sandbox, &["results/all", "--trials"])[0];
    assert_eq!(trial["evaluations"], 64);
    let line = sandbox.run(&[
        "sample",
        "everything.py",
        "--set",
        "kind=bits",
        "--number",
        "5",
        "--format",
        "line",
    ]);
    line.code(0).says("1-0-1-0-0-0");
}

#[test]
fn a_fault_in_python_costs_one_trial_and_says_what_it_was() {
    let Some(sandbox) = sandbox() else { return };
    for (fault, outcome, words) in [
        ("raise", "failed", "ValueError: no such item (faults.py, line 4"),
        ("long", "failed", "ValueError: xxx"),
        ("silent", "failed", "Silent (faults.py, line 5"),
        ("exit", "failed", "SystemExit: 3 (faults.py, line 4"),
        ("_exit", "crashed", "the program exited by itself with code 5"),
        ("segv", "crashed", "the program was ended by signal 11 (SIGSEGV)"),
        ("nan", "failed", "is NaN, but must be a finite number"),
        ("text", "failed", "evaluate returned 'good', but a fitness is a number"),
        ("close", "crashed", "the program exited by itself"),
    ] {
        let config = faults(&sandbox, fault, "");
        run(&sandbox, &[&config, "--out", fault]).code(1);
        let trials = rows(&sandbox, &[&format!("{fault}/f"), "--trials"]);
        let (bad, good): (Vec<&Value>, Vec<&Value>) =
            trials.iter().partition(|row| !row["error"].is_null());
        // Among 40 trials of about 60 genomes each, a share of 0.01 meets some and not all: the
        // seeds are fixed.
        assert!(!bad.is_empty() && !good.is_empty(), "{fault}: {} bad", bad.len());
        for row in bad {
            assert_eq!(row["outcome"], outcome, "{fault}");
            let error = row["error"].as_str().expect("words");
            assert!(error.contains(words), "{fault}: {error}");
        }
    }
    // A reply of the wrong length: every time.
    let config = faults(&sandbox, "short", "");
    let ran = run(&sandbox, &[&config, "--out", "short"]).code(1);
    ran.warns("evaluate returned 9 numbers, but must return 10");
}

/// Values that have no order, that are no rows, or that would be cut.
#[test]
fn what_a_call_returns_is_not_guessed() {
    let Some(sandbox) = sandbox() else { return };
    let error = |body: &str, set: &str| {
        sandbox.write(
            "odd.py",
            format!(
                "from runner import Bits, Selection\n\nclass Problem:\n    def describe(self):\n\
                \x20       return Bits(6, ideal=0)\n{body}\n"
            ),
        );
        sandbox.write(
            "odd.toml",
            format!(
                "repeats = 1\n[problem]\nplugin = \"odd.py\"\ninterpreter = \"{}\"\n[[operators]]\n\
                population = 4\n{set}\nmutation = \"bit-flip\"\n[stop]\nevaluations = 9\n",
                interpreter()
            ),
        );
        run(&sandbox, &["odd.toml", "--out", "odd"]).code(1);
        let trials = rows(&sandbox, &["odd/odd", "--trials"]);
        std::fs::remove_dir_all(sandbox.path("odd")).expect("results");
        trials[0]["error"].as_str().expect("words").to_owned()
    };
    let batch =
        |returned: &str| format!("    def evaluate(self, genomes):\n        return {returned}");
    let single = |lines: &str| format!("    def fitness(self, genome):\n        {lines}");
    let select = "    def fitness(self, genome):\n        return 7 - sum(genome)\n\nclass \
        Half(Selection):\n    def select(self, fitness, violations, count, rng):\n        return";
    let uniform = "selection = \"uniform\"";
    let half = format!(
        "selection = {{ plugin = \"odd.py\", operator = \"half\", interpreter = \"{}\" }}",
        interpreter()
    );
    for (body, set, words) in [
        (batch("{sum(one) for one in genomes}"), uniform, "a set does not say which is whose"),
        (batch("dict(enumerate(genomes))"), uniform, "a dict does not say which is whose"),
        (batch("None"), uniform, "evaluate returned None, but must return 4 numbers"),
        (
            single("import numpy\n        return numpy.complex128(1 + 5j)"),
            uniform,
            "but a fitness is a number",
        ),
        (
            single("return eval(\"1 +\")"),
            uniform,
            "SyntaxError: invalid syntax (<string>, line 1) (odd.py, line 7, in fitness",
        ),
        (
            format!("{select} [one < 3 for one in fitness]"),
            &half,
            "must return numbers of rows, as numpy.flatnonzero gives those of a mask",
        ),
    ] {
        if body.contains("numpy") && self::python("numpy").is_none() {
            continue;
        }
        let error = error(&body, set);
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn a_hang_in_python_ends_with_its_trial() {
    let Some(sandbox) = sandbox() else { return };
    let config = faults(&sandbox, "hang", "share = 0.001");
    let more = ["--set", "stop.trial-seconds=1", "--out", "hang"];
    for isolation in ["thread", "process"] {
        std::fs::remove_dir_all(sandbox.path("hang")).ok();
        run(&sandbox, &[&[&config[..], "--isolation", isolation], &more[..]].concat()).code(1);
        let trials = rows(&sandbox, &["hang/f", "--trials"]);
        let late: Vec<&Value> = trials.iter().filter(|row| row["outcome"] == "timed-out").collect();
        assert!(!late.is_empty() && late.len() < trials.len(), "{isolation}: {}", late.len());
        let error = late[0]["error"].as_str().expect("words");
        assert!(error.contains("did not come back within"), "{error}");
    }
}

/// The limit of a worker process holds for the processes that it starts.
#[cfg(target_os = "linux")]
#[test]
fn a_problem_in_python_that_takes_too_much_memory_costs_its_trial() {
    let Some(sandbox) = sandbox() else { return };
    let config = faults(&sandbox, "memory", "share = 0.002");
    let limit = ["--isolation", "process", "--worker-memory", "900", "--out", "memory"];
    run(&sandbox, &[&[&config[..]], &limit[..]].concat()).code(1);
    let trials = rows(&sandbox, &["memory/f", "--trials"]);
    let bad: Vec<&Value> = trials.iter().filter(|row| row["error"] != Value::Null).collect();
    assert!(!bad.is_empty() && bad.len() < trials.len(), "{} of {}", bad.len(), trials.len());
    for row in bad {
        assert_eq!(row["outcome"], "failed");
        let error = row["error"].as_str().expect("words");
        assert!(error.contains("MemoryError"), "{error}");
    }
}

#[test]
fn what_python_prints_reads_or_floods_harms_nothing() {
    let Some(sandbox) = sandbox() else { return };
    for fault in ["none", "print", "stdin", "flood"] {
        let config = faults(&sandbox, fault, "share = 0.05");
        let ran = run(&sandbox, &[&config, "--out", fault]).code(0);
        match fault {
            "print" => {
                for line in ["from Python", "from below", "from a child"] {
                    assert!(ran.stderr.contains(&format!("faults.py wrote: {line}")), "{ran}");
                }
                assert!(!ran.stdout.contains("from"), "{ran}");
            }
            "flood" => assert!(ran.stderr.len() < 20_000, "{} bytes", ran.stderr.len()),
            _ => assert!(!ran.stderr.contains("wrote"), "{ran}"),
        }
    }
}

/// At its default, a parameter that is added later changes no arm; at others it makes other arms.
#[test]
fn a_parameter_that_is_added_later_leaves_earlier_arms_as_they_are() {
    let Some(sandbox) = sandbox() else { return };
    let problem = |parameters: &str, arguments: &str| {
        [
            "from runner import Bits, Integer",
            "class Problem:",
            &format!("    parameters = {{{parameters}}}"),
            &format!("    def __init__(self, {arguments}):"),
            "        self.n, self.by = n, by",
            "    def describe(self):",
            "        return Bits(self.n, ideal=0, worst=10 * self.by)",
            "    def fitness(self, genome):",
            "        return self.by * sum(genome)",
            "",
        ]
        .join("\n")
    };
    let results = |name: &str, lines: &str| {
        let config = format!(
            "name = \"{name}\"\nrepeats = 3\n[problem]\nplugin = \"own.py\"\n{lines}[[operators]]\n\
            preset = \"simple-ga\"\n[stop]\ngenerations = 3\n"
        );
        sandbox.write("own.toml", config);
        run(&sandbox, &["own.toml"]).code(0);
        let run = sandbox.read(&format!("results/{name}/run.toml"));
        let run = String::from_utf8(run).expect("UTF-8");
        run.lines().find(|line| line.starts_with("results = ")).expect("a hash").to_owned()
    };
    sandbox.write("own.py", problem("\"n\": Integer(10)", "n, by=1"));
    let before = results("before", "");
    let later = "\"n\": Integer(10), \"by\": Integer(1, low=1, high=9).added_later()";
    sandbox.write("own.py", problem(later, "n, by"));
    assert_eq!(results("after", ""), before);
    assert_eq!(results("written", "by = 1\n"), before);
    assert_ne!(results("other", "by = 2\n"), before);
}

#[test]
fn a_python_file_that_cannot_be_used_is_told_with_its_line() {
    let Some(sandbox) = sandbox() else { return };
    let class = "class Problem:\n    def describe(self):\n        return Bits(4)\n";
    let fitness = "    def fitness(self, genome):\n        return 0\n";
    for (text, words) in [
        ("class Problem:\n    def x(self)\n", "SyntaxError: expected ':' (bad.py, line 2)"),
        (
            "import no_such_module_here\n",
            "No module named 'no_such_module_here' (bad.py, line 1: `import no_such_module_here`); \
            install it for",
        ),
        ("x = 1\n", "it has no class called Problem"),
        ("y = 1 / 0\n", "ZeroDivisionError: division by zero (bad.py, line 1: `y = 1 / 0`)"),
        (&format!("from runner import Bits\n{class}"), "has neither `fitness` nor `evaluate`"),
        (&format!("class Problem:\n    x = 1\n{fitness}"), "the class Problem has no `describe`"),
        (
            &format!("{class}{fitness}"),
            "NameError: name 'Bits' is not defined (bad.py, line 3, in describe: `",
        ),
        (
            "from runner import Bits\nclass Problem:\n    parameters = {\"n\": 3}\n",
            "the parameter n is 3, but must be Integer(",
        ),
        (
            "from runner import Real\nclass Problem:\n    parameters = {\"x\": Real(1e999)}\n",
            "the parameter x has inf, but its default and limits must be finite numbers",
        ),
        (
            "from runner import Integer\nclass Problem:\n    parameters = {\"n\": Integer(5, 9)}\n",
            "the parameter n is Integer(5, 9), which is a gene between two numbers",
        ),
        (
            &format!(
                "from runner import Bits\n{class}    def describe(self):\n        return \
                Bits(5 / 2)\n{fitness}"
            ),
            "describe gives the length 2.5, but it must be a whole number of at least 1",
        ),
        (
            &format!(
                "from runner import Integer, Mixed\n{class}    def describe(self):\n        \
                return Mixed([Integer(0, 2**53 + 1)])\n{fitness}"
            ),
            "9007199254740993 is no bound of a gene",
        ),
        (
            &format!("from runner import Bits\nclass Problem:\n    name = \"Bad Name\"\n{fitness}"),
            "its name is `Bad Name`, but a name is",
        ),
    ] {
        sandbox.write("bad.py", text);
        sandbox.write(
            "bad.toml",
            "repeats = 1\n[problem]\nplugin = \"bad.py\"\n[[operators]]\n\
            preset = \"simple-ga\"\n[stop]\ngenerations = 3\n",
        );
        for isolation in ["thread", "process"] {
            let ran = run(&sandbox, &["bad.toml", "--isolation", isolation]).code(3);
            assert!(ran.stderr.contains(words), "{words}\n{ran}");
            assert!(!ran.stderr.contains("Traceback"), "{ran}");
        }
    }
    let with = |key: &str, plugin: &str| {
        sandbox.write(
            "bad.toml",
            format!(
                "repeats = 1\n[problem]\nplugin = \"{plugin}\"\n{key}\n\
            [[operators]]\npreset = \"simple-ga\"\n[stop]\ngenerations = 3\n"
            ),
        );
        run(&sandbox, &["bad.toml"])
    };
    let missing = with("interpreter = \"./venv/bin/python\"", "knapsack.py").code(3);
    missing.warns("venv/bin/python did not start: there is no such program");
    with("interpreter = \"python3\"", "onemax").code(2).warns("is no Python file");
    with("", "nowhere.py").code(3).warns("nowhere.py");
}

#[test]
fn another_file_of_the_same_version_is_refused_and_so_is_a_changed_module_beside_it() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.write("helper.py", "offset = 0\n");
    sandbox.write(
        "p.py",
        "import helper\nfrom runner import Bits\nclass Problem:\n    def \
        describe(self):\n        return Bits(8, ideal=0)\n    def fitness(self, genome):\n        \
        return sum(genome) + helper.offset\n",
    );
    sandbox.write(
        "p.toml",
        "repeats = 5\n[problem]\nplugin = \"p.py\"\n[[operators]]\npreset = \
        \"simple-ga\"\n[stop]\ngenerations = 3\n",
    );
    run(&sandbox, &["p.toml"]).code(0);
    let log = String::from_utf8(sandbox.read("results/p/run.toml")).expect("UTF-8");
    assert!(log.contains("language = \"CPython 3."), "{log}");
    assert!(!sandbox.path("__pycache__").exists());
    sandbox.write("helper.py", "offset = 1\n");
    let ran = run(&sandbox, &["p.toml", "--repeats", "6"]);
    ran.code(3).warns("it has trials from another build of the plugin p 1");
    // With a new version of its own, the trials are others, and the reason is named.
    let text = String::from_utf8(sandbox.read("p.py")).expect("UTF-8");
    sandbox
        .write("p.py", text.replace("class Problem:\n", "class Problem:\n    version = \"2\"\n"));
    let words = "arms with the same settings: another version of a plugin made these trials";
    run(&sandbox, &["p.toml"]).code(0).warns(words);
}

#[test]
fn a_problem_in_python_has_a_name_that_can_be_imported() {
    let sandbox = Sandbox::new();
    for name in ["class", "random", "numpy", "async"] {
        let ran = sandbox.run(&["new", name, "--python"]).code(2);
        ran.warns(&format!("`{name}` is a keyword or a module of Python; choose another name"));
    }
    sandbox.run(&["new", "mine", "--python"]).code(0);
}

#[test]
fn verification_finds_a_problem_that_draws_elsewhere() {
    let Some(sandbox) = sandbox() else { return };
    let config = faults(&sandbox, "draw", "share = 0.5");
    run(&sandbox, &[&config]).code(0);
    let ran = sandbox.run(&["verify", "results/f", "--plugin-dir", "."]);
    assert_eq!(ran.code, Some(1), "{ran}");
}

/// Whether a process is there and no zombie.
#[cfg(target_os = "linux")]
pub(crate) fn alive(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[test]
fn no_program_outlives_a_runner_however_it_ends() {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(sandbox) = sandbox() else { return };
    sandbox.write(
        "busy.py",
        "import os\nfrom runner import Bits\nclass Problem:\n    def \
        describe(self):\n        return Bits(8)\n    def fitness(self, genome):\n        \
        open(f\"pids/{os.getpid()}\", \"w\").close()\n        while True:\n            pass\n",
    );
    sandbox.write(
        "busy.toml",
        "repeats = 4\n[problem]\nplugin = \"busy.py\"\n[[operators]]\npreset \
        = \"simple-ga\"\n[stop]\ngenerations = 3\nfitness = 0\n",
    );
    for (signal, isolation) in [
        (Signal::KILL, "thread"),
        (Signal::KILL, "process"),
        (Signal::INT, "thread"),
        (Signal::TERM, "process"),
    ] {
        std::fs::remove_dir_all(sandbox.path("pids")).ok();
        std::fs::create_dir(sandbox.path("pids")).expect("a folder");
        let arguments = ["busy.toml", "--jobs", "2", "--isolation", isolation];
        let mut command = sandbox.command();
        command.args(arguments).args(QUIET).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("the binary starts");
        let pids = || -> Vec<u32> {
            let entries = std::fs::read_dir(sandbox.path("pids")).expect("a folder");
            let names = entries.map(|entry| entry.expect("a file").file_name());
            names.map(|name| name.to_str().expect("digits").parse().expect("a number")).collect()
        };
        eventually("the programs start", || pids().len() >= 2);
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("Traceback"), "{errors}");
        eventually("the programs end", || !pids().into_iter().any(alive));
    }
}

#[test]
fn a_numpy_problem_gives_what_the_plain_one_gives() {
    let Some(interpreter) = python("numpy") else { return };
    let Some(sandbox) = sandbox() else { return };
    // Attacked pairs of queens, as the shipped plugin counts them: the same numbers from the same
    // genomes, so the same trials.
    let config = |plugin: &str| {
        format!(
            "repeats = 20\n[problem]\n{plugin}\nn = 9\n[[operators]]\npopulation = 30\nselection = \
            \"tournament\"\ncrossover = \"one-point\"\nmutation = \"reset\"\n[stop]\ngenerations = \
            60\n"
        )
    };
    let numpy = format!("plugin = \"queens.py\"\ninterpreter = \"{interpreter}\"");
    sandbox.write("numpy.toml", config(&numpy));
    run(&sandbox, &["numpy.toml"]).code(0);
    let plain = document("examples/python/queens.py")
        .replace("import numpy as np\n", "import itertools\n")
        .replace(
            "        self.first, self.second = np.triu_indices(n, 1)\n        self.distance = \
            self.second - self.first\n",
            "",
        );
    let plain = plain[..plain.find("    def evaluate").expect("its fitness")].to_owned()
        + "    def fitness(self, genome):\n        pairs = \
            itertools.combinations(enumerate(genome), 2)\n        return sum(a == b or abs(a - b) \
            == j - i for (i, a), (j, b) in pairs)\n";
    sandbox.write("plain/queens.py", plain);
    sandbox.write("plain.toml", config("plugin = \"plain/queens.py\""));
    run(&sandbox, &["plain.toml"]).code(0);
    let trials = |name: &str| {
        let mut trials = rows(&sandbox, &[&format!("results/{name}"), "--trials"]);
        for row in &mut trials {
            row.as_object_mut().expect("a row").retain(|key, _| key != "experiment");
        }
        trials
    };
    assert_eq!(trials("numpy"), trials("plain"));
}

#[test]
fn numpy_that_a_function_imports_changes_no_result() {
    let Some(interpreter) = python("numpy") else { return };
    let Some(sandbox) = sandbox() else { return };
    sandbox.write(
        "lazy.py",
        "from runner import Bits\nclass Problem:\n    def describe(self):\n        return Bits(30, \
         ideal=0, worst=30)\n    def sample(self, rng):\n        return [int(rng.random() < 0.3) \
         for _ in range(30)]\n    def mutate(self, genome, rng):\n        return [g ^ \
         (rng.random() < 1 / 30) for g in genome]\n    def fitness(self, genome):\n        \
         import numpy\n        return 30 - float(numpy.sum(genome)) + len(genome + genome) - 60\n",
    );
    sandbox.write(
        "lazy.toml",
        format!(
            "repeats = 6\n[problem]\nplugin = \"lazy.py\"\ninterpreter = \"{interpreter}\"\n\
             [[operators]]\npopulation = 10\nselection = \"tournament\"\nmutation = \"problem\"\n\
             [stop]\nevaluations = 200\n"
        ),
    );
    run(&sandbox, &["lazy.toml", "--jobs", "1", "--out", "one"]).code(0);
    run(&sandbox, &["lazy.toml", "--jobs", "3", "--out", "three"]).code(0);
    assert!(tables(&sandbox, "one/lazy") == tables(&sandbox, "three/lazy"));
    sandbox.run(&["verify", "one/lazy", "--trust"]).code(0).says("6 of 6 trials are the same");
}

#[test]
fn what_is_no_number_fails_its_trial_with_numpy_too() {
    let Some(interpreter) = python("numpy") else { return };
    let Some(sandbox) = sandbox() else { return };
    for (name, import, answer, words) in [
        (
            "text",
            "import numpy",
            "['3' for g in genomes]",
            "returned '3', but a fitness is a number",
        ),
        ("none", "import numpy", "[None for g in genomes]", "returned None, but a fitness is a"),
        ("bytes", "import numpy", "[b'3'] * len(genomes)", "returned b'3', but a fitness is a"),
        ("complex", "import numpy", "genomes.sum(axis=1) + 3j", "but a fitness is a number"),
        (
            "span",
            "import numpy",
            "genomes.sum(axis=1).astype('m8[s]')",
            "but a fitness is a number",
        ),
        (
            "mask",
            "import numpy",
            "numpy.ma.masked_less(genomes.sum(axis=1), 99)",
            "an array with masked values",
        ),
        ("generator", "import numpy", "(1 for g in genomes)", "<generator object"),
        ("large", "import json", "[10**400 for g in genomes]", "a whole number that is too large"),
    ] {
        let text = format!(
            "from runner import Bits\n{import}\nclass Problem:\n    def describe(self):\n        \
             return Bits(8)\n    def evaluate(self, genomes):\n        return {answer}\n"
        );
        sandbox.write(&format!("{name}.py"), text);
        let config = format!(
            "repeats = 2\n[problem]\nplugin = \"{name}.py\"\ninterpreter = \"{interpreter}\"\n\
             [[operators]]\nalgorithm = \"random-search\"\n[stop]\nevaluations = 10\n"
        );
        sandbox.write("no-number.toml", config);
        run(&sandbox, &["no-number.toml", "--out", name]).code(1).warns(words);
    }
}

#[test]
fn descriptions_say_what_they_are_allowed_to_and_what_is_wrong() {
    let Some(sandbox) = sandbox() else { return };
    let sampled = |described: &str, parameter: &str| {
        sandbox.write(
            "described.py",
            format!(
                "from runner import *\nclass Problem:\n    parameters = {{\"p\": {parameter}}}\n\
                 \x20   def __init__(self, p):\n        pass\n    def describe(self):\n        \
                 return {described}\n    def fitness(self, genome):\n        return 0\nclass \
                 Turn(Mutation):\n    def mutate(self, genome, rng):\n        genome.reverse()\n\
                 Alias = Turn\n"
            ),
        );
        sandbox.run(&["sample", "./described.py", "-n", "1"])
    };
    let real = "Real(0.5)";
    sampled("Integers(3, 0, [1, 2, 3])", real).code(0);
    sampled("Reals(3, [0, 0, 0], 1)", real).code(0);
    sampled("Bits(3)", "Real(0.5, low=0.0, high=float('inf'))").code(0);
    sampled("Bits(3, worst=float('inf'))", real).code(3).warns("gives worst = inf, but it must be");
    sampled("Bits(3, ideal=float('nan'))", real).code(3).warns("gives ideal = nan, but it must be");
    sampled("Reals(3, 0, float('inf'))", real).code(3).warns("gives the bound inf");
}

#[test]
fn the_example_in_another_language_answers_as_the_one_in_python() {
    let Some(sandbox) = sandbox() else { return };
    if !has("node") {
        return;
    }
    let program = root().join("examples/javascript/knapsack.js");
    let config = document("examples/python/knapsack.toml");
    let config = config.replace("knapsack.py", program.to_str().expect("UTF-8"));
    sandbox.write("js/knapsack.toml", config);
    run(&sandbox, &["knapsack.toml", "--repeats", "20"]).code(0);
    run(&sandbox, &["js/knapsack.toml", "--repeats", "20", "--out", "js", "--jobs", "2"]).code(0);
    let trials = |folder: &str| {
        let trials = rows(&sandbox, &[folder, "--trials"]);
        trials
            .into_iter()
            .map(|row| {
                (row["seed"].clone(), row["best_fitness"].clone(), row["evaluations"].clone())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(trials("results/knapsack"), trials("js/knapsack"));
    sandbox.run(&[OsStr::new("conformance"), program.as_os_str()]).code(0);
}

#[test]
fn commands_that_take_a_plugin_take_what_runs_it() {
    let Some(sandbox) = sandbox() else { return };
    let python = python("sys").expect("as above");
    let file = root().join("examples/python/knapsack.py");
    let file = file.to_str().expect("UTF-8");
    let with = |command: &str, program: &str| {
        sandbox.run(&[command, file, "--interpreter", program, "--set", "n=8"])
    };
    for command in ["sample", "conformance"] {
        with(command, &python).code(0);
        with(command, "no-such-python").code(3).warns("no-such-python");
    }
}

#[test]
fn a_new_problem_in_python_runs_as_it_is() {
    let Some(sandbox) = sandbox() else { return };
    let ran = sandbox.run(&["new", "zeros", "--python"]).code(0);
    ran.says("Wrote plugins/zeros/zeros.py").says("runner configs/zeros.toml");
    let mut test = Command::new(python("sys").expect("as above"));
    test.args(["-m", "unittest", "discover", "-s", "plugins/zeros"]).current_dir(sandbox.path(""));
    Ran::new(&mut test).code(0);
    run(&sandbox, &["configs/zeros.toml"]).code(0).says("zeros");
    let found = rows(&sandbox, &["results/zeros"]);
    assert_eq!(found[0]["trials"], 100);
    assert!(found[0]["success_rate"].as_f64() > Some(0.9), "{found:?}");
    sandbox.run(&["new", "zeros", "--python"]).code(2).warns("already exists");
}

/// The five minutes of docs/programs.md, step by step.
#[test]
fn the_first_five_minutes_are_as_the_document_tells() {
    let Some(sandbox) = sandbox() else { return };
    let told = document("docs/programs.md");
    let five = &told[told.find("## Five minutes").expect("its heading")..];
    let created = sandbox.run(&["new", "partition", "--python"]).code(0);
    assert!(five.contains(&created.stdout), "{created}");
    let python = five.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    sandbox.write("plugins/partition/partition.py", python.expect("the problem"));
    let config = String::from_utf8(sandbox.read("configs/partition.toml")).expect("UTF-8");
    sandbox.write("configs/partition.toml", config.replace("length = 20", "n = 20"));
    let rules = ["conformance", "plugins/partition/partition.py", "--set", "n=10"];
    let ran = sandbox.run(&rules).code(0);
    let last = ran.stdout.lines().next_back().expect("a line");
    assert!(five.contains(&format!("\n{last}\n")), "docs/programs.md has not\n{last}");
    let mut command = sandbox.command();
    command.env("COLUMNS", "96").args(["configs/partition.toml"]).args(QUIET);
    let ran = Ran::new(&mut command).code(0);
    assert!(five.contains(ran.stdout.trim()), "docs/programs.md has not\n{}", ran.stdout);
}

/// An edited problem, run again, shows the earlier results: the warning below the table says so,
/// and the way out works.
#[test]
fn results_of_an_edited_problem_are_told_below_the_table() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let text = document("examples/python/knapsack.py");
    sandbox.write("knapsack.py", &text);
    sandbox.write(
        "k.toml",
        "repeats = 5\n[problem]\nplugin = \"knapsack.py\"\n[[operators]]\npopulation = 10\n\
        selection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 200\n",
    );
    let before = sandbox.run(&["k.toml"]).code(0).stdout;
    let edited = text.replace("weight <= self.room", "weight < self.room // 2");
    assert_ne!(edited, text);
    sandbox.write("knapsack.py", &edited);
    let again = sandbox.run(&["k.toml"]).code(0);
    assert_eq!(again.stdout, before);
    let words = "warning: these are results of an earlier knapsack.py: the file was changed, and";
    assert_eq!(again.stderr.matches(words).count(), 1, "{again}");
    again.warns("raise `version` in its class, as in `version = \"2\"`");
    let raised = edited.replace("    parameters = ", "    version = \"2\"\n    parameters = ");
    sandbox.write("knapsack.py", raised);
    let new = sandbox.run(&["k.toml"]).code(0);
    assert!(new.stdout != before && !new.stderr.contains("earlier knapsack.py"), "{new}");
}

#[test]
fn a_size_of_the_space_is_a_whole_number() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let config = "repeats = 1\n[problem]\nplugin = \"sized.py\"\n[[operators]]\npreset = \
        \"rls\"\n[stop]\nevaluations = 5\n";
    sandbox.write("a.toml", config);
    for size in ["1024.0", "1024.5", "float('inf')", "'1024'"] {
        let text = format!(
            "from runner import Bits\nclass Problem:\n    def describe(self):\n        return \
            Bits(10, ideal=0, space_size={size})\n    def fitness(self, genome):\n        return \
            sum(genome)\n    def enumerate(self, number):\n        return [number >> place & 1 \
            for place in range(10)]\n"
        );
        sandbox.write("sized.py", text);
        let ran = sandbox.run(&["check", "a.toml"]);
        match size {
            "1024.0" => _ = ran.code(0),
            _ => _ = ran.warns("but it must be a whole number, or None"),
        }
    }
}

/// A problem that fails in every trial ends the run early: no table, but each kind of error once,
/// with its place and the genome. A corrected one runs again.
#[test]
fn a_problem_that_always_fails_stops_the_run() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let text = "from runner import Bits\nclass Problem:\n    def describe(self):\n        return \
                Bits(10, ideal=0)\n    def fitness(self, genome):\n        return 1 / \
                (sum(genome) - sum(genome))\n";
    sandbox.write("bad.py", text);
    sandbox.write(
        "a.toml",
        "repeats = 400\n[problem]\nplugin = \"bad.py\"\n[[operators]]\npopulation = 10\n\
        selection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 50\n",
    );
    let ran = sandbox.run(&["a.toml", "--jobs", "2"]).code(1);
    let words = "ZeroDivisionError: division by zero (bad.py, line 6, in fitness: `return 1 / \
                 (sum(genome) - sum(genome))`; genome ";
    assert_eq!(ran.stderr.matches(words).count(), 1, "{ran}");
    assert!(ran.stdout.is_empty() && !sandbox.path("results/a/trials.parquet").exists(), "{ran}");
    let ran = ran.warns("again: runner replay results/a operators-1 0").warns("--retry-failed");
    let place = |words: &str| ran.stderr.find(words).expect("the words");
    assert!(place(words) < place("a: stopped, because all of the first "), "{ran}");
    // With --keep-going all of them run, and there are tables but no figures.
    let ran = sandbox.run(&["a.toml", "--keep-going"]).code(1);
    assert!(ran.stdout.starts_with("a: all 400 trials failed, so there are no figures\n"), "{ran}");
    sandbox.write("bad.py", text.replace("1 / (sum(genome) - sum(genome))", "sum(genome)"));
    sandbox.run(&["a.toml", "--retry-failed"]).code(0).says("400");
    // One trial that runs is enough to go on.
    let some = text.replace("1 / (sum(genome) - sum(genome))", "1 / min(1, 9 - sum(genome))");
    sandbox.write("bad.py", some);
    let ran = sandbox.run(&["a.toml", "--out", "some"]).code(1);
    assert!(ran.stdout.contains("operators-1") && !ran.stderr.contains("stopped"), "{ran}");
}
