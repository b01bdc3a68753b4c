//! Every block of code of the documents is run, compiled or checked by a test.

use crate::docs::blocks;
use crate::documents::pages;
use crate::elsewhere::is_a_test;
use crate::given::{STUDY, in_pieces, usual};
use crate::python::python;
use crate::shell::Shell;
use crate::util::{Ran, document, root};

const CONFIGS: &str = "every_config_in_the_documents_passes_the_check";
const TUTORIAL: &str = "the_tutorial_does_what_it_says";
const GUIDE: &str = "the_plugin_step_by_step_builds_and_runs";
const READERS: &str = "the_blocks_in_python_read_the_tables";
const MODULE: &str = "the_blocks_with_the_module_run";
const OWN: &str = "the_algorithm_of_the_document_runs";
const PROGRAMS: &str = "the_commands_of_programs";

/// Blocks of a page in a language: how many there are, and what runs each of them in order.
const BLOCKS: &[(&str, &str, &[&str])] = &[
    ("README.md", "toml", &[CONFIGS]),
    ("README.md", "python", &["the_problem_of_the_readme_runs"]),
    ("docs/analysis.md", "toml", &[CONFIGS; 5]),
    ("docs/analysis.md", "python", &[READERS; 2]),
    ("docs/config.md", "toml", &[CONFIGS; 3]),
    ("docs/events.md", "python", &[READERS]),
    ("docs/exact-results.md", "toml", &[CONFIGS]),
    ("docs/live.md", "sh", &["the_commands_of_live"]),
    ("docs/noise.md", "python", &["the_commands_of_noise"]),
    ("docs/noise.md", "toml", &[CONFIGS; 2]),
    ("docs/own-algorithms.md", "python", &[OWN]),
    ("docs/own-algorithms.md", "rust", &[GUIDE]),
    ("docs/own-algorithms.md", "toml", &[OWN]),
    ("docs/papers.md", "toml", &["the_commands_of_papers"]),
    ("docs/problems.md", "toml", &[CONFIGS; 2]),
    ("docs/programs.md", "python", &[PROGRAMS, PROGRAMS, "the_operators_in_python_run"]),
    ("docs/programs.md", "json", &["a_program_may_answer_as_the_document_says"; 4]),
    ("docs/python.md", "python", &[MODULE; 4]),
    ("docs/running.md", "toml", &[CONFIGS; 6]),
    ("docs/running.md", "python", &[READERS]),
    ("docs/scale.md", "toml", &[CONFIGS]),
    ("docs/searches.md", "toml", &[CONFIGS; 10]),
    ("docs/suites.md", "toml", &["the_commands_of_suites"; 2]),
    ("docs/teaching.md", "toml", &["the_commands_of_teaching"; 4]),
    ("docs/tuning.md", "python", &["smac_tunes_by_its_script"]),
    ("docs/tuning.md", "sh", &["irace_tunes_by_its_target_runner", "smac_tunes_by_its_script"]),
    ("docs/tuning.md", "toml", &[CONFIGS; 2]),
    ("docs/tutorial.md", "toml", &[TUTORIAL; 2]),
    ("plugins/README.md", "toml", &[GUIDE; 2]),
    ("plugins/README.md", "rust", &[GUIDE; 7]),
    ("python/README.md", "python", &[MODULE]),
    ("results/README.md", "python", &[READERS; 2]),
];

#[test]
fn every_block_of_code_has_its_test() {
    let mut found = Vec::new();
    // Issues are forms to be filled in.
    for page in pages().into_iter().filter(|page| !page.starts_with(".github/")) {
        let text = document(&page);
        let languages = text.lines().filter_map(|line| line.strip_prefix("```"));
        let mut languages: Vec<&str> = languages.filter(|language| !language.is_empty()).collect();
        // What a terminal shows, and what the site is made of.
        languages.retain(|language| *language != "text" && !language.starts_with('{'));
        languages.sort_unstable();
        for block in languages.chunk_by(|one, other| one == other) {
            found.push((page.clone(), block[0].to_owned(), block.len()));
        }
    }
    let due = BLOCKS.iter().map(|(page, language, tests)| (*page, *language, tests.len()));
    let mut due: Vec<_> =
        due.map(|(page, language, count)| (page.to_owned(), language.to_owned(), count)).collect();
    due.sort();
    found.sort();
    assert_eq!(found, due);
    for name in BLOCKS.iter().flat_map(|(_, _, tests)| *tests) {
        assert!(name.starts_with("the_commands_of_") || is_a_test(name), "there is no test {name}");
    }
}

/// Runs a block with Python.
fn run(shell: &mut Shell, block: &str) -> Ran {
    shell.write("block.py", block);
    shell.run("python3 block.py").code(0)
}

#[test]
fn the_blocks_in_python_read_the_tables() {
    if python("polars").is_none() || python("duckdb").is_none() {
        return;
    }
    let mut shell = Shell::new();
    usual(&mut shell, "");
    shell.write("NAME.toml", STUDY);
    in_pieces(&mut shell, "NAME.toml", "results");
    shell.write("genomes.toml", &blocks(&document("docs/running.md"), "toml")[2]);
    shell.run("runner genomes.toml").code(0);
    let read = |page: &str| blocks(&document(page), "python");
    let printed = |ran: &Ran, words: &str| assert!(ran.stdout.contains(words), "{words}\n{ran}");
    for block in &read("docs/analysis.md") {
        printed(&run(&mut shell, &format!("{block}assert total == 24\n")), "climb");
    }
    // Either arm may end first.
    let events = run(&mut shell, &read("docs/events.md")[0]);
    for words in ["simple-ga ", "random-search ", " 2 of 4", " 4 of 4"] {
        printed(&events, words);
    }
    printed(&run(&mut shell, &read("docs/running.md")[0]), "generation");
    let results = read("results/README.md");
    run(&mut shell, &results[0]);
    if python("pyarrow").is_some() {
        run(&mut shell, &results[1]);
    }
}

#[test]
fn the_blocks_with_the_module_run() {
    if python("polars").is_none() || python("tqdm").is_none() {
        return;
    }
    let mut shell = Shell::new();
    usual(&mut shell, "");
    // A fitness that some trials reach in so few evaluations.
    shell.replace("eight-queens.toml", "[stop]", "[stop]\nfitness = 2");
    let path = format!(
        "import sys\nsys.path[:0] = [{:?}, {:?}]\n",
        root().join("python/src"),
        root().join("plugins/python")
    );
    let page = |name: &str| blocks(&document(name), "python");
    for blocks in [page("docs/python.md"), page("python/README.md")] {
        let check = "assert len(result.summary) in (2, 3)\n";
        run(&mut shell, &[&path, &*blocks.concat(), check].concat());
    }
}

#[test]
fn the_problem_of_the_readme_runs() {
    if python("sys").is_none() {
        return;
    }
    let mut shell = Shell::new();
    shell.write("ones.py", &blocks(&document("README.md"), "python")[0]);
    let config = "repeats = 3\nproblem = { plugin = \"ones.py\" }\n\
        operators = [{ preset = \"simple-ga\" }]\nstop = { evaluations = 2000 }\n";
    shell.write("ones.toml", config);
    shell.run("runner ones.toml").code(0);
    shell.run("runner conformance ones.py --only rows").code(0);
}

#[test]
fn the_operators_in_python_run() {
    if python("sys").is_none() {
        return;
    }
    let mut shell = Shell::new();
    let page = document("docs/programs.md");
    shell.write("ops.py", &blocks(&page, "python")[2]);
    let named = page.lines().filter(|line| line.contains("{ plugin = \"ops.py\""));
    let named: Vec<&str> = named.map(str::trim).collect();
    assert_eq!(named.len(), 2, "{named:?}");
    let config = format!(
        "repeats = 2\nproblem = {{ plugin = \"continuous\", n = 3 }}\nstop = {{ fitness = 0.01, \
        evaluations = 100 }}\n[[operators]]\npopulation = 10\nmutation = \"gaussian\"\n{}\n",
        named.join("\n")
    );
    shell.write("x.toml", config);
    shell.run("runner x.toml").code(0);
    shell.run("runner conformance ops.py --only operator-rows").code(0);
}

/// A program that answers with what lies beside it: genes are zeros, and stay what they are.
const PROGRAM: &str = r#"#!/usr/bin/env python3
import os, pathlib, struct, sys

beside = pathlib.Path(sys.argv[0]).parent
declaration, description = ((beside / name).read_bytes() for name in ("hello.json", "create.json"))


def answer(request, body):
    rows = struct.unpack_from("<II", body)[1] if request in (2, 3) else 0
    given = {0: declaration, 1: description, 2: bytes(8 * rows), 3: bytes(20 * rows)}
    given |= {5: body[48:], 7: b"nothing", 11: b"", 12: b""}
    return given.get(request)


while len(frame := sys.stdin.buffer.read(21)) == 21:
    length, request, secret, number = struct.unpack("<IBQQ", frame)
    given = answer(request, sys.stdin.buffer.read(length - 16)[:-8])
    status, given = given is None, given or b""
    head = struct.pack("<IBQQI", len(given) + 28, status, secret, number, os.getpid())
    sys.stdout.buffer.write(head + given + struct.pack("<Q", secret))
    sys.stdout.buffer.flush()
"#;

#[test]
fn a_program_may_answer_as_the_document_says() {
    if python("sys").is_none() {
        return;
    }
    let mut shell = Shell::new();
    let [declaration, operator, description, mixed] =
        &blocks(&document("docs/programs.md"), "json")[..]
    else {
        panic!("docs/programs.md has a declaration, an operator and two descriptions")
    };
    for (folder, declaration) in [
        ("problem", declaration.clone()),
        ("mixed", declaration.clone()),
        (
            "operator",
            format!(
                "{{\"protocol\": 2, \"name\": \"levy\", \"version\": \"1\", \"problem\": false, \
                \"operators\": [{operator}]}}"
            ),
        ),
    ] {
        shell.write(&format!("{folder}/hello.json"), declaration);
        let description = if folder == "mixed" { mixed } else { description };
        shell.write(&format!("{folder}/create.json"), description);
        shell.program(&format!("{folder}/knapsack"), PROGRAM);
        shell.write(&format!("{folder}/lib/items.js"), "");
    }
    shell.run("mv operator/knapsack operator/levy").code(0);
    let drawn = shell.run("runner sample problem/knapsack --set n=7 --format line").code(0);
    assert_eq!(drawn.stdout.trim(), "nothing", "{drawn}");
    let drawn = shell.run("runner sample mixed/knapsack --set n=7 --format line").code(0);
    let words: Vec<&str> = drawn.stdout.split_whitespace().collect();
    let is_of_kinds =
        matches!(words[..], [rate, _, "a" | "b", "0" | "1"] if rate.starts_with("rate="));
    assert!(is_of_kinds, "{drawn}");
    shell.write(
        "x.toml",
        "repeats = 2\nproblem = { plugin = \"continuous\", n = 3 }\nstop = { fitness = 0.01, \
        evaluations = 40 }\n[[operators]]\npopulation = 10\nselection = \"tournament\"\nmutation = \
        { plugin = \"operator/levy\" }\n",
    );
    shell.run("runner x.toml").code(0);
}
