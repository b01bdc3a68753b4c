//! Tours for the eye. Cities have the numbers of TSPLIB, from 1.

use crate::distances::Distances;
use runner_plugin::Format;
use runner_plugin::data::Svg;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Cities on a line of the board.
const PER_LINE: usize = 20;
/// Side of a picture, and its margin.
const SIZE: f64 = 400.0;
const MARGIN: f64 = 10.0;

pub(crate) fn render(distances: &Distances, tour: &[usize], format: Format) -> String {
    let words: Vec<String> = tour.iter().map(|city| (city + 1).to_string()).collect();
    match format {
        Format::Line => words.join(" "),
        Format::Board => {
            let mut text = format!("length {}\n", distances.tour(tour.iter().copied()));
            for line in words.chunks(PER_LINE) {
                writeln!(text, "{}", line.join(" ")).expect("writing to a string cannot fail");
            }
            text
        }
        Format::Svg => svg(distances, tour),
    }
}

/// Returns the places of the cities in the picture: those of the file, or a circle.
fn places(distances: &Distances) -> Vec<[f64; 2]> {
    let cities = distances.cities();
    let given = &distances.places;
    if given.is_empty() {
        let half = SIZE / 2.0;
        let place = |city: usize| {
            let angle = TAU * city as f64 / cities as f64;
            [libm::sin(angle), -libm::cos(angle)].map(|part| half + (half - MARGIN) * part)
        };
        return (0..cities).map(place).collect();
    }
    let turned = |[one, other]: [f64; 2]| match distances.latitude_first {
        true => [other, -one],
        false => [one, -other],
    };
    let turned: Vec<[f64; 2]> = given.iter().map(|place| turned(*place)).collect();
    let least = |axis: usize| turned.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min);
    let most = |axis: usize| turned.iter().map(|place| place[axis]).fold(-f64::INFINITY, f64::max);
    let low = [least(0), least(1)];
    let span = (most(0) - low[0]).max(most(1) - low[1]);
    let scale = if span > 0.0 { (SIZE - 2.0 * MARGIN) / span } else { 0.0 };
    let place = |place: &[f64; 2]| [0, 1].map(|axis| MARGIN + (place[axis] - low[axis]) * scale);
    turned.iter().map(place).collect()
}

fn svg(distances: &Distances, tour: &[usize]) -> String {
    let places = places(distances);
    let length = distances.tour(tour.iter().copied());
    let label = format!("A tour of {} cities, of length {length}", tour.len());
    let mut svg = Svg::new(SIZE as usize, SIZE as usize, &label);
    let corners: Vec<String> = tour
        .iter()
        .map(|city| format!("{:.1},{:.1}", places[*city][0], places[*city][1]))
        .collect();
    svg.put(format_args!(
        "<polygon points=\"{}\" fill=\"none\" stroke=\"#3060a0\"/>",
        corners.join(" ")
    ));
    for [x, y] in places {
        svg.put(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"#c00000\"/>"));
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    #[test]
    fn every_format_shows_every_city() {
        let square = vec![[0.0, 0.0], [0.0, 10.0], [10.0, 10.0], [10.0, 0.0]];
        let distances = Distances::of_places(square, Metric::Euc2d);
        let tour = [0, 1, 2, 3];
        assert_eq!(render(&distances, &tour, Format::Line), "1 2 3 4");
        assert_eq!(render(&distances, &tour, Format::Board), "length 40\n1 2 3 4\n");
        let drawn = render(&distances, &tour, Format::Svg);
        // The second coordinate points up.
        assert!(drawn.contains("points=\"10.0,390.0 10.0,10.0 390.0,10.0 390.0,390.0\""));
        assert_eq!(drawn.matches("<circle").count(), 4);
        // Without places a circle, and places that are all the same do no harm.
        let table = Distances::of_table(3, vec![1; 9], Vec::new());
        assert!(render(&table, &[0, 1, 2], Format::Svg).contains("200.0,10.0"));
        let same = Distances::of_places(vec![[5.0, 5.0]; 3], Metric::Euc2d);
        assert!(render(&same, &[0, 1, 2], Format::Svg).contains("10.0,10.0 10.0,10.0"));
    }
}
