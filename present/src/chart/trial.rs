//! Chart of one trial: its convergence, with the board at each improvement.

use super::colour::Colour;
use super::distance::{FitnessAxis, Side};
use super::draw::{size, svg};
use super::first_trial::thinned;
use super::model::{Body, Chart, Curve, Shape};
use super::subject::Against;
use super::words::{escaped, wrapped};
use crate::record::{TraceRow, TrialRecord};

/// Maximum number of boards per trial.
const BOARDS: usize = 6;

/// Boards below the curve of a trial.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    /// Caption with generation and fitness, and SVG of the plugin, per board.
    pub boards: Vec<(String, String)>,
}

/// Returns the improvements whose boards are shown: the first, the last, and some between.
pub fn shown(improvements: usize) -> Vec<usize> {
    if improvements <= BOARDS {
        return (0..improvements).collect();
    }
    (0..BOARDS).map(|place| place * (improvements - 1) / (BOARDS - 1)).collect()
}

/// Returns a chart of best and mean fitness per generation of one trial. `ideal` is that of its
/// problem.
pub fn trial_chart(arm: &str, record: &TrialRecord, against: Against, ideal: Option<f64>) -> Chart {
    let place = |row: &TraceRow| against.row(row) as f64;
    let curve = |label: &str, colour, figure: fn(&TraceRow) -> f64, shape| {
        let points = record.trace.iter().map(|row| (place(row), figure(row))).collect();
        Curve::new(label, Colour::Own(colour), thinned(points), shape)
    };
    let mut best = curve("best so far", 0, |row| row.best_so_far, Shape::Steps);
    // With constraints, a best fitness exists only once there is a feasible genome.
    let since = record.trace.iter().find(|row| row.feasible_so_far().is_some()).map(place);
    best.points.retain(|(at, _)| since.is_some_and(|since| *at >= since));
    let mut curves = vec![curve("mean of the generation", 1, |row| row.mean, Shape::Line)];
    let infeasible = if since.is_some() { "" } else { "; no feasible genome" };
    curves.extend(since.map(|_| best));
    let ideals = vec![ideal; curves.len()];
    let mut all: Vec<&mut Curve> = curves.iter_mut().collect();
    let labels = ["fitness", "distance to the ideal"];
    let scale = FitnessAxis::of(&mut all, &ideals, Side::Up, labels);
    Chart {
        name: format!("convergence-{}-{}", super::subject::file_name(arm), record.trial),
        title: format!("Convergence of one trial: {arm}"),
        note: format!(
            "trial {}, seed {}; {}{infeasible}{}",
            record.trial, record.seed, record.outcome, scale.words
        ),
        x: super::fitness::axis(against, record.trace.iter().map(place)),
        y: scale.axis,
        body: Body::Curves(curves),
    }
}

/// Returns a chart with boards below it, as one SVG.
pub fn trial_svg(chart: &Chart, boards: &Boards) -> String {
    let drawn = svg(chart);
    if boards.boards.is_empty() {
        return drawn;
    }
    let (width, height) = size(&drawn);
    let gap = 8.0;
    let per_row = boards.boards.len().clamp(3, 6) as f64;
    let side = (width - gap * (per_row + 1.0)) / per_row;
    let lines = |words: &str| -> Vec<String> {
        words.lines().flat_map(|line| wrapped(line, 10.0, side)).collect()
    };
    let most = boards.boards.iter().map(|(words, _)| lines(words).len()).max().unwrap_or(0);
    let caption = 6.0 + 12.0 * most as f64;
    let whole = height + side + caption + gap;
    let mut below = String::new();
    for (place, (words, board)) in boards.boards.iter().enumerate() {
        let x = gap + place as f64 * (side + gap);
        below.push_str(&nested(board, x, height, side));
        for (line, words) in lines(words).iter().enumerate() {
            let (x, y) = (x + side / 2.0, height + side + 12.0 + 12.0 * line as f64);
            let words = escaped(words);
            below.push_str(&format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"10\" text-anchor=\"middle\" \
                fill=\"#1a1a1a\">{words}</text>"
            ));
        }
    }
    let head = drawn.split_once('>').map_or("", |(head, _)| head);
    let grown = head
        .replace(
            &format!("viewBox=\"0 0 {width} {height}\""),
            &format!("viewBox=\"0 0 {width} {whole:.1}\""),
        )
        .replace(&format!(" height=\"{height}\""), &format!(" height=\"{whole:.1}\""));
    let inner = drawn
        .strip_prefix(head)
        .and_then(|rest| rest.trim_end().strip_suffix("</svg>"))
        .unwrap_or_default();
    let paper = format!("><rect width=\"{width}\" height=\"{whole:.1}\" fill=\"#ffffff\"/>");
    format!("{grown}{paper}{}{below}</svg>\n", inner.strip_prefix('>').unwrap_or(inner))
}

/// Returns a board as an image within another chart. As an image, its scripts do not run, it
/// fetches nothing, and its ids and styles stay separate, whatever the plugin writes.
fn nested(board: &str, x: f64, y: f64, side: f64) -> String {
    let uri = board_uri(board);
    format!(
        "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" href=\"{uri}\"/>"
    )
}

/// Returns a board as the source of an image, which separates its ids and styles from a page's.
pub fn board_uri(board: &str) -> String {
    let mut uri = String::from("data:image/svg+xml,");
    for byte in board.bytes() {
        match byte {
            b'%' | b'#' | b'"' | b'&' | b'<' | b'>' | b'{' | b'}' | b'\n' | b'+' | 128.. => {
                uri.push_str(&format!("%{byte:02X}"));
            }
            _ => uri.push(byte as char),
        }
    }
    uri
}
