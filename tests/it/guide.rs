//! The plugins of which the guide shows a part, as whole ones; the boards of a lesson.

use crate::docs::{blocks, cargo};
use crate::typed::commands;
use crate::util::{Ran, Sandbox, document};
use std::collections::BTreeSet;

/// What the guide does not show of a knapsack whose instance is random.
const KNAPSACK: &str = r#"
use rand_xoshiro::Xoshiro256PlusPlus;
use runner_plugin::rand::{RngExt, SeedableRng};
use runner_plugin::{
    Description, Instance, Parameter, Parameters, Plugin, Problem, RowRng, Violation,
};

struct Knapsack {
    weights: Vec<f64>,
    capacity: f64,
}

impl Knapsack {
    fn weight(&self, genome: &[u8]) -> f64 {
        self.weights.iter().zip(genome).map(|(weight, &gene)| weight * f64::from(gene)).sum()
    }
}

impl Plugin for Knapsack {
    const NAME: &'static str = "knapsack";
    const SUMMARY: &'static str = "Leave few items out.";
    const PARAMETERS: &'static [Parameter] = &[PARAMETER];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        GENERATOR
        let weights: Vec<f64> = (0..12).map(|_| rng.random_range(1.0..9.0)).collect();
        Ok(Knapsack { capacity: weights.iter().sum::<f64>() / 2.0, weights }.into())
    }
}

impl Problem for Knapsack {
    type Gene = u8;

    fn describe(&self) -> Description {
        Description::bits(12)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        genome.iter().filter(|&&gene| gene == 0).count() as f64
    }

    VIOLATION
}

runner_plugin::export!(Knapsack);
"#;

/// What the guide does not show of queens that have moves; the three dots are `REST`.
const QUEENS: &str = r#"
use runner_plugin::rand::RngExt;
use runner_plugin::{
    ConflictCalls, Conflicting, Description, Incremental, Instance, MoveCalls, Parameter,
    Parameters, Plugin, Problem, RowRng,
};

struct Queens {
    n: usize,
}

impl Plugin for Queens {
    const NAME: &'static str = "queens";
    const SUMMARY: &'static str = "Queens that do not attack each other.";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::integer("n", 4..=200, "Queens.").default_integer(8)];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        Ok(Queens { n: parameters.integer("n") as usize }.into())
    }
}

runner_plugin::export!(Queens);
"#;

const REST: &str = r#"
    type Gene = u8;

    fn describe(&self) -> Description {
        Description::integers(self.n, 0, self.n as u32 - 1).ideal(0.0)
    }

    fn sample(&self, rng: &mut RowRng, board: &mut [u8]) {
        board.fill_with(|| rng.random_range(0..self.n) as u8);
    }

    fn fitness(&self, board: &[u8]) -> f64 {
        let place = |column: usize| (column as i32, i32::from(board[column]));
        let pairs = (0..self.n).flat_map(|one| (0..one).map(move |other| (one, other)));
        let clash = |&(one, other): &(usize, usize)| {
            let ((column, row), (left, other)) = (place(one), place(other));
            row == other || (row - other).abs() == column - left
        };
        pairs.filter(clash).count() as f64
    }
"#;

const TURNED: &str = r#"
repeats   = 2
problem   = { plugin = "nqueens", n = 8, encoding = "permutation" }
stop      = { evaluations = 50 }

[[operators]]
population = 8
selection  = "uniform"
mutation   = { plugin = "rotation", most = 2 }
"#;

/// Builds a plugin beside the first one of the guide, with that one's manifest.
fn build(sandbox: &Sandbox, name: &str, source: &str) {
    let manifest = sandbox.read("plugins/partition/Cargo.toml");
    let manifest = String::from_utf8(manifest).expect("UTF-8").replace("partition", name);
    let more = "runner-plugin = { path = \"../sdk\" }";
    let manifest = manifest.replace(more, &format!("{more}\nrand_xoshiro = \"0.8\""));
    let folder = format!("plugins/{name}");
    sandbox.write(&format!("{folder}/Cargo.toml"), manifest);
    sandbox.write(&format!("{folder}/Cargo.lock"), document("Cargo.lock"));
    sandbox.write(&format!("{folder}/src/lib.rs"), source);
    let built = cargo(sandbox, &folder, &["build"]);
    assert!(!built.stderr.contains("warning"), "{built}");
}

/// Builds and tries what the guide shows after its first plugin: a parameter, a generator and a
/// violation of one, moves and conflicts of another, and an operator.
pub(crate) fn the_other_plugins_build_and_run(sandbox: &Sandbox, shown: &[String]) {
    let [parameter, generator, violation, moves, conflicts, operator] = shown else {
        panic!("plugins/README.md shows six parts of plugins after the first one")
    };
    let knapsack = KNAPSACK.replace("PARAMETER]", &format!("{parameter}]"));
    let knapsack = knapsack.replace("GENERATOR", generator).replace("VIOLATION", violation);
    build(sandbox, "knapsack", &knapsack);
    let (declared, told) = conflicts.split_once("}\n").expect("a constant, then a trait");
    let (_, constant) = declared.split_once("    …\n").expect("the rest of the problem");
    let moves = moves.replace("    …\n", &format!("{REST}{constant}"));
    build(sandbox, "queens", &format!("{QUEENS}{moves}{told}"));
    build(sandbox, "rotation", operator);
    build(sandbox, "blind", &blocks(&document("docs/own-algorithms.md"), "rust")[0]);
    let dir = sandbox.path("built/debug");
    let run = |arguments: &[&str]| -> Ran {
        let dir = dir.to_str().expect("UTF-8");
        sandbox.run(&[arguments, &["--plugin-dir", dir]].concat()).code(0)
    };
    let passed = |plugin: &str, check: &str| {
        run(&["conformance", plugin, "--only", check]).says("1 checks passed, 0 failed");
    };
    passed("knapsack", "parameters");
    run(&["sample", "knapsack", "--set", "instance=2"]);
    passed("queens", "moves");
    passed("queens", "conflicts");
    passed("rotation", "operator-results");
    passed("blind", "operator-repeatable");
    sandbox.write("rotation.toml", TURNED);
    run(&["rotation.toml"]);
}

/// A class of 30 gets 60 boards of eight queens that are all different, by the lesson's command.
#[test]
fn every_pupil_gets_boards_of_their_own() {
    let sandbox = Sandbox::new();
    let page = commands(&document("docs/teaching.md"));
    let sample = page.iter().find(|one| one.words.starts_with("runner sample nqueens"));
    let words = sample.expect("a command that prints boards").words.split(' ').skip(1);
    let printed =
        sandbox.run(&words.chain(["--format", "genes"]).collect::<Vec<_>>()).code(0).stdout;
    let boards: BTreeSet<&str> = printed.lines().collect();
    assert_eq!((boards.len(), printed.lines().count()), (60, 60), "{printed}");
}
