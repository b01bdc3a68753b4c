//! Success rate and ERT against a swept value; without a target, the final fitness.

use super::colour::Colour;
use super::model::CURVES;
use super::model::{Axis, Body, Chart, Curve, Shape};
use super::parts::Part;
use super::subject::{LONGEST, Subject, file_name, number};
use crate::analysis::{ArmSummary, CONFIDENCE};
use crate::format::{percent, rate_interval};
use crate::lists::extremes;
use crate::names::{Parts, key_names, names_of};
use crate::problem::parameter::Value;
use crate::stats::ERT_SUCCESSES;
use crate::words::first_listed;
use std::collections::BTreeMap;

/// Room at the ends of an axis, as a share of it.
const EDGE: f64 = 0.02;
/// Maximum number of lines, or values of a line, that a note names.
const NAMED: usize = 6;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let keys = &subject.summary.swept_keys;
    (0..keys.len())
        .filter(|key| !subject.limits[*key])
        .flat_map(|key| of_key(subject, key))
        .collect()
}

/// Arms that differ only in the swept key.
struct Line {
    label: String,
    /// Swept values with their arms.
    arms: Vec<(f64, usize)>,
}

fn of_key(subject: &Subject<'_>, key: usize) -> Vec<Chart> {
    let lines = lines(subject, key);
    let full = &subject.summary.swept_keys[key];
    let name = key_names(&subject.summary.swept_keys).swap_remove(key);
    let values = || lines.iter().flat_map(|line| line.arms.iter().map(|(value, _)| *value));
    let (least, most) = extremes(values());
    if lines.is_empty() || least >= most {
        return Vec::new();
    }
    let mut all: Vec<f64> = values().collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    let named = subject.numbering[key];
    // If positive values span more than one and a half decades, the axis is logarithmic.
    let logarithmic = !named && least > 0.0 && most / least > 30.0;
    let mut x = Axis::new(subject.axes[key].clone()).logarithmic(logarithmic);
    x.whole = all.iter().all(|value| value.fract() == 0.0);
    if named {
        x.names = all.iter().map(|value| value.to_string()).collect();
    }
    let chart = |part: Part, (kind, title, bars, y, figure): &Kind<'_>| {
        let shown = &lines[part.range];
        let firsts: Vec<usize> = shown.iter().map(|line| line.arms[0].1).collect();
        let curves = shown.iter().zip(subject.colours(&firsts, Some(key)));
        let curves = curves.map(|(line, colour)| curve(subject, line, colour, *figure));
        let mut curves: Vec<Curve> = curves.filter(|curve| !curve.points.is_empty()).collect();
        let mut x = x.clone();
        let drawn = extremes(curves.iter().flat_map(|one| one.points.iter().map(|(x, _)| *x)));
        if named {
            curves.iter_mut().for_each(|curve| categorical(curve, &all));
        } else if drawn != (least, most) {
            // Values without a point have their place, too.
            x = match logarithmic {
                true => x.range(least / 1.1, most * 1.1),
                false => x.range(least - EDGE * (most - least), most + EDGE * (most - least)),
            };
        }
        let missing = missing(subject, shown, *figure);
        let left_out = match (missing.is_empty(), *kind) {
            (true, _) => String::new(),
            (false, "ert") => format!("; never solved, not drawn: {missing}"),
            (false, _) => format!("; without a value, not drawn: {missing}"),
        };
        let arms = || shown.iter().flat_map(|line| line.arms.iter().map(|(_, arm)| *arm));
        let few = |arm: usize| (1..ERT_SUCCESSES).contains(&subject.samples[arm].successes());
        let barless = match *kind == "ert" && arms().any(few) {
            true => format!("; no bar with fewer than {ERT_SUCCESSES} successes"),
            false => String::new(),
        };
        let bars = if curves.iter().any(Curve::has_bounds) { bars } else { "" };
        let trials = subject.trials(arms());
        Chart {
            name: format!("{kind}-by-{}{}", file_name(full), part.suffix),
            title: format!("{title} by {name}: {}", subject.summary.experiment),
            note: format!("{}{trials}{bars}{barless}{left_out}", part.words),
            x,
            y: y.clone(),
            body: Body::Curves(curves),
        }
    };
    let rates = format!("; bars: {}", rate_interval(&subject.summary.rate_interval()));
    let erts = format!("; bars: bootstrap-t {}{}", percent(CONFIDENCE), subject.caution());
    let share = Axis::new("share of trials that succeed").range(-0.02, 1.02);
    let cost = Axis::new("ERT (evaluations)").logarithmic(true);
    let median = Axis::new("median best fitness of a trial");
    let kinds: [Kind<'_>; 3] = [
        ("rate", "Success rate", &rates, share, rate),
        ("ert", "Expected running time", &erts, cost, expected),
        ("fitness", "Final fitness", "; bars: least and greatest", median, fitness),
    ];
    let kinds = &kinds[..if subject.defines_success() { 2 } else { 3 }];
    let parts = || subject.swept_parts(lines.len(), CURVES, "lines").into_iter();
    let charts = kinds.iter().flat_map(|kind| parts().map(|part| chart(part, kind)));
    let mut charts: Vec<Chart> = charts.collect();
    charts.retain(|chart| matches!(&chart.body, Body::Curves(curves) if !curves.is_empty()));
    charts
}

/// Returns the lines of a swept key, named by operator set and the other swept values.
fn lines(subject: &Subject<'_>, key: usize) -> Vec<Line> {
    let value = |arm: usize| subject.summary.rows[arm].arm.swept[key].as_ref().and_then(number);
    let of_line = |(label, arms): (String, Vec<usize>)| {
        let of_arm = |arm: usize| value(arm).map(|value| (value, arm));
        let mut arms: Vec<(f64, usize)> = arms.into_iter().filter_map(of_arm).collect();
        arms.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { label, arms }
    };
    grouped(subject, &[key], LONGEST, |arm| value(arm).is_some()).into_iter().map(of_line).collect()
}

/// Groups the arms that `with` accepts by everything except some swept keys. Each group has a name
/// of at most `longest` characters, and its arms. A limit that follows from the problem divides
/// none. The groups are in the order of the file. If there are too many to read, those with the
/// best arms come first.
pub(super) fn grouped(
    subject: &Subject<'_>,
    without: &[usize],
    longest: usize,
    with: impl Fn(usize) -> bool,
) -> Vec<(String, Vec<usize>)> {
    let rows = &subject.summary.rows;
    let mut places: BTreeMap<(&str, Vec<Option<String>>), usize> = BTreeMap::new();
    let mut groups: Vec<(Parts<'_>, Vec<usize>)> = Vec::new();
    for (arm, row) in rows.iter().enumerate().filter(|(arm, _)| with(*arm)) {
        let values = row.arm.swept.iter().enumerate();
        let is_left_out = |key: usize| without.contains(&key) || subject.limits[key];
        let swept: Vec<&Option<Value>> =
            values.map(|(key, value)| if is_left_out(key) { &None } else { value }).collect();
        let words = swept.iter().map(|value| value.as_ref().map(ToString::to_string)).collect();
        let place = *places.entry((&row.arm.operators, words)).or_insert_with(|| {
            groups.push((Parts { operators: &row.arm.operators, swept }, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(arm);
    }
    let ranks = &subject.excerpt.ranks;
    let best = |arms: &[usize]| arms.iter().filter_map(|arm| ranks.get(*arm)).min().copied();
    groups.sort_by_key(|(_, arms)| best(arms));
    let (parts, arms): (Vec<Parts<'_>>, Vec<_>) = groups.into_iter().unzip();
    names_of(&parts, &subject.summary.swept_keys, longest).into_iter().zip(arms).collect()
}

/// Kind of a chart: its name, its title, the kind of its bars, its vertical axis and its figure.
type Kind<'a> = (&'a str, &'a str, &'a str, Axis, Figure);
/// Figure of an arm with its bounds.
type Figure = fn(&ArmSummary) -> Option<(f64, f64, f64)>;

fn rate(figures: &ArmSummary) -> Option<(f64, f64, f64)> {
    let (rate, interval) = figures.success_rate.zip(figures.success_interval)?;
    Some((rate, interval.low, interval.high))
}

fn fitness(figures: &ArmSummary) -> Option<(f64, f64, f64)> {
    figures.best_fitness.map(|spread| (spread.median, spread.min, spread.max))
}

/// Returns the ERT with its bounds. Without an upper bound there is no upper bar; without an
/// interval, no bar.
fn expected(figures: &ArmSummary) -> Option<(f64, f64, f64)> {
    let ert = figures.ert?;
    let (low, high) = ert.interval.map_or((ert.value, None), |one| (one.low, one.high));
    Some((ert.value, low, high.unwrap_or(ert.value)))
}

fn curve(subject: &Subject<'_>, line: &Line, colour: Colour, figure: Figure) -> Curve {
    let (mut points, mut bounds, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_gap = false;
    for (value, arm) in &line.arms {
        let Some((middle, low, high)) = figure(&subject.summary.rows[*arm].figures) else {
            is_gap = !points.is_empty();
            continue;
        };
        if std::mem::take(&mut is_gap) {
            gaps.push(points.len());
        }
        points.push((*value, middle));
        bounds.push((low, high));
    }
    Curve { label: line.label.clone(), colour, points, bounds, gaps, shape: Shape::Joined }
}

/// Moves the points of a curve to the places of their values among all, and joins none.
fn categorical(curve: &mut Curve, all: &[f64]) {
    for (x, _) in &mut curve.points {
        *x = 1.0 + all.partition_point(|value| *value < *x) as f64;
    }
    curve.gaps = (1..curve.points.len()).collect();
}

/// Returns the names of lines, and of values of lines, that have no figure.
fn missing(subject: &Subject<'_>, lines: &[Line], figure: Figure) -> String {
    let has = |arm: usize| figure(&subject.summary.rows[arm].figures).is_some();
    let mut named = Vec::new();
    for Line { label, arms } in lines {
        let lacking: Vec<String> =
            arms.iter().filter(|(_, arm)| !has(*arm)).map(|(value, _)| value.to_string()).collect();
        match lacking.len() {
            0 => {}
            count if count == arms.len() => named.push(label.clone()),
            _ => named.push(format!("{label} (at {})", first_listed(&lacking, NAMED))),
        }
    }
    first_listed(&named, NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_not_joined_and_long_lists_end() {
        let points = vec![(1.0, 5.0), (12.0, 6.0)];
        let mut curve = Curve::new("a", Colour::Own(0), points, Shape::Joined);
        categorical(&mut curve, &[1.0, 3.0, 12.0]);
        assert_eq!((curve.points, curve.gaps), (vec![(1.0, 5.0), (3.0, 6.0)], vec![1]));
        let words: Vec<String> = (0..9).map(|place| place.to_string()).collect();
        assert_eq!(first_listed(&words[..2], NAMED), "0, 1");
        assert_eq!(first_listed(&words, NAMED), "0, 1, 2, 3, 4, 5 and 3 more");
    }
}
