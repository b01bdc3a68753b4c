//! Fixed-target curves: the expected evaluations until a fitness is reached, for every fitness.

use super::chart::{Axis, Body, Chart, Curve, Shape};
use super::gallery::{Subject, TRIALS, curve_parts};
use crate::results::{GenerationRow, ResultsError};
use crate::stats::ert;
use std::collections::BTreeMap;

/// Targets of a curve.
const TARGETS: usize = 60;

pub fn charts(subject: &Subject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let arms = subject.with_trials();
    let mut charts = Vec::new();
    for part in curve_parts(arms.len()) {
        let part_arms = &arms[part.range.clone()];
        let mut curves = Vec::new();
        for (place, arm) in part_arms.iter().enumerate() {
            curves.push(Curve {
                label: subject.names[*arm].clone(),
                colour: place,
                points: curve(subject, *arm)?,
                bounds: Vec::new(),
                shape: Shape::Line,
            });
        }
        charts.push(Chart {
            name: format!("targets{}", part.suffix),
            title: format!("Evaluations to a target: {}", subject.summary.experiment),
            note: format!("{}{}; ERT to each fitness", part.words, subject.trials(part_arms.iter().copied())),
            x: Axis::new("target fitness"),
            y: Axis::new("ERT (evaluations)").logarithmic(true),
            body: Body::Curves(curves),
        });
    }
    Ok(charts)
}

/// One trial's way: each best so far with the evaluations at which it was first seen; and all evaluations.
#[derive(Default)]
struct Way {
    steps: Vec<(f64, u64)>,
    evaluations: u64,
}

/// The ERT to each of the targets that some trial reached, from the easiest on.
fn curve(subject: &Subject<'_>, arm: usize) -> Result<Vec<(f64, f64)>, ResultsError> {
    let mut ways: BTreeMap<u64, Way> = BTreeMap::new();
    subject.results.generations_of(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        if ways.len() == TRIALS && !ways.contains_key(&row.trial) {
            return Ok(());
        }
        let (way, figures) = (ways.entry(row.trial).or_default(), row.figures);
        if way.steps.last().is_none_or(|(best, _)| figures.best_so_far < *best) {
            way.steps.push((figures.best_so_far, figures.evaluations));
        }
        way.evaluations = way.evaluations.max(figures.evaluations);
        Ok(())
    })?;
    let mut targets: Vec<f64> = ways.values().flat_map(|way| way.steps.iter().map(|(best, _)| *best)).collect();
    targets.sort_unstable_by(f64::total_cmp);
    targets.dedup();
    let step = targets.len().div_ceil(TARGETS).max(1);
    let reached = |target: f64| {
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for way in ways.values() {
            match way.steps.iter().find(|(best, _)| *best <= target) {
                Some((_, evaluations)) => hits.push(*evaluations),
                None => misses.push(way.evaluations),
            }
        }
        Some((target, ert(&hits, &misses)?))
    };
    Ok(targets.into_iter().step_by(step).filter_map(reached).collect())
}
