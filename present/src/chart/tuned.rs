//! Charts of a tuning: settings in parallel coordinates, importance of keys, and main effects,
//! which are the mean costs of the settings by the value of each key.

use super::colour::Colour;
use super::importance::importance_chart;
use super::key_axis::{KeyAxis, own_setting, spans_decades};
use super::model::{Axis, Body, Chart, Curve, Dot, Shape};
use super::parallel::parallel_chart;
use super::subject::{file_name, short_key};
use crate::lists::distinct;
use crate::stats::median;
use crate::tuning::SettingRow;
use crate::words::count;

/// Returns the charts, those of main effects for each tuned key that has values to compare. `name`
/// is the tuning's.
pub fn tuned_charts(name: &str, keys: &[String], rows: &[SettingRow]) -> Vec<Chart> {
    let all: Vec<&SettingRow> = rows.iter().collect();
    let own = own_setting(rows);
    let of_key = |(place, key): (usize, &String)| {
        let tried: Vec<(&str, f64, bool)> = rows
            .iter()
            .filter_map(|row| {
                let cost = row.mean_cost.filter(|cost| cost.is_finite())?;
                Some((row.values[place].as_deref()?, cost, row.survived))
            })
            .collect();
        let short = short_key(key);
        let numbers: Option<Vec<f64>> =
            tried.iter().map(|(value, ..)| value.parse().ok()).collect();
        let costs = tried.iter().map(|(_, cost, _)| *cost);
        let cost = Axis::new("mean cost").logarithmic(spans_decades(costs));
        let (x, y, body) = match numbers {
            _ if tried.len() < 2 => return None,
            Some(values) => {
                let scale = KeyAxis::of_key(&all, place)?;
                let x = Axis::new(short).logarithmic(scale.is_logarithmic());
                (x, cost, Body::Curves(clouds(&values, &tried)))
            }
            None => (cost, Axis::new(short), Body::Dots(dots(&tried))),
        };
        let settings = count(tried.len() as u64);
        let note = match body {
            Body::Dots(_) => {
                format!("{settings} settings; medians, and the least and greatest{own}")
            }
            _ => format!("{settings} settings{own}"),
        };
        Some(Chart {
            name: format!("tuned-{}", file_name(key)),
            title: format!("Mean cost by {short}: {name}"),
            note,
            x,
            y,
            body,
        })
    };
    let whole = [parallel_chart(name, keys, rows), importance_chart(name, keys, rows)];
    whole.into_iter().flatten().chain(keys.iter().enumerate().filter_map(of_key)).collect()
}

fn clouds(values: &[f64], tried: &[(&str, f64, bool)]) -> Vec<Curve> {
    let cloud = |label: &str, colour, wanted: bool| {
        let points = values.iter().zip(tried).filter(|(_, (_, _, survived))| *survived == wanted);
        let points = points.map(|(value, (_, cost, _))| (*value, *cost)).collect();
        Curve::new(label, colour, points, Shape::Cloud)
    };
    let mut clouds = vec![
        cloud("dropped out or outranked", Colour::Own(0), false),
        cloud("survived", Colour::Own(1), true),
    ];
    clouds.retain(|curve| !curve.points.is_empty());
    clouds
}

/// Returns a dot for each value, in the order of their first settings.
fn dots(tried: &[(&str, f64, bool)]) -> Vec<Dot> {
    let dot = |label: &str| {
        let own = tried.iter().filter(|(value, ..)| *value == label);
        let mut costs: Vec<f64> = own.map(|(_, cost, _)| *cost).collect();
        costs.sort_by(f64::total_cmp);
        let (low, high) = (*costs.first()?, *costs.last()?);
        Some(Dot { label: label.to_owned(), value: median(&costs)?, low, high })
    };
    distinct(tried.iter().map(|(value, ..)| *value)).into_iter().filter_map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_make_clouds_and_choices_dots() {
        let row = |rate: &str, kind: &str, cost: f64, survived: bool| SettingRow {
            values: vec![Some(rate.to_owned()), Some(kind.to_owned())],
            iteration: 1,
            mean_cost: Some(cost),
            survived,
        };
        let mut rows = vec![
            row("0.001", "a", 900.0, false),
            row("0.05", "b", 20.0, true),
            row("0.04", "a", 30.0, false),
        ];
        // A setting without the keys, as that of the file.
        rows.push(SettingRow {
            values: vec![None, None],
            iteration: 1,
            mean_cost: Some(5.0),
            survived: true,
        });
        let keys = ["operators.mutation.rate", "operators.selection"].map(str::to_owned);
        let charts = tuned_charts("x", &keys, &rows);
        let [settings, rate, kind] = charts.as_slice() else { panic!("{charts:?}") };
        assert_eq!(settings.name, "tuned-settings");
        assert!(rate.x.logarithmic && rate.y.logarithmic, "{rate:?}");
        let sizes: Vec<usize> = rate.body.curves().iter().map(|one| one.points.len()).collect();
        assert_eq!(sizes, [2, 1]);
        let Body::Dots(dots) = &kind.body else { panic!("{kind:?}") };
        let figures: Vec<(f64, f64, f64)> =
            dots.iter().map(|dot| (dot.value, dot.low, dot.high)).collect();
        assert_eq!(figures, [(465.0, 30.0, 900.0), (20.0, 20.0, 20.0)]);
        assert_eq!(rate.name, "tuned-operators.mutation.rate");
        assert!(tuned_charts("x", &keys, &rows[..1]).is_empty());
    }
}
