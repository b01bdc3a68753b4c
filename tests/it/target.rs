//! `runner target`: one trial for a configurator, as its target runner.

use crate::docs::blocks;
use crate::python::python;
use crate::util::{Ran, Sandbox, document, rows, skip};
use std::process::Command;

/// The experiment of the document, without its tuning.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let page = document("docs/tuning.md");
    let tuning = &blocks(&page, "toml")[0];
    let (experiment, _) = tuning.split_once("[tune]").expect("a tuning");
    sandbox.write("ea.toml", experiment);
    sandbox
}

/// Parameter and its value.
const RATE: [&str; 2] = ["--operators.mutation.gene-rate", "0.02"];

#[test]
fn the_cost_is_that_of_the_trial_in_the_tables() {
    let sandbox = sandbox();
    let set = ["--set", "operators.mutation.gene-rate=0.02", "--set", "problem.length=30"];
    sandbox.run(&[&["ea.toml", "--repeats", "1", "--seed", "42"][..], &set].concat()).code(0);
    let trial = &rows(&sandbox, &["results/ea", "--trials"])[0];
    let cost = trial["evaluations_to_success"].as_u64().expect("a success");
    let ask = |words: &[&str]| {
        let asked = [&["target", "ea.toml"], words].concat();
        sandbox.run(&asked).code(0).stdout.trim_end().to_owned()
    };
    let irace = ["--as", "irace", "3", "1", "42", "problem.length=30", RATE[0], RATE[1]];
    assert_eq!(ask(&irace), cost.to_string());
    let timed = ask(&[&["--time"], &irace[..]].concat());
    let (first, seconds) = timed.split_once(' ').expect("two numbers");
    assert_eq!(first, cost.to_string());
    seconds.parse::<f64>().expect("seconds");
    let paramils = ["--as", "paramils", "problem.length=30", "0", "5", "0", "42"];
    let answer = ask(&[&paramils[..], &RATE].concat());
    assert!(answer.starts_with("Result for ParamILS: SAT, "), "{answer}");
    assert!(answer.ends_with(&format!(", {cost}, {cost}, 42")), "{answer}");
    // Within ten evaluations there is no success.
    let short = ["--as", "paramils", "problem.length=30", "0", "5", "10", "42"];
    let answer = ask(&[&short[..], &RATE].concat());
    assert!(answer.starts_with("Result for ParamILS: TIMEOUT, "), "{answer}");
    assert!(answer.ends_with(", 10, 100, 42"), "{answer}");
    let smac = ["--instance=problem.length=30", "--seed=42", "--operators.mutation.gene-rate=0.02"];
    let answer = ask(&[&["--as", "smac"][..], &smac].concat());
    assert!(answer.starts_with(&format!("cost={cost}; runtime=")), "{answer}");
    assert!(answer.ends_with("; status=SUCCESS"), "{answer}");
    let fitness = ask(&[&["--as", "smac", "--cost", "fitness"][..], &smac].concat());
    assert!(fitness.starts_with("cost=0; "), "{fitness}");
}

/// The file of `runner init` has a baseline, for which no configurator asks.
#[test]
fn a_baseline_takes_no_part() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "x.toml", "--yes", "--plugin", "onemax"]).code(0);
    let words = ["target", "x.toml", "--as", "irace", "1", "1", "5", "-"];
    let cost = sandbox.run(&words).code(0).stdout;
    assert_eq!(
        sandbox
            .run(&[&words[..2], &["--set", "baseline=false"], &words[2..]].concat())
            .code(0)
            .stdout,
        cost
    );
    sandbox
        .run(&[&words[..2], &["--set", "baseline=true"], &words[2..]].concat())
        .code(2)
        .warns("leave one operator set, and no sweep");
}

/// irace rejects settings with an infinite cost at once.
#[test]
fn a_trial_without_a_feasible_genome_has_a_finite_cost() {
    let sandbox = Sandbox::new();
    let text = "[problem]\nplugin = \"coloring\"\ngraph = \"queen5_5\"\ncolors = 5\n[[operators]]\n\
        algorithm = \"random-search\"\n[stop]\nevaluations = 50\n";
    sandbox.write("x.toml", text);
    let target = ["target", "x.toml", "--cost", "fitness", "--as"];
    let ran = sandbox.run(&[&target[..], &["irace", "1", "1", "1", "-"]].concat()).code(0);
    let cost: f64 = ran.stdout.trim().parse().expect("a number");
    sandbox.run(&["x.toml", "--repeats", "1", "--seed", "1", "--progress", "none"]).code(0);
    let trials = crate::util::rows(&sandbox, &["results/x", "--trials"]);
    let violation = trials[0]["best_violation"].as_f64().expect("a number");
    // The worst is a colour for each of 25 vertices, or for each that there is.
    assert!(violation > 0.0 && (cost - violation == 5.0 || cost - violation == 25.0), "{cost}");
}

#[test]
fn what_cannot_be_a_target_is_refused() {
    let sandbox = sandbox();
    let irace = |words: &[&str]| {
        sandbox
            .run(&[&["target", "ea.toml"], words, &["--as", "irace", "1", "1", "42", "-"]].concat())
    };
    irace(&["--set", "stop.evaluations=[10, 20]"]).code(2).warns("stop.evaluations");
    sandbox
        .run(&["target", "ea.toml", "--as", "irace", "1", "1", "42", "-", "--a", "1"])
        .code(2)
        .warns("unknown key `a`");
    sandbox.run(&["target", "ea.toml", "--as", "irace", "1", "1", "x", "-"]).code(2).warns("seed");
    let two = String::from_utf8(sandbox.read("ea.toml")).expect("UTF-8");
    sandbox
        .write("two.toml", two.replace("[stop]", "[sweep]\n\"problem.length\" = [20, 30]\n[stop]"));
    sandbox
        .run(&["target", "two.toml", "--as", "irace", "1", "1", "42", "-"])
        .code(2)
        .warns("leave one operator set, and no sweep");
    sandbox.write("endless.toml", two.replace("evaluations = 3000", "generations = 3000"));
    let endless = ["target", "endless.toml", "--as", "irace", "1", "1", "42", "-"];
    sandbox.run(&endless).code(2).warns("choose --cost fitness");
    irace(&["--cost", "fitness"]).code(0);
}

/// A plugin that ends the program is reported, whatever exit code it chose.
#[test]
fn a_plugin_that_ends_the_program_is_named() {
    let sandbox = Sandbox::new();
    for fault in ["abort", "exit"] {
        let config = format!(
            "[problem]\nplugin = \"faulty\"\nfault = \"{fault}\"\nlength = 16\n[[operators]]\n\
            algorithm = \"random-search\"\n[stop]\ngenerations = 5\n"
        );
        sandbox.write("ends.toml", config);
        let words = ["--as", "irace", "--cost", "fitness", "1", "1", "7", "-"];
        let ran = sandbox.run(&[&["target", "ends.toml"], &words[..]].concat()).code(3);
        ran.warns("plugin `faulty`: evaluate ended the program");
    }
}

/// Writes a script of the document, with the path of the binary.
fn script(sandbox: &Sandbox, name: &str, configurator: &str) {
    let page = document("docs/tuning.md");
    let scripts = blocks(&page, "sh");
    let text = scripts.iter().find(|text| text.contains(&format!("--as {configurator}")));
    let runner = format!("{} target", env!("CARGO_BIN_EXE_runner"));
    sandbox.program(name, text.expect("a script").replace("runner target", &runner));
}

/// Checks that some of the rates that a configurator printed is near the best, which is some 1/45.
fn assert_good(ran: &Ran, rates: impl Iterator<Item = f64>) {
    let rates: Vec<f64> = rates.collect();
    assert!(rates.iter().any(|rate| (0.01..0.05).contains(rate)), "{rates:?}\n{ran}");
}

#[test]
fn irace_tunes_by_its_target_runner() {
    let irace = "irace::irace.cmdline(c('--scenario', 'scenario.txt'))";
    let has_irace = Command::new("Rscript").args(["-e", "library(irace)"]).output();
    if !has_irace.is_ok_and(|output| output.status.success()) {
        return skip("R has no irace");
    }
    let sandbox = sandbox();
    script(&sandbox, "target-runner", "irace");
    let page = document("docs/tuning.md");
    let texts = blocks(&page, "text");
    for (name, begins) in [
        ("parameters.txt", "gene_rate"),
        ("instances.txt", "problem.length"),
        ("scenario.txt", "parameterFile"),
    ] {
        let text = texts.iter().find(|text| text.starts_with(begins)).expect(name);
        sandbox.write(name, text);
    }
    let mut command = Command::new("Rscript");
    let ran = Ran::new(command.args(["-e", irace]).current_dir(sandbox.path(""))).code(0);
    let found = ran.stdout.lines().filter_map(|line| line.split_once("gene-rate="));
    let rates: Vec<f64> = found.filter_map(|(_, rate)| rate.trim().parse().ok()).collect();
    assert_good(&ran, rates.into_iter());
}

#[test]
fn smac_tunes_by_its_script() {
    let Some(python) = python("smac") else { return };
    let sandbox = sandbox();
    script(&sandbox, "trial", "smac");
    let page = document("docs/tuning.md");
    sandbox.write("tune.py", &blocks(&page, "python")[0]);
    let mut command = Command::new(python);
    let ran = Ran::new(command.arg("tune.py").current_dir(sandbox.path(""))).code(0);
    let last = ran.stdout.lines().filter_map(|line| line.split_once("gene-rate': "));
    let rates: Vec<f64> =
        last.filter_map(|(_, rate)| rate.trim_end_matches('}').parse().ok()).collect();
    assert_good(&ran, rates.into_iter());
}
