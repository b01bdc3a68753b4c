//! `output.operators = true`: children by operators, from the config to the tables and the picture.

use crate::util::{Sandbox, column, however_run, tables};
use std::path::Path;

const HEAD: &str = "repeats = 6\n[problem]\nplugin = \"onemax\"\nlength = 30\n";
const END: &str = "[stop]\nevaluations = 200\n[output]\ntrace = \"best\"\noperators = true\n";

/// Operator sets with the number of children in a generation; 0 for one that does not count them.
const SETS: [(u32, &str); 4] = [
    (
        8,
        r#"
[[operators]]
name        = "ga"
population  = 10
selection   = { kind = "tournament", size = 2 }
crossover   = { kind = "uniform", rate = 0.6 }
mutation    = { kind = "bit-flip", rate = 0.5 }
replacement = { kind = "elitism", count = 2 }
"#,
    ),
    (
        18,
        r#"
[[operators]]
name       = "islands"
population = 6
algorithm  = { kind = "islands", count = 3, every = 2 }
selection  = "uniform"
crossover  = { kind = "one-point", rate = 0.6 }
mutation   = { kind = "bit-flip", rate = 0.5 }
"#,
    ),
    (
        1,
        r#"
[[operators]]
name        = "one"
population  = 1
selection   = "uniform"
mutation    = "bit-flip"
replacement = { kind = "plus", offspring = 1 }
"#,
    ),
    (
        0,
        r#"
[[operators]]
name      = "climb"
algorithm = "hill-climbing"
"#,
    ),
];

const KINDS: [&str; 4] = ["crossed", "mutated", "crossed_mutated", "cloned"];

fn config(sets: &[(u32, &str)]) -> String {
    let sets: String = sets.iter().map(|(_, set)| *set).collect();
    format!("{HEAD}{sets}{END}")
}

/// Returns rows of columns of numbers.
fn rows<const N: usize>(table: &Path, names: [&str; N]) -> Vec<[f64; N]> {
    let columns = names.map(|name| column(table, name));
    let rows = columns[0].len();
    assert!(columns.iter().all(|column| column.len() == rows), "{names:?}");
    (0..rows).map(|row| columns.each_ref().map(|column| column[row])).collect()
}

#[test]
fn each_generation_has_the_numbers_of_its_children() {
    let sandbox = Sandbox::new();
    let table = sandbox.path("results/x/generations.parquet");
    for set in &SETS[..3] {
        sandbox.write("x.toml", config(&[*set]));
        sandbox.run(&["x.toml"]).code(0);
        let generations = column(&table, "generation");
        let counts = rows(&table, KINDS);
        assert_eq!(generations.len(), counts.len());
        for (generation, counts) in generations.iter().zip(&counts) {
            let due = if *generation == 0.0 { 0.0 } else { f64::from(set.0) };
            assert_eq!(counts.iter().sum::<f64>(), due, "{set:?} {generation} {counts:?}");
        }
    }
    // The last is (1+1): a child is better than its parent where the generation improves.
    let names = ["generation", "best", "mutated", "mutated_better"];
    let rows = rows(&table, names);
    let mut better = 0.0;
    for pair in rows.windows(2).filter(|pair| pair[1][0] > 0.0) {
        let [[_, before, ..], [_, best, mutated, successes]] = [pair[0], pair[1]];
        assert_eq!((mutated, successes), (1.0, f64::from(u8::from(best < before))));
        better += successes;
    }
    assert!(better > 20.0, "{better}");
}

/// The other columns, the trials and their seeds are those of a trace without counts. Algorithms
/// that do not count children have no numbers.
#[test]
fn counts_are_columns_and_change_no_other() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(&SETS));
    for trace in ["best", "population", "genomes"] {
        let set = format!("output.trace={trace}");
        sandbox.run(&["x.toml", "--set", &set]).code(0);
        let plain = ["x.toml", "--set", &set, "--set", "output.operators=false", "--out", "plain"];
        sandbox.run(&plain).code(0);
        let (counted, plain) = ("results/x/generations.parquet", "plain/x/generations.parquet");
        let of = |table: &str, name: &str| column(&sandbox.path(table), name);
        for name in ["trial", "generation", "evaluations", "best", "mean", "worst", "best_so_far"] {
            assert!(of(counted, name) == of(plain, name), "{name}");
        }
        let seeds = ["results", "plain"].map(|out| of(&format!("{out}/x/trials.parquet"), "seed"));
        assert!(seeds[0] == seeds[1]);
        let (all, numbers) = (of(counted, "trial").len(), of(counted, "crossed").len());
        assert!(0 < numbers && numbers < all, "{numbers} of {all}");
    }
}

#[test]
fn the_bytes_are_the_same_however_the_trials_are_run() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(&SETS));
    let one = however_run(&sandbox, "x.toml");
    assert_eq!(one.len(), 3, "with the generations");
    // A part of the trials first: the tables come from the parts.
    sandbox.run(&["x.toml", "--arm", "ga", "--out", "parts"]).code(0);
    sandbox.run(&["x.toml", "--repeats", "5", "--out", "parts"]).code(0);
    sandbox.run(&["x.toml", "--out", "parts"]).code(0);
    assert!(tables(&sandbox, "parts/x") == one);
    sandbox.run(&["verify", "parts/x"]).code(0);
    // Trials without counts are run again, and so are trials with counts that are no longer asked
    // for.
    for (value, words) in [("false", "output.trace = \"best\""), ("true", "operators = true")] {
        let set = format!("output.operators={value}");
        sandbox.run(&["x.toml", "--set", &set, "--out", "parts"]).code(0).warns(words);
    }
    assert!(tables(&sandbox, "parts/x") == one);
}

#[test]
fn the_success_of_operators_is_drawn() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(&SETS));
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["plot", "results/x", "--only", "operators", "--format", "svg"]).code(0);
    let picture = String::from_utf8(sandbox.read("results/x/plots/operators.svg")).expect("UTF-8");
    for (words, is_there) in [
        ("Success of operators", true),
        ("one trial, the first of each arm", true),
        (">crossover and mutation<", true),
        (">islands<", true),
        (">one<", true),
        ("climb", false),
    ] {
        assert_eq!(picture.contains(words), is_there, "{words}");
    }
    sandbox.run(&["x.toml", "--set", "output.operators=false", "--set", "name=y"]).code(0);
    sandbox.run(&["plot", "results/y", "--only", "operators"]).warns("operators");
}

#[test]
fn counts_that_cannot_be_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(&SETS));
    let ran = sandbox.run(&["x.toml", "--set", "output.trace=none"]).code(2);
    ran.warns("there is no trace to count children in").warns("add trace = \"best\" to [output]");
    sandbox.write("y.toml", config(&SETS[3..]));
    let ran = sandbox.run(&["y.toml"]).code(2);
    ran.warns("no operator set has children that could be counted").warns("deterministic-crowding");
    assert!(!sandbox.path("results").exists());
}
