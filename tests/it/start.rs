//! Given first genomes: from CSV, Parquet and experiments; checked, kept, and the same bytes
//! however the trials are run.

use crate::docs::blocks;
use crate::util::{Sandbox, column, document, however_run, rows, tables};
use serde_json::Value;

/// Fitness counts the zeros: genome k of the file has fitness k + 1.
const GENOMES: &str = "# given\na,b,c,d,e,f\n0,1,1,1,1,1\n0,0,1,1,1,1\n0,0,0,1,1,1\n";

const CONFIG: &str = r#"
repeats = 7
[problem]
plugin = "onemax"
length = 6
[[operators]]
name       = "ga"
population = 4
selection  = { kind = "tournament", size = 2 }
mutation   = { kind = "bit-flip", rate = 1.0 }
[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "first-improvement" }
[[operators]]
name      = "anneal"
algorithm = { kind = "simulated-annealing", temperature = 1.0, cooling = 0.9, moves = 3 }
[[operators]]
name        = "one"
population  = 1
selection   = "uniform"
mutation    = "bit-flip"
replacement = "plus"
[[operators]]
name       = "random"
population = 4
algorithm  = "random-search"
[start]
file = "first.csv"
[stop]
generations = 3
on-success  = "continue"
[output]
trace = "population"
"#;

/// The fitness of generation 0 of each trial of an arm, row by row, where populations have so many.
fn first_generation(sandbox: &Sandbox, out: &str, arm: usize, individuals: usize) -> Vec<Vec<u64>> {
    let table = sandbox.path(format!("{out}/x/generations.parquet"));
    let (fitness, generation) = (column(&table, "best"), column(&table, "generation"));
    let trials = column(&table, "trial");
    // Arms stand one after the other; trial 0 begins each.
    let begins = |row: &usize| trials[*row] == 0.0 && (*row == 0 || trials[*row - 1] != 0.0);
    let starts: Vec<usize> = (0..trials.len()).filter(begins).collect();
    let end = starts.get(arm + 1).copied().unwrap_or(trials.len());
    let first: Vec<u64> = (starts[arm]..end)
        .filter(|row| generation[*row] == 0.0)
        .map(|row| fitness[row] as u64)
        .collect();
    first.chunks(individuals).map(<[u64]>::to_vec).collect()
}

#[test]
fn trial_k_begins_with_genome_k_and_those_after_it() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    let given = |trial: usize, place: usize| ((trial + place) % 3 + 1) as u64;
    for (trial, population) in first_generation(&sandbox, "results", 0, 4).iter().enumerate() {
        assert_eq!(population[..3], [0, 1, 2].map(|place| given(trial, place)), "trial {trial}");
    }
    for arm in 1..4 {
        let first = first_generation(&sandbox, "results", arm, 1);
        let expected: Vec<Vec<u64>> = (0..7).map(|trial| vec![given(trial, 0)]).collect();
        assert_eq!(first, expected, "arm {arm}");
    }
    for (trial, drawn) in first_generation(&sandbox, "results", 4, 4).iter().enumerate() {
        assert_eq!(drawn[..3], [0, 1, 2].map(|place| given(trial, place)), "trial {trial}");
    }
    // A share: two of four; and no more than the first row.
    sandbox.run(&["x.toml", "--out", "half", "--set", "start.share=0.5"]).code(0);
    for (trial, population) in first_generation(&sandbox, "half", 0, 4).iter().enumerate() {
        assert_eq!(population[..2], [0, 1].map(|place| given(trial, place)), "trial {trial}");
    }
    let all = ["x.toml", "--out", "all", "--set", "start.share=1", "--set", "start.rows=1"];
    sandbox.run(&all).code(0);
    assert!(first_generation(&sandbox, "all", 0, 4).iter().all(|population| population == &[1; 4]));
}

#[test]
fn paired_arms_begin_with_the_same_genomes() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--set", "pairing=common"]).code(0);
    let (ga, random) =
        (first_generation(&sandbox, "results", 0, 4), first_generation(&sandbox, "results", 4, 4));
    assert_eq!(ga, random);
}

#[test]
fn the_bytes_are_the_same_however_the_trials_are_run() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    sandbox.write("x.toml", CONFIG);
    let one = however_run(&sandbox, "x.toml");
    assert_eq!(one.len(), 3, "with the generations");
    // The same genomes from elsewhere, in another file: the same trials.
    sandbox.write("far/other.csv", "0,1,1,1,1,1\n0,0,1,1,1,1\n0,0,0,1,1,1.0\n0,0,0,0,0,0\n");
    let moved = ["--set", "start.file=far/other.csv", "--set", "start.rows=3", "--out", "moved"];
    sandbox.run(&[&["x.toml"], &moved[..]].concat()).code(0);
    assert!(tables(&sandbox, "moved/x") == one);
    // What they began with is kept where the results are.
    sandbox.write("first.csv", "1,1,1,1,1,1\n");
    std::fs::remove_dir_all(sandbox.path("far")).expect("a folder");
    for folder in ["results/x", "merged/x", "moved/x"] {
        sandbox.run(&["verify", folder, "--all"]).code(0).says("35 of 35 trials are the same");
        sandbox.run(&["replay", folder, "climb", "2"]).code(0).says("trial 2");
    }
    let run = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    assert!(run.contains("source = 'file = \"first.csv\"'"), "{run}");
    // Other genomes are other arms.
    let ran = sandbox.run(&["x.toml"]).code(0);
    assert!(ran.stderr.contains("35 trials moved to"), "{ran}");
    assert!(tables(&sandbox, "results/x") != one);
}

#[test]
fn a_config_extends_one_with_first_genomes() {
    let sandbox = Sandbox::new();
    sandbox.write("common/first.csv", GENOMES);
    sandbox.write("common/x.toml", CONFIG);
    sandbox.write("mine.toml", "extends = \"common/x.toml\"\nname = \"x\"\n");
    sandbox.run(&["common/x.toml", "--out", "base"]).code(0);
    sandbox.run(&["mine.toml"]).code(0);
    assert!(tables(&sandbox, "results/x") == tables(&sandbox, "base/x"));
}

#[test]
fn the_best_of_an_experiment_are_first_genomes() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--set", "stop.generations=0"]).code(0);
    // The best of each trial, the best first.
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    let best = |arm: &str| -> Vec<u64> {
        let own = trials.iter().filter(|row| row["arm"] == arm);
        let mut best: Vec<u64> =
            own.map(|row| row["best_fitness"].as_f64().expect("a number") as u64).collect();
        best.sort_unstable();
        best
    };
    let start = "[start]\nexperiment = \"results/x\"\narm = \"climb\"\n";
    sandbox.write("y.toml", CONFIG.replace("[start]\nfile = \"first.csv\"\n", start));
    sandbox.run(&["y.toml", "--set", "name=x", "--out", "next"]).code(0);
    let first: Vec<u64> =
        first_generation(&sandbox, "next", 1, 1).into_iter().map(|one| one[0]).collect();
    assert_eq!(first, best("climb"));
    // The same genomes as a Parquet file: those of all arms, in the order of the table.
    let file = "start.file=results/x/trials.parquet";
    sandbox.write("z.toml", CONFIG);
    let by_file = ["z.toml", "--set", file, "--set", "name=x", "--out", "table"];
    sandbox.run(&by_file).code(0);
    let all: Vec<u64> = trials
        .iter()
        .map(|row| row["best_fitness"].as_f64().expect("a number") as u64)
        .take(7)
        .collect();
    let first: Vec<u64> =
        first_generation(&sandbox, "table", 1, 1).into_iter().map(|one| one[0]).collect();
    assert_eq!(first, all);
}

/// Trials of a knapsack: most end with a set that weighs too much, and some with one that does not.
#[test]
fn feasible_genomes_come_before_better_ones_that_are_not() {
    let sandbox = Sandbox::new();
    const PROBLEM: &str = r#"
repeats = 12
seed    = 3
[problem]
plugin = "knapsack"
n      = 30
share  = 0.16
"#;
    const RANDOM: &str = r#"
[[operators]]
algorithm = "random-search"
[stop]
evaluations = 300
"#;
    const CLIMB: &str = r#"
[start]
experiment = "results/k"
rows       = 1
[[operators]]
algorithm = { kind = "hill-climbing", step = "steepest" }
[stop]
evaluations = 1
"#;
    sandbox.write("k.toml", format!("{PROBLEM}{RANDOM}"));
    sandbox.run(&["k.toml"]).code(0);
    sandbox.write("b.toml", format!("{PROBLEM}{CLIMB}"));
    sandbox.run(&["b.toml"]).code(0);
    let found = |row: &Value| {
        ["best_violation", "best_fitness"].map(|key| row[key].as_f64().expect("a number"))
    };
    let before: Vec<[f64; 2]> =
        rows(&sandbox, &["results/k", "--trials"]).iter().map(found).collect();
    let best = before.iter().copied().min_by(|one, other| one.partial_cmp(other).expect("numbers"));
    let best = best.expect("trials");
    assert!(
        best[0] == 0.0 && before.iter().any(|one| one[0] > 0.0 && one[1] < best[1]),
        "{before:?}"
    );
    for row in rows(&sandbox, &["results/b", "--trials"]) {
        assert_eq!(found(&row), best);
    }
}

fn told(sandbox: &Sandbox, config: &str, words: &[&str]) {
    sandbox.write("x.toml", config);
    let ran = sandbox.run(&["x.toml"]).code(2);
    for word in words {
        assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
    }
    assert!(!sandbox.path("results").exists(), "{ran}");
}

#[test]
fn what_is_wrong_is_named_before_anything_runs() {
    let sandbox = Sandbox::new();
    let wrong = |genomes: &str, words: &[&str]| {
        sandbox.write("first.csv", genomes);
        told(&sandbox, CONFIG, words);
    };
    wrong("1,1,1,1,1,1\n1,1,1\n", &["first.csv: line 2: it has 3 genes", "(`onemax`) has 6"]);
    wrong("\n1,1,2,1,1,1\n", &["line 2: gene 3 is 2", "an integer from 0 to 1", "the arm `ga`"]);
    wrong("1,1,0.5,1,1,1\n", &["line 1: gene 3 is 0.5"]);
    wrong("1,1,1,1,1,x\n", &["line 1: gene 6 is `x`, which is no number"]);
    wrong("# none\n", &["there are no genomes in it"]);
    wrong("", &["x.toml:28:8"]);
    sandbox.write("first.csv", GENOMES);
    let start = |lines: &str| CONFIG.replace("file = \"first.csv\"", lines);
    told(&sandbox, &start("file = \"nowhere.csv\""), &["nowhere.csv: there is no such file"]);
    told(&sandbox, &start("file = \".\""), &["it is no file"]);
    told(&sandbox, &start("share = 0.5"), &["[start] names no genomes"]);
    let both = "file = \"first.csv\"\nexperiment = \"results/y\"";
    told(&sandbox, &start(both), &["has both `file` and `experiment`"]);
    told(&sandbox, &start("file = \"first.csv\"\narm = \"ga\""), &["`arm` has no use here"]);
    told(&sandbox, &start("file = \"first.csv\"\ncolumn = \"b\""), &["`column` has no use here"]);
    told(&sandbox, &start("file = \"first.csv\"\nshare = 0"), &["`share` must be", "above 0"]);
    told(&sandbox, &start("flie = \"first.csv\""), &["unknown key `flie`", "did you mean"]);
    told(&sandbox, &start("experiment = \"results/y\""), &["there is no finished experiment"]);
    let known = start("file = \"first.csv\"\nfitness = \"fit\"")
        .replace("population = 4\nselection", "population = 4\nduplicates = \"reuse\"\nselection");
    let stated = |row: &str, words: &[&str]| {
        let heading = "a,b,c,d,e,f,fit\n1,1,1,1,1,0,1\n";
        sandbox.write("first.csv", format!("{heading}{row}\n"));
        told(&sandbox, &known, words);
    };
    stated("1,1,1,1,0,0,-2", &["line 3: its fitness is -2", "is below its ideal, 0"]);
    stated("1,1,1,1,0,0,7", &["line 3: its fitness is 7", "is above its worst, 6"]);
    let two = ["line 3: its fitness is 2", "line 2 is the same genome with fitness 1"];
    stated("1,1,1,1,1,0,2", &two);
    sandbox.write("first.csv", GENOMES);
    let exhaustive = CONFIG.replace("algorithm  = \"random-search\"", "algorithm = \"exhaustive\"");
    told(&sandbox, &exhaustive, &["`random` has no first population"]);
    sandbox.write("broken.parquet", "no table");
    told(&sandbox, &start("file = \"broken.parquet\""), &["broken.parquet: it cannot be read"]);
}

#[test]
fn arms_and_columns_of_tables_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--out", "old"]).code(0);
    let start = |lines: &str| CONFIG.replace("file = \"first.csv\"", lines);
    let experiment = start("experiment = \"old/x\"");
    told(&sandbox, &experiment, &["this experiment has 5 arms", "`ga`, `climb`, `anneal`"]);
    let wrong = start("experiment = \"old/x\"\narm = \"clim\"");
    told(&sandbox, &wrong, &["no single arm called `clim`", "| arm = \"clim\"", "`climb`"]);
    let table = "file = \"old/x/trials.parquet\"\ncolumn = ";
    told(
        &sandbox,
        &start(&format!("{table}\"worst\"")),
        &["no column `worst`", "| column =", "best_text"],
    );
    told(&sandbox, &start(&format!("{table}\"arm\"")), &["`arm` has", "not lists of numbers"]);
}

#[test]
fn permutations_and_the_rules_of_the_plugin_are_checked() {
    let sandbox = Sandbox::new();
    let config = |plugin: &str, operators: &str| {
        format!(
            "repeats = 3\n[problem]\n{plugin}\n[[operators]]\n{operators}\n[start]\nfile = \
            \"first.csv\"\n[stop]\nevaluations = 50\n"
        )
    };
    let queens = config(
        "plugin = \"nqueens\"\nn = 4\nencoding = \"permutation\"",
        "preset = \"steady-state-permutation\"",
    );
    sandbox.write("first.csv", "0,1,2,3\n3,0,1,3\n");
    told(&sandbox, &queens, &["line 2: gene 4 is 3, as is gene 1", "has each of 0 to 3 once"]);
    let chess = config("plugin = \"chess960\"", "preset = \"chess960-paper\"");
    sandbox.write("first.csv", "1,4,5,3,1,2,3,2\n1,1,1,1,1,1,1,1\n");
    told(&sandbox, &chess, &["line 2: it breaks the rules", "`chess960` calls it invalid"]);
    // Where the plugin is in another process, that one is asked.
    #[cfg(unix)]
    {
        let ran = sandbox.run(&["x.toml", "--isolation", "process"]).code(2);
        let ran = ran.warns("line 2: it breaks the rules of the problem");
        assert!(!sandbox.path("results").exists(), "{ran}");
        sandbox.write("first.csv", "1,4,5,3,1,2,3,2\n");
        sandbox.run(&["x.toml", "--isolation", "process"]).code(0);
        sandbox.run(&["verify", "results/x"]).code(0);
    }
}

#[test]
fn a_problem_that_is_swept_must_fit_the_genomes() {
    let sandbox = Sandbox::new();
    sandbox.write("first.csv", GENOMES);
    let swept = format!("{CONFIG}[sweep]\nproblem.length = [6, 8]\n");
    told(&sandbox, &swept, &["line 3: it has 6 genes", "has 8", "the arm `ga problem.length=8`"]);
}

#[test]
fn the_document_shows_what_a_wrong_genome_is_told() {
    let sandbox = Sandbox::new();
    let told = document("docs/running.md");
    let config = blocks(&told, "toml").into_iter().find(|one| one.contains("[start]"));
    sandbox.write("x.toml", config.expect("a config with [start]"));
    let genomes = told.split("$ cat first.csv\n").nth(1).expect("a file of genomes");
    let genomes = genomes.split("```").next().expect("its end");
    sandbox.write("first.csv", genomes);
    sandbox.run(&["x.toml"]).code(0);
    sandbox.write("first.csv", genomes.replace("4,4", "4,8"));
    let ran = sandbox.run(&["x.toml"]).code(2);
    assert!(told.contains(&ran.stderr), "docs/running.md has not\n{ran}");
}
