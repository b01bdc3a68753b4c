//! Certificates of operators.

use crate::certify::Certificate;
use crate::report::{Cell, Column, NOTHING, Report};
use serde_json::{Value, json};

/// Returns the certificates as a report, one row per check.
#[must_use]
pub fn certificates(certificates: &[Certificate]) -> Report {
    let cells = |text: &dyn Fn(&Certificate) -> String| -> Vec<Cell> {
        certificates.iter().map(|one| Cell::Whole(text(one))).collect()
    };
    let values = |value: &dyn Fn(&Certificate) -> Value| -> Vec<Vec<Value>> {
        certificates.iter().map(|one| vec![value(one)]).collect()
    };
    let name = |one: &Certificate| format!("{} {}", one.slot, one.operator);
    let both = certificates.iter().map(|one| vec![json!(one.slot), json!(one.operator)]).collect();
    let p = |one: &Certificate| match one.p {
        None => NOTHING.to_owned(),
        Some(p) if p < 0.001 => format!("{p:.1e}"),
        Some(p) => format!("{p:.3}"),
    };
    let verdict = |one: &Certificate| if one.passed { "passed" } else { "FAILED" }.to_owned();
    Report::new(vec![
        Column::name("operator", cells(&name)).keyed(&["slot", "operator"], both),
        Column::text("what was tested", cells(&|one| one.claim.clone()))
            .keyed(&["claim"], values(&|one| json!(one.claim))),
        Column::text("found", cells(&|one| one.statistic.clone()))
            .keyed(&["statistic"], values(&|one| json!(one.statistic))),
        Column::figure("p", cells(&p)).keyed(&["p"], values(&|one| json!(one.p))),
        Column::text("verdict", cells(&verdict))
            .keyed(&["passed"], values(&|one| json!(one.passed))),
    ])
}
