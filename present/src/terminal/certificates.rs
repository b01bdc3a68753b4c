//! Certificates of operators.

use crate::certify::Certificate;
use crate::report::{NOTHING, Report, Rows};
use serde_json::json;

/// Returns the certificates as a report, one row per check.
pub fn certificates(certificates: &[Certificate]) -> Report {
    let rows = Rows(certificates);
    let p = |one: &Certificate| match one.p {
        None => NOTHING.to_owned(),
        Some(p) if p < 0.001 => format!("{p:.1e}"),
        Some(p) => format!("{p:.3}"),
    };
    let verdict = |one: &Certificate| if one.passed { "passed" } else { "FAILED" }.to_owned();
    Report::new(vec![
        rows.name("operator", |one| format!("{} {}", one.slot, one.operator)).keyed(
            &["slot", "operator"],
            rows.values(|one| [json!(one.slot), json!(one.operator)]),
        ),
        rows.text("what was tested", |one| one.claim.clone())
            .keyed(&["claim"], rows.values(|one| [json!(one.claim)])),
        rows.text("found", |one| one.statistic.clone())
            .keyed(&["statistic"], rows.values(|one| [json!(one.statistic)])),
        rows.figure("p", p).keyed(&["p"], rows.values(|one| [json!(one.p)])),
        rows.text("verdict", verdict).keyed(&["passed"], rows.values(|one| [json!(one.passed)])),
    ])
}
