//! Tables and lists in a terminal of 80 columns: nothing is wider, and no word is broken.

use crate::util::{Ran, Sandbox, table};
use console::measure_text_width;
use serde_json::Value;
use std::collections::HashSet;

fn at(sandbox: &Sandbox, columns: usize, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    Ran::new(command.args(arguments).env("COLUMNS", columns.to_string()))
}

#[track_caller]
fn fits(ran: &Ran) {
    let wide: Vec<&str> = ran.stdout.lines().filter(|line| measure_text_width(line) > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}\n{ran}");
}

/// The words of a text, without frames of tables.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().filter(|word| !word.starts_with('─')).collect()
}

#[test]
fn plugins_and_operators_are_listed_in_narrow_lines_of_whole_words() {
    let sandbox = Sandbox::new();
    for command in ["plugins", "operators"] {
        let narrow = at(&sandbox, 80, &[command]).code(0);
        let wide = at(&sandbox, 1000, &[command]).code(0);
        // Paths are not cut: who copies one needs all of it.
        let is_path = |line: &&str| line.trim_start().starts_with('/');
        let text: String = narrow.stdout.lines().filter(|line| !is_path(line)).collect();
        assert!(!text.is_empty(), "{narrow}");
        let too_wide: Vec<&str> = narrow
            .stdout
            .lines()
            .filter(|line| measure_text_width(line) > 80 && !is_path(line))
            .collect();
        assert!(too_wide.is_empty(), "{too_wide:#?}\n{narrow}");
        assert_eq!(words(&narrow.stdout), words(&wide.stdout), "{narrow}");
    }
}

#[test]
fn what_conformance_found_fits_a_narrow_terminal() {
    let sandbox = Sandbox::new();
    let arguments = ["conformance", "onemax", "--only", "repeatable", "--only", "rendering"];
    let more = ["--only", "sampling", "--only", "fitness", "--only", "operators"];
    let all = [&arguments[..], &more].concat();
    let narrow = at(&sandbox, 80, &all).code(0);
    fits(&narrow);
    let shown: HashSet<&str> = words(&narrow.stdout).into_iter().collect();
    let json = at(&sandbox, 80, &[&all[..], &["--json"]].concat()).code(0);
    let rows: Vec<Value> = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(rows.len(), 5, "{json}");
    for text in rows.iter().flat_map(|row| ["check", "rule", "seen"].map(|key| row[key].as_str())) {
        for word in text.expect("a text").split_whitespace() {
            assert!(shown.contains(word), "{word} is broken\n{narrow}");
        }
    }
    let wide = at(&sandbox, 200, &all).code(0);
    assert!(wide.stdout.lines().count() < narrow.stdout.lines().count(), "{wide}");
}

/// A name that is wider than its column loses its middle, and no two look alike.
#[test]
fn long_names_lose_their_middle() {
    const LONGEST: &str = "another-considerably_longer-name.of-queens";
    let sandbox = Sandbox::new();
    let set = |name: &str, size: u64| {
        format!(
            "[[operators]]\nname = \"{name}\"\npopulation = 20\nselection = {{ kind = \
            \"tournament\", size = {size} }}\nmutation = {{ kind = \"reset\", rate = 0.5 }}\n"
        )
    };
    let config = format!(
        "repeats = 20\nbaseline = true\n[problem]\nplugin = \"nqueens\"\nn = 6\n{}{}\
        [stop]\nevaluations = 400\n",
        set("queens-notebook-intended", 2),
        set(LONGEST, 3)
    );
    sandbox.write("queens.toml", config);
    sandbox.run(&["queens.toml"]).code(0);
    for columns in [50, 60, 80, 100, 120, 160] {
        let ran = at(&sandbox, columns, &["show", "results/queens"]).code(0);
        let wide = ran.stdout.lines().any(|line| measure_text_width(line) > columns);
        assert!(!wide, "{columns}\n{ran}");
        let names: Vec<&str> =
            table(&ran.stdout).1.iter().filter_map(|row| row.split("  ").next()).collect();
        let distinct: HashSet<&str> = names.iter().copied().collect();
        assert_eq!((names.len(), distinct.len()), (3, 3), "{ran}");
        for (name, whole) in names.iter().zip(["queens-notebook-intended", LONGEST]) {
            let (begin, end) = name.split_once('…').unwrap_or((name, ""));
            assert!(whole.starts_with(begin) && whole.ends_with(end), "{name}\n{ran}");
        }
    }
}
