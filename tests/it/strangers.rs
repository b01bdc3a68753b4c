//! Folders of strangers: no file outside of them is read for what they say, nothing but regular
//! files is waited for, and no number in them is believed. The user's own folder needs no flag.

use crate::hostile::ends;
use crate::util::{Ran, Sandbox, copy};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const CONFIG: &str = "repeats = 4\n[problem]\nplugin = \"onemax\"\nlength = 8\n[[operators]]\n\
    name = \"ga\"\npopulation = 6\nselection = \"tournament\"\nmutation = \"bit-flip\"\n[stop]\n\
    generations = 4\n";

/// The commands that read results by what their config says.
const READERS: [&[&str]; 5] = [
    &["verify", "results/x"],
    &["replay", "results/x", "ga", "0"],
    &["plot", "results/x", "--trial", "ga", "0", "--format", "svg"],
    &["report", "results/x"],
    &["show", "results/x", "--trials"],
];

/// A sandbox with the results of that config.
fn results() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml"]).code(0);
    sandbox
}

fn pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).expect("a pipe");
}

/// Changes the file `run.toml` of the results, which must have `from`.
fn change(sandbox: &Sandbox, from: &str, to: &str) {
    let text = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    assert!(text.contains(from), "{text}");
    sandbox.write("results/x/run.toml", text.replace(from, to));
}

#[test]
fn the_config_in_results_reads_no_file_elsewhere() {
    let sandbox = results();
    let honest = sandbox.read("results/x/run.toml");
    let secret = sandbox.write("secret", "hush = 1\n0,1,9,hush\n");
    let waiting = sandbox.path("waiting.csv");
    pipe(&waiting);
    let first = sandbox.write("first.csv", "0,0,0,0,0,0,0,0\n");
    for at in [&secret, &waiting, &first] {
        for key in [
            format!("extends = \"{}\"", at.display()),
            format!("start = {{ file = \"{}\" }}", at.display()),
        ] {
            sandbox.write("results/x/run.toml", &honest);
            change(&sandbox, "repeats = 4\n", &format!("repeats = 4\n{key}\n"));
            for command in READERS {
                let ran = ends(&sandbox, command);
                let shown = format!("{}{}", ran.stdout, ran.stderr);
                assert!(!shown.contains("hush"), "{key}\n{ran}");
                if matches!(command[0], "verify" | "replay" | "plot") {
                    let ran = ran.code(4);
                    let refused = "the config in a results folder cannot read";
                    assert!(ran.stderr.contains(refused), "{key}\n{ran}");
                    assert!(ran.stderr.contains("--trust"), "{key}\n{ran}");
                }
            }
        }
    }
    // With consent a regular file is read, and a pipe is not waited for.
    sandbox.write("results/x/run.toml", &honest);
    let key = format!("start = {{ file = \"{}\" }}", waiting.display());
    change(&sandbox, "repeats = 4\n", &format!("repeats = 4\n{key}\n"));
    let ran = ends(&sandbox, &["verify", "results/x", "--trust"]).code(4);
    assert!(ran.stderr.contains("it is no file"), "{ran}");
}

#[test]
fn results_have_all_in_themselves_that_their_trials_ran_with() {
    let sandbox = Sandbox::new();
    sandbox.write("base.toml", CONFIG);
    sandbox.write("first.csv", "1,0,1,0,1,0,1,0\n");
    sandbox.write("x.toml", "extends = \"base.toml\"\nstart = { file = \"first.csv\" }\n");
    sandbox.run(&["x.toml"]).code(0);
    for file in ["x.toml", "base.toml", "first.csv"] {
        fs::remove_file(sandbox.path(file)).expect("a file");
    }
    sandbox.run(&["verify", "results/x"]).code(0).says("4 of 4 trials are the same");
}

#[test]
fn what_is_no_regular_file_is_named_and_not_waited_for() {
    let sandbox = results();
    for file in ["run.toml", "trials.parquet", "summary.parquet"] {
        let path = sandbox.path(format!("results/x/{file}"));
        let whole = fs::read(&path).expect("a file");
        for kind in ["a pipe", "/dev/zero", "a folder"] {
            fs::remove_file(&path).expect("a file");
            match kind {
                "a pipe" => pipe(&path),
                "a folder" => fs::create_dir(&path).expect("a folder"),
                device => symlink(device, &path).expect("a link"),
            }
            for command in READERS {
                let ran = ends(&sandbox, command);
                let fine = ran.code == Some(0) && ran.stderr.contains("regular file");
                // Not every reader needs each of the files.
                let unneeded = ran.code == Some(0) && file != "trials.parquet";
                assert!(
                    fine || unneeded || ran.stderr.contains("regular file"),
                    "{file} as {kind}\n{ran}"
                );
                assert_ne!(ran.code, Some(101), "{ran}");
            }
            if kind == "a folder" { fs::remove_dir(&path) } else { fs::remove_file(&path) }
                .expect("it was made");
            fs::write(&path, &whole).expect("a file");
        }
    }
}

#[test]
fn a_recorded_plan_is_refused_where_a_config_would_be() {
    let sandbox = results();
    let honest = sandbox.read("results/x/run.toml");
    let many = "repeats = 4\nsweep = { \"stop.generations\" = { from = 1, to = 1001, step = 1 }, \
        \"operators.population\" = { from = 2, to = 1001, step = 1 } }\n";
    let large = "repeats = 4\nsweep = { \"problem.length\" = [1000000], \
        \"operators.population\" = [10000000] }\n";
    for (to, words) in [(many, "arms"), (large, "memory")] {
        sandbox.write("results/x/run.toml", &honest);
        change(&sandbox, "repeats = 4\n", to);
        for command in &READERS[..3] {
            let ran = ends(&sandbox, command);
            assert!(matches!(ran.code, Some(2 | 4)) && ran.stderr.contains(words), "{ran}");
        }
    }
}

/// A problem in Python that fails for the genomes next to the best.
const PROBLEM: &str = r#"
from runner import Bits


class Problem:
    def describe(self):
        return Bits(6, worst=6, ideal=0)

    def fitness(self, genome):
        if sum(genome) == 5:
            raise ValueError("five")
        return 6.0 - sum(genome)

    def render(self, genome, format):
        return "".join(map(str, genome))
"#;

#[test]
fn commands_that_are_suggested_work_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.py", PROBLEM);
    let config = CONFIG.replace("\"onemax\"\nlength = 8", "\"mine.py\"");
    sandbox.write("my own.toml", config.replace("\"ga\"", "\"the ga\""));
    let ran = sandbox.run(&["my own.toml", "--set", "repeats=20", "--progress", "none"]).code(1);
    let suggested: Vec<&str> =
        ran.stderr.lines().filter_map(|line| line.trim().strip_prefix("again: runner ")).collect();
    assert!(!suggested.is_empty(), "{ran}");
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        let own = sandbox.command();
        own.get_envs().for_each(|(key, value)| match value {
            Some(value) => _ = shell.env(key, value),
            None => _ = shell.env_remove(key),
        });
        let program = env!("CARGO_BIN_EXE_runner");
        Ran::new(shell.arg("-c").arg(format!("'{program}' {line}")).current_dir(sandbox.path("")))
    };
    for line in &suggested {
        let ran = shell(line);
        assert!(ran.stderr.contains("five") || ran.stdout.contains("five"), "{ran}");
        assert!(!ran.stderr.contains("--trust"), "{ran}");
    }
    let verify = shell("verify 'results/my own'").code(0);
    assert!(verify.stdout.contains("20 of 20 trials are the same"), "{verify}");
    let report = shell("report 'results/my own'").code(0);
    assert!(!report.stderr.contains("no boards"), "{report}");
    // Another file at its place was not run by the user, and a folder may be anybody's.
    sandbox.write("mine.py", format!("{PROBLEM}\n"));
    shell("verify 'results/my own'").code(3).warns("--trust");
}

#[test]
fn verification_names_every_build_that_made_trials() {
    let sandbox = results();
    let text = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    // A run before the last one, by another build of plugin and runner.
    let (head, runs) = text.split_at(text.find("[[runs]]").expect("a run"));
    let hash = runs.lines().find_map(|line| line.strip_prefix("blake3 = ")).expect("a hash");
    let other = runs
        .replace(hash, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"")
        .replace("trials-after = 4", "trials-after = 2")
        .replacen("runner-version = \"", "runner-version = \"0.0.9-", 1);
    let last = runs.replace("trials-before = 0", "trials-before = 2");
    sandbox.write("results/x/run.toml", format!("{head}{other}\n{last}"));
    // A trial that cannot come out as recorded.
    let config = "length = 8";
    change(&sandbox, config, "length = 8, ");
    sandbox.write("results/x/run.toml", {
        let text = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
        text.replace("length = 8, ", "length = 8").replace("generations = 4", "generations = 3")
    });
    let ran = sandbox.run(&["verify", "results/x"]);
    assert!(ran.stdout.contains("aaaaaaaaaaaa") || ran.stderr.contains("aaaaaaaaaaaa"), "{ran}");
    assert!(ran.stdout.contains("0.0.9-") || ran.stderr.contains("0.0.9-"), "{ran}");
    assert!(!ran.stdout.contains("runner and plugin are the same"), "{ran}");
}

/// A submission of an engine that needs nothing.
fn submitted() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["submit", "kubernetes", "x.toml", "--shards", "2"]).code(0);
    sandbox
}

#[test]
fn numbers_of_a_submission_are_not_believed() {
    let sandbox = submitted();
    let honest = String::from_utf8(sandbox.read("results/x.submission/submission.toml"));
    let honest = honest.expect("UTF-8");
    let changes = [
        ("shards = 2", "shards = 0"),
        ("shards = 2", "shards = 9223372036854775807"),
        ("shards-per-task = 1", "shards-per-task = 0"),
        ("arms = 1", "arms = 0"),
        ("arms = 1", "arms = 9223372036854775807"),
        ("repeats = 4", "repeats = 9223372036854775807"),
        ("experiment = \"x\"", "experiment = \"../../etc\""),
        ("\nout = \"", "\nout = \"/nowhere"),
    ];
    for (from, to) in changes {
        assert!(honest.contains(from), "{from}\n{honest}");
        sandbox.write("results/x.submission/submission.toml", honest.replace(from, to));
        for command in [&["status", "results/x"][..], &["status", "results/x.submission"]] {
            let ran = ends(&sandbox, command);
            assert!(matches!(ran.code, Some(2..=4)), "{to}\n{ran}");
            assert!(!ran.stderr.contains("panicked"), "{to}\n{ran}");
        }
    }
    let jobs = "\n[[jobs]]\narray = 1\nshards = \"1-18446744073709551615\"\n";
    sandbox.write("results/x.submission/submission.toml", format!("{honest}{jobs}"));
    let ran = ends(&sandbox, &["status", "results/x"]);
    assert!(matches!(ran.code, Some(2..=4)) && ran.stderr.contains("1000000"), "{ran}");
    sandbox.write("results/x.submission/submission.toml", honest);
    // Its shards are missing.
    ends(&sandbox, &["status", "results/x"]).code(1);
}

#[test]
fn no_path_begins_a_line_of_a_script() {
    for engine in ["slurm", "kubernetes", "parallel", "hyperqueue", "print"] {
        for character in ["\n", "\r", "\u{1b}", "\u{7f}"] {
            let sandbox = Sandbox::new();
            sandbox.write("x.toml", CONFIG);
            let out = format!("a{character}#SBATCH --wrap=id");
            let arguments = ["submit", engine, "x.toml", "--shards", "2", "--dry-run", "--out"];
            let ran = sandbox.run(&[&arguments[..], &[out.as_str()]].concat());
            assert!(ran.code != Some(0) && !ran.stdout.contains("#SBATCH --wrap"), "{ran}");
            assert!(ran.stderr.contains("control character"), "{ran}");
            // The folder that it is called from.
            let odd = sandbox.path(format!("b{character}c"));
            fs::create_dir(&odd).expect("a folder");
            copy(&sandbox.path("x.toml"), &odd.join("x.toml"));
            let mut command = sandbox.command();
            command.args(&arguments[..6]).current_dir(&odd);
            let ran = Ran::new(&mut command);
            assert!(ran.code != Some(0) && ran.stderr.contains("control character"), "{ran}");
        }
    }
}

#[test]
fn an_import_with_a_column_twice_or_names_without_end_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "algorithm,run,fitness,fitness\na,0,1,2\n");
    let map = ["--map", "arm=algorithm,trial=run,fitness=fitness"];
    let ran = sandbox.run(&[&["import", "t.csv"], &map[..]].concat());
    assert!(ran.code != Some(0) && ran.stderr.contains("two of its columns"), "{ran}");
    let name = "n".repeat(5_000_000);
    sandbox.write("t.csv", format!("algorithm,run,fitness\n{name},0,1\n"));
    let ran = sandbox.run(&[&["import", "t.csv"], &map[..]].concat());
    assert!(ran.code != Some(0) && ran.stderr.contains("has at most 1000"), "{}", ran.stderr.len());
}
