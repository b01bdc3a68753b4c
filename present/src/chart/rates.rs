//! Success rates, one row per arm; without a target, the final fitness.

use super::model::{Axis, Body, Chart, Dot};
use super::parts::Part;
use super::run_length::UNDEFINED;
use super::subject::Subject;
use super::words::not_shown;
use crate::format::rate_interval;
use crate::lists::extremes;
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
    let rate = |arm: usize| {
        let figures = &subject.summary.rows[arm].figures;
        let (value, interval) = figures.success_rate.zip(figures.success_interval)?;
        Some([interval.low, value, interval.high])
    };
    let mut arms = subject.with_trials();
    let all = arms.len();
    arms.retain(|arm| subject.samples[*arm].defines_success());
    let undefined = not_shown((all - arms.len()) as u64, "arm", UNDEFINED);
    let bars = format!("bars: {}{undefined}", rate_interval(&subject.summary.rate_interval()));
    let x = Axis::new("share of trials that succeed").range(-0.02, 1.02);
    parted(subject, &arms, ("success-rate", "Success rate", &bars), &x, &rate)
}

/// Returns charts of median and quartiles of the trials' best fitness.
fn fitness_charts(subject: &Subject<'_>) -> Vec<Chart> {
    let quartiles = |arm: usize| -> Option<[f64; 3]> {
        let mut values: Vec<f64> = subject.samples[arm].fitness.values().collect();
        quantiles(&mut values, [0.25, 0.5, 0.75])
            .filter(|all| all.iter().all(|one| one.is_finite()))
    };
    let arms = subject.with_trials().into_iter();
    let all: BTreeMap<usize, [f64; 3]> =
        arms.filter_map(|arm| Some((arm, quartiles(arm)?))).collect();
    let arms: Vec<usize> = all.keys().copied().collect();
    let (least, most) = extremes(all.values().flatten().copied());
    let margin = if most > least { 0.04 * (most - least) } else { 0.5 };
    let x = Axis::new("best fitness of a trial").range(least - margin, most + margin);
    let hidden = (subject.with_trials().len() - arms.len()) as u64;
    let why = "in which a quarter of the trials or more found no feasible genome";
    let bars = format!("median and quartiles{}", not_shown(hidden, "arm", why));
    let words = ("final-fitness", "Final fitness", &*bars);
    parted(subject, &arms, words, &x, &|arm| all.get(&arm).copied())
}

/// Returns charts of a figure of these arms, which comes with its bounds around it.
fn parted(
    subject: &Subject<'_>,
    arms: &[usize],
    (name, title, bars): (&str, &str, &str),
    x: &Axis,
    figure: &dyn Fn(usize) -> Option<[f64; 3]>,
) -> Vec<Chart> {
    let chart = |part: Part| {
        let arms = || arms[part.range.clone()].iter().copied();
        let dot = |arm: usize| {
            let [low, value, high] = figure(arm)?;
            Some(Dot { label: subject.names[arm].clone(), value, low, high })
        };
        Chart {
            name: format!("{name}{}", part.suffix),
            title: format!("{title}: {}", subject.summary.experiment),
            note: format!("{}{}; {bars}", part.words, subject.trials(arms())),
            x: x.clone(),
            y: Axis::default(),
            body: Body::Dots(arms().filter_map(dot).collect()),
        }
    };
    subject.parts(arms.len(), ROWS, PARTS).into_iter().map(chart).collect()
}
