//! Fixed-target curves: the expected evaluations to reach a fitness, for every fitness.

use super::distance::{FitnessAxis, Side};
use super::fitness::trials;
use super::model::{Axis, Body, Chart, Curve, Shape};
use super::subject::Subject;
use super::trajectory::{batches, first_trials};
use super::words::not_shown;
use crate::results::{ResultsError, Trajectories, TrajectoryTables};
use crate::stats::ert;

/// Maximum number of targets per curve.
const TARGETS: usize = 60;

pub(super) fn charts(
    subject: &Subject<'_>,
    tables: &mut TrajectoryTables,
) -> Result<Vec<Chart>, ResultsError> {
    let arms = subject.with_trials();
    let mut charts = Vec::new();
    for part in subject.curve_parts(arms.len()) {
        let all = &arms[part.range.clone()];
        let (mut part_arms, mut curves, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (arm, colour) in all.iter().zip(subject.colours(all, None)) {
            let found = first_trials(subject.results, tables, *arm)?;
            let points = curve(&found);
            if points.is_empty() {
                continue;
            }
            sizes.push(found.batch);
            part_arms.push(*arm);
            curves.push(Curve::new(subject.names[*arm].as_str(), colour, points, Shape::Line));
        }
        let part_arms = &part_arms[..];
        let why = "in which no trial found a feasible genome";
        let hidden = not_shown((all.len() - curves.len()) as u64, "arm", why);
        if curves.is_empty() {
            continue;
        }
        let ideals: Vec<Option<f64>> = part_arms.iter().map(|arm| subject.ideal(*arm)).collect();
        let mut all: Vec<&mut Curve> = curves.iter_mut().collect();
        let labels = ["target fitness", "target, as a distance to the ideal"];
        let fitness = FitnessAxis::of(&mut all, &ideals, Side::Across, labels);
        let target = |arm: &usize| subject.results.arms()[*arm].settings.target();
        let exact = match part_arms.iter().any(|arm| target(arm).is_some()) {
            true => " (the experiment's target: to the evaluation)",
            false => "",
        };
        let edge = fitness.words.replace("lower edge", "left edge");
        charts.push(Chart {
            name: format!("targets{}", part.suffix),
            title: format!("Evaluations to a target: {}", subject.summary.experiment),
            note: format!(
                "{}{}; ERT to each fitness{}{edge}{hidden}",
                part.words,
                trials(subject, part_arms),
                // Only the ends of generations are recorded, so large generations delay the
                // apparent time of a fitness.
                batches(&sizes)
                    .map_or_else(String::new, |sizes| format!(", measured at {sizes}{exact}"))
            ),
            x: fitness.axis,
            y: Axis::new("ERT (evaluations)").logarithmic(true),
            body: Body::Curves(curves),
        });
    }
    Ok(charts)
}

/// Returns the ERT of each target that some trial reached, from the least.
fn curve(found: &Trajectories) -> Vec<(f64, f64)> {
    let mut targets: Vec<f64> =
        found.trials.iter().flat_map(|trial| trial.steps.iter().map(|step| step.best)).collect();
    targets.sort_unstable_by(f64::total_cmp);
    targets.dedup();
    let step = targets.len().div_ceil(TARGETS).max(1);
    let reached = |target: f64| {
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for trial in &found.trials {
            match trial.steps.iter().find(|step| step.best <= target) {
                Some(step) => hits.push(step.evaluations),
                None => misses.push(trial.record.evaluations),
            }
        }
        Some((target, ert(&hits, &misses)?))
    };
    targets.into_iter().step_by(step).filter_map(reached).collect()
}
