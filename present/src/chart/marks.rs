//! Marks of curves in a terminal: one letter per curve, on the curve and in the legend.

use super::model::{Curve, Shape};
use kuva::render::layout::ComputedLayout;
use kuva::render::render::{Primitive, TextAnchor};

/// Pixels of a letter's cell.
pub(super) const CELL: (f64, f64) = (10.0, 20.0);
/// Distance of the marks of a line, in cells.
const APART: usize = 16;
/// Mark of a cloud's points in the legend.
pub(super) const CLOUD: char = '·';

/// Returns the marks of the curves. Curves with points have one at each point. Others have them
/// along the line, in different columns per curve.
pub(super) fn marks(curves: &[Curve], layout: &ComputedLayout) -> Vec<Primitive> {
    let step = CELL.0 * APART as f64;
    let mut marks = Vec::new();
    for (place, curve) in curves.iter().enumerate() {
        let at = |(x, y): &(f64, f64)| (layout.map_x(*x), layout.map_y(*y));
        let points: Vec<(f64, f64)> = curve.points.iter().map(at).collect();
        let shift = step * place as f64 / curves.len() as f64;
        let lines = || {
            let columns = (0..).map(move |mark| layout.margin_left + shift + step * mark as f64);
            let within = columns.take_while(|x| *x < layout.width);
            within.filter_map(|x| Some((x, height(&points, curve.shape, x)?))).collect()
        };
        let places: Vec<(f64, f64)> = match curve.shape {
            Shape::Cloud => Vec::new(),
            Shape::Joined => points.clone(),
            Shape::Line | Shape::Steps => lines(),
        };
        let mark = |(x, y): (f64, f64)| Primitive::Text {
            x,
            // Offset from the middle of a letter to its baseline.
            y: y + 0.35 * CELL.1,
            content: curve.colour.letter().to_string(),
            size: CELL.1 as u32,
            anchor: TextAnchor::Start,
            rotate: None,
            bold: false,
            color: None,
        };
        marks.extend(places.into_iter().map(mark));
    }
    marks
}

/// Returns the height of a curve through these points at a place; `None` beyond its ends.
fn height(points: &[(f64, f64)], shape: Shape, place: f64) -> Option<f64> {
    let next = points.partition_point(|(x, _)| *x <= place);
    let (x, y) = *points.get(next.checked_sub(1)?)?;
    let (u, v) = *points.get(next)?;
    match shape {
        Shape::Steps => Some(y),
        _ => Some(y + (v - y) * (place - x) / (u - x)),
    }
}

/// Returns the marks with the names of their curves, in lines of at most `columns` characters.
pub(super) fn legend(curves: &[Curve], columns: usize) -> String {
    let longest = curves.iter().map(|curve| curve.label.chars().count()).max().unwrap_or(0);
    let each = (columns.saturating_sub(4) / (longest + 6)).clamp(1, 4);
    let mut text = String::new();
    for line in curves.chunks(each) {
        let words = |curve: &Curve| {
            let mark = if curve.shape == Shape::Cloud { CLOUD } else { curve.colour.letter() };
            format!("{mark} {:<longest$}", curve.label)
        };
        let line = line.iter().map(words).collect::<Vec<_>>().join("    ");
        text.push_str(&format!("    {}\n", line.trim_end()));
    }
    text
}
