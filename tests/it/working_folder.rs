//! The working folder, whose files may be anybody's: no module and no program is taken from it.

use crate::python::{interpreter, python};
use crate::util::{Ran, Sandbox, rows, sized};
use std::process::Command;

/// A problem that draws, breeds and prints with random numbers, by what lies beside it.
const PROBLEM: &str = r#"
import os
from runner import Bits, Mutation, Text
from helper import HALF

assert "PYTHONSAFEPATH" not in os.environ


class Problem:
    parameters = {"word": Text("a")}

    def __init__(self, word):
        self.word = word

    def describe(self):
        return Bits(8, ideal=0, worst=8)

    def sample(self, rng):
        return [int(rng.random() < HALF) for _ in range(8)]

    def fitness(self, genome):
        return float(8 - sum(genome))

    def render(self, genome, format):
        return "".join(map(str, genome)) if format == "line" else None


class Flip(Mutation):
    encodings = ["bits"]

    def mutate(self, genome, rng):
        genome[rng.randrange(len(genome))] ^= 1
"#;

/// Modules called as each of those of Python itself leave a file in `marks`, and end the process.
fn write_traps(sandbox: &Sandbox, folders: &[&str]) {
    let names = "import sys; print(*getattr(sys, 'stdlib_module_names', ('json', 'os', 'platform', \
        'random', 'struct', 'fcntl', 're', 'hashlib', 'bisect', 'warnings', 'importlib')))";
    let output = Command::new(interpreter()).args(["-c", names]).output().expect("Python");
    let names = String::from_utf8(output.stdout).expect("names");
    assert!(names.contains("json") && names.contains("struct"), "{names}");
    for (name, folder) in
        names.split_whitespace().flat_map(|one| folders.iter().map(move |f| (one, f)))
    {
        let mark = sandbox.path(format!("marks/{name}"));
        let text =
            format!("open({mark:?}, 'w').close()\nraise SystemExit('{name} was imported')\n");
        sandbox.write(&format!("{folder}/{name}.py"), text);
    }
    std::fs::create_dir(sandbox.path("marks")).expect("a folder");
}

/// The files that lie beside the problem are the problem's; those in the working folder, and beside
/// the config, are nobody's.
#[test]
fn no_module_of_the_working_folder_is_imported() {
    let Some(python) = python("sys") else { return };
    let sandbox = Sandbox::new();
    write_traps(&sandbox, &[".", "configs", "problem"]);
    sandbox.write("problem/mine.py", PROBLEM);
    sandbox.write("problem/helper.py", "HALF = 0.5\n");
    for folder in [".", "configs"] {
        sandbox.write(&format!("{folder}/helper.py"), "raise SystemExit('another helper')\n");
    }
    let config = |plugin: &str| {
        format!(
            "repeats = 5\n[problem]\nplugin = \"{plugin}\"\ninterpreter = \"{python}\"\n\
            [[operators]]\npopulation = 6\nselection = \"tournament\"\nmutation = \
            {{ plugin = \"{plugin}\", interpreter = \"{python}\" }}\n[stop]\ngenerations = 4\n"
        )
    };
    sandbox.write("configs/a.toml", config("../problem/mine.py"));
    sandbox.write("a.toml", config("problem/mine.py"));
    let run = |folder: &str, arguments: &[&str]| {
        Ran::new(sandbox.command().current_dir(sandbox.path(folder)).args(arguments)).code(0)
    };
    run(".", &["a.toml"]);
    run(".", &["configs/a.toml", "--isolation", "process", "--out", "apart"]);
    run("configs", &["a.toml", "--out", "beside"]);
    run("problem", &["../a.toml", "--out", "within"]);
    // All checks start their processes alike: three of them, or all.
    let only = ["--only", "repeatable", "--only", "processes", "--only", "rendering"];
    let only = if sized(0, 1) == 1 { &[][..] } else { &only };
    let check = ["conformance", "problem/mine.py", "--interpreter", &python];
    run(".", &[&check[..], only].concat());
    run(".", &["sample", "problem/mine.py", "--interpreter", &python, "-n", "3"]);
    let own = rows(&sandbox, &["results/a", "--trials"]);
    assert_eq!(own, rows(&sandbox, &["apart/a", "--trials"]));
    let marks: Vec<_> = std::fs::read_dir(sandbox.path("marks")).expect("a folder").collect();
    assert!(marks.is_empty(), "{marks:?}");
}
