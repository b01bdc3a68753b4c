//! Importance of the keys of a tuning.

use super::key_axis::{KeyAxis, compared, spans_decades};
use super::model::{Axis, Body, Chart, Dot};
use super::subject::short_key;
use crate::format::percent;
use crate::tune::{Dimension, Point, importance};
use crate::tuning::SettingRow;
use crate::words::count;

/// Seed of the forest, so that the same table has the same picture.
const SEED: u64 = 0;

/// Returns the chart; `None` with too few settings or keys, or if all cost the same.
pub(super) fn importance_chart(name: &str, keys: &[String], rows: &[SettingRow]) -> Option<Chart> {
    let rows = compared(rows);
    let axis = |place| Some((place, KeyAxis::of_key(&rows, place)?));
    let axes: Vec<(usize, KeyAxis)> = (0..keys.len()).filter_map(axis).collect();
    let costs = rows.iter().filter_map(|row| row.mean_cost);
    let logarithmic = spans_decades(costs.clone());
    let example = |(row, cost): (&&SettingRow, f64)| {
        let coordinate =
            |(place, axis): &(usize, KeyAxis)| axis.coordinate(row.values[*place].as_deref()?);
        let point: Point = axes.iter().map(coordinate).collect();
        (point, if logarithmic { libm::log(cost) } else { cost })
    };
    let settings: Vec<(Point, f64)> = rows.iter().zip(costs).map(example).collect();
    let dimensions: Vec<Dimension> = axes.iter().map(|(_, axis)| axis.dimension()).collect();
    if dimensions.len() < 2 {
        return None;
    }
    let found = importance(&dimensions, &settings, SEED)?;
    let mut dots: Vec<Dot> = axes
        .iter()
        .zip(&found.keys)
        .map(|((place, _), shares)| Dot {
            label: short_key(&keys[*place]).to_owned(),
            value: shares.alone,
            low: shares.alone,
            high: shares.total,
        })
        .collect();
    dots.sort_by(|one, other| other.high.total_cmp(&one.high));
    let cost = if logarithmic { "the logarithm of mean cost" } else { "mean cost" };
    Some(Chart {
        name: "tuned-importance".to_owned(),
        title: format!("Importance of keys: {name}"),
        note: format!(
            "functional ANOVA of a forest over {} settings, which explains {} of the variance of \
            {cost} of settings that it did not see; dot: share by itself, bar: with interactions",
            count(settings.len() as u64),
            percent((found.explained * 100.0).round() / 100.0)
        ),
        x: Axis::new("share of variance over the ranges").range(-0.04, 1.04),
        y: Axis::new("key"),
        body: Body::Dots(dots),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_decides_is_first() {
        let row = |number: u32| {
            let (rate, size) = (f64::from(number % 7), f64::from(number / 7 % 5));
            let kind = if number.is_multiple_of(3) { "a" } else { "b" };
            SettingRow {
                values: [rate.to_string(), size.to_string(), kind.to_owned()].map(Some).to_vec(),
                iteration: 1,
                mean_cost: Some(100.0 + 10.0 * size + if kind == "a" { 1.0 } else { 0.0 }),
                survived: false,
            }
        };
        let rows: Vec<SettingRow> = (0..105).map(row).collect();
        let keys = ["operators.rate", "operators.size", "operators.kind"].map(str::to_owned);
        let chart = importance_chart("x", &keys, &rows).expect("a chart");
        let Body::Dots(dots) = &chart.body else { panic!("{chart:?}") };
        assert_eq!((dots[0].label.as_str(), dots.len()), ("size", 3));
        assert!(dots[0].value > 0.95 && dots[1].high < 0.05, "{dots:?}");
        assert!(importance_chart("x", &keys, &rows[..5]).is_none());
    }
}
