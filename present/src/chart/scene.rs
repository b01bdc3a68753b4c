//! Layout of charts by the drawing library, kuva.

use super::colour::Colour;
use super::ends::room;
use super::marks::{CELL, marks};
use super::model::{Axis, Body, Cells, Chart, Curve, Dot, Shape};
use super::strand::{Strand, dashes, strands};
use super::theme::{HEIGHT, WIDTH, theme};
use super::ticks::{
    decades_around, linear_tick, logarithmic_around, logarithmic_tick, tick, two_linear,
    two_logarithmic,
};
use super::words::{verbatim, width_of};
use kuva::plot::line::LineStyle;
use kuva::plot::scatter::{MarkerShape, ScatterPlot};
use kuva::plot::{BandPlot, ColorMap, Heatmap, LinePlot};
use kuva::prelude::Plot;
use kuva::render::layout::{AxisLabelOverlap, ComputedLayout, Layout, TickFormat};
use kuva::render::render::{Scene, render_multiple};
use kuva::render::render_utils::{auto_tick_count, compute_tick_step};
use std::borrow::Cow;
use std::sync::Arc;

/// Height of a row of dots.
const ROW: f64 = 22.0;

/// Returns a scene with the layout of its axes. `terminal` has its columns and rows, for curves.
/// Title, note, legend and labels are drawn separately.
pub(super) fn scene(chart: &Chart, terminal: Option<(usize, usize)>) -> (Scene, ComputedLayout) {
    let (plots, width, height) = match &chart.body {
        Body::Curves(curves) => {
            let strands = strands(curves, &chart.y);
            let drawn =
                curves.iter().zip(&strands).flat_map(|(curve, strand)| plots(curve, *strand));
            (drawn.collect::<Vec<Plot>>(), WIDTH, HEIGHT - 40.0)
        }
        Body::Dots(dots) => {
            let labels = dots.iter().map(|dot| width_of(&dot.label, 11.0)).fold(0.0, f64::max);
            (vec![rows(dots)], WIDTH.max(labels + LEAST), 62.0 + ROW * dots.len() as f64)
        }
        Body::Cells(cells) => {
            // The vertical label is next to the cells.
            let label = 70.0 + width_of(&upright(&chart.y), 12.0);
            let slant = if are_slanted(cells) { longest(&cells.columns) * 0.71 } else { 0.0 };
            let height = 90.0 + 26.0 * cells.rows.len() as f64;
            (vec![heat(cells)], WIDTH, height.max(label) + slant)
        }
        // Ranks and settings are drawn without a scene, and panels one by one.
        Body::Ranks(_) | Body::Parallel(_) | Body::Panels(_) => (Vec::new(), WIDTH, HEIGHT),
    };
    let mut layout = Layout::auto_from_plots(&plots)
        .with_theme(theme())
        .with_x_label(verbatim(&chart.x.words()))
        .with_y_label(verbatim(&upright(&chart.y)))
        .with_label_size(12)
        .with_tick_size(11)
        .with_body_size(11)
        .with_x_label_overlap(AxisLabelOverlap::Thin)
        .with_axis_line_width(1.0);
    layout = match terminal {
        Some((columns, rows)) => layout
            // Lines of letters would hide the curves.
            .with_show_grid(false)
            .with_width(columns as f64 * CELL.0)
            .with_height(rows as f64 * CELL.1)
            .with_term_rows(rows as u32)
            .with_y_label("")
            .with_tick_size(17)
            .with_label_size(17)
            .with_body_size(17),
        None => layout.with_width(width).with_height(height),
    };
    layout = scaled(layout, &chart.x, &chart.y);
    match &chart.body {
        Body::Curves(curves) => {
            let room = room(curves, &chart.x).filter(|_| terminal.is_none());
            layout.force_margin_right = room.or(layout.force_margin_right);
        }
        Body::Dots(dots) => {
            // Categories count from the bottom.
            let labels = dots.iter().rev().map(|dot| verbatim(&dot.label)).collect();
            layout = layout
                .with_y_categories(labels)
                .with_y_axis_min(0.4)
                .with_y_axis_max(dots.len() as f64 + 0.6);
        }
        Body::Cells(cells) => {
            layout = layout
                .with_x_categories(cells.columns.iter().map(|label| verbatim(label)).collect())
                .with_y_categories(cells.rows.iter().rev().map(|label| verbatim(label)).collect())
                .with_show_grid(false);
            if are_slanted(cells) {
                layout =
                    layout.with_x_tick_rotate(-45.0).with_x_label_overlap(AxisLabelOverlap::Allow);
            }
        }
        Body::Ranks(_) | Body::Parallel(_) | Body::Panels(_) => {}
    }
    let computed = ComputedLayout::from_layout(&layout);
    let mut scene = render_multiple(plots, layout);
    if let (Body::Curves(curves), Some(_)) = (&chart.body, terminal) {
        scene.elements.extend(marks(curves, &computed));
    }
    (scene, computed)
}

/// Returns the label of a vertical axis, without its scale where that has no room.
fn upright(y: &Axis) -> Cow<'_, str> {
    /// Pixels of the longest label.
    const LONGEST: f64 = 250.0;
    Some(y.words()).filter(|words| width_of(words, 12.0) <= LONGEST).unwrap_or((&y.label).into())
}

/// Margins of a panel in pixels: left, right, top and bottom. The ticks of the vertical axis are to
/// the left.
pub(super) fn margins(y: &Axis) -> (f64, f64, f64, f64) {
    let ends = y.range.map_or([0.0; 2], |(low, high)| [low, high]);
    let length = ends[1] - ends[0];
    // Ticks are at multiples of 1, 2, 2.5 and 5 times a power of ten. Those of 2.5 have the most
    // decimals.
    let step = 2.5 * 10_f64.powf((length / 5.0).log10().floor());
    let words = |end: f64| match y.logarithmic {
        true => tick(10_f64.powf(end.log10().floor())),
        false if length > 0.0 => linear_tick((end / step).round() * step, length),
        false => tick(end),
    };
    let wide = ends.map(|end| width_of(&words(end), SMALL)).into_iter().fold(24.0, f64::max);
    (wide + 12.0, 8.0, 5.0, 20.0)
}

/// Font size of a panel's ticks.
const SMALL: f64 = 9.0;

/// Returns the scene of a panel of this size, without labels of its axes. `left` is the margin for
/// the ticks of the vertical one.
pub(super) fn small(
    curves: &[Curve],
    (x, y): (&Axis, &Axis),
    left: f64,
    size: (f64, f64),
) -> Scene {
    let (_, right, top, bottom) = margins(y);
    let strands = strands(curves, y);
    let drawn = curves.iter().zip(&strands).flat_map(|(curve, strand)| plots(curve, *strand));
    let drawn: Vec<Plot> = drawn.collect();
    let layout = Layout::auto_from_plots(&drawn)
        .with_theme(theme())
        .with_width(size.0)
        .with_height(size.1)
        .with_tick_size(SMALL as u32)
        .with_label_size(SMALL as u32)
        .with_body_size(SMALL as u32)
        .with_x_label_overlap(AxisLabelOverlap::Thin)
        .with_axis_line_width(1.0)
        .with_force_margins(left, right)
        .with_force_margins_y(top, bottom);
    render_multiple(drawn, scaled(layout, x, y))
}

/// Minimum pixels for the rates of a chart with long labels.
const LEAST: f64 = 200.0;

/// Pixels from a labelled power of ten to the next, above it.
const ABOVE: f64 = 15.0;

/// Gives the layout the ranges of the axes, which have two labelled ticks at least, and the words
/// of the ticks.
fn scaled(mut layout: Layout, x: &Axis, y: &Axis) -> Layout {
    // Whole decades would leave half of the horizontal axis empty.
    let around = |data: (f64, f64)| x.logarithmic.then(|| logarithmic_around(data));
    let x_range = x.range.or(layout.data_x_range.and_then(around));
    let range = |axis: &Axis, range: Option<(f64, f64)>, data: Option<(f64, f64)>| match range {
        Some(range) if axis.logarithmic => Some(two_logarithmic(range)),
        Some(range) => Some(two_linear(range)),
        None if axis.logarithmic => data.filter(|(low, _)| *low > 0.0).map(decades_around),
        // The library widens other ranges.
        None => data.map(two_linear).filter(|wide| Some(*wide) != data),
    };
    if let Some((low, high)) = range(x, x_range, layout.data_x_range) {
        layout = layout.with_x_axis_min(low).with_x_axis_max(high);
    }
    if let Some((low, high)) = range(y, y.range, layout.data_y_range) {
        layout = layout.with_y_axis_min(low).with_y_axis_max(high);
    }
    // Ticks of a logarithmic vertical axis are above each other.
    let most = layout.height.map_or(f64::INFINITY, |height| height / ABOVE - 2.0);
    let format = |axis: &Axis, data: Option<(f64, f64)>| {
        let range = axis.range.or(data);
        let most = if std::ptr::eq(axis, y) { most } else { f64::INFINITY };
        let words: Arc<dyn Fn(f64) -> String + Send + Sync> = match range {
            Some((low, high)) if axis.logarithmic => {
                let every = ((high / low).log10() / most).ceil().max(1.0) as i32;
                Arc::new(move |value| logarithmic_tick(value, every))
            }
            Some((low, high)) if high > low => {
                Arc::new(move |value| linear_tick(value, high - low))
            }
            _ => Arc::new(tick),
        };
        TickFormat::Custom(words)
    };
    if let (true, false, Some((low, high))) =
        (x.whole, x.logarithmic, x.range.or(layout.data_x_range))
    {
        let most = auto_tick_count(layout.width.unwrap_or(WIDTH));
        let step = compute_tick_step(low, high, most);
        if step.fract() != 0.0 {
            layout = layout.with_x_tick_step(step.ceil());
        }
    }
    if !x.names.is_empty() {
        layout = layout
            .with_x_categories(x.names.iter().map(|name| verbatim(name)).collect())
            .with_x_axis_min(0.5)
            .with_x_axis_max(x.names.len() as f64 + 0.5);
    }
    let (x_format, y_format) = (format(x, layout.data_x_range), format(y, layout.data_y_range));
    if x.logarithmic {
        layout = layout.with_log_x();
    }
    if y.logarithmic {
        layout = layout.with_log_y();
    }
    layout.with_x_tick_format(x_format).with_y_tick_format(y_format)
}

fn plots(curve: &Curve, strand: Strand) -> Vec<Plot> {
    let (colour, xs) = (curve.colour.css(), curve.points.iter().map(|(x, _)| *x));
    let line = |points: &[(f64, f64)]| {
        let line = LinePlot::new().with_data(points.to_vec()).with_color(&colour);
        let line = match dashes(curve, strand) {
            Some(dashes) => line.with_line_style(LineStyle::Custom(dashes)),
            None => line,
        };
        line.with_stroke_width(1.8)
    };
    let points = || {
        let points = ScatterPlot::new()
            .with_data(curve.points.clone())
            .with_color(&colour)
            .with_marker(curve.colour.shape());
        match curve.bounds.is_empty() {
            true => points,
            false => points.with_y_err_asymmetric(
                curve
                    .points
                    .iter()
                    .zip(&curve.bounds)
                    .map(|((_, y), (low, high))| (y - low, high - y)),
            ),
        }
    };
    match curve.shape {
        Shape::Cloud => {
            // Few points are large and dark, and many do not hide each other.
            let (size, opacity) = match curve.points.len() {
                ..=60 => (4.0, 0.8),
                61..=600 => (2.5, 0.55),
                _ => (1.6, 0.35),
            };
            let cloud = points().with_size(size).with_marker_opacity(opacity);
            let cloud = cloud.with_marker(MarkerShape::Circle);
            vec![cloud.into()]
        }
        Shape::Joined => {
            let starts = std::iter::once(0).chain(curve.gaps.iter().copied());
            let ends = curve.gaps.iter().copied().chain([curve.points.len()]);
            let parts = starts.zip(ends).map(|(start, end)| &curve.points[start..end]);
            let size = 3.5 + 2.0 * (strand.of - 1 - strand.place) as f64;
            parts.map(|part| line(part).into()).chain([points().with_size(size).into()]).collect()
        }
        Shape::Line | Shape::Steps => {
            let stepped = curve.shape == Shape::Steps;
            let mut plots: Vec<Plot> = Vec::new();
            if !curve.bounds.is_empty() {
                let (xs, lows, highs) = match stepped {
                    false => (
                        xs.collect(),
                        curve.bounds.iter().map(|(low, _)| *low).collect(),
                        curve.bounds.iter().map(|(_, high)| *high).collect(),
                    ),
                    true => stairs(&curve.points, &curve.bounds),
                };
                plots.push(
                    BandPlot::new(xs, lows, highs).with_color(&colour).with_opacity(0.16).into(),
                );
            }
            let line = line(&curve.points);
            plots.push(if stepped { line.with_step() } else { line }.into());
            plots
        }
    }
}

/// Returns a band whose bounds hold until the next point: x, low and high of its corners.
fn stairs(points: &[(f64, f64)], bounds: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut xs, mut lows, mut highs) = (Vec::new(), Vec::new(), Vec::new());
    for (place, ((x, _), (low, high))) in points.iter().zip(bounds).enumerate() {
        let end = points.get(place + 1).map_or(*x, |(next, _)| *next);
        for x in [*x, end] {
            xs.push(x);
            lows.push(*low);
            highs.push(*high);
        }
    }
    (xs, lows, highs)
}

fn rows(dots: &[Dot]) -> Plot {
    let at = |place: usize| (dots.len() - place) as f64;
    let data: Vec<(f64, f64)> =
        dots.iter().enumerate().map(|(place, dot)| (dot.value, at(place))).collect();
    let errors = dots.iter().map(|dot| (dot.value - dot.low, dot.high - dot.value));
    ScatterPlot::new()
        .with_data(data)
        .with_x_err_asymmetric(errors)
        .with_color(Colour::Own(0).css())
        .with_size(3.5)
        .into()
}

/// Colour of a cell without a value.
const NOTHING: &str = "#d0d0d0";

/// Returns a shade from white to a blue on which black is readable; grey for no number.
fn shade(share: f64) -> String {
    if share.is_nan() {
        return NOTHING.to_owned();
    }
    let share = share.clamp(0.0, 1.0);
    let mixed = |low: f64, high: f64| (low + (high - low) * share).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mixed(255.0, 86.0), mixed(255.0, 170.0), mixed(255.0, 224.0))
}

/// Returns the width of the longest label, in pixels.
fn longest(labels: &[String]) -> f64 {
    labels.iter().map(|label| width_of(label, 11.0)).fold(0.0, f64::max)
}

/// Returns the width of a cell in pixels. The labels of rows, the axis's label and the scale are
/// next to the cells.
fn cell_width(cells: &Cells) -> f64 {
    (WIDTH - longest(&cells.rows) - 120.0) / cells.columns.len().max(1) as f64
}

/// Returns whether the labels of columns are slanted: texts that do not fit below their cells,
/// where lines of letters do. Of numbers, some are enough.
fn are_slanted(cells: &Cells) -> bool {
    let cell = cell_width(cells);
    let is_text = |label: &String| label.parse::<f64>().is_err();
    cells.columns.iter().any(is_text)
        && cells.columns.iter().any(|label| width_of(label, 11.0) > cell - 4.0)
        && cell >= 14.0
}

/// Returns a heat map, with numbers only if they fit.
fn heat(cells: &Cells) -> Plot {
    // Rows count from the bottom; cells without an arm have no number.
    let row = |row: &Vec<Option<f64>>| {
        row.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>()
    };
    let data = cells.values.iter().rev().map(row);
    let map = Heatmap::new()
        .with_data(data)
        .with_color_map(ColorMap::Custom(Arc::new(shade)))
        .with_legend(&cells.label);
    let cell = cell_width(cells);
    // The library writes two decimals.
    let written = |value: &f64| format!("{value:.2}");
    let is_exact = |value: &f64| {
        written(value).parse().is_ok_and(|two: f64| (two - value).abs() <= 0.005 * value.abs())
    };
    let values = || cells.values.iter().flatten().flatten();
    let wide = values().map(|value| width_of(&written(value), 11.0)).fold(24.0, f64::max);
    let is_told = cells.are_rates || values().all(is_exact);
    if is_told && cell >= wide + 4.0 { map.with_values() } else { map }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::colour::Colour;
    use crate::chart::draw::svg;

    /// Columns with long names and dollar signs; a row of cells without an arm.
    #[test]
    fn a_map_has_all_labels_as_they_are_and_marks_cells_without_an_arm() {
        let column = |place: usize| format!("price-in-$-and-$-with-a-long-name-{place}");
        let chart = Chart {
            name: String::new(),
            title: String::new(),
            note: String::new(),
            x: Axis::new("cost in $ of $"),
            y: Axis::new("n"),
            body: Body::Cells(Cells {
                columns: (0..6).map(column).collect(),
                rows: vec!["1".into(), "2".into()],
                values: vec![vec![Some(0.5); 6], vec![None; 6]],
                label: "success rate".into(),
                are_rates: true,
            }),
        };
        let svg = svg(&chart);
        for words in (0..6).map(column).chain(["cost in $ of $".to_owned()]) {
            assert!(svg.contains(&format!(">{words}</text>")), "no {words}\n{svg}");
        }
        assert_eq!(svg.matches(NOTHING).count(), 6, "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
    }

    /// Few successes within one step of 1, 2 and 5.
    #[test]
    fn a_short_axis_has_two_labelled_ticks() {
        let points = vec![(796.0, 0.025), (840.0, 0.025)];
        let chart = Chart {
            name: String::new(),
            title: String::new(),
            note: String::new(),
            x: Axis::new("evaluations").logarithmic(true),
            y: Axis::new("share").range(-0.02, 1.02),
            body: Body::Curves(vec![Curve::new("a", Colour::Own(0), points, Shape::Steps)]),
        };
        let (scene, _) = scene(&chart, None);
        let words = format!("{:?}", scene.elements);
        for tick in ["\"500\"", "\"1,000\""] {
            assert!(words.contains(tick), "{words}");
        }
    }
}
