//! Charts as SVG, PNG and text.

use super::colour::Colour;
use super::ends::{labels, room};
use super::frame::framed;
use super::marks::{CLOUD, legend};
use super::model::{Body, Chart, Panel, Shape};
use super::panels;
use super::parallel;
use super::plain::plain;
use super::ranks::drawing;
use super::scene::scene;
use super::theme::{HEIGHT, INKS, WIDTH};
use super::words::{as_written, rounded};
use crate::report::paragraph;
use crate::system::output::visible;
use kuva::TerminalBackend;
use kuva::backend::svg::SvgBackend;
use resvg::{tiny_skia, usvg};
use std::sync::{Arc, LazyLock};

/// PNG pixels per SVG pixel: some 440 per inch in a column.
const SCALE: f32 = 3.0;

/// Returns the chart as a standalone file, black on white.
pub(super) fn svg(chart: &Chart) -> String {
    INKS.iter().fold(scalable(chart), |svg, (stand_in, colour, _)| svg.replace(stand_in, colour))
}

/// Returns the chart as part of a page, in the colours of its style sheet: `--ink`, `--faint`,
/// `--grid`. `prefix` makes its ids distinct from those of the page's other charts.
pub fn themed(chart: &Chart, prefix: &str) -> String {
    // The figures in coloured cells are dark on any page.
    let drawn = match chart.body {
        Body::Cells(_) => svg(chart),
        _ => INKS
            .iter()
            .fold(scalable(chart), |svg, (stand_in, _, variable)| svg.replace(stand_in, variable)),
    };
    drawn
        .replace("id=\"kuva-", &format!("id=\"{prefix}"))
        .replace("url(#kuva-", &format!("url(#{prefix}"))
}

/// Returns the chart for a terminal of `columns` columns, in the terminal's colours for ink and
/// grid.
pub fn text(chart: &Chart, columns: usize) -> String {
    let columns = columns.clamp(40, 120);
    if let Some(drawn) = plain(chart, columns) {
        return format!("{}{drawn}", head(chart, &chart.said(), columns));
    }
    if let Body::Panels(all) = &chart.body {
        let (x, y) = panels::common_axes(all, chart);
        let panel = |panel: &Panel| Chart {
            title: panel.title.clone(),
            note: String::new(),
            x: x.clone(),
            y: panels::vertical(panel, chart, &y),
            body: Body::Curves(panel.curves.clone()),
            ..chart.clone()
        };
        let drawn: Vec<String> = all.iter().map(|one| text(&panel(one), columns)).collect();
        // The note of each panel names the curves that coincide in it.
        return format!("{}\n{}", head(chart, &chart.note, columns), drawn.join("\n"));
    }
    let Body::Curves(curves) = &chart.body else { return String::new() };
    let rows = 22;
    // The y axis has no room for its label.
    let words = if chart.y.label.is_empty() {
        String::new()
    } else {
        format!("{} against {}\n", chart.y.words(), chart.x.words())
    };
    let (scene, _) = scene(chart, Some((columns, rows)));
    let mut drawn = TerminalBackend::new(columns, rows).render_scene(&scene);
    for (code, own) in [("1;2;3", "39"), ("1;2;4", "39"), ("1;2;5", "90"), ("1;2;6", "39")] {
        drawn = drawn.replace(&format!("\u{1b}[38;2;{code}m"), &format!("\u{1b}[{own}m"));
    }
    drawn = as_written(&drawn);
    drawn.push_str("\u{1b}[0m\n");
    drawn.push_str(&legend(curves, columns));
    for colour in curves.iter().map(|curve| curve.colour) {
        drawn = drawn.replace(colour.letter(), &coloured(colour, colour.letter()));
    }
    for cloud in curves.iter().filter(|curve| curve.shape == Shape::Cloud) {
        let dot = coloured(cloud.colour, CLOUD);
        drawn =
            drawn.replace(&format!("{CLOUD} {}", cloud.label), &format!("{dot} {}", cloud.label));
    }
    let lines =
        drawn.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != "\u{1b}[0m");
    let drawn = lines.collect::<Vec<_>>().join("\n");
    format!("{}{words}{drawn}\u{1b}[0m\n", head(chart, &chart.said(), columns))
}

/// Returns the title and the note in lines that fit; an empty line in place of no note.
fn head(chart: &Chart, note: &str, columns: usize) -> String {
    let note = if note.is_empty() { "\n".to_owned() } else { paragraph(note, columns) };
    paragraph(&chart.title, columns) + &note
}

/// Returns a mark in this colour, followed by the default colour.
fn coloured(colour: Colour, mark: char) -> String {
    let css = colour.css();
    let part = |at: usize| u8::from_str_radix(&css[at..at + 2], 16).unwrap_or(0);
    let (red, green, blue) = (part(1), part(3), part(5));
    format!("\u{1b}[38;2;{red};{green};{blue}m{mark}\u{1b}[39m")
}

/// Renders an SVG as PNG, with three pixels per SVG pixel and the font DejaVu Sans.
///
/// # Errors
/// Returns an error if the SVG is invalid or has no size; the error is a message.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    });
    let (font_family, fontdb) = ("DejaVu Sans".to_owned(), Arc::clone(&FONTS));
    let mut options = usvg::Options { font_family, fontdb, ..usvg::Options::default() };
    // Letters that the font lacks are those of a font of this machine, if it has them.
    let select = usvg::FontResolver::default_fallback_selector();
    options.font_resolver.select_fallback = Box::new(move |letter, used, fonts| {
        static ALL: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
            let mut all = fontdb::Database::clone(&FONTS);
            all.load_system_fonts();
            Arc::new(all)
        });
        *fonts = Arc::clone(&ALL);
        select(letter, used, fonts)
    });
    // A plugin's board is part of the SVG. No file of this machine may get into the chart.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    let tree =
        usvg::Tree::from_str(svg, &options).map_err(|error| format!("not an SVG: {error}"))?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("a picture without a size")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).ok_or("a picture without a size")?;
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| format!("cannot make a PNG: {error}"))
}

fn scalable(chart: &Chart) -> String {
    let drawn = match &chart.body {
        Body::Ranks(ranks) => Some(drawing(ranks)),
        Body::Parallel(settings) => Some(parallel::drawing(settings)),
        Body::Panels(panels) => Some(panels::drawing(panels, chart)),
        _ => None,
    };
    if let Some((inner, size)) = drawn {
        return framed(chart, &inner, size);
    }
    let (scene, layout) = scene(chart, None);
    let drawn = SvgBackend::new().render_scene(&scene);
    let Some((_, inner)) = drawn.split_once("-->") else { return drawn };
    let inner = rounded(inner.trim_end().trim_end_matches("</svg>"));
    // Cells without an arm have no number.
    let inner = inner.replace(">NaN</text>", "></text>");
    let mut inner = as_written(&visible(&inner));
    if let Body::Curves(curves) = &chart.body
        && room(curves, &chart.x).is_some()
    {
        inner.push_str(&labels(curves, &layout));
    }
    framed(chart, &inner, size(&drawn))
}

/// Returns width and height of an SVG, from its first element.
pub(super) fn size(svg: &str) -> (f64, f64) {
    let attribute = |name: &str| {
        let (_, rest) = svg.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse::<f64>().ok()
    };
    (attribute("width").unwrap_or(WIDTH), attribute("height").unwrap_or(HEIGHT))
}
