//! `runner init`: what its answers become.

#[cfg(target_os = "linux")]
use crate::util::{Ran, has, skip};
use crate::util::{Sandbox, rows};
#[cfg(target_os = "linux")]
use std::process::Command;

fn written(sandbox: &Sandbox, file: &str) -> String {
    String::from_utf8(sandbox.read(file)).expect("UTF-8")
}

/// A key of `--set` has the form that it has in other commands, or the parameter's name alone.
#[test]
fn a_key_is_set_in_both_forms() {
    let sandbox = Sandbox::new();
    for (file, key, encoding) in
        [("a.toml", "n", "encoding"), ("b.toml", "problem.n", "problem.encoding")]
    {
        let (n, encoding) = (format!("{key}=3"), format!("{encoding}=permutation"));
        let start = ["init", file, "--yes", "--plugin", "nqueens", "--set", &n, "--set", &encoding];
        sandbox.run(&start).code(0);
        let text = written(&sandbox, file);
        assert!(text.contains("n        = 3 "), "{text}");
        assert!(text.contains("encoding = \"permutation\""), "{text}");
    }
    sandbox
        .run(&["init", "c.toml", "--yes", "--plugin", "nqueens", "--set", "problem.zz=3"])
        .code(2)
        .warns("zz");
}

/// At a terminal the last question is asked again, as every other one is: what was answered before
/// is not lost.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_is_asked_for_again() {
    if !has("script") {
        return skip("no script(1), which makes a terminal");
    }
    let sandbox = Sandbox::new();
    let answers = "nqueens\n12\n\n\n\n\nno/such/folder/x.toml\n.toml\nmine.toml\n";
    let answers = sandbox.write("answers", answers);
    let command = sandbox.command();
    let runner = command.get_program().to_str().expect("UTF-8").to_owned();
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{runner} init"), "/dev/null"]).current_dir(sandbox.path("."));
    command.envs(sandbox.command().get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.stdin(std::fs::File::open(answers).expect("answers"));
    let ran = Ran::new(&mut command).code(0);
    let ran = ran.says("no/such/folder/x.toml: cannot be written").says("Wrote mine.toml");
    assert_eq!(ran.stdout.matches("Which file should it be written to?").count(), 3, "{ran}");
    assert!(written(&sandbox, "mine.toml").contains("n        = 12 "));
}

/// A file is named from where the command runs, and said from where the experiment file is.
#[test]
fn a_file_of_data_is_found_from_any_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("data/k.txt", "3 5\n1 2\n1 2\n1 2\n");
    sandbox.write("deep/er/note", "");
    for (file, said) in [
        ("x.toml", "data/k.txt"),
        ("data/x.toml", "k.txt"),
        ("deep/x.toml", "../data/k.txt"),
        ("deep/er/x.toml", "../../data/k.txt"),
    ] {
        let given = ["--plugin", "knapsack", "--set", "file=data/k.txt", "--yes"];
        sandbox.run(&[&["init", file], &given[..]].concat()).code(0);
        let text = written(&sandbox, file);
        assert!(text.contains(&format!("= \"{said}\"")), "{file}: {text}");
        sandbox.run(&["check", file]).code(0);
    }
}

/// If the size leaves what the fitness counts as it is, larger problems would be easier: what
/// the fitness counts grows along.
#[test]
fn larger_problems_have_more_to_solve() {
    let sandbox = Sandbox::new();
    let scale = |file: &str, plugin: &str| {
        let start = ["init", file, "--yes", "--plugin", plugin, "--question", "scale"];
        sandbox.run(&start).code(0);
        sandbox.run(&["check", file, "--set", "stop.evaluations=100"]).code(0);
        written(&sandbox, file)
    };
    let maxsat = scale("maxsat.toml", "maxsat");
    assert!(
        maxsat.contains("change with\n#   `problem.variables` and `problem.clauses`"),
        "{maxsat}"
    );
    let sweep = "[sweep]\n\"problem.variables\" = [50, 100, 200, 400]\n\
        \"problem.clauses\" = [200, 400, 800, 1600]\n\
        together = [\"problem.variables\", \"problem.clauses\"]\n";
    assert!(maxsat.ends_with(sweep) && !maxsat.contains("\nclauses"), "{maxsat}");
    // Everywhere else the size is all that grows.
    for (plugin, size) in [
        ("bbob", "n"),
        ("continuous", "n"),
        ("jobshop", "jobs"),
        ("knapsack", "n"),
        ("landscapes", "n"),
        ("maxcut", "n"),
        ("nqueens", "n"),
        ("onemax", "length"),
        ("pbo", "n"),
        ("qap", "n"),
        ("tsp", "n"),
    ] {
        let text = scale(&format!("{plugin}.toml"), plugin);
        let (_, sweep) = text.split_once("\n[sweep]\n").expect("a sweep");
        assert!(sweep.starts_with(&format!("\"problem.{size}\" = [")), "{text}");
        assert_eq!(sweep.lines().count(), 1, "{text}");
    }
    // Without a size, the budget grows.
    for plugin in ["chess960", "coloring"] {
        let text = scale(&format!("{plugin}.toml"), plugin);
        assert!(text.contains("\n[sweep]\n\"stop.evaluations\" = ["), "{text}");
    }
}

/// A search solves few of the larger instances of `maxsat`, and most of the small one.
#[test]
fn a_scaling_question_finds_larger_problems_harder() {
    let sandbox = Sandbox::new();
    let start = ["init", "m.toml", "--yes", "--plugin", "maxsat", "--question", "scale"];
    sandbox.run(&start).code(0);
    sandbox.run(&["m.toml", "--repeats", "10", "--set", "baseline=false"]).code(0);
    let rates: Vec<f64> = rows(&sandbox, &["results/m"])
        .iter()
        .map(|row| row["success_rate"].as_f64().expect("a rate"))
        .collect();
    let few = rates.iter().skip(2).all(|rate| *rate < 0.3);
    assert!(rates.len() == 4 && rates[0] > 0.5 && few, "{rates:?}");
}
