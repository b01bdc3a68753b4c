//! On which cores the processes of programs may run: on that of their caller, while requests are
//! short.

use crate::python::python;
use crate::util::{Sandbox, document};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::BTreeSet;

type Cores = BTreeSet<usize>;

/// Runs the problem with one process per core. None without Python.
fn run(way: &str, generations: usize) -> Option<Sandbox> {
    let python = python("sys")?;
    let sandbox = Sandbox::new();
    sandbox.write("cores.py", document("tests/fixtures/python/cores.py"));
    let config = format!(
        "repeats = 4\n[problem]\nplugin = \"cores.py\"\ninterpreter = {python:?}\n\
        way = \"{way}\"\n[[operators]]\npopulation = 4\nselection = \"tournament\"\n\
        mutation = \"bit-flip\"\n[stop]\ngenerations = {generations}\non-success = \"continue\"\n"
    );
    sandbox.write("a.toml", config);
    let jobs = all().len().to_string();
    sandbox.run(&["a.toml", "--progress", "none", "--jobs", &jobs]).code(0);
    Some(sandbox)
}

/// What processes wrote under this name: of each, its lines.
fn noted(sandbox: &Sandbox, name: &str) -> Vec<Vec<Cores>> {
    let pattern = sandbox.path(format!("{name}-*"));
    let files = glob::glob(pattern.to_str().expect("UTF-8")).expect("a pattern");
    let number = |word: &str| word.parse().expect("the number of a core");
    let cores = |line: &str| line.split(' ').map(number).collect();
    let lines = |path| std::fs::read_to_string(path).expect("lines");
    files.map(|path| lines(path.expect("a path")).lines().map(cores).collect()).collect()
}

/// The cores on which the tests may run.
fn all() -> Cores {
    let set = sched_getaffinity(None).expect("the set");
    (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
}

#[test]
fn a_process_with_one_caller_runs_on_its_core() {
    let Some(sandbox) = run("short", 1000) else { return };
    let noted = noted(&sandbox, "change");
    assert!(noted.iter().flatten().any(|cores| cores.len() == 1), "{noted:?}");
}

/// A thread that it started while it was kept is free too, though its caller moved meanwhile.
#[test]
fn a_process_with_long_requests_is_free_with_all_its_threads() {
    let Some(sandbox) = run("long", 600) else { return };
    for name in ["process", "thread"] {
        let noted = noted(&sandbox, name);
        assert!(!noted.is_empty());
        assert!(noted.iter().flatten().all(|cores| *cores == all()), "{name}: {noted:?}");
    }
}

#[test]
fn a_process_that_chose_its_cores_keeps_them() {
    let Some(sandbox) = run("own", 300) else { return };
    let noted = noted(&sandbox, "change");
    let is_last = |cores: &Cores| cores.iter().eq(all().last());
    assert!(!noted.is_empty() && noted.iter().flatten().all(is_last), "{noted:?}");
}
