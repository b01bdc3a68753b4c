//! Assignments for the eye. Facilities and locations have the numbers of QAPLIB, from 1.

use crate::matrices::Matrices;
use runner_plugin::Format;
use runner_plugin::data::Svg;
use std::fmt::Write;

/// Locations on a line of the board.
const PER_LINE: usize = 20;
/// Side of a square of a picture.
const SQUARE: usize = 8;
/// Maximum number of facilities in a picture.
const MOST_DRAWN: usize = 200;

pub(crate) fn render(matrices: &Matrices, locations: &[usize], format: Format) -> Option<String> {
    let words: Vec<String> = locations.iter().map(|one| (one + 1).to_string()).collect();
    Some(match format {
        Format::Line => words.join(" "),
        Format::Board => {
            let mut text = format!("cost {}\n", matrices.cost(locations.iter().copied()));
            for line in words.chunks(PER_LINE) {
                writeln!(text, "{}", line.join(" ")).expect("writing to a string cannot fail");
            }
            text
        }
        Format::Svg if locations.len() > MOST_DRAWN => return None,
        Format::Svg => svg(matrices, locations),
    })
}

/// Draws flow times way for each pair of locations: the darker, the more a pair costs.
fn svg(matrices: &Matrices, locations: &[usize]) -> String {
    let n = locations.len();
    let cost = matrices.cost(locations.iter().copied());
    let label = format!("An assignment of {n} facilities, of cost {cost}");
    let mut svg = Svg::new(SQUARE * n, SQUARE * n, &label);
    let pairs = || (0..n).flat_map(|one| (0..n).map(move |other| (one, other)));
    let cost = |(one, other): (usize, usize)| {
        (matrices.flow(one, other) * matrices.way(locations[one], locations[other])).unsigned_abs()
    };
    let most = pairs().map(cost).max().unwrap_or(0).max(1);
    for (one, other) in pairs().filter(|pair| cost(*pair) > 0) {
        let (x, y) = (SQUARE * locations[other], SQUARE * locations[one]);
        let share = cost((one, other)) as f64 / most as f64;
        svg.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#3060a0\" \
            fill-opacity=\"{share:.2}\"/>"
        ));
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_the_assignment() {
        let matrices = Matrices::new(2, vec![0, 3, 1, 0], vec![0, 5, 7, 0]).expect("small numbers");
        let shown = |format| render(&matrices, &[1, 0], format).expect("a text");
        assert_eq!(shown(Format::Line), "2 1");
        assert_eq!(shown(Format::Board), "cost 26\n2 1\n");
        // The ground, and two pairs with costs of 21 and 5.
        let drawn = shown(Format::Svg);
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(drawn.contains("fill-opacity=\"0.24\""), "{drawn}");
    }
}
