//! Heat maps: the success rate over two swept values; without a target, the median final fitness.

use super::model::{Axis, Body, Cells, Chart};
use super::subject::{Subject, file_name, number};
use super::swept::grouped;
use crate::lists::distinct;
use crate::plan::swept_text;
use crate::problem::parameter::Value;

/// Maximum number of characters of a name in a title, which may have several lines.
const ROOMY: usize = 120;
/// Maximum number of readable values along an axis.
const MOST: usize = 30;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let keys: Vec<usize> = (0..subject.limits.len()).filter(|key| !subject.limits[*key]).collect();
    let pairs = keys.iter().enumerate();
    let pairs = pairs.flat_map(|(place, x)| keys[place + 1..].iter().map(move |y| (*x, *y)));
    pairs.flat_map(|(x, y)| of_keys(subject, x, y)).collect()
}

fn of_keys(subject: &Subject<'_>, x: usize, y: usize) -> Vec<Chart> {
    let keys = &subject.summary.swept_keys;
    let (columns, rows) = (values(subject, x), values(subject, y));
    if columns.len() < 2 || rows.len() < 2 || columns.len() > MOST || rows.len() > MOST {
        return Vec::new();
    }
    let swept = |arm: usize, key: usize| subject.summary.rows[arm].arm.swept[key].is_some();
    let groups = grouped(subject, &[x, y], ROOMY, |arm| swept(arm, x) && swept(arm, y));
    let shown = subject.swept_parts(groups.len(), 1, "groups");
    let drawn = match shown.len() < groups.len() {
        true => format!("; {} of {} such maps are shown", shown.len(), groups.len()),
        false => String::new(),
    };
    let rates = subject.defines_success();
    let what = if rates { "success rate" } else { "median final fitness" };
    let chart = |(group, arms): &(String, Vec<usize>)| {
        let mut cells = vec![vec![None; columns.len()]; rows.len()];
        for arm in arms {
            let row = &subject.summary.rows[*arm];
            let place = |values: &[Value], key: usize| {
                values.iter().position(|value| Some(value) == row.arm.swept[key].as_ref())
            };
            if let Some((column, line)) = place(&columns, x).zip(place(&rows, y)) {
                let median = row.figures.best_fitness.map(|spread| spread.median);
                cells[line][column] = if rates { row.figures.success_rate } else { median };
            }
        }
        let is_empty = cells.iter().flatten().any(Option::is_none);
        let empty = match (is_empty, arms.len() < columns.len() * rows.len()) {
            (false, _) => "",
            (true, true) => "; without a value: no arm, or no trial with a figure",
            (true, false) => "; without a value: no trial with a figure",
        };
        Chart {
            name: format!(
                "map-{}-{}-{}",
                file_name(&keys[x]),
                file_name(&keys[y]),
                file_name(group)
            ),
            title: format!("{}{}: {group}", what[..1].to_uppercase(), &what[1..]),
            note: format!(
                "{}; {}{empty}{drawn}",
                subject.summary.experiment,
                subject.trials(arms.iter().copied())
            ),
            x: Axis::new(subject.axes[x].clone()),
            y: Axis::new(subject.axes[y].clone()),
            body: Body::Cells(Cells {
                columns: columns.iter().map(swept_text).collect(),
                rows: rows.iter().map(swept_text).collect(),
                values: cells,
                label: what.to_owned(),
                are_rates: rates,
            }),
        }
    };
    groups.iter().take(shown.len()).map(chart).collect()
}

/// Returns the values of a swept key, numbers in ascending order.
fn values(subject: &Subject<'_>, key: usize) -> Vec<Value> {
    let swept = subject.summary.rows.iter().filter_map(|row| row.arm.swept[key].as_ref());
    let mut values: Vec<Value> = distinct(swept).into_iter().cloned().collect();
    if values.iter().all(|value| number(value).is_some()) {
        values
            .sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    values
}
