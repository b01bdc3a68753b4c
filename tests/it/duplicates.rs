//! Genomes that come again are evaluated once.

use crate::python::python;
use crate::util::{Ran, Sandbox, rows};
use serde_json::Value;

/// A problem that notes each of its evaluations.
const NOTED: &str = "import os
from runner import Integers

class Problem:
    def describe(self):
        return Integers(3, 0, 5)

    def fitness(self, genome):
        with open(os.environ[\"CALLS\"], \"a\") as calls:
            calls.write(\"x\")
        return sum(genome)
";

const CONFIG: &str = "repeats = 4
[problem]
plugin = \"noted.py\"
[[operators]]
name = \"genetic\"
population = 10
selection = \"uniform\"
crossover = \"uniform\"
mutation = \"reset\"
duplicates = \"GENETIC\"
[[operators]]
name = \"random\"
algorithm = \"random-search\"
population = 25
duplicates = \"RANDOM\"
[stop]
evaluations = 200
on-success = \"continue\"
";

#[test]
fn what_is_reused_is_not_evaluated() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("noted.py", NOTED);
    for rule in ["allow", "reuse", "avoid"] {
        // Random search has no children to draw again.
        let other = if rule == "avoid" { "reuse" } else { rule };
        let config = CONFIG.replace("GENETIC", rule).replace("RANDOM", other);
        sandbox.write(&format!("{rule}.toml"), config);
    }
    let run = |file: &str, arguments: &[&str]| -> (Vec<Value>, u64) {
        _ = std::fs::remove_file(sandbox.path("calls"));
        let calls = sandbox.path("calls");
        let out = format!("{file}-{}", arguments.join(""));
        let config = format!("{file}.toml");
        let arguments = [&[config.as_str(), "--out", &out], arguments].concat();
        Ran::new(sandbox.command().env("CALLS", &calls).args(&arguments)).code(0);
        let trials = rows(&sandbox, &[&format!("{out}/{file}"), "--trials"]);
        (trials, std::fs::metadata(calls).expect("calls").len())
    };
    let saved = |trials: &[Value]| -> u64 {
        trials.iter().map(|trial| trial["evaluations_saved"].as_u64().expect("a number")).sum()
    };
    let (plain, calls) = run("allow", &["--jobs", "1"]);
    assert_eq!(calls, 8 * 200);
    assert!(plain[0].get("evaluations_saved").is_none());
    let (first, calls) = run("reuse", &["--jobs", "1"]);
    assert_eq!(calls, 8 * 200 - saved(&first));
    assert!(saved(&first) > 200);
    for arguments in [&["--jobs", "2"][..], &["--isolation", "process"]] {
        assert_eq!(run("reuse", arguments), (first.clone(), calls), "{arguments:?}");
    }
    let (avoided, calls) = run("avoid", &["--jobs", "2"]);
    assert_eq!(calls, 8 * 200 - saved(&avoided));
    // Most of the 216 genomes are still new when children are drawn again.
    let genetic = |trials: &[Value]| saved(&trials[..4]);
    assert!(genetic(&avoided) < genetic(&first) / 2, "{avoided:?}");
    let verify = ["verify", "reuse---jobs2/reuse"];
    Ran::new(sandbox.command().env("CALLS", sandbox.path("calls")).args(verify)).code(0);
}

#[test]
fn given_genomes_of_known_fitness_are_not_evaluated() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("noted.py", NOTED);
    let given = "[start]\nfile = \"first.csv\"\nfitness = \"cost\"\n";
    let config = CONFIG.replace("GENETIC", "reuse").replace("RANDOM", "allow");
    sandbox.write("x.toml", format!("{config}{given}"));
    let none = CONFIG.replace("GENETIC", "allow").replace("RANDOM", "allow");
    sandbox.write("none.toml", format!("{none}{given}"));
    // No genome has this fitness: it can only come from the file.
    let lines: String = (0..6).map(|gene| format!("{gene},-0.5,{gene},{gene}\n")).collect();
    sandbox.write("first.csv", format!("a,cost,b,c\n{lines}"));
    let run = |arguments: &[&str]| {
        let arguments = [&["x.toml"], arguments].concat();
        Ran::new(sandbox.command().env("CALLS", sandbox.path("calls")).args(arguments))
    };
    run(&["--jobs", "1"]).code(0);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    let best = |trial: &Value| trial["best_fitness"].as_f64().expect("a number");
    assert!(trials[..4].iter().all(|trial| best(trial) == -0.5), "{trials:?}");
    assert!(trials[4..].iter().all(|trial| best(trial) >= 0.0), "{trials:?}");
    let calls = std::fs::metadata(sandbox.path("calls")).expect("calls").len();
    let saved: u64 = trials[..4].iter().filter_map(|one| one["evaluations_saved"].as_u64()).sum();
    assert!(saved >= 4 * 6, "{saved}");
    assert_eq!(calls, 8 * 200 - saved);
    let verify = ["verify", "results/x"];
    Ran::new(sandbox.command().env("CALLS", sandbox.path("calls")).args(verify)).code(0);
    run(&["--jobs", "2", "--isolation", "process", "--out", "two"]).code(0);
    for table in ["summary", "trials"] {
        let of = |folder: &str| sandbox.read(&format!("{folder}/x/{table}.parquet"));
        assert!(of("results") == of("two"), "{table}");
    }
    sandbox.run(&["check", "none.toml"]).code(2).warns("no operator set uses known fitness");
    sandbox.write("first.csv", "1,2,3\n");
    run(&["--out", "three"]).code(2).warns("no heading before it names a column `cost`");
}
