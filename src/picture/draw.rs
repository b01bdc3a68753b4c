//! Charts as SVG, PNG and text. The one place that knows the drawing libraries: kuva lays charts out, resvg turns SVG into pixels.

use super::chart::{Axis, Body, Cells, Chart, Curve, Dot, Shape};
use crate::report::real;
use kuva::TerminalBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::legend::{LegendEntry, LegendPosition, LegendShape};
use kuva::plot::line::LineStyle;
use kuva::plot::scatter::{MarkerShape, ScatterPlot};
use kuva::plot::{BandPlot, ColorMap, Heatmap, LinePlot};
use kuva::prelude::Plot;
use kuva::render::layout::{AxisLabelOverlap, Layout, TickFormat};
use kuva::render::render::{Scene, render_multiple};
use kuva::render::theme::Theme;
use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

/// Width in pixels: at the 86 mm of a paper's column its letters are of 7 to 8 points.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
/// Height of a row of dots.
const ROW: f64 = 22.0;
/// Pixels of a PNG for each of the SVG: 400 to the inch in a column.
const SCALE: f32 = 3.0;

/// Okabe and Ito's colours (2008, "Color Universal Design"), told apart by all kinds of colour vision, without black, which is the text's, and
/// yellow, which nobody sees on white. The eighth is grey.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];
const MARKERS: [MarkerShape; 7] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
    MarkerShape::Star,
    MarkerShape::Pentagon,
];

/// Stand-ins for what depends on the page: ink, faint ink, grid, paper.
const INKS: [(&str, &str, &str); 4] = [
    ("#010203", "#1a1a1a", "var(--ink)"),
    ("#010204", "#555555", "var(--faint)"),
    ("#010205", "#e3e3e3", "var(--grid)"),
    ("#010206", "#ffffff", "none"),
];

/// A file of its own, black on white.
#[must_use]
pub fn svg(chart: &Chart) -> String {
    INKS.iter().fold(scalable(chart), |svg, (stand_in, colour, _)| svg.replace(stand_in, colour))
}

/// Part of a page, in the colours of its style sheet: `--ink`, `--faint`, `--grid`. `prefix` makes its ids unlike those of the page's other
/// pictures.
#[must_use]
pub fn themed(chart: &Chart, prefix: &str) -> String {
    // The figures in coloured cells are dark on any page.
    let drawn = match chart.body {
        Body::Cells(_) => svg(chart),
        _ => INKS.iter().fold(scalable(chart), |svg, (stand_in, _, variable)| svg.replace(stand_in, variable)),
    };
    drawn.replace("kuva-", prefix)
}

/// For a terminal of so many columns, in its own colours for ink and grid.
#[must_use]
pub fn text(chart: &Chart, columns: usize) -> String {
    let columns = columns.clamp(40, 120);
    let rows = match &chart.body {
        Body::Dots(dots) => dots.len() + 6,
        Body::Cells(cells) => 3 * cells.rows.len() + 5,
        Body::Curves(_) => 24,
    };
    // Its y axis has no room for words.
    let words =
        if chart.y.label.is_empty() { String::new() } else { format!("{} against {}\n", chart.y.label, chart.x.label) };
    let scene = scene(chart, Some((columns, rows)));
    let mut drawn = TerminalBackend::new(columns, rows).render_scene(&scene);
    for (code, own) in [("1;2;3", "39"), ("1;2;4", "39"), ("1;2;5", "90"), ("1;2;6", "39")] {
        drawn = drawn.replace(&format!("\u{1b}[38;2;{code}m"), &format!("\u{1b}[{own}m"));
    }
    let lines = drawn.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != "\u{1b}[0m");
    let drawn = lines.collect::<Vec<_>>().join("\n");
    format!("{}\n{}\n{words}{drawn}\u{1b}[0m\n", chart.title, chart.note)
}

/// An SVG as pixels, three to each of its own, with the letters of DejaVu Sans.
///
/// # Errors
/// If it is no SVG, or has no size; in words.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    });
    let (font_family, fontdb) = ("DejaVu Sans".to_owned(), Arc::clone(&FONTS));
    let options = usvg::Options { font_family, fontdb, ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| format!("not an SVG: {error}"))?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("a picture without a size")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).ok_or("a picture without a size")?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| format!("no PNG can be made: {error}"))
}

fn scalable(chart: &Chart) -> String {
    let drawn = SvgBackend::new().render_scene(&scene(chart, None));
    let Some((_, inner)) = drawn.split_once("-->") else { return drawn };
    let inner = rounded(inner);
    let (width, height) = size(&drawn);
    // The last tick's label stands half beyond the axis.
    let width = width + 14.0;
    let (title, note) = (escaped(&chart.title), escaped(&chart.note));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{title}: {note}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"{}\">{inner}",
        INKS[0].0
    )
}

/// Width and height of an SVG, as its first element says.
pub(super) fn size(svg: &str) -> (f64, f64) {
    let attribute = |name: &str| {
        let (_, rest) = svg.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse::<f64>().ok()
    };
    (attribute("width").unwrap_or(WIDTH), attribute("height").unwrap_or(HEIGHT))
}

/// The same with at most two decimals in its tags' numbers: a hundredth of a pixel.
fn rounded(svg: &str) -> String {
    let mut text = String::with_capacity(svg.len());
    let (mut in_tag, mut decimals) = (false, None::<usize>);
    for letter in svg.chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ => {}
        }
        decimals = match (letter, decimals) {
            ('.', _) if in_tag => Some(0),
            ('0'..='9', Some(before)) => Some(before + 1),
            _ => None,
        };
        if decimals.is_none_or(|decimals| decimals <= 2) {
            text.push(letter);
        }
    }
    text
}

/// Text for an attribute or an element.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn theme() -> Theme {
    let [ink, faint, grid, paper] = INKS.map(|(stand_in, ..)| stand_in.to_owned());
    Theme {
        background: paper.clone(),
        axis_color: faint.clone(),
        grid_color: grid.clone(),
        tick_color: faint,
        text_color: ink.clone(),
        legend_bg: paper,
        legend_border: grid,
        colorbar_border: ink,
        show_grid: true,
        ..Theme::light()
    }
}

/// `terminal`: its columns and rows.
fn scene(chart: &Chart, terminal: Option<(usize, usize)>) -> Scene {
    let (plots, height) = match &chart.body {
        Body::Curves(curves) => {
            let legend = LEGEND_LINE * legend(curves).1.saturating_sub(1) as f64;
            (curves.iter().flat_map(plots).collect::<Vec<Plot>>(), HEIGHT + legend)
        }
        Body::Dots(dots) => (vec![rows(dots)], 110.0 + ROW * dots.len() as f64),
        Body::Cells(cells) => (vec![heat(cells)], 130.0 + 26.0 * cells.rows.len() as f64),
    };
    let mut layout = Layout::auto_from_plots(&plots)
        .with_theme(theme())
        .with_x_label(&chart.x.label)
        .with_y_label(&chart.y.label)
        .with_label_size(12)
        .with_tick_size(11)
        .with_body_size(11)
        .with_x_label_overlap(AxisLabelOverlap::Thin)
        .with_axis_line_width(1.0);
    layout = match terminal {
        // A letter takes a cell of 10 by 20.
        Some((columns, rows)) => layout
            .with_width(columns as f64 * 10.0)
            .with_height(rows as f64 * 20.0)
            .with_term_rows(rows as u32)
            .with_y_label("")
            .with_tick_size(17)
            .with_label_size(17)
            .with_body_size(17),
        None => layout
            .with_width(WIDTH)
            .with_height(height)
            .with_title(&chart.title)
            .with_title_size(14)
            .with_title_wrap(56)
            .with_subtitle(&chart.note)
            .with_subtitle_size(11)
            .with_subtitle_wrap(74),
    };
    layout = scaled(layout, &chart.x, &chart.y);
    match &chart.body {
        Body::Curves(curves) => {
            let (columns, lines) = legend(curves);
            if lines > 0 {
                layout = layout
                    .with_legend_entries(curves.iter().map(legend_entry).collect())
                    .with_legend_position(LegendPosition::OutsideBottomColumns)
                    .with_legend_col_limit(columns)
                    .with_legend_box(false);
            }
        }
        Body::Dots(dots) => {
            // Categories count from the bottom.
            let labels = dots.iter().rev().map(|dot| dot.label.clone()).collect();
            layout = layout.with_y_categories(labels).with_y_axis_min(0.4).with_y_axis_max(dots.len() as f64 + 0.6);
        }
        Body::Cells(cells) => {
            layout = layout
                .with_x_categories(cells.columns.clone())
                .with_y_categories(cells.rows.iter().rev().cloned().collect())
                .with_show_grid(false);
        }
    }
    render_multiple(plots, layout)
}

/// Pixels of a legend's line.
const LEGEND_LINE: f64 = 18.0;

/// Columns and lines of a legend.
fn legend(curves: &[Curve]) -> (usize, usize) {
    let longest = curves.iter().map(|curve| curve.label.chars().count()).max().unwrap_or(0);
    // About 7 pixels a letter, and the line before it.
    let columns = ((WIDTH - 60.0) / (7.0 * longest as f64 + 40.0)).floor().clamp(1.0, 4.0) as usize;
    (columns, curves.len().div_ceil(columns))
}

fn legend_entry(curve: &Curve) -> LegendEntry {
    let shape = match curve.shape {
        Shape::Line | Shape::Steps => LegendShape::Line,
        Shape::Joined => LegendShape::Marker(MARKERS[curve.colour % MARKERS.len()]),
        Shape::Cloud => LegendShape::Circle,
    };
    LegendEntry {
        label: curve.label.clone(),
        color: COLOURS[curve.colour % COLOURS.len()].to_owned(),
        shape,
        dasharray: style(curve).dasharray(),
    }
}

/// Dashes, beyond the colours.
fn style(curve: &Curve) -> LineStyle {
    if curve.colour < COLOURS.len() { LineStyle::Solid } else { LineStyle::Custom("5 3".to_owned()) }
}

fn scaled(mut layout: Layout, x: &Axis, y: &Axis) -> Layout {
    if let Some((low, high)) = x.range {
        layout = layout.with_x_axis_min(low).with_x_axis_max(high);
    } else if let (true, Some((low, high))) = (x.logarithmic, layout.data_x_range) {
        // Whole decades would leave half of it empty.
        layout = layout.with_x_axis_min(low / 1.1).with_x_axis_max(high * 1.1);
    }
    if let Some((low, high)) = y.range {
        layout = layout.with_y_axis_min(low).with_y_axis_max(high);
    }
    if x.logarithmic {
        layout = layout.with_log_x();
    }
    if y.logarithmic {
        layout = layout.with_log_y();
    }
    layout.with_tick_format(TickFormat::Custom(Arc::new(tick)))
}

/// Thousands and millions in letters, so that ticks stay short.
fn tick(value: f64) -> String {
    let size = value.abs();
    for (unit, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")] {
        if size >= unit {
            let unit = if letter == "k" { 1e3 } else { unit };
            return format!("{}{letter}", real(value / unit));
        }
    }
    // What additions left of a tick's roundness.
    real((value * 1e9).round() / 1e9)
}

fn plots(curve: &Curve) -> Vec<Plot> {
    let place = curve.colour % COLOURS.len();
    let (colour, xs) = (COLOURS[place], curve.points.iter().map(|(x, _)| *x));
    let line = LinePlot::new().with_data(curve.points.clone()).with_color(colour);
    let line = line.with_line_style(style(curve)).with_stroke_width(1.8);
    let points = || {
        let points = ScatterPlot::new().with_data(curve.points.clone()).with_color(colour).with_marker(MARKERS[place]);
        match curve.bounds.is_empty() {
            true => points,
            false => points.with_y_err_asymmetric(
                curve.points.iter().zip(&curve.bounds).map(|((_, y), (low, high))| (y - low, high - y)),
            ),
        }
    };
    match curve.shape {
        Shape::Cloud => {
            let cloud = points().with_size(1.6).with_marker_opacity(0.35).with_marker(MarkerShape::Circle);
            vec![cloud.into()]
        }
        Shape::Joined => vec![line.into(), points().with_size(3.5).into()],
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
                plots.push(BandPlot::new(xs, lows, highs).with_color(colour).with_opacity(0.16).into());
            }
            plots.push(if stepped { line.with_step() } else { line }.into());
            plots
        }
    }
}

/// A band whose bounds stay until the next point: x, low and high of its corners.
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
    let data: Vec<(f64, f64)> = dots.iter().enumerate().map(|(place, dot)| (dot.value, at(place))).collect();
    let errors = dots.iter().map(|dot| (dot.value - dot.low, dot.high - dot.value));
    ScatterPlot::new().with_data(data).with_x_err_asymmetric(errors).with_color(COLOURS[0]).with_size(3.5).into()
}

/// From white to a blue on which black can still be read.
fn shade(share: f64) -> String {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let mixed = |low: f64, high: f64| (low + (high - low) * share).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mixed(255.0, 86.0), mixed(255.0, 170.0), mixed(255.0, 224.0))
}

fn heat(cells: &Cells) -> Plot {
    // Rows count from the bottom; what has no arm stays empty.
    let row = |row: &Vec<Option<f64>>| row.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>();
    let data = cells.values.iter().rev().map(row);
    Heatmap::new()
        .with_data(data)
        .with_color_map(ColorMap::Custom(Arc::new(shade)))
        .with_values()
        .with_legend(&cells.label)
        .into()
}
