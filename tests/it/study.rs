//! The repository that `runner init --study` writes: its Makefile, workflow and notebook.

use crate::python::python;
use crate::shell::Shell;
use crate::util::{Sandbox, has, root};
use std::fs;

/// Names of the Makefile's targets, in the order of the steps.
const STEPS: [&str; 6] = ["check", "test", "run", "verify", "report", "pack"];

/// Runs the code of a notebook, cell by cell, with few trials.
const CELLS: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
names = {}
for cell in json.load(open("notebook.ipynb"))["cells"]:
    if cell["cell_type"] == "code":
        code = "".join(cell["source"])
        exec(code.replace("study.toml\"", "study.toml\", repeats=3"), names)
assert len(names["result"].trials) == 9
"#;

const WORKFLOW: &str = r#"
import yaml
workflow = yaml.safe_load(open(".github/workflows/study.yml"))
for step in workflow["jobs"]["study"]["steps"]:
    assert len({"uses", "run"} & set(step)) == 1, step
    print(step.get("run", ""))
"#;

/// Targets of the study's Makefile.
fn targets(makefile: &str) -> Vec<&str> {
    let rules = makefile.lines().filter(|line| !line.starts_with(['\t', '#', '.']));
    rules.filter_map(|line| Some(line.split_once(':')?.0)).collect()
}

/// Checks also that a `make` of more trials begins with those that are done.
#[test]
fn a_new_study_is_made_by_make() {
    if !has("make") || python("sys").is_none() {
        return;
    }
    let mut shell = Shell::new();
    let ran = shell.run("runner init --study").code(0);
    assert_eq!(ran.stdout, "Wrote study. Next:\n  git init study\n  make -C study\n");
    let ran = shell.run("cd study && make REPEATS=2").code(0);
    let commands =
        ["check configs/", "configs/study.toml --r", "verify results/", "report results/", "pack "];
    for command in commands {
        assert!(ran.stdout.lines().any(|line| line.starts_with(&format!("runner {command}"))));
    }
    ran.says("6 of 6 trials are the same").says("results/study.zip").warns("Ran 1 test");
    shell.run("make REPEATS=3").code(0).says("9 of 9 trials").warns("6 of them already done");
    for file in ["report.html", "checklist.md"] {
        assert!(shell.path("study/results/study").join(file).is_file(), "no {file}");
    }
    shell.run("runner verify results/study.zip --trust").code(0).says("9 of 9 trials");
    if python("polars").is_some() && python("tqdm").is_some() {
        shell.write("cells.py", CELLS);
        let module = root().join("python/src");
        shell.run(&format!("python3 ../cells.py '{}'", module.display())).code(0);
    }
}

#[test]
fn the_workflow_of_a_study_has_the_steps_of_its_makefile() {
    let mut shell = Shell::new();
    shell.run("runner init --study .").code(0);
    let read = |file: &str| fs::read_to_string(shell.path(file)).expect("a file of the study");
    let makefile = read("Makefile");
    let targets = targets(&makefile);
    assert_eq!(targets[0], "all", "the target of `make` alone");
    assert!(STEPS.iter().all(|step| targets.contains(step)), "{targets:?}");
    let (workflow, readme) = (read(".github/workflows/study.yml"), read("README.md"));
    let run = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: make "));
    let run: Vec<&str> = run.collect();
    assert_eq!(run, ["run", "verify", "pack"]);
    assert!(workflow.contains("path: results/study.zip"), "{workflow}");
    assert!(STEPS.iter().all(|step| readme.contains(&format!("`make {step}`"))), "{readme}");
    assert!(read("requirements.txt").contains(concat!("==", env!("CARGO_PKG_VERSION"), "\n")));
    if python("yaml").is_some() {
        shell.write("workflow.py", WORKFLOW);
        let ran = shell.run("python3 workflow.py").code(0);
        let made = ran.stdout.lines().filter_map(|line| line.strip_prefix("make "));
        assert_eq!(made.collect::<Vec<_>>(), run, "as YAML");
    }
}

#[test]
fn a_study_overwrites_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/README.md", "mine");
    let ran = sandbox.run(&["init", "--study", "mine"]).code(2);
    assert_eq!(
        ran.stderr,
        "error: mine/README.md already exists and will not be overwritten; name another folder, \
        as in `runner init --study mine`\n"
    );
    assert_eq!(fs::read_dir(sandbox.path("mine")).expect("a folder").count(), 1);
    sandbox.run(&["init", "x.toml", "--study"]).code(2).warns("cannot be used with");
    sandbox.write("file", "");
    sandbox.run(&["init", "--study", "file"]).code(4).warns("cannot be written");
    sandbox.run(&["init", "--study", "my study"]).code(0).says("make -C 'my study'");
}
