//! Several experiments together: two of them compared arm by arm, and all of them ranked.

use super::reading::compared;
use crate::analysis::comparison::{Family, Rule, Sample, matched};
use crate::analysis::ranking::{first_measure, problems, rank};
use crate::present::chart::{Boards, LEVEL, ranks_chart, trial_svg};
use crate::present::comparison::other_problem;
use crate::present::ranking::{answer, arm_report, legend, pair_report, unranked};
use crate::present::remarks::{
    imported, left_out, of_matches, of_ranking, origins, too_little, twice, unfinished,
    without_trials,
};
use crate::results::{Results, samples_at};
use crate::system::notice::Notice;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Maximum number of ranked arms per experiment, because testing all pairs is quadratic work.
const MOST: usize = 200;

/// Answer to a page, or the reason why there is none, with remarks on it.
struct Part {
    found: Result<Value, String>,
    remarks: Vec<Notice>,
}

impl Part {
    fn json(self) -> Value {
        let mut all = self.found.unwrap_or_else(|error| json!({ "error": error }));
        all["remarks"] = texts(&self.remarks);
        all
    }
}

/// Returns remarks as the page shows them: "warning: …".
fn texts(remarks: &[Notice]) -> Value {
    remarks.iter().map(Notice::to_string).collect()
}

/// Returns what a page calls the results of a folder.
fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the comparison of two experiments and the ranking of all, or why there is none. Remarks
/// are those of `runner compare` and `runner rank`.
pub(super) fn together(folders: &[PathBuf]) -> Result<Value, String> {
    let words = |error: crate::results::ResultsError| error.to_string();
    let opened: Vec<Results> =
        folders.iter().map(|one| Results::open(one)).collect::<Result<_, _>>().map_err(words)?;
    let samples = samples_at(&opened, None).map_err(words)?;
    let comparison = match samples.as_slice() {
        [first, second] => in_two([first, second], [&folders[0], &folders[1]]).json(),
        _ => Value::Null,
    };
    let names: Vec<&str> = opened.iter().map(Results::experiment).collect();
    let experiments: Vec<_> =
        names.iter().copied().zip(samples.iter().map(Vec::as_slice)).collect();
    let ranking = ranked(&experiments, &names.join(", ")).json();
    let of_one = |results: &Results| {
        let name = name(results.folder());
        imported(results, &name).into_iter().chain(unfinished(results, &name))
    };
    let remarks: Vec<Notice> = opened.iter().flat_map(of_one).collect();
    Ok(json!({ "remarks": texts(&remarks), "comparison": comparison, "ranking": ranking }))
}

/// Compares the arms of two experiments that have the same settings or the same label.
fn in_two([first, second]: [&[Sample]; 2], [new, old]: [&Path; 2]) -> Part {
    let matches = matched(first, second);
    if let Some(words) = other_problem(&matches) {
        return Part { found: Err(format!("{words}.")), remarks: Vec::new() };
    }
    let mut remarks = origins(new, old);
    remarks.extend(of_matches(&matches, &name(new), &name(old)));
    remarks.extend(without_trials(&matches.pairs, name));
    let found = match matches.pairs.is_empty() {
        true => {
            Err("no arm of the first has the settings or the label of one of the second".to_owned())
        }
        false => Ok(compared(first, &Family { pairs: matches.pairs, rule: Rule::Runs })),
    };
    Part { found, remarks }
}

fn ranked(experiments: &[(&str, &[Sample])], title: &str) -> Part {
    let mut remarks = Vec::new();
    let found = ranking(experiments, title, &mut remarks);
    Part { found, remarks }
}

fn ranking(
    experiments: &[(&str, &[Sample])],
    title: &str,
    remarks: &mut Vec<Notice>,
) -> Result<Value, String> {
    let problems = problems(experiments);
    if problems.iter().any(|problem| problem.arms.len() > MOST) {
        return Err(format!("a page ranks at most {MOST} arms; `runner rank` ranks any number"));
    }
    remarks.extend(twice(&problems));
    let measure = first_measure(&problems).map_err(|fault| unranked(&fault))?;
    let (ranking, lacking) = rank(&problems, measure, LEVEL);
    remarks.extend(left_out(&lacking));
    let ranking = ranking.ok_or_else(|| too_little(problems.len()))?;
    remarks.extend(of_ranking(&ranking));
    let chart = ranks_chart(&ranking, title).map(|chart| trial_svg(&chart, &Boards::default()));
    Ok(json!({
        "answer": [answer(&ranking)],
        "chart": chart,
        "tables": [
            arm_report(&ranking).texts("Mean ranks"),
            pair_report(&ranking, &ranking.shown_pairs()).texts("Pairs of arms"),
        ],
        "legend": legend(&ranking),
    }))
}
