//! Vector instructions: a run gives the same bytes whichever of them the processor has.

use crate::util::{Ran, Sandbox};

/// Searches that spend their time in loops with versions of their own for some processors.
const SEARCHES: &str = r#"
seed = 4
repeats = 1
[problem]
plugin = "nqueens"
encoding = "rows"
[[operators]]
name = "roulette"
population = 101
scaling = "complement"
selection = "roulette"
crossover = { kind = "one-point", children = 1 }
mutation = { kind = "reset", rate = 0.03 }
[[operators]]
name = "tournament"
population = 300
selection = { kind = "tournament", size = 3 }
crossover = "uniform"
mutation = { kind = "reset", rate = 0.2 }
[[operators]]
name = "random"
algorithm = "random-search"
population = 37
[sweep]
"problem.n" = [8, 30]
[stop]
generations = 10
on-success = "continue"
[output]
trace = "best"
"#;

#[test]
fn every_processor_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", SEARCHES);
    let pmx = SEARCHES
        .replace("\"rows\"", "\"permutation\"")
        .replace("\"uniform\"", "\"pmx\"")
        .replace("{ kind = \"one-point\", children = 1 }", "\"pmx\"")
        .replace("\"reset\"", "\"swap\"");
    sandbox.write("y.toml", pmx);
    let tables = |most: &str| {
        let mut command = sandbox.command();
        let arguments = ["x.toml", "y.toml", "--out", most, "--progress", "none"];
        Ran::new(command.env("RUNNER_VECTORS", most).args(arguments)).code(0);
        ["x/trials", "x/generations", "y/trials", "y/generations"]
            .map(|table| sandbox.read(&format!("{most}/{table}.parquet")))
    };
    let plain = tables("plain");
    for most in ["avx2", "avx512"] {
        assert!(plain == tables(most), "with {most}, the tables are others");
    }
}

#[test]
fn values_that_would_be_ignored_are_refused() {
    let sandbox = Sandbox::new();
    for (name, value, rule) in [
        ("RUNNER_VECTORS", "AVX2", "it is `plain`, `avx2` or `avx512`"),
        ("RUNNER_MOVES", "never", "it is `on`, `off` or `checked`"),
    ] {
        let words = format!("the environment variable {name} is `{value}`: {rule}; correct it");
        Ran::new(sandbox.command().arg("operators").env(name, value)).code(2).warns(&words);
        Ran::new(sandbox.command().arg("operators").env(name, "")).code(0);
    }
}
