//! Parallel coordinates (Inselberg 1985, doi:10.1007/BF01898350): an axis per key, and a line per
//! setting from axis to axis. The axes lie one below the other, so that long names have room.

use super::colour::Colour;
use super::frame::legend;
use super::key_axis::{KeyAxis, compared, own_setting};
use super::model::{Axis, Body, Chart, Curve, Parallel, ParallelAxis, ParallelLine, Shape};
use super::subject::short_key;
use super::theme::{INKS, WIDTH};
use super::words::{escaped, width_of, wrapped};
use crate::tuning::SettingRow;
use crate::words::count;

/// Returns the chart of a tuning's settings; `None` with fewer than two, or without two axes.
pub(super) fn parallel_chart(name: &str, keys: &[String], rows: &[SettingRow]) -> Option<Chart> {
    let own = own_setting(rows);
    let rows = compared(rows);
    if rows.len() < 2 {
        return None;
    }
    let mut axes = Vec::new();
    let mut shares: Vec<Vec<Option<f64>>> = vec![Vec::new(); rows.len()];
    for (place, key) in keys.iter().enumerate() {
        let Some(axis) = KeyAxis::of_key(&rows, place) else { continue };
        for (line, row) in shares.iter_mut().zip(&rows) {
            line.push(row.values[place].as_deref().and_then(|value| axis.share(value)));
        }
        axes.push(ParallelAxis { label: short_key(key).to_owned(), ticks: axis.ticks() });
    }
    let costs: Vec<f64> = rows.iter().filter_map(|row| row.mean_cost).collect();
    let axis = KeyAxis::of_numbers(&costs)?;
    for (line, cost) in shares.iter_mut().zip(&costs) {
        line.push(Some(axis.share_of(*cost)));
    }
    axes.push(ParallelAxis { label: "mean cost".to_owned(), ticks: axis.ticks() });
    let line = |(row, shares): (&&SettingRow, Vec<Option<f64>>)| ParallelLine {
        shares,
        survived: row.survived,
    };
    let lines: Vec<ParallelLine> = rows.iter().zip(shares).map(line).collect();
    let gaps = lines.iter().any(|line| line.shares.contains(&None));
    let ring = if gaps { "; a ring: no value of the next key" } else { "" };
    Some(Chart {
        name: "tuned-settings".to_owned(),
        title: format!("Settings: {name}"),
        note: format!("{} settings{ring}{own}", count(rows.len() as u64)),
        x: Axis::default(),
        y: Axis::default(),
        body: Body::Parallel(Parallel { axes, lines }),
    })
}

/// Pixels: font sizes, distance of two axes, and the margins.
const LABEL: f64 = 11.0;
const TICK: f64 = 9.0;
const PITCH: f64 = 52.0;
const TOP: f64 = 12.0;
const EDGE: f64 = 8.0;
/// Maximum width of the keys' names.
const NAMES: f64 = 130.0;
/// Length of a line's end before a gap, below the labels, and after it.
const BEFORE: f64 = 20.0;
const AFTER: f64 = 11.0;
/// Radius of a ring.
const RING: f64 = 2.2;

/// Returns the entries of the legend, for the settings that there are.
fn samples(lines: &[ParallelLine]) -> Vec<Curve> {
    let all =
        [(false, "dropped out or outranked", Colour::Grey), (true, "survived", Colour::Own(1))];
    let there =
        all.into_iter().filter(|(wanted, ..)| lines.iter().any(|one| one.survived == *wanted));
    there.map(|(_, label, colour)| Curve::new(label, colour, Vec::new(), Shape::Line)).collect()
}

/// Returns the inner part of an SVG, and its size.
pub(super) fn drawing(parallel: &Parallel) -> (String, (f64, f64)) {
    let Parallel { axes, lines } = parallel;
    let [ink, faint, grid, paper] = INKS.map(|(stand_in, ..)| stand_in);
    let names: Vec<Vec<String>> =
        axes.iter().map(|axis| wrapped(&axis.label, LABEL, NAMES)).collect();
    let widest = names.iter().flatten().map(|name| width_of(name, LABEL)).fold(0.0, f64::max);
    let (left, right) = (EDGE + widest + 14.0, WIDTH - 24.0);
    let x = |share: f64| left + share * (right - left);
    let y = |axis: usize| TOP + axis as f64 * PITCH;
    let mut drawn = String::new();
    // Axes are below the lines, and labels above them.
    for (place, axis) in axes.iter().enumerate() {
        drawn.push_str(&segment((left, y(place)), (right, y(place)), grid, 1.0));
        for (share, _) in &axis.ticks {
            let at = x(*share);
            drawn.push_str(&segment((at, y(place) - 3.0), (at, y(place) + 3.0), faint, 1.0));
        }
    }
    for survived in [false, true] {
        let (colour, style) = match survived {
            false => (Colour::Grey, "stroke-width=\"0.9\" stroke-opacity=\"0.4\""),
            true => (Colour::Own(1), "stroke-width=\"1.6\""),
        };
        drawn.push_str(&format!("<g fill=\"none\" stroke=\"{}\" {style}>", colour.css()));
        for line in lines.iter().filter(|line| line.survived == survived) {
            let (path, rings) = strokes(line, &x, &y);
            drawn.push_str(&format!("<path d=\"{path}\"/>"));
            for (at, height) in rings {
                drawn
                    .push_str(&format!("<circle cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"{RING}\"/>"));
            }
        }
        drawn.push_str("</g>");
    }
    let mut words = |at: (f64, f64), size: f64, anchor: &str, colour: &str, words: &str| {
        // The paper around letters keeps them readable over lines.
        drawn.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
            fill=\"{colour}\" stroke=\"{paper}\" stroke-width=\"3\" stroke-opacity=\"0.8\" \
            paint-order=\"stroke\">{}</text>",
            at.0,
            at.1,
            escaped(words)
        ));
    };
    for (place, axis) in axes.iter().enumerate() {
        let first = y(place) + 4.0 - 6.5 * (names[place].len() - 1) as f64;
        for (row, name) in names[place].iter().enumerate() {
            words((left - 12.0, first + 13.0 * row as f64), LABEL, "end", ink, name);
        }
        for (share, label) in readable(&axis.ticks, right - left) {
            words((x(share), y(place) + 14.0), TICK, "middle", faint, &label);
        }
    }
    let bottom = y(axes.len().saturating_sub(1)) + 26.0;
    let (explained, height) = legend(&samples(lines), bottom, WIDTH);
    drawn.push_str(&explained);
    (drawn, (WIDTH, bottom + height))
}

fn segment((x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str, thick: f64) -> String {
    format!(
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
        stroke-width=\"{thick}\"/>"
    )
}

/// Returns the path of a line, and the rings at its ends before and after gaps.
fn strokes(
    line: &ParallelLine,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(usize) -> f64,
) -> (String, Vec<(f64, f64)>) {
    let (mut path, mut rings) = (String::new(), Vec::new());
    for (place, pair) in line.shares.windows(2).enumerate() {
        let (from, to) = (y(place), y(place + 1));
        let (one, two, ring) = match *pair {
            [Some(one), Some(two)] => ((x(one), from), (x(two), to), None),
            [Some(one), None] => {
                ((x(one), from), (x(one), from + BEFORE), Some(from + BEFORE + RING))
            }
            [None, Some(two)] => ((x(two), to), (x(two), to - AFTER), Some(to - AFTER - RING)),
            _ => continue,
        };
        path.push_str(&format!("M{:.1} {:.1}L{:.1} {:.1}", one.0, one.1, two.0, two.1));
        rings.extend(ring.map(|height| (two.0, height)));
    }
    (path, rings)
}

/// Returns the ticks whose labels do not touch, from the first; choices that do not fit are cut.
fn readable(ticks: &[(f64, String)], length: f64) -> Vec<(f64, String)> {
    let (mut shown, mut free) = (Vec::new(), f64::NEG_INFINITY);
    // A label has the room between two ticks, or twice the margin if there is one alone.
    let room = match ticks {
        [(first, _), (second, _), ..] => (second - first).abs() * length - 4.0,
        _ => length,
    };
    for (share, label) in ticks {
        let mut label = label.clone();
        while width_of(&label, TICK) > room.max(24.0) && label.chars().count() > 3 {
            label = label.trim_end_matches('…').to_owned();
            label.pop();
            label.push('…');
        }
        let half = width_of(&label, TICK) / 2.0;
        if share * length - half >= free {
            free = share * length + half + 3.0;
            shown.push((*share, label));
        }
    }
    shown
}

/// Returns the text for a terminal: a line per axis, with a mark at the place of each setting.
pub(super) fn plain(parallel: &Parallel, columns: usize) -> String {
    let Parallel { axes, lines } = parallel;
    let longest = axes.iter().map(|axis| axis.label.chars().count()).max().unwrap_or(0);
    let label = longest.min(columns / 2);
    let width = columns.saturating_sub(label + 2).max(20);
    let place = |share: f64| (share * (width - 1) as f64).round() as usize;
    let mut text = String::new();
    for (at, axis) in axes.iter().enumerate() {
        let mut marks = vec!['─'; width];
        for survived in [false, true] {
            let own = lines.iter().filter(|line| line.survived == survived);
            for share in own.filter_map(|line| line.shares[at]) {
                marks[place(share)] = if survived { '●' } else { '·' };
            }
        }
        let mut scale = vec![' '; width];
        let mut free = 0;
        for (share, words) in &axis.ticks {
            let length = words.chars().count();
            let from = place(*share).saturating_sub(length / 2).min(width.saturating_sub(length));
            if from >= free && from + length <= width {
                words.chars().enumerate().for_each(|(at, letter)| scale[from + at] = letter);
                free = from + length + 1;
            }
        }
        let name: String = axis.label.chars().take(label).collect();
        text.push_str(&format!("{name:<label$}  {}\n", marks.into_iter().collect::<String>()));
        let scale: String = scale.into_iter().collect();
        text.push_str(format!("{:label$}  {scale}", "").trim_end());
        text.push('\n');
    }
    text.push_str("●  survived    ·  dropped out or outranked\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<SettingRow> {
        let row = |values: [Option<&str>; 3], cost: f64, survived| SettingRow {
            values: values.map(|value| value.map(str::to_owned)).to_vec(),
            iteration: 1,
            mean_cost: Some(cost),
            survived,
        };
        vec![
            row([None, None, None], 5.0, false),
            row([Some("0.001"), Some("tournament"), Some("2")], 900.0, false),
            row([Some("0.1"), Some("uniform"), None], 20.0, true),
            row([Some("0.01"), Some("tournament"), Some("7")], 30.0, false),
        ]
    }

    #[test]
    fn a_line_per_setting_ends_in_a_ring_where_the_next_key_has_no_value() {
        let keys = ["operators.mutation.rate", "operators.selection", "operators.selection.size"];
        let chart = parallel_chart("x", &keys.map(str::to_owned), &rows()).expect("a chart");
        let Body::Parallel(parallel) = &chart.body else { panic!("{chart:?}") };
        let labels: Vec<&str> = parallel.axes.iter().map(|axis| axis.label.as_str()).collect();
        assert_eq!(labels, ["mutation.rate", "selection", "selection.size", "mean cost"]);
        // The setting of the file has no values of its own.
        assert_eq!(parallel.lines.len(), 3);
        let shares = &parallel.lines[1].shares;
        assert_eq!(shares[..3], [Some(1.0), Some(1.0), None]);
        let (drawn, (width, _)) = drawing(parallel);
        assert_eq!(drawn.matches("<circle").count(), 2, "before and after the gap");
        assert_eq!((drawn.matches("<path").count(), width), (3, WIDTH));
        // The survivor is drawn last.
        assert!(drawn.rfind(&Colour::Own(1).css()) > drawn.rfind("stroke-opacity=\"0.4\""));
        let text = plain(parallel, 60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains('●') && text.contains("tournament"), "{text}");
        assert!(parallel_chart("x", &keys.map(str::to_owned), &rows()[..2]).is_none());
    }
}
