//! Small multiples: panels with common axes, and one legend.

use super::colour::Colour;
use super::frame::legend;
use super::model::{Axis, Chart, Curve, Panel};
use super::scene::{margins, small};
use super::theme::{INKS, WIDTH};
use super::words::{escaped, rounded, text_at, width_of};
use crate::lists::extremes;
use crate::system::output::visible;
use kuva::backend::svg::SvgBackend;

/// Height of a panel in pixels, without its title; of a single one, and of several.
const TALL: f64 = 240.0;
const HEIGHT: f64 = 120.0;
/// Font sizes of titles of panels, and of the labels of the axes.
const TITLE: f64 = 11.0;
const LABEL: f64 = 12.0;

/// Ratio of the common vertical axis to the part that a panel has of it, beyond which panels have
/// axes of their own.
const HIDDEN: f64 = 30.0;

/// Returns whether a common vertical axis would hide what differs within a panel.
pub(super) fn are_hidden(panels: &[Panel], y: &Axis) -> bool {
    let length = |panels: &[Panel]| {
        let (low, high) = heights(panels);
        if y.logarithmic { (high / low).ln() } else { high - low }
    };
    let all = length(panels);
    let own = panels.iter().map(|panel| length(std::slice::from_ref(panel)));
    all.is_finite() && own.filter(|own| *own > 0.0).any(|own| all > HIDDEN * own)
}

/// Returns the least and the greatest height of points and bounds.
fn heights(panels: &[Panel]) -> (f64, f64) {
    let curves = || panels.iter().flat_map(|panel| &panel.curves);
    let bounds = curves().flat_map(|curve| &curve.bounds);
    let points = curves().flat_map(|curve| &curve.points).map(|(_, y)| *y);
    extremes(points.chain(bounds.flat_map(|(low, high)| [*low, *high])))
}

/// Returns the vertical axis of a panel. `common` is that of all.
pub(super) fn vertical(panel: &Panel, chart: &Chart, common: &Axis) -> Axis {
    match chart.y.own {
        true => common_axes(std::slice::from_ref(panel), chart).1,
        false => common.clone(),
    }
}

/// Returns the axes that all panels share.
pub(super) fn common_axes(panels: &[Panel], chart: &Chart) -> (Axis, Axis) {
    let points = || panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points);
    let (left, right) = extremes(points().map(|(x, _)| *x));
    let (low, high) = heights(panels);
    // Marks and labels at the ends need room.
    let room = 0.03 * (right - left);
    let x = match chart.x.logarithmic {
        true => chart.x.clone().range(left / 1.1, right * 1.1),
        false => chart.x.clone().range((left - room).max(0.0), right + room),
    };
    let margin = 0.04 * (high - low).max(f64::MIN_POSITIVE);
    let y = match chart.y.range {
        None if !chart.y.logarithmic => chart.y.clone().range(low - margin, high + margin),
        None => chart.y.clone().range(low, high),
        Some(_) => chart.y.clone(),
    };
    (x, y)
}

/// Draws the panels with their titles, the labels of the axes, and a legend of all sets. Returns
/// the drawing and its size.
pub(super) fn drawing(panels: &[Panel], chart: &Chart) -> (String, (f64, f64)) {
    let (columns, high) = match panels.len() {
        0 | 1 => (1, TALL),
        2..=4 => (2, HEIGHT),
        _ => (3, HEIGHT),
    };
    let (x, y) = common_axes(panels, chart);
    let left = LABEL + 6.0;
    let width = ((WIDTH - left) / columns as f64).floor();
    let heights: Vec<Axis> = panels.iter().map(|panel| vertical(panel, chart, &y)).collect();
    // Panels below each other begin at the same place.
    let edge = heights.iter().map(|y| margins(y).0).fold(0.0, f64::max);
    let pitch = high + TITLE + 6.0;
    let mut drawn = String::new();
    for (place, panel) in panels.iter().enumerate() {
        let (right, down) = ((place % columns) as f64 * width, (place / columns) as f64 * pitch);
        let right = left + right;
        let scene = small(&panel.curves, (&x, &heights[place]), edge, (width, high));
        let svg = SvgBackend::new().render_scene(&scene);
        let inner = svg.split_once("-->").map_or("", |(_, inner)| inner);
        let inner = rounded(inner.trim_end().trim_end_matches("</svg>"));
        let inner = inner
            .replace("id=\"kuva-", &format!("id=\"kuva-{place}-"))
            .replace("url(#kuva-", &format!("url(#kuva-{place}-"));
        let inner = visible(&inner).into_owned();
        drawn.push_str(&format!(
            "<g transform=\"translate({right} {:.2})\">{inner}</g>",
            down + TITLE + 4.0
        ));
        // A title is above the axes, in smaller letters if it is long.
        let size = TITLE.min(TITLE * (width - edge) / width_of(&panel.title, TITLE)).floor();
        let (at, height) = (right + edge, down + TITLE);
        drawn.push_str(&text_at(at, height, size, INKS[0].0, &panel.title));
    }
    let mut height = panels.len().div_ceil(columns) as f64 * pitch;
    let (x, y) = (x.words(), y.words());
    let middle = height / 2.0 + width_of(&y, LABEL) / 2.0;
    drawn.push_str(&format!(
        "<text transform=\"translate({LABEL} {middle:.1}) rotate(-90)\" font-size=\"{LABEL}\" \
        fill=\"{}\">{}</text>",
        INKS[0].0,
        escaped(&y)
    ));
    height += LABEL + 2.0;
    let from = (WIDTH - width_of(&x, LABEL)) / 2.0;
    drawn.push_str(&text_at(from, height - 2.0, LABEL, INKS[0].0, &x));
    let (explained, legend_height) = legend(&samples(panels), height + 8.0, WIDTH);
    drawn.push_str(&explained);
    (drawn, (WIDTH, height + 8.0 + legend_height))
}

/// Returns a curve per entry of the legend: each operator set once, and all grey ones together if
/// there are several.
pub(super) fn samples(panels: &[Panel]) -> Vec<Curve> {
    let mut samples: Vec<Curve> = Vec::new();
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if samples.iter().all(|one| one.label != curve.label) {
            samples.push(Curve { points: Vec::new(), bounds: Vec::new(), ..curve.clone() });
        }
    }
    let greys = samples.iter().filter(|one| one.colour == Colour::Grey).count();
    if greys > 1 {
        let last = samples.iter().rposition(|one| one.colour == Colour::Grey);
        let mut other = last.map(|place| samples[place].clone());
        samples.retain(|one| one.colour != Colour::Grey);
        if let Some(other) = &mut other {
            other.label = format!("the other {greys}");
        }
        samples.extend(other);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::super::model::{Body, Shape};
    use super::*;

    fn curve(label: &str, colour: Colour, points: &[(f64, f64)]) -> Curve {
        Curve::new(label, colour, points.to_vec(), Shape::Steps)
    }

    fn chart(panels: Vec<Panel>) -> Chart {
        Chart {
            name: "x".to_owned(),
            title: "X".to_owned(),
            note: String::new(),
            x: Axis::new("evaluations").logarithmic(true),
            y: Axis::new("fitness"),
            body: Body::Panels(panels),
        }
    }

    fn panels() -> Vec<Panel> {
        let panel = |title: &str, end: f64| Panel {
            title: title.to_owned(),
            curves: vec![
                curve("a", Colour::Own(0), &[(2.0, 5.0), (end, 1.0)]),
                curve("b", Colour::Grey, &[(4.0, 9.0), (end, 3.0)]),
            ],
        };
        vec![panel("n 8", 100.0), panel("n 16", 1_000.0)]
    }

    #[test]
    fn panels_share_their_axes_and_a_legend() {
        let panels = panels();
        let (x, y) = common_axes(&panels, &chart(panels.clone()));
        assert_eq!(x.range, Some((2.0 / 1.1, 1_000.0 * 1.1)));
        assert_eq!(y.range, Some((1.0 - 0.32, 9.0 + 0.32)));
        let labels: Vec<String> = samples(&panels).into_iter().map(|one| one.label).collect();
        assert_eq!(labels, ["a", "b"]);
        let (drawn, (width, height)) = drawing(&panels, &chart(panels.clone()));
        assert!(width == WIDTH && height > HEIGHT, "{width} {height}");
        for words in [">n 8<", ">n 16<", ">evaluations, logarithmic<", ">fitness<", ">a<", ">b<"] {
            assert_eq!(drawn.matches(words).count(), 1, "{words}");
        }
        assert!(!drawn.contains("id=\"kuva-clip"), "ids of two panels are the same");
    }

    #[test]
    fn panels_that_a_common_scale_would_hide_have_their_own() {
        let panel = |size: f64| Panel {
            title: "a".to_owned(),
            curves: vec![curve("a", Colour::Own(0), &[(1.0, 9.0 * size), (2.0, size)])],
        };
        let y = Axis::new("fitness");
        assert!(!are_hidden(&[panel(1.0), panel(20.0)], &y));
        assert!(are_hidden(&[panel(1.0), panel(50.0)], &y));
        assert!(!are_hidden(&[panel(1.0), panel(1e6)], &y.clone().logarithmic(true)));
        let panels = vec![panel(1.0), panel(50.0)];
        let mut chart = chart(panels.clone());
        chart.y.own = true;
        let common = common_axes(&panels, &chart).1;
        let ends = panels.iter().map(|panel| vertical(panel, &chart, &common).range);
        assert_eq!(ends.collect::<Vec<_>>(), [Some((1.0 - 0.04 * 8.0, 9.32)), Some((34.0, 466.0))]);
    }

    #[test]
    fn several_grey_sets_have_one_entry() {
        let mut panels = panels();
        panels[0].curves.push(curve("c", Colour::Grey, &[(2.0, 3.0)]));
        let labels: Vec<String> = samples(&panels).into_iter().map(|one| one.label).collect();
        assert_eq!(labels, ["a", "the other 2"]);
    }
}
