//! Noisy fitness: the same tables whatever runs the trials, runtimes beside an exact chain, and
//! what is refused.

use crate::docs::blocks;
use crate::python::python;
use crate::util::{Sandbox, column, document, rows, tables};
use std::collections::BTreeMap;

/// Trials of each arm of the chain.
const TRIALS: f64 = 400.0;

/// The (1+1) on noisy OneMax against its Markov chain (tests/models/noise.py): generations until
/// the optimum is evaluated, within five standard errors of the mean, the chain's: a false alarm in
/// about 5e-6 for all of the 8 arms.
#[test]
fn runtimes_on_noisy_one_max_are_those_of_the_chain() {
    let sandbox = Sandbox::new();
    let model = document("tests/models/noise.txt");
    let mut experiments: BTreeMap<(&str, &str), Vec<Vec<&str>>> = BTreeMap::new();
    for line in model.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        experiments.entry((words[0], words[1])).or_default().push(words[2..].to_vec());
    }
    let mut compared = 0;
    for ((n, noise), arms) in experiments {
        let mut config = format!(
            "repeats = {TRIALS}\nseed = 4\n[problem]\nplugin = \"onemax\"\nlength = {n}\nnoise = \
            {noise}\n[stop]\ngenerations = 1000000\n"
        );
        for arm in &arms {
            let [each, combine, parent, ..] = arm[..] else { panic!("{arm:?}") };
            config += &format!(
                "[[operators]]\nname = \"{each} {combine} {parent}\"\npopulation = 1\nselection = \
                \"uniform\"\nmutation = \"bit-flip\"\nreplacement = {{ kind = \"plus\", offspring \
                = 1 }}\nnoise = {{ evaluations-per-genome = {each}, combine = \"{combine}\", \
                re-evaluate = {} }}\n",
                parent == "anew"
            );
        }
        sandbox.write("a.toml", config);
        sandbox.run(&["a.toml"]).code(0);
        let trials = rows(&sandbox, &["results/a", "--trials"]);
        assert_eq!(trials.len(), arms.len() * TRIALS as usize);
        for (arm, trials) in arms.iter().zip(trials.chunks(TRIALS as usize)) {
            let [each, _, parent, due, deviation] = arm[..] else { panic!("{arm:?}") };
            let [each, due, deviation] =
                [each, due, deviation].map(|word| word.parse::<f64>().expect("a number"));
            let per_generation = if parent == "anew" { 2.0 } else { 1.0 };
            let mut sum = 0.0;
            for trial in trials {
                let number = |name: &str| trial[name].as_f64().expect("a number");
                let spent = each * (1.0 + per_generation * number("generations"));
                assert_eq!(trial["operators"], arm[..3].join(" "), "{trial}");
                assert_eq!(number("evaluations_to_success"), spent, "{trial}");
                assert_eq!((number("best_fitness"), &trial["success"]), (0.0, &true.into()));
                sum += number("generations");
            }
            let mean = sum / TRIALS;
            assert!((mean - due).abs() < 5.0 * deviation / TRIALS.sqrt(), "{arm:?}: {mean}");
            compared += 1;
        }
    }
    assert_eq!(compared, 8);
}

const NOISY: &str = r#"
seed    = 21
repeats = 20
pairing = "common"
baseline = true
[problem]
plugin = "onemax"
length = 20
noise  = 0.4
[[operators]]
name        = "plus"
population  = 4
selection   = { kind = "tournament", size = 2 }
mutation    = "bit-flip"
replacement = { kind = "plus", offspring = 4 }
noise       = { re-evaluate = true }
[[operators]]
name        = "elite"
population  = 6
selection   = { kind = "tournament", size = 2 }
crossover   = "uniform"
mutation    = { kind = "bit-flip", rate = 0.5 }
replacement = { kind = "elitism", count = 1 }
noise       = { evaluations-per-genome = 5, combine = "median", re-evaluate = true }
[[operators]]
name      = "annealing"
algorithm = "simulated-annealing"
mutation  = "bit-flip"
restarts  = { stagnation = 20 }
noise     = { evaluations-per-genome = 2, re-evaluate = true }
[[operators]]
name      = "greedy"
algorithm = "greedy-hill-climbing"
noise     = { re-evaluate = true }
[stop]
evaluations = 600
[output]
trace = "population"
"#;

#[test]
fn tables_depend_on_no_jobs_shards_or_processes_and_trials_run_again() {
    let sandbox = Sandbox::new();
    sandbox.write("noisy.toml", NOISY);
    let run = |arguments: &[&str]| {
        let out = format!("out{}", arguments.concat());
        sandbox.run(&[&["noisy.toml", "--out", &out], arguments].concat()).code(0);
        tables(&sandbox, &format!("{out}/noisy"))
    };
    let whole = run(&["--jobs", "1"]);
    assert!(run(&["--jobs", "2"]) == whole);
    assert!(run(&["--jobs", "8"]) == whole);
    assert!(run(&["--jobs", "2", "--isolation", "process"]) == whole);
    let parts: Vec<String> = (1..=3).map(|part| format!("{part}/3")).collect();
    for part in &parts {
        sandbox.run(&["noisy.toml", "--out", "parts", "--shard", part]).code(0);
    }
    let shards: Vec<String> =
        (1..=3).map(|part| format!("parts/noisy.shard-{part}-of-3")).collect();
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    sandbox.run(&[&["merge", "--out", "merged"], &shards[..]].concat()).code(0);
    assert!(tables(&sandbox, "merged/noisy") == whole);
    // A run that is continued.
    sandbox.run(&["noisy.toml", "--out", "grown", "--repeats", "7"]).code(0);
    sandbox.run(&["noisy.toml", "--out", "grown"]).code(0);
    assert!(tables(&sandbox, "grown/noisy") == whole);
    sandbox.run(&["verify", "grown/noisy"]).code(0);
    sandbox.run(&["replay", "grown/noisy", "elite", "7"]).code(0).warns("the same as in the table");
}

/// Every arm stays within its budget, and the noiseless fitness is what trials are judged by.
#[test]
fn trials_are_judged_by_the_noiseless_fitness() {
    let sandbox = Sandbox::new();
    sandbox.write("noisy.toml", NOISY);
    sandbox.run(&["noisy.toml"]).code(0);
    sandbox.run(&["report", "results/noisy"]).code(0);
    let page = String::from_utf8(sandbox.read("results/noisy/report.html")).expect("UTF-8");
    assert!(page.contains("The search saw noisy evaluations alone"));
    let trials = rows(&sandbox, &["results/noisy", "--trials"]);
    assert_eq!(trials.len(), 5 * 20);
    for trial in trials {
        let number = |name: &str| trial[name].as_f64().expect("a number");
        let ones = trial["best"].as_array().map(|genes| genes.iter().filter(|gene| **gene == 1));
        assert_eq!(Some(20.0 - number("best_fitness")), ones.map(|ones| ones.count() as f64));
        assert_eq!(trial["success"], number("best_fitness") == 0.0, "{trial}");
        assert!(number("evaluations") <= 600.0 && trial["best_standard_error"].is_null());
        if trial["operators"] == "elite" {
            assert_eq!(number("evaluations") % 5.0, 0.0, "{trial}");
        }
    }
}

#[test]
fn noise_that_does_not_go_with_an_arm_is_refused() {
    let sandbox = Sandbox::new();
    let said = |from: &str, to: &str| {
        assert!(NOISY.contains(from), "{from}");
        sandbox.write("a.toml", NOISY.replace(from, to));
        sandbox.run(&["check", "a.toml"]).code(2).stderr
    };
    for (from, to, words) in [
        ("noise  = 0.4", "", "operator set `plus` has `noise`, but `onemax` has none here"),
        (
            "{ kind = \"plus\", offspring = 4 }",
            "\"generational\"",
            "operator set `plus` has nothing to evaluate anew",
        ),
        ("\"greedy-hill-climbing\"", "\"random-search\"", "`greedy` has nothing to evaluate anew"),
        ("evaluations = 600", "evaluations = 4", "operator set `elite` cannot evaluate a genome"),
        (
            "[output]",
            "keep-ended = true\n[output]",
            "operator set `elite` may end just before its budget",
        ),
        ("genome = 5", "genome = 0", "`evaluations-per-genome`"),
        ("\"median\"", "\"mode\"", "`combine`"),
        (
            "re-evaluate = true }\n[[operators]]\nname        = \"e",
            "reevaluate = true }\n[[operators]]\nname        = \"e",
            "did you mean `re-evaluate`",
        ),
    ] {
        let said = said(from, to);
        assert!(said.contains(words), "{words}:\n{said}");
    }
}

/// The first child is evaluated after the population, and after its survivors once more.
#[test]
fn a_budget_too_small_for_a_child_is_warned_of() {
    let sandbox = Sandbox::new();
    for (replacement, anew, least) in [
        ("{ kind = \"plus\", offspring = 1 }", true, 15),
        ("{ kind = \"plus\", offspring = 1 }", false, 10),
        ("{ kind = \"elitism\", count = 1 }", true, 15),
    ] {
        let population = if replacement.contains("elitism") { 2 } else { 1 };
        let config = |evaluations: u64| {
            format!(
                "repeats = 3\n[problem]\nplugin = \"onemax\"\nlength = 30\nnoise = 0.4\n\
                [[operators]]\nname = \"one\"\npopulation = {population}\nselection = \
                \"uniform\"\nmutation = \"bit-flip\"\nreplacement = {replacement}\nnoise = {{ \
                evaluations-per-genome = 5, re-evaluate = {anew} }}\n[stop]\nevaluations = \
                {evaluations}\n"
            )
        };
        sandbox.write("a.toml", config(least - 1));
        let said = sandbox.run(&["check", "a.toml"]).code(0).stderr;
        let words = format!("raise `evaluations` to at least {least};");
        assert!(said.contains("`one` never makes a child") && said.contains(&words), "{said}");
        sandbox.write("a.toml", config(least));
        let said = sandbox.run(&["a.toml"]).code(0).stderr;
        assert!(!said.contains("never makes a child"), "{said}");
        let generations = |row: &serde_json::Value| row["generations"].as_u64().expect("a count");
        assert!(rows(&sandbox, &["results/a", "--trials"]).iter().all(|row| generations(row) == 1));
        std::fs::remove_dir_all(sandbox.path("results")).expect("results of the arm");
    }
}

/// A rate that rises from 0 to 1 with the evaluations has, in each generation, the value of the
/// share that was spent before its survivors are evaluated anew: 10 of 40 in the only generation
/// of `plus`. Of 2,000 children, the share that mutates is within 5 standard deviations of it: a
/// false alarm in 6e-7.
#[test]
fn a_schedule_has_the_value_of_what_is_spent_when_a_generation_begins() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.toml",
        "repeats = 200\n[problem]\nplugin = \"onemax\"\nlength = 30\nnoise = 0.4\n\
        [[operators]]\nname = \"anew\"\npopulation = 10\nselection = \"uniform\"\nmutation = \
        { kind = \"bit-flip\", rate = { from = 0.0, to = 1.0 } }\nreplacement = \"plus\"\n\
        noise = { re-evaluate = true }\n[stop]\nevaluations = 40\n[output]\ntrace = \"best\"\n\
        operators = true\n",
    );
    sandbox.run(&["a.toml"]).code(0);
    let table = sandbox.path("results/a/generations.parquet");
    let mutated: f64 = column(&table, "mutated").iter().sum();
    assert!((mutated - 500.0).abs() < 5.0 * (2000.0 * 0.25 * 0.75_f64).sqrt(), "{mutated}");
}

#[test]
fn the_noisy_problem_keeps_the_rules() {
    let sandbox = Sandbox::new();
    let checks = ["repeatable", "rows", "threads", "instances", "fitness", "noise", "moves"];
    let only: Vec<&str> = checks.iter().flat_map(|check| ["--only", check]).collect();
    let ran = sandbox.run(&[&["conformance", "onemax", "--set", "noise=0.3"], &only[..]].concat());
    ran.code(0).says("6 checks passed, 0 failed");
}

/// The problem of docs/noise.md, each of whose evaluations waits a moment, so that idle workers
/// take a share of a batch.
#[test]
fn a_noisy_problem_in_python_runs_alike_wherever_it_is_evaluated() {
    if python("sys").is_none() {
        return;
    }
    let page = document("docs/noise.md");
    let (stock, config) = (&blocks(&page, "python")[0], &blocks(&page, "toml")[1]);
    let sandbox = Sandbox::new();
    let slow = stock.replace(
        "    def fitness(self, genome, rng):\n",
        "    def fitness(self, genome, rng):\n        time.sleep(0.001)\n",
    );
    assert_ne!(&slow, stock);
    sandbox.write("stock.py", slow.replace("from runner", "import time\n\nfrom runner"));
    let short = config
        .replace("= 9000", "= 180")
        .replace("[stop]", "[output]\ntrace = \"population\"\n\n[stop]");
    sandbox.write("stock.toml", &short);
    let run = |out: &str, arguments: &[&str]| {
        let one = ["stock.toml", "--repeats", "2", "--out", out];
        sandbox.run(&[&one, arguments].concat()).code(0);
        ["trials", "generations"].map(|table| sandbox.read(&format!("{out}/stock/{table}.parquet")))
    };
    let alone = run("alone", &["--jobs", "1"]);
    assert!(run("spread", &["--jobs", "4"]) == alone);
    assert!(run("isolated", &["--isolation", "process"]) == alone);
    sandbox.run(&["verify", "alone/stock"]).code(0);
    let checks = ["--only", "rows", "--only", "noise", "--only", "repeatable", "--only", "frames"];
    let ran = sandbox.run(&[&["conformance", "./stock.py"], &checks[..]].concat());
    ran.code(0).says("4 checks passed, 0 failed");
}

/// Fitness of whole batches is that of each genome, with numpy too; and the standard error of the
/// best is there where no noiseless fitness is.
#[test]
fn batches_draw_as_genomes_do_and_means_have_their_standard_error() {
    let page = document("docs/noise.md");
    let (stock, config) = (&blocks(&page, "python")[0], &blocks(&page, "toml")[1]);
    for imports in ["", "import numpy\n\n"] {
        let module = if imports.is_empty() { "sys" } else { "numpy" };
        let Some(interpreter) = python(module) else { continue };
        let stock = stock.replace("from runner", &format!("{imports}from runner"));
        let batches = stock.replace("def fitness(self", "def one(self").replace(
            "    def noiseless",
            "    def evaluate(self, genomes, rngs):\n        return [self.one(*pair) for pair in \
            zip(genomes, rngs)]\n\n    def noiseless",
        );
        let sandbox = Sandbox::new();
        let found = format!("\"stock.py\"\ninterpreter = \"{interpreter}\"");
        let config = config.replace("= 9000", "= 900").replace("\"stock.py\"", &found);
        sandbox.write("stock.toml", config);
        let trials = |problem: &str| {
            sandbox.write("stock.py", problem);
            sandbox.run(&["stock.toml", "--repeats", "5", "--out", "out"]).code(0);
            let trials = rows(&sandbox, &["out/stock", "--trials"]);
            std::fs::remove_dir_all(sandbox.path("out")).expect("a folder");
            trials
        };
        let one_by_one = trials(&stock);
        assert_eq!(trials(&batches), one_by_one);
        assert!(one_by_one.iter().all(|trial| trial["best_standard_error"].is_null()));
        let (unknown, _) = batches.split_once("    def noiseless").expect("the noiseless fitness");
        for trial in trials(unknown) {
            let number = |name: &str| trial[name].as_f64().expect("a number");
            // A day costs 378 at the most for each of the goods; of 9 days, within reason.
            assert!((1.0..200.0).contains(&number("best_standard_error")), "{trial}");
            assert_eq!(trial["success"], number("best_fitness") <= 195.0, "{trial}");
        }
    }
}

#[test]
fn noise_in_python_that_is_only_half_there_is_refused() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let check = |members: &str| {
        let head = "from runner import Bits\nclass Problem:\n    def describe(self):\n        \
            return Bits(4)\n";
        sandbox.write("half.py", format!("{head}{members}"));
        sandbox.write(
            "half.toml",
            "[problem]\nplugin = \"half.py\"\n[[operators]]\nalgorithm = \"random-search\"\n\
            [stop]\nevaluations = 10\nfitness = 0.5\n",
        );
        sandbox.run(&["check", "half.toml"])
    };
    let noisy = "    def fitness(self, genome, rng):\n        return rng.random()\n";
    check(noisy).code(0);
    let batches = "    def evaluate(self, genomes):\n        return [0] * len(genomes)\n";
    let ran = check(&format!("{noisy}{batches}")).code(3);
    assert!(
        ran.stderr.contains("`fitness` takes random numbers, but `evaluate` does not"),
        "{ran}"
    );
    let violation = "    def violation(self, genome):\n        return 0\n";
    let ran = check(&format!("{noisy}{violation}")).code(3);
    assert!(ran.stderr.contains("noisy and it has constraints, which do not go together"), "{ran}");
}

/// Noise makes trials differ though the search draws nothing.
#[test]
fn trials_of_a_noisy_problem_are_not_called_the_same() {
    let sandbox = Sandbox::new();
    let config = "repeats = 3\n[problem]\nplugin = \"onemax\"\nlength = 8\nnoise = 0.5\n\
        [[operators]]\nalgorithm = \"exhaustive\"\n[stop]\nevaluations = 300\n";
    for (name, config) in [("noisy", config.to_owned()), ("plain", config.replace("0.5", "0"))] {
        sandbox.write(&format!("{name}.toml"), config);
        let ran = sandbox.run(&[&format!("{name}.toml")]).code(0);
        assert_eq!(ran.stderr.contains("will be the same"), name == "plain", "{ran}");
        assert_eq!(ran.stderr.contains("are all identical"), name == "plain", "{ran}");
    }
}

#[test]
fn one_evaluation_per_genome_is_the_default_and_the_same_arm() {
    let sandbox = Sandbox::new();
    let config = "repeats = 2\n[problem]\nplugin = \"onemax\"\nnoise = 1.0\n[[operators]]\n\
        preset = \"rls\"\nNOISE[stop]\nevaluations = 20\n";
    let arm = |name: &str, noise: &str| {
        sandbox.write(&format!("{name}.toml"), config.replace("NOISE", noise));
        sandbox.run(&[&format!("{name}.toml")]).code(0);
        rows(&sandbox, &[&format!("results/{name}")])[0]["arm_id"].clone()
    };
    let own = arm("own", "");
    let written = "noise = { evaluations-per-genome = 1, combine = \"mean\" }\n";
    assert_eq!(own, arm("written", written));
    assert_ne!(own, arm("anew", "noise = { re-evaluate = true }\n"));
}
