//! Frame of a drawing: title, note and legend, as wide as the chart, wrapped into lines.

use super::ends::room;
use super::model::{Body, Chart, Curve, Shape};
use super::strand::{Strand, dashes};
use super::theme::INKS;
use super::words::{escaped, text_at, width_of, wrapped};

/// Pixels to the left and right of text.
const EDGE: f64 = 8.0;
const TITLE: f64 = 14.0;
const NOTE: f64 = 11.0;
/// Line spacing, in multiples of the font size.
const LINE: f64 = 1.3;

/// Returns a whole SVG: a drawing of this size, without its first and last tag, in its frame.
pub(super) fn framed(chart: &Chart, drawing: &str, (width, height): (f64, f64)) -> String {
    // Half of the last tick's label is beyond the axis.
    let width = width + 14.0;
    let said = chart.said();
    let (mut top, mut words) = (EDGE, String::new());
    for (text, size, ink) in [(&chart.title, TITLE, INKS[0].0), (&said, NOTE, INKS[1].0)] {
        for line in wrapped(text, size, width - 2.0 * EDGE) {
            words.push_str(&text_at(EDGE, top + size, size, ink, &line));
            top += size * LINE;
        }
    }
    top += 4.0;
    let (legend, legend_height) = match &chart.body {
        Body::Curves(curves) if room(curves, &chart.x).is_none() => {
            legend(curves, top + height + 4.0, width)
        }
        _ => (String::new(), 0.0),
    };
    let whole = (top + height + legend_height).ceil();
    let (title, said) = (escaped(&chart.title), escaped(&said));
    let (ink, paper) = (INKS[0].0, INKS[3].0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" \
        width=\"{width}\" height=\"{whole}\" role=\"img\" aria-label=\"{title}: {said}\" \
        font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"{ink}\"><rect width=\"{width}\" \
        height=\"{whole}\" fill=\"{paper}\"/><g transform=\"translate(0 \
        {top:.2})\">{drawing}</g>{words}{legend}</svg>\n"
    )
}

/// Returns the legend, which begins at `top`, and its height. It is in columns; long labels have
/// several lines.
pub(super) fn legend(curves: &[Curve], top: f64, width: f64) -> (String, f64) {
    /// Pixels of the sample before a label, and after it.
    const SAMPLE: f64 = 30.0;
    const GAP: f64 = 14.0;
    if curves.is_empty() {
        return (String::new(), 0.0);
    }
    let longest = curves.iter().map(|curve| width_of(&curve.label, NOTE)).fold(0.0, f64::max);
    let room = width - 2.0 * EDGE;
    let columns = (room / (SAMPLE + longest + GAP)).floor().clamp(1.0, 4.0) as usize;
    let column = room / columns as f64;
    let (mut drawn, mut y) = (String::new(), top);
    for line in curves.chunks(columns) {
        let mut lines = 1;
        for (place, curve) in line.iter().enumerate() {
            let (x, middle) = (EDGE + place as f64 * column, y + 0.5 * NOTE * LINE);
            drawn.push_str(&sample(curve, dashes(curve, Strand::default()), x, middle));
            let words = wrapped(&curve.label, NOTE, column - SAMPLE - 4.0);
            for (at, words) in words.iter().enumerate() {
                let baseline = y + at as f64 * NOTE * LINE + NOTE;
                drawn.push_str(&text_at(x + SAMPLE, baseline, NOTE, INKS[0].0, words));
            }
            lines = lines.max(words.len());
        }
        y += lines as f64 * NOTE * LINE + 3.0;
    }
    (drawn, y - top + EDGE)
}

/// Returns a sample of the curve.
fn sample(curve: &Curve, dashes: Option<String>, x: f64, y: f64) -> String {
    let colour = curve.colour.css();
    let dashes =
        dashes.map_or_else(String::new, |dashes| format!(" stroke-dasharray=\"{dashes}\""));
    let line = format!(
        "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" \
        stroke-width=\"1.8\"{dashes}/>",
        x + 24.0
    );
    let middle = x + 12.0;
    let shape = |corners: &[(f64, f64)]| {
        let points: Vec<String> =
            corners.iter().map(|(a, b)| format!("{:.1},{:.1}", middle + a, y + b)).collect();
        format!("<polygon points=\"{}\" fill=\"{colour}\"/>", points.join(" "))
    };
    let around = |corners: usize, radius: &dyn Fn(usize) -> f64| {
        let corner = |place: usize| {
            let angle = std::f64::consts::TAU * place as f64 / corners as f64;
            (radius(place) * angle.sin(), -radius(place) * angle.cos())
        };
        shape(&(0..corners).map(corner).collect::<Vec<_>>())
    };
    let circle = |radius: f64| {
        format!("<circle cx=\"{middle:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>")
    };
    match curve.shape {
        Shape::Line | Shape::Steps => line,
        Shape::Cloud => circle(2.0),
        Shape::Joined => {
            let marker = match curve.colour.marker() {
                0 => circle(3.5),
                1 => shape(&[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]),
                2 => shape(&[(0.0, -4.0), (4.0, 3.2), (-4.0, 3.2)]),
                3 => around(4, &|_| 4.5),
                4 => shape(&[(0.0, 4.0), (4.0, -3.2), (-4.0, -3.2)]),
                5 => around(10, &|place| if place % 2 == 0 { 4.5 } else { 2.0 }),
                _ => around(5, &|_| 4.0),
            };
            line + &marker
        }
    }
}
