//! Success rates, one row per arm; without a target, the final fitness.

use super::model::{Axis, Body, Chart, Dot};
use super::parts::Part;
use super::subject::Subject;
use crate::format::rate_interval;
use crate::stats::quantiles;
use std::collections::BTreeMap;

/// Maximum number of rows per chart.
const ROWS: usize = 40;
/// Maximum number of charts.
const PARTS: usize = 5;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    if !subject.defines_success() {
        return fitness_charts(subject);
    }
    let (rows, arms) = (&subject.summary.rows, subject.with_trials());
    let chart = |part: Part| {
        let arms = || arms[part.range.clone()].iter().copied();
        let dot = |arm: usize| {
            let figures = &rows[arm].figures;
            let (value, interval) = figures.success_rate.zip(figures.success_interval)?;
            Some(Dot {
                label: subject.names[arm].clone(),
                value,
                low: interval.low,
                high: interval.high,
            })
        };
        Chart {
            name: format!("success-rate{}", part.suffix),
            title: format!("Success rate: {}", subject.summary.experiment),
            note: format!(
                "{}{}; bars: {}",
                part.words,
                subject.trials(arms()),
                rate_interval(&subject.summary.rate_interval())
            ),
            x: Axis::new("share of trials that succeed").range(-0.02, 1.02),
            y: Axis::default(),
            body: Body::Dots(arms().filter_map(dot).collect()),
        }
    };
    subject.parts(arms.len(), ROWS, PARTS).into_iter().map(chart).collect()
}

/// Returns charts of median and quartiles of the trials' best fitness.
fn fitness_charts(subject: &Subject<'_>) -> Vec<Chart> {
    let quartiles = |arm: usize| -> Option<[f64; 3]> {
        let mut values: Vec<f64> = subject.samples[arm].fitness.values().collect();
        quantiles(&mut values, [0.25, 0.5, 0.75])
            .filter(|all| all.iter().all(|one| one.is_finite()))
    };
    let arms: Vec<usize> = subject.with_trials();
    let all: BTreeMap<usize, [f64; 3]> =
        arms.iter().filter_map(|arm| Some((*arm, quartiles(*arm)?))).collect();
    let arms: Vec<usize> = all.keys().copied().collect();
    let ends = || all.values().flatten().copied();
    let (least, most) =
        (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
    let margin = if most > least { 0.04 * (most - least) } else { 0.5 };
    let chart = |part: Part| {
        let arms = || arms[part.range.clone()].iter().copied();
        let dot = |arm: usize| {
            let [low, value, high] = *all.get(&arm)?;
            Some(Dot { label: subject.names[arm].clone(), value, low, high })
        };
        Chart {
            name: format!("final-fitness{}", part.suffix),
            title: format!("Final fitness: {}", subject.summary.experiment),
            note: format!("{}{}; median and quartiles", part.words, subject.trials(arms())),
            x: Axis::new("best fitness of a trial").range(least - margin, most + margin),
            y: Axis::default(),
            body: Body::Dots(arms().filter_map(dot).collect()),
        }
    };
    let charts = subject.parts(arms.len(), ROWS, PARTS).into_iter().map(chart);
    charts.filter(|chart| matches!(&chart.body, Body::Dots(dots) if !dots.is_empty())).collect()
}
