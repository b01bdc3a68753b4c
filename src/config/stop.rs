//! The tables [stop] and [output].

use super::diagnostic::Diagnostic;
use super::fields::{check_keys, integer, number, table, value};
use super::node::{Node, Origin};
use crate::experiment::{OnSuccess, Stop, Trace};
use crate::parameter::{Kind, Value};
use std::borrow::Cow;

pub const KEYS: [&str; 6] = ["fitness", "generations", "evaluations", "stagnation", "trial-seconds", "on-success"];
const EXAMPLE: &str = "[stop] with generations = 1000";

/// A search without a budget.
pub fn missing(origin: Origin, label: &str) -> Diagnostic {
    Diagnostic::error("nothing ends a trial that finds no solution", origin, label)
        .rule("[stop] needs at least one of generations, evaluations and stagnation")
        .help("add a budget to [stop], such as generations = 1000")
}

/// Reads [stop], but for the target that the problem may give. `endless`: some search has no end of its own.
pub fn read(node: &Node, endless: bool, out: &mut Vec<Diagnostic>) -> Option<Stop> {
    let before = out.len();
    let entries = table(node, "stop", EXAMPLE, out)?;
    check_keys(entries, &KEYS, "[stop]", out);
    let any = Kind::Real { low: f64::NEG_INFINITY, high: f64::INFINITY, low_open: false, high_open: false };
    let positive = Kind::Real { low: 0.0, high: 1e9, low_open: true, high_open: false };
    let count = |key: &str, low: i64, out: &mut Vec<Diagnostic>| {
        node.get(key).and_then(|at| integer(at, key, low, i64::MAX, out)).and_then(|count| u64::try_from(count).ok())
    };
    let stop = Stop {
        target: node.get("fitness").and_then(|at| number(at, "fitness", &any, out)),
        generations: count("generations", 0, out),
        evaluations: count("evaluations", 1, out),
        stagnation: count("stagnation", 1, out),
        trial_seconds: node.get("trial-seconds").and_then(|at| number(at, "trial-seconds", &positive, out)),
        on_success: match word(node, "on-success", &["stop", "continue"], out) {
            Some("continue") => OnSuccess::Continue,
            _ => OnSuccess::Stop,
        },
    };
    if out.len() > before {
        return None;
    }
    if endless && stop.generations.is_none() && stop.evaluations.is_none() && stop.stagnation.is_none() {
        out.push(missing(node.origin, "no budget in this table").of_absence());
        return None;
    }
    if endless && stop.on_success == OnSuccess::Continue && stop.generations.is_none() && stop.evaluations.is_none() {
        let at = node.get("on-success").map_or(node.origin, |at| at.origin);
        let error = Diagnostic::error("a solved trial would go on for ever", at, "goes on after success");
        out.push(
            error
                .rule("on-success = \"continue\" needs a budget: generations or evaluations")
                .help("add one, such as generations = 1000"),
        );
        return None;
    }
    Some(stop)
}

/// Reads [output].
pub fn read_output(root: &Node, out: &mut Vec<Diagnostic>) -> Trace {
    let Some(node) = root.get("output") else { return Trace::None };
    let Some(entries) = table(node, "output", "[output] with trace = \"best\"", out) else { return Trace::None };
    check_keys(entries, &["trace"], "[output]", out);
    match word(node, "trace", &["none", "best", "population"], out) {
        Some("best") => Trace::Best,
        Some("population") => Trace::Population,
        _ => Trace::None,
    }
}

/// One of some words.
pub fn word(node: &Node, key: &str, words: &'static [&'static str], out: &mut Vec<Diagnostic>) -> Option<&'static str> {
    let at = node.get(key)?;
    let kind = Kind::Choice(words.iter().map(|word| Cow::Borrowed(*word)).collect());
    match value(at, key, &kind, out) {
        Some(Value::Text(chosen)) => words.iter().copied().find(|word| *word == chosen),
        _ => None,
    }
}
