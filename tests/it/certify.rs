//! `runner certify`, as its users see it.

use crate::util::{Sandbox, sized};
use serde_json::Value;

/// One slot; with `RUNNER_TESTS=full` all, which the page of the operators also runs.
#[test]
fn the_operators_are_certified() {
    let sandbox = Sandbox::new();
    let (slot, least) = [(Some("crossover"), 13), (None, 76)][sized(0, 1) as usize];
    let arguments: Vec<&str> = std::iter::once("certify").chain(slot).collect();
    let ran = sandbox.run(&arguments).code(0).says("crossover pmx");
    let counts = ran.stdout.lines().find_map(|line| line.split_once(" checks passed. If every "));
    let (passed, all) = counts.and_then(|words| words.0.split_once(" of ")).expect("two counts");
    assert!(passed == all && all.parse::<u32>().is_ok_and(|all| all >= least), "{ran}");
    assert!(!ran.stdout.contains("FAILED"), "{ran}");
}

#[test]
fn one_operator_or_slot_is_certified_alone_and_for_programs() {
    let sandbox = Sandbox::new();
    let rows: Vec<Value> = serde_json::from_str(
        &sandbox.run(&["certify", "tournament", "--json", "--seed", "7"]).code(0).stdout,
    )
    .expect("JSON");
    assert!(
        rows.len() >= 5
            && rows.iter().all(|row| row["operator"] == "tournament" && row["passed"] == true)
    );
    assert!(rows.iter().all(|row| row["p"].as_f64().is_some_and(|p| (0.0..=1.0).contains(&p))));
    let csv = sandbox.run(&["certify", "replacement", "--csv"]).code(0).stdout;
    assert!(
        csv.starts_with("slot,operator,claim,statistic,p,passed\nreplacement,elitism,"),
        "{csv}"
    );
    sandbox.run(&["certify", "tournamen"]).code(2).warns("did you mean `tournament`?");
}
