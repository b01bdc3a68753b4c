//! Success rate and ERT against a swept value.

use super::chart::{Axis, Body, Chart, Curve, Shape};
use super::gallery::{Part, Subject, parts, short, shortened};
use super::{chart::CURVES, gallery::file_name};
use crate::parameter::Value;
use crate::results::{ArmSummary, swept_text};

pub fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let keys = &subject.summary.swept_keys;
    (0..keys.len()).flat_map(|key| of_key(subject, key)).collect()
}

/// A swept value as a number.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        _ => None,
    }
}

/// Arms that differ in the swept key alone.
struct Line {
    label: String,
    /// The value, and the arm.
    arms: Vec<(f64, usize)>,
}

fn of_key(subject: &Subject<'_>, key: usize) -> Vec<Chart> {
    let lines = lines(subject, key);
    let name = subject.summary.swept_keys[key].clone();
    let values = || lines.iter().flat_map(|line| line.arms.iter().map(|(value, _)| *value));
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if lines.is_empty() || least >= most {
        return Vec::new();
    }
    // More than a decade and a half of values above 0: their ratio says more than their difference.
    let axis = || Axis::new(name.clone()).logarithmic(least > 0.0 && most / least > 30.0);
    let chart = |part: Part, kind: &str, title: &str, note: &str, y: Axis, figure: &Figure| {
        let curves = lines[part.range].iter().enumerate().map(|(place, line)| curve(subject, line, place, figure));
        let curves: Vec<Curve> = curves.filter(|curve| !curve.points.is_empty()).collect();
        let trials = subject.trials(lines.iter().flat_map(|line| line.arms.iter().map(|(_, arm)| *arm)));
        Chart {
            name: format!("{kind}-by-{}{}", file_name(&name), part.suffix),
            title: format!("{title} by {}: {}", short(&name), subject.summary.experiment),
            note: format!("{}{trials}; {note}", part.words),
            x: axis(),
            y,
            body: Body::Curves(curves),
        }
    };
    let mut charts = Vec::new();
    for part in parts(lines.len(), CURVES, "lines") {
        let y = Axis::new("share of trials that succeed").range(-0.02, 1.02);
        charts.push(chart(part, "rate", "Success rate", "bars: Wilson 95 %", y, &rate));
    }
    for part in parts(lines.len(), CURVES, "lines") {
        let y = Axis::new("ERT (evaluations)").logarithmic(true);
        charts.push(chart(part, "ert", "Expected running time", "bars: bootstrap 95 %", y, &expected));
    }
    charts.retain(|chart| matches!(&chart.body, Body::Curves(curves) if !curves.is_empty()));
    charts
}

fn lines(subject: &Subject<'_>, key: usize) -> Vec<Line> {
    let (keys, mut lines) = (&subject.summary.swept_keys, Vec::<Line>::new());
    let rows = &subject.summary.rows;
    let several = rows.iter().any(|row| row.arm.operators != rows[0].arm.operators);
    for (arm, row) in rows.iter().enumerate() {
        let Some(value) = row.arm.swept[key].as_ref().and_then(number) else { continue };
        let mut words = Vec::new();
        if several || keys.len() == 1 {
            words.push(row.arm.operators.clone());
        }
        for (other, name) in keys.iter().enumerate().filter(|(other, _)| *other != key) {
            words.extend(row.arm.swept[other].as_ref().map(|value| format!("{} {}", short(name), swept_text(value))));
        }
        let label = shortened(&words.join(", "));
        match lines.iter_mut().find(|line| line.label == label) {
            Some(line) => line.arms.push((value, arm)),
            None => lines.push(Line { label, arms: vec![(value, arm)] }),
        }
    }
    lines.iter_mut().for_each(|line| line.arms.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines
}

/// A figure of an arm with its bounds.
type Figure = dyn Fn(&ArmSummary) -> Option<(f64, f64, f64)>;

fn rate(figures: &ArmSummary) -> Option<(f64, f64, f64)> {
    let (rate, interval) = figures.success_rate.zip(figures.success_interval)?;
    Some((rate, interval.low, interval.high))
}

/// Where the data set no upper bound, no bar goes up.
fn expected(figures: &ArmSummary) -> Option<(f64, f64, f64)> {
    figures.ert.map(|ert| (ert.value, ert.low, ert.high.unwrap_or(ert.value)))
}

fn curve(subject: &Subject<'_>, line: &Line, colour: usize, figure: &Figure) -> Curve {
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    for (value, arm) in &line.arms {
        let Some((middle, low, high)) = figure(&subject.summary.rows[*arm].figures) else { continue };
        points.push((*value, middle));
        bounds.push((low, high));
    }
    Curve { label: line.label.clone(), colour, points, bounds, shape: Shape::Joined }
}
