//! `runner conformance`: each check finds the fault that is made for it, and the included problems
//! have none.

use crate::util::{Ran, Sandbox, document, root, sized};
use serde_json::Value;
use std::process::Command;

/// A sandbox with tests/fixtures/c/unruly.c as a library.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-I"]);
    compiler.arg(root().join("plugins/sdk/include"));
    compiler.arg(root().join("tests/fixtures/c/unruly.c"));
    Ran::new(compiler.arg("-o").arg(sandbox.path("libunruly.so"))).code(0);
    sandbox
}

/// Trials with such moves are the same each time. That the comparison with whole genomes finds them
/// is no sign of another process.
#[test]
fn verify_names_wrong_moves_as_the_cause() {
    let sandbox = sandbox();
    sandbox.write(
        "x.toml",
        "repeats = 3\n[problem]\nplugin = \"unruly\"\nfault = \"stale\"\n[[operators]]\n\
        algorithm = \"hill-climbing\"\n[stop]\nevaluations = 100\n",
    );
    let here = ["--plugin-dir", "."];
    let run = |arguments: &[&str]| {
        Ran::new(sandbox.command().args(arguments).args(here).env("RUNNER_MOVES", "on"))
    };
    run(&["x.toml", "--progress", "none"]).code(0);
    let ran = run(&["verify", "results/x", "--all"]).code(1);
    let ran = ran.says("0 of 3 trials are the same").says("why: the plugin's moves do not have");
    assert!(!ran.stdout.contains("another process"), "{ran}");
}

/// What the checks found: name, outcome and what was seen.
fn found(ran: &Ran) -> Vec<[String; 3]> {
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).expect("a JSON array");
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
    rows.iter().map(|row| ["check", "outcome", "seen"].map(|key| text(row, key))).collect()
}

/// The fault, the check that must find it, and its words.
const FAULTS: [(&str, &str, &str); 44] = [
    ("second", "repeatable", "`evaluate` gave another answer to the same call"),
    ("unseeded", "repeatable", "`sample` gave another answer to the same call"),
    ("neighbours", "rows", "`evaluate` gave other answers when"),
    ("threads", "threads", "`evaluate` gave another answer while 4 threads called it"),
    ("instances", "instances", "`evaluate` gave another answer in a second instance"),
    ("process", "processes", "two processes gave different answers"),
    ("others", "others", "an instance answers otherwise where there are instances with other"),
    ("constant", "sampling", "samples are the same genome"),
    ("one-seed", "sampling", "another seed gives the same genomes"),
    ("bounds", "sampling", "gene 0 of row 0 is 7, outside its bounds 0 to 1"),
    ("invalid", "validity", "0 of "),
    ("children", "operators", "genomes that crossover made of valid ones break"),
    ("no-mutation", "operators", "mutate changed none of"),
    ("no-crossover", "operators", "every child is its first parent"),
    ("number", "numbering", "the genome that enumerate gives for 0 has the number 1"),
    ("few-numbers", "numbering", "the genome that enumerate gives for 1023 has the number 511"),
    ("nan", "fitness", "is NaN, but must be a finite number"),
    ("worst", "fitness", "above 10, which the plugin states as the worst"),
    ("ideal", "ideal", "the least fitness of all 1024 genomes is 0, the ideal -3"),
    ("noise", "noise", "0 have another fitness by another seed, 0 in another row"),
    ("moves", "moves", "but `evaluate` gives the genome it leads to"),
    ("moved", "moves", "genome or state are not as they were before the call"),
    ("stale", "moves", "but `evaluate` gives the genome it leads to"),
    ("garbage", "moves", "but `evaluate` gives the genome it leads to"),
    ("one-sided", "conflicts", "conflicts are not mutual"),
    ("stale-conflicts", "conflicts", "conflicts by the state, and"),
    ("unwritten-conflicts", "conflicts", "the plugin did not write the number of position"),
    ("asked", "conflicts", "depend on the genes that are also asked for"),
    ("constructed", "conflicts", "gives row 1 another genome if it is asked for alone"),
    ("two-lines", "rendering", "line: has 2 lines"),
    ("utf8", "rendering", "the rendering is not UTF-8"),
    ("escape", "rendering", "line: has the control character"),
    ("no-end", "rendering", "board: does not end with a line feed"),
    ("not-xml", "rendering", "svg: is not XML"),
    ("no-namespace", "rendering", "svg: lacks xmlns"),
    ("script", "rendering", "svg: has an element <script>"),
    ("handler", "rendering", "svg: has a handler onclick"),
    ("link", "rendering", "svg: has a link to \"https://example.org/a.png\""),
    ("style", "rendering", "svg: loads something from elsewhere"),
    ("leak", "memory", "144 calls took"),
    ("instance-leak", "memory", "144 instances took"),
    ("own-leak", "memory", "calls took"),
    ("extreme", "parameters", "size = 99: plugin `unruly`: create ended the program"),
    ("crash", "speed", "evaluate ended the program: it was ended by signal 6 (SIGABRT)"),
];

#[cfg(target_os = "linux")]
#[test]
fn each_check_finds_the_fault_that_is_made_for_it() {
    let sandbox = sandbox();
    let run = |fault: &str, arguments: &[&str]| {
        let set = format!("fault={fault}");
        let all = ["conformance", "unruly", "--plugin-dir", ".", "--json", "--set", &set];
        sandbox.run(&[&all, arguments].concat())
    };
    for (fault, check, words) in FAULTS {
        let ran = run(fault, &["--only", check]).code(3);
        let [[name, outcome, seen]] = &found(&ran)[..] else { panic!("one check\n{ran}") };
        assert_eq!((name.as_str(), outcome.as_str()), (check, "failed"), "{fault}");
        assert!(seen.contains(words), "{fault}: {seen}");
    }
    run("noisy", &["--only", "noise", "--only", "rows", "--only", "threads"]).code(0);
    let hung = run("hang", &["--only", "rows", "--seconds", "1"]).code(3);
    let [_, outcome, seen] = &found(&hung)[0];
    let words = "no end after 10 s, 10 times --seconds: it hangs or needs more";
    assert_eq!((outcome.as_str(), seen.as_str()), ("unfinished", words));
    // Without a fault, every check passes; a refusal in words is none.
    for fault in ["none", "refuses"] {
        let ran = run(fault, &[]).code(0);
        let found = found(&ran);
        let has_passed = |[name, outcome, _]: &[String; 3]| outcome == "passed" || name == "noise";
        assert!(found.iter().all(has_passed), "{found:?}");
        let tried: std::collections::BTreeSet<&str> = FAULTS.iter().map(|fault| fault.1).collect();
        assert_eq!(found.len(), tried.len(), "each check has a fault: {found:?}");
    }
}

#[test]
fn the_included_problems_keep_the_rules() {
    let sandbox = Sandbox::new();
    // One of each encoding, then the others.
    let mut problems = vec![
        vec!["nqueens", "--set", "n=6"],
        vec!["chess960"],
        vec!["pbo", "--set", "n=16"],
        vec!["continuous"],
        vec!["nqueens", "--set", "n=6", "--set", "encoding=permutation"],
        vec!["onemax", "--set", "noise=0.3"],
        vec!["onemax", "--set", "noise=0.002"],
        vec!["onemax"],
        vec!["bbob", "--set", "function=20", "--set", "n=3"],
        vec!["chess960", "--set", "invalid=keep"],
        vec!["coloring", "--set", "graph=myciel3"],
        vec!["tsp", "--set", "n=7"],
        vec!["jobshop", "--set", "jobs=3", "--set", "machines=3"],
        vec!["maxcut", "--set", "n=12"],
        vec!["maxsat", "--set", "variables=9"],
        vec!["qap", "--set", "n=6"],
        vec!["knapsack", "--set", "n=9"],
        vec!["landscapes", "--set", "n=9"],
        vec!["landscapes", "--set", "landscape=w-model", "--set", "n=9", "--set", "epistasis=4"],
    ];
    problems.truncate(sized(2, 19) as usize);
    if crate::python::python("sys").is_some() {
        for name in ["knapsack.py", "packing.py"] {
            sandbox.write(name, document(&format!("examples/python/{name}")));
        }
        let examples = [vec!["./packing.py"], vec!["./knapsack.py"]];
        problems.extend(examples.into_iter().take(sized(1, 2) as usize));
    }
    for problem in problems {
        let ran = sandbox.run(&[&["conformance", "--json"], &problem[..]].concat());
        let broken: Vec<_> = found(&ran)
            .into_iter()
            .filter(|[_, outcome, _]| outcome != "passed" && outcome != "skipped")
            .collect();
        assert!(broken.is_empty(), "{problem:?}: {broken:?}");
        ran.code(0);
    }
}

/// A cache of the class whose key lacks the parameters, and one whose key has them.
#[test]
fn a_cache_that_instances_with_other_parameters_share_is_found() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    for (key, code) in [("tuple(genome)", 3), ("(self.target, *genome)", 0)] {
        let problem = format!(
            "from runner import Bits, Integer\n\nclass Problem:\n    \
            parameters = {{\"target\": Integer(3, low=0, high=8)}}\n    SEEN = {{}}\n    \
            def __init__(self, target):\n        self.target = target\n    \
            def describe(self):\n        return Bits(8, ideal=0, worst=100)\n    \
            def fitness(self, genome):\n        \
            key = {key}\n        if key not in self.SEEN:\n            \
            self.SEEN[key] = abs(sum(genome) - self.target)\n        return self.SEEN[key]\n"
        );
        sandbox.write("cached.py", problem);
        let ran = sandbox.run(&["conformance", "./cached.py", "--json", "--only", "others"]);
        let [[_, outcome, seen]] = &found(&ran)[..] else { panic!("one check\n{ran}") };
        assert_eq!(outcome, if code == 0 { "passed" } else { "failed" }, "{seen}");
        ran.code(code);
    }
}

/// By the interpreter's own count: an object per call is far less than a heap grows by otherwise.
#[test]
fn a_problem_in_python_that_keeps_an_object_leaks() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    for (kept, what) in [("", None), ("genome", Some("calls")), ("self", Some("instances"))] {
        let (call, instance) = match kept {
            "genome" => ("KEPT.append([])", "pass"),
            "self" => ("pass", "KEPT.append(self)"),
            _ => ("pass", "pass"),
        };
        let problem = format!(
            "from runner import Bits\nKEPT = []\nclass Problem:\n    def __init__(self):\n        \
            {instance}\n    def describe(self):\n        return Bits(8, ideal=0, worst=8)\n    \
            def fitness(self, genome):\n        {call}\n        return 8 - sum(genome)\n"
        );
        sandbox.write("leaky.py", problem);
        let ran = sandbox.run(&["conformance", "./leaky.py", "--json", "--only", "memory"]);
        let [[_, _, seen]] = &found(&ran)[..] else { panic!("one check\n{ran}") };
        match what {
            Some(what) => {
                ran.code(3);
                let words = format!("144 {what} took ");
                assert!(seen.starts_with(&words) && seen.contains("blocks of memory"), "{seen}");
            }
            None => _ = ran.code(0),
        }
    }
}

/// A check that has too little time says so, and neither that a leak was found nor that none was.
#[test]
fn without_time_the_memory_check_gives_no_verdict() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let problem = "import time\nfrom runner import Bits\nclass Problem:\n    \
        def describe(self):\n        return Bits(8, ideal=0, worst=8)\n    \
        def fitness(self, genome):\n        time.sleep(0.1)\n        return 8 - sum(genome)\n";
    sandbox.write("slow.py", problem);
    let only = ["--json", "--only", "memory", "--seconds", "1"];
    let ran = sandbox.run(&[&["conformance", "./slow.py"], &only[..]].concat()).code(0);
    let [[_, outcome, seen]] = &found(&ran)[..] else { panic!("one check\n{ran}") };
    assert_eq!(outcome, "skipped");
    assert!(seen.starts_with("no verdict: time ran out after "), "{seen}");
}

/// The fixture in Rust, by the SDK's default; a problem without moves has nothing to check.
#[test]
fn wrong_moves_of_the_sdk_are_found() {
    let sandbox = Sandbox::new();
    let check = |plugin: &str, fault: &str| {
        let mut arguments = vec!["conformance", plugin, "--json", "--only", "moves"];
        arguments.extend(if fault.is_empty() { vec![] } else { vec!["--set", fault] });
        sandbox.run(&arguments)
    };
    let [[_, outcome, seen]] = &found(&check("faulty", "fault=moves").code(3))[..] else {
        panic!("one check")
    };
    assert_eq!(outcome, "failed");
    assert!(seen.contains("evaluate_moves: move "), "{seen}");
    for (plugin, set, expected) in [
        ("faulty", "", "skipped"),
        ("continuous", "", "skipped"),
        ("nqueens", "n=40", "passed"),
        ("pbo", "problem=labs", "passed"),
    ] {
        let [[_, outcome, seen]] = &found(&check(plugin, set).code(0))[..] else {
            panic!("one check")
        };
        assert_eq!(outcome, expected, "{plugin}: {seen}");
    }
}

#[test]
fn a_table_says_the_rule_and_what_was_seen() {
    let sandbox = Sandbox::new();
    let only = ["--only", "numbering", "--only", "ideal"];
    let ran = sandbox.run(&[&["conformance", "chess960"], &only[..]].concat()).code(0);
    ran.says("enumerate and number are each")
        .says("the least fitness of all 960 genomes")
        .says("2 checks passed, 0 failed, 0 do not apply.");
    sandbox.run(&["conformance", "chess960", "--only", "x"]).code(2).warns("there is no check `x`");
    sandbox.run(&["conformance", "chess961"]).code(3).warns("chess961");
    sandbox.run(&["conformance", "chess960", "--set", "m=1"]).code(2).warns("m");
}
