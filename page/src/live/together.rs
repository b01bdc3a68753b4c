//! Several experiments together: two of them compared arm by arm, and all of them ranked.

use super::reading::compared;
use crate::analysis::comparison::{Family, Rule, Sample, matched};
use crate::analysis::ranking::{first_measure, problems, rank};
use crate::present::chart::{Boards, LEVEL, ranks_chart, trial_svg};
use crate::present::comparison::other_problem;
use crate::present::ranking::{answer, arm_report, legend, pair_report, unranked};
use crate::results::{Results, samples_at};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arms of an experiment that are ranked at most: tests of every two are quadratic work.
const MOST: usize = 200;

/// Returns the comparison of two experiments and the ranking of all, or why there is none.
///
/// # Errors
/// In words, if results cannot be read.
pub(super) fn together(folders: &[PathBuf]) -> Result<Value, String> {
    let words = |error: crate::results::ResultsError| error.to_string();
    let opened: Vec<Results> =
        folders.iter().map(|one| Results::open(one)).collect::<Result<_, _>>().map_err(words)?;
    let samples = samples_at(&opened, None).map_err(words)?;
    let said =
        |found: Result<Value, String>| found.unwrap_or_else(|error| json!({ "error": error }));
    let comparison = match samples.as_slice() {
        [first, second] => said(in_two(first, second)),
        _ => Value::Null,
    };
    let names: Vec<&str> = opened.iter().map(Results::experiment).collect();
    let experiments: Vec<_> =
        names.iter().copied().zip(samples.iter().map(Vec::as_slice)).collect();
    let ranking = said(ranked(&experiments, &names.join(", ")));
    Ok(json!({ "comparison": comparison, "ranking": ranking }))
}

/// Compares the arms of two experiments that have the same settings or the same label.
fn in_two(first: &[Sample], second: &[Sample]) -> Result<Value, String> {
    let found = matched(first, second);
    if let Some(words) = other_problem(&found) {
        return Err(format!("{words}."));
    }
    if found.pairs.is_empty() {
        return Err("no arm of the first has the settings or the label of one of the second".into());
    }
    Ok(compared(first, &Family { pairs: found.pairs, rule: Rule::Runs }))
}

fn ranked(experiments: &[(&str, &[Sample])], title: &str) -> Result<Value, String> {
    let problems = problems(experiments);
    if problems.iter().any(|problem| problem.arms.len() > MOST) {
        return Err(format!("a page ranks at most {MOST} arms; `runner rank` ranks any number"));
    }
    let measure = first_measure(&problems).map_err(|fault| unranked(&fault))?;
    let (ranking, left_out) = rank(&problems, measure, LEVEL);
    let ranking = ranking.ok_or(
        "a ranking needs two problems or more, and two arms or more that all of them have; arms \
        are matched by the names of their operator sets and by swept values",
    )?;
    let left: Vec<&str> = left_out.iter().map(|arm| arm.name.as_str()).collect();
    let chart = ranks_chart(&ranking, title).map(|chart| trial_svg(&chart, &Boards::default()));
    Ok(json!({
        "answer": [answer(&ranking)],
        "chart": chart,
        "tables": [
            arm_report(&ranking).texts("Mean ranks"),
            pair_report(&ranking, &ranking.shown_pairs()).texts("Pairs of arms"),
        ],
        "legend": legend(&ranking),
        "left_out": left,
    }))
}
