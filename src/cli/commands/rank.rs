//! `runner rank`: ranks arms over several problems.

use super::arms::{tell_imported, tell_unfinished};
use super::comparison::samples_within;
use super::folders::of_results;
use super::output::{line, put_chart, put_report};
use crate::analysis::ranking::{
    FEW, LeftOut, Measure, Problem, first_measure, problems, rank as rank_arms, suits,
};
use crate::cli::Failure;
use crate::cli::arguments::{RankArguments, RankBy};
use crate::exit::Exit;
use crate::present::chart::{self, Boards, LEVEL, ranks_chart};
use crate::present::ranking::{
    answer, arm_report, legend, measure_name, note, pair_report, unranked,
};
use crate::present::report::{fitted, latex, paragraph};
use crate::results::Results;
use crate::results::storage::output_folder;
use crate::words::{count, listed};
use std::path::Path;
use std::slice;

/// Number of arms that a message names. The rest is counted.
const NAMED: usize = 4;

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
        .map(|folder| Results::open(folder))
        .collect::<Result<_, _>>()?;
    opened.iter().for_each(tell_imported);
    opened.iter().for_each(tell_unfinished);
    let arms = samples_within(&opened, arguments.budget)?;
    let experiments: Vec<_> =
        opened.iter().zip(&arms).map(|(one, arms)| (one.experiment(), arms.as_slice())).collect();
    let problems = problems(&experiments);
    twice(&problems).iter().for_each(|words| warning!("{words}"));
    let measure = arguments.by.map_or_else(|| first_measure(&problems), |by| Ok(by.into()));
    let measure = measure.and_then(|measure| suits(measure, &problems).map(|()| measure));
    let measure = measure.map_err(|fault| Failure::usage(unranked(&fault)))?;
    let (ranking, left_out) = rank_arms(&problems, measure, LEVEL);
    left_out_by_reason(&left_out).iter().for_each(|words| warning!("{words}"));
    let Some(ranking) = ranking else { return Err(too_little(problems.len(), &left_out)) };
    if ranking.failures > 0 {
        warning!(
            "{} trials failed: ranks are computed from those that ran, and no verdict is given \
            that the failures could turn",
            count(ranking.failures)
        );
    }
    if ranking.problems.len() < FEW {
        warning!(
            "{} problems are too few to tell arms apart by ranks unless they differ on every one; \
            take {FEW} or more",
            ranking.problems.len()
        );
    }
    if ranking.friedman.statistic == 0.0 {
        note!(
            "no arm differs from another in {}: rank by another measure (--by)",
            measure_name(ranking.measure)
        );
    }
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

/// Returns a message for each problem that is the same as an earlier one.
fn twice(problems: &[Problem<'_>]) -> Vec<String> {
    let settings = |problem: &Problem<'_>| problem.arms.first().map(|(_, arm)| arm.problem.clone());
    let again = problems.iter().enumerate().filter_map(|(place, one)| {
        let before = problems[..place].iter().find(|other| settings(other) == settings(one))?;
        Some(format!(
            "{} and {} are the same problem: it counts twice, and the p-values take its results \
            for independent evidence",
            before.name, one.name
        ))
    });
    again.collect()
}

/// Returns a message per problem and reason for which arms are left out, with their names.
fn left_out_by_reason(left_out: &[LeftOut]) -> Vec<String> {
    let mut groups: Vec<Vec<&LeftOut>> = Vec::new();
    for arm in left_out {
        let is_same =
            |other: &LeftOut| (&other.problem, other.silent) == (&arm.problem, arm.silent);
        match groups.iter_mut().find(|group| is_same(group[0])) {
            Some(group) => group.push(arm),
            None => groups.push(vec![arm]),
        }
    }
    groups.iter().map(|group| words(group)).collect()
}

/// Explains why arms are left out that lack the same problem for the same reason.
fn words(arms: &[&LeftOut]) -> String {
    let mut names: Vec<String> = arms.iter().map(|arm| format!("`{}`", arm.name)).collect();
    let more = names.len().saturating_sub(NAMED);
    if more > 1 {
        names.truncate(NAMED);
        names.push(format!("{} more", count(more as u64)));
    }
    let (are, they, have) =
        if arms.len() == 1 { ("is", "it", "has") } else { ("are", "they", "have") };
    let LeftOut { problem, silent, .. } = arms[0];
    let lacking =
        if *silent { format!("{have} no usable trials on") } else { "did not search".to_owned() };
    format!(
        "{} {are} left out: {they} {lacking} {problem}, and a ranking needs every arm on every \
        problem",
        listed(&names, "and")
    )
}

fn too_little(problems: usize, left_out: &[LeftOut]) -> Failure {
    if problems < 2 {
        return Failure::usage(format!(
            "a ranking needs two problems or more (better {FEW}), and there is {problems}: name \
            more folders, or an experiment that sweeps over a key of [problem]"
        ));
    }
    let words = "fewer than two arms searched every problem, so there is nothing to rank; arms are \
        matched by the names of their operator sets and by swept values";
    match left_out.iter().any(|arm| arm.silent) {
        true => Failure::new(Exit::SomeFailed, words),
        false => Failure::usage(words),
    }
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
