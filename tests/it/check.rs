//! `runner check` shows the arms of a config as a table.

use crate::docs::blocks;
use crate::util::{Ran, Sandbox, document, table};

const SWEEP: &str = r#"
repeats = 1000
[problem]
plugin = "nqueens"
[[operators]]
name       = "a genetic algorithm with tournaments"
population = 10
selection  = { kind = "tournament", size = 2 }
mutation   = { kind = "reset", rate = 0.5 }
[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest", sideways = 10 }
[stop]
generations = 1000
evaluations = 20000
stagnation  = 500
[sweep]
"problem.n" = { from = 4, to = 52, step = 4 }
"operators.climb.algorithm.step" = ["steepest", "first-improvement"]
"#;

fn checked(sandbox: &Sandbox, width: usize, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    command.args(["check", "x.toml"]).args(arguments).env("COLUMNS", width.to_string());
    Ran::new(&mut command).code(0)
}

/// The cells below a heading whose last line ends with these words; the table has a line for each
/// row.
fn cells(ran: &Ran, heading: &str) -> Vec<String> {
    let (headings, rows) = table(&ran.stdout);
    let last = headings.last().expect("headings");
    let start = last.rfind(heading).map(|start| last[..start].chars().count());
    let start = start.unwrap_or_else(|| panic!("no {heading:?}\n{ran}"));
    // A figure ends where its heading ends.
    let end = start + heading.chars().count();
    let cell = |line: &str| {
        let before: String = line.chars().take(end).collect();
        before.rsplit("  ").next().unwrap_or_default().trim().to_owned()
    };
    rows.into_iter().map(cell).collect()
}

/// The cell of the only row below a heading.
pub(crate) fn cell(ran: &Ran, heading: &str) -> String {
    cells(ran, heading).first().expect("a row").clone()
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_word_is_broken() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", SWEEP);
    for width in [80, 120, 180] {
        let ran = checked(&sandbox, width, &[]);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= width), "{ran}");
        for word in ["improvement", "20,000", "500", "generations", "1,000"] {
            assert!(ran.stdout.contains(word), "{word}\n{ran}");
        }
        assert_eq!(ran.stdout.contains("Not shown: "), width < 180, "{ran}");
        assert!(ran.stdout.contains("The first 20 of 39 arms: --rows N shows more."), "{ran}");
    }
}

#[test]
fn a_row_has_the_swept_values_repeats_and_budget_of_its_arm() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", SWEEP.replace("a genetic algorithm with tournaments", "ga"));
    let ran = checked(&sandbox, 180, &["--rows", "100"]);
    let sizes = || (1..14).map(|size| (4 * size).to_string());
    let mut expected: Vec<String> = sizes().collect();
    expected.extend((1..14).flat_map(|size| [(4 * size).to_string(), (4 * size).to_string()]));
    assert_eq!(cells(&ran, "  n")[..], expected[..], "{ran}");
    let steps = cells(&ran, "  step");
    assert_eq!(steps[0], "–", "{ran}");
    assert_eq!(steps[13..15], ["steepest", "first-improvement"], "{ran}");
    assert!(cells(&ran, "repeats").iter().all(|repeats| repeats == "1,000"), "{ran}");
    assert!(!ran.stdout.contains("--rows"), "{ran}");
    // What is swept is not said twice.
    let sweep = "sweep.stop.evaluations=[100, 200]";
    let ran = checked(&sandbox, 180, &["--set", sweep, "--set", "problem.n=8"]);
    assert_eq!(cells(&ran, "evaluations")[..2], ["100", "200"], "{ran}");
    assert_eq!(ran.stdout.matches("budget,").count(), 1, "{ran}");
    let ran = checked(&sandbox, 80, &["--rows", "0"]);
    assert!(ran.stdout.contains("The first 0 of 39 arms") && !ran.stdout.contains('─'), "{ran}");
}

#[test]
fn the_check_in_the_document_is_that_of_its_config() {
    let sandbox = Sandbox::new();
    let told = document("docs/running.md");
    let config = blocks(&told, "toml").into_iter().find(|config| config.contains("[sweep]"));
    sandbox.write("x.toml", config.expect("a config with a sweep"));
    let ran = checked(&sandbox, 80, &["--rows", "5"]);
    // The last line has the time.
    let shown = &ran.stdout[..ran.stdout.find("\n  8 arms x ").expect("the last line")];
    assert!(told.contains(shown), "docs/running.md has not\n{shown}");
}

/// A fitness with random numbers is told before anything runs, in threads and in worker processes;
/// one that follows from the genome is not.
#[test]
fn a_fitness_that_changes_between_calls_is_told() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let problem = |fitness: &str| {
        format!(
            "import random\nfrom runner import Bits\nclass Problem:\n    def describe(self):\n\
            \x20       return Bits(20, ideal=0)\n    def fitness(self, genome):\n\
            \x20       return {fitness}\n"
        )
    };
    sandbox.write(
        "a.toml",
        "repeats = 2\n[problem]\nplugin = \"own.py\"\n[[operators]]\npopulation = 8\nselection = \
        \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 40\n",
    );
    for (fitness, changes) in
        [("30 - sum(genome)", false), ("30 - sum(genome) + random.random()", true)]
    {
        sandbox.write("own.py", problem(fitness));
        for isolation in ["thread", "process"] {
            let ran = sandbox.run(&["check", "a.toml", "--isolation", isolation]).code(0);
            let words = ran.stderr.replace('\n', " ");
            assert_eq!(words.contains("changes when the same genomes"), changes, "{ran}");
            assert_eq!(words.contains("own.py` tests that"), changes, "{ran}");
        }
    }
}

/// A parameter that an algorithm uses with other settings alone, unless an arm of a sweep has them,
/// or it has its usual value.
#[test]
fn parameters_without_effect_are_warned_of() {
    let sandbox = Sandbox::new();
    let warned = |algorithm: &str, sweep: &str| {
        sandbox.write(
            "a.toml",
            format!(
                "repeats = 2\n[problem]\nplugin = \"continuous\"\n[[operators]]\nname = \
                \"one\"\n{algorithm}\n[stop]\nevaluations = 900\nfitness = 1.0\n{sweep}"
            ),
        );
        let said = sandbox.run(&["check", "a.toml"]).code(0).stderr;
        said.contains("operator set `one` does not use")
    };
    let evolution = |more: &str| {
        format!("population = 9\nalgorithm = {{ kind = \"differential-evolution\"{more} }}")
    };
    let strategies = "[sweep]\n\"operators.one.algorithm.strategy\" = [\"rand/1/bin\", \
        \"current-to-pbest/1/bin\"]\n";
    assert!(warned(&evolution(", p = 0.2"), ""));
    assert!(!warned(&evolution(", p = 0.05"), ""));
    assert!(!warned(&evolution(", strategy = \"current-to-pbest/1/bin\", p = 0.2"), ""));
    assert!(!warned(&evolution(", p = 0.2"), strategies));
    assert!(!warned(&evolution(", strategy = \"rand/1/bin\""), ""));
    let covariance = |word: &str| {
        format!("algorithm = {{ kind = \"cma-es\", covariance = \"{word}\", active = false }}")
    };
    assert!(warned(&covariance("none"), "") && !warned(&covariance("full"), ""));
}
