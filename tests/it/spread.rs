//! Slow evaluations: the rows of one batch are spread over workers that have no trial of their own,
//! and nothing but the time changes.

use crate::util::{Sandbox, document, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library of tests/fixtures/c/slow.c.
fn slow() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("libslow.so");
        let built = Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-I"])
            .arg(root().join("plugins/sdk/include"))
            .arg(root().join("tests/fixtures/c/slow.c"))
            .arg("-o")
            .arg(&library)
            .output()
            .expect("there is a C compiler");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        (folder, library)
    });
    library
}

fn config(sandbox: &Sandbox, plugin: &str, repeats: u32, choosy: bool) {
    sandbox.write(
        "slow.toml",
        format!(
            "repeats = {repeats}\n[problem]\nplugin = \"{plugin}\"\nchoosy = {choosy}\n\
            [[operators]]\npopulation = 24\nselection = {{ kind = \"tournament\", size = 3 }}\n\
            crossover = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 4\n\
            [output]\ntrace = \"population\"\n"
        ),
    );
}

/// What a run writes, and how many different lines `evaluate` left in the file SLOW_THREADS.
fn run(sandbox: &Sandbox, arguments: &[&str], code: i32) -> ([Vec<u8>; 3], usize) {
    let notes = sandbox.path("threads");
    _ = std::fs::remove_file(&notes);
    let out = format!("out-{}", arguments.concat());
    let mut command = sandbox.command();
    command.env("SLOW_THREADS", &notes).args(["slow.toml", "--out", &out]).args(arguments);
    crate::util::Ran::new(&mut command).code(code);
    let tables = ["summary", "trials", "generations"]
        .map(|table| sandbox.read(&format!("{out}/slow/{table}.parquet")));
    let notes = std::fs::read_to_string(notes).expect("evaluate left notes");
    (tables, notes.lines().collect::<BTreeSet<_>>().len())
}

#[test]
fn a_batch_is_spread_over_idle_workers_with_the_same_bytes() {
    let sandbox = Sandbox::new();
    config(&sandbox, &slow().display().to_string(), 1, false);
    let (alone, threads) = run(&sandbox, &["--jobs", "1"], 0);
    assert_eq!(threads, 1);
    for arguments in [&["--jobs", "2"][..], &["--jobs", "2", "--isolation", "process"]] {
        let (spread, threads) = run(&sandbox, arguments, 0);
        assert!(spread == alone, "{arguments:?}");
        assert!(threads > 1, "{arguments:?}: {threads} threads");
    }
    // The last of three trials on two workers.
    config(&sandbox, &slow().display().to_string(), 3, false);
    let (alone, _) = run(&sandbox, &["--jobs", "1"], 0);
    assert!(run(&sandbox, &["--jobs", "2"], 0).0 == alone);
}

#[test]
fn a_batch_that_fails_says_what_it_says_in_one_thread() {
    let sandbox = Sandbox::new();
    config(&sandbox, &slow().display().to_string(), 1, true);
    let (alone, _) = run(&sandbox, &["--jobs", "1"], 1);
    for arguments in [&["--jobs", "2"][..], &["--jobs", "2", "--isolation", "process"]] {
        assert!(run(&sandbox, arguments, 1).0 == alone, "{arguments:?}");
    }
    let out = "out---jobs1/slow";
    let shown = sandbox.run(&["show", out, "--trials", "--csv"]).code(0).stdout;
    assert!(shown.contains("has too many ones"), "{shown}");
}

#[test]
fn a_batch_in_python_is_spread_over_processes() {
    let Some(python) = crate::python::python("sys") else { return };
    let sandbox = Sandbox::new();
    sandbox.write("slow.py", document("tests/fixtures/python/slow.py"));
    config(&sandbox, "slow.py", 1, false);
    let interpreter = ["--set", &format!("problem.interpreter={python}")];
    let run = |arguments: &[&str]| run(&sandbox, &[arguments, &interpreter].concat(), 0);
    let (alone, processes) = run(&["--jobs", "1"]);
    assert_eq!(processes, 1);
    for arguments in [&["--jobs", "2"][..], &["--jobs", "2", "--isolation", "process"]] {
        let (spread, processes) = run(arguments);
        assert!(spread == alone, "{arguments:?}");
        assert!(processes > 1, "{arguments:?}: {processes} processes");
    }
}

/// A fitness that waits needs no core: of one trial, as many evaluations are under way at once as
/// `--jobs` says. Each waits for all others, so a single one less would fail.
#[test]
fn a_fitness_that_waits_is_asked_in_as_many_processes_as_there_are_jobs() {
    let Some(python) = crate::python::python("sys") else { return };
    let sandbox = Sandbox::new();
    sandbox.write("waits.py", document("tests/fixtures/python/waits.py"));
    sandbox.write(
        "w.toml",
        format!(
            "repeats = 1\n[problem]\nplugin = \"waits.py\"\ninterpreter = \"{python}\"\n\
            [[operators]]\npopulation = 24\nselection = \"tournament\"\nmutation = \
            \"bit-flip\"\n[stop]\ngenerations = 2\n"
        ),
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let many = cores + 9;
    let mut alone = None;
    for (jobs, isolation) in [(1, "thread"), (many, "thread"), (many, "process")] {
        let (out, waits) = (format!("{jobs}-{isolation}"), format!("waits-{jobs}-{isolation}"));
        std::fs::create_dir(sandbox.path(&waits)).expect("a folder");
        let mut command = sandbox.command();
        command.env("WAITS", sandbox.path(&waits)).env("PLACES", jobs.to_string());
        command.args(["w.toml", "--jobs", &jobs.to_string(), "--isolation", isolation]);
        crate::util::Ran::new(command.args(["--out", &out])).code(0);
        let tables =
            ["summary", "trials"].map(|table| sandbox.read(&format!("{out}/w/{table}.parquet")));
        let asked = std::fs::read_dir(sandbox.path(&waits)).expect("a folder").count() - 1;
        assert_eq!(asked, jobs, "{isolation}");
        assert!(*alone.get_or_insert_with(|| tables.clone()) == tables, "{jobs} {isolation}");
    }
}
