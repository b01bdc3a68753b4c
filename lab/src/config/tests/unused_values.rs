//! Tests of values that no arm uses, of budgets that leave no room for children, and of the help
//! that messages give.

use super::*;
use crate::config::fields::value;
use crate::config::node::{Node, Shape};
use crate::config::source::Origin;
use crate::problem::parameter::Kind;

const SWEPT: &str = r#"
[problem]
plugin = "nqueens"
n      = 6

[[operators]]
name       = "ga"
population = 20
selection  = "tournament"
mutation   = { kind = "reset", rate = 0.5 }

[stop]
evaluations = 300

[sweep]
"problem.n"               = [6, 8]
"operators.population"    = [10, 20]
"operators.selection"     = ["tournament", "uniform"]
"operators.mutation.rate" = [0.1, 0.2]
"stop.evaluations"        = [300, 400]
"#;

fn told(text: &str) -> Vec<String> {
    let outcome = load_texts(&[text], &Overrides::default());
    outcome.diagnostics.into_iter().map(|one| one.message).collect()
}

/// They are errors as they would be without the sweep.
#[test]
fn a_wrong_value_beside_a_sweep_of_its_key_is_an_error() {
    assert_eq!(told(SWEPT), [""; 0]);
    for (right, wrong, message) in [
        ("n      = 6", "n = \"abc\"", "`n` must be"),
        ("n      = 6", "n = -6", "`n` = -6 is not allowed"),
        ("population = 20", "population = nan", "`population` must be"),
        ("selection  = \"tournament\"", "selection = \"turnament\"", "turnament"),
        (
            "selection  = \"tournament\"",
            "selection = { kind = \"tournament\", size = 0 }",
            "`size`",
        ),
        ("rate = 0.5", "rate = 7", "`rate` = 7 is not allowed"),
        (
            "mutation   = { kind = \"reset\", rate = 0.5 }",
            "mutation.kind = \"reset\"\nmutation.rate = 7",
            "`rate` = 7 is not",
        ),
        ("evaluations = 300", "evaluations = -3", "`evaluations` = -3 is not allowed"),
    ] {
        assert!(SWEPT.contains(right), "{right}");
        let found = told(&SWEPT.replacen(right, wrong, 1));
        assert!(found.len() == 1 && found[0].contains(message), "{wrong}: {found:?}");
    }
}

/// A preset may lack what its operator sets have.
#[test]
fn a_preset_that_no_set_uses_is_checked() {
    let with = |preset: &str| format!("[[presets]]\nname = \"mine\"\n{preset}\n{SWEPT}");
    for right in [
        "",
        "population = 30",
        "mutation.rate = 0.5",
        "preset = \"simple-ga\"\nmutation.rate = 0.5",
        "crossover = { plugin = \"nowhere\" }",
        "algorithm = \"hill-climbing\"\nmutation = \"reset\"",
    ] {
        assert_eq!(told(&with(right)), [""; 0], "{right}");
    }
    for (wrong, message) in [
        ("population = \"x\"", "`population` must be"),
        ("mutation = \"zz\"", "zz"),
        ("preset = \"simple-ga\"\nmutation.rate = 7", "`rate` = 7 is not allowed"),
    ] {
        let found = told(&with(wrong));
        assert!(found.len() == 1 && found[0].contains(message), "{wrong}: {found:?}");
    }
}

#[test]
fn every_population_that_uses_up_the_budget_is_warned_of() {
    let set = "selection = \"tournament\"\nmutation = \"reset\"\ncrossover = \"one-point\"\n";
    for (algorithm, population, first) in [
        ("\"evolutionary\"", 100, 100),
        ("{ kind = \"islands\", count = 30 }", 10, 300),
        ("\"cellular\"", 400, 400),
        ("\"deterministic-crowding\"", 400, 400),
    ] {
        let set = match algorithm.contains("crowding") {
            true => set.replace("selection = \"tournament\"\n", ""),
            false => set.to_owned(),
        };
        let text = |budget: u64| {
            format!(
                "[problem]\nplugin = \"nqueens\"\n[[operators]]\nalgorithm = {algorithm}\n\
                population = {population}\n{set}[stop]\nevaluations = {budget}\n"
            )
        };
        let outcome = load_texts(&[&text(first)], &Overrides::default());
        let shown = rendered(&outcome);
        for words in ["never makes a child", &format!("at least {}", first + 1)] {
            assert!(shown.contains(words), "{algorithm}: {words}\n{shown}");
        }
        let enough = rendered(&load_texts(&[&text(first + 1)], &Overrides::default()));
        assert!(!enough.contains("never makes a child"), "{algorithm}\n{enough}");
    }
}

/// A way out leads to no other error.
#[test]
fn the_help_of_a_message_can_be_followed() {
    let shown = |text: &str, words: &[&str]| rendered(&load_texts(&[text], &set(words)));
    let mutated = |key: &str| {
        QUEENS.replace("\"reset\"", &format!("{{ kind = \"reset\", {key} = {{ to = 0.1 }} }}"))
    };
    let schedule = shown(&mutated("gene-rate"), &[]);
    let example = "write it as gene-rate = { from = 0.3, to = 0.01 }";
    assert!(schedule.contains(example), "{schedule}");
    let replaced = shown(QUEENS, &["operators.ga=3"]);
    let example = "set one of its keys, such as operators.ga.population";
    assert!(replaced.contains(example), "{replaced}");
    let paired = shown(&format!("pairing = \"common\"\n{QUEENS}"), &[]);
    assert!(paired.contains("but here is one arm"), "{paired}");
}

/// An end that is open is no value.
#[test]
fn an_example_of_a_number_is_one_that_is_allowed() {
    for (low, high, number) in [
        (1.0, f64::INFINITY, "2"),
        (0.0, 1.0, "0.5"),
        (0.5, 1.0, "0.75"),
        (f64::NEG_INFINITY, 0.5, "-0.5"),
    ] {
        let kind = Kind::Real { low, high, low_open: true, high_open: true };
        let node =
            Node { shape: Shape::Text("x".into()), origin: Origin { source: 0, start: 0, end: 0 } };
        let mut out = Vec::new();
        _ = value(&node, "beta", &kind, &mut out);
        let help = format!("write a number, such as {number}");
        assert_eq!(out[0].help.as_deref(), Some(&*help));
    }
}
