//! Dots and maps as plain text. The resolution is one letter, so values are also written as
//! numbers.

use super::model::{Axis, Body, Cells, Chart, Dot};
use super::ticks::{logarithmic_around, two_linear};
use crate::format::real;
use crate::lists::extremes;

/// Shades from the least to the greatest value, for maps whose numbers do not fit.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// Returns the text for a terminal of `columns` columns; `None` for curves, which are drawn.
pub(super) fn plain(chart: &Chart, columns: usize) -> Option<String> {
    match &chart.body {
        Body::Curves(_) | Body::Panels(_) => None,
        Body::Dots(dots) => Some(rows(dots, &chart.x, columns)),
        Body::Cells(cells) => Some(map(cells, &chart.x, &chart.y, columns)),
        Body::Ranks(ranks) => Some(super::ranks::plain(ranks, columns)),
        Body::Parallel(settings) => Some(super::parallel::plain(settings, columns)),
    }
}

fn widest<'a>(words: impl Iterator<Item = &'a String>) -> usize {
    words.map(|word| word.chars().count()).max().unwrap_or(0)
}

/// Returns rows such as "roulette  0.541  ├──●──┤", with a scale below.
fn rows(dots: &[Dot], x: &Axis, columns: usize) -> String {
    // The axis of rates extends slightly beyond 0 and 1.
    let rates =
        x.range.is_some_and(|(low, high)| low >= -0.1 && high <= 1.1 && low < 0.0 && high > 1.0);
    let around = || match extremes(dots.iter().flat_map(|dot| [dot.low, dot.high])) {
        ends if x.logarithmic => logarithmic_around(ends),
        ends => two_linear(ends),
    };
    let (low, high) = if rates { (0.0, 1.0) } else { x.range.unwrap_or_else(around) };
    let words = |value: f64| if rates { format!("{value:.3}") } else { real(value) };
    let longest = dots.iter().map(|dot| words(dot.value).chars().count()).max().unwrap_or(0);
    let label = widest(dots.iter().map(|dot| &dot.label));
    let width = columns.saturating_sub(label + longest + 4).max(20);
    let share = |value: f64| match x.logarithmic {
        true => (value / low).ln() / (high / low).ln(),
        false => (value - low) / (high - low),
    };
    let place = |value: f64| (share(value).clamp(0.0, 1.0) * (width - 1) as f64).round() as usize;
    let mut text = String::new();
    for dot in dots {
        let (left, middle, right) = (place(dot.low), place(dot.value), place(dot.high));
        let letter = |at: usize| match at {
            at if at == middle => '●',
            at if at == left => '├',
            at if at == right => '┤',
            at if at > left && at < right => '─',
            _ => ' ',
        };
        let line: String = (0..width).map(letter).collect();
        let value = words(dot.value);
        text.push_str(&format!("{:<label$}  {value:>longest$}  {}\n", dot.label, line.trim_end()));
    }
    let mut scale = vec![' '; width + 4];
    for tick in 0..=4 {
        let part = f64::from(tick) / 4.0;
        let value = match x.logarithmic {
            true => low * (high / low).powf(part),
            false => low + (high - low) * part,
        };
        let words = if rates { real(value) } else { real(rounded(value)) };
        let start = place(value).min(width - words.chars().count());
        words.chars().enumerate().for_each(|(at, letter)| scale[start + at] = letter);
    }
    let scale: String = scale.into_iter().collect();
    let margin = label + longest + 4;
    text.push_str(&format!("{:margin$}{}\n{:margin$}{}\n", "", scale.trim_end(), "", x.words()));
    text
}

/// Rounds to three digits, as for a tick.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Returns a table of numbers, or of shades if the numbers do not fit.
fn map(cells: &Cells, x: &Axis, y: &Axis, columns: usize) -> String {
    let label = widest(cells.rows.iter());
    let head = widest(cells.columns.iter());
    // Rates have two decimals.
    let words = |value: f64| match cells.are_rates {
        true => format!("{value:.2}"),
        false => real(value),
    };
    let written = cells.values.iter().flatten().flatten().map(|value| words(*value));
    let each = head.max(widest(written.collect::<Vec<_>>().iter())) + 1;
    let mut text = format!("{} down, {} across; {}\n", y.label, x.label, cells.label);
    let (low, high) = extremes(cells.values.iter().flatten().flatten().copied());
    if label + each * cells.columns.len() <= columns {
        text.push_str(&format!("{:label$}", ""));
        cells.columns.iter().for_each(|column| text.push_str(&format!("{column:>each$}")));
        for (row, line) in cells.rows.iter().zip(&cells.values) {
            text.push_str(&format!("\n{row:>label$}"));
            for value in line {
                let words = value.map_or_else(String::new, words);
                text.push_str(&format!("{words:>each$}"));
            }
        }
        text.push('\n');
        return text;
    }
    let shade = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 1.0 };
        SHADES[(share * SHADES.len() as f64).min((SHADES.len() - 1) as f64) as usize]
    };
    // The values of the columns are vertical, one letter per line.
    let letter = |column: &String, line: usize| column.chars().nth(line).unwrap_or(' ');
    for line in 0..head {
        let letters: String =
            cells.columns.iter().flat_map(|column| [' ', letter(column, line)]).collect();
        text.push_str(format!("{:label$}{letters}", "").trim_end());
        text.push('\n');
    }
    for (row, line) in cells.rows.iter().zip(&cells.values) {
        let shades: String =
            line.iter().flat_map(|value| [' ', value.map_or(' ', shade)]).collect();
        text.push_str(&format!("{row:>label$}{shades}\n"));
    }
    if low <= high {
        let step = (high - low) / SHADES.len() as f64;
        let bounds =
            |(place, shade): (usize, &char)| format!("{shade} {}", real(low + step * place as f64));
        let scale: Vec<String> = SHADES.iter().enumerate().map(bounds).collect();
        text.push_str(&format!("from {}, up to {}\n", scale.join("  "), real(high)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(label: &str, value: f64, low: f64, high: f64) -> Dot {
        Dot { label: label.to_owned(), value, low, high }
    }

    #[test]
    fn rows_have_their_values_and_intervals() {
        let drawn = rows(
            &[dot("a", 0.5, 0.25, 0.75), dot("longer", 1.0, 0.9, 1.0)],
            &Axis::new("share").range(-0.02, 1.02),
            56,
        );
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "a       0.500            ├─────────●─────────┤");
        assert!(lines[1].starts_with("longer  1.000") && lines[1].ends_with("├───●"), "{drawn}");
        assert!(
            lines[2].trim_start().starts_with("0 ")
                && lines[2].ends_with('1')
                && lines[3].ends_with("share"),
            "{drawn}"
        );
        assert!(lines.iter().all(|line| line.chars().count() <= 56), "{drawn}");
        // Costs, on a logarithmic axis around them.
        let costs = [dot("a", 1.0, 0.1, 10.0), dot("b", 10.0, 10.0, 10.0)];
        let drawn = rows(&costs, &Axis::new("mean cost").logarithmic(true), 60);
        let at =
            |line: usize| drawn.lines().nth(line).expect("a line").chars().position(|at| at == '●');
        let [middle, end] = [at(0), at(1)].map(|at| at.expect("a dot"));
        assert!(
            drawn.contains("├") && end > middle + 20 && drawn.contains("mean cost, log"),
            "{drawn}"
        );
        let drawn = rows(&costs, &Axis::new("mean cost"), 60);
        assert!(drawn.contains("0.1") && drawn.trim_end().ends_with("mean cost"), "{drawn}");
    }

    #[test]
    fn maps_have_numbers_where_they_fit_and_else_shades_with_a_scale() {
        let cells = |columns: usize| Cells {
            columns: (0..columns).map(|column| format!("0.{column}")).collect(),
            rows: vec!["8".to_owned(), "16".to_owned()],
            values: vec![
                vec![Some(0.0); columns],
                (0..columns).map(|place| (place > 0).then_some(1.0)).collect(),
            ],
            label: "success rate".to_owned(),
            are_rates: true,
        };
        let drawn = map(&cells(3), &Axis::new("rate"), &Axis::new("n"), 60);
        assert_eq!(
            drawn,
            "n down, rate across; success rate\n    0.0  0.1  0.2\n 8 0.00 0.00 0.00\n16      1.00 \
            1.00\n"
        );
        let costs = Cells {
            values: vec![vec![Some(2_827_783.0); 3], vec![None, Some(0.5), Some(12.0)]],
            are_rates: false,
            ..cells(3)
        };
        let drawn = map(&costs, &Axis::new("rate"), &Axis::new("n"), 60);
        assert!(drawn.contains(" 8 2,827,783 2,827,783 2,827,783"), "{drawn}");
        let drawn = map(&cells(20), &Axis::new("rate"), &Axis::new("n"), 60);
        assert!(
            drawn.contains("\n 8 · · ·")
                && drawn.contains("\n16   █ █")
                && drawn.contains("from · 0  ░ 0.2"),
            "{drawn}"
        );
        assert!(drawn.lines().all(|line| line.chars().count() <= 60), "{drawn}");
    }
}
