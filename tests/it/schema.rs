//! The reference and the JSON Schema of experiment files, as the program prints them.

use crate::python::python;
use crate::util::{Sandbox, document, root, skip};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The plugins that ship.
const SHIPPED: [&str; 14] = [
    "bbob",
    "chess960",
    "coloring",
    "continuous",
    "jobshop",
    "knapsack",
    "landscapes",
    "maxcut",
    "maxsat",
    "nqueens",
    "onemax",
    "pbo",
    "qap",
    "tsp",
];

fn schema(more: &[&str]) -> String {
    let plugins = SHIPPED.iter().flat_map(|plugin| ["--plugin", plugin]);
    let arguments: Vec<&str> =
        std::iter::once("schema").chain(more.iter().copied()).chain(plugins).collect();
    Sandbox::new().run(&arguments).code(0).stdout
}

/// `RUNNER_BLESS=1 cargo test --test it schema::` writes both anew: read what changed.
fn is_as_printed(file: &str, printed: &str) {
    if std::env::var_os("RUNNER_BLESS").is_some() {
        fs::write(root().join(file), printed).expect("the file");
    }
    assert!(
        printed == document(file),
        "{file} is not what the program prints; \
        RUNNER_BLESS=1 cargo test --test it schema:: rewrites it"
    );
}

#[test]
fn the_reference_of_the_experiment_file_is_what_the_program_prints() {
    is_as_printed("docs/config.md", &schema(&["--markdown"]));
}

#[test]
fn the_schema_that_ships_is_what_the_program_prints() {
    is_as_printed("configs/runner.schema.json", &schema(&[]));
    has_its_classes_in_python();
}

#[test]
fn the_schema_and_the_reference_of_suites_are_what_the_program_prints() {
    let sandbox = Sandbox::new();
    let printed = |more: &[&str]| sandbox.run(&[&["schema", "suite"], more].concat());
    is_as_printed("suites/suite.schema.json", &printed(&[]).code(0).stdout);
    let table = printed(&["--markdown"]).code(0).stdout;
    assert!(document("docs/suites.md").contains(&table), "docs/suites.md lacks\n{table}");
    printed(&["--plugin", "onemax"]).code(2).warns("leave out --plugin");
}

/// Checks, or with `RUNNER_BLESS` writes, the classes of `python/` that are made from the schema.
fn has_its_classes_in_python() {
    if python("sys").is_none() {
        return;
    }
    let mut command = Command::new("python3");
    command.arg(root().join("python/generate_config.py"));
    if std::env::var_os("RUNNER_BLESS").is_none() {
        command.arg("--check");
    }
    let output = command.output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The files of a folder that are TOML, by name.
fn configs(folder: &str) -> Vec<String> {
    let files = fs::read_dir(root().join(folder)).expect("a folder").flatten();
    let paths = files.map(|file| file.path().to_string_lossy().into_owned());
    let mut paths: Vec<String> = paths.filter(|path| path.ends_with(".toml")).collect();
    paths.sort();
    paths
}

/// Prints a line for each file: its name and what is wrong with it, if anything is.
const VALIDATE: &str = r#"
import json, pathlib, sys, tomllib
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for path in map(pathlib.Path, sys.argv[2:]):
    try:
        wrong = sum(1 for _ in validator.iter_errors(tomllib.loads(path.read_text())))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        wrong = 1
    print(path.stem, wrong)
"#;

/// Wrong files that a schema takes: what is wrong is the relation of several keys, the problem's
/// encoding, a sum, a path, or a key that another may replace.
const ONLY_CHECK_KNOWS: [&str; 32] = [
    "endless-continue",
    "library-not-there",
    "mix-does-not-sum-to-one",
    "mix-without-operator",
    "no-budget",
    "no-selection-no-population",
    "no-stop",
    "no-variation",
    "opaque-problem",
    "operator-does-not-fit",
    "operator-without-kind",
    "operators-without-children",
    "operators-without-trace",
    "population-of-one",
    "preset-in-a-hurry",
    "preset-rate-beside-mix",
    "preset-that-does-not-fit",
    "preset-with-rate",
    "rate-beside-mix",
    "repeats-of-too-few-trials",
    "repeats-of-unknown-arms",
    "roulette-without-weights",
    "same-arms",
    "same-operator-names",
    "sampled-range",
    "set-against-sweep",
    "set-wrong",
    "sizes-that-do-not-go-together",
    "sweep-of-kinds",
    "sweep-of-what-a-set-has-not",
    "sweep-of-what-an-operator-has-not",
    "sweep-that-explodes",
];

/// Returns the files' names, and whether a validator that others wrote takes each by a schema.
fn validated(python: &str, schema: &str, files: Vec<String>) -> Vec<(String, bool)> {
    let schema = root().join(schema);
    let ran = Command::new(python).args(["-c", VALIDATE]).arg(schema).args(files).output();
    let ran = ran.expect("Python");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let lines = String::from_utf8(ran.stdout).expect("UTF-8");
    let line = |line: &str| {
        let (name, wrong) = line.rsplit_once(' ').expect("two words");
        (name.to_owned(), wrong == "0")
    };
    lines.lines().map(line).collect()
}

#[test]
fn the_schema_of_suites_takes_what_ships_and_refuses_what_is_wrong() {
    let Some(python) = python("jsonschema, tomllib") else { return };
    let sandbox = Sandbox::new();
    let good = document("suites/pbo.toml");
    for (name, from, to) in [
        ("version", "version     = \"1\"", "version = 1"),
        ("missing", "version     = \"1\"", ""),
        ("unknown", "version     =", "versoin = \"1\"\nversion ="),
        ("measure", "by          = \"ert\"", "by = \"speed\""),
        ("empty", "experiments = [\"../configs/pbo-suite.toml\"]", "experiments = []"),
        ("table", "[suite]", "[stop]\nevaluations = 5\n[suite]"),
    ] {
        assert!(good.contains(from), "{name}");
        sandbox.write(&format!("{name}.toml"), good.replace(from, to));
    }
    let schema = "suites/suite.schema.json";
    let shipped = validated(&python, schema, configs("suites"));
    assert!(shipped.len() >= 3 && shipped.iter().all(|(_, good)| *good), "{shipped:?}");
    let wrong = configs(&sandbox.path(".").display().to_string());
    let wrong = validated(&python, schema, wrong);
    assert!(wrong.len() == 6 && wrong.iter().all(|(_, good)| !good), "{wrong:?}");
}

#[test]
fn the_schema_takes_what_ships_and_refuses_what_is_wrong() {
    let Some(python) = python("jsonschema, tomllib") else { return };
    let schema = "configs/runner.schema.json";
    let shipped = validated(&python, schema, configs("configs"));
    assert!(shipped.len() >= 16 && shipped.iter().all(|(_, good)| *good), "{shipped:?}");
    let taken: Vec<String> = validated(&python, schema, configs("tests/fixtures/wrong"))
        .into_iter()
        .filter_map(|(name, good)| good.then_some(name))
        .collect();
    assert_eq!(taken, ONLY_CHECK_KNOWS, "wrong files that the schema takes");
}

/// A rate that is none.
const RATE: &str = "mutation = { kind = \"bit-flip\", rate = 2.0 }";

/// By the program that editors use, which finds the schema by the first line of each file.
#[test]
fn the_editors_program_takes_what_ships_and_refuses_a_mistake() {
    let Some(python) = python("sys") else { return };
    let taplo = Path::new(&python).with_file_name("taplo");
    if !taplo.is_file() {
        return skip(&format!("there is no {}", taplo.display()));
    }
    let sandbox = Sandbox::new();
    for file in configs("configs").iter().map(Path::new) {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let text = document(&format!("configs/{name}"));
        assert!(text.starts_with("#:schema ./runner.schema.json\n"), "{name}");
        sandbox.write(name, text);
    }
    sandbox.write("runner.schema.json", document("configs/runner.schema.json"));
    for file in configs("suites").iter().map(Path::new) {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let text = document(&format!("suites/{name}"));
        assert!(text.starts_with("#:schema ./suite.schema.json\n"), "{name}");
        sandbox.write(&format!("suites/{name}"), text);
    }
    sandbox.write("suites/suite.schema.json", document("suites/suite.schema.json"));
    let lint = |sandbox: &Sandbox| {
        let ran = Command::new(&taplo).arg("lint").current_dir(sandbox.path(".")).output();
        let ran = ran.expect("taplo");
        (ran.status.success(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let (good, words) = lint(&sandbox);
    assert!(good, "{words}");
    let wrong = document("suites/pbo.toml").replace("\"ert\"", "\"speed\"");
    let wrong_suite = sandbox.write("suites/wrong.toml", wrong);
    let (good, words) = lint(&sandbox);
    assert!(!good && words.contains("speed"), "{words}");
    fs::remove_file(wrong_suite).expect("the file");
    let wrong = document("configs/onemax.toml").replace("population", "populaton");
    sandbox.write("wrong.toml", wrong);
    let (good, words) = lint(&sandbox);
    assert!(!good && words.contains("populaton"), "{words}");
    // Each mistake is shown once, where it is, with what is wrong with that value.
    let unknown = "[stop]\nmax-evaluations = 5";
    let wrong = document("configs/onemax.toml").replace("[stop]", unknown);
    sandbox.write("wrong.toml", wrong.replace("mutation    = \"bit-flip\"", RATE));
    let (good, words) = lint(&sandbox);
    assert!(!good && !words.contains("under any of"), "{words}");
    assert!(words.contains("2.0 is greater than the maximum of 1.0"), "{words}");
    assert!(words.contains("(this table has no key of this name)"), "{words}");
    assert_eq!(words.matches("┌─").count(), 2, "{words}");
}

#[test]
fn the_schema_of_a_plugin_that_is_not_there_says_so() {
    Sandbox::new().run(&["schema", "--plugin", "nqueen"]).code(3).warns("did you mean `nqueens`?");
}

/// The Python package makes frames of what `runner show --json` prints, with the types of the
/// tables.
#[test]
fn the_kinds_of_columns_in_the_python_package_are_those_of_the_tables() {
    let package = document("python/src/runner_lab/frame.py");
    let columns = package.split("COLUMNS = {").nth(1).and_then(|rest| rest.split('}').next());
    let mut kinds = BTreeMap::new();
    let words = columns.expect("the list").split('"').map(str::trim);
    let words: Vec<&str> = words.filter(|word| !["", ":", ","].contains(word)).collect();
    for pair in words.chunks(2) {
        for column in pair[1].split_whitespace() {
            assert!(kinds.insert(column, pair[0]).is_none(), "{column} is there twice");
        }
    }
    let documented = document("results/README.md");
    let tables = documented
        .split("\n## ")
        .filter(|part| part.starts_with("summary.parquet") || part.starts_with("trials.parquet"));
    let mut seen = 0;
    for line in tables.flat_map(str::lines).filter_map(|line| line.strip_prefix("| `")) {
        let (column, kind) = line.split_once("` | ").expect("a row of two cells");
        let kind = match kind {
            kind if kind.starts_with("String.") => "text",
            kind if kind.starts_with("UInt64.") => "count",
            kind if kind.starts_with("Float64.") => "figure",
            kind if kind.starts_with("Boolean.") => "truth",
            kind if kind.starts_with("List of String.") => "texts",
            _ => continue,
        };
        assert_eq!(kinds.get(column), Some(&kind), "{column}");
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}
