//! `runner certify`, as its users see it.

use crate::util::Sandbox;
use serde_json::Value;

#[test]
fn the_operators_are_certified() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .run(&["certify"])
        .code(0)
        .says("crossover pmx")
        .says("takeover by tournaments of 2");
    let words = " checks passed. If every operator is correct, the whole suite fails for one in \
        1,000,000";
    let counts = ran.stdout.lines().find_map(|line| line.split_once(words)).expect("a last line").0;
    let (passed, all) = counts.split_once(" of ").expect("two counts");
    assert!(passed == all && all.parse::<u32>().is_ok_and(|all| all >= 76), "{counts}");
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
