//! Galleries: the charts of an experiment's results.

use super::model::Chart;
use super::subject::Subject;
use super::{ecdf, first_trial, fitness, heat, profile, rates, run_length, swept, targets};
use crate::plan::settings::Trace;
use crate::results::{ResultsError, TrajectoryTables};
use std::collections::BTreeMap;

/// Returns all charts, in the order of a report: rates, run lengths, fitness, targets, profiles,
/// sweeps.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn gallery(subject: &Subject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let mut charts = rates::charts(subject);
    charts.extend(run_length::charts(subject));
    if subject.results.trace() != Trace::None {
        let mut tables = TrajectoryTables::open(subject.results)?;
        charts.extend(fitness::charts(subject, &mut tables)?);
        charts.extend(first_trial::charts(subject)?);
        charts.extend(targets::charts(subject, &mut tables)?);
        charts.extend(ecdf::charts(subject, &mut tables)?);
    }
    charts.extend(profile::charts(subject));
    charts.extend(swept::charts(subject));
    charts.extend(heat::charts(subject));
    // Without a feasible genome there is no fitness to draw.
    charts.retain(|chart| {
        let curves = chart.body.curves();
        curves.is_empty() || curves.iter().any(|curve| !curve.points.is_empty())
    });
    // Different names may be the same as file names.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for chart in &mut charts {
        let count = seen.entry(chart.name.to_lowercase()).or_default();
        *count += 1;
        if *count > 1 {
            chart.name = format!("{}-{count}", chart.name);
        }
    }
    Ok(charts)
}
