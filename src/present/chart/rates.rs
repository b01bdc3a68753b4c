//! Success rates, a row per arm.

use super::gallery::{Subject, parts};
use super::model::{Axis, Body, Chart, Dot};
use crate::present::format::rate_interval;

/// Rows of one picture.
const ROWS: usize = 40;
/// Pictures.
const PARTS: usize = 25;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let rows = &subject.summary.rows;
    let chart = |part: super::gallery::Part| {
        let arms = || part.range.clone().filter(|arm| rows[*arm].figures.trials > 0);
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
    parts(rows.len(), ROWS, PARTS, "arms").into_iter().map(chart).collect()
}
