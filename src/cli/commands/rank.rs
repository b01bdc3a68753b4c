//! `runner rank`: ranks arms over several problems.

use super::arms::{tell_imported, tell_unfinished};
use super::comparison::samples_within;
use super::folders::of_results;
use super::output::{line, put_chart, put_report};
use crate::analysis::ranking::{Measure, first_measure, problems, rank as rank_arms, suits};
use crate::cli::Failure;
use crate::cli::arguments::{RankArguments, RankBy};
use crate::cli::message::show;
use crate::exit::Exit;
use crate::present::chart::{self, Boards, LEVEL, ranks_chart};
use crate::present::ranking::{answer, arm_report, legend, note, pair_report, unranked};
use crate::present::remarks::{self, of_ranking, too_little, twice};
use crate::present::report::{fitted, latex, paragraph};
use crate::results::Results;
use crate::results::storage::output_folder;
use std::path::Path;
use std::slice;

impl From<RankBy> for Measure {
    fn from(by: RankBy) -> Self {
        match by {
            RankBy::SuccessRate => Measure::SuccessRate,
            RankBy::Ert => Measure::Ert,
            RankBy::Fitness => Measure::FinalFitness,
        }
    }
}

pub(super) fn rank(arguments: &RankArguments) -> Result<Exit, Failure> {
    let opened: Vec<Results> = of_results(&arguments.folders)
        .into_iter()
        .map(|folder| Results::open(folder))
        .collect::<Result<_, _>>()?;
    opened.iter().for_each(tell_imported);
    opened.iter().for_each(tell_unfinished);
    let arms = samples_within(&opened, arguments.budget)?;
    let experiments: Vec<_> =
        opened.iter().zip(&arms).map(|(one, arms)| (one.experiment(), arms.as_slice())).collect();
    let problems = problems(&experiments);
    twice(&problems).iter().for_each(show);
    let measure = arguments.by.map_or_else(|| first_measure(&problems), |by| Ok(by.into()));
    let measure = measure.and_then(|measure| suits(measure, &problems).map(|()| measure));
    let measure = measure.map_err(|fault| Failure::usage(unranked(&fault)))?;
    let (ranking, left_out) = rank_arms(&problems, measure, LEVEL);
    remarks::left_out(&left_out).iter().for_each(show);
    let Some(ranking) = ranking else {
        let all_tried = problems.len() > 1 && left_out.iter().any(|arm| arm.silent);
        let exit = if all_tried { Exit::SomeFailed } else { Exit::Usage };
        return Err(Failure::new(exit, too_little(problems.len())));
    };
    of_ranking(&ranking).iter().for_each(show);
    let names: Vec<&str> = experiments.iter().map(|(name, _)| *name).collect();
    let chart = ranks_chart(&ranking, &names.join(", "));
    match (&arguments.plot, &chart) {
        (Some(folder), Some(chart)) => write(chart, folder)?,
        (Some(_), None) => note!("of two arms there is no diagram: the table says it all"),
        _ => {}
    }
    let words = legend(&ranking);
    let [arms, pairs] = [arm_report(&ranking), pair_report(&ranking, &ranking.shown_pairs())];
    put_report(
        &pair_report(&ranking, &ranking.pairs.iter().collect::<Vec<_>>()),
        &arguments.form,
        |width| {
            let tables = [&arms, &pairs].map(|one| fitted(slice::from_ref(one), width, "--csv"));
            let below = if arguments.explain { words.clone() } else { note(&ranking) };
            let answer = paragraph(&answer(&ranking), width);
            format!("{answer}\n{}{}", tables.join("\n"), paragraph(&below, width))
        },
        || format!("{}\n{}", latex(&arms, &words), latex(&pairs, "Every two of these arms.")),
    )?;
    if let Some(chart) = chart.filter(|_| arguments.form.is_for_the_terminal()) {
        line!();
        put_chart(&chart);
    }
    Ok(Exit::Done)
}

/// Writes the diagram, and prints its path.
fn write(chart: &chart::Chart, folder: &Path) -> Result<(), Failure> {
    let folder = output_folder::create(folder)?;
    let svg = chart::trial_svg(chart, &Boards::default());
    let pixels = chart::png(&svg).map_err(Failure::results)?;
    for (ending, bytes) in [("svg", svg.as_bytes()), ("png", &pixels)] {
        let path = folder.join(format!("{}.{ending}", chart.name));
        output_folder::write(&path, bytes)?;
        note!("wrote {}", path.display());
    }
    Ok(())
}
