//! `runner plot`: draws results as charts.

use super::arms::{open, tell_unfinished};
use super::open_replay::open_replay;
use super::output::{line, put_chart, words_of_written};
use crate::cli::Failure;
use crate::cli::arguments::{PlotArguments, PlotFormat, PlotX};
use crate::exit::Exit;
use crate::plan::{Arm, find_arm};
use crate::present::chart::{
    self, Against, Boards, Chart, Subject, gallery, ranking_of, ranks_chart, tuned_charts,
};
use crate::present::format::{real, with_violation};
use crate::problem::{CallError, Format};
use crate::record::TrialRecord;
use crate::results::is_tuning_folder;
use crate::results::storage::output_folder;
use crate::system::shell::shell_path;
use crate::tuning::read_settings;
use std::path::{Path, PathBuf};

impl From<PlotX> for Against {
    fn from(x: PlotX) -> Self {
        match x {
            PlotX::Evaluations => Against::Evaluations,
            PlotX::Generations => Against::Generations,
        }
    }
}

/// A chart, and the boards below it.
type Drawn = (Chart, Boards);

pub(super) fn plot(arguments: &PlotArguments) -> Result<Exit, Failure> {
    let drawn = match arguments.trial.as_deref() {
        Some([arm, trial]) => vec![one_trial(arguments, arm, trial)?],
        _ => charts(arguments)?,
    };
    if arguments.terminal {
        for (chart, _) in &drawn {
            put_chart(chart);
            line!();
        }
        return Ok(Exit::Done);
    }
    let folder = match &arguments.out {
        Some(folder) => output_folder::create(folder)?,
        None => output_folder::create_below(&arguments.folder, "plots")?,
    };
    let mut written = Vec::new();
    for (chart, boards) in &drawn {
        written.extend(write(chart, boards, arguments.format, &folder)?);
    }
    note!("{}", words_of_written(&written));
    Ok(Exit::Done)
}

/// Returns the requested charts of an experiment.
fn charts(arguments: &PlotArguments) -> Result<Vec<Drawn>, Failure> {
    if is_tuning_folder(&arguments.folder) {
        return charts_of_tuning(arguments);
    }
    let results = open(&arguments.folder, &arguments.arms)?;
    tell_unfinished(&results);
    let mut subject = Subject::read(&results)?;
    subject.against = arguments.x.into();
    let mut charts = gallery(&subject)?;
    let ranked = ranking_of(&[(&subject.summary.experiment, &subject.samples)]);
    charts.extend(ranked.and_then(|ranked| ranks_chart(&ranked, &subject.summary.experiment)));
    only(&mut charts, arguments)?;
    Ok(charts.into_iter().map(|chart| (chart, Boards::default())).collect())
}

/// Returns the requested charts of a tuning.
fn charts_of_tuning(arguments: &PlotArguments) -> Result<Vec<Drawn>, Failure> {
    if !arguments.arms.arms.is_empty() {
        return Err(Failure::usage(format!(
            "--arm: {} is a tuning, whose charts show all of its settings; leave out --arm",
            arguments.folder.display()
        )));
    }
    let (keys, rows) = read_settings(&arguments.folder)?;
    let folder = std::fs::canonicalize(&arguments.folder).unwrap_or_default();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut charts = tuned_charts(&name, &keys, &rows);
    if charts.is_empty() {
        return Err(Failure::results(format!(
            "{}: there is nothing to draw: no setting has a finite mean cost. A trial without a \
            feasible genome has an infinite one; `runner show {}` has the settings",
            arguments.folder.display(),
            shell_path(&arguments.folder)
        )));
    }
    only(&mut charts, arguments)?;
    Ok(charts.into_iter().map(|chart| (chart, Boards::default())).collect())
}

/// Keeps the charts that `--only` asks for.
fn only(charts: &mut Vec<Chart>, arguments: &PlotArguments) -> Result<(), Failure> {
    if let Some(only) = &arguments.only {
        let names: Vec<String> = charts.iter().map(|chart| chart.name.clone()).collect();
        charts.retain(|chart| chart.name.starts_with(only.as_str()));
        if charts.is_empty() {
            return Err(Failure::usage(format!(
                "no plot's name starts with `{only}`; the plots are {}",
                names.join(", ")
            )));
        }
    }
    Ok(())
}

/// Writes the files of a chart, and prints their names. Returns their paths.
fn write(
    chart: &Chart,
    boards: &Boards,
    format: PlotFormat,
    folder: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let svg = chart::trial_svg(chart, boards);
    let write = |ending: &str, bytes: &[u8]| -> Result<PathBuf, Failure> {
        let path = folder.join(format!("{}.{ending}", chart.name));
        output_folder::write(&path, bytes)?;
        Ok(path)
    };
    let mut written = Vec::new();
    if format != PlotFormat::Png {
        written.push(write("svg", svg.as_bytes())?);
    }
    if format != PlotFormat::Svg {
        let path = folder.join(&chart.name);
        let failed = |error: &dyn std::fmt::Display| {
            Failure::results(format!("{}: {error}", path.display()))
        };
        let pixels = chart::png(&svg).map_err(|error| failed(&error))?;
        written.push(write("png", &pixels)?);
    }
    written.iter().for_each(|path| line!("{}", path.display()));
    Ok(written)
}

/// Runs a trial again, and returns its curve and boards.
fn one_trial(arguments: &PlotArguments, arm: &str, trial: &str) -> Result<Drawn, Failure> {
    let number: u64 = trial.parse().map_err(|_| {
        Failure::usage(format!(
            "--trial {arm} {trial}: the second value must be a trial number, such as 0"
        ))
    })?;
    let replay = open_replay(&arguments.folder, &arguments.plugins)?;
    let place =
        find_arm(&replay.plan.arms, arm).map_err(|error| Failure::usage(error.to_string()))?;
    let arm = &replay.plan.arms[place];
    let record = replay.trial(arm, number);
    let boards = boards(arm, &record)?;
    let ideal = arm.problem.description().ideal;
    Ok((chart::trial_chart(&arm.label, &record, arguments.x.into(), ideal), boards))
}

/// Draws the boards of some improvements; empty if the plugin draws none.
fn boards(arm: &Arm, record: &TrialRecord) -> Result<Boards, CallError> {
    let mut boards = Boards::default();
    for place in chart::shown(record.improvements.len()) {
        let improvement = &record.improvements[place];
        let drawn = arm.problem.render(&improvement.genome, Format::Svg)?;
        let Some(drawn) = drawn else { continue };
        let fitness = with_violation(real(improvement.fitness), improvement.violation);
        boards
            .boards
            .push((format!("generation {}\nfitness {fitness}", improvement.generation), drawn));
    }
    Ok(boards)
}
