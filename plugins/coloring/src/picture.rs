//! Colourings for the eye.

use crate::graph::Graph;
use runner_plugin::Format;
use std::f64::consts::TAU;
use std::fmt::Write;

/// A colour as a digit or a letter.
fn sign(color: u8) -> char {
    char::from_digit(color.into(), 36).unwrap_or('?')
}

pub(crate) fn render(graph: &Graph, genome: &[u8], format: Format) -> String {
    let signs = |genes: &[u8]| genes.iter().copied().map(sign).collect::<String>();
    match format {
        Format::Line => signs(genome),
        Format::Board => {
            let width = graph.side.unwrap_or(64);
            genome.chunks(width).map(|row| signs(row) + "\n").collect()
        }
        Format::Svg => svg(graph, genome),
    }
}

/// Squares as a board, other graphs as a circle with their edges; an edge with one colour at both
/// ends is red.
fn svg(graph: &Graph, genome: &[u8]) -> String {
    let (size, places) = match graph.side {
        Some(side) => {
            let place = |square| (10 * (square % side) + 5, 10 * (square / side) + 5);
            (10 * side, (0..graph.vertices).map(place).collect::<Vec<_>>())
        }
        None => {
            let across = 5 * graph.vertices + 20;
            let half = across as f64 / 2.0;
            let place = |vertex: usize| {
                let angle = TAU * vertex as f64 / graph.vertices as f64;
                let at = |part: f64| (half + (half - 8.0) * part).round() as usize;
                (at(libm::sin(angle)), at(-libm::cos(angle)))
            };
            (across, (0..graph.vertices).map(place).collect())
        }
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" role=\"img\" \
        aria-label=\"{} vertices, coloured\"><rect width=\"{size}\" height=\"{size}\" \
        fill=\"#ffffff\"/>",
        graph.vertices
    );
    let colored = |vertex: usize| {
        let hue = usize::from(genome[vertex]) * 137 % 360;
        format!("hsl({hue},60%,{}%)", 45 + 15 * (genome[vertex] % 3))
    };
    let mut put = |text: std::fmt::Arguments<'_>| {
        svg.write_fmt(text).expect("writing to a string cannot fail");
    };
    if graph.side.is_some() {
        for (vertex, (x, y)) in places.iter().enumerate() {
            let (x, y, color) = (x - 5, y - 5, colored(vertex));
            put(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{color}\"/>"
            ));
        }
    }
    for (one, other) in &graph.edges {
        let clashes = genome[*one] == genome[*other];
        if clashes || graph.side.is_none() {
            let ((a, b), (c, d)) = (places[*one], places[*other]);
            let stroke = if clashes { "#c00000" } else { "#bbbbbb" };
            put(format_args!("<path d=\"M{a} {b}L{c} {d}\" stroke=\"{stroke}\"/>"));
        }
    }
    if graph.side.is_none() {
        for (vertex, (x, y)) in places.iter().enumerate() {
            let color = colored(vertex);
            put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{color}\"/>"));
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_every_vertex() {
        let queens = Graph::named("queen5_5").expect("a graph");
        let genome: Vec<u8> = (0..25).map(|square| square / 5).collect();
        assert_eq!(render(&queens, &genome, Format::Line), "0000011111222223333344444");
        let board = render(&queens, &genome, Format::Board);
        assert!(board.starts_with("00000\n11111\n") && board.lines().count() == 5);
        let drawn = render(&queens, &genome, Format::Svg);
        // Ten pairs in each of five rows clash.
        assert_eq!((drawn.matches("hsl(").count(), drawn.matches("#c00000").count()), (25, 50));
        let graph = Graph::named("myciel3").expect("a graph");
        let drawn = render(&graph, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 35], Format::Svg);
        assert_eq!((drawn.matches("<circle").count(), drawn.matches("<path").count()), (11, 20));
        assert!(!drawn.contains("#c00000"));
    }
}
